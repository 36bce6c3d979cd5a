"""HTTP in, calls of the service, problem+json out."""

from streamt.catalog.http.app import Settings, create_app

__all__ = ["Settings", "create_app"]
