"""What a plan says: verbs, causes, risks, blockers, orphans, impact, order."""

import json
from pathlib import Path
from typing import Any

import pytest

from streamt.deploy.artifact import ResourceKind, SecretRef
from streamt.deploy.backend import AllowClass
from streamt.deploy.plan import Plan
from streamt.deploy.policy import Policy
from streamt.deploy.project import Moved, Removed, Secrets
from streamt.diagnostics import Code, StreamtError
from tests.deploy.files_provider import make_files
from tests.deploy.shop import AffectedExposure, Exposed, Reach, Selection, World, address, artifact, shop

DELETING = Policy(allow_destructive=True, deletable=frozenset({ResourceKind.TOPIC}))


def shown(plan: Plan) -> list[tuple[str, str, tuple[str, ...], str]]:
    return [(each.address.name, each.verb.value, each.cause, each.risk.value) for each in plan.actions]


def blocked(plan: Plan) -> list[tuple[str, str]]:
    return [(each.address.name, blocker.code) for each in plan.actions for blocker in each.blockers]


def test_an_empty_environment_is_filled(world: World) -> None:
    plan = world.plan(artifact("a"), artifact("b"))
    assert shown(plan) == [("a", "create", ("declared",), "safe"), ("b", "create", ("declared",), "safe")]
    assert (plan.risk.value, plan.is_blocked, plan.state) == ("safe", False, None)


def test_nothing_to_do_is_an_empty_plan(world: World) -> None:
    world.apply(artifact("a"))
    plan = world.plan(artifact("a"))
    assert (plan.actions, plan.unchanged, plan.risk.value) == ((), 1, "none")


def test_the_project_and_others_are_told_apart(world: World) -> None:
    world.apply(artifact("a", {"x": "1", "y": "1"}), artifact("b", {"x": "1"}), artifact("c", {"x": "1"}))
    world.files.change("a", y="9")
    world.files.change("b", x="9")
    plan = world.plan(artifact("a", {"x": "2", "y": "1"}), artifact("b", {"x": "1"}), artifact("c", {"x": "2"}))
    assert [(each.address.name, each.cause) for each in plan.actions] == [
        ("a", ("declared", "drift")),
        ("b", ("drift",)),
        ("c", ("declared",)),
    ]


def test_what_is_already_as_declared_only_enters_state(world: World) -> None:
    world.apply(artifact("a", {"x": "1"}))
    world.files.change("a", x="2")
    (action,) = world.plan(artifact("a", {"x": "2"})).actions
    assert (action.verb.value, action.steps, action.risk.value) == ("update", (), "safe")
    world.apply(artifact("a", {"x": "2"}))
    assert world.plan(artifact("a", {"x": "2"})).actions == ()


def test_protection_is_a_change_of_state_alone(world: World) -> None:
    world.apply(artifact("a"))
    (action,) = world.plan(artifact("a", protect=True)).actions
    assert ([each.path for each in action.diff], action.steps) == (["/ownership/protect"], ())
    world.apply(artifact("a", protect=True))
    assert world.store.read().resources[address("a")].protect


def test_what_vanished_is_not_made_again_in_silence(world: World) -> None:
    world.apply(artifact("a"))
    world.files.remove("a")
    plan = world.plan(artifact("a"))
    assert shown(plan) == [("a", "create", ("drift",), "disruptive")]
    assert [(each.code, each.lifted_by) for each in plan.actions[0].blockers] == [
        ("vanished_outside", AllowClass.DISRUPTIVE)
    ]
    assert world.apply(artifact("a"), allow=(f"disruptive:{address('a')}",)).status == "committed"


def test_what_was_made_again_by_hand_is_blocked(world: World) -> None:
    world.apply(artifact("a"))
    world.files.put("a", {"size": 1})
    assert blocked(world.plan(artifact("a"))) == [("a", "recreated")]


def test_a_physical_name_does_not_change_in_place(world: World) -> None:
    world.apply(artifact("a"))
    plan = world.plan(artifact("a", name="a.v2"))
    assert blocked(plan) == [("a", "physical_name_changed")]
    hint = plan.actions[0].blockers[0].hint
    assert hint is not None
    assert f"streamt state forget {address('a')}" in hint


def test_another_cluster_is_seen(world: World) -> None:
    world.apply(artifact("a"))
    (world.files.folder / "cluster-id").write_text("folder-2")
    assert blocked(world.plan(artifact("a"))) == [("a", "cluster_changed")]


def test_a_cluster_that_is_not_the_declared_one_is_asked_nothing_else(world: World) -> None:
    world.files.fail("observe", "unreachable")
    with pytest.raises(StreamtError) as error:
        world.plan(artifact("a"), cluster_ids={ResourceKind.TOPIC: "another"})
    assert error.value.diagnostics[0].code is Code.WRONG_CLUSTER


