"""Something known -> `DatasetRef`s: what an author declares, what a connection says, what dbt wrote down."""

from streamt.emitter.providers.connections import Connection, read_connection
from streamt.emitter.providers.declared import DeclarationError, read_declared

__all__ = ["Connection", "DeclarationError", "read_connection", "read_declared"]
