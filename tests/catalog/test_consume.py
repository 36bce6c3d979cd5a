"""`catalog consume` on a real broker: what is in the topic is in the store, once, whatever happens on the way."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined] # its stubs forget this one
from sqlalchemy import func, select

from streamt.catalog.store.tables import event as event_table
from tests.catalog.conftest import copied
from tests.catalog.desk import Desk, event
from tests.cli.program import clean_environment, streamt
from tests.deploy.postgres_server import PostgresServer
from tests.stack.fixtures import KafkaServers
from tests.stack.proxy import Send, cut_request, kafka_proxy

Unique = Callable[[str], str]
PATIENCE = 120.0
POISON = (b"\xff\x00", b"", None, b"[]", b"{}", b'{"eventType": "NONE"}', b"[" * 5000, b'"text"')


def fill(kafka: KafkaServers, topic: str, messages: Sequence[bytes | None], partitions: int = 1) -> None:
    """Make a topic and write messages, in order where there is one partition."""
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap, "log_level": 0})
    admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(30)
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "log_level": 0})
    for number, message in enumerate(messages):
        producer.produce(topic, message, partition=number % partitions)
    assert producer.flush(60) == 0


def committed(kafka: KafkaServers, topic: str, group: str) -> int:
    """Return the offset that a group has committed of the only partition."""
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": group, "log_level": 0})
    try:
        (found,) = consumer.committed([TopicPartition(topic, 0)], 30)
        return max(int(found.offset), 0)
    finally:
        consumer.close()


def runs(count: int) -> list[bytes]:
    """Write runs of as many jobs, each of which reads a and writes b."""
    return [json.dumps(event("COMPLETE", 1, "a", "b", run=n, job=f"job {n}")).encode() for n in range(1, count + 1)]


def arguments(bootstrap: str, topic: str, group: str) -> list[str]:
    return ["catalog", "consume", "--bootstrap-servers", bootstrap, "--topic", topic, "--group", group]


@contextmanager
def running(options: list[str], store: str) -> Iterator["subprocess.Popen[str]"]:
    """Start the program in a process that outlives nothing of the test."""
    process = subprocess.Popen(
        [sys.executable, "-m", "streamt", "--output", "json", *options],
        env=clean_environment(STREAMT_CATALOG_STORE=store),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def stored(store: str) -> int:
    """Return how many events a store has."""
    desk = Desk.again(store)
    try:
        with desk.catalog.reading() as conn:
            return conn.scalars(select(func.count()).select_from(event_table)).one()
    finally:
        desk.catalog.close()


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def store(sqlite_template: Path, tmp_path: Path) -> str:
    return copied(sqlite_template, tmp_path / "catalog.db")


def test_poison_is_stored_as_rejected_and_stops_nothing(kafka: KafkaServers, unique: Unique, store: str) -> None:
    topic, group = unique("events"), unique("group")
    first, second = runs(2)
    both = json.dumps([json.loads(first), json.loads(second)]).encode()
    fill(kafka, topic, [first, *POISON, second, first, both])
    ended = streamt(
        "--output", "json", *arguments(kafka.bootstrap, topic, group), "--stop-when-idle", STREAMT_CATALOG_STORE=store
    )
    # An empty list holds no event.
    assert (ended.status, ended.envelope["data"]) == (0, {"taken": 5, "refused": len(POISON) - 1})
    desk = Desk.again(store)
    assert desk.edges() == {"a>b"}
    desk.catalog.close()
    assert committed(kafka, topic, group) == 4 + len(POISON)


def test_what_is_killed_between_the_stores_commit_and_its_own_repeats_nothing(
    kafka: KafkaServers, unique: Unique, store: str, tmp_path: Path
) -> None:
    topic, group = unique("events"), unique("group")
    fill(kafka, topic, runs(1500))
    # How long the group waits for who was killed.
    (tmp_path / "kafka.properties").write_text("session.timeout.ms=6000\nheartbeat.interval.ms=1000\n")
    more = ["--config", str(tmp_path / "kafka.properties"), "--stop-when-idle"]

    def killed(send: Send) -> bytes:
        process.kill()
        return cut_request(send)

    with kafka_proxy(kafka.bootstrap) as proxy:
        proxy.fault(killed, "OffsetCommit")
        with running([*arguments(proxy.address, topic, group), *more], store) as process:
            process.wait(PATIENCE)
    before = stored(store)
    assert 0 < before < 1500
    assert committed(kafka, topic, group) == 0
    with running([*arguments(kafka.bootstrap, topic, group), *more], store) as process:
        told, _ = process.communicate(timeout=PATIENCE)
    assert json.loads(told)["data"] == {"taken": 1500, "refused": 0}
    assert (stored(store), committed(kafka, topic, group)) == (1500, 1500)


def test_sigterm_ends_it_cleanly_with_all_offsets_committed(kafka: KafkaServers, unique: Unique, store: str) -> None:
    topic, group = unique("events"), unique("group")
    fill(kafka, topic, runs(20))
    with running(arguments(kafka.bootstrap, topic, group), store) as process:
        until(lambda: stored(store) == 20)
        process.terminate()
        told, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, json.loads(told)["data"]) == (0, {"taken": 20, "refused": 0})
    assert committed(kafka, topic, group) == 20


def test_two_of_a_group_share_the_partitions_and_one_store(
    kafka: KafkaServers, unique: Unique, postgres: PostgresServer
) -> None:
    topic, group = unique("events"), unique("group")
    url = postgres.make_database(unique("consumed").replace("-", "_"))
    Desk.open(url).catalog.close()
    fill(kafka, topic, runs(400), partitions=4)
    options = arguments(kafka.bootstrap, topic, group)
    with running(options, url) as one, running(options, url) as other:
        until(lambda: stored(url) == 400)
        one.terminate()
        other.terminate()
        told = [json.loads(each.communicate(timeout=PATIENCE)[0])["data"] for each in (one, other)]
    # What one took before the other joined, the other may take again.
    assert sum(each["taken"] for each in told) >= 400
    assert stored(url) == 400


@pytest.mark.parametrize("what", ["no such topic", "nobody there", "may not"])
def test_what_can_never_come_is_said_at_once(
    kafka: KafkaServers, unique: Unique, store: str, tmp_path: Path, what: str
) -> None:
    topic, servers, reason = unique("events"), kafka.bootstrap, "Unknown topic"
    settings = tmp_path / "kafka.properties"
    settings.write_text("# nothing\n")
    if what == "nobody there":
        servers, reason = "127.0.0.1:1", "transport failure"
    if what == "may not":
        servers, reason = kafka.sasl, "authorization failed"
        fill(kafka, topic, runs(1))
        login = {**kafka.login(kafka.guest)}
        del login["bootstrap.servers"]
        settings.write_text("".join(f"{key}={value}\n" for key, value in login.items()))
    options = arguments(servers, topic, unique("group"))
    ended = streamt("--output", "json", *options, "--config", settings, STREAMT_CATALOG_STORE=store)
    assert (ended.status, ended.codes) == (1, ["E572_CATALOG_UNREACHABLE"])
    assert reason.lower() in ended.envelope["errors"][0]["message"].lower()
    assert kafka.guest[1] not in ended.stdout.decode()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("enable.auto.commit=true", "`enable.auto.commit` is not for this file"),
        ("group.id = other", "`group.id` is not for this file"),
        ("sasl.password hunter2", "not KEY=VALUE"),
        ("no.such.setting=hunter2", "the Kafka client does not take these settings"),
    ],
)
def test_a_setting_that_breaks_the_promise_is_refused(store: str, tmp_path: Path, line: str, message: str) -> None:
    settings = tmp_path / "kafka.properties"
    settings.write_text(f"client.id=x\n{line}\n")
    options = ["--bootstrap-servers", "127.0.0.1:1", "--topic", "t", "--group", "g", "--config", str(settings)]
    ended = streamt("--output", "json", "catalog", "consume", *options, STREAMT_CATALOG_STORE=store)
    assert (ended.status, ended.codes) == (1, ["E571_CATALOG_REFUSED"])
    (error,) = ended.envelope["errors"]
    assert (error["message"], error["file"]) == (message, str(settings))
    assert "hunter2" not in ended.stdout.decode()
