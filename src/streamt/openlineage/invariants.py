"""What we promise of our own events beyond the published schemas; the generated models say most of it.

The closed model of an event's kind refuses every property, facet and constant that is not of that kind, and writes the
one canonical spelling. What is left to say here is about values: names are not blank, identities are there once.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple, get_args

from pydantic import ValidationError

from streamt.diagnostics import pointer
from streamt.openlineage.conformance import JsonPath, Violation
from streamt.openlineage.models import (
    DatasetEvent,
    InputDataset,
    JobEvent,
    OpenLineageModel,
    OutputDataset,
    RunEvent,
)

Event = DatasetEvent | JobEvent | RunEvent
EVENTS: tuple[type[Event], ...] = (DatasetEvent, JobEvent, RunEvent)
TERMINAL = frozenset({"COMPLETE", "FAIL", "ABORT"})

NAMES = ("namespace", "name", "field")
"""The attributes that say together what an object is the description of."""

_NOUNS = {"extra_forbidden": "unknown property", "missing": "missing property", "literal_error": "another constant"}


class InvalidEventError(ValueError):
    """An event that its own model refuses.

    Attributes:
        violations: why.
    """

    def __init__(self, violations: Sequence[Violation]) -> None:
        super().__init__("; ".join(violation.message for violation in violations))
        self.violations = tuple(violations)


def read_event(line: bytes, schema_url: str) -> Event:
    """Read an event by the closed model of its kind, in the one spelling that the model writes.

    Args:
        line: its JSON.
        schema_url: its `schemaURL`.

    Raises:
        InvalidEventError: no event has that `schemaURL`, the model refuses the event, or it is spelled otherwise: its
            keys are out of order, it has spaces, or a time that is not in UTC.
    """
    kind = _kinds().get(schema_url)
    if kind is None:
        raise InvalidEventError([Violation("a `schemaURL` of no event of the pinned core schema", "/schemaURL")])
    try:
        event = kind.from_json(line)
    except ValidationError as error:
        raise InvalidEventError([*_refusals(error)]) from None
    if event.to_json() != line:
        raise InvalidEventError([Violation("another spelling than canonical JSON")])
    return event


@cache
def _kinds() -> dict[str, type[Event]]:
    return {str(kind.model_fields["schema_url"].default): kind for kind in EVENTS}


def _refusals(error: ValidationError) -> Iterator[Violation]:
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        name = problem["loc"][-1] if problem["loc"] else ""
        noun = _NOUNS.get(problem["type"], "wrong value of")
        yield Violation(f"{noun} `{name}`", pointer(*problem["loc"]))


def violations(event: Event) -> list[Violation]:
    """Return what is wrong with an event that its model has taken."""
    return [*_of_kind(event), *_of_names(event)]


def bare_references(event: Event) -> Iterator[Violation]:
    """Find inputs and outputs that say more than an identity, or that name a dataset which the job has already.

    The static export and the events of our own commands promise this (sections "Dataset facet mapping" and "Direct
    inputs and outputs" of the specification).
    """
    if isinstance(event, DatasetEvent):
        return
    seen: set[tuple[str, str]] = set()
    sides: list[tuple[str, Sequence[InputDataset | OutputDataset]]]
    sides = [("inputs", event.inputs or ()), ("outputs", event.outputs or ())]
    for side, references in sides:
        for index, reference in enumerate(references):
            if any(getattr(reference, more) is not None for more in reference.model_fields_set - {"namespace", "name"}):
                yield Violation("a reference to a dataset that is more than a name", pointer(side, index))
            if (reference.namespace, reference.name) in seen:
                yield Violation("a dataset that the job already reads or writes", pointer(side, index))
            seen.add((reference.namespace, reference.name))


def lifecycle(events: Sequence[Event]) -> list[Violation]:
    """Return why `events` are not one finite run: one START, then one terminal event, of one run and one job."""
    match events:
        case [RunEvent(event_type="START") as start, RunEvent() as end] if end.event_type in TERMINAL:
            if start.run.run_id != end.run.run_id:
                return [Violation("START and the terminal event have different run identities")]
            if (start.job.namespace, start.job.name) != (end.job.namespace, end.job.name):
                return [Violation("START and the terminal event have different job identities")]
            return []
    return [Violation("a run is one START and one COMPLETE, FAIL or ABORT")]


def _of_kind(event: Event) -> Iterator[Violation]:
    if isinstance(event, RunEvent) and event.event_type is None:
        yield Violation("missing property `eventType`", "/eventType")


def _of_names(model: OpenLineageModel, place: JsonPath = ()) -> Iterator[Violation]:
    """Walk through the event: what has a name has one that is not blank, and no two of one list have the same."""
    names, children = _structure(type(model))
    for attribute in names:
        name = getattr(model, attribute)
        if not _is_name(name):
            yield Violation("a blank name", pointer(*place, attribute))
    for attribute, alias in children:
        match getattr(model, attribute):
            case OpenLineageModel() as inner:
                yield from _of_names(inner, (*place, alias))
            case tuple() as items:
                yield from _of_list(items, (*place, alias))
            case dict() as items:
                yield from _of_map(items, (*place, alias))


def _of_list(items: tuple[OpenLineageModel, ...], place: JsonPath) -> Iterator[Violation]:
    seen: set[tuple[str, ...]] = set()
    for index, item in enumerate(items):
        names, children = _structure(type(item))
        identity = tuple([getattr(item, name) for name in names])
        # Most items are columns without columns of their own, which need no walk.
        if not all(map(_is_name, identity)) or any(getattr(item, attribute) is not None for attribute, _ in children):
            yield from _of_names(item, (*place, index))
        if names:
            if identity in seen:
                yield Violation("a name that is in the list already", pointer(*place, index))
            seen.add(identity)


def _is_name(name: str | None) -> bool:
    return name is None or bool(name.strip())


def _of_map(items: dict[str, OpenLineageModel], place: JsonPath) -> Iterator[Violation]:
    for key, item in items.items():
        if not key.strip():
            yield Violation("a blank name", pointer(*place, key))
        yield from _of_names(item, (*place, key))


class _Structure(NamedTuple):
    """Where names can be in an object of one class.

    Attributes:
        names: its own attributes that name something.
        children: its attributes that hold objects with names, each with its JSON name.
    """

    names: tuple[str, ...]
    children: tuple[tuple[str, str], ...]


@cache
def _structure(kind: type[OpenLineageModel]) -> _Structure:
    kind.model_rebuild()
    fields = kind.model_fields
    names = tuple(name for name in NAMES if name in fields)
    children = {name: fields[name].alias or name for name in fields if _models(fields[name].annotation)}
    return _Structure(names, tuple(children.items()))


def _models(annotation: object) -> bool:
    """Report whether a value of that type holds an object of another class."""
    if isinstance(annotation, type) and issubclass(annotation, OpenLineageModel):
        return True
    return any(map(_models, get_args(annotation)))
