"""A run or a task and what became of it -> one RunEvent: pure.

The events have the form that every known consumer takes: `inputs` and `outputs` always, empty lists included,
`run.facets` always, with the processing engine, and UUIDs of version 7 where we make them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from streamt.diagnostics import redact
from streamt.emitter.datasets import DatasetRef
from streamt.emitter.run_ids import run_uuid, task_uuid
from streamt.emitter.told import Told, ToldJob
from streamt.emitter.values import Engine, Parent, Run, RunRef, Task
from streamt.openlineage.models import (
    DatasetFacets,
    ErrorMessageRunFacet,
    InputDataset,
    Job,
    JobEvent,
    JobFacets,
    JobTypeJobFacet,
    NominalTimeRunFacet,
    OutputDataset,
    ParentJob,
    ParentRoot,
    ParentRun,
    ParentRunFacet,
    ProcessingEngineRunFacet,
    RunEvent,
    RunFacets,
    SchemaDatasetFacet,
    SchemaDatasetFacetFields,
    SQLJobFacet,
)
from streamt.openlineage.models import Run as RunEntity
from streamt.openlineage.naming import Identity, NamingError, as_written, child_job, identify

LONGEST_MESSAGE = 4096
"""Characters of an error message."""

_LOOKED_AT = 16 * LONGEST_MESSAGE
NO_MESSAGE = "no message was given"


@dataclass(frozen=True, slots=True)
class Context:
    """What all events of one emitter share.

    Attributes:
        namespace: the namespace of jobs that name none.
        engine: the program that runs things.
        secrets: values that no message may hold.
    """

    namespace: str
    engine: Engine
    secrets: tuple[str, ...] = ()


def to_event(told: Told, context: Context, note: Callable[[str], None] = lambda _: None) -> RunEvent:
    """Return the event of what was told.

    Args:
        told: the run or task, and what became of it.
        context: what all events share.
        note: takes what the user should know of: a dataset that has no name.

    Raises:
        RunIdError: no run id can be made.
        pydantic.ValidationError: the model refuses a value.
    """
    about = told.about
    run = about.run if isinstance(about, Task) else about
    namespace = run.namespace or context.namespace
    name = child_job(run.job, about.name) if isinstance(about, Task) else run.job
    run_id = task_uuid(about, context.namespace) if isinstance(about, Task) else run_uuid(about, context.namespace)
    return RunEvent(
        event_time=told.time,
        event_type=told.event_type,
        inputs=_inputs(about.inputs, note),
        job=Job(namespace=namespace, name=name, facets=_job_facets(about, context.engine)),
        outputs=_outputs(about.outputs, note),
        run=_run_entity(told, run_id, run, context),
    )


def to_job_event(told: ToldJob, context: Context, note: Callable[[str], None] = lambda _: None) -> JobEvent:
    """Return the event of a job that is declared.

    Raises:
        pydantic.ValidationError: the model refuses a value.
    """
    job_type = JobTypeJobFacet(processing_type="BATCH", integration=context.engine.name.upper(), job_type="TASK")
    namespace = told.namespace or context.namespace
    return JobEvent(
        event_time=told.time,
        inputs=_inputs(told.inputs, note),
        job=Job(namespace=namespace, name=told.name, facets=JobFacets(job_type=job_type)),
        outputs=_outputs(told.outputs, note),
    )


def run_ref(run: Run, namespace: str) -> RunRef:
    """Return how other runs name `run`.

    Raises:
        RunIdError: no run id can be made.
    """
    return RunRef(run.namespace or namespace, run.job, run_uuid(run, namespace))


def with_parent(event: RunEvent, parent: Parent) -> RunEvent:
    """Return an event that names its run's parent and root."""
    facets = (event.run.facets or RunFacets()).model_copy(update={"parent": _parent_facet(parent)})
    return event.model_copy(update={"run": event.run.model_copy(update={"facets": facets})})


