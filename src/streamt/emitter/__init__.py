"""Lifecycle and dataset lineage for anything that runs: the face that a scheduler holds.

    emitter = open_emitter(Engine("my-scheduler", "1.4"), block=settings.get("lineage"))
    emitter.run_started(run)
    emitter.task_changed(task, TaskState.QUEUED, TaskState.RUNNING)
    emitter.run_finished(run, Outcome.COMPLETE)

Off is the default, and then nothing is imported, read, opened or allocated.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from streamt.emitter.datasets import Column, DatasetRef
from streamt.emitter.observer import LineageEmitter, NullEmitter
from streamt.emitter.values import Engine, Outcome, Parent, Run, RunRef, Task, TaskState

__all__ = [
    "Column",
    "DatasetRef",
    "Engine",
    "LineageEmitter",
    "NullEmitter",
    "Outcome",
    "Parent",
    "Run",
    "RunRef",
    "Task",
    "TaskState",
    "open_emitter",
]


def open_emitter(
    engine: Engine,
    *,
    block: Mapping[str, object] | None = None,
    file: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> LineageEmitter:
    """Return the emitter that the configuration asks for: the one that does nothing, unless it says `enabled: true`.

    Args:
        engine: the program that runs things.
        block: the `lineage` block of the scheduler's own configuration.
        file: a YAML file with a key `lineage`.
        environ: the process's environment; variables `STREAMT_LINEAGE_...` win over block and file.

    Raises:
        StreamtError: E506, with everything that is wrong with the configuration.
    """
    environ = os.environ if environ is None else environ
    if file is None and not _may_be_enabled(block, environ):
        return NullEmitter()
    from streamt.emitter.config import read_config

    config = read_config(environ, block=block, file=file)
    if not config.enabled:
        return NullEmitter()
    from streamt.emitter.queued import open_queued

    return open_queued(config, engine)


def _may_be_enabled(block: Mapping[str, object] | None, environ: Mapping[str, str]) -> bool:
    said = environ.get("STREAMT_LINEAGE_ENABLED") or (block or {}).get("enabled", False)
    return said is not False and str(said).strip().lower() != "false"
