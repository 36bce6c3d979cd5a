"""A call in a process of its own that is made for it alone, with memory and time that are really kept."""

import os
import selectors
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from streamt.testing.sampling.limits import limit_memory

_CHUNK = 65_536
_LARGEST_ANSWER = 1024 * 1024


class CallEndedError(Exception):
    """The process ended before it had an answer.

    Attributes:
        reason: why, in words that follow "the query".
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def call_isolated(call: Callable[[], bytes], *, seconds: float, memory: int) -> bytes:
    """Return what `call` gives in a copy of this process.

    The copy shares this process's memory until it writes to it. So this process must have no other threads.

    Args:
        call: what to do; at most 1 MiB of what it gives comes back.
        seconds: after so many the copy is killed.
        memory: the bytes that the copy may take beside those that it shares.

    Raises:
        CallEndedError: the time was up, or the copy crashed or ran out of memory.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _answer(call, writing, memory)
    os.close(writing)
    try:
        answer = _read(reading, seconds)
    finally:
        os.close(reading)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        _pid, status = os.waitpid(child, 0)
    if answer is None:
        raise CallEndedError(f"takes longer than {seconds:.0f} s")
    code = os.waitstatus_to_exitcode(status)
    if not answer or (code and code != -signal.SIGKILL):
        raise CallEndedError(f"ends the process that runs it ({describe_end(code)})")
    return answer


def describe_end(code: int) -> str:
    """Say how a process ended, by its exit code as `subprocess` has it."""
    if code >= 0:
        return f"exit status {code}"
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


def _answer(call: Callable[[], bytes], writing: int, memory: int) -> None:
    """Do the work of the copy, and end it without anything that the original would do at its end."""
    status = 1
    try:
        limit_memory(memory)
        left = memoryview(call()[:_LARGEST_ANSWER])
        while left:
            left = left[os.write(writing, left) :]
        status = 0
    finally:
        os._exit(status)


def _read(descriptor: int, seconds: float) -> bytes | None:
    """Read to the end; None when the time is up first."""
    end = time.monotonic() + seconds
    parts: list[bytes] = []
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while True:
            if not selector.select(max(0.0, end - time.monotonic())):
                return None
            part = os.read(descriptor, _CHUNK)
            if not part:
                return b"".join(parts)
            parts.append(part)
