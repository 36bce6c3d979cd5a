"""Topics: each row of the risk table, the calls, and what counts as the same."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt.deploy.artifact import Content, SecretRef
from streamt.deploy.backend import (
    AllowClass,
    Change,
    Group,
    Live,
    Presence,
    Readers,
    Risk,
    Situation,
    Verb,
)
from streamt.deploy.backends.kafka import TopicBackend, normal, reader_blockers
from tests.deploy.backends.situations import present, target, unchanged

BACKEND = TopicBackend()


def topic(partitions: int = 3, replication: int = 1, *, keyed: bool = False, **config: str) -> dict[str, Content]:
    """Return the content of a topic; `_` in a setting's name stands for a dot."""
    settings = {name.replace("_", "."): value for name, value in config.items()}
    content: dict[str, Content] = {"name": "orders.v1", "partitions": partitions, "replication_factor": replication}
    return {**content, "config": settings, "keyed": keyed}


def configured(config: Mapping[str, str]) -> dict[str, Content]:
    return {**topic(), "config": {name.replace("_", "."): value for name, value in config.items()}}


def change(before: Mapping[str, Content], after: Mapping[str, Content], **facts: Content) -> Change:
    """Return what leads from a topic that is as applied to another content."""
    live = present(BACKEND.desired(before), facts=facts)
    return BACKEND.diff(Situation(target=target(after, before), live=live))


def codes(found: Change) -> list[tuple[str, AllowClass | None]]:
    return [(blocker.code, blocker.lifted_by) for blocker in found.blockers]


def test_nothing_to_do_is_none() -> None:
    found = BACKEND.diff(unchanged(BACKEND, topic(retention_ms="5")))
    assert (found.verb, found.risk, found.blockers) == (Verb.NONE, Risk.NONE, ())


def test_creating_is_safe() -> None:
    found = BACKEND.diff(Situation(target=target(topic()), live=Live(presence=Presence.ABSENT)))
    assert (found.verb, found.risk, found.blockers) == (Verb.CREATE, Risk.SAFE, ())


def test_a_name_in_another_letter_case_is_said() -> None:
    live = Live(presence=Presence.ABSENT, facts={"similar": ["Orders.v1"]})
    found = BACKEND.diff(Situation(target=target(topic()), live=live))
    assert found.notes == ("A topic `Orders.v1` exists, whose name differs only in letter case.",)


def test_a_topic_that_vanished_is_made_again_only_when_that_is_allowed() -> None:
    live = Live(presence=Presence.ABSENT)
    found = BACKEND.diff(Situation(target=target(topic(), topic()), live=live))
    assert (found.verb, found.risk) == (Verb.CREATE, Risk.DISRUPTIVE)
    assert codes(found) == [("vanished_outside", AllowClass.DISRUPTIVE)]


def test_more_partitions_without_a_key_are_careful() -> None:
    found = change(topic(3), topic(6))
    assert (found.verb, found.risk, codes(found)) == (Verb.UPDATE, Risk.CAREFUL, [])
    assert found.undo
    assert found.undo.kind == "impossible"


def test_more_partitions_with_a_key_are_disruptive() -> None:
    found = change(topic(3, keyed=True), topic(6, keyed=True))
    assert found.risk is Risk.DISRUPTIVE
    assert codes(found) == [("kafka_keyed_partition_increase", AllowClass.DISRUPTIVE)]


def test_fewer_partitions_are_never_done() -> None:
    assert codes(change(topic(6), topic(2))) == [("kafka_partition_decrease", None)]


def test_fewer_partitions_than_somebody_made_are_never_done_either() -> None:
    live = present(BACKEND.desired(topic(6)))
    found = BACKEND.diff(Situation(target=target(topic(3), topic(3)), live=live))
    assert codes(found) == [("kafka_partition_decrease", None)]


