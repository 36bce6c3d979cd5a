"""Schemas in real registries: Apicurio, and a server that behaves as Confluent's documentation says."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from streamt.clusters.registry_admin import RegistryAdmin, SchemaText
from streamt.deploy.artifact import Content, ResourceKind
from streamt.deploy.backend import (
    Change,
    Checked,
    Happened,
    Live,
    Outcome,
    Presence,
    Proposal,
    Risk,
    Situation,
    Step,
    Target,
    Verb,
)
from streamt.deploy.backends.registry import SchemaBackend
from streamt.deploy.backends.registry_cluster import RegistryAdapter
from streamt.diagnostics import Code, StreamtError
from streamt.net import Basic, HttpClient, parse_address
from tests.clusters.confluent import Confluent, RefusedError, confluent
from tests.deploy.backends.situations import applied, target
from tests.stack.proxy import cut_answer, cut_request, http_proxy

Unique = Callable[[str], str]
BACKEND = SchemaBackend()
ID: dict[str, Any] = {"name": "id", "type": "long"}
NOTE: dict[str, Any] = {"name": "note", "type": ["null", "string"], "default": None}
MORE: dict[str, Any] = {"name": "more", "type": ["null", "string"], "default": None}
MUST: dict[str, Any] = {"name": "must", "type": "string"}


@pytest.fixture
def double() -> Iterator[Confluent]:
    with confluent() as running:
        yield running


@pytest.fixture(params=["confluent", pytest.param("apicurio", marks=pytest.mark.stack)])
def url(request: pytest.FixtureRequest) -> str:
    if request.param == "confluent":
        registry: Confluent = request.getfixturevalue("double")
        return registry.url
    return str(request.getfixturevalue("schema_registry"))


def admin_at(url: str) -> RegistryAdmin:
    return RegistryAdmin([HttpClient(address=parse_address(url), timeout_s=30)])


def adapter_at(url: str) -> RegistryAdapter:
    return RegistryAdapter(admin_at(url), "sha256:address", doubt_seconds=0.3)


@pytest.fixture
def adapter(url: str) -> RegistryAdapter:
    return adapter_at(url)


def record(*fields: Mapping[str, Any], name: str = "Order", **more: Content) -> dict[str, Content]:
    return {"type": "record", "name": name, "namespace": "shop", "fields": list(fields), **more}


def avro(*fields: Mapping[str, Any], level: str | None = None, **more: Content) -> dict[str, Content]:
    return {"type": "AVRO", "schema": record(*fields), "compatibility": level, **more}


def subject(name: str, body: Mapping[str, Content] | None, before: Mapping[str, Content] | None = None) -> Target:
    return target(body, before, name=name, kind=ResourceKind.SCHEMA, provider_id={})


def seen(adapter: RegistryAdapter, wanted: Target) -> Live:
    return adapter.observe([wanted])[wanted.address]


def planned(adapter: RegistryAdapter, wanted: Target) -> tuple[Situation, Change, tuple[Step, ...]]:
    situation = Situation(target=wanted, live=seen(adapter, wanted))
    change = BACKEND.diff(situation) if wanted.artifact else BACKEND.removal(situation)
    return situation, change, BACKEND.steps(situation, change)


def proposal(adapter: RegistryAdapter, wanted: Target) -> Proposal:
    situation, change, steps = planned(adapter, wanted)
    return Proposal(situation=situation, change=change, steps=steps)


def checked(adapter: RegistryAdapter, wanted: Target) -> Checked:
    return adapter.check([proposal(adapter, wanted)])[wanted.address]


def made(adapter: RegistryAdapter, name: str, *bodies: Mapping[str, Content]) -> None:
    """Register versions, one after the other."""
    for body in bodies:
        for step in planned(adapter, subject(name, body))[2]:
            result = adapter.execute(step)
            assert result.outcome is Outcome.DONE, result


def test_a_new_subject_is_registered_and_then_there_is_nothing_to_do(adapter: RegistryAdapter, unique: Unique) -> None:
    wanted = subject(unique("s"), avro(ID, level="FULL"))
    results = [adapter.execute(step) for step in planned(adapter, wanted)[2]]
    assert [result.outcome for result in results] == [Outcome.DONE, Outcome.DONE]
    assert results[0].provider_id["version"] == 1
    assert planned(adapter, wanted)[1].verb is Verb.NONE
    assert seen(adapter, wanted).fields["/compatibility"] == "FULL"


def test_a_compatible_change_becomes_the_next_version(adapter: RegistryAdapter, unique: Unique) -> None:
    name = unique("s")
    made(adapter, name, avro(ID))
    wanted = subject(name, avro(ID, NOTE))
    assert checked(adapter, wanted).blockers == ()
    (step,) = planned(adapter, wanted)[2]
    assert adapter.execute(step).provider_id["version"] == 2
    assert planned(adapter, wanted)[1].verb is Verb.NONE


def test_a_changed_doc_arrives(adapter: RegistryAdapter, unique: Unique) -> None:
    name = unique("s")
    made(adapter, name, avro(ID))
    wanted = subject(name, {**avro(), "schema": record(ID, doc="an order")})
    (step,) = planned(adapter, wanted)[2]
    assert adapter.execute(step).provider_id["version"] == 2
    assert planned(adapter, wanted)[1].verb is Verb.NONE


def test_an_incompatible_change_is_a_blocker_and_changes_nothing(
    adapter: RegistryAdapter, url: str, unique: Unique
) -> None:
    name = unique("s")
    made(adapter, name, avro(ID))
    answer = checked(adapter, subject(name, avro(ID, MUST)))
    assert answer.asked == (f"POST /compatibility/subjects/{name}/versions/latest",)
    assert [blocker.code for blocker in answer.blockers] == ["schema_incompatible"]
    assert admin_at(url).versions(name) == (1,)


def test_the_registrys_own_reasons_are_shown(double: Confluent) -> None:
    adapter = adapter_at(double.url)
    made(adapter, "s", avro(ID))
    (blocker,) = checked(adapter, subject("s", avro(ID, MUST))).blockers
    assert "READER_FIELD_MISSING_DEFAULT_VALUE" in blocker.message


def test_an_incompatible_schema_is_refused_when_it_is_sent_all_the_same(
    adapter: RegistryAdapter, unique: Unique
) -> None:
    name = unique("s")
    made(adapter, name, avro(ID))
    (step,) = planned(adapter, subject(name, avro(ID, MUST)))[2]
    result = adapter.execute(step)
    assert (result.outcome, result.error and result.error.code) == (Outcome.REFUSED, Code.PROVIDER_REFUSED)


def test_a_text_of_an_older_version_is_found(adapter: RegistryAdapter, unique: Unique) -> None:
    name = unique("s")
    made(adapter, name, avro(ID), avro(ID, NOTE), avro(ID, NOTE, MORE))
    _, change, steps = planned(adapter, subject(name, avro(ID)))
    assert [blocker.code for blocker in change.blockers] == ["schema_older_version"]
    assert "version 1" in change.blockers[0].message
    result = adapter.execute(steps[0])
    assert result.outcome is Outcome.REFUSED
    assert result.error
    assert "version 3 stays the latest" in result.error.message


def test_a_schema_that_somebody_spelled_otherwise_is_the_same(
    adapter: RegistryAdapter, url: str, unique: Unique
) -> None:
    name = unique("s")
    inner: dict[str, Content] = {"type": "record", "name": "shop.parts.Item", "fields": [ID]}
    outer = {"type": "record", "name": "Order", "namespace": "shop", "fields": [{"name": "item", "type": inner}]}
    assert admin_at(url).register(name, SchemaText(text=json.dumps(outer, indent=4))) is None
    turned: dict[str, Content] = {"fields": [ID], "namespace": "shop.parts", "name": "Item", "type": "record"}
    fields: list[Content] = [{"type": turned, "name": "item"}]
    body = {**avro(), "schema": {"fields": fields, "name": "shop.Order", "type": "record"}}
    assert planned(adapter, subject(name, body))[1].verb is Verb.NONE


@pytest.mark.parametrize(
    ("kind", "one", "two"),
    [
        (
            "JSON",
            {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False},
            {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
                "additionalProperties": False,
            },
        ),
        (
            "PROTOBUF",
            'syntax = "proto3";\n\nmessage A {\n  int32 a = 1;\n}\n',
            'syntax = "proto3";\n\nmessage A {\n  int32 a = 1;\n  string b = 2;\n}\n',
        ),
    ],
)
def test_other_kinds_grow_too(adapter: RegistryAdapter, unique: Unique, kind: str, one: Content, two: Content) -> None:
    name = unique("s")
    for number, text in ((1, one), (2, two)):
        wanted = subject(name, {"type": kind, "schema": text, "compatibility": None})
        (step,) = planned(adapter, wanted)[2]
        assert adapter.execute(step).provider_id["version"] == number
        assert planned(adapter, wanted)[1].verb is Verb.NONE


def test_two_new_subjects_one_refers_to_the_other(adapter: RegistryAdapter, unique: Unique) -> None:
    base, user = unique("base"), unique("user")
    reference: Content = {"name": "shop.Base", "subject": base, "version": None}
    uses = {**avro(), "schema": record({"name": "base", "type": "shop.Base"}, name="User"), "references": [reference]}
    referenced = subject(base, {**avro(), "schema": record(ID, name="Base")})
    wanted = subject(user, uses)
    assert adapter.execute(planned(adapter, wanted)[2][0]).outcome is Outcome.REFUSED
    for each in (referenced, wanted):
        for step in planned(adapter, each)[2]:
            assert adapter.execute(step).outcome is Outcome.DONE
    assert planned(adapter, wanted)[1].verb is Verb.NONE


def test_a_reference_that_the_same_plan_registers_is_checked_late(adapter: RegistryAdapter, unique: Unique) -> None:
    base, user = unique("base"), unique("user")
    made(adapter, user, {**avro(), "schema": record(ID, name="User")})
    fields = (ID, {"name": "base", "type": ["null", "shop.Base"], "default": None})
    reference: Content = {"name": "shop.Base", "subject": base, "version": None}
    uses = {**avro(), "schema": record(*fields, name="User"), "references": [reference]}
    referenced = replace(subject(base, {**avro(), "schema": record(ID, name="Base")}), address=_other_address())
    proposals = [proposal(adapter, referenced), proposal(adapter, subject(user, uses))]
    answer = adapter.check(proposals)[subject(user, uses).address]
    assert (answer.flags, answer.risk, answer.blockers) == (("checked_late",), Risk.NONE, ())
    made(adapter, base, {**avro(), "schema": record(MUST, name="Base")})
    changed = replace(
        referenced, artifact=subject(base, {**avro(), "schema": record(MUST, NOTE, name="Base")}).artifact
    )
    proposals = [proposal(adapter, changed), proposal(adapter, subject(user, uses))]
    answer = adapter.check(proposals)[subject(user, uses).address]
    assert (answer.flags, answer.risk) == (("checked_late",), Risk.UNKNOWN)


def _other_address() -> Any:
    return replace(subject("x", avro()).address, name="other")


def test_a_reference_to_nothing_is_a_blocker(adapter: RegistryAdapter, unique: Unique) -> None:
    name = unique("s")
    made(adapter, name, avro(ID))
    for version, code in ((None, "schema_reference_missing"), (1, "schema_invalid")):
        reference: Content = {"name": "shop.Base", "subject": unique("none"), "version": version}
        body = {**avro(ID, {"name": "base", "type": ["null", "shop.Base"], "default": None}), "references": [reference]}
        assert [blocker.code for blocker in checked(adapter, subject(name, body)).blockers] == [code]


def test_a_looser_level_is_checked_late_or_needs_no_check(adapter: RegistryAdapter, unique: Unique) -> None:
    name = unique("s")
    made(adapter, name, avro(ID, level="FULL"))
    answer = checked(adapter, subject(name, avro(ID, MUST, level="FORWARD"), avro(ID, level="FULL")))
    assert (answer.flags, answer.risk) == (("checked_late",), Risk.UNKNOWN)
    answer = checked(adapter, subject(name, avro(ID, MUST, level="NONE"), avro(ID, level="FULL")))
    assert (answer.flags, answer.blockers) == ((), ())


def test_a_level_and_a_version_change_together(adapter: RegistryAdapter, unique: Unique) -> None:
    name = unique("s")
    made(adapter, name, avro(ID, level="FULL"))
    wanted = subject(name, avro(ID, MUST, level="FORWARD"), avro(ID, level="FULL"))
    results = [adapter.execute(step) for step in planned(adapter, wanted)[2]]
    assert [result.outcome for result in results] == [Outcome.DONE, Outcome.DONE]
    back = subject(name, avro(ID, MUST), avro(ID, MUST, level="FORWARD"))
    (step,) = planned(adapter, back)[2]
    assert adapter.execute(step).outcome is Outcome.DONE
    assert planned(adapter, back)[1].verb is Verb.NONE


def test_a_level_that_apicurio_does_not_keep_is_refused(schema_registry: str, unique: Unique) -> None:
    adapter, name = adapter_at(schema_registry), unique("s")
    made(adapter, name, avro(ID))
    (step,) = planned(adapter, subject(name, avro(ID, level="NONE")))[2]
    result = adapter.execute(step)
    assert result.outcome is Outcome.REFUSED
    assert result.error
    assert "BACKWARD goes on to hold" in result.error.message


def test_a_deleted_subject_is_gone(adapter: RegistryAdapter, unique: Unique) -> None:
    name = unique("s")
    made(adapter, name, avro(ID))
    wanted = subject(name, None, avro(ID))
    assert checked(adapter, wanted).blockers == ()
    (step,) = planned(adapter, wanted)[2]
    assert adapter.execute(step).outcome is Outcome.DONE
    assert seen(adapter, wanted).presence is Presence.ABSENT
    assert name not in adapter.list_names()


def test_a_subject_that_others_refer_to_is_not_deleted(adapter: RegistryAdapter, unique: Unique) -> None:
    base, user = unique("base"), unique("user")
    made(adapter, base, {**avro(), "schema": record(ID, name="Base")})
    reference: Content = {"name": "shop.Base", "subject": base, "version": 1}
    made(adapter, user, {**avro({"name": "base", "type": "shop.Base"}), "references": [reference]})
    wanted = subject(base, None, avro(ID))
    assert [blocker.code for blocker in checked(adapter, wanted).blockers] == ["schema_referenced"]
    (step,) = planned(adapter, wanted)[2]
    assert adapter.execute(step).outcome is Outcome.REFUSED


def test_a_readonly_registry_is_known_before_and_refuses(double: Confluent) -> None:
    adapter = adapter_at(double.url)
    made(adapter, "s", avro(ID))
    double.mode = "READONLY"
    _, change, steps = planned(adapter, subject("s", avro(ID, NOTE)))
    assert [blocker.code for blocker in change.blockers] == ["schema_registry_readonly"]
    assert adapter.execute(steps[0]).outcome is Outcome.REFUSED


# After an unknown outcome


FAULTS = pytest.mark.parametrize(("fault", "happened"), [(cut_answer, Happened.DONE), (cut_request, Happened.UNDONE)])


@FAULTS
def test_a_registration_is_found_again(
    adapter: RegistryAdapter, url: str, unique: Unique, fault: Any, happened: Happened
) -> None:
    name = unique("s")
    made(adapter, name, avro(ID))
    wanted = subject(name, avro(ID, NOTE))
    (step,) = planned(adapter, wanted)[2]
    with http_proxy(url) as proxy:
        proxy.fault(fault, f"POST {proxy.address.partition('//')[2].partition('/')[1]}")
        assert adapter_at(proxy.address).execute(step).outcome is Outcome.UNKNOWN
    answer = adapter.ask(replace(step, payload={}), wanted)
    assert answer.happened is happened
    assert answer.provider_id.get("version") == (2 if happened is Happened.DONE else None)


@FAULTS
def test_a_level_is_found_again(
    adapter: RegistryAdapter, url: str, unique: Unique, fault: Any, happened: Happened
) -> None:
    name = unique("s")
    made(adapter, name, avro(ID))
    wanted = subject(name, avro(ID, level="FULL"))
    (step,) = planned(adapter, wanted)[2]
    with http_proxy(url) as proxy:
        proxy.fault(fault, "PUT")
        assert adapter_at(proxy.address).execute(step).outcome is Outcome.UNKNOWN
    assert adapter.ask(step, wanted).happened is happened


@FAULTS
def test_a_deletion_is_found_again(
    adapter: RegistryAdapter, url: str, unique: Unique, fault: Any, happened: Happened
) -> None:
    name = unique("s")
    made(adapter, name, avro(ID))
    wanted = subject(name, None, avro(ID))
    (step,) = planned(adapter, wanted)[2]
    with http_proxy(url) as proxy:
        proxy.fault(fault, "DELETE")
        assert adapter_at(proxy.address).execute(step).outcome is Outcome.UNKNOWN
    assert adapter.ask(step, wanted).happened is happened


def test_a_level_that_somebody_else_set_cannot_be_told(adapter: RegistryAdapter, url: str, unique: Unique) -> None:
    name = unique("s")
    made(adapter, name, avro(ID))
    wanted = subject(name, avro(ID, level="FULL"))
    (step,) = planned(adapter, wanted)[2]
    admin_at(url).set_level(name, "FORWARD")
    assert adapter.ask(step, wanted).happened is Happened.CANNOT_TELL


def test_nothing_can_be_told_when_nobody_answers(double: Confluent) -> None:
    wanted = subject("s", avro(ID))
    (step,) = planned(adapter_at(double.url), wanted)[2]
    assert adapter_at("http://127.0.0.1:9").ask(step, wanted).happened is Happened.CANNOT_TELL


def test_a_registry_that_is_away_is_e560() -> None:
    away = adapter_at("http://127.0.0.1:9")
    for ask in (away.identity, away.list_names, lambda: away.observe([subject("s", avro(ID))])):
        with pytest.raises(StreamtError) as caught:
            ask()
        (found,) = caught.value.diagnostics
        assert found.code is Code.PROVIDER_UNREACHABLE


def test_a_call_to_a_registry_that_is_away_was_certainly_not_made(double: Confluent) -> None:
    (step,) = planned(adapter_at(double.url), subject("s", avro(ID)))[2]
    result = adapter_at("http://127.0.0.1:9").execute(step)
    assert (result.outcome, result.error and result.error.code) == (Outcome.REFUSED, Code.PROVIDER_UNREACHABLE)


def test_a_refused_login_is_e561(double: Confluent) -> None:
    double.login = "me:right"
    client = HttpClient(address=parse_address(double.url), credentials=Basic("me", "wrong-one"))
    with pytest.raises(StreamtError) as caught:
        RegistryAdapter(RegistryAdmin([client], ["wrong-one"]), "x").list_names()
    (found,) = caught.value.diagnostics
    assert (found.code, found.hint) == (
        Code.PROVIDER_REFUSED,
        "check username and password of runtime.schema_registry",
    )


def test_an_identity_is_the_registrys_or_stands_for_it(adapter: RegistryAdapter, url: str) -> None:
    expected = "sha256:address" if "ccompat" in url else "kafka-cluster=K1/schema-registry-cluster=schema-registry"
    assert adapter.identity() == expected


def test_many_subjects_are_seen_in_one_go(adapter: RegistryAdapter, unique: Unique) -> None:
    names = [unique("s") for _ in range(20)]
    made(adapter, names[0], avro(ID))
    targets = [
        replace(subject(name, avro(ID)), address=replace(subject(name, avro(ID)).address, name=name)) for name in names
    ]
    found = adapter.observe(targets)
    assert [found[each.address].presence for each in targets] == [Presence.PRESENT] + [Presence.ABSENT] * 19


def test_drift_is_what_somebody_registered_beside_us(adapter: RegistryAdapter, url: str, unique: Unique) -> None:
    name = unique("s")
    made(adapter, name, avro(ID))
    assert admin_at(url).register(name, SchemaText(text=json.dumps(record(ID, NOTE)))) is None
    wanted = replace(subject(name, avro(ID)), applied=applied(avro(ID), name=name, provider_id={"version": 1, "id": 1}))
    _, change, _ = planned(adapter, wanted)
    assert [(each.path, each.desired == each.applied) for each in change.fields if each.is_change] == [
        ("/schema", True)
    ]
    assert [blocker.code for blocker in change.blockers] == ["schema_older_version"]


def test_a_subject_that_alone_cannot_be_seen_is_unknown(double: Confluent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(double, "shown", _raise(500))
    adapter = adapter_at(double.url)
    (step,) = planned(adapter, subject("s", avro(ID)))[2]
    adapter._admin.register("s", SchemaText(text=json.dumps(record(ID))))
    live = seen(adapter, subject("s", avro(ID)))
    assert (live.presence, live.reason and live.reason.code) == (Presence.UNKNOWN, Code.PROVIDER_UNREACHABLE)
    assert adapter.ask(step, subject("s", avro(ID))).happened is Happened.CANNOT_TELL


@pytest.mark.parametrize("call", ["register", "delete", "set_level", "unset_level"])
def test_a_change_that_never_shows_is_e562(double: Confluent, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    adapter = RegistryAdapter(admin_at(double.url), "x", wait_seconds=0.3)
    made(adapter, "s", avro(ID, level="FULL"))
    wanted = {
        "register": subject("s", avro(ID, NOTE, level="FULL")),
        "delete": subject("s", None, avro(ID)),
        "set_level": subject("s", avro(ID, level="BACKWARD"), avro(ID, level="FULL")),
        "unset_level": subject("s", avro(ID), avro(ID, level="FULL")),
    }[call]
    (step,) = planned(adapter, wanted)[2]
    assert step.action == call
    for method in ("register", "delete"):
        monkeypatch.setattr(double, method, lambda *_: 1)
    monkeypatch.setattr(double, "levels", _Deaf(double.levels))
    result = adapter.execute(step)
    assert (result.outcome, result.error and result.error.code) == (Outcome.UNKNOWN, Code.WAIT_EXPIRED)


def test_a_change_that_cannot_be_seen_is_unknown(double: Confluent, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = RegistryAdapter(admin_at(double.url), "x", wait_seconds=0.3)
    (step,) = planned(adapter, subject("s", avro(ID)))[2]
    monkeypatch.setattr(double, "shown", _raise(503))
    result = adapter.execute(step)
    assert (result.outcome, result.error and result.error.code) == (Outcome.UNKNOWN, Code.PROVIDER_UNREACHABLE)


class _Deaf(dict[str, str]):
    """Levels that nobody can change."""

    def __setitem__(self, *_: object) -> None:
        """Forget it."""

    def __delitem__(self, *_: object) -> None:
        """Forget it."""


def _raise(status: int) -> Callable[..., Any]:
    def fail(*_: object) -> None:
        raise RefusedError(status, status, "busy")

    return fail
