"""The emitter that tells: it copies frozen values onto the worker's queue, and that is all that a caller pays for."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from streamt.diagnostics import Option, StreamtError
from streamt.emitter.config import LineageConfig
from streamt.emitter.delivery import open_sink
from streamt.emitter.told import Told, ToldJob, event_type_of, outcome_type
from streamt.emitter.values import Engine, Outcome, Run, Task, TaskState
from streamt.emitter.worker import Counters, Limits, UntellableError, Worker

if TYPE_CHECKING:
    from streamt.openlineage.emission import EventForm
    from streamt.openlineage.validation import Checker


class QueuedEmitter:
    """Tells a catalog of runs and tasks, in the background.

    Attributes:
        config: how.
        engine: the program that runs things.
    """

    def __init__(self, config: LineageConfig, engine: Engine, worker: Worker[Told | ToldJob]) -> None:
        self.config = config
        self.engine = engine
        self._worker = worker

    def run_started(self, run: Run) -> None:
        """Tell that `run` began."""
        self._worker.offer(Told(run, "START", run.started_at or datetime.now(UTC)))

    def run_finished(self, run: Run, outcome: Outcome, error: str = "") -> None:
        """Tell how `run` ended."""
        self._worker.offer(Told(run, outcome_type(outcome), run.ended_at or datetime.now(UTC), error))

    def task_changed(self, task: Task, from_state: TaskState | None, to_state: TaskState, error: str = "") -> None:
        """Tell that `task` went from one state to another, where that tells anything."""
        event_type = event_type_of(task, from_state, to_state)
        if event_type is None:
            return
        known = task.started_at if event_type == "START" else None if event_type == "RUNNING" else task.ended_at
        self._worker.offer(Told(task, event_type, known or datetime.now(UTC), error))

    def tell(self, told: Told | ToldJob) -> None:
        """Tell what was made elsewhere: of dbt's artifacts, say."""
        self._worker.offer(told)

    def close(self, timeout: float | None = None) -> bool:
        """Deliver what waits, for at most `timeout` seconds; what is left is dropped and counted."""
        return self._worker.close(timeout)

    @property
    def counters(self) -> Counters:
        """What became of everything that this process told by this configuration."""
        return self._worker.counters


@dataclass(frozen=True, slots=True)
class _Key:
    config: LineageConfig
    engine: Engine
    form: "EventForm | None"


_workers: dict[_Key, Worker[Told | ToldJob]] = {}


def open_queued(config: LineageConfig, engine: Engine, form: "EventForm | None" = None) -> QueuedEmitter:
    """Return an emitter; all of one process and configuration share one worker.

    Args:
        config: where events go.
        engine: the program that runs things.
        form: writes a run event in the form that a consumer takes, where one is asked for.
    """
    limits = Limits(queue=config.queue, close_s=config.close)
    # One step, without a lock that a fork could leave locked for ever: of two workers, one is never used.
    worker = _workers.setdefault(
        _Key(config, engine, form), Worker(_maker(config, engine, form), lambda: open_sink(config), limits)
    )
    return QueuedEmitter(config, engine, worker)


def _maker(
    config: LineageConfig, engine: Engine, form: "EventForm | None" = None
) -> Callable[[Told | ToldJob, Callable[[str], None]], bytes]:
    """Return what makes an event of what was told; the models are imported by the worker, and not before."""
    checkers: list[Checker] = []

    def make(told: Told | ToldJob, note: Callable[[str], None]) -> bytes:
        from streamt.emitter.run_ids import RunIdError
        from streamt.openlineage.validation import Checker

        if not checkers:
            checkers.append(Checker(bare_references=False))
        try:
            line = line_of(told, config, engine, form, note)
            checkers[0].check(line, Option("lineage"))
        except RunIdError as error:
            raise UntellableError(str(error)) from None
        except StreamtError as error:
            raise UntellableError(error.messages) from None
        return line

    return make


def line_of(
    told: Told | ToldJob,
    config: LineageConfig,
    engine: Engine,
    form: "EventForm | None" = None,
    note: Callable[[str], None] = lambda _: None,
) -> bytes:
    """Return the bytes of the event of what was told, not yet checked.

    Raises:
        RunIdError: no run id can be made.
        pydantic.ValidationError: the model refuses a value.
    """
    from streamt.emitter.lifecycle import Context, to_event, to_job_event

    context = Context(config.namespace, engine, (config.api_key,) if config.api_key else ())
    if isinstance(told, ToldJob):
        return to_job_event(told, context, note).to_json()
    event = to_event(told, context, note)
    return (form(event) if form else event).to_json()