def test_another_replication_factor_is_never_done() -> None:
    found = change(topic(), topic(replication=3))
    assert codes(found) == [("kafka_replication_change", None)]
    assert "kafka-reassign-partitions.sh" in str(found.blockers[0].hint)


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ({"retention_ms": "200"}, {"retention_ms": "100"}, "kafka_retention_shrinks"),
        ({"retention_ms": "-1"}, {"retention_ms": "100"}, "kafka_retention_shrinks"),
        ({"retention_bytes": "-1"}, {"retention_bytes": "100"}, "kafka_retention_shrinks"),
        ({"retention_bytes": "200"}, {"retention_bytes": "100"}, "kafka_retention_shrinks"),
        ({"cleanup_policy": "delete"}, {"cleanup_policy": "compact"}, "kafka_cleanup_changes"),
        ({"cleanup_policy": "compact"}, {"cleanup_policy": "compact,delete"}, "kafka_cleanup_changes"),
        ({"max_message_bytes": "200"}, {"max_message_bytes": "100"}, "kafka_message_size_shrinks"),
    ],
)
def test_what_loses_records_is_destructive(before: dict[str, str], after: dict[str, str], code: str) -> None:
    found = change(configured(before), configured(after))
    assert found.risk is Risk.DESTRUCTIVE
    assert codes(found) == [(code, AllowClass.DESTRUCTIVE)]
    assert found.undo
    assert found.undo.kind == "impossible"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"retention_ms": "100"}, {"retention_ms": "200"}),
        ({"retention_ms": "100"}, {"retention_ms": "-1"}),
        ({"max_message_bytes": "100"}, {"max_message_bytes": "200"}),
        ({"segment_ms": "200"}, {"segment_ms": "100"}),
        ({"min_insync_replicas": "2"}, {}),
        ({}, {"compression_type": "zstd"}),
    ],
)
def test_any_other_setting_is_careful(before: dict[str, str], after: dict[str, str]) -> None:
    found = change(configured(before), configured(after))
    assert (found.risk, codes(found)) == (Risk.CAREFUL, [])


def test_a_retention_given_back_shrinks_if_the_default_is_smaller() -> None:
    inherited = {"retention.ms": "100"}
    assert codes(change(topic(retention_ms="200"), topic(), inherited=inherited))[0][0] == "kafka_retention_shrinks"
    assert change(topic(retention_ms="50"), topic(), inherited=inherited).risk is Risk.CAREFUL


def test_a_retention_given_back_to_an_unknown_default_is_destructive() -> None:
    assert change(topic(retention_ms="200"), topic()).risk is Risk.DESTRUCTIVE


def test_a_first_retention_shrinks_if_the_default_is_larger() -> None:
    inherited = {"retention.ms": "1000"}
    assert change(topic(), topic(retention_ms="5"), inherited=inherited).risk is Risk.DESTRUCTIVE
    assert change(topic(), topic(retention_ms="5000"), inherited=inherited).risk is Risk.CAREFUL


def test_putting_back_what_somebody_lowered_is_careful() -> None:
    content = topic(retention_ms="1000")
    live = present(BACKEND.desired(topic(retention_ms="10")))
    found = BACKEND.diff(Situation(target=target(content, content), live=live))
    assert (found.verb, found.risk, codes(found)) == (Verb.UPDATE, Risk.CAREFUL, [])


def test_another_id_is_another_topic() -> None:
    live = present(BACKEND.desired(topic()), topic_id="T2")
    found = BACKEND.diff(Situation(target=target(topic(), topic()), live=live))
    assert (found.verb, found.risk) == (Verb.UPDATE, Risk.UNKNOWN)
    assert codes(found) == [("kafka_topic_recreated", None)]
    assert "adopt topic orders" in str(found.blockers[0].hint)


def test_adopting_shows_honest_differences() -> None:
    live = present(BACKEND.desired(topic(3, retention_ms="1")))
    found = BACKEND.diff(Situation(target=target(topic(3, retention_ms="5")), live=live))
    changes = [(each.path, each.desired, each.live) for each in found.fields if each.is_change]
    assert changes == [("/config/retention.ms", "5", "1")]


def test_settings_of_others_are_shown_and_are_no_change() -> None:
    fields = {**BACKEND.desired(topic()), "/config/segment.ms": "5"}
    live = Live(
        presence=Presence.PRESENT, fields=fields, owners={"/config/segment.ms": "other"}, provider_id={"topic_id": "T1"}
    )
    found = BACKEND.diff(Situation(target=target(topic(), topic()), live=live))
    assert (found.verb, [each.owner for each in found.fields]) == (Verb.NONE, ["other"])


