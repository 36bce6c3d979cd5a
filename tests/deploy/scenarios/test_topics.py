"""Scenarios of topics, each against a real broker: what is planned, what is applied, and what the cluster then is."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from streamt.clusters.kafka_admin import ConfigChange, NewTopicSpec
from streamt.deploy.artifact import ResourceKind
from streamt.deploy.backend import Risk, Verb
from streamt.diagnostics import Code, StreamtError
from tests.deploy.scenarios.world import World, codes, end_of, make_world, only, topic
from tests.stack.fixtures import KafkaServers
from tests.stack.proxy import cut_answer, cut_request, for_real, kafka_proxy

Unique = Callable[[str], str]


@pytest.fixture
def world(kafka: KafkaServers, tmp_path: Path) -> World:
    return make_world(tmp_path, kafka.bootstrap)


def refused(act: Callable[[], object]) -> list[Code]:
    with pytest.raises(StreamtError) as caught:
        act()
    return [each.code for each in caught.value.diagnostics]


def test_19_a_new_topic_and_then_an_empty_plan(world: World, unique: Unique) -> None:
    wanted = topic(unique("t"), 3, config={"retention.ms": "1000000", "cleanup.policy": "compact"})
    assert only(world.plan(wanted)).risk is Risk.SAFE
    assert world.apply(wanted).status == "committed"
    live = world.topic(wanted.name)
    assert (live.partitions, live.replication_factor) == (3, 1)
    assert world.own_settings(wanted.name) == {"retention.ms": "1000000", "cleanup.policy": "compact"}
    assert world.plan(wanted).actions == ()


def test_20_partitions_grow_and_records_stay(world: World, unique: Unique) -> None:
    name = unique("t")
    world.apply(topic(name, 3))
    world.produce(name, "a", "b")
    assert world.apply(topic(name, 6)).status == "committed"
    assert world.topic(name).partitions == 6
    reader = Consumer({"bootstrap.servers": world.bootstrap, "group.id": name, "log_level": 0})
    ends = [reader.get_watermark_offsets(TopicPartition(name, number), timeout=30) for number in range(6)]
    reader.close()
    assert sum(high - low for low, high in ends) == 2


def test_21_a_keyed_topic_grows_only_when_that_is_allowed(world: World, unique: Unique) -> None:
    name = unique("t")
    world.apply(topic(name, 3, keyed=True))
    wanted = topic(name, 6, keyed=True)
    assert refused(lambda: world.apply(wanted)) == [Code.NOT_ALLOWED]
    assert world.topic(name).partitions == 3
    assert world.apply(wanted, allow=[f"disruptive:{wanted.address}"]).status == "committed"
    assert world.topic(name).partitions == 6


@pytest.mark.parametrize(("partitions", "replication"), [(2, 1), (6, 3)])
def test_22_what_cannot_be_done_in_place_is_never_done(
    world: World, unique: Unique, partitions: int, replication: int
) -> None:
    name = unique("t")
    world.apply(topic(name, 6))
    before = world.topic(name)
    wanted = topic(name, partitions, replication=replication)
    allow = [f"{each}:{wanted.address}" for each in ("disruptive", "destructive", "unknown", "state_loss")]
    assert refused(lambda: world.apply(wanted, allow=allow)) == [Code.PLAN_BLOCKED]
    assert all(blocker.hint for blocker in only(world.plan(wanted)).blockers)
    assert world.topic(name) == before


def test_23_only_our_override_goes_back_to_the_default(world: World, unique: Unique) -> None:
    name = unique("t")
    world.apply(topic(name, config={"segment.ms": "60000"}))
    assert world.admin.alter([ConfigChange(topic=name, set={"max.message.bytes": "5000"})]) == {}
    assert world.apply(topic(name)).status == "committed"
    assert world.own_settings(name) == {"max.message.bytes": "5000"}


@pytest.mark.parametrize("allowed", [False, True])
def test_24_a_shrinking_retention_needs_its_permission(
    kafka: KafkaServers, tmp_path: Path, unique: Unique, allowed: bool
) -> None:
    world, name = make_world(tmp_path, kafka.bootstrap, allow_destructive=allowed), unique("t")
    world.apply(topic(name, config={"retention.ms": "1000000"}))
    wanted = topic(name, config={"retention.ms": "1000"})
    assert refused(lambda: world.apply(wanted)) == [Code.NOT_ALLOWED]
    flag = [f"destructive:{wanted.address}"]
    if allowed:
        assert world.apply(wanted, allow=flag).status == "committed"
    else:
        assert refused(lambda: world.apply(wanted, allow=flag)) == [Code.NOT_ALLOWED]
    assert world.own_settings(name) == {"retention.ms": "1000" if allowed else "1000000"}


def test_25_a_topic_made_again_by_hand_is_another_one(world: World, unique: Unique) -> None:
    wanted = topic(unique("t"))
    world.apply(wanted)
    first = world.topic(wanted.name).id
    world.admin.delete([wanted.name])
    while world.admin.create([NewTopicSpec(name=wanted.name, partitions=1)]):
        pass
    world.topic(wanted.name, lambda found: found.id != first)
    plan = world.plan(wanted)
    assert codes(plan) == ["kafka_topic_recreated"]
    assert only(plan).risk is Risk.UNKNOWN


def test_a_topic_deleted_by_hand_is_made_again_only_when_that_is_allowed(world: World, unique: Unique) -> None:
    wanted = topic(unique("t"))
    world.apply(wanted)
    world.admin.delete([wanted.name])
    while wanted.name in world.admin.topic_names():
        pass
    assert codes(world.plan(wanted)) == ["vanished_outside"]
    assert refused(lambda: world.apply(wanted)) == [Code.NOT_ALLOWED]
    assert world.apply(wanted, allow=[f"disruptive:{wanted.address}"]).status == "committed"
    assert world.topic(wanted.name)


def test_26_a_topic_that_is_read_is_not_deleted(kafka: KafkaServers, tmp_path: Path, unique: Unique) -> None:
    world = make_world(tmp_path, kafka.bootstrap, deletable=frozenset({ResourceKind.TOPIC}), allow_destructive=True)
    wanted, group = topic(unique("t")), unique("g")
    world.apply(wanted)
    assert world.plan().actions == ()
    assert [each.address for each in world.plan().orphans] == [wanted.address]
    world.produce(wanted.name, "a")
    member = world.member(wanted.name, group)
    removed, flag = [end_of(wanted)], [f"destructive:{wanted.address}"]
    plan = world.plan(removed=removed)
    assert "kafka_topic_in_use" in codes(plan)
    assert [each.id for each in only(plan).impact.groups] == [group]
    assert refused(lambda: world.apply(removed=removed, allow=flag, saved=plan)) == [Code.PLAN_BLOCKED]
    member.close()
    plan = world.plan(removed=removed)
    assert "kafka_topic_has_readers" in codes(plan)
    assert only(plan).verb is Verb.DELETE
    assert refused(lambda: world.apply(removed=removed, allow=flag)) == [Code.REVIEWED_PLAN_REQUIRED]
    assert set(refused(lambda: world.apply(removed=removed, saved=plan))) == {Code.NOT_ALLOWED}
    assert wanted.name in world.admin.topic_names()
    assert world.apply(removed=removed, allow=flag, saved=plan).status == "committed"
    while wanted.name in world.admin.topic_names():
        pass


@pytest.mark.parametrize("missing", ["deletable", "allow_destructive", "protect"])
def test_26_each_permission_of_a_deletion_counts(
    kafka: KafkaServers, tmp_path: Path, unique: Unique, missing: str
) -> None:
    deletable = frozenset[ResourceKind]() if missing == "deletable" else frozenset({ResourceKind.TOPIC})
    allowed = missing != "allow_destructive"
    world = make_world(tmp_path, kafka.bootstrap, deletable=deletable, allow_destructive=allowed)
    wanted = topic(unique("t"), protect=missing == "protect")
    world.apply(wanted)
    removed = [end_of(wanted)]
    plan = world.plan(removed=removed)
    refused(lambda: world.apply(removed=removed, allow=[f"destructive:{wanted.address}"], saved=plan))
    assert world.topic(wanted.name)


def test_57_a_topic_that_is_not_ours_is_left_alone(world: World, unique: Unique) -> None:
    wanted = topic(unique("t"), 3)
    assert world.admin.create([NewTopicSpec(name=wanted.name, partitions=1)]) == {}
    world.topic(wanted.name)
    assert codes(world.plan(wanted)) == ["ownership_required"]
    assert refused(lambda: world.apply(wanted)) == [Code.OWNERSHIP_REQUIRED]
    assert world.topic(wanted.name).partitions == 1


@pytest.mark.parametrize(
    ("fault", "status", "there"), [(cut_answer, "committed", True), (cut_request, "failed", False)]
)
def test_a_lost_answer_is_asked_about(
    world: World, unique: Unique, fault: Callable[[Callable[[], bytes]], bytes], status: str, there: bool
) -> None:
    wanted = topic(unique("t"), 2)
    with kafka_proxy(world.bootstrap) as proxy:
        proxy.fault(fault, "CreateTopics", when=for_real)
        report = replace(world, bootstrap=proxy.address).apply(wanted)
    assert report.status == status
    assert (wanted.name in world.admin.topic_names()) is there
    assert (world.plan(wanted).actions == ()) is there


def test_drift_is_put_back(world: World, unique: Unique) -> None:
    wanted = topic(unique("t"), config={"retention.ms": "1000000"})
    world.apply(wanted)
    world.admin.alter([ConfigChange(topic=wanted.name, set={"retention.ms": "5000"})])
    world.topic(wanted.name, lambda found: found.settings["retention.ms"].value == "5000")
    action = only(world.plan(wanted))
    assert (action.cause, action.risk) == (("drift",), Risk.CAREFUL)
    assert world.apply(wanted).status == "committed"
    assert world.own_settings(wanted.name) == {"retention.ms": "1000000"}
    assert world.plan(wanted).actions == ()


def test_a_plan_of_five_hundred_changes(world: World, unique: Unique) -> None:
    prefix = unique("many")
    wanted = [topic(f"{prefix}-{number}") for number in range(500)]
    with kafka_proxy(world.bootstrap) as proxy:
        plan = replace(world, bootstrap=proxy.address).plan(*wanted)
        assert len(plan.actions) == 500
        assert codes(plan) == []
        assert len(proxy.whats()) < 40


def test_a_broker_that_refuses_by_policy_is_named_in_the_plan(world: World, unique: Unique) -> None:
    plan = world.plan(topic(unique("t"), replication=3))
    assert codes(plan) == ["kafka_refused"]
    assert "only 1 broker" in only(plan).blockers[0].message


def test_kafka_away_is_missing_evidence_and_never_no_changes(tmp_path: Path, unique: Unique) -> None:
    world = make_world(tmp_path, "127.0.0.1:9")
    plan = world.plan(topic(unique("t")))
    assert codes(plan) == ["evidence_missing"]
    assert only(plan).risk is Risk.UNKNOWN
