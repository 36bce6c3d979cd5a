"""Topics on a real broker: observed, checked, changed one call at a time, and asked about after an unknown outcome."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import pytest

from streamt.clusters.kafka_admin import ConfigChange, KafkaAdmin, NewTopicSpec
from streamt.clusters.kafka_groups import KafkaGroups
from streamt.deploy.artifact import Content, SecretRef
from streamt.deploy.backend import (
    Change,
    Checked,
    Happened,
    Live,
    Outcome,
    Presence,
    Proposal,
    SecretState,
    Situation,
    Step,
    StepResult,
    Target,
    Verb,
)
from streamt.deploy.backends.kafka import TopicBackend
from streamt.deploy.backends.kafka_cluster import KafkaAdapter, KafkaReadersObserver
from streamt.deploy.project import Secrets
from streamt.diagnostics import Code, StreamtError
from tests.deploy.backends.situations import applied, target
from tests.stack.fixtures import KafkaServers
from tests.stack.proxy import Proxy, cut_answer, cut_request, delay, kafka_proxy
from tests.stack.waiting import until

Unique = Callable[[str], str]
BACKEND = TopicBackend()
SECRET = "hunter-two"


@pytest.fixture
def admin(kafka: KafkaServers) -> KafkaAdmin:
    return KafkaAdmin({"bootstrap.servers": kafka.bootstrap})


def adapter_at(bootstrap: str, *, seconds: float = 30, wait: float = 30) -> KafkaAdapter:
    admin = KafkaAdmin({"bootstrap.servers": bootstrap}, seconds=seconds)
    return KafkaAdapter(admin, Secrets({"/secret": SECRET}), wait_seconds=wait)


@pytest.fixture
def adapter(kafka: KafkaServers) -> KafkaAdapter:
    return adapter_at(kafka.bootstrap)


@pytest.fixture
def guest(kafka: KafkaServers) -> KafkaAdapter:
    return KafkaAdapter(KafkaAdmin({key: str(value) for key, value in kafka.login(kafka.guest).items()}), Secrets({}))


@pytest.fixture
def proxy(kafka: KafkaServers) -> Iterator[Proxy]:
    with kafka_proxy(kafka.bootstrap) as running:
        yield running


def content(
    partitions: int = 1, *, keyed: bool = False, config: Mapping[str, Content] | None = None
) -> dict[str, Content]:
    return {"partitions": partitions, "replication_factor": 1, "config": config or {}, "keyed": keyed}


def seen(adapter: KafkaAdapter, wanted: Target) -> Live:
    return adapter.observe([wanted])[wanted.address]


def planned(adapter: KafkaAdapter, wanted: Target) -> tuple[Situation, Change, tuple[Step, ...]]:
    situation = Situation(target=wanted, live=seen(adapter, wanted))
    change = BACKEND.diff(situation) if wanted.artifact else BACKEND.removal(situation)
    return situation, change, BACKEND.steps(situation, change)


def checked(adapter: KafkaAdapter, wanted: Target) -> Checked:
    situation, change, steps = planned(adapter, wanted)
    return adapter.check([Proposal(situation=situation, change=change, steps=steps)])[wanted.address]


def settle(adapter: KafkaAdapter, wanted: Target) -> list[StepResult]:
    """Do everything that is to be done."""
    return [adapter.execute(step) for step in planned(adapter, wanted)[2]]


def made(
    adapter: KafkaAdapter, name: str, body: Mapping[str, Content], after: Mapping[str, Content] | None = None
) -> Target:
    """Create a topic as `body`, and return it as applied, with `after` (or the same) as desired."""
    (result,) = settle(adapter, target(body, name=name))
    assert result.outcome is Outcome.DONE
    known = applied(body, name=name, provider_id=result.provider_id)
    return replace(target(body if after is None else after, name=name), applied=known)


def test_a_created_topic_is_as_desired_although_the_broker_adds_defaults(adapter: KafkaAdapter, unique: Unique) -> None:
    wanted = made(adapter, unique("t"), content(3, config={"retention.ms": "1000000", "cleanup.policy": "delete"}))
    assert seen(adapter, wanted).fields == {
        "/partitions": 3,
        "/replication_factor": 1,
        "/config/retention.ms": "1000000",
        "/config/cleanup.policy": "delete",
    }
    assert planned(adapter, wanted)[1].verb is Verb.NONE


def test_partitions_are_added(adapter: KafkaAdapter, unique: Unique) -> None:
    wanted = made(adapter, unique("t"), content(3), content(6))
    assert [result.outcome for result in settle(adapter, wanted)] == [Outcome.DONE]
    assert seen(adapter, wanted).fields["/partitions"] == 6


def test_a_setting_of_ours_is_given_back_and_anothers_stays(
    adapter: KafkaAdapter, admin: KafkaAdmin, unique: Unique
) -> None:
    name = unique("t")
    wanted = made(adapter, name, content(config={"segment.ms": "60000"}), content())
    admin.alter([ConfigChange(topic=name, set={"max.message.bytes": "5000"})])
    assert [result.outcome for result in settle(adapter, wanted)] == [Outcome.DONE]
    live = seen(adapter, replace(wanted, applied=applied(content(), name=name)))
    assert live.fields.keys() == {"/partitions", "/replication_factor", "/config/max.message.bytes"}
    assert live.owners == {"/config/max.message.bytes": "other"}


def test_what_a_retention_given_back_becomes_is_known(adapter: KafkaAdapter, unique: Unique) -> None:
    wanted = made(adapter, unique("t"), content(config={"retention.ms": "604800001"}), content())
    _, change, _ = planned(adapter, wanted)
    assert [blocker.code for blocker in change.blockers] == ["kafka_retention_shrinks"]
    assert "from 604800001 to 604800000" in change.blockers[0].message


def test_a_topic_made_again_is_not_ours(adapter: KafkaAdapter, admin: KafkaAdmin, unique: Unique) -> None:
    name = unique("t")
    wanted = made(adapter, name, content())
    assert adapter.execute(planned(adapter, replace(wanted, artifact=None))[2][0]).outcome is Outcome.DONE
    assert admin.create([NewTopicSpec(name=name, partitions=1)]) == {}
    _, change, _ = planned(adapter, wanted)
    assert [blocker.code for blocker in change.blockers] == ["kafka_topic_recreated"]


def test_a_topic_that_was_made_again_since_the_plan_is_not_deleted(
    adapter: KafkaAdapter, admin: KafkaAdmin, unique: Unique
) -> None:
    name = unique("t")
    wanted = made(adapter, name, content())
    (step,) = planned(adapter, replace(wanted, artifact=None))[2]
    assert adapter.execute(step).outcome is Outcome.DONE
    assert admin.create([NewTopicSpec(name=name, partitions=1)]) == {}
    until(lambda: seen(adapter, target(content(), name=name)).presence is Presence.PRESENT)
    result = adapter.execute(step)
    assert result.outcome is Outcome.REFUSED
    assert result.error
    assert result.error.message == f"topic `{name}` was made again since the plan: it is not the one to delete"
    assert name in adapter.list_names()


def test_kafkas_own_topics_are_not_listed(adapter: KafkaAdapter) -> None:
    assert not [name for name in adapter.list_names() if name.startswith("__")]


def test_a_name_in_another_letter_case_is_seen(adapter: KafkaAdapter, unique: Unique) -> None:
    name = unique("t")
    made(adapter, name, content())
    assert seen(adapter, target(content(), name=name.upper())).facts == {"similar": [name]}


def test_a_secret_is_compared_and_never_shown(adapter: KafkaAdapter, unique: Unique) -> None:
    ref = SecretRef("/secret")
    # Any text will do as a value: this one is a list of replicas that are throttled.
    name, body = unique("t"), content(config={"leader.replication.throttled.replicas": ref})
    other = Secrets({"/secret": "0:1"})
    right = KafkaAdapter(adapter._admin, other)
    (result,) = settle(right, target(body, name=name))
    assert result.outcome is Outcome.DONE
    live = seen(right, target(body, name=name))
    path = "/config/leader.replication.throttled.replicas"
    assert live.secrets == {path: SecretState.SAME}
    assert seen(adapter, target(body, name=name)).secrets == {path: SecretState.CHANGED}


def test_a_secret_that_the_broker_repeats_is_masked(adapter: KafkaAdapter, unique: Unique) -> None:
    wanted = target(content(config={"retention.ms": SecretRef("/secret")}), name=unique("t"))
    (blocker,) = checked(adapter, wanted).blockers
    assert "***" in blocker.message
    assert SECRET not in blocker.message
    (result,) = settle(adapter, wanted)
    assert result.outcome is Outcome.REFUSED
    assert SECRET not in str(result.error)


def test_what_the_broker_would_refuse_is_known_before(adapter: KafkaAdapter, unique: Unique) -> None:
    new = {**content(), "replication_factor": 3}
    answer = checked(adapter, target(new, name=unique("t")))
    assert answer.asked == ("CreateTopics (validate only)",)
    assert [blocker.code for blocker in answer.blockers] == ["kafka_refused"]
    assert "only 1 broker" in answer.blockers[0].message
    wanted = made(adapter, unique("t"), content(), content(2, config={"segment.ms": "no"}))
    answer = checked(adapter, wanted)
    assert set(answer.asked) == {"CreatePartitions (validate only)", "IncrementalAlterConfigs (validate only)"}
    assert [blocker.code for blocker in answer.blockers] == ["kafka_refused"]


def test_nothing_is_asked_where_nothing_is_done(adapter: KafkaAdapter, unique: Unique) -> None:
    situation, change, steps = planned(adapter, made(adapter, unique("t"), content()))
    assert adapter.check([Proposal(situation=situation, change=change, steps=steps)]) == {}


def test_a_guest_may_not_create(guest: KafkaAdapter, unique: Unique) -> None:
    wanted = target(content(), name=unique("t"))
    steps = BACKEND.steps(
        situation := Situation(target=wanted, live=Live(presence=Presence.ABSENT)), change := BACKEND.diff(situation)
    )
    answer = guest.check([Proposal(situation=situation, change=change, steps=steps)])[wanted.address]
    assert [blocker.code for blocker in answer.blockers] == ["kafka_not_authorized"]
    result = guest.execute(steps[0])
    assert result.outcome is Outcome.REFUSED
    assert result.error
    assert result.error.code is Code.PROVIDER_REFUSED


def test_a_topic_that_a_guest_may_not_see_is_unknown(guest: KafkaAdapter, unique: Unique) -> None:
    live = seen(guest, target(content(), name=unique("t")))
    assert live.presence is Presence.UNKNOWN
    assert live.reason
    assert live.reason.code is Code.PROVIDER_REFUSED


def test_a_topic_that_appeared_meanwhile_is_not_taken(adapter: KafkaAdapter, admin: KafkaAdmin, unique: Unique) -> None:
    name = unique("t")
    (step,) = planned(adapter, target(content(), name=name))[2]
    assert admin.create([NewTopicSpec(name=name, partitions=1)]) == {}
    result = adapter.execute(step)
    assert result.outcome is Outcome.REFUSED
    assert result.error
    assert result.error.hint == "adopt it, or choose another name"


def test_a_cluster_that_is_not_there_is_e560() -> None:
    away = adapter_at("127.0.0.1:9", seconds=2)
    for ask in (away.identity, away.list_names, lambda: away.observe([target(content())])):
        with pytest.raises(StreamtError) as caught:
            ask()
        (found,) = caught.value.diagnostics
        assert found.code is Code.PROVIDER_UNREACHABLE


def test_a_wrong_password_is_e561(kafka: KafkaServers) -> None:
    login = {key: str(value) for key, value in kafka.login(("streamt", "wrong-one")).items()}
    with pytest.raises(StreamtError) as caught:
        KafkaAdapter(KafkaAdmin(login), Secrets({})).identity()
    (found,) = caught.value.diagnostics
    assert found.code is Code.PROVIDER_REFUSED
    assert found.hint == "check security_protocol, sasl_mechanism, sasl_username and sasl_password"
    assert "wrong-one" not in found.message


# After an unknown outcome


FAULTS = pytest.mark.parametrize(("fault", "happened"), [(cut_answer, Happened.DONE), (cut_request, Happened.UNDONE)])


@FAULTS
def test_a_creation_is_found_again(
    adapter: KafkaAdapter, proxy: Proxy, unique: Unique, fault: object, happened: Happened
) -> None:
    wanted = target(content(2, config={"segment.ms": "60000"}), name=unique("t"))
    (step,) = planned(adapter, wanted)[2]
    proxy.fault(fault, "CreateTopics")  # type: ignore[arg-type] # one of the faults above
    result = adapter_at(proxy.address).execute(step)
    assert (result.outcome, result.error and result.error.code) == (Outcome.UNKNOWN, Code.PROVIDER_UNREACHABLE)
    answer = adapter.ask(replace(step, payload={}), wanted)
    assert answer.happened is happened
    assert bool(answer.provider_id) == (happened is Happened.DONE)


@FAULTS
def test_a_change_of_settings_is_found_again(
    adapter: KafkaAdapter, proxy: Proxy, unique: Unique, fault: object, happened: Happened
) -> None:
    wanted = made(
        adapter, unique("t"), content(config={"segment.ms": "60000"}), content(config={"retention.ms": "604800009"})
    )
    (step,) = planned(adapter, wanted)[2]
    proxy.fault(fault, "IncrementalAlterConfigs")  # type: ignore[arg-type] # one of the faults above
    assert adapter_at(proxy.address).execute(step).outcome is Outcome.UNKNOWN
    assert adapter.ask(replace(step, payload={}), wanted).happened is happened


@FAULTS
def test_more_partitions_are_found_again(
    adapter: KafkaAdapter, proxy: Proxy, unique: Unique, fault: object, happened: Happened
) -> None:
    wanted = made(adapter, unique("t"), content(1), content(2))
    (step,) = planned(adapter, wanted)[2]
    proxy.fault(fault, "CreatePartitions")  # type: ignore[arg-type] # one of the faults above
    assert adapter_at(proxy.address).execute(step).outcome is Outcome.UNKNOWN
    assert adapter.ask(replace(step, payload={}), wanted).happened is happened


@FAULTS
def test_a_deletion_is_found_again(
    adapter: KafkaAdapter, proxy: Proxy, unique: Unique, fault: object, happened: Happened
) -> None:
    wanted = replace(made(adapter, unique("t"), content()), artifact=None)
    (step,) = planned(adapter, wanted)[2]
    proxy.fault(fault, "DeleteTopics")  # type: ignore[arg-type] # one of the faults above
    assert adapter_at(proxy.address).execute(step).outcome is Outcome.UNKNOWN
    assert adapter.ask(replace(step, payload={}), wanted).happened is happened


def test_a_topic_that_somebody_made_otherwise_cannot_be_told_from_ours(
    adapter: KafkaAdapter, admin: KafkaAdmin, unique: Unique
) -> None:
    wanted = target(content(2), name=unique("t"))
    (step,) = planned(adapter, wanted)[2]
    assert admin.create([NewTopicSpec(name=wanted.name, partitions=1)]) == {}
    until(lambda: adapter.ask(step, wanted).happened is Happened.CANNOT_TELL)  # the cluster may not show it yet


def test_nothing_can_be_told_when_nobody_answers(adapter: KafkaAdapter, unique: Unique) -> None:
    wanted = target(content(), name=unique("t"))
    (step,) = planned(adapter, wanted)[2]
    assert adapter_at("127.0.0.1:9", seconds=2).ask(step, wanted).happened is Happened.CANNOT_TELL


def test_a_call_whose_answer_is_late_is_unknown(adapter: KafkaAdapter, proxy: Proxy, unique: Unique) -> None:
    (step,) = planned(adapter, target(content(), name=unique("t")))[2]
    proxy.fault(delay(20), "CreateTopics")
    assert adapter_at(proxy.address, seconds=2).execute(step).outcome is Outcome.UNKNOWN


def test_a_change_that_never_shows_is_e562(adapter: KafkaAdapter, proxy: Proxy, unique: Unique) -> None:
    (step,) = planned(adapter, target(content(), name=unique("t")))[2]
    slow = adapter_at(proxy.address, seconds=2, wait=1)
    proxy.on_request = lambda passed: (
        proxy.fault(cut_request, "Metadata", times=99) if passed.what == "CreateTopics" else None
    )
    result = slow.execute(step)
    assert (result.outcome, result.error and result.error.code) == (Outcome.UNKNOWN, Code.WAIT_EXPIRED)


def test_readers_that_cannot_be_listed_are_absent_evidence() -> None:
    readers = KafkaReadersObserver(KafkaGroups({"bootstrap.servers": "127.0.0.1:9"}, seconds=1)).readers(["t"])
    assert (readers.evidence, readers.groups) == ("absent", {})
    assert readers.why


def test_no_readers_is_complete_evidence(kafka: KafkaServers, unique: Unique) -> None:
    readers = KafkaReadersObserver(KafkaGroups({"bootstrap.servers": kafka.bootstrap})).readers([unique("t")])
    assert (readers.evidence, readers.groups) == ("complete", {})
