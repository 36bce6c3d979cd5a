"""The jobs that a writer remembers: the ones that sent events last, within a bound of memory."""

from collections.abc import Mapping
from dataclasses import dataclass

from streamt.catalog.reconcile import Authority
from streamt.catalog.store.claims import Slot, Stored

CLAIMS = 200_000
"""The most that is remembered, about 100 MiB; a job without claims counts as one."""


@dataclass(frozen=True, slots=True)
class JobState:
    """What is kept of a job.

    Attributes:
        number: the job's number.
        authorities: its latest truths.
        stored: all of its claims.
    """

    number: int
    authorities: tuple[Authority, ...]
    stored: Mapping[Slot, Stored]

    @property
    def size(self) -> int:
        """Return how much of the bound it takes."""
        return max(len(self.stored), 1)


class KnownJobs:
    """Jobs by number, those of the latest events."""

    def __init__(self, most: int = CLAIMS) -> None:
        self._most = most
        self._size = 0
        self._jobs: dict[int, JobState] = {}

    def get(self, number: int) -> JobState | None:
        """Return a job; None if it is not remembered."""
        return self._jobs.get(number)

    def put(self, job: JobState) -> None:
        """Remember a job, and forget those that sent nothing for longest where there are too many."""
        before = self._jobs.pop(job.number, None)
        self._size += job.size - (before.size if before else 0)
        self._jobs[job.number] = job
        while self._size > self._most:
            self._size -= self._jobs.pop(next(iter(self._jobs))).size

    def clear(self) -> None:
        """Forget all."""
        self._jobs.clear()
        self._size = 0
