"""From the threads that write to the loop that answers."""

import asyncio
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from typing import Any


class Waking:
    """Wakes those who wait for events, with one call for all that is answered at once: each call wakes the loop."""

    def __init__(self) -> None:
        self._ready: deque[asyncio.Future[None]] = deque()
        self._called = False

    async def all_of(self, answers: "Sequence[Future[Any]]") -> None:
        """Wait until all of some answers, of which there must be one at least, are there."""
        waiter = asyncio.get_running_loop().create_future()
        left = count(len(answers) - 1, -1)

        def answered(_answer: "Future[Any]") -> None:
            if next(left) == 0:
                self._wake_later(waiter)

        for one in answers:
            one.add_done_callback(answered)
        await waiter

    def _wake_later(self, waiter: "asyncio.Future[None]") -> None:
        """Have the loop wake who waits; any thread may call this.

        Two threads at once may both call the loop, which does no harm; none goes without, since `_wake` takes the mark
        away before it looks.
        """
        self._ready.append(waiter)
        if not self._called:
            self._called = True
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                waiter.get_loop().call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._called = False
        while self._ready:
            waiter = self._ready.popleft()
            if not waiter.done():
                waiter.set_result(None)
