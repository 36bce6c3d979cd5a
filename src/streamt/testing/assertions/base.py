"""What all assertions share: batches of records, columns, and the tally of what fails."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Protocol

from streamt.diagnostics import quote
from streamt.testing.decoding.exact_json import Record
from streamt.testing.results import RecordPosition, Status, Verdict


class Positioned(Protocol):
    """A record as the Kafka client gives it, as far as assertions look at it."""

    def partition(self) -> int | None:
        """Its partition."""

    def offset(self) -> int | None:
        """Its offset in the partition."""

    def timestamp(self) -> tuple[int, int]:
        """The kind of its timestamp, 0 if it has none, and milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some records of a sample.

    Attributes:
        records: their columns.
        messages: where each stands; as many as `records`.
        is_json: whether all of them were read from JSON, and none from Avro.
    """

    records: Sequence[Record]
    messages: Sequence[Positioned]
    is_json: bool = True

    def place(self, index: int) -> RecordPosition:
        """Tell where the record at `index` stands."""
        return place_of(self.messages[index])


@dataclass(frozen=True, slots=True)
class Sample:
    """What is known of a sample once it is read.

    Attributes:
        now: the time at which reading ended, in UTC.
        records: how many were decoded.
        finished: the partitions that were read to their end.
        unknown_types: for columns of Avro, the logical or Connect type that is read as its plain type.
    """

    now: datetime
    records: int
    finished: frozenset[int]
    unknown_types: Mapping[str, str] = field(default_factory=dict)


class Accumulator(ABC):
    """Judges an assertion while records stream by; their order does not matter to what it finds.

    Attributes:
        isolated: whether it hands what the records hold to a foreign program, so that its verdict is made in a
            process of its own.
    """

    isolated: ClassVar[bool] = False

    @abstractmethod
    def add(self, batch: Batch) -> None:
        """Take some more records into account."""

    @abstractmethod
    def verdict(self, sample: Sample) -> Verdict:
        """Judge what was seen."""


class Column:
    """A column, nested ones as `a.b`.

    Attributes:
        name: as the project file has it.
        seen: whether any record had it, be it without a value.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.seen = False
        self._path = tuple(name.split("."))

    def values(self, records: Sequence[Record]) -> list[Any]:
        """Give the column's value in each of `records`; None where there is none."""
        if len(self._path) == 1:
            name = self.name
            values = [record.get(name) for record in records]
        else:
            values = [self._dig(record)[1] for record in records]
        self.seen = self.seen or values.count(None) < len(values) or any(self._dig(record)[0] for record in records)
        return values

    def _dig(self, record: Record) -> tuple[bool, Any]:
        """Find the column in one record: whether it is there, and its value; a key with a dot comes first."""
        if self.name in record:
            return True, record[self.name]
        value: Any = record
        for part in self._path:
            if not isinstance(value, dict) or part not in value:
                return False, None
            value = value[part]
        return True, value


class Tally:
    """How many records were judged, how many failed, and where the first of these stands."""

    def __init__(self) -> None:
        self.judged = 0
        self.failing = 0
        self.place: RecordPosition | None = None

    def add(self, batch: Batch, failing: Sequence[int]) -> None:
        """Count a batch in which the records at the indexes `failing`, in ascending order, fail."""
        self.judged += len(batch.records)
        if failing:
            self.failing += len(failing)
            self.place = self.place or batch.place(failing[0])

    def verdict(self, found: str, *, allowed: int = 0) -> Verdict:
        """Make a verdict.

        Args:
            found: what the failing records do, such as "lack a value in `id`".
            allowed: how many may fail.
        """
        if self.failing <= allowed:
            return self._verdict(Status.PASSED, f"{records(self.judged)} judged")
        message = f"{self.failing} of {self.judged} records {found}"
        return self._verdict(Status.FAILED, f"{message}; see {self.place}")

    def _verdict(self, status: Status, message: str) -> Verdict:
        return Verdict(status=status, message=message, failing=self.failing, judged=self.judged, place=self.place)


def place_of(message: Positioned) -> RecordPosition:
    """Tell where `message` stands; only an event of the client, which is no record, stands nowhere."""
    return RecordPosition(message.partition() or 0, message.offset() or 0)


def absent(column: Column, judged: int) -> Verdict:
    """Make the verdict on a column that no record has: nothing was shown to hold."""
    message = f"none of {records(judged)} has a column {quote(column.name)}"
    return Verdict(status=Status.FAILED, message=message, failing=judged, judged=judged)


def records(count: int) -> str:
    """Write a number of records in words."""
    return f"{count} record" if count == 1 else f"{count} records"
