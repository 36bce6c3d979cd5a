"""What a project means, once compiled: small, frozen, and free of secrets.

The exporter and the other commands see this and no more of the project, so they cannot leak what they never had.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from streamt.diagnostics import Diagnostic, ProjectPath


class NodeKind(StrEnum):
    """Whether a node was declared under `sources` or under `models`."""

    SOURCE = "source"
    MODEL = "model"


class Materialization(StrEnum):
    """What a model becomes, after inference and fallback."""

    TOPIC = "topic"
    VIRTUAL_TOPIC = "virtual_topic"
    FLINK = "flink"
    SINK = "sink"


class OutputKind(StrEnum):
    """What holds a node's records: a topic of the Kafka cluster, or one that only the Gateway shows."""

    TOPIC = "topic"
    VIRTUAL_TOPIC = "virtual_topic"


class ProcessKind(StrEnum):
    """What runs for a model."""

    FLINK_JOB = "flink_job"
    GATEWAY_RULE = "gateway_rule"
    CONNECTOR = "connector"


@dataclass(frozen=True, slots=True)
class Output:
    """The physical name under which a node's records are read."""

    kind: OutputKind
    name: str


class CompiledColumn(NamedTuple):
    """A declared column, each text exactly as it was written."""

    name: str
    type: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One source or one model.

    Attributes:
        kind: where it was declared.
        name: its logical name, unique among all nodes of the project.
        location: its declaration, such as `/models/3`.
        materialization: the effective one; a source has none.
        output: where its records are, if they are anywhere that can be named (a sink has none).
        process: what runs for it, if anything does.
        dependencies: logical names of its direct inputs, each once, in the order in which they first appear.
        columns: the selected declared columns, in declaration order (contract before columns).
        columns_location: the list that `columns` came from, or that would hold it.
        description: exactly as declared, or None when absent or empty.
        owner: exactly as declared, or None when absent or blank.
    """

    kind: NodeKind
    name: str
    location: ProjectPath
    materialization: Materialization | None = None
    output: Output | None = None
    process: ProcessKind | None = None
    dependencies: tuple[str, ...] = ()
    columns: tuple[CompiledColumn, ...] = ()
    columns_location: ProjectPath = field(default_factory=ProjectPath)
    description: str | None = None
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class CompiledProject:
    """A whole project, compiled.

    Attributes:
        name: the project's name.
        nodes: the sources, then the models, each in declaration order.
        compiled_at: aware, in UTC; the one time of every event of an export.
        warnings: what compiling had to say, in declaration order.
    """

    name: str
    nodes: tuple[Node, ...]
    compiled_at: datetime
    warnings: tuple[Diagnostic, ...] = ()
