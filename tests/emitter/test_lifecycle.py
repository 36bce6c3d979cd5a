"""One event for each change that means something, in the form that every consumer takes."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt.diagnostics import Option
from streamt.emitter import Column, DatasetRef, Engine, Outcome, Parent, Run, RunRef, Task, TaskState
from streamt.emitter.lifecycle import LONGEST_MESSAGE, NO_MESSAGE, Context, run_ref, shortened, to_event
from streamt.emitter.run_ids import RunIdError, task_uuid
from streamt.emitter.told import TOLD, EventType, Told, event_type_of, outcome_type
from streamt.openlineage.validation import Checker

NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)
CONTEXT = Context("jobs", Engine("leoflow", "0.5.1"), ("the-api-key",))
RUN = Run(job="etl", run_id="manual__1", logical_start=NOON, logical_end=LATER)
TABLE = DatasetRef.of("postgres", host="h", database="d", schema="s", table="t")
TASK = Task(run=RUN, name="load", inputs=(TABLE,), outputs=(DatasetRef.of("kafka", host="b", port="1", topic="t"),))
UPSTREAM = RunRef("cron", "nightly", UUID("019d39b5-2600-7000-8000-000000000001"))
ROOT = RunRef("cron", "all", UUID("019d39b5-2600-7000-8000-000000000002"))


def event(about: Run | Task, event_type: EventType = "START", error: str = "", notes: list[str] | None = None) -> Any:
    made = to_event(Told(about, event_type, LATER, error), CONTEXT, (notes if notes is not None else []).append)
    line = made.to_json()
    Checker(bare_references=False).check(line, Option("lineage"))
    return json.loads(line)


def test_an_event_has_the_form_that_every_consumer_takes() -> None:
    told = event(Run(job="etl", run_id="x", created_at=NOON))
    assert (told["inputs"], told["outputs"]) == ([], [])
    engine = told["run"]["facets"]["processing_engine"]
    assert (engine["name"], engine["version"]) == ("leoflow", "0.5.1")
    assert UUID(told["run"]["runId"]).version == 7


def test_a_run_is_told_with_its_job_and_interval() -> None:
    told = event(RUN)
    assert (told["eventType"], told["eventTime"]) == ("START", "2026-03-29T13:00:00Z")
    assert (told["job"]["namespace"], told["job"]["name"]) == ("jobs", "etl")
    job_type = told["job"]["facets"]["jobType"]
    assert (job_type["processingType"], job_type["integration"], job_type["jobType"]) == ("BATCH", "LEOFLOW", "DAG")
    nominal = told["run"]["facets"]["nominalTime"]
    assert (nominal["nominalStartTime"], nominal["nominalEndTime"]) == ("2026-03-29T12:00:00Z", "2026-03-29T13:00:00Z")
    assert "parent" not in told["run"]["facets"]


def test_a_task_is_told_with_its_run_as_parent_and_root() -> None:
    told = event(TASK)
    parent = told["run"]["facets"]["parent"]
    own = run_ref(RUN, "jobs")
    assert told["job"]["name"] == "etl.load"
    assert told["job"]["facets"]["jobType"]["jobType"] == "TASK"
    assert parent["run"]["runId"] == parent["root"]["run"]["runId"] == str(own.run_id)
    assert parent["job"] == parent["root"]["job"] == {"namespace": "jobs", "name": "etl"}
    assert told["inputs"] == [{"namespace": "postgres://h:5432", "name": "d.s.t"}]
    assert told["outputs"] == [{"namespace": "kafka://b:1", "name": "t"}]


def test_the_root_comes_down_to_the_tasks() -> None:
    run = Run(job="etl", run_id="x", created_at=NOON, namespace="own", parent=Parent(UPSTREAM, ROOT))
    assert event(run)["run"]["facets"]["parent"]["job"] == {"namespace": "cron", "name": "nightly"}
    parent = event(Task(run=run, name="load"))["run"]["facets"]["parent"]
    assert parent["job"] == {"namespace": "own", "name": "etl"}
    assert parent["root"]["job"] == {"namespace": "cron", "name": "all"}


@pytest.mark.parametrize("outcome", Outcome)
def test_a_run_ends_in_one_of_three_ways(outcome: Outcome) -> None:
    told = event(RUN, outcome_type(outcome), "went wrong")
    assert told["eventType"] == outcome.value
    assert ("errorMessage" in told["run"]["facets"]) == (outcome is Outcome.FAIL)


# The table of docs/emitter.md: what each new state tells.
STATES: dict[TaskState, str | None] = {
    TaskState.SCHEDULED: None,
    TaskState.QUEUED: None,
    TaskState.RUNNING: "START",
    TaskState.DEFERRED: "RUNNING",
    TaskState.UP_FOR_RESCHEDULE: "RUNNING",
    TaskState.UP_FOR_RETRY: "FAIL",
    TaskState.SUCCESS: "COMPLETE",
    TaskState.FAILED: "FAIL",
    TaskState.STOPPED: "ABORT",
    TaskState.SKIPPED: None,
    TaskState.UPSTREAM_FAILED: None,
    TaskState.REMOVED: None,
    TaskState.CLEARED: None,
}


@pytest.mark.parametrize("state", TaskState)
def test_a_new_state_tells_what_the_table_says(state: TaskState) -> None:
    assert TOLD[state] == STATES[state] == event_type_of(TASK, TaskState.QUEUED if STATES[state] else None, state)


@pytest.mark.parametrize("before", [TaskState.DEFERRED, TaskState.UP_FOR_RESCHEDULE])
def test_a_task_that_goes_on_does_not_start_again(before: TaskState) -> None:
    assert event_type_of(TASK, before, TaskState.RUNNING) == "RUNNING"


def test_a_task_that_was_queued_again_after_a_wait_says_so() -> None:
    resumed = Task(run=RUN, name="load", resumed=True)
    assert event_type_of(resumed, TaskState.QUEUED, TaskState.RUNNING) == "RUNNING"
    assert task_uuid(resumed, "jobs") == task_uuid(TASK, "jobs")


@pytest.mark.parametrize("state", TaskState)
def test_a_restarted_scheduler_tells_nothing_twice(state: TaskState) -> None:
    assert event_type_of(TASK, state, state) is None


def test_a_dataset_is_named_once_and_sorted() -> None:
    other = DatasetRef.of("postgres", host="h", database="d", schema="s", table="a")
    told = event(Task(run=RUN, name="load", inputs=(TABLE, other, TABLE)))
    assert [item["name"] for item in told["inputs"]] == ["d.s.a", "d.s.t"]


def test_a_task_may_read_what_it_writes() -> None:
    told = event(Task(run=RUN, name="load", inputs=(TABLE,), outputs=(TABLE,)))
    assert told["inputs"] == told["outputs"]


def test_columns_are_a_schema() -> None:
    columns = (Column("id", "int", "the key"), Column("id"), Column("  "), Column("name"))
    told = event(Task(run=RUN, name="load", outputs=(DatasetRef("", TABLE_RAW, columns),)))
    fields = told["outputs"][0]["facets"]["schema"]["fields"]
    assert [field["name"] for field in fields] == ["id", "name"]


TABLE_RAW = DatasetRef.raw("ns", "table").parts


def test_a_dataset_without_a_name_is_left_out_and_noted() -> None:
    notes: list[str] = []
    bad = (
        DatasetRef.of("kafka", host="h"),
        DatasetRef.raw("postgres://u:canary@h", "t"),
        DatasetRef.raw("", "t"),
        TABLE,
    )
    told = event(Task(run=RUN, name="load", inputs=bad), notes=notes)
    assert [item["name"] for item in told["inputs"]] == ["d.s.t"]
    assert len(notes) == 3
    assert "canary" not in str(notes)


def test_sql_is_told_only_where_it_is_given() -> None:
    assert "sql" not in event(TASK)["job"]["facets"]
    assert event(Task(run=RUN, name="x", sql="select 1"))["job"]["facets"]["sql"]["query"] == "select 1"


def test_a_run_without_an_instant_has_no_event() -> None:
    with pytest.raises(RunIdError):
        event(Run(job="etl", run_id="x"))


SECRETS = [
    "postgresql://me:canary@h/d",
    "jdbc:postgresql://h/d?user=me&password=canary",
    "mysql+pymysql://me:canary@h/d?ssl_key=x",
    "Authorization: Bearer canary",
    "the-api-key is not valid",
    "password = 'canary'",
    "SNOWFLAKE_TOKEN=canary",
]


@pytest.mark.parametrize("text", SECRETS)
def test_no_message_holds_a_secret(text: str) -> None:
    told = str(event(RUN, "FAIL", f"cannot connect: {text}"))
    assert "canary" not in told
    assert "the-api-key" not in told


def test_a_stack_trace_stays_behind() -> None:
    trace = 'load failed\nTraceback (most recent call last):\n  File "/srv/secret.py", line 3\nValueError: no rows'
    assert shortened(trace) == "load failed ValueError: no rows"


@given(st.text(max_size=200))
def test_every_message_can_be_sent(text: str) -> None:
    message = event(RUN, "FAIL", text)["run"]["facets"]["errorMessage"]["message"]
    assert message.strip()


def test_a_message_is_bounded() -> None:
    assert len(shortened("x" * 1_000_000)) == LONGEST_MESSAGE
    assert shortened(" \n") == NO_MESSAGE
