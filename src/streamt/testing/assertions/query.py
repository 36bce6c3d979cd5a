"""The queries of custom_sql: read as Flink's SQL, written as DuckDB's."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

TABLE = "sample"
_CALL = re.compile(r"""\{\{\s*(?:model|(?:ref|source)\(\s*(['"])(?P<name>.*?)\1\s*\))\s*\}\}""")


@dataclass(frozen=True, slots=True)
class Query:
    """A query over the sample.

    Attributes:
        text: in DuckDB's SQL.
        names: every name and text that it holds, so every column and field that it may mean; None if it means all.
        is_count: whether its value is made of counts alone, and so tells nothing that a record holds.
        mark: how an error of DuckDB begins whose words are our own, and speak of types and never of values.
    """

    text: str
    names: frozenset[str] | None
    is_count: bool
    mark: str


def read_query(sql: str, target: str) -> Query:
    """Read a query.

    Args:
        sql: the query, with `{{ model }}` for the sample.
        target: what `{{ ref("...") }}` and `{{ source("...") }}` may name too.

    Raises:
        ValueError: it is not one query, or cannot be translated; in words for the user.
    """
    import sqlglot
    from sqlglot.errors import SqlglotError

    from streamt.sql import duckdb
    from streamt.sql.dialect import Flink
    from streamt.sql.duckdb_functions import MARK

    rendered = _CALL.sub(lambda match: _table(match, target), sql)
    if "{{" in rendered or "{%" in rendered:
        raise ValueError("the query holds Jinja other than {{ model }}")
    try:
        statements = [each for each in sqlglot.parse(rendered, dialect=Flink) if each is not None]
        if len(statements) != 1 or not isinstance(statements[0], sqlglot.exp.Query):
            raise ValueError("custom_sql must be one SELECT")
        (statement,) = statements
        return Query(duckdb.to_duckdb(statement), _names(statement), _is_count(statement), MARK)
    except duckdb.UntranslatableError as error:
        raise ValueError(f"custom_sql cannot judge {error}") from error
    except SqlglotError as error:
        raise ValueError(f"the query cannot be read as Flink's SQL for DuckDB: {_first_line(error)}") from error


def _table(match: re.Match[str], target: str) -> str:
    if match["name"] not in (None, target):
        raise ValueError(f"the query reads `{match['name']}`, but a test sees only its own sample, {{{{ model }}}}")
    return f"`{TABLE}`"


def _names(query: "exp.Expr") -> frozenset[str] | None:
    from sqlglot import exp

    if any(not isinstance(star.parent, exp.Count) for star in query.find_all(exp.Star)):
        return None
    return frozenset(str(node.this) for node in query.find_all(exp.Identifier, exp.Literal))


def _is_count(query: "exp.Expr") -> bool:
    """Report whether a query gives a number that only says how many records there are of some kind."""
    from sqlglot import exp

    return isinstance(query, exp.Select) and len(query.selects) == 1 and _counts(query.selects[0].unalias())


def _counts(value: "exp.Expr") -> bool:
    from sqlglot import exp

    match value:
        case exp.Literal() | exp.Count():
            return True
        case exp.Sum() | exp.Max() | exp.Min() | exp.Avg():
            return all(isinstance(each, (exp.Literal, exp.Null)) for each in _results(value.this))
        case exp.Paren() | exp.Neg() | exp.Binary() | exp.Cast() | exp.Coalesce() | exp.Round() | exp.Filter():
            return all(_counts(each) for each in _operands(value))
        case _:
            return False


def _operands(value: "exp.Expr") -> Iterator["exp.Expr"]:
    from sqlglot import exp

    if isinstance(value, (exp.Cast, exp.Filter)):
        yield value.this  # and not the type, or the condition
        return
    yield from value.iter_expressions()


def _results(value: "exp.Expr") -> Iterator["exp.Expr"]:
    """Yield what a condition may give: the branches of CASE and IF."""
    from sqlglot import exp

    if not isinstance(value, exp.Case):
        yield value
        return
    for branch in value.args["ifs"]:
        yield branch.args["true"]
    if value.args.get("default") is not None:
        yield value.args["default"]


def _first_line(error: Exception) -> str:
    # sqlglot underlines the place with terminal codes.
    return re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()[0]
