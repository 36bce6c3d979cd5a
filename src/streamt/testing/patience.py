"""Calls that must not take longer than they may, and that a signal must be able to break off."""

import time
from collections.abc import Callable
from threading import Event, Thread
from typing import TypeVar

Found = TypeVar("Found")
# Seconds after which the main thread looks for signals.
_SLICE = 0.1
# Seconds between two requests to stop: one that comes before the work begins is not heard.
_AGAIN = 0.05
# Seconds that a call is given to stop.
_STOPPING = 5.0


def within(seconds: float, call: Callable[[], Found], stop: Callable[[], None] | None = None) -> Found:
    """Give what `call` gives, or raise what it raises.

    It runs in another thread: Python handles signals in the main one, which waits here.

    Args:
        seconds: how long to wait for it.
        call: what to do.
        stop: asks `call` to stop. Without it, a call that takes too long is left alone, and ends with the process.

    Raises:
        TimeoutError: it takes longer.
    """
    found: list[Found] = []
    raised: list[BaseException] = []
    # A thread whose `join` a signal breaks off counts as ended in Python 3.11, so it has to say itself when it is.
    ended = Event()

    def run() -> None:
        try:
            found.append(call())
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is awaited
            raised.append(error)
        finally:
            ended.set()

    Thread(target=run, daemon=True).start()
    try:
        deadline = time.monotonic() + seconds
        # In slices: a signal that another thread catches does not wake this one.
        while not ended.wait(min(_SLICE, max(0.0, deadline - time.monotonic()))):
            if time.monotonic() >= deadline:
                raise TimeoutError
    finally:
        if stop is not None:
            _end(ended, stop)
    if raised:
        raise raised[0]
    return found[0]


def _end(ended: Event, stop: Callable[[], None]) -> None:
    give_up = time.monotonic() + _STOPPING
    while not ended.is_set() and time.monotonic() < give_up:
        stop()
        ended.wait(_AGAIN)
