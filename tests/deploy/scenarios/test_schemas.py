"""Scenarios of schemas, each against Apicurio and against a server that behaves as Confluent's documentation says."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from streamt.deploy.artifact import Artifact, Content, ResourceKind
from streamt.deploy.backend import Risk, Verb
from streamt.diagnostics import Code, StreamtError
from tests.clusters.confluent import Confluent, confluent
from tests.deploy.scenarios.world import World, codes, end_of, fields_of, make_world, only, record, schema
from tests.stack.proxy import cut_answer, cut_request, http_proxy

Unique = Callable[[str], str]
ID: dict[str, Any] = {"name": "id", "type": "long"}
NOTE: dict[str, Any] = {"name": "note", "type": ["null", "string"], "default": None}
MORE: dict[str, Any] = {"name": "more", "type": ["null", "string"], "default": None}
MUST: dict[str, Any] = {"name": "must", "type": "string"}


@pytest.fixture
def double() -> Iterator[Confluent]:
    with confluent() as running:
        yield running


@pytest.fixture(params=["confluent", pytest.param("apicurio", marks=pytest.mark.stack)])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    if request.param == "confluent":
        registry: Confluent = request.getfixturevalue("double")
        url = registry.url
    else:
        url = request.getfixturevalue("schema_registry")
    return make_world(tmp_path, "", url)


def versions(world: World, artifact: Artifact) -> tuple[int, ...]:
    return world.subjects.versions(artifact.name)


def test_27_a_compatible_change_is_the_next_version(world: World, unique: Unique) -> None:
    name = unique("s")
    assert world.apply(schema(name, record(ID))).status == "committed"
    wanted = schema(name, record(ID, NOTE))
    assert (only(world.plan(wanted)).risk, codes(world.plan(wanted))) == (Risk.CAREFUL, [])
    assert world.apply(wanted).status == "committed"
    assert fields_of(world, name) == ["id", "note"]
    assert world.plan(wanted).actions == ()


def test_28_an_incompatible_change_is_blocked_and_nothing_is_registered(world: World, unique: Unique) -> None:
    name = unique("s")
    world.apply(schema(name, record(ID)))
    wanted = schema(name, record(ID, MUST))
    assert codes(world.plan(wanted)) == ["schema_incompatible"]
    with pytest.raises(StreamtError) as caught:
        world.apply(wanted)
    assert [each.code for each in caught.value.diagnostics] == [Code.PLAN_BLOCKED]
    assert versions(world, wanted) == (1,)


def test_29_the_text_of_an_older_version_is_blocked(world: World, unique: Unique) -> None:
    name = unique("s")
    for fields in ((ID,), (ID, NOTE), (ID, NOTE, MORE)):
        world.apply(schema(name, record(*fields)))
    assert codes(world.plan(schema(name, record(ID)))) == ["schema_older_version"]


def test_30_what_is_referred_to_is_registered_first(world: World, unique: Unique) -> None:
    # The one that refers comes first by name.
    user, base = unique("a-user"), unique("b-base")
    wanted = [
        schema(user, record({"name": "base", "type": "shop.Base"}, name="User"), references=[("shop.Base", base)]),
        schema(base, record(ID, name="Base")),
    ]
    plan = world.plan(*wanted)
    assert [each.name for each in plan.actions] == [base, user]
    assert world.apply(*wanted).status == "committed"
    assert [versions(world, each) for each in wanted] == [(1,), (1,)]
    assert world.plan(*wanted).actions == ()


def test_31_nested_namespaces_are_no_difference(world: World, unique: Unique) -> None:
    inner: dict[str, Content] = {"type": "record", "name": "Item", "namespace": "shop.parts", "fields": [ID]}
    again: dict[str, Content] = {"name": "again", "type": "shop.parts.Item"}
    fields: list[Content] = [{"name": "item", "type": inner}, again]
    body: dict[str, Content] = {"namespace": "shop", "fields": fields, "name": "Order", "type": "record"}
    wanted = schema(unique("s"), body)
    assert world.apply(wanted).status == "committed"
    assert world.plan(wanted).actions == ()


def test_a_changed_doc_is_a_change(world: World, unique: Unique) -> None:
    name = unique("s")
    world.apply(schema(name, record(ID)))
    wanted = schema(name, record(ID, doc="an order"))
    assert world.apply(wanted).status == "committed"
    assert versions(world, wanted) == (1, 2)
    assert world.plan(wanted).actions == ()


def test_levels_change_on_the_right_side_of_a_version(world: World, unique: Unique) -> None:
    name = unique("s")
    world.apply(schema(name, record(ID), compatibility="FULL"))
    looser = schema(name, record(ID, MUST), compatibility="FORWARD")
    assert "schema_compatibility_looser" in codes(world.plan(looser))
    allow = [f"disruptive:{looser.address}", f"unknown:{looser.address}"]
    assert world.apply(looser, allow=allow).status == "committed"
    assert fields_of(world, name) == ["id", "must"]
    assert world.subjects.level(name).own == "FORWARD"
    tighter = schema(name, record(ID, MUST, NOTE), compatibility="FULL")
    assert codes(world.plan(tighter)) == []
    assert world.apply(tighter).status == "committed"
    assert world.plan(tighter).actions == ()


def test_a_subject_that_is_not_ours_is_left_alone(world: World, tmp_path: Path, unique: Unique) -> None:
    wanted = schema(unique("s"), record(ID))
    world.apply(wanted)
    stranger = make_world(tmp_path / "other", "", world.registry)
    assert codes(stranger.plan(schema(wanted.name, record(ID, NOTE)))) == ["ownership_required"]


def test_a_subject_is_deleted_softly_with_all_permissions(world: World, unique: Unique) -> None:
    policy = replace(world.policy, deletable=frozenset({ResourceKind.SCHEMA}), allow_destructive=True)
    world = replace(world, policy=policy)
    wanted = schema(unique("s"), record(ID))
    world.apply(wanted)
    plan = world.plan(removed=[end_of(wanted)])
    assert only(plan).verb is Verb.DELETE
    flag = [f"destructive:{wanted.address}"]
    assert world.apply(removed=[end_of(wanted)], allow=flag, saved=plan).status == "committed"
    assert versions(world, wanted) == ()


@pytest.mark.parametrize(
    ("fault", "status", "there"), [(cut_answer, "committed", True), (cut_request, "failed", False)]
)
def test_a_lost_answer_is_asked_about(
    world: World, unique: Unique, fault: Callable[[Callable[[], bytes]], bytes], status: str, there: bool
) -> None:
    wanted = schema(unique("s"), record(ID))
    with http_proxy(world.registry) as proxy:
        proxy.fault(fault, f"/subjects/{wanted.name}/versions", when=bool)
        behind = replace(world, registry=proxy.address)
        assert behind.apply(wanted).status == status
        assert (behind.plan(wanted).actions == ()) is there
    assert bool(versions(world, wanted)) is there


def test_a_readonly_registry_blocks_the_plan(double: Confluent, tmp_path: Path) -> None:
    world = make_world(tmp_path, "", double.url)
    world.apply(schema("s", record(ID)))
    double.mode = "READONLY"
    assert codes(world.plan(schema("s", record(ID, NOTE)))) == ["schema_registry_readonly"]
    assert world.plan(schema("s", record(ID))).actions == ()


def test_a_registry_away_is_missing_evidence(tmp_path: Path) -> None:
    plan = make_world(tmp_path, "", "http://127.0.0.1:9").plan(schema("s", record(ID)))
    assert codes(plan) == ["evidence_missing"]
