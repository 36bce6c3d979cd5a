"""From the assertions that a project declares to accumulators."""

from importlib.util import find_spec

from streamt.compiler.artifacts import Node
from streamt.diagnostics import ProjectPath
from streamt.project.language import Assertion
from streamt.sql import FlinkType, known_type
from streamt.testing.assertions.base import Accumulator
from streamt.testing.problems import cannot_run


def accumulator_of(assertion: Assertion, node: Node, location: ProjectPath) -> Accumulator:
    """Make the accumulator of one assertion.

    Args:
        assertion: what must hold.
        node: the source or model that is tested.
        location: the place of the assertion.

    Raises:
        StreamtError: E531; the assertion means nothing, or needs a package that is not installed.
    """
    if assertion.kind == "custom_sql" and find_spec("duckdb") is None:
        hint = "install streamt with its extra `sql`, or duckdb itself"
        raise cannot_run("custom_sql needs the package duckdb", location, hint)
    try:
        return _make(assertion, node)
    except ValueError as error:
        raise cannot_run(str(error), location / assertion.kind) from error


def declared_types(node: Node) -> dict[str, FlinkType | None]:
    """Give the type of each declared column; None where it has none, or one that is not known."""
    return {column.name: known_type(column.type) for column in node.columns}


def _make(assertion: Assertion, node: Node) -> Accumulator:  # noqa: PLR0911 - one line for each kind
    from streamt.testing.assertions import columns, distribution, keys, query, sql, times, types

    body = assertion.body
    match assertion.kind:
        case "not_null":
            return columns.not_null(body)
        case "accepted_values":
            return columns.accepted_values(body)
        case "accepted_types":
            return types.accepted_types(body)
        case "range":
            return columns.value_range(body)
        case "unique_key":
            return keys.UniqueKey(body)
        case "foreign_key":
            return keys.ForeignKey(body)
        case "max_lag":
            return times.MaxLag(body)
        case "throughput":
            return times.Throughput(body)
        case "distribution":
            return distribution.Distribution(body)
        case _:
            return sql.CustomSql(query.read_query(body.sql, node.name), body.expect, declared_types(node))
