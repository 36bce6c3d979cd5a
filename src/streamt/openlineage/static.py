"""The static export: a compiled project becomes DatasetEvents and JobEvents. Pure functions, one per thing mapped.

Source: the specification's sections "Dataset inventory" to "Canonical event serialization".
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from streamt.compiler.artifacts import CompiledColumn, CompiledProject, Node, OutputKind, ProcessKind
from streamt.diagnostics import Code, Diagnostic, Option, ProjectPath, StreamtError, quote
from streamt.openlineage.identity import Identity, Namespaces, model_job_name
from streamt.openlineage.models import (
    DatasetEvent,
    DatasetFacets,
    DatasetTypeDatasetFacet,
    DocumentationDatasetFacet,
    DocumentationJobFacet,
    InputDataset,
    Job,
    JobEvent,
    JobFacets,
    JobTypeJobFacet,
    OutputDataset,
    OwnershipDatasetFacet,
    OwnershipDatasetFacetOwners,
    OwnershipJobFacet,
    OwnershipJobFacetOwners,
    SchemaDatasetFacet,
    SchemaDatasetFacetFields,
    StaticDataset,
)
from streamt.openlineage.validation import Checker

TOPIC = DatasetTypeDatasetFacet(dataset_type="TOPIC")
MODEL = JobTypeJobFacet(processing_type="STREAMING", integration="STREAMT", job_type="MODEL")


@dataclass(frozen=True, slots=True)
class Export:
    """A whole export, checked, as it will be written.

    Attributes:
        lines: each event's canonical JSON without a newline, in canonical order.
        datasets: how many of them are DatasetEvents; they come first.
        jobs: how many of them are JobEvents.
        warnings: what the export leaves out, in declaration order.
    """

    lines: tuple[bytes, ...]
    datasets: int
    jobs: int
    warnings: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Mapped:
    """One event beside the declaration that it tells of."""

    node: Node
    event: DatasetEvent | JobEvent


def export(project: CompiledProject, namespaces: Namespaces, selected: Collection[str] | None = None) -> Export:
    """Map, serialize and check the project.

    Args:
        project: the whole project.
        namespaces: those that the datasets of `named_by` need.
        selected: the sources and models to tell of; without, all of them. What they read besides is only named.

    Raises:
        StreamtError: E506, with everything that has no truthful, unambiguous event; E500, nothing is selected.
    """
    datasets = identify_datasets(replace(project, nodes=named_by(project, selected)), namespaces)
    told = project if selected is None else replace(project, nodes=_selected_nodes(project, selected))
    _refuse_repeated_columns(told)
    checker = Checker()
    lines = []
    counts = {DatasetEvent: 0, JobEvent: 0}
    for mapped in map_events(told, namespaces, datasets):
        lines.append(checker.write_static(mapped.event, mapped.node.location))
        counts[type(mapped.event)] += 1
    return Export(tuple(lines), counts[DatasetEvent], counts[JobEvent], tuple(omissions(told)))


def named_by(project: CompiledProject, selected: Collection[str] | None) -> tuple[Node, ...]:
    """Return the nodes whose datasets the events of the selected ones name: these, and what they read."""
    if selected is None:
        return project.nodes
    nodes = _selected_nodes(project, selected)
    named = {node.name for node in nodes}.union(*(node.dependencies for node in nodes))
    return tuple(node for node in project.nodes if node.name in named)


def _selected_nodes(project: CompiledProject, selected: Collection[str]) -> tuple[Node, ...]:
    nodes = tuple(node for node in project.nodes if node.name in selected)
    if not nodes:
        message, hint = "the selection holds no source and no model", "select what feeds an exposure with `+NAME`"
        raise StreamtError(
            Diagnostic(code=Code.USAGE_ERROR, message=message, location=Option("select"), hint=hint),
        )
    return nodes


def identify_datasets(project: CompiledProject, namespaces: Namespaces) -> dict[str, Identity]:
    """Give the identity of each declared dataset by the logical name of its source or model.

    Raises:
        StreamtError: E506, when nothing is declared, or two declarations are one dataset.
    """
    if not project.nodes:
        message = "the project declares no source and no model, so there is nothing to export"
        raise StreamtError(_invalid(ProjectPath(("models",)), message, "declare one under `sources` or `models`"))
    identities: dict[str, Identity] = {}
    owners: dict[Identity, Node] = {}
    problems: list[Diagnostic] = []
    for node in project.nodes:
        identity = _dataset_identity(node, namespaces)
        if identity is None:
            continue
        first = owners.setdefault(identity, node)
        if first is not node:
            problems.append(_collision(node, first))
        identities[node.name] = identity
    if problems:
        raise StreamtError(*problems)
    return identities


def map_events(project: CompiledProject, namespaces: Namespaces, datasets: Mapping[str, Identity]) -> Iterator[Mapped]:
    """Build the events one by one in canonical order: datasets, then jobs, each sorted by namespace and name."""
    named = [(datasets[node.name], node) for node in project.nodes if node.name in datasets]
    for identity, node in sorted(named, key=lambda pair: pair[0]):
        yield Mapped(node, to_dataset_event(node, identity, project))
    jobs = [
        (Identity(namespaces.job, model_job_name(project.name, node.name)), node)
        for node in project.nodes
        if node.process
    ]
    for identity, node in sorted(jobs, key=lambda job: job[0]):
        yield Mapped(node, to_job_event(node, identity, datasets, project))


def to_dataset_event(node: Node, identity: Identity, project: CompiledProject) -> DatasetEvent:
    """Map one source or model output to its DatasetEvent."""
    facets = DatasetFacets(
        dataset_type=TOPIC,
        documentation=DocumentationDatasetFacet(description=node.description) if node.description else None,
        ownership=OwnershipDatasetFacet(owners=(OwnershipDatasetFacetOwners(name=node.owner),)) if node.owner else None,
        schema_=to_schema(node.columns) if node.columns else None,
    )
    dataset = StaticDataset(namespace=identity.namespace, name=identity.name, facets=facets)
    return DatasetEvent(event_time=project.compiled_at, dataset=dataset)


def to_schema(columns: tuple[CompiledColumn, ...]) -> SchemaDatasetFacet:
    """Map declared columns: exact texts, one-based positions, and no guess at what a type holds inside."""
    return SchemaDatasetFacet(
        fields=tuple(
            SchemaDatasetFacetFields(
                name=column.name,
                type=column.type if column.type and column.type.strip() else None,
                description=column.description,
                ordinal_position=position,
            )
            for position, column in enumerate(columns, 1)
        )
    )


def to_job_event(
    node: Node, identity: Identity, datasets: Mapping[str, Identity], project: CompiledProject
) -> JobEvent:
    """Map one model's process to its JobEvent: direct inputs in canonical order, and the output that can be named."""
    inputs = sorted({datasets[name] for name in node.dependencies})
    output = datasets.get(node.name)
    facets = JobFacets(
        documentation=DocumentationJobFacet(description=node.description) if node.description else None,
        job_type=MODEL,
        ownership=OwnershipJobFacet(owners=(OwnershipJobFacetOwners(name=node.owner),)) if node.owner else None,
    )
    return JobEvent(
        event_time=project.compiled_at,
        inputs=tuple(InputDataset(namespace=item.namespace, name=item.name) for item in inputs) or None,
        job=Job(namespace=identity.namespace, name=identity.name, facets=facets),
        outputs=(OutputDataset(namespace=output.namespace, name=output.name),) if output else None,
    )


