"""One command's life in events."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt.diagnostics import ProjectPath
from streamt.openlineage.identity import Identity
from streamt.openlineage.models import RunEvent
from streamt.openlineage.runs import LONGEST_MESSAGE, CommandRun, Outcome, start_event, terminal_event
from streamt.openlineage.validation import Checker

TIME = datetime(2026, 11, 30, 12, 0, 0, 250_000, tzinfo=UTC)
RUN = CommandRun(
    UUID("7b0c7b8e-3f0a-4c57-9d2b-0f2b6f1c9a10"),
    Identity("jobs", "streamt/shop/commands/test"),
    "TEST",
    (Identity("kafka://b:9092", "a"), Identity("kafka://g:6969", "v")),
)


def parsed(event: RunEvent) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(event.to_json())
    Checker().check(event.to_json(), ProjectPath())
    return value


def test_start_to_the_field() -> None:
    producer = "https://github.com/conduktor/streamt"
    assert parsed(start_event(RUN, TIME)) == {
        "eventTime": "2026-11-30T12:00:00.250000Z",
        "eventType": "START",
        "inputs": [{"namespace": "kafka://b:9092", "name": "a"}, {"namespace": "kafka://g:6969", "name": "v"}],
        "job": {
            "namespace": "jobs",
            "name": "streamt/shop/commands/test",
            "facets": {
                "jobType": {
                    "_producer": producer,
                    "_schemaURL": "https://openlineage.io/spec/facets/2-0-4/JobTypeJobFacet.json"
                    "#/$defs/JobTypeJobFacet",
                    "integration": "STREAMT",
                    "jobType": "TEST",
                    "processingType": "BATCH",
                }
            },
        },
        "producer": producer,
        "run": {"runId": "7b0c7b8e-3f0a-4c57-9d2b-0f2b6f1c9a10"},
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    }


@pytest.mark.parametrize("outcome", list(Outcome))
def test_start_and_every_end_are_one_life(outcome: Outcome) -> None:
    lines = [start_event(RUN, TIME).to_json(), terminal_event(RUN, outcome, TIME).to_json()]
    Checker().check_run(lines, ProjectPath())


@pytest.mark.parametrize("outcome", list(Outcome))
def test_start_and_end_share_run_job_and_inputs(outcome: Outcome) -> None:
    start, end = parsed(start_event(RUN, TIME)), parsed(terminal_event(RUN, outcome, TIME))
    assert (end["run"]["runId"], end["job"], end["inputs"]) == (start["run"]["runId"], start["job"], start["inputs"])


def test_only_a_failure_has_a_message() -> None:
    assert [
        "facets" in parsed(terminal_event(RUN, outcome, TIME, "1 of 2 tests failed"))["run"] for outcome in Outcome
    ] == [False, True, False]


def message(text: str) -> str:
    facet: dict[str, str] = parsed(terminal_event(RUN, Outcome.FAIL, TIME, text))["run"]["facets"]["errorMessage"]
    assert set(facet) == {"_producer", "_schemaURL", "message", "programmingLanguage"}
    assert facet["programmingLanguage"] == "PYTHON"
    return facet["message"]


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_a_blank_message_falls_back(text: str) -> None:
    assert message(text) == "the command failed"


def test_a_message_is_bounded_in_code_points() -> None:
    assert message("🚀" * 5000) == "🚀" * LONGEST_MESSAGE


@pytest.mark.parametrize(
    "text",
    [
        "connect to https://user:s3cret@host failed",
        "user:s3cret@broker:9092/0",
        "sasl.password=s3cret;",
        'config {"api_key": "s3cret"}',
        "Authorization: Bearer s3cret",
        "token = 's3cret'",
        "AWS_SECRET=s3cret",
    ],
)
def test_a_message_never_holds_a_credential(text: str) -> None:
    assert "s3cret" not in message(text)


@given(st.integers(-14, 14), st.datetimes(datetime(1970, 1, 2), datetime(9000, 1, 1)))
def test_times_are_written_in_utc(hours: int, moment: datetime) -> None:
    zone = timezone(timedelta(hours=hours))
    written = parsed(start_event(RUN, moment.replace(tzinfo=zone)))["eventTime"]
    assert written.endswith("Z")
    assert datetime.fromisoformat(written) == moment.replace(tzinfo=zone)
