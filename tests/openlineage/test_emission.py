"""Delivery of a run's events changes nothing but the warnings, whatever happens to it."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from streamt.diagnostics import Code
from streamt.openlineage.emission import RunEmitter
from streamt.openlineage.identity import Identity
from streamt.openlineage.runs import CommandRun, Outcome
from streamt.openlineage.transport import DeliveryError, FileSettings, open_transport


class Interrupting:
    """A transport in whose every delivery something happens, as signals and servers have it."""

    def __init__(self, *happenings: BaseException | None) -> None:
        self._happenings: Iterator[BaseException | None] = iter(happenings)
        self.delivered: list[str] = []

    def emit(self, event: bytes) -> None:
        happening = next(self._happenings)
        if happening is not None:
            raise happening
        self.delivered.append(json.loads(event)["eventType"])

    def close(self) -> None:
        pass


def run() -> CommandRun:
    return CommandRun(uuid4(), Identity("jobs", "streamt/shop/commands/test"), "TEST")


def reasons(emitter: RunEmitter) -> list[str]:
    assert {warning.code for warning in emitter.warnings} <= {Code.EMIT_FAILED}
    return [warning.message for warning in emitter.warnings]


def test_a_file_gets_both_events(tmp_path: Path) -> None:
    emitter = RunEmitter(run(), open_transport(FileSettings(log_file_path=tmp_path / "events.jsonl")))
    emitter.start()
    emitter.finish(Outcome.COMPLETE)
    emitter.close()
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_bytes().splitlines()]
    assert [event["eventType"] for event in events] == ["START", "COMPLETE"]
    assert emitter.warnings == ()


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), SystemExit(143)])
def test_an_interrupt_while_start_is_delivered_is_said_and_goes_on(stop: BaseException) -> None:
    emitter = RunEmitter(run(), Interrupting(stop, None))
    with pytest.raises(type(stop)):
        emitter.start()
    emitter.finish(Outcome.ABORT)
    assert reasons(emitter) == ["the START event of this run was not delivered: interrupted"]


class Signalled:
    """A transport that sends signals to its own process while it delivers the end, and goes on.

    Args:
        signals: how many.
    """

    def __init__(self, signals: int) -> None:
        self._signals = signals
        self.delivered: list[str] = []

    def emit(self, event: bytes) -> None:
        event_type = json.loads(event)["eventType"]
        for _ in range(self._signals if event_type != "START" else 0):
            os.kill(os.getpid(), signal.SIGTERM)
        self.delivered.append(event_type)

    def close(self) -> None:
        pass


@pytest.fixture
def terminating() -> Iterator[None]:
    """Let SIGTERM raise SystemExit, as the command line does."""

    def terminate(*_: object) -> None:
        raise SystemExit(143)

    before = signal.signal(signal.SIGTERM, terminate)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("terminating")
def test_a_signal_while_the_end_is_delivered_takes_effect_after_it() -> None:
    transport = Signalled(1)
    emitter = RunEmitter(run(), transport)
    emitter.start()
    handler = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as stop:
        emitter.finish(Outcome.COMPLETE)
    assert (stop.value.code, transport.delivered, reasons(emitter)) == (143, ["START", "COMPLETE"], [])
    assert signal.getsignal(signal.SIGTERM) is handler


@pytest.mark.usefixtures("terminating")
def test_a_second_signal_while_the_end_is_delivered_takes_effect_at_once() -> None:
    transport = Signalled(2)
    emitter = RunEmitter(run(), transport)
    emitter.start()
    with pytest.raises(SystemExit):
        emitter.finish(Outcome.COMPLETE)
    assert (transport.delivered, reasons(emitter)) == (
        ["START"],
        ["the COMPLETE event of this run was not delivered: interrupted"],
    )
    emitter.close()
    assert transport.delivered == ["START"]


def test_in_another_thread_the_end_is_delivered_all_the_same() -> None:
    transport = Interrupting(None, None)
    emitter = RunEmitter(run(), transport)
    emitter.start()
    worker = threading.Thread(target=emitter.finish, args=(Outcome.COMPLETE,))
    worker.start()
    worker.join()
    assert transport.delivered == ["START", "COMPLETE"]


def test_a_run_that_nobody_ended_was_aborted() -> None:
    transport = Interrupting(None, None)
    emitter = RunEmitter(run(), transport)
    emitter.start()
    emitter.close()
    assert transport.delivered == ["START", "ABORT"]


def test_a_run_that_never_began_has_no_end() -> None:
    emitter = RunEmitter(run(), Interrupting())
    emitter.close()
    assert emitter.warnings == ()


def test_a_start_that_failed_does_not_keep_the_end_back() -> None:
    transport = Interrupting(DeliveryError("HTTP 500"), None)
    emitter = RunEmitter(run(), transport)
    emitter.start()
    emitter.finish(Outcome.FAIL, "1 of 2 tests did not pass")
    assert transport.delivered == ["FAIL"]
    assert reasons(emitter) == ["the START event of this run was not delivered: HTTP 500"]


def test_a_bug_in_a_transport_is_a_warning_without_its_text() -> None:
    emitter = RunEmitter(run(), Interrupting(RuntimeError("s3cret"), None))
    emitter.start()
    assert reasons(emitter) == ["the START event of this run was not delivered: RuntimeError"]


def test_the_end_is_never_earlier_than_the_start(tmp_path: Path) -> None:
    times = iter(
        datetime(2026, 11, 30, hour, tzinfo=UTC) for hour in (12, 12, 11)
    )  # rehearsal, START, a set-back clock
    transport = open_transport(FileSettings(log_file_path=tmp_path / "events.jsonl"))
    emitter = RunEmitter(run(), transport, now=lambda: next(times))
    emitter.start()
    emitter.finish(Outcome.COMPLETE)
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_bytes().splitlines()]
    assert [event["eventTime"] for event in events] == ["2026-11-30T12:00:00Z"] * 2