def test_kinds_that_cannot_be_deployed_yet_are_named_and_left_alone(world: World) -> None:
    job = address("job").__class__(project="shop", environment="prod", kind=ResourceKind.FLINK_JOB, name="job")
    plan = world.plan(artifact("a"), artifact("job", address=job))
    assert [str(each.address) for each in plan.deferred] == [str(job)]
    assert [each.address.name for each in plan.actions] == ["a"]


# Ends


def test_what_is_no_longer_declared_is_an_orphan_and_untouched(world: World) -> None:
    world.apply(artifact("a"), artifact("b"))
    plan = world.plan(artifact("a"))
    assert ([each.address.name for each in plan.orphans], plan.actions) == (["b"], ())
    world.apply(artifact("a"))
    assert world.files.names == ["a", "b"]


def test_a_tombstone_can_forget(world: World) -> None:
    world.apply(artifact("a"))
    removed = Removed(address=address("a"), name="a", delete=False)
    assert world.apply_to(shop(removed=(removed,))).status == "committed"
    assert (world.files.names, world.applied) == (["a"], {})
    assert world.plan_of(shop(removed=(removed,))).actions == ()


def deletion(world: World, **more: Any) -> Plan:
    removed = Removed(**{"address": address("a"), "name": "a", "delete": True, **more})
    return world.plan_of(shop(removed=(removed,)))


def test_a_deletion_needs_everything_that_it_needs(world: World) -> None:
    world.apply(artifact("a"))
    world.policy = DELETING
    removed = shop(removed=(Removed(address=address("a"), name="a", delete=True),))
    plan = world.plan_of(removed)
    assert shown(plan) == [("a", "delete", ("removed",), "destructive")]
    assert [str(each) for each in (*plan.needs, *plan.actions[0].needs)] == [
        "reviewed_plan",
        f"allow:destructive:{address('a')}",
    ]
    assert world.apply_to(removed, saved=plan, allow=(f"destructive:{address('a')}",)).status == "committed"
    assert (world.files.names, world.applied) == ([], {})


@pytest.mark.parametrize(
    ("policy", "protect", "name", "code"),
    [
        (Policy(allow_destructive=True), False, "a", "deletion_not_permitted"),
        (Policy(deletable=frozenset({ResourceKind.TOPIC})), False, "a", "deletion_not_permitted"),
        (DELETING, True, "a", "resource_protected"),
        (DELETING, False, "b", "removed_name_differs"),
    ],
)
def test_a_deletion_lacks_one_of_them(world: World, policy: Policy, protect: bool, name: str, code: str) -> None:
    world.apply(artifact("a", protect=protect))
    world.policy = policy
    plan = deletion(world, name=name)
    assert ("a", code) in blocked(plan)
    assert plan.is_blocked


@pytest.mark.parametrize(
    ("readers", "code"),
    [
        ({"groups": {"a": [{"id": "g", "members": 1}]}, "evidence": "complete"}, "in_use"),
        ({"groups": {}, "evidence": "partial", "why": ["denied"]}, "in_use"),
        ({"groups": {"a": [{"id": "g", "members": 0}]}, "evidence": "complete"}, None),
    ],
)
def test_what_is_read_is_not_deleted(world: World, readers: object, code: str | None) -> None:
    world.apply(artifact("a"))
    world.policy = DELETING
    (world.files.folder / "readers.txt").write_text(json.dumps(readers))
    assert (("a", code) in blocked(deletion(world))) is (code is not None)


def test_what_is_already_gone_is_forgotten(world: World) -> None:
    world.apply(artifact("a"))
    world.files.remove("a")
    assert shown(deletion(world)) == [("a", "forget", ("removed",), "safe")]


def test_a_deletion_without_its_review_is_refused(world: World) -> None:
    world.apply(artifact("a"))
    world.policy = DELETING
    removed = shop(removed=(Removed(address=address("a"), name="a", delete=True),))
    with pytest.raises(StreamtError) as error:
        world.apply_to(removed, allow=(f"destructive:{address('a')}",))
    assert error.value.diagnostics[0].code is Code.REVIEWED_PLAN_REQUIRED


# Moves


def test_a_move_stands_alone(world: World) -> None:
    world.apply(artifact("old", {"size": 1}))
    moved = Moved(source=address("old"), target=address("new"))
    plan = world.plan_of(shop(artifact("new", {"size": 2}, name="old"), moved=(moved,)))
    (action,) = plan.actions
    assert (action.verb.value, action.steps, action.source) == ("move", (), address("old"))
    assert action.notes == ("Other differences follow in the next plan.",)
    assert plan.orphans == ()


def test_a_move_cannot_rename_what_is_there(world: World) -> None:
    world.apply(artifact("old"))
    moved = Moved(source=address("old"), target=address("new"))
    assert blocked(world.plan_of(shop(artifact("new"), moved=(moved,)))) == [("new", "physical_name_changed")]