def omissions(project: CompiledProject) -> Iterator[Diagnostic]:
    """Warn of what the export leaves out because nobody declared it."""
    for node in project.nodes:
        if node.output and not node.columns:
            yield Diagnostic(
                code=Code.SCHEMA_INCOMPLETE,
                message=f"{node.kind} {quote(node.name)} declares no columns, so its dataset has no schema",
                location=node.columns_location,
                hint="declare its columns",
            )
        if node.process is ProcessKind.CONNECTOR:
            yield Diagnostic(
                code=Code.SINK_OUTPUT_OMITTED,
                message=f"sink {quote(node.name)} writes to a system without a dataset name, so its job has no output",
                location=node.location,
            )


def _dataset_identity(node: Node, namespaces: Namespaces) -> Identity | None:
    if node.output is None:
        return None
    virtual = node.output.kind is OutputKind.VIRTUAL_TOPIC
    namespace = namespaces.gateway if virtual else namespaces.kafka
    assert namespace is not None  # resolve_namespaces() saw that a dataset needs it
    return Identity(namespace, node.output.name)


def _collision(node: Node, first: Node) -> Diagnostic:
    pair = f"{node.kind} {quote(node.name)} and {first.kind} {quote(first.name)} ({first.location})"
    hint = "give one of them another topic name, or declare it once and refer to that"
    return _invalid(node.location, f"{pair} are one dataset: the same topic in the same namespace", hint)


def _refuse_repeated_columns(project: CompiledProject) -> None:
    problems = [problem for node in project.nodes if node.output for problem in _repeated_columns(node)]
    if problems:
        raise StreamtError(*problems)


def _repeated_columns(node: Node) -> Iterator[Diagnostic]:
    seen: dict[str, int] = {}
    for index, column in enumerate(node.columns):
        first = seen.setdefault(column.name, index)
        if first != index:
            location = node.columns_location / index / "name"
            message = f"duplicate column {quote(column.name)} of {node.kind} {quote(node.name)}"
            yield _invalid(location, message, "remove or rename one of them")


def _invalid(location: ProjectPath, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code=Code.OPENLINEAGE_INVALID, message=message, location=location, hint=hint)
