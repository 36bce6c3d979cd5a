"""Schemas: each row of the risk table, the calls and their order, and what counts as the same."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from streamt.deploy.artifact import Content, ResourceKind
from streamt.deploy.backend import AllowClass, Change, Live, Presence, Risk, Situation, Verb
from streamt.deploy.backends.registry import SchemaBackend, form, text_of
from tests.deploy.backends.situations import target

BACKEND = SchemaBackend()
ID: dict[str, Any] = {"name": "id", "type": "long"}
NOTE: dict[str, Any] = {"name": "note", "type": ["null", "string"], "default": None}


def schema(*fields: Mapping[str, Any], level: str | None = None, **more: Content) -> dict[str, Content]:
    """Return the content of an Avro subject."""
    record: dict[str, Content] = {"type": "record", "name": "Order", "namespace": "shop", "fields": list(fields)}
    return {"subject": "orders-value", "type": "AVRO", "schema": record, "compatibility": level, **more}


def situation(before: Mapping[str, Content] | None, after: Mapping[str, Content] | None, **facts: Content) -> Situation:
    """Return a subject that is as applied, and what it should be."""
    kind = ResourceKind.SCHEMA
    wanted = target(after, before, name="orders-value", kind=kind, provider_id={"version": 1, "id": 7})
    if before is None:
        return Situation(target=wanted, live=Live(presence=Presence.ABSENT, facts=facts))
    fields = BACKEND.desired(before)
    return Situation(
        target=wanted,
        live=Live(presence=Presence.PRESENT, fields=fields, provider_id={"version": 1, "id": 7}, facts=facts),
    )


def change(before: Mapping[str, Content], after: Mapping[str, Content], **facts: Content) -> Change:
    return BACKEND.diff(situation(before, after, **facts))


def codes(found: Change) -> list[tuple[str, AllowClass | None]]:
    return [(blocker.code, blocker.lifted_by) for blocker in found.blockers]


def calls(before: Mapping[str, Content] | None, after: Mapping[str, Content], **facts: Content) -> list[str]:
    where = situation(before, after, **facts)
    return [step.call for step in BACKEND.steps(where, BACKEND.diff(where))]


def test_nothing_to_do_is_none() -> None:
    assert change(schema(ID), schema(ID)).verb is Verb.NONE


def test_a_new_subject_is_safe() -> None:
    found = BACKEND.diff(situation(None, schema(ID)))
    assert (found.verb, found.risk, codes(found)) == (Verb.CREATE, Risk.SAFE, [])


def test_a_new_version_is_careful() -> None:
    found = change(schema(ID), schema(ID, NOTE))
    assert (found.verb, found.risk, codes(found)) == (Verb.UPDATE, Risk.CAREFUL, [])
    assert found.undo
    assert found.undo.kind == "impossible"


def test_a_text_that_an_older_version_has_is_a_blocker() -> None:
    found = change(schema(ID, NOTE), schema(ID), registered=1)
    assert codes(found) == [("schema_older_version", None)]
    assert found.blockers[0].hint == "change `definition` or `doc`, so that it becomes a new version"


def test_a_readonly_registry_is_a_blocker_where_something_changes() -> None:
    assert codes(change(schema(ID), schema(ID, NOTE), mode="READONLY")) == [("schema_registry_readonly", None)]
    assert codes(change(schema(ID), schema(ID), mode="READONLY")) == []
    assert codes(BACKEND.removal(situation(schema(ID), None, mode="READONLY"))) == [("schema_registry_readonly", None)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("BACKWARD", "NONE"),
        ("FULL", "BACKWARD"),
        ("FULL", "FORWARD"),
        ("BACKWARD_TRANSITIVE", "BACKWARD"),
        ("BACKWARD", "FORWARD"),
        ("BACKWARD_TRANSITIVE", "FULL"),
    ],
)
def test_a_looser_level_is_disruptive_and_comes_first(before: str, after: str) -> None:
    found = change(schema(ID, level=before), schema(ID, NOTE, level=after), effective=before)
    assert found.risk is Risk.DISRUPTIVE
    assert codes(found) == [("schema_compatibility_looser", AllowClass.DISRUPTIVE)]
    assert calls(schema(ID, level=before), schema(ID, NOTE, level=after), effective=before) == [
        f"PUT /config/orders-value ({after})",
        "POST /subjects/orders-value/versions",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [("NONE", "BACKWARD"), ("BACKWARD", "FULL"), ("FORWARD", "FULL_TRANSITIVE"), ("FULL", "FULL_TRANSITIVE")],
)
def test_a_tighter_level_is_careful_and_comes_last(before: str, after: str) -> None:
    found = change(schema(ID, level=before), schema(ID, NOTE, level=after), effective=before)
    assert (found.risk, codes(found)) == (Risk.CAREFUL, [])
    assert calls(schema(ID, level=before), schema(ID, NOTE, level=after), effective=before) == [
        "POST /subjects/orders-value/versions",
        f"PUT /config/orders-value ({after})",
    ]


def test_a_level_of_a_new_subject_comes_after_its_first_version() -> None:
    assert calls(None, schema(ID, level="NONE"), effective="BACKWARD") == [
        "POST /subjects/orders-value/versions",
        "PUT /config/orders-value (NONE)",
    ]


def test_a_level_given_back_is_compared_with_the_global_one() -> None:
    facts = {"effective": "FULL", "global": "BACKWARD"}
    found = change(schema(ID, level="FULL"), schema(ID), **facts)
    assert codes(found) == [("schema_compatibility_looser", AllowClass.DISRUPTIVE)]
    assert calls(schema(ID, level="FULL"), schema(ID), **facts) == ["DELETE /config/orders-value"]
    assert change(schema(ID, level="NONE"), schema(ID), effective="NONE", **{"global": "BACKWARD"}).risk is Risk.CAREFUL


def test_only_a_level_is_no_registration() -> None:
    assert calls(schema(ID), schema(ID, level="full"), effective="BACKWARD") == ["PUT /config/orders-value (FULL)"]


def test_deleting_is_destructive_and_soft() -> None:
    where = situation(schema(ID), None)
    found = BACKEND.removal(where)
    assert (found.verb, found.risk) == (Verb.DELETE, Risk.DESTRUCTIVE)
    assert [step.call for step in BACKEND.steps(where, found)] == ["DELETE /subjects/orders-value"]


def test_the_registration_carries_the_schema_and_its_identity_does_not() -> None:
    where = situation(schema(ID), schema(ID, NOTE))
    (step,) = BACKEND.steps(where, BACKEND.diff(where))
    assert step.payload["schema"] == schema(ID, NOTE)["schema"]
    assert "note" not in json.dumps(dict(step.identity))
    assert step.identity["before"] == 1


def test_another_order_of_keys_is_the_same_schema() -> None:
    turned: dict[str, Content] = {"fields": [{"type": "long", "name": "id"}], "name": "shop.Order", "type": "record"}
    assert change(schema(ID), {**schema(ID), "schema": turned}).verb is Verb.NONE


def test_another_doc_is_another_schema() -> None:
    assert change(schema(ID), schema({**ID, "doc": "the number"})).verb is Verb.UPDATE


def test_references_count_by_name_and_not_by_place() -> None:
    one, two = ({"name": name, "subject": f"{name}-value", "version": 1} for name in ("a", "b"))
    assert change(schema(ID, references=[one, two]), schema(ID, references=[two, one])).verb is Verb.NONE
    assert change(schema(ID, references=[one]), schema(ID, references=[one, two])).verb is Verb.UPDATE


@pytest.mark.parametrize(
    ("kind", "one", "other", "same"),
    [
        ("JSON", '{"a": 1, "b": 2}', '{"b":2,"a":1}', True),
        ("JSON", '{"a": 1}', '{"a": 2}', False),
        ("PROTOBUF", "message A {}\n", "message A {}  \n\n", True),
        ("PROTOBUF", "message A {}", "message B {}", False),
        ("AVRO", '"string"', '{"type": "string"}', True),
        ("AVRO", "{", "{", True),
    ],
)
def test_other_kinds_have_a_form_too(kind: Any, one: str, other: str, *, same: bool) -> None:
    assert (form(kind, one) == form(kind, other)) is same


def test_texts_are_printed_in_one_spelling() -> None:
    assert text_of(schema(ID)) == (
        '{"type":"record","name":"Order","namespace":"shop","fields":[{"name":"id","type":"long"}]}'
    )
    assert text_of({"type": "json", "schema": {"b": 1, "a": "é"}}) == '{"b":1,"a":"é"}'
    assert text_of({"type": "PROTOBUF", "schema": "message A {}\n"}) == "message A {}\n"
