"""What the second check refuses, whatever the models let through."""

import copy
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from streamt.diagnostics import Code, ProjectPath, StreamtError
from streamt.openlineage.identity import Identity
from streamt.openlineage.models import DatasetEvent, JobEvent, RunEvent
from streamt.openlineage.runs import CommandRun, Outcome, start_event, terminal_event
from streamt.openlineage.static import export
from streamt.openlineage.validation import Checker
from tests.openlineage.projects import NAMESPACES, model, project, source

LINES = export(
    project(source("a", description="d", owner="o"), model("m", "a", process=None), model("n", "a", output=None)),
    NAMESPACES,
).lines
DATASET, _, JOB, *_ = map(json.loads, LINES)
SCHEMA = DATASET["dataset"]["facets"]["schema"]
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
RUN = CommandRun(UUID(int=1), Identity("n", "j"), "TEST")

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
    line = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    with pytest.raises(StreamtError) as caught:
        Checker().check(line, ANYWHERE)
    assert {(each.code, each.location) for each in caught.value.diagnostics} == {(Code.OPENLINEAGE_INVALID, ANYWHERE)}
    return str(caught.value)


def test_what_the_exporter_makes_passes() -> None:
    assert [type(Checker().check(line, ANYWHERE)) for line in LINES] == [
        DatasetEvent,
        DatasetEvent,
        JobEvent,
    ]


@pytest.mark.parametrize(
    ("event", "path", "value", "words"),
    [
        (DATASET, "eventTime", ..., "oneOf"),
        (DATASET, "eventTime", "1700000000", "oneOf"),
        (DATASET, "eventTime", "2026-11-30 12:00:00Z", "oneOf"),
        (DATASET, "eventTime", "2026-11-30T12:00:00", "oneOf"),
        (DATASET, "eventTime", "2026-11-30T12:00:00+01:00", "another spelling than canonical JSON"),
        (DATASET, "producer", "not a uri", "oneOf"),
        (DATASET, "schemaURL", "https://openlineage.io/spec/1-0-0/OpenLineage.json#/$defs/JobEvent", "/schemaURL"),
        (DATASET, "schemaURL", JOB["schemaURL"], "unknown property `dataset`, at `/dataset`"),
        (DATASET, "run", {}, "unknown property `run`"),
        (DATASET, "eventType", "START", "unknown property `eventType`"),
        (DATASET, "dataset/namespace", " ", "a blank name, at `/dataset/namespace`"),
        (DATASET, "dataset/name", "", "a blank name, at `/dataset/name`"),
        (DATASET, "dataset/name", 1, "oneOf"),
        (DATASET, "dataset/extra", 1, "unknown property `extra`, at `/dataset/extra`"),
        (DATASET, "dataset/facets/other", SCHEMA, "unknown dataset facet `other`, at `/dataset/facets/other`"),
        (DATASET, "dataset/facets/jobType", JOB["job"]["facets"]["jobType"], "unknown dataset facet `jobType`"),
        (DATASET, "dataset/facets/schema/_schemaURL", "https://example.com/x", "_schemaURL"),
        (DATASET, "dataset/facets/schema/fields", "x", "the schema's `type` is violated"),
        (DATASET, "dataset/facets/schema/fields/0/name", ..., "the schema's `required` is violated"),
        (DATASET, "dataset/facets/schema/fields/0/ordinal_position", "1", "the schema's `type` is violated"),
        (DATASET, "dataset/facets/schema/fields/0/name", "  ", "a blank name, at `/dataset/facets/schema/fields/0/na"),
        (
            DATASET,
            "dataset/facets/schema/fields",
            [{"name": "x"}] * 2,
            "in the list already, at `/dataset/facets/schema",
        ),
        (DATASET, "dataset/facets/documentation/description", ..., "the schema's `required` is violated"),
        (DATASET, "dataset/facets/ownership/owners", [{}], "the schema's `required` is violated"),
        (JOB, "job/name", "\t", "a blank name, at `/job/name`"),
        (JOB, "job/facets/jobType/integration", ..., "the schema's `required` is violated"),
        (JOB, "inputs/0/name", " ", "a blank name, at `/inputs/0/name`"),
        (JOB, "inputs/0/facets", {}, "more than a name, at `/inputs/0`"),
        (JOB, "inputs", JOB["inputs"] * 2, "already reads or writes, at `/inputs/1`"),
        (JOB, "outputs", JOB["inputs"], "already reads or writes, at `/outputs/0`"),
    ],
)
def test_a_changed_event_is_refused(event: dict[str, Any], path: str, value: object, words: str) -> None:
    assert words in problem(changed(event, path, value))


def test_what_is_written_is_checked() -> None:
    event = DatasetEvent.from_json(LINES[0])
    blank = event.model_copy(update={"dataset": event.dataset.model_copy(update={"name": " "})})
    with pytest.raises(StreamtError, match="a blank name"):
        Checker().write(blank, ANYWHERE)
    broken = event.model_copy(update={"event_time": None})
    with pytest.raises(StreamtError, match="`oneOf` is violated"):
        Checker().write(broken, ANYWHERE)


def test_a_refusal_never_repeats_a_value() -> None:
    assert "s3cret" not in problem(changed(DATASET, "dataset/facets/schema/fields", "s3cret"))


def test_a_second_event_of_one_identity_is_refused() -> None:
    checker = Checker()
    event = DatasetEvent.from_json(LINES[0])
    assert checker.write_static(event, ANYWHERE) == LINES[0]
    with pytest.raises(StreamtError, match="second event"):
        checker.write_static(event, ANYWHERE)


START = start_event(RUN, NOON)


def ended(run: CommandRun, outcome: Outcome = Outcome.COMPLETE) -> RunEvent:
    return terminal_event(run, outcome, NOON)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_start_and_one_end_are_a_run(outcome: Outcome) -> None:
    Checker().check_run([START.to_json(), ended(RUN, outcome).to_json()], ANYWHERE)


RUNNING = START.model_copy(update={"event_type": "RUNNING"})


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([], "a run is one START"),
        ([START], "a run is one START"),
        ([ended(RUN)], "a run is one START"),
        ([ended(RUN), START], "a run is one START"),
        ([START, START], "a run is one START"),
        ([START, RUNNING], "a run is one START"),
        ([START, ended(RUN), ended(RUN, Outcome.FAIL)], "a run is one START"),
        ([START, ended(replace(RUN, run_id=UUID(int=2)))], "different run identities"),
        ([START, ended(replace(RUN, job=Identity("n", "k")))], "different job identities"),
    ],
)
def test_anything_else_is_no_run(events: list[RunEvent], words: str) -> None:
    with pytest.raises(StreamtError, match=words):
        Checker().check_run([event.to_json() for event in events], ANYWHERE)
