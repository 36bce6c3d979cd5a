"""Every process makes the same run id, and no two runs share one."""

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt.emitter import Run, Task
from streamt.emitter.run_ids import RunIdError, new_uuid7, run_uuid, task_uuid, uuid7_of

NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)


def run(**values: object) -> Run:
    return Run(**{"job": "etl", "run_id": "manual__1", "logical_start": NOON, **values})  # type: ignore[arg-type]


def test_the_id_of_a_run_never_changes() -> None:
    assert str(run_uuid(run(), "n")) == "019d3977-1a00-734c-862a-9efba6a5d39c"


def test_the_logical_start_counts_and_not_the_clock() -> None:
    late = run(created_at=NOON + timedelta(days=9), started_at=datetime.now(UTC))
    assert run_uuid(late, "n") == run_uuid(run(), "n")


def test_without_a_logical_start_the_creation_counts() -> None:
    assert run_uuid(run(logical_start=None, created_at=NOON), "n") == run_uuid(run(), "n")


def test_equal_instants_in_two_zones_are_one() -> None:
    zoned = NOON.astimezone(timezone(timedelta(hours=2)))
    assert run_uuid(run(logical_start=zoned), "n") == run_uuid(run(), "n")


@pytest.mark.parametrize(
    "other",
    [{"job": "etl2"}, {"run_id": "manual__2"}, {"attempt": 2}, {"restart": 1}, {"namespace": "m"}],
    ids=str,
)
def test_what_tells_runs_apart_tells_their_ids_apart(other: dict[str, object]) -> None:
    assert run_uuid(run(**other), "n") != run_uuid(run(), "n")


def test_a_uuid_of_the_scheduler_is_used_as_it_is() -> None:
    own = uuid4()
    assert run_uuid(run(run_id=own, logical_start=None), "n") == own


def test_a_text_that_looks_like_a_uuid_is_a_text() -> None:
    own = uuid4()
    assert run_uuid(run(run_id=str(own)), "n") != own


@pytest.mark.parametrize(
    "bad",
    [
        {"logical_start": None},
        {"logical_start": NOON.replace(tzinfo=None)},
        {"logical_start": datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)},
    ],
    ids=["none", "naive", "before 1970"],
)
def test_an_instant_that_is_none_is_an_error(bad: dict[str, object]) -> None:
    with pytest.raises(RunIdError):
        run_uuid(run(**bad), "n")


def test_each_attempt_at_a_task_is_a_run_of_its_own() -> None:
    ids = {
        task_uuid(task, "n")
        for task in (
            Task(run=run(), name="load"),
            Task(run=run(), name="load", attempt=2),
            Task(run=run(), name="load", cleared=1),
            Task(run=run(), name="load2"),
            Task(run=run(attempt=2), name="load"),
        )
    }
    assert len(ids) == 5


def test_a_task_may_bring_an_id_of_its_own() -> None:
    own = uuid4()
    assert task_uuid(Task(run=run(), name="load", run_id=own), "n") == own


def test_the_tasks_of_a_run_with_a_uuid_take_its_time() -> None:
    own = new_uuid7(NOON)
    task = task_uuid(Task(run=run(run_id=own, logical_start=None), name="load"), "n")
    assert task.int >> 80 == own.int >> 80


@given(st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(9999, 12, 30)), st.lists(st.text(max_size=9)))
def test_every_id_is_a_uuid_of_version_7_with_its_time(instant: datetime, parts: list[str]) -> None:
    value = uuid7_of(instant.replace(tzinfo=UTC), tuple(parts))
    assert (value.version, value.variant) == (7, "specified in RFC 4122")
    since = instant - datetime(1970, 1, 1)
    assert value.int >> 80 == since // timedelta(milliseconds=1)


@given(st.lists(st.text(max_size=5), max_size=4), st.lists(st.text(max_size=5), max_size=4))
def test_lengths_keep_parts_apart(one: list[str], other: list[str]) -> None:
    assert (uuid7_of(NOON, tuple(one)) == uuid7_of(NOON, tuple(other))) == (one == other)


def test_new_ids_differ() -> None:
    assert len({new_uuid7(NOON) for _ in range(100)}) == 100
    assert new_uuid7(NOON).version == 7
    assert isinstance(new_uuid7(NOON), UUID)
