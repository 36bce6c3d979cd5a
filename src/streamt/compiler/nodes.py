"""Sources and models as the rest of the program sees them: nodes with an output, and a process that fills it."""

from streamt.compiler.artifacts import CompiledColumn, Node, NodeKind, Output, OutputKind, ProcessKind
from streamt.compiler.materialize import FLINK, SINK, TOPIC, VIRTUAL
from streamt.compiler.model import CompiledModel, Draft
from streamt.diagnostics import ProjectPath
from streamt.project.language import Column, Source, TopicSettings


def source_node(source: Source, path: ProjectPath) -> Node:
    """Return the node of a source."""
    return Node(
        kind=NodeKind.SOURCE,
        name=source.name,
        location=path,
        output=Output(OutputKind.TOPIC, source.topic),
        columns=_columns(source.columns),
        columns_location=path / "columns",
        description=source.description or None,
        owner=_unless_blank(source.owner),
    )


def model_node(draft: Draft) -> Node:
    """Return the node of a model."""
    model = draft.model
    columns, place = model.selected_columns
    return Node(
        kind=NodeKind.MODEL,
        name=model.name,
        location=draft.path,
        materialization=draft.materialization,
        output=_output(draft),
        process=_process(draft),
        dependencies=tuple(dict.fromkeys(read.name for read in draft.reads)),
        columns=_columns(columns),
        columns_location=ProjectPath((*draft.path.parts, *place)),
        description=model.description or None,
        owner=_unless_blank(model.owner),
    )


def compiled_model(draft: Draft, node: Node, topic: TopicSettings | None) -> CompiledModel:
    """Return a model that nothing is wrong with."""
    return CompiledModel(
        declaration=draft.model,
        path=draft.path,
        node=node,
        explicit=draft.explicit,
        query=draft.query,
        reads=draft.reads,
        topic=topic,
    )


def _columns(columns: tuple[Column, ...]) -> tuple[CompiledColumn, ...]:
    return tuple([CompiledColumn(column.name, column.type, column.description) for column in columns])


def _unless_blank(owner: str | None) -> str | None:
    """Return an owner exactly as declared; a blank one names nobody."""
    return owner if owner and owner.strip() else None


def _output(draft: Draft) -> Output | None:
    model = draft.model
    if draft.materialization is SINK:
        return None
    kind = OutputKind.VIRTUAL_TOPIC if draft.materialization is VIRTUAL else OutputKind.TOPIC
    # A virtual topic keeps its name where it is made by a Flink job.
    virtual = model.virtual_topic if draft.declared is VIRTUAL else None
    return Output(kind, (virtual.name if virtual else model.topic_name) or model.name)


def _process(draft: Draft) -> ProcessKind | None:
    by_kind = {VIRTUAL: ProcessKind.GATEWAY_RULE, SINK: ProcessKind.CONNECTOR, FLINK: ProcessKind.FLINK_JOB}
    if draft.materialization is TOPIC:
        return ProcessKind.FLINK_JOB if draft.model.has_sql else None
    return by_kind.get(draft.materialization) if draft.materialization else None
