"""One thread per process and configuration: it takes what was told from a bounded queue, makes events, and sends them.

The caller only puts a frozen value on the queue. Everything that costs time or can fail happens here, where nobody
waits: models, validation, JSON and the network (E5).
"""

import atexit
import logging
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from streamt.emitter.delivery import Failed, Sink

T = TypeVar("T")
Make = Callable[[T, Callable[[str], None]], bytes]

RETRY_PAUSE_S = 0.5
LONGEST_PAUSE_S = 5.0
FAILURES_BEFORE_PAUSE = 5
"""After so many failures in a row there is only one try each `BREAKER_PAUSE_S` (E6)."""
BREAKER_PAUSE_S = 60.0
LOG_EVERY_S = 60.0

log = logging.getLogger("streamt.emitter")
log.addHandler(logging.NullHandler())  # a library says nothing on stderr unless somebody asks for its log


class UntellableError(ValueError):
    """No valid event can be made of what was told; the text may be logged, so it holds no value."""


@dataclass(frozen=True, slots=True)
class Counters:
    """What became of everything that was told: `told` is the sum of the next three and of what is queued.

    Attributes:
        told: how many events were to be delivered.
        emitted: delivered.
        failed: not delivered, or not valid.
        dropped: thrown away, because the queue was full or the time to close was up.
        queued: waiting, the one that is being delivered included.
        last_error: why the last loss was one, in words of ours; None where there was none.
    """

    told: int = 0
    emitted: int = 0
    failed: int = 0
    dropped: int = 0
    queued: int = 0
    last_error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The numbers of a worker.

    Attributes:
        queue: how many events wait at most.
        close_s: seconds for which the end of the process waits.
        retry_pause_s: seconds between the two tries.
        breaker_pause_s: seconds between two tries once the catalog seems dead.
    """

    queue: int = 1000
    close_s: float = 2.0
    retry_pause_s: float = RETRY_PAUSE_S
    breaker_pause_s: float = BREAKER_PAUSE_S


class Worker(Generic[T]):
    """Delivers what `offer` takes, in its order; safe for any number of threads, and for forks."""

    def __init__(self, make: Make[T], open_sink: Callable[[], Sink], limits: Limits) -> None:
        """Prepare; no thread is started and nothing is opened before the first event.

        Args:
            make: makes an event's bytes of what was told, checked; what it raises is counted as a failure.
            open_sink: opens where the events go.
            limits: the numbers.
        """
        self._make = make
        self._open_sink = open_sink
        self._limits = limits
        self._reset()
        _remember(self)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._queue: deque[T] = deque()
        self._thread: threading.Thread | None = None
        self._sink: Sink | None = None
        self._in_hand = 0
        self._told = self._emitted = self._failed = self._dropped = 0
        self._in_a_row = 0
        self._last_error: str | None = None
        self._logged_at = -LOG_EVERY_S
        self._give_up_at: float | None = None

    def offer(self, item: T) -> None:
        """Queue `item`, or drop and count it; all that this waits for is a lock that is held for microseconds."""
        with self._lock:
            self._told += 1
            if len(self._queue) >= self._limits.queue:
                self._dropped += 1
                return
            self._queue.append(item)
            if self._thread is None:
                self._start()
            elif len(self._queue) == 1:
                self._changed.notify_all()

    @property
    def counters(self) -> Counters:
        """What became of everything, all numbers of one moment."""
        with self._lock:
            waiting = len(self._queue) + self._in_hand
            return Counters(self._told, self._emitted, self._failed, self._dropped, waiting, self._last_error)

    def close(self, timeout: float | None = None) -> bool:
        """Deliver what waits, for at most `timeout` seconds; drop and count the rest. It may be used again afterwards.

        Args:
            timeout: seconds; by default those of the limits.

        Returns:
            Whether nothing had to be dropped.
        """
        end = time.monotonic() + (self._limits.close_s if timeout is None else timeout)
        with self._lock:
            self._give_up_at = end
            self._changed.notify_all()
            while (self._queue or self._in_hand) and (left := end - time.monotonic()) > 0:
                self._changed.wait(left)
            rest = len(self._queue) + self._in_hand
            if rest:
                self._dropped += rest
                self._last_error = self._last_error or "they still waited when the time to deliver them was over"
            self._queue.clear()
            self._in_hand = 0
            self._give_up_at = None
        return rest == 0

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="streamt-emitter", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the interpreter is ending, or the system starts no further thread
            self._dropped += len(self._queue)
            self._queue.clear()
            self._last_error = "no thread could be started"
            return
        self._thread = thread

    def _run(self) -> None:
        while True:
            batch = self._next()
            lines = [line for line in map(self._made, batch) if line is not None]
            if lines:
                self._count(len(lines), self._sent(lines))

    def _next(self) -> list[T]:
        """Wait for events, and while the catalog seems dead, for the next try."""
        with self._lock:
            while not self._queue:
                self._changed.wait()
            self._await_breaker()
            most = self._sink.most if self._sink else 1
            batch = [self._queue.popleft() for _ in range(min(most, len(self._queue)))]
            self._in_hand = len(batch)
            return batch

    def _await_breaker(self) -> None:
        if self._in_a_row < FAILURES_BEFORE_PAUSE:
            return
        end = time.monotonic() + self._limits.breaker_pause_s
        while self._give_up_at is None and (left := end - time.monotonic()) > 0:
            self._changed.wait(left)

    def _made(self, item: T) -> bytes | None:
        try:
            return self._make(item, self._note)
        except UntellableError as error:
            self._fail(1, str(error))
        except Exception as error:  # noqa: BLE001 - an event that cannot be made is counted, whatever is wrong with it
            self._fail(1, f"an event could not be made ({type(error).__name__})")
        return None

    def _sent(self, lines: list[bytes]) -> Failed | None:
        failed = self._try(lines)
        if failed is None or not failed.may_retry or not self._wait_for_retry(failed):
            return failed
        return self._try(lines)

    def _try(self, lines: list[bytes]) -> Failed | None:
        try:
            self._sink = self._sink or self._open_sink()
            return self._sink.deliver(lines)
        except Exception as error:  # noqa: BLE001 - no fault of a sink may end the thread
            return Failed(f"the transport failed ({type(error).__name__})")

    def _wait_for_retry(self, failed: Failed) -> bool:
        """Wait for the second try; report whether there is time for one."""
        pause = self._limits.retry_pause_s if failed.pause is None else failed.pause
        if pause > LONGEST_PAUSE_S or self._in_a_row >= FAILURES_BEFORE_PAUSE:
            return False
        end = time.monotonic() + pause
        with self._lock:
            while (left := end - time.monotonic()) > 0:
                if self._give_up_at is not None and self._give_up_at < end:
                    return False
                self._changed.wait(left)
        return True

    def _count(self, number: int, failed: Failed | None) -> None:
        if failed is not None:
            self._in_a_row += 1
            self._fail(number, failed.reason)
            return
        with self._lock:
            self._in_a_row = 0
            self._emitted += self._taken(number)
            self._changed.notify_all()

    def _fail(self, number: int, reason: str) -> None:
        with self._lock:
            self._failed += self._taken(number)
            self._last_error = reason
            self._changed.notify_all()
        self._log(f"lineage events were not delivered: {reason}")

    def _taken(self, number: int) -> int:
        """Take events out of the hand; those that `close` has dropped meanwhile are counted already."""
        taken = min(number, self._in_hand)
        self._in_hand -= taken
        return taken

    def _note(self, text: str) -> None:
        self._log(text)

    def _log(self, message: str) -> None:
        """Log one line a minute at most, with the counters."""
        now = time.monotonic()
        if now - self._logged_at < LOG_EVERY_S:
            return
        self._logged_at = now
        counters = self.counters
        log.warning(
            "%s (%d emitted, %d failed, %d dropped, %d queued)",
            message,
            counters.emitted,
            counters.failed,
            counters.dropped,
            counters.queued,
        )


_workers: "weakref.WeakSet[Worker[object]]" = weakref.WeakSet()


def _remember(worker: "Worker[T]") -> None:
    if not _workers and not _hooked:
        _hooked.append(True)
        atexit.register(_close_all)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_reset_all)
    _workers.add(worker)  # type: ignore[arg-type]  # what it makes is its own concern


_hooked: list[bool] = []


def _close_all() -> None:
    for worker in list(_workers):
        worker.close()


def _reset_all() -> None:
    """In a forked child: a new queue and new connections, counters at 0; the parent's events stay the parent's."""
    for worker in list(_workers):
        worker._reset()  # noqa: SLF001 - this module's own
