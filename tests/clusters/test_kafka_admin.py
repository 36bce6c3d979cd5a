"""The admin adapter against a real broker."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer

from streamt.clusters import ClusterError, Failure, FailureKind
from streamt.clusters.kafka_admin import ConfigChange, KafkaAdmin, KafkaReader, NewTopicSpec, Topic, TopicSetting
from streamt.clusters.kafka_groups import KafkaGroups
from tests.stack.fixtures import KafkaServers
from tests.stack.proxy import Proxy, cut_answer, cut_request, delay, kafka_proxy
from tests.stack.waiting import until

Unique = Callable[[str], str]


@pytest.fixture
def admin(kafka: KafkaServers) -> KafkaAdmin:
    return KafkaAdmin({"bootstrap.servers": kafka.bootstrap})


@pytest.fixture
def guest(kafka: KafkaServers) -> KafkaAdmin:
    return KafkaAdmin({key: str(value) for key, value in kafka.login(kafka.guest).items()})


@pytest.fixture
def proxy(kafka: KafkaServers) -> Iterator[Proxy]:
    with kafka_proxy(kafka.bootstrap) as running:
        yield running


def topic(admin: KafkaReader, name: str, ready: Callable[[Topic], bool] = lambda _: True) -> Topic:
    """Return a topic once it is as expected: a read right after a write can show what was before."""

    def found() -> Topic | None:
        described = admin.describe([name])[name]
        return described if isinstance(described, Topic) and ready(described) else None

    return until(found)


def until_absent(admin: KafkaReader, name: str) -> Failure:
    def found() -> Failure | None:
        described = admin.describe([name])[name]
        return described if isinstance(described, Failure) else None

    return until(found)


def create(admin: KafkaAdmin, name: str, partitions: int = 1, **config: str) -> None:
    named = {key.replace("_", "."): value for key, value in config.items()}
    spec = NewTopicSpec(name=name, partitions=partitions, replication_factor=1, config=named)
    assert admin.create([spec]) == {}


def own(found: Topic) -> dict[str, str | None]:
    return {name: setting.value for name, setting in found.settings.items() if setting.source == "topic"}


def test_a_created_topic_is_described(admin: KafkaAdmin, unique: Unique) -> None:
    name = unique("t")
    create(admin, name, 3, retention_ms="1000000")
    found = topic(admin, name)
    assert (found.partitions, found.replication_factor, len(found.id)) == (3, 1, 22)
    assert own(found) == {"retention.ms": "1000000"}
    assert found.settings["cleanup.policy"] == TopicSetting(value="delete", source="default")
    assert found.settings["min.insync.replicas"].source == "broker"
    assert {"ALTER", "ALTER_CONFIGS", "DELETE"} <= (found.operations or set())


def test_numbers_that_are_left_out_are_the_brokers(admin: KafkaAdmin, unique: Unique) -> None:
    name = unique("t")
    assert admin.create([NewTopicSpec(name=name)]) == {}
    assert (topic(admin, name).partitions, topic(admin, name).replication_factor) == (1, 1)


def test_replicas_are_counted(kafka_three: KafkaServers, unique: Unique) -> None:
    admin, name = KafkaAdmin({"bootstrap.servers": kafka_three.bootstrap}), unique("t")
    assert admin.create([NewTopicSpec(name=name, partitions=2, replication_factor=3)]) == {}
    assert topic(admin, name).replication_factor == 3


def test_a_topic_that_is_not_there_is_absent(admin: KafkaAdmin, unique: Unique) -> None:
    (found,) = admin.describe([unique("t")]).values()
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.ABSENT


def test_altering_leaves_alone_what_it_does_not_name(admin: KafkaAdmin, unique: Unique) -> None:
    name = unique("t")
    create(admin, name, retention_ms="1000000", segment_ms="60000", max_message_bytes="1000")
    change = ConfigChange(topic=name, set={"retention.ms": "2000000"}, delete=frozenset({"segment.ms"}))
    assert admin.alter([change]) == {}
    expected = {"retention.ms": "2000000", "max.message.bytes": "1000"}
    assert own(topic(admin, name, lambda found: own(found) == expected)) == expected


def test_one_bad_setting_changes_nothing(admin: KafkaAdmin, unique: Unique) -> None:
    name = unique("t")
    create(admin, name)
    failed = admin.alter([ConfigChange(topic=name, set={"retention.ms": "5", "segment.ms": "x"})])
    assert (failed[name].kind, failed[name].code) == (FailureKind.REFUSED, "INVALID_CONFIG")
    assert own(topic(admin, name)) == {}


def test_partitions_grow_and_never_shrink(admin: KafkaAdmin, unique: Unique) -> None:
    name = unique("t")
    create(admin, name, 2)
    assert admin.grow({name: 4}) == {}
    assert topic(admin, name, lambda found: found.partitions == 4)
    assert admin.grow({name: 3})[name].code == "INVALID_PARTITIONS"


def test_a_deleted_topic_is_gone(admin: KafkaAdmin, unique: Unique) -> None:
    name = unique("t")
    create(admin, name)
    until(lambda: name in admin.topic_names())
    assert admin.delete([name]) == {}
    assert until_absent(admin, name).kind is FailureKind.ABSENT
    assert admin.delete([name])[name].kind is FailureKind.ABSENT


def test_a_topic_made_again_has_another_id(admin: KafkaAdmin, unique: Unique) -> None:
    name = unique("t")
    create(admin, name)
    before = topic(admin, name).id
    admin.delete([name])
    until_absent(admin, name)
    create(admin, name)
    assert topic(admin, name).id != before


def test_checks_find_what_would_be_refused_and_change_nothing(admin: KafkaAdmin, unique: Unique) -> None:
    name, new = unique("t"), unique("new")
    create(admin, name, 2)
    specs = [
        NewTopicSpec(name=name, partitions=1),
        NewTopicSpec(name=new, partitions=1, replication_factor=1),
        NewTopicSpec(name=f"{new}-replicas", replication_factor=3),
        NewTopicSpec(name=f"{new}-config", config={"nope": "1"}),
        NewTopicSpec(name=name.replace("-", "_") + ".x"),
    ]
    failed = admin.check_create(specs)
    assert {each: failure.code for each, failure in failed.items()} == {
        name: "TOPIC_ALREADY_EXISTS",
        f"{new}-replicas": "INVALID_REPLICATION_FACTOR",
        f"{new}-config": "INVALID_CONFIG",
    }
    assert admin.check_grow({name: 1})[name].code == "INVALID_PARTITIONS"
    assert admin.check_grow({name: 3}) == {}
    assert admin.check_alter([ConfigChange(topic=name, set={"retention.ms": "x"})])[name].code == "INVALID_CONFIG"
    assert admin.check_alter([ConfigChange(topic=name, set={"retention.ms": "1"})]) == {}
    found = topic(admin, name)
    assert (found.partitions, own(found)) == (2, {})
    assert new not in admin.topic_names()


def test_what_topics_inherit_is_known(admin: KafkaAdmin) -> None:
    expected = {"retention.ms": "604800000", "retention.bytes": "-1", "cleanup.policy": "delete"}
    assert admin.inherited() == expected | {"max.message.bytes": "1048588"}


def test_a_guest_is_refused_everywhere(admin: KafkaAdmin, guest: KafkaAdmin, unique: Unique) -> None:
    name = unique("t")
    create(admin, name)
    refusals = [
        guest.describe([name])[name],
        guest.create([NewTopicSpec(name=unique("n"))]),
        guest.grow({name: 5}),
        guest.alter([ConfigChange(topic=name, set={"retention.ms": "1"})]),
        guest.delete([name]),
    ]
    flat = [
        each if isinstance(each, Failure) else next(iter(each.values()))
        for each in refusals
        if not isinstance(each, Topic)
    ]
    assert [each.kind for each in flat] == [FailureKind.DENIED] * 5
    assert guest.inherited() == {}


def test_requests_grow_with_batches_and_not_with_topics(admin: KafkaAdmin, proxy: Proxy, unique: Unique) -> None:
    prefix = unique("many")
    names = [f"{prefix}-{number}" for number in range(40)]
    assert admin.create([NewTopicSpec(name=name, partitions=1) for name in names]) == {}
    topic(admin, names[-1])
    reader = KafkaReader({"bootstrap.servers": proxy.address})
    assert len(reader.describe(names)) == 40
    reader.check_alter([ConfigChange(topic=name, set={"retention.ms": "1"}) for name in names])
    sent = proxy.whats()
    assert (sent.count("DescribeConfigs"), sent.count("IncrementalAlterConfigs")) == (1, 1)
    assert sent.count("Metadata") + sent.count("DescribeTopicPartitions") <= 4
    admin.delete(names)


def test_a_cluster_id_is_the_same_by_every_listener(admin: KafkaAdmin, proxy: Proxy) -> None:
    assert admin.cluster_id() == KafkaReader({"bootstrap.servers": proxy.address}).cluster_id()


def test_a_wrong_password_is_named_at_once(kafka: KafkaServers) -> None:
    login = {key: str(value) for key, value in kafka.login(("streamt", "not-it")).items()}
    with pytest.raises(ClusterError) as caught:
        KafkaReader(login, seconds=60).cluster_id()
    assert caught.value.failure.kind is FailureKind.LOGIN
    assert caught.value.failure.code == "_AUTHENTICATION"
    assert "not-it" not in str(caught.value)


def test_a_cluster_that_is_not_there_is_unreachable() -> None:
    with pytest.raises(ClusterError) as caught:
        KafkaReader({"bootstrap.servers": "127.0.0.1:9"}, seconds=2).cluster_id()
    assert caught.value.failure.kind is FailureKind.UNREACHABLE


def test_settings_that_the_client_does_not_take_say_nothing_of_their_values() -> None:
    with pytest.raises(ClusterError, match=r"^invalid client settings$"):
        KafkaReader({"bootstrap.servers": "127.0.0.1:9", "security.protocol": "s3cret"}).cluster_id()


def test_a_cut_answer_leaves_the_outcome_open(admin: KafkaAdmin, proxy: Proxy, unique: Unique) -> None:
    name = unique("t")
    proxy.fault(cut_answer, "CreateTopics")
    failed = KafkaAdmin({"bootstrap.servers": proxy.address}).create([NewTopicSpec(name=name)])
    assert failed[name].kind is FailureKind.UNDECIDED
    assert topic(admin, name)
    assert proxy.whats().count("CreateTopics") == 1


def test_a_late_answer_leaves_the_outcome_open(proxy: Proxy, unique: Unique) -> None:
    name = unique("t")
    proxy.fault(delay(20), "CreateTopics")
    failed = KafkaAdmin({"bootstrap.servers": proxy.address}, seconds=2).create([NewTopicSpec(name=name)])
    assert failed[name].kind is FailureKind.UNDECIDED


def _read(polled: Any) -> Any:
    return polled if polled is not None and not polled.error() else None


def commit(kafka: KafkaServers, group: str, name: str, *, count: int) -> Consumer:
    """Write `count` records, read one of them as `group`, commit that, and give the member."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "log_level": 0})
    for _ in range(count):
        producer.produce(name, b"x", partition=0)
    assert producer.flush(60) == 0
    settings = {
        "bootstrap.servers": kafka.bootstrap,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "log_level": 0,
    }
    member = Consumer({**settings, "enable.auto.commit": False})
    member.subscribe([name])
    record: Any = until(lambda: _read(member.poll(1.0)))
    member.commit(message=record, asynchronous=False)
    return member