def shortened(text: str, secrets: tuple[str, ...] = ()) -> str:
    """Return an error message that may leave: secrets masked, without a stack trace, at most `LONGEST_MESSAGE`."""
    head, trace, rest = text[:_LOOKED_AT].partition("Traceback (most recent call last):")
    last = rest.strip().rpartition("\n")[2].strip() if trace else ""
    kept = redact(f"{head.strip()} {last}".strip(), secrets)
    clean = "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in kept)
    return clean[:LONGEST_MESSAGE].strip() or NO_MESSAGE


def _job_facets(about: Run | Task, engine: Engine) -> JobFacets:
    kind = about.kind if isinstance(about, Run) else "TASK"
    job_type = JobTypeJobFacet(processing_type="BATCH", integration=engine.name.upper(), job_type=kind)
    sql = about.sql if isinstance(about, Task) else None
    return JobFacets(job_type=job_type, sql=SQLJobFacet(query=sql) if sql else None)


def _run_entity(told: Told, run_id: UUID, run: Run, context: Context) -> RunEntity:
    parent = run.parent
    if isinstance(told.about, Task):
        own = run_ref(run, context.namespace)
        parent = Parent(own, run.parent.root if run.parent else own)
    failed = told.event_type == "FAIL"
    message = shortened(told.error, context.secrets) if failed else ""
    facets = RunFacets(
        error_message=ErrorMessageRunFacet(message=message, programming_language="UNKNOWN") if failed else None,
        nominal_time=_nominal_time(run),
        parent=_parent_facet(parent) if parent else None,
        processing_engine=ProcessingEngineRunFacet(name=context.engine.name, version=context.engine.version),
    )
    return RunEntity(run_id=run_id, facets=facets)


def _nominal_time(run: Run) -> NominalTimeRunFacet | None:
    if run.logical_start is None:
        return None
    return NominalTimeRunFacet(nominal_start_time=run.logical_start, nominal_end_time=run.logical_end)


def _parent_facet(parent: Parent) -> ParentRunFacet:
    root = ParentRoot(job=_job_of(parent.root), run=ParentRun(run_id=parent.root.run_id))
    return ParentRunFacet(job=_job_of(parent.run), root=root, run=ParentRun(run_id=parent.run.run_id))


def _job_of(run: RunRef) -> ParentJob:
    return ParentJob(namespace=run.namespace, name=run.job)


def _inputs(references: tuple[DatasetRef, ...], note: Callable[[str], None]) -> tuple[InputDataset, ...]:
    return tuple(
        InputDataset(namespace=identity.namespace, name=identity.name, facets=_facets(reference))
        for identity, reference in _named(references, note)
    )


def _outputs(references: tuple[DatasetRef, ...], note: Callable[[str], None]) -> tuple[OutputDataset, ...]:
    return tuple(
        OutputDataset(namespace=identity.namespace, name=identity.name, facets=_facets(reference))
        for identity, reference in _named(references, note)
    )


def _named(references: tuple[DatasetRef, ...], note: Callable[[str], None]) -> tuple[tuple[Identity, DatasetRef], ...]:
    """Name each dataset once; one that has no name is left out, and noted."""
    named: dict[Identity, DatasetRef] = {}
    for reference in references:
        try:
            named.setdefault(identity_of(reference, note), reference)
        except NamingError as error:
            note(f"a dataset of the system `{reference.system}` is left out: {error}")
    return tuple(sorted(named.items(), key=lambda item: item[0]))


def identity_of(reference: DatasetRef, note: Callable[[str], None] = lambda _: None) -> Identity:
    """Return the identity of a dataset.

    Raises:
        NamingError: it has none.
    """
    parts = reference.known
    if not reference.system:
        return as_written(parts["namespace"], parts["name"])
    identified = identify(reference.system, parts)
    for text in identified.notes:
        note(text)
    return identified.identity


def _facets(reference: DatasetRef) -> DatasetFacets | None:
    fields = tuple(
        SchemaDatasetFacetFields(name=column.name, type=column.type, description=column.description)
        for column in {column.name: column for column in reference.columns if column.name.strip()}.values()
    )
    return DatasetFacets(schema_=SchemaDatasetFacet(fields=fields)) if fields else None
