"""Applying plans to a real, small provider: what is called, what state says, and how it ends."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from streamt.deploy.apply import Report
from streamt.deploy.plan import load_plan, save_plan
from streamt.deploy.policy import Policy
from streamt.deploy.project import Moved
from streamt.deploy.state import Store, problems
from streamt.deploy.state.local import _LocalSession
from streamt.diagnostics import Code, StreamtError
from tests.deploy.shop import Never, World, address, artifact, make_world, shop


@pytest.fixture
def any_world(tmp_path: Path, store: Store) -> World:
    """Return a world on each kind of store."""
    return make_world(tmp_path, store)


def refused(run: Callable[[], object]) -> tuple[Code, ...]:
    """Return the codes with which `run` ends before it has begun."""
    with pytest.raises(StreamtError) as error:
        run()
    return tuple(each.code for each in error.value.diagnostics)


def results(report: Report) -> dict[str, str]:
    return {each.address.name: each.result for each in report.actions}


def codes(report: Report) -> tuple[Code, ...]:
    return tuple(each.code for each in report.errors)


# The way that all goes well


def test_what_is_declared_is_made_and_remembered(any_world: World) -> None:
    report = any_world.apply(artifact("a"), artifact("b", {"size": 2, "config": {"x": "1"}}))
    assert (report.status, report.committed, report.serial) == ("committed", True, 1)
    assert results(report) == {"a": "applied", "b": "applied"}
    assert any_world.files.contents == {"a": {"size": 1}, "b": {"size": 2, "config": {"x": "1"}}}
    assert any_world.applied == any_world.files.contents
    assert any_world.store.read().resources[address("a")].provider_id == {"id": any_world.files.get("a")["id"]}


def test_a_second_apply_calls_nobody_and_keeps_the_serial(any_world: World) -> None:
    any_world.apply(artifact("a"))
    report = any_world.apply(artifact("a"))
    assert (report.status, report.actions, report.serial) == ("committed", (), 1)
    assert any_world.files.calls == ["Create a"]


def test_only_what_changed_is_called(any_world: World) -> None:
    any_world.apply(artifact("a"), artifact("b"))
    any_world.apply(artifact("a", {"size": 3}), artifact("b"))
    assert any_world.files.calls == ["Create a", "Create b", "Set size of a"]
    assert any_world.serial == 2


def test_the_operation_id_is_the_one_that_was_drawn_before(world: World) -> None:
    report = world.apply(artifact("a"), operation_id="0a4f66a8-5f4c-4bb1-9a39-2f0a5a4f66a8")
    assert report.operation_id == world.log.operations[0][0] == "0a4f66a8-5f4c-4bb1-9a39-2f0a5a4f66a8"
    assert world.store.read().resources[address("a")].operation == report.operation_id


def test_drift_is_put_back(world: World) -> None:
    world.apply(artifact("a", {"size": 1, "config": {"x": "1"}}))
    world.files.change("a", config={"x": "2"})
    world.apply(artifact("a", {"size": 1, "config": {"x": "1"}}))
    assert world.files.contents["a"] == {"size": 1, "config": {"x": "1"}}
    assert world.serial == 2


def test_what_others_set_stays(world: World) -> None:
    world.apply(artifact("a", {"size": 1}))
    world.files.change("a", theirs="x")
    world.apply(artifact("a", {"size": 2}))
    assert world.files.contents["a"] == {"size": 2, "theirs": "x"}


def test_a_field_that_is_no_longer_declared_is_taken_away(world: World) -> None:
    world.apply(artifact("a", {"size": 1, "note": "x"}))
    world.apply(artifact("a", {"size": 1}))
    assert world.files.contents["a"] == {"size": 1}


def test_drift_is_accepted_without_touching_anything(world: World) -> None:
    world.apply(artifact("a", {"size": 1, "note": "x"}), artifact("b"))
    world.files.change("a", note="y")
    world.files.remove("b")
    before = world.files.calls
    report = world.apply(artifact("a", {"size": 1, "note": "x"}), artifact("b"), refresh_only=True)
    assert results(report) == {"a": "applied", "b": "applied"}
    assert world.files.calls == before
    assert world.applied == {"a": {"size": 1, "note": "y"}}


# What may not be done


def test_what_is_not_ours_is_left_alone(world: World) -> None:
    world.files.put("a", {"size": 9})
    assert refused(lambda: world.apply(artifact("a"))) == (Code.OWNERSHIP_REQUIRED,)
    assert (world.files.calls, world.serial) == ([], None)


def test_what_is_declared_as_adopted_is_taken_as_it_is(world: World) -> None:
    world.files.put("a", {"size": 9, "theirs": "x"})
    declared = artifact("a", {"size": 1}, ownership="adopted")
    world.apply(declared)
    assert (world.files.calls, world.applied) == ([], {"a": {"size": 9}})
    (action,) = world.plan(declared).actions
    assert [(each.path, each.desired, each.applied, each.live) for each in action.diff if each.owner == "ours"] == [
        ("/size", 1, 9, 9)
    ]


def test_a_blocked_plan_changes_nothing_whatever_is_allowed(world: World) -> None:
    world.apply(artifact("a", {"size": 3}))
    allow = tuple(f"{word}:{address('a')}" for word in ("disruptive", "destructive", "unknown", "state_loss"))
    assert refused(lambda: world.apply(artifact("a", {"size": 2}), artifact("b"), allow=allow)) == (Code.PLAN_BLOCKED,)
    assert world.files.calls == ["Create a"]


def test_a_class_needs_its_allow_with_the_exact_address(world: World) -> None:
    world.apply(artifact("a", {"retention": 9}), artifact("b"))
    smaller = artifact("a", {"retention": 3})
    for allow in ((), (f"destructive:{address('b')}",), (f"disruptive:{address('a')}",)):
        assert refused(partial(world.apply, smaller, artifact("b"), allow=allow)) == (Code.NOT_ALLOWED,)
    world.apply(smaller, artifact("b"), allow=(f"destructive:{address('a')}",))
    assert world.files.contents["a"] == {"retention": 3}


@pytest.mark.parametrize(
    ("policy", "allow", "ends"),
    [
        (Policy(), "destructive", None),
        (Policy(protected=True, allow_destructive=True), "destructive", Code.NOT_ALLOWED),
        (Policy(protected=True, allow_destructive=True), "destructive:ADDRESS", None),
        (Policy(protected=True), "destructive:ADDRESS", Code.NOT_ALLOWED),
        (Policy(allow_destructive=False), "destructive:ADDRESS", Code.NOT_ALLOWED),
        (Policy(allow_destructive=False), "destructive", Code.NOT_ALLOWED),
    ],
)
def test_the_environment_says_what_can_be_allowed(world: World, policy: Policy, allow: str, ends: Code | None) -> None:
    world.apply(artifact("a", {"retention": 9}))
    world.policy = policy
    words = allow.replace("ADDRESS", str(address("a")))
    if ends is None:
        assert world.apply(artifact("a", {"retention": 3}), allow=(words,)).status == "committed"
    else:
        assert refused(lambda: world.apply(artifact("a", {"retention": 3}), allow=(words,))) == (ends,)


def test_an_environment_that_wants_reviewed_plans_takes_no_other(world: World) -> None:
    world.policy = Policy(reviewed=True)
    assert refused(lambda: world.apply(artifact("a"))) == (Code.REVIEWED_PLAN_REQUIRED,)
    assert world.apply(artifact("a"), saved=world.plan(artifact("a"))).status == "committed"


@pytest.mark.parametrize("confirmed", [None, "staging", "PROD", ""])
def test_an_environment_that_wants_its_name_takes_no_other(world: World, confirmed: str | None) -> None:
    world.policy = Policy(confirm=True)
    assert refused(lambda: world.apply(artifact("a"), confirmed=confirmed)) == (Code.CONFIRMATION_REQUIRED,)
    assert world.apply(artifact("a"), confirmed="prod").status == "committed"


def test_a_wrong_name_is_refused_even_where_none_is_wanted(world: World) -> None:
    assert refused(lambda: world.apply(artifact("a"), confirmed="dev")) == (Code.CONFIRMATION_REQUIRED,)


def test_a_state_that_only_this_machine_sees_can_be_forbidden(world: World) -> None:
    world.policy = Policy(remote_state=True)
    assert refused(lambda: world.apply(artifact("a"))) == (Code.STATE_UNAVAILABLE,)


def test_what_cannot_be_seen_is_never_called_unchanged(world: World) -> None:
    world.apply(artifact("a"))
    for call in ("identity", "observe"):
        world.files.fail(call, "unreachable")
        plan = world.plan(artifact("a"))
        assert ([each.blockers[0].code for each in plan.actions], plan.risk.value) == (["evidence_missing"], "unknown")
        assert refused(lambda: world.apply(artifact("a"))) == (Code.PLAN_BLOCKED,)
        world.files.heal()


def test_what_the_provider_would_refuse_is_a_blocker_of_the_plan(world: World) -> None:
    world.files.fail("check Create a", "refuse")
    (action,) = world.plan(artifact("a")).actions
    assert [(each.code, each.message) for each in action.blockers] == [("policy", "a policy refuses: Create a")]


# Saved plans


def test_a_saved_plan_is_executed_as_it_is(any_world: World, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    save_plan(path, any_world.plan(artifact("a")), ())
    assert any_world.apply(artifact("a"), saved=load_plan(path)).status == "committed"
    assert refused(lambda: any_world.apply(artifact("a"), saved=load_plan(path))) == (Code.PLAN_STALE,)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda world: world.apply(artifact("x")), "the state has serial 2"),
        (lambda world: world.files.change("a", size=7), f"{address('a')}: it was changed outside"),
        (lambda world: world.files.remove("a"), f"{address('a')}: it was changed outside"),
        (lambda world: world.files.put("b", {}), f"{address('b')}: it was changed outside"),
        (lambda world: (world.files.folder / "cluster-id").write_text("other"), "the providers are not those"),
    ],
)
def test_a_saved_plan_that_no_longer_holds_says_why(
    world: World, change: Callable[[World], object], reason: str
) -> None:
    world.apply(artifact("a"))
    declared = artifact("a", {"size": 2}), artifact("b")
    plan = world.plan(*declared)
    calls = world.files.calls
    change(world)
    with pytest.raises(StreamtError) as error:
        world.apply(*declared, saved=plan)
    assert {each.code for each in error.value.diagnostics} == {Code.PLAN_STALE}
    assert any(reason in each.message for each in error.value.diagnostics), error.value.diagnostics
    assert [each for each in world.files.calls if each != "Create x"] == calls


def test_a_saved_plan_of_another_project_says_so(world: World) -> None:
    plan = world.plan(artifact("a"))
    for changed in (artifact("a", {"size": 2}), artifact("a", protect=True)):
        with pytest.raises(StreamtError) as error:
            world.apply(changed, saved=plan)
        assert "the project has changed" in error.value.diagnostics[0].message
    for other in (replace(plan, environment="dev"), replace(plan, project="other")):
        assert Code.PLAN_STALE in refused(partial(world.apply, artifact("a"), saved=other))


def test_all_reasons_are_told_at_once(world: World) -> None:
    world.apply(artifact("a"), artifact("b"))
    declared = artifact("a", {"size": 2}), artifact("b", {"size": 2})
    plan = world.plan(*declared)
    world.files.change("a", size=7)
    world.files.change("b", size=7)
    assert refused(lambda: world.apply(*declared, saved=plan)) == (Code.PLAN_STALE, Code.PLAN_STALE)


def test_a_plan_expires(world: World) -> None:
    world.policy = Policy(plan_max_age=timedelta(seconds=-1))
    assert refused(lambda: world.apply(artifact("a"), saved=world.plan(artifact("a")))) == (Code.PLAN_STALE,)


def test_an_offline_plan_is_never_applied(world: World) -> None:
    plan = world.plan(artifact("a"), offline=True)
    assert plan.risk.value == "unknown"
    assert refused(lambda: world.apply(artifact("a"), saved=plan)) == (Code.PLAN_INVALID,)


def test_a_plan_that_somebody_confirmed_must_still_be_the_plan(world: World) -> None:
    world.apply(artifact("a"))
    shown = world.plan(artifact("a", {"size": 2}))
    world.files.change("a", size=5)
    assert refused(lambda: world.apply(artifact("a", {"size": 2}), shown=shown)) == (Code.PLAN_STALE,)


# What goes wrong on the way


def test_a_refusal_ends_the_operation_and_keeps_what_was_done(any_world: World) -> None:
    any_world.files.fail("Create b", "refuse")
    declared = [artifact(name) for name in "abc"]
    report = any_world.apply(*declared)
    assert (report.status, report.committed, report.serial, codes(report)) == (
        "failed",
        False,
        1,
        (Code.PROVIDER_REFUSED,),
    )
    assert results(report) == {"a": "applied", "b": "failed", "c": "skipped"}
    assert not report.recovery_required
    assert set(any_world.applied) == {"a"}
    any_world.files.heal()
    assert [each.address.name for each in any_world.plan(*declared).actions] == ["b", "c"]
    assert any_world.apply(*declared).status == "committed"


def test_independent_actions_go_on_if_asked_to(world: World) -> None:
    world.files.fail("Create b", "refuse")
    declared = artifact("a"), artifact("b"), artifact("c", depends_on=(address("b"),)), artifact("d")
    report = world.apply(*declared, keep_going=True)
    assert results(report) == {"a": "applied", "b": "failed", "c": "skipped", "d": "applied"}
    assert report.status == "failed"


@pytest.mark.parametrize("fault", ["lose_request", "lose_answer"])
def test_a_lost_connection_is_decided_by_asking(any_world: World, fault: str) -> None:
    any_world.files.fail("Create a", fault)
    report = any_world.apply(artifact("a"))
    was_done = fault == "lose_answer"
    assert report.status == ("committed" if was_done else "failed")
    assert any_world.files.calls == (["Create a"] if was_done else [])
    assert set(any_world.applied) == set(any_world.files.names)


def test_an_outcome_that_nobody_can_tell_stays_open(any_world: World) -> None:
    any_world.files.fail("Create b", "lose_for_good")
    declared = [artifact(name) for name in "abc"]
    report = any_world.apply(*declared, keep_going=True)
    assert (report.status, report.recovery_required, codes(report)) == ("unknown", True, (Code.OUTCOME_UNKNOWN,))
    assert results(report) == {"a": "applied", "b": "unknown", "c": "skipped"}
    assert set(any_world.applied) == {"a"}
    any_world.files.heal()
    assert refused(lambda: any_world.apply(*declared)) == (Code.RECOVERY_REQUIRED,)


def test_an_unreachable_provider_was_certainly_not_called(world: World) -> None:
    world.files.fail("Create a", "unreachable")
    report = world.apply(artifact("a"))
    assert (report.status, codes(report)) == ("failed", (Code.PROVIDER_UNREACHABLE,))


def test_an_action_that_fails_half_way_is_finished_by_the_next(world: World) -> None:
    world.apply(artifact("a", {"x": "1", "y": "1"}))
    world.files.fail("Set y of a", "refuse")
    declared = artifact("a", {"x": "2", "y": "2"})
    report = world.apply(declared)
    assert (report.status, results(report), world.files.contents["a"]) == (
        "failed",
        {"a": "failed"},
        {"x": "2", "y": "1"},
    )
    assert world.store.read().resources[address("a")].condition == "incomplete"
    world.files.heal()
    (action,) = world.plan(declared).actions
    assert (action.cause, [each.call for each in action.steps]) == (("declared",), ["Set y of a"])
    world.apply(declared)
    assert world.store.read().resources[address("a")].condition is None
    assert world.plan(declared).actions == ()


class AfterFirst:
    """Asks to stop once the first action has ended."""

    def __init__(self, world: World) -> None:
        self._log = world.log

    @property
    def is_requested(self) -> bool:
        return bool(self._log.reports)


def test_a_request_to_stop_ends_after_the_call_at_hand(any_world: World) -> None:
    declared = [artifact(name) for name in "abc"]
    report = any_world.apply(*declared, stop=AfterFirst(any_world))
    assert (report.status, report.serial, report.recovery_required) == ("interrupted", 1, False)
    assert results(report) == {"a": "applied", "b": "skipped", "c": "skipped"}
    assert [each.address.name for each in any_world.plan(*declared).actions] == ["b", "c"]


class AfterFirstCall:
    """Asks to stop once the provider was called."""

    def __init__(self, world: World, calls: int) -> None:
        self._world = world
        self._calls = calls

    @property
    def is_requested(self) -> bool:
        return len(self._world.files.calls) >= self._calls


def test_a_request_to_stop_between_two_steps_leaves_the_rest_for_later(world: World) -> None:
    world.apply(artifact("a", {"x": "1", "y": "1"}))
    declared = artifact("a", {"x": "2", "y": "2"})
    report = world.apply(declared, stop=AfterFirstCall(world, 2))
    assert (report.status, world.files.contents["a"]) == ("interrupted", {"x": "2", "y": "1"})
    assert [each.call for each in world.plan(declared).actions[0].steps] == ["Set y of a"]


class Bomb(Never):
    """Interrupts for good when it is asked the second time: the user pressed Ctrl-C twice."""

    def __init__(self) -> None:
        self.asked = 0

    @property
    def is_requested(self) -> bool:  # type: ignore[override]  # it is a constant there
        self.asked += 1
        if self.asked > 1:
            raise KeyboardInterrupt
        return False


def test_a_second_interrupt_stops_at_once_and_leaves_the_marker(world: World) -> None:
    report = world.apply(artifact("a"), artifact("b"), stop=Bomb())
    assert (report.status, report.recovery_required, set(world.applied)) == ("interrupted", True, {"a"})
    assert refused(lambda: world.apply(artifact("a"))) == (Code.RECOVERY_REQUIRED,)


# Several at once


@pytest.mark.parametrize("round_number", range(10))
def test_of_two_applies_at_once_one_wins(any_world: World, round_number: int) -> None:
    declared = artifact("a", {"size": round_number + 1})
    saved = any_world.plan(declared)
    ended: list[object] = []

    def run() -> None:
        try:
            ended.append(any_world.apply(declared, saved=saved).status)
        except StreamtError as error:
            ended.append(error.diagnostics[0].code)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, ended)) in (["E541_PLAN_STALE", "committed"], ["E552_STATE_LOCKED", "committed"])
    assert any_world.files.calls == ["Create a"]
    assert any_world.serial == 1


def test_names_that_moved_call_nobody(world: World) -> None:
    world.apply(artifact("old"))
    moved = Moved(source=address("old"), target=address("new"))
    declared = shop(artifact("new", name="old"), moved=(moved,))
    report = world.apply_to(declared)
    assert results(report) == {"new": "applied"}
    assert world.files.calls == ["Create old"]
    assert set(world.store.read().resources) == {address("new")}
    assert world.plan_of(declared).actions == ()


def test_l13_committed_although_the_lock_could_not_be_given_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    release = _LocalSession.release

    def lingering(self: _LocalSession) -> None:
        release(self)
        raise problems.not_released("the disk is gone")

    monkeypatch.setattr(_LocalSession, "release", lingering)
    report = world.apply(artifact("a"))
    assert (report.status, report.committed, report.serial) == ("committed", True, 1)
    assert codes(report) == (Code.RELEASE_FAILED,)
    assert world.store.read().open_operation is None


class AfterCommit(Never):
    """Asks to stop once the state is committed."""

    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def is_requested(self) -> bool:  # type: ignore[override]  # it is a constant there
        return self._world.serial == 1


def test_l15_a_request_to_stop_after_the_commit_changes_nothing(world: World) -> None:
    assert world.apply(artifact("a"), stop=AfterCommit(world)).status == "committed"
