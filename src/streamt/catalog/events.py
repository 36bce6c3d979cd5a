"""From a JSON object to an event, or what is wrong with it, by JSON pointers.

Only what the catalog uses is read, by models that are generated from the reading schemas; the rest is neither judged
nor touched, and no URL is ever fetched. Source: lineage-ingestion, "Events Qualytics Reads"; C2, C3, C14, C24, C28.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from streamt.catalog.values import FieldUse, Kind, Listing, Moment, Name, Transformation
from streamt.diagnostics import pointer

if TYPE_CHECKING:
    from pydantic import ValidationError

    from streamt.openlineage import received

MAX_AHEAD = 5 * 60 * 1_000_000_000
"""How far ahead of the server's clock an event may be, in nanoseconds."""

EARLIEST = -(2**63)
MAX_NAME = 10_000
"""The most characters of a namespace, a name or a field."""


@dataclass(frozen=True, slots=True)
class EventProblem:
    """What is wrong with an event.

    Attributes:
        pointer: where, as a JSON pointer into the event.
        detail: what.
    """

    pointer: str
    detail: str


class InvalidEventError(Exception):
    """An event that is no event: it is stored as rejected."""

    def __init__(self, problems: Iterable[EventProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{one.pointer}: {one.detail}" for one in self.problems))


@dataclass(frozen=True, slots=True)
class DatasetSays:
    """What an event says about a dataset itself.

    Attributes:
        name: the dataset.
        attributes: the value of each facet supplied, as canonical JSON; None withdraws it.
        fields: the columns that its schema names, with their types.
    """

    name: Name
    attributes: Mapping[str, str | None]
    fields: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """An event that is worth applying.

    Attributes:
        kind: what it is; a run's event without a type counts as OTHER (C3).
        moment: its place in the order of time.
        producer: who made it, by its own word.
        job: the job's identity; None for a DatasetEvent.
        run: the run's id, for a run's event.
        listing: what it says of lineage.
        says: what it says of datasets.
        dropped: the datasets that it drops, and the former names of those it renames.
        code: SQL or source code of the job, with its language.
        about_job: type, parent, description and so on, as they were sent.
    """

    kind: Kind
    moment: Moment
    producer: str
    job: Name | None = None
    run: str | None = None
    listing: Listing = field(default_factory=Listing)
    says: tuple[DatasetSays, ...] = ()
    dropped: tuple[Name, ...] = ()
    code: tuple[str, str] | None = None
    about_job: Mapping[str, Any] = field(default_factory=dict)


def digest(raw: bytes) -> bytes:
    """Return what identifies a body."""
    return hashlib.sha256(raw).digest()


def read(value: object, raw: bytes, now: int) -> Event:
    """Read one event.

    Args:
        value: what JSON made of it.
        raw: its bytes.
        now: the server's time, in nanoseconds since 1970.

    Raises:
        InvalidEventError: with everything that is wrong.
    """
    if not isinstance(value, dict):
        raise InvalidEventError([EventProblem("", "an event is a JSON object")])
    event = _model(value)
    datasets = list(_datasets(event))
    problems = [*_problems_of_envelope(event, now), *_problems_of_names(event, datasets)]
    if problems:
        raise InvalidEventError(problems)
    return _event(event, [dataset for _, dataset in datasets], digest(raw))


def _model(value: dict[str, Any]) -> "received.RunEvent | received.JobEvent | received.DatasetEvent":
    """Tell the kind by the properties, never by `schemaURL` (C2)."""
    from pydantic import ValidationError

    from streamt.openlineage import received

    has = {name for name in ("run", "job", "dataset") if value.get(name) is not None}
    try:
        if has == {"dataset"}:
            return received.DatasetEvent.from_object(value)
        if "dataset" in has:
            raise InvalidEventError([EventProblem("/dataset", "a `dataset` stands alone, without `job` or `run`")])
        if "run" in has:
            return received.RunEvent.from_object(value)
        if "job" in has:
            return received.JobEvent.from_object(value)
    except ValidationError as error:
        raise InvalidEventError(_problems_of_model(error)) from None
    raise InvalidEventError([EventProblem("", "an event has `run` and `job`, or `job`, or `dataset`")])


def _problems_of_model(error: "ValidationError") -> Iterator[EventProblem]:
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        yield EventProblem(pointer(*one["loc"]), one["msg"])


def _problems_of_envelope(
    event: "received.RunEvent | received.JobEvent | received.DatasetEvent", now: int
) -> Iterator[EventProblem]:
    if event.event_time > now + MAX_AHEAD:
        yield EventProblem("/eventTime", "more than five minutes in the future")
    if event.event_time < EARLIEST:
        yield EventProblem("/eventTime", "too long ago")
    for place, uri in (("/producer", event.producer), ("/schemaURL", event.schema_url)):
        if not urlsplit(uri).scheme:
            yield EventProblem(place, "a relative reference; a URI begins with its scheme")


def _problems_of_names(
    event: "received.RunEvent | received.JobEvent | received.DatasetEvent",
    datasets: Iterable[tuple[str, "received.Dataset"]],
) -> Iterator[EventProblem]:
    for place, dataset in datasets:
        yield from _too_long(place, dataset.namespace, dataset.name)
    job = getattr(event, "job", None)
    if job is not None:
        yield from _too_long("/job", job.namespace, job.name)


def _too_long(place: str, namespace: str, name: str) -> Iterator[EventProblem]:
    for part, text in (("namespace", namespace), ("name", name)):
        if len(text) > MAX_NAME:
            yield EventProblem(f"{place}/{part}", f"longer than {MAX_NAME} characters")
        if not text:
            yield EventProblem(f"{place}/{part}", "an empty text names nothing")


def _datasets(
    event: "received.RunEvent | received.JobEvent | received.DatasetEvent",
) -> Iterator[tuple[str, "received.Dataset"]]:
    dataset = getattr(event, "dataset", None)
    if dataset is not None:
        yield "/dataset", dataset
        return
    for side in ("inputs", "outputs"):
        for at, one in enumerate(getattr(event, side) or ()):
            yield f"/{side}/{at}", one


def _event(
    event: "received.RunEvent | received.JobEvent | received.DatasetEvent",
    datasets: "Sequence[received.Dataset]",
    body: bytes,
) -> Event:
    kind = _kind(event)
    job, run = getattr(event, "job", None), getattr(event, "run", None)
    return Event(
        kind=kind,
        moment=Moment(event.event_time, kind.rank, body),
        producer=event.producer,
        job=(job.namespace, job.name) if job else None,
        run=str(run.run_id) if run else None,
        listing=_listing(event) if job else Listing(),
        says=tuple(_says(datasets)),
        dropped=() if kind in (Kind.FAIL, Kind.ABORT) else tuple(_dropped(datasets)),
        code=_code(job.facets) if job and job.facets else None,
        about_job=_about(job, run),
    )


def _kind(event: "received.RunEvent | received.JobEvent | received.DatasetEvent") -> Kind:
    if hasattr(event, "dataset"):
        return Kind.DATASET
    return Kind[getattr(event, "event_type", None) or "OTHER"] if hasattr(event, "run") else Kind.JOB


def _is_withdrawn(facet: object) -> bool:
    return getattr(facet, "deleted", False) is True


def _name(dataset: "received.Dataset") -> Name:
    return (dataset.namespace, dataset.name)


def _listing(event: Any) -> Listing:
    inputs, outputs = event.inputs or (), event.outputs or ()
    listed = [*inputs, *outputs]
    aliases = dict(_aliases(listed))
    meant = _meanings(aliases, {_name(one) for one in listed})
    return Listing(
        inputs=tuple(dict.fromkeys(map(_name, inputs))),
        outputs=tuple(dict.fromkeys(map(_name, outputs))),
        lineage=dict(_lineage(outputs, meant)),
        aliases=aliases,
    )


def _aliases(datasets: Iterable["received.Dataset"]) -> Iterator[tuple[Name, tuple[Name, ...] | None]]:
    for dataset in datasets:
        facet = dataset.facets.symlinks if dataset.facets else None
        if facet is None:
            continue
        withdrawn = _is_withdrawn(facet)
        yield _name(dataset), None if withdrawn else tuple((one.namespace, one.name) for one in facet.identifiers or ())  # type: ignore[union-attr]


def _meanings(aliases: Mapping[Name, tuple[Name, ...] | None], listed: set[Name]) -> dict[Name, Name]:
    """Map each alternate name of the event to the dataset that it means, unless it is listed itself (C14)."""
    return {alias: name for name, others in aliases.items() for alias in others or () if alias not in listed}


def _lineage(
    outputs: Iterable["received.Dataset"], meant: Mapping[Name, Name]
) -> Iterator[tuple[Name, tuple[FieldUse, ...] | None]]:
    for dataset in outputs:
        facet = dataset.facets.column_lineage if dataset.facets else None
        if facet is not None:
            yield _name(dataset), None if _is_withdrawn(facet) else tuple(dict.fromkeys(_uses(facet, meant)))


def _uses(facet: Any, meant: Mapping[Name, Name]) -> Iterator[FieldUse]:
    for target, made in facet.fields.items():
        described = (made.transformation_type or "", made.transformation_description or "")
        old = (Transformation("", *described),) if any(described) else ()
        for source in made.input_fields:
            yield _use(source, target, meant, old)
    for source in facet.dataset or ():
        yield _use(source, "", meant, ())


def _use(source: Any, target: str, meant: Mapping[Name, Name], old: tuple[Transformation, ...]) -> FieldUse:
    name = (source.namespace, source.name)
    how = tuple(
        Transformation(one.type, one.subtype or "", one.description or "", bool(one.masking))
        for one in source.transformations or ()
    )
    return FieldUse(meant.get(name, name), source.field, target, how or old)


def _says(datasets: Iterable["received.Dataset"]) -> Iterator[DatasetSays]:
    for dataset in datasets:
        if dataset.facets is None:
            continue
        attributes = dict(_attributes(dataset.facets))
        fields = tuple(_columns(dataset.facets))
        if attributes or fields:
            yield DatasetSays(_name(dataset), attributes, fields)


def _attributes(facets: "received.DatasetFacets") -> Iterator[tuple[str, str | None]]:
    """Yield what the metadata facets say; a facet that is withdrawn says None."""
    if facets.documentation is not None:
        text = getattr(facets.documentation, "description", None)
        yield "description", text or None
    if facets.ownership is not None:
        owners = [{"name": one.name, "type": one.type} for one in getattr(facets.ownership, "owners", None) or ()]
        yield "owners", _canonical(owners) if owners else None
    if facets.tags is not None:
        tags = getattr(facets.tags, "tags", None) or ()
        yield "tags", _canonical(sorted([one.field or "", one.key, one.value] for one in tags))
    if facets.schema_ is not None:
        described = {name: text for name, _, text in _schema_fields(facets.schema_) if text}
        if described or _is_withdrawn(facets.schema_):
            yield "fields", _canonical(described) if described else None


def _columns(facets: "received.DatasetFacets") -> Iterator[tuple[str, str]]:
    if facets.schema_ is not None:
        yield from ((name, kind) for name, kind, _ in _schema_fields(facets.schema_))


def _schema_fields(facet: Any) -> Iterator[tuple[str, str, str]]:
    """Yield name, type and description of each column, nested ones by their dotted path."""
    waiting = [("", one) for one in reversed(getattr(facet, "fields", None) or ())]
    while waiting:
        prefix, one = waiting.pop()
        name = prefix + one.name
        yield name, one.type or "", one.description or ""
        waiting += [(name + ".", inner) for inner in reversed(one.fields or ())]


def _dropped(datasets: Iterable["received.Dataset"]) -> Iterator[Name]:
    for dataset in datasets:
        facet: Any = dataset.facets.lifecycle_state_change if dataset.facets else None
        change = getattr(facet, "lifecycle_state_change", None)
        if change == "DROP":
            yield _name(dataset)
        elif change == "RENAME" and facet.previous_identifier is not None:
            former = (facet.previous_identifier.namespace, facet.previous_identifier.name)
            if former != _name(dataset):
                yield former


def _code(facets: Any) -> tuple[str, str] | None:
    """Return the job's code and its language: its SQL, else its source code."""
    if facets.sql is not None and not _is_withdrawn(facets.sql):
        return facets.sql.query, "sql"
    if facets.source_code is not None and not _is_withdrawn(facets.source_code):
        return facets.source_code.source_code, facets.source_code.language
    return None


def _about(job: Any, run: Any) -> dict[str, Any]:
    """Return what is shown of a job and a run beside lineage, by name; only what was sent."""
    about: dict[str, Any] = {}
    for entity, names in ((job, ("job_type", "documentation", "ownership", "tags")), (run, _RUN_FACETS)):
        for name in names if entity is not None and entity.facets is not None else ():
            facet = getattr(entity.facets, name)
            if facet is not None and not _is_withdrawn(facet):
                known = set(type(facet).model_fields)
                about[name] = facet.model_dump(mode="json", by_alias=True, exclude_none=True, include=known)
    return about


_RUN_FACETS = ("parent", "nominal_time", "error_message")


def _canonical(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