def test_a_right_that_is_missing_is_a_blocker() -> None:
    found = change(topic(3), topic(6, segment_ms="5"), rights=["DELETE"])
    assert [(each.code, each.message) for each in found.blockers] == [
        ("kafka_not_authorized", "the user may not ALTER topic `orders.v1`"),
        ("kafka_not_authorized", "the user may not ALTER_CONFIGS topic `orders.v1`"),
    ]


def test_rights_that_are_there_or_not_known_block_nothing() -> None:
    assert change(topic(3), topic(6), rights=["ALTER"]).blockers == ()
    assert change(topic(3), topic(6)).blockers == ()


def test_deleting_is_destructive_and_final() -> None:
    found = BACKEND.removal(Situation(target=target(None, topic()), live=present(BACKEND.desired(topic()))))
    assert (found.verb, found.risk, codes(found)) == (Verb.DELETE, Risk.DESTRUCTIVE, [])
    assert found.undo
    assert found.undo.kind == "impossible"


def test_a_topic_made_again_is_not_deleted() -> None:
    live = present(BACKEND.desired(topic()), topic_id="T2")
    found = BACKEND.removal(Situation(target=target(None, topic()), live=live))
    assert codes(found) == [("kafka_topic_recreated", None)]


@pytest.mark.parametrize(
    ("readers", "expected"),
    [
        (Readers(evidence="complete"), []),
        (
            Readers(groups={"t": (Group(id="g", members=0),)}, evidence="complete"),
            [("kafka_topic_has_readers", AllowClass.DESTRUCTIVE)],
        ),
        (Readers(groups={"t": (Group(id="g", members=1),)}, evidence="complete"), [("kafka_topic_in_use", None)]),
        (Readers(groups={"t": (Group(id="g"),)}, evidence="partial"), [("kafka_topic_in_use", None)]),
        (Readers(evidence="partial", why=("denied",)), [("kafka_topic_in_use", None)]),
        (Readers(evidence="absent"), [("kafka_topic_in_use", None)]),
        (Readers(groups={"u": (Group(id="g", members=1),)}, evidence="complete"), []),
    ],
)
def test_who_reads_a_topic_decides_whether_it_may_go(
    readers: Readers, expected: list[tuple[str, AllowClass | None]]
) -> None:
    assert [(each.code, each.lifted_by) for each in reader_blockers(readers, "t")] == expected


def test_many_readers_are_counted() -> None:
    groups = tuple(Group(id=f"g{number}", members=1) for number in range(7))
    (blocker,) = reader_blockers(Readers(groups={"t": groups}, evidence="complete"), "t")
    assert blocker.message == "topic `t` is read by groups `g0`, `g1`, `g2`, `g3`, `g4` and 2 more"


@pytest.mark.parametrize(("replicas", "wanted", "found"), [(1, "2", 1), (2, "2", 0), (3, "2", 0), (1, "x", 0)])
def test_more_replicas_in_sync_than_there_are_would_take_no_record(replicas: int, wanted: str, found: int) -> None:
    content = topic(replication=replicas, min_insync_replicas=wanted)
    created = BACKEND.diff(Situation(target=target(content), live=Live(presence=Presence.ABSENT)))
    changed = change(topic(replication=replicas), content)
    assert [codes(each).count(("kafka_min_insync_replicas", None)) for each in (created, changed)] == [found, found]


def test_the_brokers_own_replication_factor_counts_where_none_is_declared() -> None:
    content = {**topic(min_insync_replicas="2"), "replication_factor": None}
    live = present({"/partitions": 3, "/replication_factor": 1})
    assert ("kafka_min_insync_replicas", None) in codes(BACKEND.diff(Situation(target=target(content), live=live)))


def steps(before: Mapping[str, Content], after: Mapping[str, Content]) -> list[tuple[str, str]]:
    situation = Situation(target=target(after, before), live=present(BACKEND.desired(before)))
    return [(step.action, step.call) for step in BACKEND.steps(situation, BACKEND.diff(situation))]


def test_settings_change_by_name_and_before_partitions() -> None:
    before, after = topic(3, retention_ms="5", segment_ms="9"), topic(6, retention_ms="6")
    assert steps(before, after) == [
        ("alter", "IncrementalAlterConfigs orders.v1 (set retention.ms; delete segment.ms)"),
        ("grow", "CreatePartitions orders.v1 (3 -> 6)"),
    ]


