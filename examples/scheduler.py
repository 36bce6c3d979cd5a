"""A scheduler in a few lines that tells an OpenLineage catalog of its runs: what it says is told, nothing waits for it.

    STREAMT_LINEAGE_ENABLED=true STREAMT_LINEAGE_PATH=events.jsonl python -m examples.scheduler

Its pipelines are lists of tasks; a task is a function with what it reads and writes. It has retries, as schedulers do.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from streamt.diagnostics import StreamtError
from streamt.emitter import DatasetRef, Engine, LineageEmitter, Outcome, Run, Task, TaskState, open_emitter

ENGINE = Engine("tiny-scheduler", "1.0")


@dataclass(frozen=True)
class Step:
    """A task: what it does, and what it reads and writes."""

    name: str
    work: Callable[[], None]
    inputs: tuple[DatasetRef, ...] = ()
    outputs: tuple[DatasetRef, ...] = ()
    tries: int = 1


class Scheduler:
    """Runs pipelines one step after the other, and tells an emitter of it."""

    def __init__(self, emitter: LineageEmitter) -> None:
        self._emitter = emitter

    def run(self, pipeline: str, steps: Sequence[Step], day: datetime) -> bool:
        """Run a pipeline for one day; stop at the first step that fails for good."""
        run = Run(
            job=pipeline,
            run_id=f"scheduled__{day:%Y-%m-%d}",  # the same after a restart, and so is the run id that is told
            logical_start=day,
            logical_end=day + timedelta(days=1),
        )
        self._emitter.run_started(run)
        failed = next((step.name for step in steps if not self._step(run, step)), None)
        self._emitter.run_finished(run, Outcome.FAIL if failed else Outcome.COMPLETE, f"{failed} failed")
        return failed is None

    def _step(self, run: Run, step: Step) -> bool:
        for attempt in range(1, step.tries + 1):
            task = Task(run=run, name=step.name, attempt=attempt, inputs=step.inputs, outputs=step.outputs)
            self._emitter.task_changed(task, TaskState.QUEUED, TaskState.RUNNING)
            try:
                step.work()
            except Exception as error:  # noqa: BLE001 - whatever a task does, the scheduler goes on
                last = attempt == step.tries
                state = TaskState.FAILED if last else TaskState.UP_FOR_RETRY
                self._emitter.task_changed(task, TaskState.RUNNING, state, str(error))
            else:
                self._emitter.task_changed(task, TaskState.RUNNING, TaskState.SUCCESS)
                return True
        return False


def emitter_of(file: str | None) -> LineageEmitter:
    """Open what `file` or the variables describe; end the program where that is wrong, before anything runs."""
    try:
        return open_emitter(ENGINE, file=Path(file)) if file else open_emitter(ENGINE, block={"namespace": "tiny"})
    except StreamtError as error:
        sys.exit(str(error))


def main() -> None:
    """Run a pipeline whose second step needs two tries."""
    shop = {"host": "db.example.com", "database": "shop", "schema": "public"}
    orders, revenue = (DatasetRef.of("postgres", shop, table=table) for table in ("orders", "revenue"))
    export = DatasetRef.of("s3", bucket="shop-exports", path="revenue.csv")
    weather = iter([OSError("the bucket is away"), None])

    def send() -> None:
        if (storm := next(weather)) is not None:
            raise storm

    steps = [
        Step("sum_up", lambda: None, inputs=(orders,), outputs=(revenue,)),
        Step("export", send, inputs=(revenue,), outputs=(export,), tries=2),
    ]
    emitter = emitter_of(os.environ.get("STREAMT_LINEAGE_CONFIG"))
    Scheduler(emitter).run("nightly_revenue", steps, datetime(2026, 3, 29, tzinfo=UTC))
    emitter.close(float(os.environ.get("CLOSE", "10")))


if __name__ == "__main__":
    main()
