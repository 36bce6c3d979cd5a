"""Assertions that look at time: max_lag, throughput."""

from decimal import Decimal
from typing import TYPE_CHECKING

from streamt.diagnostics import quote
from streamt.testing.assertions.base import Accumulator, Batch, Column, Sample, absent, place_of, records
from streamt.testing.results import RecordPosition, Status, Verdict
from streamt.testing.values import epoch_seconds, exact_number

if TYPE_CHECKING:
    from streamt.project.language import MaxLagAssertion, ThroughputAssertion


class MaxLag(Accumulator):
    """The newest time in a column is not too long ago, and every value of the column is a time."""

    def __init__(self, assertion: "MaxLagAssertion") -> None:
        self._column = Column(assertion.column)
        self._allowed = exact_number(assertion.max_seconds)
        self._newest: Decimal | None = None
        self._place: RecordPosition | None = None
        self._unreadable = 0
        self._unreadable_place: RecordPosition | None = None

    def add(self, batch: Batch) -> None:
        """Look for a newer time."""
        times = self._column.values(batch.records)
        read = [None if value is None else epoch_seconds(value) for value in times]
        bad = [index for index, time in enumerate(read) if time is None and times[index] is not None]
        if bad:
            self._unreadable += len(bad)
            self._unreadable_place = self._unreadable_place or batch.place(bad[0])
        newest = max((time for time in read if time is not None), default=None)
        if newest is not None and (self._newest is None or newest > self._newest):
            self._newest = newest
            self._place = batch.place(read.index(newest))

    def verdict(self, sample: Sample) -> Verdict:
        """Compare the newest time with now."""
        if not self._column.seen:
            return absent(self._column, sample.records)
        if self._unreadable:
            found = f"{self._unreadable} of {sample.records} records have a value that is no time in"
            unknown = sample.unknown_types.get(self._column.name)
            note = f" (its Avro type {quote(unknown)} is not known)" if unknown else ""
            found = f"{found} {quote(self._column.name)}{note}"
            return self._failed(found, self._unreadable, self._unreadable_place, sample)
        if self._newest is None:
            return self._failed(f"no record has a value in {quote(self._column.name)}", sample.records, None, sample)
        lag = Decimal(repr(sample.now.timestamp())) - self._newest
        if lag > self._allowed:
            found = f"the newest of {records(sample.records)} is older than {self._allowed} s"
            return self._failed(found, sample.records, self._place, sample)
        message = f"{records(sample.records)} judged"
        return Verdict(status=Status.PASSED, message=message, judged=sample.records)

    def _failed(self, found: str, failing: int, place: RecordPosition | None, sample: Sample) -> Verdict:
        message = f"{found}; see {place}" if place else found
        return Verdict(status=Status.FAILED, message=message, failing=failing, judged=sample.records, place=place)


class Throughput(Accumulator):
    """Records come at a rate between two bounds.

    The rate of a partition is the number of its records in the sample over the time from the oldest of them (by
    Kafka's own timestamp) until now; the topic's rate is the sum. So a topic that has fallen silent becomes slow. Of
    a partition that could not be read to its end, the time ends at the newest record read.
    """

    def __init__(self, assertion: "ThroughputAssertion") -> None:
        smallest, largest = assertion.min_per_second, assertion.max_per_second
        self._smallest = None if smallest is None else exact_number(smallest)
        self._largest = None if largest is None else exact_number(largest)
        self._partitions: dict[int, _Flow] = {}

    def add(self, batch: Batch) -> None:
        """Count the records of each partition."""
        for message in batch.messages:
            partition = message.partition() or 0
            flow = self._partitions.get(partition)
            if flow is None:
                flow = self._partitions[partition] = _Flow(place_of(message))
            kind, milliseconds = message.timestamp()
            if kind:
                flow.add(milliseconds)

    def verdict(self, sample: Sample) -> Verdict:
        """Compare the rate with its bounds."""
        if any(flow.oldest is None for flow in self._partitions.values()):
            return Verdict(status=Status.ERROR, message="the records have no timestamps", judged=sample.records)
        rate = Decimal(0)
        for partition, flow in self._partitions.items():
            until = sample.now.timestamp() * 1000 if partition in sample.finished else float(flow.newest or 0)
            rate += flow.per_second(until)
        bound = self._broken(rate)
        if bound is None:
            message = f"{rate:.3g} records per second"
            return Verdict(status=Status.PASSED, message=message, judged=sample.records)
        place = next(flow.place for flow in self._partitions.values())
        message = f"{records(sample.records)} came at {rate:.3g} per second, {bound}; see {place}"
        judged = sample.records
        return Verdict(status=Status.FAILED, message=message, failing=judged, judged=judged, place=place)

    def _broken(self, rate: Decimal) -> str | None:
        if self._smallest is not None and rate < self._smallest:
            return f"fewer than {self._smallest}"
        return f"more than {self._largest}" if self._largest is not None and rate > self._largest else None


class _Flow:
    """The records of one partition over time."""

    def __init__(self, place: RecordPosition) -> None:
        self.place = place
        self.count = 0
        self.oldest: int | None = None
        self.newest: int | None = None

    def add(self, milliseconds: int) -> None:
        self.count += 1
        if self.oldest is None or milliseconds < self.oldest:
            self.oldest = milliseconds
        if self.newest is None or milliseconds > self.newest:
            self.newest = milliseconds

    def per_second(self, until: float) -> Decimal:
        """Give the rate from the oldest record until a time in milliseconds, at least one after it."""
        span = max(1.0, until - (self.oldest or 0))
        return self.count * 1000 / Decimal(repr(span))
