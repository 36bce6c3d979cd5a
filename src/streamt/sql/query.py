"""One query and what its tree tells, asked for when it is needed, and never twice."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple, Self

from streamt.sql.lexer import SqlError

# The plainest copy needs no parser, and loading one takes a quarter of a small project's time.
_PLAIN_COPY = re.compile(r"\s*SELECT\s+\*\s+FROM\s+(`?)(\w+)\1\s*", re.IGNORECASE | re.ASCII)
# A literal that something is compared with, and every other text in quotes, which is passed over.
_COMPARED = re.compile(
    r"""(?P<operator>[=<>]\s*)(?P<value>'(?:[^']|'')*'|\d+\b(?!\.))|'(?:[^']|'')*'|`(?:[^`]|``)*`|"(?:[^"]|"")*\""""
)


class Shape(StrEnum):
    """What a query does, as far as it decides what a model becomes."""

    STATEFUL = "stateful"
    COPY = "copy"
    STATELESS = "stateless"


class TableName(NamedTuple):
    """One table that a query reads.

    Attributes:
        name: its name, with those of its catalog and database before it.
        start: how many characters of the query stand before it, if that is known.
    """

    name: str
    start: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryFacts:
    """What a query's tree tells; the tree itself takes too much memory to be kept.

    Attributes:
        shape: what the query does.
        tables: what it reads from outside of itself, each name once, by its first place.
        updates: whether it changes results that it has given before, though its inputs only append.
        versioned: the tables that it looks up by time alone, so that changes in them change no result given before.
        gateway_obstacle: the part that the Gateway's own SQL cannot do, in words; None if it can do all.
    """

    shape: Shape
    tables: tuple[TableName, ...] = ()
    updates: bool = False
    versioned: frozenset[str] = frozenset()
    gateway_obstacle: str | None = None

    def as_plain(self) -> dict[str, Any]:
        """Return the facts as data for JSON."""
        return {
            "shape": self.shape,
            "tables": self.tables,
            "updates": self.updates,
            "versioned": sorted(self.versioned),
            "gateway_obstacle": self.gateway_obstacle,
        }

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Return the facts of what `as_plain` gave."""
        return cls(
            shape=Shape(plain["shape"]),
            tables=tuple(TableName(name, start) for name, start in plain["tables"]),
            updates=plain["updates"],
            versioned=frozenset(plain["versioned"]),
            gateway_obstacle=plain["gateway_obstacle"],
        )


def structure_of(query: str) -> str:
    """Return `query` with one value for all that something is compared with.

    Queries that differ in nothing else have the same facts.
    """
    return _COMPARED.sub(_with_one_value, query)


def _with_one_value(match: re.Match[str]) -> str:
    operator = match["operator"]
    return match[0] if operator is None else operator + ("''" if match["value"].startswith("'") else "0")


@dataclass(frozen=True)
class ParsedQuery:
    """One query, as `read_query` gives it, and what its tree tells.

    Attributes:
        text: the query without comments.
    """

    text: str

    @property
    def facts(self) -> QueryFacts | None:
        """What the tree tells; None where the Flink dialect cannot read the query."""
        return self._outcome if isinstance(self._outcome, QueryFacts) else None

    @property
    def failure(self) -> SqlError | None:
        """Why and where the Flink dialect stopped, if it cannot read the query."""
        return self._outcome if isinstance(self._outcome, SqlError) else None

    @cached_property
    def _outcome(self) -> QueryFacts | SqlError:
        if copy := _PLAIN_COPY.fullmatch(self.text):
            return QueryFacts(shape=Shape.COPY, tables=(TableName(copy[2], copy.start(2) - len(copy[1])),))
        from streamt.sql.tree import facts_of, parse

        try:
            return facts_of(parse(self.text))
        except SqlError as error:
            return error
