"""Flink SQL: its words, its types, and what a query does.

`tree`, `dialect` and `duckdb` load sqlglot; nothing here imports them before they are needed.
"""

from streamt.sql.lexer import HINT, Query, SqlError, Token, position, read_query
from streamt.sql.query import ParsedQuery, QueryFacts, Shape, TableName, structure_of
from streamt.sql.types import FlinkType, InvalidTypeError, known_type, parse_type
from streamt.sql.words import words

__all__ = [
    "HINT",
    "FlinkType",
    "InvalidTypeError",
    "ParsedQuery",
    "Query",
    "QueryFacts",
    "Shape",
    "SqlError",
    "TableName",
    "Token",
    "known_type",
    "parse_type",
    "position",
    "read_query",
    "structure_of",
    "words",
]
