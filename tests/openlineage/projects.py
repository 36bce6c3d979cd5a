"""Compiled projects for tests of the mappers."""

from datetime import UTC, datetime

from streamt.compiler.artifacts import (
    CompiledColumn,
    CompiledProject,
    Materialization,
    Node,
    NodeKind,
    Output,
    OutputKind,
    ProcessKind,
)
from streamt.diagnostics import ProjectPath
from streamt.openlineage.identity import Namespaces

TIME = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
NAMESPACES = Namespaces("jobs", "kafka://b:9092", "kafka://g:6969")


def topic(name: str) -> Output:
    return Output(OutputKind.TOPIC, name)


def virtual(name: str) -> Output:
    return Output(OutputKind.VIRTUAL_TOPIC, name)


def columns(*names: str) -> tuple[CompiledColumn, ...]:
    return tuple(CompiledColumn(name) for name in names)


def source(name: str, **more: object) -> Node:
    given: dict[str, object] = {
        "kind": NodeKind.SOURCE,
        "name": name,
        "location": ProjectPath(("sources", name)),
        "output": topic(name),
        "columns": columns("id"),
        "columns_location": ProjectPath(("sources", name, "columns")),
    }
    return Node(**(given | more))  # type: ignore[arg-type]  # the tests' own shorthand


def model(name: str, *reads: str, **more: object) -> Node:
    given: dict[str, object] = {
        "kind": NodeKind.MODEL,
        "name": name,
        "location": ProjectPath(("models", name)),
        "materialization": Materialization.FLINK,
        "output": topic(name),
        "process": ProcessKind.FLINK_JOB,
        "dependencies": reads,
        "columns": columns("id"),
        "columns_location": ProjectPath(("models", name, "columns")),
    }
    return Node(**(given | more))  # type: ignore[arg-type]  # the tests' own shorthand


def sink(name: str, *reads: str, **more: object) -> Node:
    return model(
        name,
        *reads,
        **{"materialization": Materialization.SINK, "output": None, "process": ProcessKind.CONNECTOR, **more},
    )


def project(*nodes: Node, name: str = "shop") -> CompiledProject:
    return CompiledProject(name=name, nodes=nodes, compiled_at=TIME)
