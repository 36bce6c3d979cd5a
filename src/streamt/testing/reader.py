"""Read the records of one topic, without a trace on the broker: no consumer group, no commit.

Partitions are assigned with explicit offsets, and every call into the client is short, so that an interrupt is
heard at once. What the client or a broker says is never shown: it can hold addresses and names that are secret.
"""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from streamt.diagnostics import ProjectPath, StreamtError
from streamt.testing.connection import Access
from streamt.testing.problems import cannot_run

if TYPE_CHECKING:
    from confluent_kafka import Consumer, KafkaError, Message

# Seconds that one call into the client may take.
SLICE = 0.2
# Seconds to wait for a first answer of a broker; less, if the test's own time is shorter.
PATIENCE = 10.0
BATCH = 5_000

_SETTINGS: Mapping[str, str | int | bool] = {
    # librdkafka asks for a group's name. Nothing subscribes or commits, so the broker never sees a member of it.
    "group.id": "streamt-test",
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "allow.auto.create.topics": False,
    "isolation.level": "read_committed",
    "enable.partition.eof": True,
    # Retention may remove the first offset between asking for it and reading it.
    "auto.offset.reset": "earliest",
    "queued.max.messages.kbytes": 16_384,
    # How long a broker may wait for more records; there is nothing to wait for.
    "fetch.wait.max.ms": 50,
    "client.id": "streamt-test",
    # The client's own log goes to stderr, with addresses and what brokers say.
    "log_level": 0,
    "log.connection.close": False,
}
_HINTS = {
    "_AUTHENTICATION": "check security_protocol, sasl_mechanism, sasl_username and sasl_password",
    "_SSL": "check security_protocol and ssl_ca_location",
    "_RESOLVE": "check the host names of the brokers",
    "TOPIC_AUTHORIZATION_FAILED": "the user needs the right to read and describe the topic",
    "UNKNOWN_TOPIC_OR_PART": "deploy it, or check the topic's name",
}
_AT_ONCE = frozenset({"_AUTHENTICATION", "_SSL"})
# The group exists in name only, so a broker that forbids it forbids nothing that is needed.
_HARMLESS = frozenset({"GROUP_AUTHORIZATION_FAILED", "_ALL_BROKERS_DOWN"})
_WAIT_AND_SEE = frozenset({"_TRANSPORT", "_TIMED_OUT", "LEADER_NOT_AVAILABLE", "NOT_LEADER_FOR_PARTITION", "_RESOLVE"})


class Deadline:
    """A point in time, from now on."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until it; 0 once it has passed."""
        return max(0.0, self._end - time.monotonic())

    def extend(self, seconds: float) -> None:
        """Move it."""
        self._end += seconds


@dataclass(frozen=True, slots=True)
class Span:
    """Offsets of one partition: from `start`, included, to `end`, excluded."""

    partition: int
    start: int
    end: int


