"""The assertions of samples, each as an accumulator that records stream through."""

from streamt.compiler.artifacts import Node
from streamt.diagnostics import ProjectPath
from streamt.project.language import Assertion
from streamt.sql import FlinkType, known_type
from streamt.testing.assertions.base import Accumulator, Batch, Sample
from streamt.testing.problems import cannot_run

__all__ = ["Accumulator", "Batch", "Sample", "accumulator_of"]


def accumulator_of(assertion: Assertion, node: Node, location: ProjectPath) -> Accumulator:
    """Make the accumulator of one assertion.

    Args:
        assertion: what must hold.
        node: the source or model that is tested.
        location: the place of the assertion.

    Raises:
        StreamtError: E531; the assertion means nothing, or needs a package that is not installed.
    """
    try:
        return _make(assertion, node)
    except ValueError as error:
        raise cannot_run(str(error), location / assertion.kind) from error
    except ImportError as error:
        message = "custom_sql needs the package duckdb"
        hint = "install streamt with its extra `sql`, or duckdb itself"
        raise cannot_run(message, location, hint) from error


def declared_types(node: Node) -> dict[str, FlinkType | None]:
    """Give the type of each declared column; None where it has none, or one that is not known."""
    return {column.name: known_type(column.type) for column in node.columns}


def _make(assertion: Assertion, node: Node) -> Accumulator:  # noqa: PLR0911 - one line for each kind
    from streamt.testing.assertions import columns, distribution, keys, times

    body = assertion.body
    match assertion.kind:
        case "not_null":
            return columns.not_null(body)
        case "accepted_values":
            return columns.accepted_values(body)
        case "accepted_types":
            return columns.accepted_types(body)
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
            from streamt.testing.assertions.sql import CustomSql

            return CustomSql(body, node.name, declared_types(node))