def test_groups_that_read_a_topic_are_seen_with_their_lag(
    kafka: KafkaServers, admin: KafkaAdmin, unique: Unique
) -> None:
    name, other = unique("t"), unique("t")
    create(admin, name)
    create(admin, other)
    group = unique("g")
    member = commit(kafka, group, name, count=5)
    groups = KafkaGroups({"bootstrap.servers": kafka.bootstrap})
    active = groups.groups([name, other])
    assert (active.seen, active.why) == (True, ())
    assert list(active.groups) == [name]
    (found,) = active.groups[name]
    assert (found.id, found.state, found.members, found.lag) == (group, "STABLE", 1, 4)
    member.close()
    (found,) = groups.groups([name]).groups[name]
    assert (found.state, found.members, found.lag) == ("EMPTY", 0, 4)


def test_groups_beyond_the_limit_are_said_to_be_skipped(kafka: KafkaServers, admin: KafkaAdmin, unique: Unique) -> None:
    name = unique("t")
    create(admin, name)
    for _ in range(2):
        commit(kafka, unique("g"), name, count=1).close()
    evidence = KafkaGroups({"bootstrap.servers": kafka.bootstrap}).groups([name], limit=1)
    assert evidence.seen
    assert len(evidence.why) == 1
    assert "groups were not looked at" in evidence.why[0]


@pytest.mark.parametrize("request_name", ["ListGroups", "DescribeGroups", "ConsumerGroupDescribe", "OffsetFetch"])
def test_a_group_that_cannot_be_seen_is_never_none(
    kafka: KafkaServers, admin: KafkaAdmin, proxy: Proxy, unique: Unique, request_name: str
) -> None:
    name = unique("t")
    create(admin, name)
    commit(kafka, unique("g"), name, count=1).close()
    proxy.fault(cut_request, request_name, times=1000)
    evidence = KafkaGroups({"bootstrap.servers": proxy.address}).groups([name], within=4)
    if request_name in proxy.whats():
        assert evidence.why
    else:
        assert evidence.groups[name]


def test_a_guest_sees_no_groups_and_the_evidence_says_so(
    kafka: KafkaServers, admin: KafkaAdmin, unique: Unique
) -> None:
    name = unique("t")
    create(admin, name)
    commit(kafka, unique("g"), name, count=1).close()
    login = {key: str(value) for key, value in kafka.login(kafka.guest).items()}
    evidence = KafkaGroups(login).groups([name])
    assert (evidence.groups, evidence.seen) == ({}, True)
    assert evidence.why == ("the user may not describe the cluster, so not all groups are listed",)
