"""The same service behind a Kafka topic: at least once in, idempotent inside.

Offsets are committed after the store's commit. A message that is no event is stored as rejected, and stops nothing.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from streamt.catalog import wire
from streamt.catalog.access import Caller
from streamt.catalog.applying import Outcome, Submission
from streamt.catalog.events import EventProblem, InvalidEventError, digest
from streamt.catalog.service import Catalog
from streamt.catalog.store.engine import AwayError
from streamt.catalog.writer import BusyError
from streamt.clusters import ClusterError, Failure, FailureKind
from streamt.clusters.kafka_failures import failure_of

if TYPE_CHECKING:
    from confluent_kafka import KafkaError

BATCH = 500
POLL_SECONDS = 1.0
AWAY_SECONDS = 1.0

_HOPELESS = (FailureKind.ABSENT, FailureKind.DENIED, FailureKind.LOGIN)


class Source(Protocol):
    """A stream of messages whose position can be kept."""

    def poll(self) -> Sequence[bytes | None]:
        """Return the next messages, none if none came in time."""
        ...

    def commit(self) -> None:
        """Keep the position after the last messages."""
        ...


@dataclass(slots=True)
class Consumed:
    """What became of messages.

    Attributes:
        taken: how many were applied, stored, or known already.
        refused: how many were stored as rejected or denied.
    """

    taken: int = 0
    refused: int = 0


def consume(
    catalog: Catalog,
    caller: Caller,
    source: Source,
    stop: Callable[[], bool],
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> Consumed:
    """Take messages until told to stop.

    Args:
        catalog: an open catalog.
        caller: in whose name the events are received.
        source: where they come from.
        stop: whether to end, asked between two batches.
        sleep: waits while the store is away.
    """
    done = Consumed()
    while not stop():
        messages = source.poll()
        if not messages:
            continue
        submissions = [one for message in messages for one in submissions_of(catalog, caller, message or b"")]
        for outcome in _stored(catalog, submissions, stop, sleep):
            if outcome.status in ("rejected", "denied"):
                done.refused += 1
            else:
                done.taken += 1
        source.commit()
    return done


def submissions_of(catalog: Catalog, caller: Caller, message: bytes) -> list[Submission]:
    """Return the events of a message, one that cannot be read as a rejected one."""
    try:
        items = wire.decode(message).items
    except wire.RefusedError as error:
        problem = InvalidEventError([EventProblem("", error.detail)])
        return [Submission(message, digest(message), problem, caller)]
    return [catalog.submission(item, caller) for item in items]


def _stored(
    catalog: Catalog, submissions: Sequence[Submission], stop: Callable[[], bool], sleep: Callable[[float], None]
) -> Iterator[Outcome]:
    """Store events, however long the store is away; sent twice they change nothing."""
    while True:
        try:
            yield from [answer.result() for answer in catalog.queue(submissions)]
        except (AwayError, BusyError):
            if stop():
                raise
            sleep(AWAY_SECONDS)
        else:
            return


class KafkaSource:
    """A consumer group of a Kafka topic.

    Attributes:
        has_joined: whether the group has given this member its partitions, if any: until then nothing can come, for as
            long as a member that was killed counts as one.
    """

    def __init__(self, topic: str, settings: Mapping[str, str]) -> None:
        """Join the group, when the topic is known to be there.

        Args:
            topic: its name.
            settings: librdkafka's, with the brokers, the group and the login; secret.

        Raises:
            ClusterError: the client does not take the settings, no broker answers, the login is refused, or there is
                no such topic.
        """
        from confluent_kafka import Consumer

        from streamt.clusters.kafka_reading import PATIENCE_SECONDS, TopicReader

        self._heard: Failure | None = None
        # A group waits for ever for brokers, and for a topic, that are not there.
        with TopicReader(topic, settings, PATIENCE_SECONDS):
            pass
        base = {"auto.offset.reset": "earliest", "log_level": 0}
        own = {"enable.auto.commit": False, "enable.partition.eof": False, "error_cb": self._hear}
        self._consumer = Consumer({**base, **settings, **own})
        self.has_joined = False
        self._consumer.subscribe([topic], on_assign=self._join)

    def poll(self) -> Sequence[bytes | None]:
        """Return the next messages.

        Raises:
            ClusterError: the cluster refuses, or the topic is gone.
        """
        messages = self._consumer.consume(BATCH, POLL_SECONDS)
        if self._heard is not None:
            raise ClusterError(self._heard)
        values: list[bytes | None] = []
        for message in messages:
            error = message.error()
            if error is None:
                values.append(message.value())
            else:
                self._judge(error)
        return values

    def commit(self) -> None:
        """Commit the offsets of what was polled last."""
        from confluent_kafka import KafkaException

        try:
            self._consumer.commit(asynchronous=False)
        except KafkaException:
            return  # the group moved on; whoever has the partitions now takes the messages again, which changes nothing

    def close(self) -> None:
        """Leave the group."""
        self._consumer.close()

    def _join(self, _consumer: object, _partitions: object) -> None:
        self.has_joined = True

    def _hear(self, error: "KafkaError") -> None:
        """Remember what the client reports of its own accord, if waiting does not help."""
        failure = failure_of(error)
        if failure.kind is FailureKind.LOGIN or error.fatal():
            self._heard = failure

    def _judge(self, error: "KafkaError") -> None:
        failure = failure_of(error)
        if error.fatal() or failure.kind in _HOPELESS:
            raise ClusterError(failure)
