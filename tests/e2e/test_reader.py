"""Reading a sample from a real broker."""

from collections.abc import Iterator

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient

from streamt.clusters import ClusterError, Failure, FailureKind, kafka_reading
from streamt.clusters.kafka_reading import SETTINGS_REFUSED, TopicReader
from tests.e2e.broker import QUIET, Broker, Row, free_port, running_broker


def open_topic(broker: Broker, topic: str, seconds: float = 20, **config: str) -> TopicReader:
    settings = {"bootstrap.servers": broker.address, **config}
    return TopicReader(topic, settings, seconds)


def newest(broker: Broker, topic: str, limit: int) -> list[tuple[int, bytes | None]]:
    with open_topic(broker, topic) as reader:
        messages = [message for batch in reader.newest(limit) for message in batch]
        assert not reader.timed_out
    return sorted((message.partition() or 0, message.value()) for message in messages)


def numbered(count: int) -> list[bytes]:
    return [f"{number:05d}".encode() for number in range(count)]


@pytest.mark.parametrize(
    ("partitions", "count", "limit", "expected"),
    [
        (1, 10, 3, [(0, 7), (0, 8), (0, 9)]),
        (2, 10, 4, [(0, 6), (0, 8), (1, 7), (1, 9)]),
        (3, 2, 10, [(0, 0), (1, 1)]),
        (1, 0, 10, []),
    ],
)
def test_the_newest_records_are_read(
    broker: Broker, partitions: int, count: int, limit: int, expected: list[tuple[int, int]]
) -> None:
    topic = broker.topic_of(numbered(count), partitions)
    values = [(partition, f"{number:05d}".encode()) for partition, number in expected]
    assert newest(broker, topic, limit) == values


def test_many_batches_make_one_sample(broker: Broker) -> None:
    topic = broker.topic_of(numbered(20_000), 3)
    assert [value for _, value in sorted(newest(broker, topic, 12_001), key=lambda row: row[1] or b"")] == numbered(
        20_000
    )[-12_001:]


def test_offsets_that_transactions_take_are_made_up_for(broker: Broker) -> None:
    topic = broker.create_topic()
    broker.produce_in_transactions(topic, numbered(20))
    assert newest(broker, topic, 8) == [(0, value) for value in numbered(20)[-8:]]
    assert newest(broker, topic, 50) == [(0, value) for value in numbered(20)]


def test_tombstones_do_not_use_up_the_sample(broker: Broker) -> None:
    topic = broker.topic_of([*numbered(5), *[None] * 30])
    values = [value for _, value in newest_valued(broker, topic, 3)]
    assert values == numbered(5)[-3:]


def newest_valued(broker: Broker, topic: str, limit: int) -> list[tuple[int, bytes]]:
    with open_topic(broker, topic) as reader:
        found = [(message.partition() or 0, message.value()) for batch in reader.newest(limit) for message in batch]
    return sorted((partition, value) for partition, value in found if value is not None)


def test_records_that_come_later_are_not_waited_for(broker: Broker) -> None:
    topic = broker.topic_of(numbered(3))
    with open_topic(broker, topic) as reader:
        broker.produce(topic, [Row(b"later")])
        values = [message.value() for batch in reader.everything() for message in batch]
    assert values == numbered(3)


def test_no_group_and_no_commit_is_left_behind(broker: Broker) -> None:
    topic = broker.topic_of(numbered(10))
    newest(broker, topic, 10)
    admin = AdminClient({"bootstrap.servers": broker.address, **QUIET})
    groups = admin.list_consumer_groups(request_timeout=10).result().valid
    assert "streamt-test" not in [group.group_id for group in groups]
    request = ConsumerGroupTopicPartitions("streamt-test", [TopicPartition(topic, 0)])
    (offsets,) = admin.list_consumer_group_offsets([request]).values()
    assert all(each.offset < 0 for each in offsets.result(timeout=10).topic_partitions)


def refusal(*, address: str, topic: str, seconds: float = 3, **config: str) -> Failure:
    with pytest.raises(ClusterError) as caught:
        TopicReader(topic, {"bootstrap.servers": address, **config}, seconds)
    return caught.value.failure


def test_an_unknown_topic_is_an_error_and_is_not_made(broker: Broker) -> None:
    failure = refusal(address=broker.address, topic="nobody-made-this")
    assert failure == Failure(FailureKind.ABSENT, "UNKNOWN_TOPIC_OR_PART", "Broker: Unknown topic or partition")
    assert "nobody-made-this" not in AdminClient({"bootstrap.servers": broker.address, **QUIET}).list_topics().topics


def test_a_broker_that_is_down_is_an_error_in_time() -> None:
    failure = refusal(address=f"127.0.0.1:{free_port()}", topic="t", seconds=1)
    assert (failure.code, failure.message) == ("_TRANSPORT", "Local: Broker transport failure")


def test_a_host_that_has_no_address_is_an_error_that_does_not_name_it() -> None:
    failure = refusal(address="nowhere.invalid:9092", topic="t", seconds=1)
    assert (failure.kind, failure.code) == (FailureKind.UNREACHABLE, "_RESOLVE")
    assert "nowhere.invalid" not in failure.message


@pytest.fixture(scope="module")
def locked() -> Iterator[Broker]:
    with running_broker("--authentication") as broker:
        yield broker


def test_a_refused_login_is_an_error_at_once(
    locked: Broker, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka_reading, "PATIENCE_SECONDS", 3600.0)  # which nobody waits for
    failure = refusal(
        address=locked.address,
        topic="t",
        seconds=3600,
        **{
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "SCRAM-SHA-256",
            "sasl.username": "nobody",
            "sasl.password": "S3CRET",
        },
    )
    assert (failure.kind, failure.message) == (FailureKind.LOGIN, "Local: Authentication failure")
    output = capfd.readouterr()
    assert (output.out, output.err) == ("", "")


@pytest.mark.parametrize(
    "config",
    [
        {"security.protocol": "SSL", "ssl.ca.location": "SECRET-not-a-certificate"},
        {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "SECRET"},
    ],
)
def test_settings_that_the_client_refuses_are_an_error_without_their_values(
    config: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    failure = refusal(address="127.0.0.1:1", topic="t", seconds=1, **config)
    assert (failure.kind, failure.code) == (FailureKind.REFUSED, SETTINGS_REFUSED)
    assert "SECRET" not in str(failure) + capfd.readouterr().err


def test_a_sample_that_takes_too_long_is_cut(broker: Broker) -> None:
    topic = broker.topic_of(numbered(10))
    with open_topic(broker, topic) as reader:
        reader.extend(-100)
        assert list(reader.newest(5)) == []
        assert reader.timed_out