def test_an_identity_holds_no_value_of_a_setting() -> None:
    before, after = topic(retention_ms="123456"), topic(retention_ms="654321")
    situation = Situation(target=target(after, before), live=present(BACKEND.desired(before)))
    (step,) = BACKEND.steps(situation, BACKEND.diff(situation))
    assert not {"123456", "654321"} & {word for value in step.identity.values() for word in str(value).split("'")}
    assert step.payload == {"set": {"retention.ms": "654321"}, "delete": []}


def test_creating_is_one_call_with_everything() -> None:
    situation = Situation(target=target(topic(1, segment_ms="5")), live=Live(presence=Presence.ABSENT))
    (step,) = BACKEND.steps(situation, BACKEND.diff(situation))
    assert step.call == "CreateTopics orders.v1 (1 partition)"
    assert step.payload == {"partitions": 1, "replication_factor": 1, "config": {"segment.ms": "5"}}
    assert step.identity == {"topic": "orders.v1", "topic_id": None}


def test_deleting_names_the_id() -> None:
    situation = Situation(target=target(None, topic()), live=present(BACKEND.desired(topic())))
    (step,) = BACKEND.steps(situation, BACKEND.removal(situation))
    assert (step.call, step.identity) == ("DeleteTopics orders.v1", {"topic": "orders.v1", "topic_id": "T1"})


def test_nothing_to_do_is_no_call() -> None:
    situation = unchanged(BACKEND, topic())
    assert BACKEND.steps(situation, BACKEND.diff(situation)) == ()


def test_what_is_not_declared_is_the_brokers() -> None:
    assert BACKEND.desired({"name": "t", "partitions": None, "config": {}}) == {}


def test_a_secret_stays_a_reference() -> None:
    ref = SecretRef("/models/orders/topic/config/x")
    assert BACKEND.desired({"config": {"x": ref}}) == {"/config/x": ref}


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("cleanup.policy", "delete, compact", "compact,delete"),
        ("min.cleanable.dirty.ratio", "1", "1.0"),
        ("retention.ms", "+0100", "100"),
        ("preallocate", "TRUE", "true"),
    ],
)
def test_values_that_mean_the_same_are_the_same(name: str, one: str, other: str) -> None:
    assert normal(name, one) == normal(name, other)


def test_partition_numbers_are_no_text() -> None:
    assert normal(None, 3) == 3


@given(st.integers())
def test_a_number_is_its_own_normal_form(value: int) -> None:
    assert normal("retention.ms", str(value)) == str(value)


@given(st.text())
def test_a_normal_form_is_normal(value: str) -> None:
    once = normal("x", value)
    assert normal("x", once) == once


CONFIGS = st.dictionaries(
    st.sampled_from(["retention.ms", "segment.ms", "cleanup.policy", "max.message.bytes"]),
    st.sampled_from(["1", "2", "delete", "compact,delete"]),
)


@given(st.integers(1, 5), st.integers(0, 3), CONFIGS, CONFIGS, CONFIGS)
def test_the_steps_of_a_change_leave_nothing_to_do_and_touch_nothing_of_others(
    partitions: int, more: int, before: dict[str, str], after: dict[str, str], others: dict[str, str]
) -> None:
    old, new = (
        {**topic(count), "config": config} for count, config in ((partitions, before), (partitions + more, after))
    )
    theirs = {f"/config/other.{name}": value for name, value in others.items()}
    live = Live(
        presence=Presence.PRESENT,
        fields={**BACKEND.desired(old), **theirs},
        owners=dict.fromkeys(theirs, "other"),
        provider_id={"topic_id": "T1"},
    )
    situation = Situation(target=target(new, old), live=live)
    fields = dict(live.fields)
    for step in BACKEND.steps(situation, BACKEND.diff(situation)):
        if step.action == "grow":
            fields["/partitions"] = step.payload["partitions"]
        else:
            values, removed = step.payload["set"], step.payload["delete"]
            assert isinstance(values, Mapping)
            assert isinstance(removed, list)
            fields |= {f"/config/{name}": normal(name, value) for name, value in values.items()}
            fields = {path: value for path, value in fields.items() if path.removeprefix("/config/") not in removed}
    settled = Situation(target=target(new, new), live=replace(live, fields=fields))
    assert BACKEND.diff(settled).verb is Verb.NONE
    assert theirs.items() <= fields.items()
