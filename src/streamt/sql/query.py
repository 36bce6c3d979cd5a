"""One query and what its tree tells, asked for when it is needed, and never twice."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from streamt.sql.lexer import SqlError

# The plainest copy needs no parser, and loading one takes a quarter of a small project's time.
_PLAIN_COPY = re.compile(r"\s*SELECT\s+\*\s+FROM\s+(?:\w+|`\w+`)\s*", re.IGNORECASE | re.ASCII)


class Shape(StrEnum):
    """What a query does, as far as it decides what a model becomes."""

    STATEFUL = "stateful"
    COPY = "copy"
    STATELESS = "stateless"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryFacts:
    """What a query's tree tells; the tree itself takes too much memory to be kept.

    Attributes:
        shape: what the query does.
    """

    shape: Shape


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
        if _PLAIN_COPY.fullmatch(self.text):
            return QueryFacts(shape=Shape.COPY)
        from streamt.sql.tree import facts_of, parse

        try:
            return facts_of(parse(self.text))
        except SqlError as error:
            return error
