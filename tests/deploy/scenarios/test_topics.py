"""Scenarios of topics, each against a real broker: what is planned, what is applied, and what the cluster then is."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition

from streamt.clusters.kafka_admin import ConfigChange, NewTopicSpec
from streamt.deploy.adopt import adopt, look_at
from streamt.deploy.artifact import ResourceKind, SecretRef
from streamt.deploy.backend import Risk, Verb
from streamt.deploy.plan import Reach
from streamt.deploy.project import Secrets
from streamt.diagnostics import Code, StreamtError
from tests.deploy.scenarios.world import World, codes, end_of, make_world, only, topic
from tests.stack.fixtures import KafkaServers
from tests.stack.proxy import cut_answer, cut_request, for_real, kafka_proxy
from tests.stack.waiting import until

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
    until(lambda: not world.admin.create([NewTopicSpec(name=wanted.name, partitions=1)]))
    world.topic(wanted.name, lambda found: found.id != first)
    plan = world.plan(wanted)
    assert codes(plan) == ["kafka_topic_recreated"]
    assert only(plan).risk is Risk.UNKNOWN


def test_a_topic_deleted_by_hand_is_made_again_only_when_that_is_allowed(world: World, unique: Unique) -> None:
    wanted = topic(unique("t"))
    world.apply(wanted)
    world.admin.delete([wanted.name])
    until(lambda: wanted.name not in world.admin.topic_names())
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
    until(lambda: wanted.name not in world.admin.topic_names())


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
    until(lambda: (wanted.name in world.admin.topic_names()) is there)
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


def test_15_nothing_is_applied_while_kafka_is_away(tmp_path: Path, unique: Unique) -> None:
    world = make_world(tmp_path, "127.0.0.1:9")
    assert refused(lambda: world.apply(topic(unique("t")))) == [Code.PLAN_BLOCKED]


def test_17_another_cluster_is_refused_before_anything_is_asked_of_it(world: World, unique: Unique) -> None:
    wanted, expected = topic(unique("t")), {ResourceKind.TOPIC: "another-cluster-id"}
    with kafka_proxy(world.bootstrap) as proxy:
        behind = replace(world, bootstrap=proxy.address)
        assert refused(lambda: behind.plan(wanted, cluster_ids=expected)) == [Code.WRONG_CLUSTER]
        assert refused(lambda: behind.apply(wanted, cluster_ids=expected)) == [Code.WRONG_CLUSTER]
        assert set(proxy.whats()) <= {"ApiVersions", "Metadata", "DescribeCluster"}


def test_18_who_reads_a_changed_topic_is_shown_with_lag(world: World, unique: Unique) -> None:
    name, declared, other = unique("t"), unique("declared"), unique("other")
    world.apply(topic(name))
    world.produce(name, "a", "b", "c")
    members = [world.member(name, group) for group in (declared, other)]
    reach = Reach(groups=frozenset({declared}))
    impact = only(world.plan(topic(name, 2), reach=reach)).impact
    for member in members:
        member.close()
    assert impact.evidence == "complete"
    assert {each.id: (each.lag, each.declared, each.members) for each in impact.groups} == {
        declared: (2, True, 1),
        other: (2, False, 1),
    }


def test_18_groups_that_may_not_be_seen_make_the_evidence_partial(
    world: World, kafka: KafkaServers, unique: Unique
) -> None:
    name = unique("t")
    world.apply(topic(name))
    guest = _as_guest(world, kafka, name, ("DESCRIBE", "DESCRIBE_CONFIGS", "ALTER", "ALTER_CONFIGS"))
    impact = only(guest.plan(topic(name, 2))).impact
    assert impact.evidence == "partial"
    assert impact.why == ("the user may not describe the cluster, so not all groups are listed",)


def test_a_right_that_is_missing_is_known_before(world: World, kafka: KafkaServers, unique: Unique) -> None:
    name = unique("t")
    world.apply(topic(name))
    guest = _as_guest(world, kafka, name, ("DESCRIBE", "DESCRIBE_CONFIGS", "ALTER"))
    assert codes(guest.plan(topic(name, 2))) == []
    wanted = topic(name, 2, config={"segment.ms": "60000"})
    assert set(codes(guest.plan(wanted))) == {"kafka_not_authorized"}
    assert refused(lambda: guest.apply(wanted)) == [Code.PLAN_BLOCKED]


def _as_guest(world: World, kafka: KafkaServers, name: str, operations: tuple[str, ...]) -> World:
    """Return the same world, seen by a user who has some rights on one topic."""
    from confluent_kafka import admin as kafka_admin

    known: Any = kafka_admin  # its stubs forget what is needed of it
    admin = known.AdminClient({"bootstrap.servers": world.bootstrap, "log_level": 0})
    bindings = [
        known.AclBinding(
            known.ResourceType.TOPIC,
            name,
            known.ResourcePatternType.LITERAL,
            "User:guest",
            "*",
            known.AclOperation[operation],
            known.AclPermissionType.ALLOW,
        )
        for operation in operations
    ]
    for future in admin.create_acls(bindings).values():
        future.result(30)
    login = {key: str(value) for key, value in kafka.login(kafka.guest).items()}
    guest = replace(world, login=login)
    until(lambda: not codes(guest.plan(topic(name))))  # the broker may not know yet
    return guest


def test_25_a_topic_made_again_is_ours_once_it_is_adopted(world: World, unique: Unique) -> None:
    wanted = topic(unique("t"), 3)
    world.apply(wanted)
    world.admin.delete([wanted.name])
    until(lambda: not world.admin.create([NewTopicSpec(name=wanted.name, partitions=3)]))
    until(lambda: codes(world.plan(wanted)) == ["kafka_topic_recreated"])
    scope = world.scope(wanted)
    adopt(scope, world.store, look_at(scope, [wanted.address]))
    assert world.plan(wanted).actions == ()


def test_57_adopting_changes_the_state_once_and_the_topic_never(world: World, unique: Unique) -> None:
    wanted = topic(unique("t"), 1, config={"segment.ms": "60000"})
    assert world.admin.create([NewTopicSpec(name=wanted.name, partitions=1)]) == {}
    before = world.topic(wanted.name)
    serials = []
    for _ in range(2):
        scope = world.scope(wanted)
        serials.append(adopt(scope, world.store, look_at(scope, [wanted.address])).serial)
    assert serials == [1, 1]
    assert world.topic(wanted.name) == before
    action = only(world.plan(wanted))
    assert [each.path for each in action.diff if each.is_change] == ["/config/segment.ms"]


def test_43_a_secret_of_a_setting_reaches_only_the_broker(world: World, tmp_path: Path, unique: Unique) -> None:
    # Any text will do as a value: this one is a list of replicas that are throttled.
    name, key = unique("t"), "leader.replication.throttled.replicas"
    wanted = topic(name, config={key: SecretRef("/models/t/topic/config/x")})
    secret = replace(world, secrets=Secrets({"/models/t/topic/config/x": "0:48151623"}))
    plan = secret.plan(wanted)
    assert secret.apply(wanted).status == "committed"
    assert world.own_settings(name) == {key: "0:48151623"}
    assert secret.plan(wanted).actions == ()
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert not [text for text in (*written, repr(plan).encode()) if b"48151623" in text]
    changed = replace(world, secrets=Secrets({"/models/t/topic/config/x": "0:42"})).plan(wanted)
    assert [(each.path, each.sensitive) for each in only(changed).diff if each.is_change] == [(f"/config/{key}", True)]
    assert "0:42" not in repr(changed)


def test_two_environments_on_one_cluster_leave_each_other_alone(
    kafka: KafkaServers, tmp_path: Path, unique: Unique
) -> None:
    one, other = (make_world(tmp_path / each, kafka.bootstrap) for each in ("one", "other"))
    name = unique("t")
    one.apply(topic(name, config={"segment.ms": "60000"}))
    assert codes(other.plan(topic(name))) == ["ownership_required"]
    assert one.plan(topic(name, config={"segment.ms": "60000"})).actions == ()


def test_a_name_in_another_letter_case_is_said_and_taken(world: World, unique: Unique) -> None:
    name = unique("t")
    world.apply(topic(name))
    action = only(world.plan(topic(name.upper())))
    assert action.notes == (f"A topic `{name}` exists, whose name differs only in letter case.",)
    assert action.blockers == ()


def test_three_replicas_on_three_brokers(kafka_three: KafkaServers, tmp_path: Path, unique: Unique) -> None:
    world = make_world(tmp_path, kafka_three.bootstrap)
    wanted = topic(unique("t"), 6, replication=3, config={"min.insync.replicas": "2"})
    assert world.apply(wanted).status == "committed"
    assert world.plan(wanted).actions == ()
    assert codes(world.plan(topic(wanted.name, 6, replication=2))) == ["kafka_replication_change"]
