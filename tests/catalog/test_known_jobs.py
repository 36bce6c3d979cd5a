"""What a writer remembers stays within its bound, and the jobs that sent last are those that stay."""

from streamt.catalog.known_jobs import JobState, KnownJobs
from streamt.catalog.reconcile import Claim, Edge
from streamt.catalog.store.claims import Slot, Stored
from streamt.catalog.values import Moment


def job(number: int, claims: int) -> JobState:
    said = Claim(1, Moment(1), settled=True)
    return JobState(number, (), {Slot(Edge(1, 2 + at), 0): Stored(at, 0, 1, said) for at in range(claims)})


def test_the_jobs_that_sent_nothing_for_longest_are_forgotten() -> None:
    known = KnownJobs(most=10)
    for number in (1, 2):
        known.put(job(number, 4))
    known.put(job(1, 5))
    known.put(job(3, 5))
    assert [known.get(number) is not None for number in (1, 2, 3)] == [True, False, True]


def test_jobs_without_claims_and_jobs_that_are_too_large_are_bounded_too() -> None:
    known = KnownJobs(most=10)
    for number in range(20):
        known.put(job(number, 0))
    assert [number for number in range(20) if known.get(number)] == list(range(10, 20))
    known.put(job(99, 11))
    assert known.get(99) is None


def test_a_job_that_is_put_again_counts_once() -> None:
    known = KnownJobs(most=10)
    for _ in range(5):
        known.put(job(1, 6))
    known.put(job(2, 4))
    assert known.get(1) is not None
    known.clear()
    known.put(job(3, 10))
    assert known.get(1) is None
    assert known.get(3) is not None
