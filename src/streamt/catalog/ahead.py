"""What a group of events will ask for, read together: on PostgreSQL each question costs a round trip."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from streamt.catalog.events import Event
from streamt.catalog.known_jobs import JobState, KnownJobs
from streamt.catalog.store import claims, ledger
from streamt.catalog.store.ids import PendingIds
from streamt.catalog.store.tables import job
from streamt.catalog.values import Scope


@dataclass(slots=True)
class Ahead:
    """What was read ahead, each for the first who asks: after them it may have changed.

    Attributes:
        seen: earlier events, by body and submitter.
        runs: what is kept of runs, by job and id.
    """

    seen: dict[tuple[bytes, int], list[tuple[int, Scope]]] = field(default_factory=dict)
    runs: dict[tuple[int, str], Any] = field(default_factory=dict)

    def seen_before(self, conn: Connection, digest: bytes, submitter: int) -> list[tuple[int, Scope]]:
        """Return the earlier events of a body from a submitter, with their scopes."""
        key = (digest, submitter)
        return self.seen.pop(key) if key in self.seen else ledger.seen(conn, digest, submitter)

    def run(self, conn: Connection, job_number: int, uuid: str) -> Any:
        """Return what is kept of a run; None if nothing is."""
        key = (job_number, uuid)
        return self.runs.pop(key) if key in self.runs else ledger.find_run(conn, job_number, uuid)


def read_ahead(
    conn: Connection, ids: PendingIds, senders: Sequence[tuple[bytes, int]], events: Sequence[Event]
) -> tuple[Ahead, KnownJobs]:
    """Read what a group needs whose jobs are locked, so that nobody else changes what is kept of them.

    Args:
        conn: the transaction.
        ids: the numbers that are known.
        senders: body and submitter of each event.
        events: those that could be read.
    """
    earlier = ledger.all_seen(conn, [digest for digest, _ in senders])
    ahead = Ahead({sender: earlier.get(sender, []) for sender in senders})
    names = {one.job for one in events if one.job}
    numbers = {name: ids.find(conn, job, ledger.job_key(name)) for name in names}
    known = [number for number in numbers.values() if number is not None]
    jobs = KnownJobs()
    if not known:
        return ahead, jobs
    truths, stored = ledger.authorities_of_jobs(conn, known), claims.claims_of_jobs(conn, ids, known)
    for number in known:
        jobs.put(JobState(number, tuple(truths[number]), stored[number]))
    asked = [(numbers[one.job], one.run) for one in events if one.job and one.run]
    found = ledger.find_runs(conn, known, [uuid for _, uuid in asked])
    ahead.runs |= {(number, uuid): found.get((number, uuid)) for number, uuid in asked if number is not None}
    return ahead, jobs