# Selection, order, impact


def selection(*names: str) -> Selection:
    return Selection(selectors=names, names=frozenset(names))


def test_a_selected_plan_sees_nothing_else(world: World) -> None:
    world.apply(artifact("gone"), artifact("b"))
    world.policy = DELETING
    removed = (Removed(address=address("gone"), name="gone", delete=True),)
    project = shop(artifact("a"), artifact("b", {"size": 2}), artifact("c"), removed=removed)
    plan = world.plan_of(project, selection=selection("b"))
    assert ([each.address.name for each in plan.actions], plan.orphans) == (["b"], ())
    assert plan.selection == ("b",)


def test_what_is_needed_comes_first_and_is_taken_away_last(world: World) -> None:
    world.apply(artifact("x"), artifact("y", depends_on=(address("x"),)))
    world.policy = DELETING
    ends = tuple(Removed(address=address(name), name=name, delete=False) for name in "xy")
    project = shop(
        artifact("a", depends_on=(address("b"),)),
        artifact("b", depends_on=(address("c"),)),
        artifact("c"),
        removed=ends,
    )
    assert [each.address.name for each in world.plan_of(project).actions] == ["c", "b", "a", "y", "x"]


def test_the_order_of_declarations_is_no_difference(world: World) -> None:
    one = world.plan(artifact("a"), artifact("b"))
    other = world.plan(artifact("b"), artifact("a"))
    assert (one.manifest_digest, one.actions[0].address) == (other.manifest_digest, other.actions[0].address)


REACH = Reach(
    readers={"a": frozenset({"b"}), "b": frozenset({"c"})},
    owners={"a": "team-a", "b": "team-b", "c": "team-c", "z": "team-z"},
    exposures=(
        Exposed(exposure=AffectedExposure(name="board", owner="team-d", group="board-group"), reads=frozenset({"c"})),
        Exposed(exposure=AffectedExposure(name="other"), reads=frozenset({"z"})),
    ),
)


def test_a_change_names_whom_it_reaches(world: World) -> None:
    world.apply(artifact("a"))
    groups = {"a": [{"id": "x", "lag": 3, "members": 1}, {"id": "board-group", "lag": 7, "members": 2}]}
    (world.files.folder / "readers.txt").write_text(json.dumps({"groups": groups, "evidence": "partial", "why": ["w"]}))
    (action,) = world.plan(artifact("a", {"size": 2}), reach=REACH).actions
    impact = action.impact
    assert (impact.models, [each.name for each in impact.exposures]) == (("b", "c"), ["board"])
    assert impact.owners == ("team-a", "team-b", "team-c", "team-d")
    assert [(each.id, each.lag, each.declared) for each in impact.groups] == [("board-group", 7, True), ("x", 3, False)]
    assert (impact.evidence, impact.why) == ("partial", ("w",))


def test_without_consumers_the_evidence_is_absent(world: World) -> None:
    world.apply(artifact("a"))
    (action,) = world.plan(artifact("a", {"size": 2}), with_readers=False).actions
    assert action.impact.evidence == "absent"


def test_only_lag_is_no_reason_to_plan_again(world: World) -> None:
    world.apply(artifact("a"))
    plan = world.plan(artifact("a", {"size": 2}))
    groups = {"a": [{"id": "x", "lag": 3, "members": 1}]}
    (world.files.folder / "readers.txt").write_text(json.dumps({"groups": groups, "evidence": "complete"}))
    assert world.apply(artifact("a", {"size": 2}), saved=plan).status == "committed"


# Secrets


def secret_shop(value: str) -> Any:
    secret = SecretRef("/models/a/password")
    return shop(artifact("a", {"size": 1, "password": secret}), secrets=Secrets({secret.pointer: value}))


def test_a_secret_that_changed_is_one_line_and_no_value(world: World, tmp_path: Path) -> None:
    world.apply_to(secret_shop("s3cret-one"))
    assert world.files.contents == {"a": {"size": 1, "password": "s3cret-one"}}
    assert world.plan_of(secret_shop("s3cret-one")).actions == ()
    (action,) = world.plan_of(secret_shop("s3cret-two")).actions
    assert [(each.path, each.sensitive, each.desired) for each in action.diff] == [("/password", True, "changed")]
    world.apply_to(secret_shop("s3cret-two"))
    assert world.files.contents["a"]["password"] == "s3cret-two"
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.parent != world.files.folder:
            assert b"s3cret" not in path.read_bytes()


def test_two_environments_on_one_provider_do_not_see_each_others_states(world: World, tmp_path: Path) -> None:
    world.apply(artifact("a"))
    other = World(make_files(tmp_path / "provider"), world.store)
    assert other.plan(artifact("a")).actions == ()
