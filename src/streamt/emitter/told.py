"""What was told: frozen values on their way to the worker, and which changes of state tell anything."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from streamt.emitter.datasets import DatasetRef
from streamt.emitter.values import Outcome, Run, Task, TaskState

EventType = Literal["START", "RUNNING", "COMPLETE", "FAIL", "ABORT"]

TOLD: Mapping[TaskState, EventType | None] = {
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
"""What each new state of a task tells (E12)."""

_WAITS = (TaskState.DEFERRED, TaskState.UP_FOR_RESCHEDULE)


@dataclass(frozen=True, slots=True)
class ToldJob:
    """A job as it is declared, without a run.

    Attributes:
        name: the job's name.
        time: when it was known; aware.
        namespace: the job's namespace; that of the configuration where it is None.
        inputs: what it reads.
        outputs: what it writes.
    """

    name: str
    time: datetime
    namespace: str | None = None
    inputs: tuple[DatasetRef, ...] = ()
    outputs: tuple[DatasetRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that was told: everything that its event is made of.

    Attributes:
        about: the run or the task.
        event_type: what became of it.
        time: when; aware.
        error: for FAIL.
    """

    about: Run | Task
    event_type: EventType
    time: datetime
    error: str = ""


def event_type_of(task: Task, from_state: TaskState | None, to_state: TaskState) -> EventType | None:
    """Return what a change of state tells, if anything."""
    if from_state == to_state:  # a restarted scheduler says again what it knows
        return None
    if to_state is TaskState.RUNNING and (task.resumed or from_state in _WAITS):
        return "RUNNING"
    return TOLD[to_state]


def outcome_type(outcome: Outcome) -> EventType:
    """Return the type of the event that tells of an outcome."""
    types: dict[Outcome, EventType] = {
        Outcome.COMPLETE: "COMPLETE",
        Outcome.FAIL: "FAIL",
        Outcome.ABORT: "ABORT",
    }
    return types[outcome]
