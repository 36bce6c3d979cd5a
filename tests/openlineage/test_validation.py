"""What the second check refuses, whatever the models let through."""

import copy
import json
from typing import Any

import pytest

from streamt.diagnostics import Code, ProjectPath, StreamtError
from streamt.openlineage.static import export
from streamt.openlineage.validation import Checker, check_event, check_lifecycle
from tests.openlineage.projects import NAMESPACES, model, project, source

LINES = export(
    project(source("a", description="d", owner="o"), model("m", "a", process=None), model("n", "a", output=None)),
    NAMESPACES,
).lines
DATASET, _, JOB = map(json.loads, LINES)

ANYWHERE = ProjectPath(("models", 0))


def changed(event: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Give a copy of `event` with `value` at the slash-separated `path`; Ellipsis takes it away."""
    new = copy.deepcopy(event)
    *parents, last = path.split("/")
    place: Any = new
    for part in parents:
        place = place[int(part) if part.isdigit() else part]
    if value is ...:
        del place[last]
    else:
        place[int(last) if last.isdigit() else last] = value
    return new


def problem(event: dict[str, Any]) -> str:
    with pytest.raises(StreamtError) as caught:
        check_event(event, ANYWHERE)
    assert {(each.code, each.location) for each in caught.value.diagnostics} == {(Code.OPENLINEAGE_INVALID, ANYWHERE)}
    return str(caught.value)


def test_what_the_exporter_makes_passes() -> None:
    check_event(DATASET, ANYWHERE)
    check_event(JOB, ANYWHERE)


@pytest.mark.parametrize(
    ("event", "path", "value", "words"),
    [
        (DATASET, "eventTime", ..., "oneOf"),
        (DATASET, "eventTime", "1700000000", "oneOf"),
        (DATASET, "eventTime", "2026-11-30 12:00:00Z", "oneOf"),
        (DATASET, "eventTime", "2026-11-30T12:00:00", "oneOf"),
        (DATASET, "eventTime", "2026-11-30T12:00:00+01:00", "/eventTime is not in UTC"),
        (DATASET, "producer", "not a uri", "oneOf"),
        (DATASET, "schemaURL", "https://openlineage.io/spec/1-0-0/OpenLineage.json#/$defs/JobEvent", "/schemaURL"),
        (DATASET, "schemaURL", JOB["schemaURL"], "/dataset is not allowed"),
        (DATASET, "run", {}, "/run is not allowed"),
        (DATASET, "eventType", "START", "/eventType is not allowed"),
        (DATASET, "dataset/namespace", " ", "/dataset/namespace is blank"),
        (DATASET, "dataset/name", "", "/dataset/name is blank"),
        (DATASET, "dataset/name", 1, "oneOf"),
        (DATASET, "dataset/extra", 1, "/dataset/extra is not allowed"),
        (DATASET, "dataset/facets/other", DATASET["dataset"]["facets"]["schema"], "no pinned facet"),
        (DATASET, "dataset/facets/jobType", JOB["job"]["facets"]["jobType"], "no pinned facet of a dataset"),
        (DATASET, "dataset/facets/schema/_schemaURL", "https://example.com/x", "_schemaURL"),
        (DATASET, "dataset/facets/schema/fields", "x", "violates the schema's `type`"),
        (DATASET, "dataset/facets/schema/fields/0/name", ..., "violates the schema's `required`"),
        (DATASET, "dataset/facets/schema/fields/0/ordinal_position", "1", "violates the schema's `type`"),
        (DATASET, "dataset/facets/schema/fields/0/name", "  ", "fields/0/name is blank"),
        (DATASET, "dataset/facets/schema/fields", [{"name": "x"}, {"name": "x"}], "fields/1/name is not unique"),
        (DATASET, "dataset/facets/documentation/description", ..., "violates the schema's `required`"),
        (DATASET, "dataset/facets/ownership/owners", [{}], "violates the schema's `required`"),
        (JOB, "job/name", "\t", "/job/name is blank"),
        (JOB, "job/facets/jobType/integration", ..., "violates the schema's `required`"),
        (JOB, "inputs/0/name", " ", "/inputs/0/name is blank"),
        (JOB, "inputs/0/facets", {}, "/inputs/0/facets is not allowed"),
        (JOB, "inputs", JOB["inputs"] * 2, "/inputs/1 names a dataset"),
        (JOB, "outputs", JOB["inputs"], "/outputs/0 names a dataset"),
    ],
)
def test_a_changed_event_is_refused(event: dict[str, Any], path: str, value: object, words: str) -> None:
    assert words in problem(changed(event, path, value))


def test_a_refusal_never_repeats_a_value() -> None:
    assert "s3cret" not in problem(changed(DATASET, "dataset/facets/schema/fields", "s3cret"))


def test_a_second_event_of_one_identity_is_refused() -> None:
    checker = Checker()
    checker.check_static(LINES[0], ANYWHERE)
    with pytest.raises(StreamtError, match="second event"):
        checker.check_static(LINES[0], ANYWHERE)


def run_event(event_type: str | None, run_id: str = "1", name: str = "j") -> dict[str, Any]:
    return {"eventType": event_type, "run": {"runId": run_id}, "job": {"namespace": "n", "name": name}}


@pytest.mark.parametrize("end", ["COMPLETE", "FAIL", "ABORT"])
def test_a_start_and_one_end_are_a_life(end: str) -> None:
    check_lifecycle([run_event("START"), run_event(end)], ANYWHERE)


@pytest.mark.parametrize(
    "events",
    [
        [],
        [run_event("START")],
        [run_event("COMPLETE")],
        [run_event("COMPLETE"), run_event("START")],
        [run_event("START"), run_event("START")],
        [run_event("START"), run_event("RUNNING")],
        [run_event("START"), run_event("COMPLETE"), run_event("FAIL")],
        [run_event("START"), run_event("FAIL", run_id="2")],
        [run_event("START"), run_event("FAIL", name="k")],
    ],
)
def test_anything_else_is_no_life(events: list[dict[str, Any]]) -> None:
    with pytest.raises(StreamtError):
        check_lifecycle(events, ANYWHERE)
