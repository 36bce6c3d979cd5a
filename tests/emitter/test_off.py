"""Off means off: not one more import, file, socket or thread."""

import json
import subprocess
import sys

from streamt.emitter import Engine, LineageEmitter, NullEmitter, Outcome, Run, Task, TaskState, open_emitter
from streamt.emitter.config import LineageConfig
from streamt.emitter.queued import open_queued
from tests.cli.program import bare_environment

SCHEDULER = """
import json, sys, threading
from datetime import UTC, datetime
from streamt.emitter import Engine, NullEmitter, Outcome, Run, open_emitter
opened = []
sys.addaudithook(lambda name, args: opened.append(name) if name in ("open", "socket.connect") else None)
before = set(sys.modules)
emitter = {}
run = Run(job="j", run_id="r", created_at=datetime.now(UTC))
emitter.run_started(run)
emitter.run_finished(run, Outcome.COMPLETE)
emitter.close()
print(json.dumps([sorted(set(sys.modules) - before), opened, threading.active_count(), sorted(sys.modules)]))
"""


def scheduler(emitter: str, **environment: str) -> list[object]:
    done = subprocess.run(
        [sys.executable, "-c", SCHEDULER.format(emitter)],
        capture_output=True,
        check=True,
        timeout=60,
        env=bare_environment() | environment,
    )
    result: list[object] = json.loads(done.stdout)
    assert done.stderr == b""
    return result


def test_a_block_that_is_off_is_like_no_block() -> None:
    without = scheduler("NullEmitter()")
    for call in (
        'open_emitter(Engine("e", "1"))',
        'open_emitter(Engine("e", "1"), block=None)',
        'open_emitter(Engine("e", "1"), block={"enabled": False, "url": "http://h/x"})',
    ):
        assert scheduler(call) == without
    assert (
        scheduler('open_emitter(Engine("e", "1"), block={"enabled": True})', STREAMT_LINEAGE_ENABLED="false") == without
    )


def test_off_imports_nothing_opens_nothing_and_starts_nothing() -> None:
    new, opened, threads, modules = scheduler('open_emitter(Engine("e", "1"))')
    assert (new, opened, threads) == ([], [], 1)
    heavy = {"pydantic", "jsonschema", "yaml", "http.client", "ssl", "streamt.emitter.worker", "streamt.openlineage"}
    assert heavy.isdisjoint(modules)  # type: ignore[arg-type]


def test_both_emitters_are_what_a_scheduler_calls() -> None:
    assert isinstance(NullEmitter(), LineageEmitter)
    assert isinstance(open_queued(LineageConfig(), Engine("e", "1")), LineageEmitter)


def test_the_null_emitter_takes_everything() -> None:
    nothing = open_emitter(Engine("e", "1"), environ={})
    run = Run(job="j", run_id="r")
    nothing.run_started(run)
    nothing.task_changed(Task(run=run, name="t"), None, TaskState.RUNNING)
    nothing.run_finished(run, Outcome.FAIL, "x")
    assert nothing.close()


def test_emitters_of_one_configuration_share_a_worker() -> None:
    one, other = (open_queued(LineageConfig(queue=77), Engine("e", "1")) for _ in range(2))
    assert one._worker is other._worker
    assert open_queued(LineageConfig(queue=78), Engine("e", "1"))._worker is not one._worker
