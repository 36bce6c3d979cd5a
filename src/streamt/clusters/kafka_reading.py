"""Read the records of one topic, without a trace on the broker: no consumer group, no commit.

Partitions are assigned with explicit offsets, and every call into the client is short, so that an interrupt is
heard at once. Errors hold the client's fixed words: what it says otherwise has addresses in it.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from streamt.clusters.failure import ClusterError, Failure, FailureKind
from streamt.clusters.kafka_failures import KINDS
from streamt.net import Deadline

if TYPE_CHECKING:
    from confluent_kafka import Consumer, KafkaError, Message

# Seconds that one call into the client may take.
SLICE_SECONDS = 0.2
# Seconds to wait for a first answer of a broker; less, if the test's own time is shorter.
PATIENCE_SECONDS = 10.0
BATCH = 5_000
# The code of a failure for settings that the client does not take.
SETTINGS_REFUSED = "settings"
# Seconds that one question about a topic may take before it is asked again.
_ANSWER_SECONDS = 0.5

SETTINGS: Mapping[str, str | int | bool] = {
    # librdkafka asks for a group's name. Nothing subscribes or commits, so the broker never sees a member of it.
    "group.id": "streamt-test",
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "allow.auto.create.topics": False,
    "isolation.level": "read_committed",
    "enable.partition.eof": True,
    # Retention may remove the first offset between asking for it and reading it.
    "auto.offset.reset": "earliest",
    "queued.max.messages.kbytes": 32_768,
    # How long the client pauses once so many wait here; a second, unless something else is said.
    "fetch.queue.backoff.ms": 20,
    # How long a broker may wait for more records; there is nothing to wait for.
    "fetch.wait.max.ms": 50,
    "client.id": "streamt-test",
    # The client's own log goes to stderr, with addresses and what brokers say.
    "log_level": 0,
    "log.connection.close": False,
}
# The group exists in name only, so a broker that forbids it forbids nothing that is needed.
_HARMLESS = frozenset({"GROUP_AUTHORIZATION_FAILED", "_ALL_BROKERS_DOWN"})
_WAIT_AND_SEE = frozenset({"_TRANSPORT", "_TIMED_OUT", "LEADER_NOT_AVAILABLE", "NOT_LEADER_FOR_PARTITION", "_RESOLVE"})


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
        topic: its physical name.
        deadline: until when reading may take.
        spans: what it held when it was opened, for each partition.
        timed_out: whether the time was up before all that was asked for had been read.
        finished: the partitions of which all that was asked for has been read.
    """

    def __init__(self, topic: str, settings: Mapping[str, str], seconds: float) -> None:
        """Connect to the broker and ask for the topic's offsets.

        Args:
            topic: its physical name.
            settings: librdkafka's, with the brokers and the login; secret.
            seconds: how long all reading may take.

        Raises:
            ClusterError: the client does not take the settings, the broker does not answer, the login is refused, or
                there is no such topic.
        """
        self.topic = topic
        self.deadline = Deadline.after(seconds)
        self._heard: Failure | None = None
        self.timed_out = False
        self.finished: set[int] = set()
        self._consumer = _consumer(settings, self._hear)
        try:
            self.spans = self._watermarks(min(PATIENCE_SECONDS, seconds))
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
        self.deadline = Deadline(self.deadline.end + seconds)

    def newest(self, limit: int) -> Iterator[list["Message"]]:
        """Give up to `limit` of the newest records with a value, spread over the partitions, in batches.

        Records without a value come too, beyond the limit. Offsets have gaps (transactions, compaction), so if the
        last `limit` offsets hold fewer records, older ones are looked at, ever more of them at a time.

        Raises:
            ClusterError: as `read`.
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
            ClusterError: as `read`.
        """
        return self.read(self.spans)

    def read(self, spans: tuple[Span, ...]) -> Iterator[list["Message"]]:
        """Give the records of `spans`, in batches, until they are read or the time is up.

        Raises:
            ClusterError: a broker refuses.
        """
        from confluent_kafka import TopicPartition

        ends = {span.partition: span.end for span in spans if span.start < span.end}
        self.finished |= {span.partition for span in spans} - ends.keys()
        starts = [TopicPartition(self.topic, span.partition, span.start) for span in spans if span.partition in ends]
        self._consumer.assign(starts)
        self._consumer.resume(starts)  # a partition stays paused from one assignment to the next
        remaining = sum(span.end - span.start for span in spans)
        while ends:
            if not self.deadline.left:
                self.timed_out = True
                return
            messages = self._consumer.consume(
                max(1, min(BATCH, remaining)), timeout=min(SLICE_SECONDS, self.deadline.left)
            )
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

        deadline = Deadline.after(patience)
        spans = []
        for partition in self._partitions(deadline):
            while True:
                try:
                    asked = TopicPartition(self.topic, partition)
                    offsets = self._consumer.get_watermark_offsets(asked, timeout=_ANSWER_SECONDS)
                except KafkaException as error:
                    self._wait_or_give_up(_failure(error.args[0]), deadline)
                    continue
                spans.append(Span(partition, *offsets))
                break
        return tuple(spans)

    def _partitions(self, deadline: Deadline) -> list[int]:
        from confluent_kafka import KafkaException

        while True:
            try:
                metadata = self._consumer.list_topics(self.topic, timeout=_ANSWER_SECONDS).topics[self.topic]
            except KafkaException as error:
                self._wait_or_give_up(_failure(error.args[0]), deadline)
                continue
            if metadata.error is None:
                return sorted(metadata.partitions)
            self._wait_or_give_up(_failure(metadata.error), deadline)

    def _wait_or_give_up(self, failure: Failure, deadline: Deadline) -> None:
        """Return if it is worth trying again."""
        self._consumer.poll(0)  # lets the client report what it has seen meanwhile
        if self._heard is not None and self._heard.kind is FailureKind.LOGIN:
            raise ClusterError(self._heard)
        if failure.code not in _WAIT_AND_SEE:
            raise ClusterError(failure)
        if not deadline.left:
            raise ClusterError(self._heard or failure)

    def _hear(self, error: "KafkaError") -> None:
        """Remember what the client reports between its answers; a wrong login matters more than what follows it."""
        if error.name() not in _HARMLESS and not (self._heard and self._heard.kind is FailureKind.LOGIN):
            self._heard = _failure(error)

    def _judge_message_error(self, error: "KafkaError", partition: int, ends: dict[int, int]) -> None:
        name = error.name()
        if name == "_PARTITION_EOF":
            self._finish(partition, ends)
        elif name not in _WAIT_AND_SEE | _HARMLESS:
            raise ClusterError(_failure(error))

    def _finish(self, partition: int, ends: dict[int, int]) -> None:
        from confluent_kafka import TopicPartition

        if ends.pop(partition, None) is not None:
            self.finished.add(partition)
            self._consumer.pause([TopicPartition(self.topic, partition)])

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


def _consumer(settings: Mapping[str, str], hear: Callable[["KafkaError"], None]) -> "Consumer":
    from confluent_kafka import Consumer, KafkaException

    try:
        return Consumer({**SETTINGS, **settings, "error_cb": hear}, logger=_silent_logger())
    except (KafkaException, ValueError, TypeError):  # their text holds the setting's value
        raise ClusterError(Failure(FailureKind.REFUSED, SETTINGS_REFUSED, "invalid client settings")) from None


def _failure(error: "KafkaError") -> Failure:
    from confluent_kafka import KafkaError

    name = error.name()
    words = KafkaError(error.code()).str()  # such as "Local: Authentication failure"
    return Failure(KINDS.get(name, FailureKind.UNDECIDED), name, words)


def _silent_logger() -> logging.Logger:
    logger = logging.getLogger("streamt.kafka")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger
