"""The queue of events, and the thread that writes them in groups: a group is one transaction."""

import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from sqlalchemy import Connection

from streamt.catalog.ahead import Ahead, read_ahead
from streamt.catalog.applying import Outcome, Submission, Work, apply
from streamt.catalog.events import Event
from streamt.catalog.known_jobs import KnownJobs
from streamt.catalog.store import people
from streamt.catalog.store.engine import AwayError, ContendedError, Store
from streamt.catalog.store.ids import Ids, PendingIds
from streamt.catalog.store.ledger import job_key
from streamt.catalog.store.resolving import Registry, load_registry
from streamt.catalog.store.statements import Later
from streamt.catalog.values import Scope

GROUP = 50
QUEUE_EVENTS = 1_000
QUEUE_BYTES = 64 * 1024 * 1024
_LINGER_S = 0.001


class BusyError(Exception):
    """More events wait than the server takes; send again later.

    Attributes:
        seconds: after how many.
    """

    def __init__(self, seconds: int) -> None:
        super().__init__("more events wait than this server takes")
        self.seconds = seconds


@dataclass(slots=True)
class _Waiting:
    submission: Submission
    answer: "Future[Outcome]" = field(default_factory=Future)

    def __post_init__(self) -> None:
        """Take the answer as under way: a sender who goes away cannot cancel what is written all the same."""
        self.answer.set_running_or_notify_cancel()


class Writer:
    """Writes events, each durable before its sender hears of it.

    One thread does it, on PostgreSQL, too: several share one interpreter and make smaller groups, which costs more
    than it saves; what is to be written at the same time is for several servers.
    """

    def __init__(self, store: Store, clock: Callable[[], int] = time.time_ns) -> None:
        self._store = store
        self._clock = clock
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._events = 0
        self._bytes = 0
        self._ids = Ids()
        self._registry: Registry | None = None
        self._jobs = Remembered()
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Return how many events wait."""
        return self._events

    def submit(self, submissions: Sequence[Submission]) -> "list[Future[Outcome]]":
        """Queue events, those of one job in the order given.

        Raises:
            BusyError: the queue is full; none of them was queued.
        """
        size = sum(len(one.raw) for one in submissions)
        with self._lock:
            if self._events >= QUEUE_EVENTS or self._bytes >= QUEUE_BYTES:
                raise BusyError(1)
            self._events += len(submissions)
            self._bytes += size
        waiting = [_Waiting(one) for one in submissions]
        for one in waiting:
            self._queue.put(one)
        return [one.answer for one in waiting]

    def close(self) -> None:
        """Write what waits, then stop."""
        self._queue.put(None)
        self._thread.join(timeout=60)

    def _drain(self) -> None:
        last = 0
        while (first := self._queue.get()) is not None:
            group, stop = _collect(self._queue, first, expected=last)
            try:
                self._write(group)
            finally:
                with self._lock:
                    self._events -= len(group)
                    self._bytes -= sum(len(one.submission.raw) for one in group)
            if stop:
                return
            last = min(len(group) + self._queue.qsize(), GROUP)

    def _write(self, group: Sequence[_Waiting]) -> None:
        """Write a group; when it fails as a whole, each of its events by itself, unless the store is away."""
        try:
            for one, outcome in zip(group, self._transaction(group), strict=True):
                one.answer.set_result(outcome)
        except Exception as error:  # noqa: BLE001 - whatever it is, every sender hears of it, and the thread goes on
            # Two groups may lock the same edges crosswise; one event locks its edges in order.
            is_away = isinstance(error, AwayError) and not isinstance(error, ContendedError)
            if is_away or len(group) == 1:
                for one in group:
                    one.answer.set_exception(error)
                return
            for one in group:
                self._write([one])

    def _transaction(self, group: Sequence[_Waiting]) -> list[Outcome]:
        ids = self._ids

        def work(conn: Connection) -> tuple[list[Outcome], Registry, PendingIds, object]:
            state = self._store.state(conn)
            pending = ids.begin()
            events = [told for one in group if isinstance(told := one.submission.event, Event)]
            # A dataset is dropped while nobody else asserts anything: their claims would not be seen, nor the drop.
            self._store.lock_registry(conn, exclusive=any(one.dropped for one in events))
            self._store.lock_jobs(conn, [job_key(one.job) for one in events if one.job])
            registry = load_registry(conn, self._registry, ids)
            jobs, ahead = self._jobs.at(state), Ahead()
            if jobs is None:
                senders = [(one.submission.digest, one.submission.caller.user) for one in group]
                ahead, jobs = read_ahead(conn, pending, senders, events)
            later = Later(conn)
            means = Work(conn, pending, later, registry, Rights(conn), self._clock(), jobs, ahead)
            outcomes = [apply(means, one.submission) for one in group]
            later.flush()
            return outcomes, registry, pending, state

        outcomes, registry, pending, state = self._store.write(work)
        self._jobs.stand_at(self._store.next_state(state))
        self._registry = registry
        ids.keep(pending)
        return outcomes


class Remembered:
    """What was read and written of jobs, as long as nobody else writes: with one writer, nothing is read twice."""

    def __init__(self) -> None:
        self._state: object = None
        self._jobs = KnownJobs()

    def at(self, state: object) -> KnownJobs | None:
        """Return what is known when a transaction begins; until it is committed, nothing of it counts later."""
        if state is None:
            return None
        if state != self._state:
            self._jobs.clear()
        self._state = None
        return self._jobs

    def stand_at(self, state: object) -> None:
        """Trust what is known while the store is in this state."""
        self._state = state


class Rights:
    """What users may edit at present, each read once in a transaction."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self._known: dict[int, Scope] = {}

    def __call__(self, user: int) -> Scope:
        """Return what a user may edit."""
        if user not in self._known:
            self._known[user] = people.rights_of(self._conn, user)
        return self._known[user]


def _collect(
    lines: "queue.SimpleQueue[_Waiting | None]", first: _Waiting, *, expected: int
) -> tuple[list[_Waiting], bool]:
    """Take what waits already, up to a group, and wait a moment for as many as came a moment ago.

    Senders who wait for their answers come back together; a commit for each of them would cost more than the moment.
    """
    group = [first]
    end = time.monotonic() + _LINGER_S
    while len(group) < GROUP:
        try:
            if len(group) < expected and (left := end - time.monotonic()) > 0:
                one = lines.get(timeout=left)
            else:
                one = lines.get_nowait()
        except queue.Empty:
            break
        if one is None:
            return group, True
        group.append(one)
    return group, False
