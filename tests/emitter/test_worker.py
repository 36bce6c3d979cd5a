"""The worker: bounded, exact, never in the way, alive after a fork and done at the end of a process."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from streamt.emitter.delivery import Failed
from streamt.emitter.worker import FAILURES_BEFORE_PAUSE, Limits, UntellableError, Worker
from tests.cli.program import bare_environment

LONG = 30.0


def make(item: int, _note: Callable[[str], None]) -> bytes:
    if item < 0:
        raise UntellableError("it is negative")
    if item > 10**9:
        raise KeyError("canary")
    return str(item).encode()


@dataclass
class Endpoint:
    """A catalog that answers `answers` one after the other, then well, or waits until it is told to go on."""

    most: int = 1
    answers: list[Failed] = field(default_factory=list)
    got: list[bytes] = field(default_factory=list)
    tries: int = 0
    gate: threading.Event = field(default_factory=threading.Event)
    entered: threading.Event = field(default_factory=threading.Event)

    def deliver(self, lines: Sequence[bytes]) -> Failed | None:
        self.entered.set()
        self.gate.wait(LONG)
        self.tries += 1
        if self.answers:
            return self.answers.pop(0)
        self.got += lines
        return None

    def close(self) -> None:
        """Do nothing."""


def worker(endpoint: Endpoint, **limits: float) -> Worker[int]:
    pauses = {"retry_pause_s": 0.0, "breaker_pause_s": 3600.0}
    return Worker(make, lambda: endpoint, Limits(**{**pauses, **limits}))  # type: ignore[arg-type]


def opened(**values: object) -> Endpoint:
    endpoint = Endpoint(**values)  # type: ignore[arg-type]
    endpoint.gate.set()
    return endpoint


def test_what_is_told_arrives_in_its_order() -> None:
    endpoint = opened()
    told = worker(endpoint)
    for number in range(200):
        told.offer(number)
    assert told.close(LONG)
    assert endpoint.got == [b"%d" % number for number in range(200)]
    assert told.counters.emitted == told.counters.told == 200


def test_a_full_queue_drops_and_counts() -> None:
    endpoint = Endpoint()
    told = worker(endpoint, queue=10)
    told.offer(0)
    assert endpoint.entered.wait(LONG)  # one is in hand, and the catalog hangs
    for number in range(1, 101):
        told.offer(number)
    counters = told.counters
    assert (counters.dropped, counters.queued) == (90, 11)
    endpoint.gate.set()
    assert told.close(LONG)
    assert endpoint.got == [b"%d" % number for number in range(11)]


def test_the_numbers_add_up_whoever_tells_how_much() -> None:
    endpoint = opened(answers=[Failed("HTTP 400")] * 3)
    told = worker(endpoint, queue=50)

    def tell() -> None:
        for number in range(2000):
            told.offer(number if number % 7 else -1)

    threads = [threading.Thread(target=tell) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told.close(LONG)
    counters = told.counters
    assert counters.told == 8000
    assert counters.emitted + counters.failed + counters.dropped == 8000
    assert counters.emitted == len(endpoint.got)


def test_closing_gives_up_in_time_and_counts_the_rest() -> None:
    endpoint = Endpoint()
    told = worker(endpoint)
    for number in range(5):
        told.offer(number)
    assert endpoint.entered.wait(LONG)
    assert not told.close(0.05)
    assert told.counters.dropped == 5
    assert told.counters.last_error == "they still waited when the time to deliver them was over"
    endpoint.gate.set()
    told.offer(7)  # it may be used again
    assert told.close(LONG)
    counters = told.counters
    assert (counters.told, counters.emitted, counters.dropped, counters.failed) == (6, 1, 5, 0)


@pytest.mark.parametrize(
    ("failed", "tries"),
    [(Failed("HTTP 503", may_retry=True), 2), (Failed("HTTP 400"), 1), (Failed("HTTP 429", True, 3600.0), 1)],
    ids=["once more", "never again", "not after so long"],
)
def test_an_event_is_tried_twice_at_most(failed: Failed, tries: int) -> None:
    endpoint = opened(answers=[failed, failed])
    told = worker(endpoint)
    told.offer(1)
    told.close(LONG)
    assert endpoint.tries == tries
    assert told.counters.failed == 1
    assert told.counters.last_error == failed.reason


def test_a_second_try_may_succeed() -> None:
    endpoint = opened(answers=[Failed("HTTP 503", may_retry=True, pause=0.0)])
    told = worker(endpoint)
    told.offer(1)
    assert told.close(LONG)
    assert (told.counters.emitted, told.counters.failed) == (1, 0)


def test_a_dead_catalog_is_asked_only_now_and_then() -> None:
    endpoint = opened(answers=[Failed("connection refused", may_retry=True)] * 1000)
    told = worker(endpoint, queue=20)
    for number in range(20):
        told.offer(number)
    _until(lambda: told.counters.failed == FAILURES_BEFORE_PAUSE)
    time.sleep(0.05)
    assert told.counters.failed == FAILURES_BEFORE_PAUSE
    assert told.counters.queued == 20 - FAILURES_BEFORE_PAUSE


def test_a_catalog_that_comes_back_gets_what_waited() -> None:
    endpoint = opened(answers=[Failed("connection refused")] * FAILURES_BEFORE_PAUSE)
    told = worker(endpoint, breaker_pause_s=0.01)
    for number in range(FAILURES_BEFORE_PAUSE + 3):
        told.offer(number)
    assert told.close(LONG)
    assert len(endpoint.got) == 3


def test_an_event_that_cannot_be_made_is_counted_without_what_it_holds(caplog: pytest.LogCaptureFixture) -> None:
    endpoint = opened()
    told = worker(endpoint)
    for number in (-1, 10**10, 5):
        told.offer(number)
    assert told.close(LONG)
    assert endpoint.got == [b"5"]
    assert told.counters.failed == 2
    assert "canary" not in str(told.counters) + caplog.text


def test_the_log_says_one_line_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    told = worker(opened(answers=[Failed("HTTP 400")] * 50))
    for number in range(4):
        told.offer(number)
    told.close(LONG)
    (line,) = [record.message for record in caplog.records]
    assert line.startswith("lineage events were not delivered: HTTP 400 (0 emitted, 1 failed, 0 dropped, ")


def test_a_sink_that_breaks_is_a_failure_and_not_the_end() -> None:
    endpoint = opened()
    broken = [True, False]

    def open_sink() -> Endpoint:
        if broken.pop(0):
            raise ValueError("canary")
        return endpoint

    told: Worker[int] = Worker(make, open_sink, Limits())
    told.offer(1)
    told.offer(2)
    assert told.close(LONG)
    assert (endpoint.got, told.counters.failed) == ([b"2"], 1)
    assert told.counters.last_error == "the transport failed (ValueError)"


def test_batches_go_where_they_can() -> None:
    endpoint = Endpoint(most=500)
    told = worker(endpoint)
    told.offer(0)
    assert endpoint.entered.wait(LONG)
    for number in range(1, 100):
        told.offer(number)
    endpoint.gate.set()
    assert told.close(LONG)
    assert endpoint.tries == 2
    assert len(endpoint.got) == 100


def test_no_thread_runs_before_the_first_event() -> None:
    before = threading.active_count()
    told = worker(opened())
    assert threading.active_count() == before
    assert told.close(0)


def test_a_forked_child_has_a_worker_of_its_own() -> None:
    """10,000 events while the process forks: each process delivers its own, and counts its own."""
    sinks: list[Endpoint] = []

    def open_sink() -> Endpoint:
        sinks.append(opened())  # a lock of the parent's may be locked for ever in the child
        return sinks[-1]

    told: Worker[int] = Worker(make, open_sink, Limits(queue=20_000))
    children = []
    for number in range(10_000):
        told.offer(number)
        if number in (10, 5_000, 9_999):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    fresh = told.counters.told == 0
                    told.offer(7)
                    status = 0 if fresh and told.close(LONG) and sinks[-1].got == [b"7"] else 1
                finally:
                    os._exit(status)
            children.append(child)
    assert told.close(LONG)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    assert sinks[0].got == [b"%d" % number for number in range(10_000)]


AT_EXIT = """
import sys
from datetime import UTC, datetime
from streamt.emitter import Engine, Outcome, Run, open_emitter
emitter = open_emitter(Engine("e", "1"), block={"enabled": True, "transport": "file", "path": sys.argv[1]})
run = Run(job="j", run_id="r", created_at=datetime.now(UTC))
emitter.run_started(run)
emitter.run_finished(run, Outcome.COMPLETE)
"""


def test_the_end_of_the_process_delivers_what_waits(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    patient = bare_environment() | {"STREAMT_LINEAGE_CLOSE": "30"}
    subprocess.run([sys.executable, "-c", AT_EXIT, file], check=True, env=patient, timeout=60)
    assert len(file.read_bytes().splitlines()) == 2


def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)
