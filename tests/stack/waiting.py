"""Waiting for what a server will show, by asking it."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_SECONDS = 120.0


def until(ask: Callable[[], T | None]) -> T:
    """Ask until the answer is true, and return it.

    Raises:
        AssertionError: it is not within two minutes.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (answer := ask()):
        assert time.monotonic() < deadline, f"waited for {PATIENCE_SECONDS:.0f} s; the last answer was {answer!r}"
        time.sleep(0.05)
    return answer
