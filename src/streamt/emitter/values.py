"""What a scheduler tells: runs, tasks, their states and their datasets. Frozen values, with no import of weight."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from streamt.emitter.datasets import DatasetRef


class Outcome(StrEnum):
    """How a run ended."""

    COMPLETE = "COMPLETE"
    FAIL = "FAIL"
    ABORT = "ABORT"


class TaskState(StrEnum):
    """The states of a task, in the words that schedulers share.

    What each change tells is a table: `docs/emitter.md`, "What a task's states tell".
    """

    SCHEDULED = "scheduled"
    QUEUED = "queued"
    RUNNING = "running"
    DEFERRED = "deferred"
    UP_FOR_RESCHEDULE = "up_for_reschedule"
    UP_FOR_RETRY = "up_for_retry"
    SUCCESS = "success"
    FAILED = "failed"
    STOPPED = "stopped"
    SKIPPED = "skipped"
    UPSTREAM_FAILED = "upstream_failed"
    REMOVED = "removed"
    CLEARED = "cleared"


@dataclass(frozen=True, slots=True)
class Engine:
    """The program that runs things.

    Attributes:
        name: such as `leoflow`; in upper case it is the integration of the jobs.
        version: by PEP 440.
    """

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class RunRef:
    """A run, named from another one.

    Attributes:
        namespace: its job's namespace.
        job: its job's name.
        run_id: its run id.
    """

    namespace: str
    job: str
    run_id: UUID


@dataclass(frozen=True, slots=True)
class Parent:
    """The run that started a run, and the run at the root of them all.

    Attributes:
        run: the parent.
        root: the root; the parent itself where none is known.
    """

    run: RunRef
    root: RunRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a job: of a DAG, a pipeline, a command.

    Attributes:
        job: the job's name; never with a time or a run's id in it.
        run_id: the scheduler's own id. A `UUID` is used as it is, so it must be a new one for each attempt; of a text
            the run id is made, the same in every process.
        namespace: the job's namespace; that of the configuration where it is None.
        logical_start: the first instant of the interval that the run stands for; aware.
        logical_end: the first instant after it; aware.
        created_at: when the run came into being; aware, and needed where `run_id` is a text without a logical start.
        started_at: when it really began; now, where it is None.
        ended_at: when it really ended; now, where it is None.
        attempt: 1, and one more for each time the whole run is tried again.
        restart: 0, and one more for each time the run is cleared and begun anew.
        parent: the run that started this one.
        kind: `DAG`, or `TASK` where it is one.
        inputs: what it reads, where it is told of without tasks.
        outputs: what it writes, alike.
    """

    job: str
    run_id: str | UUID
    namespace: str | None = None
    logical_start: datetime | None = None
    logical_end: datetime | None = None
    created_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    attempt: int = 1
    restart: int = 0
    parent: Parent | None = None
    kind: str = "DAG"
    inputs: tuple[DatasetRef, ...] = ()
    outputs: tuple[DatasetRef, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One attempt at a task of a run.

    Attributes:
        run: the run.
        name: the task's name within the run's job.
        attempt: 1, and one more for each retry: each is a run of its own.
        cleared: 0, and one more for each time the task was cleared.
        run_id: a UUID that the scheduler made new for this attempt; else the run id is made of the run's.
        started_at: when it really began; now, where it is None.
        ended_at: when it really ended; now, where it is None.
        resumed: whether this attempt ran before, and was deferred or rescheduled.
        inputs: what it reads.
        outputs: what it writes.
        sql: the text that it executes, where that shall be told; it may quote data.
    """

    run: Run
    name: str
    attempt: int = 1
    cleared: int = 0
    run_id: UUID | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    resumed: bool = False
    inputs: tuple[DatasetRef, ...] = ()
    outputs: tuple[DatasetRef, ...] = ()
    sql: str | None = field(default=None, repr=False)
