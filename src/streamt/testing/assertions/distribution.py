"""The assertion that looks at how values are spread: distribution."""

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from streamt.testing.assertions.base import Accumulator, Batch, Column, Sample, absent, records
from streamt.testing.results import RecordPosition, Status, Verdict
from streamt.testing.values import exact_number, is_number

if TYPE_CHECKING:
    from streamt.project.language import Bucket, DistributionAssertion


class Distribution(Accumulator):
    """Each bucket holds about its share of all records; values that are no number are in none."""

    def __init__(self, assertion: "DistributionAssertion") -> None:
        self._column = Column(assertion.column)
        self._buckets = [_Counter(number, bucket) for number, bucket in enumerate(assertion.buckets, start=1)]

    def add(self, batch: Batch) -> None:
        """Put the values into buckets."""
        values = self._column.values(batch.records)
        for bucket in self._buckets:
            bucket.add(batch, values)

    def verdict(self, sample: Sample) -> Verdict:
        """Compare each bucket's share of the records with what is expected."""
        if not self._column.seen:
            return absent(self._column, sample.records)
        off = [bucket for bucket in self._buckets if bucket.excess(sample.records)]
        if not off:
            message = f"{records(sample.records)} judged"
            return Verdict(status=Status.PASSED, message=message, judged=sample.records)
        worst = max(off, key=lambda bucket: abs(bucket.excess(sample.records)))
        place = worst.place(sample.records)
        found = "; ".join(bucket.describe(sample.records) for bucket in off)
        return Verdict(
            status=Status.FAILED,
            message=f"{found}; see {place}" if place else found,
            failing=abs(worst.excess(sample.records)),
            judged=sample.records,
            place=place,
        )


class _Counter:
    """Counts the values of one bucket."""

    def __init__(self, number: int, bucket: "Bucket") -> None:
        self._number = number
        self._smallest = None if bucket.min is None else exact_number(bucket.min)
        self._end = None if bucket.max is None else exact_number(bucket.max)
        self._expected = exact_number(bucket.expected_ratio)
        self._tolerance = exact_number(bucket.tolerance)
        self._count = 0
        self._inside: RecordPosition | None = None
        self._outside: RecordPosition | None = None

    def add(self, batch: Batch, values: Sequence[Any]) -> None:
        inside = [self._holds(value) for value in values]
        self._count += inside.count(True)
        if self._inside is None and True in inside:
            self._inside = batch.place(inside.index(True))
        if self._outside is None and False in inside:
            self._outside = batch.place(inside.index(False))

    def _holds(self, value: Any) -> bool:
        if not is_number(value):
            return False
        above = self._smallest is None or value >= self._smallest
        return above and (self._end is None or value < self._end)

    def excess(self, total: int) -> int:
        """Give how many records it has too many, below zero too few; 0 within the tolerance."""
        if abs(self._count - self._expected * total) <= self._tolerance * total:
            return 0
        off = self._count - self._expected * total
        return round(off) or (1 if off > 0 else -1)

    def place(self, total: int) -> RecordPosition | None:
        """Give a record that should not be in it, or else one that should."""
        return self._inside if self.excess(total) > 0 else self._outside

    def describe(self, total: int) -> str:
        share = f"{_percent(self._expected)} with a tolerance of {_percent(self._tolerance)}"
        return f"bucket {self._number} holds {self._count} of {records(total)}, but {share} are expected"


def _percent(ratio: Decimal) -> str:
    return f"{(ratio * 100).normalize():f} %"
