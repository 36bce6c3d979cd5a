"""The second check: bytes against the pinned raw schemas, and what JSON Schema cannot say.

streamt validates generated events offline against the pinned official OpenLineage core schema and every standard facet
schema it emits, plus its own identity and lifecycle invariants. Source: the specification's section "Offline validation
boundary".
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator

from streamt.diagnostics import Code, Diagnostic, Location, StreamtError
from streamt.openlineage import schemas

Json = Mapping[str, Any]

CORE = schemas.PINS[0].id

_BASE = {"eventTime", "producer", "schemaURL"}
_FIELDS = {
    "DatasetEvent": _BASE | {"dataset"},
    "JobEvent": _BASE | {"job", "inputs", "outputs"},
    "RunEvent": _BASE | {"eventType", "run", "job", "inputs", "outputs"},
}
_ENTITY_FIELDS = {
    "dataset": {"namespace", "name", "facets"},
    "job": {"namespace", "name", "facets"},
    "run": {"runId", "facets"},
}
_FACET_DEFINITIONS = {"dataset": "DatasetFacet", "job": "JobFacet", "run": "RunFacet"}
_REFERENCE_FIELDS = {"namespace", "name"}
_TERMINAL = {"COMPLETE", "FAIL", "ABORT"}


class Checker:
    """Checks the events of one export or one run, one after the other."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str, str]] = set()

    def check_static(self, line: bytes, location: Location) -> None:
        """Check one DatasetEvent or JobEvent, as the bytes that will leave; its identity must be new.

        Args:
            line: the event's canonical JSON.
            location: the declaration it tells of, for messages.

        Raises:
            StreamtError: E506, with every violation.
        """
        event = json.loads(line)
        check_event(event, location)
        entity = "dataset" if "dataset" in event else "job"
        identity = (entity, event[entity]["namespace"], event[entity]["name"])
        if identity in self._seen:
            raise _invalid(location, [f"a second event has the same {entity} identity"])
        self._seen.add(identity)


def check_event(event: Json, location: Location) -> None:
    """Check one event against the pinned schemas and the invariants of a single event.

    Args:
        event: the parsed event.
        location: what it tells of, for messages.

    Raises:
        StreamtError: E506, with every violation.
    """
    for layer in (_core_problems, _facet_problems, _invariant_problems):  # each relies on the one before it
        if problems := list(layer(event)):
            raise _invalid(location, problems)


def check_lifecycle(events: Sequence[Json], location: Location) -> None:
    """Check that `events` are one finite run: one START, then one terminal event, of one run and one job.

    Raises:
        StreamtError: E506.
    """
    types = [event.get("eventType") for event in events]
    if len(types) != 2 or types[0] != "START" or types[1] not in _TERMINAL:
        raise _invalid(location, ["a run is one START and one COMPLETE, FAIL or ABORT"])
    start, end = events
    if start["run"]["runId"] != end["run"]["runId"]:
        raise _invalid(location, ["START and the terminal event have different run identities"])
    if any(start["job"][part] != end["job"][part] for part in ("namespace", "name")):
        raise _invalid(location, ["START and the terminal event have different job identities"])


def _core_problems(event: Json) -> Iterator[str]:
    yield from _violations(schemas.core_validator(), event, "")


def _facet_problems(event: Json) -> Iterator[str]:
    for entity, definition in _FACET_DEFINITIONS.items():
        for key, facet in event.get(entity, {}).get("facets", {}).items():
            pinned = schemas.facets().get((definition, key))
            path = f"/{entity}/facets/{key}"
            if pinned is None:
                yield f"{path} is no pinned facet of a {entity}"
            elif facet["_schemaURL"] != pinned.url:
                yield f"{path}/_schemaURL is not that of the pinned schema"
            else:
                yield from _violations(schemas.facet_validator(definition, key), facet, path)


def _violations(validator: Draft202012Validator, instance: Json, path: str) -> Iterator[str]:
    """Say what the schema refuses, without the value: a value may be what nobody should read."""
    for error in validator.iter_errors(instance):
        at = "".join(f"/{part}" for part in error.absolute_path)
        yield f"{path}{at} violates the schema's `{error.validator}`"


def _invariant_problems(event: Json) -> Iterator[str]:
    kind = str(event["schemaURL"]).removeprefix(f"{CORE}#/$defs/")
    if kind not in _FIELDS:
        yield "/schemaURL names no event of the pinned core schema"
        return
    if kind == "RunEvent" and "eventType" not in event:
        yield "/eventType is missing"
    yield from _unknown(event, _FIELDS[kind], "")
    if not str(event["eventTime"]).endswith("Z"):
        yield "/eventTime is not in UTC"
    for entity, fields in _ENTITY_FIELDS.items():
        if entity in _FIELDS[kind]:
            if entity not in event:
                yield f"/{entity} is missing"
                continue
            yield from _unknown(event[entity], fields, f"/{entity}")
            yield from _blank(event[entity], f"/{entity}")
    yield from _reference_problems(event)
    yield from _field_problems(event)


def _unknown(value: Json, allowed: set[str], path: str) -> Iterator[str]:
    for key in sorted(value.keys() - allowed):
        yield f"{path}/{key} is not allowed there"


def _blank(value: Json, path: str) -> Iterator[str]:
    for key in ("namespace", "name"):
        if key in value and not value[key].strip():
            yield f"{path}/{key} is blank"


def _reference_problems(event: Json) -> Iterator[str]:
    """Inputs and outputs: bare identities, each once, and none on both sides."""
    seen: set[tuple[str, str]] = set()
    for side in ("inputs", "outputs"):
        for index, reference in enumerate(event.get(side, ())):
            path = f"/{side}/{index}"
            yield from _unknown(reference, _REFERENCE_FIELDS, path)
            yield from _blank(reference, path)
            identity = (reference["namespace"], reference["name"])
            if identity in seen:
                yield f"{path} names a dataset that the job already reads or writes"
            seen.add(identity)


def _field_problems(event: Json) -> Iterator[str]:
    schema = event.get("dataset", {}).get("facets", {}).get("schema", {})
    seen: set[str] = set()
    for index, field in enumerate(schema.get("fields", ())):
        name = field["name"]
        if not name.strip() or name in seen:
            yield f"/dataset/facets/schema/fields/{index}/name is {'not unique' if name in seen else 'blank'}"
        seen.add(name)


def _invalid(location: Location, problems: Sequence[str]) -> StreamtError:
    return StreamtError(
        *(
            Diagnostic(
                code=Code.OPENLINEAGE_INVALID,
                message=f"the event made for this is not valid: {problem}",
                location=location,
            )
            for problem in problems
        )
    )
