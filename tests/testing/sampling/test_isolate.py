"""A call in a copy of this process: its answer, or how it ended."""

import faulthandler
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from streamt.testing.sampling.isolate import CallEndedError, call_isolated
from streamt.testing.sampling.limits import MIB

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def test_the_answer_comes_back() -> None:
    assert call_isolated(lambda: b"x" * 300_000, seconds=60, memory=100 * MIB) == b"x" * 300_000


def die() -> bytes:
    faulthandler.disable()  # its words would look like a failure of ours
    os.kill(os.getpid(), signal.SIGSEGV)
    return b""


def hoard() -> bytes:
    return bytes(1024 * MIB)


def leave() -> bytes:
    os._exit(3)


def sleep() -> bytes:
    time.sleep(3600)
    return b""


@pytest.mark.parametrize(
    ("call", "seconds", "reason"),
    [
        (die, 60, "ends the process that runs it (SIGSEGV)"),
        (leave, 60, "ends the process that runs it (exit status 3)"),
        pytest.param(
            hoard,
            60,
            "ends the process that runs it (exit status 1)",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep the limit"),
        ),
        (sleep, 1, "takes longer than 1 s"),
    ],
)
def test_what_ends_the_copy_is_told_and_ends_nothing_else(call: object, seconds: float, reason: str) -> None:
    assert callable(call)
    with pytest.raises(CallEndedError) as caught:
        call_isolated(call, seconds=seconds, memory=100 * MIB)
    assert caught.value.reason == reason


def children() -> set[str]:
    """Return the ids of this thread's child processes, those that ended and were not waited for among them."""
    return set(Path("/proc/thread-self/children").read_text(encoding="ascii").split())


@pytest.mark.skipif(not Path("/proc/thread-self/children").exists(), reason="only Linux lists a process's children")
def test_no_copy_is_left_behind() -> None:
    before = children()
    with pytest.raises(CallEndedError):
        call_isolated(sleep, seconds=0.1, memory=100 * MIB)
    assert children() <= before