def spread(spans: tuple[Span, ...], limit: int) -> tuple[Span, ...]:
    """Take the last `limit` offsets of `spans`, as evenly as the partitions allow.

    A partition that has less than its share leaves the rest to the others.
    """
    taken = []
    by_size = sorted(spans, key=lambda span: (span.end - span.start, span.partition))
    for index, span in enumerate(by_size):
        # The larger partitions come last, so they get what a rounded share leaves over.
        size = min(span.end - span.start, limit // (len(by_size) - index))
        limit -= size
        taken.append(Span(span.partition, span.end - size, span.end))
    return tuple(sorted(taken, key=lambda span: span.partition))


class TopicReader:
    """One topic, opened; a context manager.

    Attributes:
        access: where the topic is.
        spans: what it held when it was opened, for each partition.
        timed_out: whether the time was up before all that was asked for had been read.
        finished: the partitions of which all that was asked for has been read.
    """

    def __init__(self, access: Access, seconds: float, location: ProjectPath) -> None:
        """Connect to the broker and ask for the topic's offsets.

        Args:
            access: where the topic is.
            seconds: how long all reading may take.
            location: the place of the test, for what goes wrong.

        Raises:
            StreamtError: E531; the client is not installed, the broker does not answer, the login is refused,
                or there is no such topic.
        """
        self.access = access
        self._location = location
        self._deadline = Deadline(seconds)
        self._last_error: str | None = None
        self.timed_out = False
        self.finished: set[int] = set()
        self._consumer = _consumer(access, self._note_error, location)
        try:
            self.spans = self._watermarks(min(PATIENCE, seconds))
        except BaseException:
            self._consumer.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._consumer.close()

    def extend(self, seconds: float) -> None:
        """Give the reading `seconds` more, for what was done meanwhile."""
        self._deadline.extend(seconds)

    def newest(self, limit: int) -> Iterator[list["Message"]]:
        """Give up to `limit` of the newest records with a value, spread over the partitions, in batches.

        Records without a value come too, beyond the limit. Offsets have gaps (transactions, compaction), so if the
        last `limit` offsets hold fewer records, older ones are looked at, ever more of them at a time.

        Raises:
            StreamtError: E531, as `read`.
        """
        window = spread(self.spans, limit)
        missing = limit
        for batch in self.read(window):
            missing -= _valued(batch)
            yield batch
        size = limit
        while missing and not self.timed_out and (older := self._before(window)):
            size *= 2
            window = spread(older, size)
            kept = self._last_of(window, missing)
            missing -= _valued(kept)
            yield kept

    def everything(self) -> Iterator[list["Message"]]:
        """Give all records, in batches, up to the end that the topic had when it was opened.

        Raises:
            StreamtError: E531, as `read`.
        """
        return self.read(self.spans)

    def read(self, spans: tuple[Span, ...]) -> Iterator[list["Message"]]:
        """Give the records of `spans`, in batches, until they are read or the time is up.

        Raises:
            StreamtError: E531; a broker refuses.
        """
        from confluent_kafka import TopicPartition

        ends = {span.partition: span.end for span in spans if span.start < span.end}
        self.finished |= {span.partition for span in spans} - ends.keys()
        topic = self.access.topic
        starts = [TopicPartition(topic, span.partition, span.start) for span in spans if span.partition in ends]
        self._consumer.assign(starts)
        self._consumer.resume(starts)  # a partition stays paused from one assignment to the next
        remaining = sum(span.end - span.start for span in spans)
        while ends:
            if not self._deadline.left:
                self.timed_out = True
                return
            messages = self._consumer.consume(max(1, min(BATCH, remaining)), timeout=min(SLICE, self._deadline.left))
            batch = self._sort_out(messages, ends)
            remaining -= len(batch)
            if batch:
                yield batch
        self._consumer.unassign()

    def _sort_out(self, messages: list["Message"], ends: dict[int, int]) -> list["Message"]:
        """Keep the records before `ends`, and drop each partition from `ends` whose end is reached."""
        batch = []
        for message in messages:
            # This runs for each record. Only an event of the client has no place, and then no end either.
            partition, offset, error = message.partition() or 0, message.offset() or 0, message.error()
            if error is not None:
                self._judge_message_error(error, partition, ends)
            elif (end := ends.get(partition)) is not None:
                if offset < end:
                    batch.append(message)
                if offset >= end - 1:
                    self._finish(partition, ends)
        return batch

    def _watermarks(self, patience: float) -> tuple[Span, ...]:
        """Ask each partition for its first offset and for the one after its last."""
        from confluent_kafka import KafkaException, TopicPartition

        deadline = Deadline(patience)
        spans = []
        for partition in self._partitions(deadline):
            while True:
                try:
                    asked = TopicPartition(self.access.topic, partition)
                    offsets = self._consumer.get_watermark_offsets(asked, timeout=max(SLICE, 0.5))
                except KafkaException as error:
                    self._wait_or_give_up(error.args[0].name(), deadline)
                    continue
                spans.append(Span(partition, *offsets))
                break
        return tuple(spans)

    def _partitions(self, deadline: Deadline) -> list[int]:
        from confluent_kafka import KafkaException

        while True:
            try:
                metadata = self._consumer.list_topics(self.access.topic, timeout=0.5).topics[self.access.topic]
            except KafkaException as error:
                self._wait_or_give_up(error.args[0].name(), deadline)
                continue
            if metadata.error is None:
                return sorted(metadata.partitions)
            self._wait_or_give_up(metadata.error.name(), deadline)

    def _wait_or_give_up(self, name: str, deadline: Deadline) -> None:
        """Return if it is worth trying again."""
        self._consumer.poll(0)  # lets the client report what it has seen meanwhile
        if self._last_error in _AT_ONCE:
            raise self._refused(self._last_error)
        if name not in _WAIT_AND_SEE or not deadline.left:
            raise self._refused(self._last_error if name in _WAIT_AND_SEE and self._last_error else name)

    def _note_error(self, error: "KafkaError") -> None:
        """Remember what the client reports between its answers; a wrong login matters more than what follows it."""
        if error.name() not in _HARMLESS and self._last_error not in _AT_ONCE:
            self._last_error = error.name()

    def _refused(self, name: str) -> StreamtError:
        message = f"the topic of {self.access.target} cannot be read from {self.access.broker}: {_describe(name)}"
        return cannot_run(message, self._location, _HINTS.get(name))

    def _judge_message_error(self, error: "KafkaError", partition: int, ends: dict[int, int]) -> None:
        name = error.name()
        if name == "_PARTITION_EOF":
            self._finish(partition, ends)
        elif name not in _WAIT_AND_SEE | _HARMLESS:
            raise self._refused(name)

    def _finish(self, partition: int, ends: dict[int, int]) -> None:
        from confluent_kafka import TopicPartition

        if ends.pop(partition, None) is not None:
            self.finished.add(partition)
            self._consumer.pause([TopicPartition(self.access.topic, partition)])

    def _before(self, window: tuple[Span, ...]) -> tuple[Span, ...]:
        """Give what lies before `window`, for the partitions that have anything there."""
        firsts = {span.partition: span.start for span in self.spans}
        spans = (Span(span.partition, firsts[span.partition], span.start) for span in window)
        return tuple(span for span in spans if span.start < span.end)

    def _last_of(self, window: tuple[Span, ...], limit: int) -> list["Message"]:
        """Give the newest records of `window`, up to `limit` with a value over all partitions."""
        newest: dict[int, deque[Message]] = {span.partition: deque(maxlen=limit) for span in window}
        for batch in self.read(window):
            for message in batch:
                if message.value() is not None:
                    newest[message.partition() or 0].append(message)
        sizes = tuple(Span(partition, 0, len(messages)) for partition, messages in newest.items())
        shares = {span.partition: span.start for span in spread(sizes, limit)}
        return [message for partition, kept in newest.items() for message in list(kept)[shares[partition] :]]


def _valued(messages: list["Message"]) -> int:
    return sum(message.value() is not None for message in messages)


def _consumer(access: Access, note_error: Callable[["KafkaError"], None], location: ProjectPath) -> "Consumer":
    try:
        from confluent_kafka import Consumer, KafkaException
    except ImportError as error:
        hint = "install streamt with its extra `kafka`, or confluent-kafka itself"
        raise cannot_run("reading records needs the package confluent-kafka", location, hint) from error
    try:
        return Consumer({**_SETTINGS, **access.config, "error_cb": note_error}, logger=_silent_logger())
    except KafkaException as error:
        # The text of this error holds the setting's value.
        message = f"the Kafka client does not take the settings of {access.broker}: {_describe(error.args[0].name())}"
        raise cannot_run(message, location, _HINTS["_AUTHENTICATION"]) from None


def _describe(name: str) -> str:
    """Give the client's fixed words for an error, such as "Local: Authentication failure"."""
    from confluent_kafka import KafkaError

    return KafkaError(getattr(KafkaError, name)).str() if hasattr(KafkaError, name) else name


def _silent_logger() -> logging.Logger:
    logger = logging.getLogger("streamt.kafka")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger
