"""The worker process: whatever happens in it, its parent has an answer, and the next job a sound process."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from streamt.testing.assertions import Accumulator
from streamt.testing.sampling import process as processes
from streamt.testing.sampling.job import Job, Phase, Topic, Trouble, TroubleKind
from streamt.testing.sampling.process import Death, Outcome, Worker
from tests.e2e.broker import Broker
from tests.testing.sampling import judges


@pytest.fixture
def worker() -> Iterator[Worker]:
    with Worker() as running:
        yield running


@pytest.fixture(scope="module")
def topic(broker: Broker) -> Topic:
    return Topic(broker.topic_of([b'{"id": 1}', b'{"id": 2}']), {"bootstrap.servers": broker.address})


def run(worker: Worker, topic: Topic, *judged: Accumulator, seconds: float = 30) -> Outcome:
    return worker.run(Job(topic=topic, limit=10, seconds=seconds, judges=judged), lambda _done, _total: None)


def test_jobs_share_one_process(worker: Worker, topic: Topic) -> None:
    first = run(worker, topic, judges.Good())
    running = worker._process
    second = run(worker, topic, judges.Good(), judges.Print())
    assert worker._process is running is not None
    assert first.verdicts[0] == second.verdicts[1] == second.verdicts[0]
    assert (first.death, first.trouble) == (second.death, second.trouble) == (None, None)


@pytest.mark.parametrize(
    ("judge", "death"),
    [
        (judges.Crash(), Death(Phase.READING, "SIGSEGV")),
        (judges.Crash(signal.SIGABRT), Death(Phase.READING, "SIGABRT")),
        (judges.Crash(signal.SIGKILL), Death(Phase.READING, "SIGKILL")),
    ],
)
def test_a_crash_is_told_with_its_signal_and_the_next_job_is_done(
    worker: Worker, topic: Topic, judge: Accumulator, death: Death
) -> None:
    outcome = run(worker, topic, judges.Good(), judge)
    assert (outcome.death, outcome.verdicts) == (death, {})
    assert 0 in run(worker, topic, judges.Good()).verdicts


def test_code_that_hears_nothing_is_killed_when_its_time_is_up(
    worker: Worker, topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "GRACE_SECONDS", 0.5)
    assert run(worker, topic, judges.Hang(), seconds=2).death == Death(Phase.READING, None)
    assert 0 in run(worker, topic, judges.Good()).verdicts


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep the limit")
def test_memory_has_a_bound(worker: Worker, topic: Topic) -> None:
    outcome = run(worker, topic, judges.Hoard())
    assert outcome.trouble == Trouble(kind=TroubleKind.MEMORY)
    assert 0 in run(worker, topic, judges.Good()).verdicts


def test_what_nobody_foresaw_is_told_by_its_type_alone(worker: Worker, topic: Topic) -> None:
    outcome = run(worker, topic, judges.Raise())
    assert outcome.trouble == Trouble(kind=TroubleKind.UNFORESEEN, name="ZeroDivisionError")
    assert 0 in run(worker, topic, judges.Good()).verdicts


def test_a_query_that_crashes_or_hangs_costs_no_other_verdict(worker: Worker, topic: Topic) -> None:
    judged = (judges.CrashingQuery(), judges.Good(), judges.HangingQuery(), judges.Query())
    job = Job(topic=topic, limit=10, seconds=30, judges=judged, query_seconds=1)
    outcome = worker.run(job, lambda _done, _total: None)
    assert [outcome.verdicts[index].message for index in range(4)] == [
        "the query ends the process that runs it (SIGSEGV)",
        "2 records",
        "the query takes longer than 1 s",
        "2 records",
    ]
    assert outcome.death is None


def interrupt_when_running(worker: Worker, found: list[int]) -> None:
    while worker._process is None:
        time.sleep(0.01)
    found.append(worker._process.pid)
    time.sleep(0.5)  # to be in the midst of the job; it is right at any time
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_is_heard_at_once_and_leaves_no_process_behind(topic: Topic) -> None:
    found: list[int] = []
    with Worker() as worker:
        sender = threading.Thread(target=interrupt_when_running, args=(worker, found))
        sender.start()
        with pytest.raises(KeyboardInterrupt):
            run(worker, topic, judges.HangingQuery(), judges.Hang(), seconds=3600)
        sender.join()
    with pytest.raises(ProcessLookupError):
        os.killpg(found[0], 0)
