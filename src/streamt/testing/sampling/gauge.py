"""Counting and decoding what is read of one topic."""

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from streamt.net import Deadline
from streamt.testing.assertions.base import Batch, place_of
from streamt.testing.decoding.exact_json import Record
from streamt.testing.decoding.faults import Fault, Kind, Undecodable
from streamt.testing.decoding.wire_format import Schema, ValueDecoder
from streamt.testing.results import Cause, Counts, RecordPosition

if TYPE_CHECKING:
    from confluent_kafka import Message

# A record that was being decoded for so many seconds when the time was up is at fault itself.
SLOW_SECONDS = 1.0
# The header in which newer serializers put what names the schema.
_SCHEMA_HEADER = "__value_schema_id"
# A timer of 0 seconds would never ring.
_SHORTEST = 0.001


class TimeUpError(BaseException):
    """The time for decoding is up; no library on the way may catch it."""


class Gauge:
    """Counts what is read of one topic, and decodes it.

    Attributes:
        decode: decodes values.
        records: how many were decoded.
        stopped: whether the time was up before all that was read was decoded.
    """

    def __init__(self, decode: ValueDecoder, fetch: Callable[[int], Schema | None]) -> None:
        """Begin to count.

        Args:
            decode: decodes values.
            fetch: asks the registry for the schema of a number; None if it has none.
        """
        self.decode = decode
        self.records = 0
        self.stopped = False
        self._fetch = fetch
        self._tombstones = 0
        self._faults: dict[Fault, tuple[int, RecordPosition]] = {}
        # What is being decoded, and since when.
        self._message: Message | None = None
        self._began = 0.0

    @property
    def undecodable(self) -> int:
        """How many could not be decoded."""
        return sum(count for count, _place in self._faults.values())

    def batch(self, messages: Sequence["Message"], deadline: Deadline) -> Batch:
        """Decode `messages`, without those that have no value or cannot be decoded.

        Args:
            messages: from the client.
            deadline: what is not decoded by then is left out, and `stopped` is set.

        Raises:
            ClusterError: the registry cannot be asked for a schema.
        """
        # A value is bytes: no deserializer is set on the client.
        values: list[bytes | None] = [message.value() for message in messages]
        if (plain := self.decode.decode_flat(values)) is not None:  # which takes no time to speak of
            self.records += len(plain)
            return Batch(plain, messages)
        fetched = {number: self._fetch(number) for number in self.decode.needed(values)}
        records: list[Record] = []
        kept: list[Message] = []
        try:
            with _timer(deadline.left):
                for number, schema in fetched.items():
                    self.decode.learn(number, schema)
                self._decode_all(messages, values, records, kept)
        except TimeUpError:
            self.stopped = True
            if self._message is not None and time.monotonic() - self._began > SLOW_SECONDS:
                self._count(Fault(Kind.TOO_SLOW), self._message)
        del records[len(kept) :]
        self.records += len(records)
        return Batch(records, kept, is_json=not self.decode.reads_avro)

    def _decode_all(
        self, messages: Sequence["Message"], values: list[bytes | None], records: list[Record], kept: list["Message"]
    ) -> None:
        for message, value in zip(messages, values, strict=True):
            if value is None:
                self._tombstones += 1
                continue
            self._message, self._began = message, time.monotonic()
            try:
                records.append(self.decode(value))
            except Undecodable as error:
                self._count(_named_in_header(message) or error.fault, message)
            else:
                kept.append(message)
        self._message = None

    def counts(self, *, timed_out: bool) -> Counts:
        """Return what was counted."""
        causes = tuple(Cause(fault, count, place) for fault, (count, place) in self._faults.items())
        return Counts(
            records=self.records, tombstones=self._tombstones, causes=causes, timed_out=timed_out or self.stopped
        )

    def _count(self, fault: Fault, message: "Message") -> None:
        count, place = self._faults.get(fault) or (0, place_of(message))
        self._faults[fault] = count + 1, place


@contextmanager
def _timer(seconds: float) -> Iterator[None]:
    """Raise `TimeUpError` in the block when the time is up."""
    before = signal.signal(signal.SIGALRM, _time_up)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, _SHORTEST))
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _time_up(_signal: int, _frame: FrameType | None) -> None:
    raise TimeUpError


def _named_in_header(message: "Message") -> Fault | None:
    """Tell a value whose schema is named in a header from one that is merely broken."""
    names = {header[0] for header in message.headers() or ()}
    return Fault(Kind.SCHEMA_IN_HEADER) if _SCHEMA_HEADER in names else None
