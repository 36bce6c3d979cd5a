"""Killed by SIGKILL at every boundary of the journal: what is left is told rightly, and leads to the same end.

The boundaries are those of one operation of three actions, of which the second takes two steps: its `begin`, an intent
and a result for each of the four calls, and its end; a process of its own is killed before and after each of them.
"""

import signal
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from streamt.deploy.artifact import Address, ResourceKind
from streamt.deploy.recover import classify, recover
from streamt.deploy.state import PostgresStore, Store
from streamt.diagnostics import Code, StreamtError
from tests.deploy import crash_child
from tests.deploy.postgres_server import PostgresServer
from tests.deploy.shop import World, address, make_world

Told = tuple[str, str, str] | None

# What is told of a, b and c after a crash before and after each boundary; None: nothing has to be recovered.
NONE, SOME = ("not done", "not done", "not done"), ("done", "not done", "not done")
HALF, TWO, ALL = ("done", "incomplete", "not done"), ("done", "done", "not done"), ("done", "done", "done")
JOURNAL: list[tuple[str, Told, Told]] = [
    ("begin", None, None),
    ("intent: create a", None, NONE),
    ("result: a is made", SOME, SOME),
    ("intent: set x of b", SOME, SOME),
    ("result: x of b is set", HALF, HALF),
    ("intent: set y of b", HALF, HALF),
    ("result: y of b is set", TWO, TWO),
    ("intent: create c", TWO, TWO),
    ("result: c is made", ALL, ALL),
]
TABLES: dict[str, list[tuple[str, Told, Told]]] = {
    "local": [*JOURNAL, ("the state", ALL, None), ("commit", None, None), ("the journal is put away", None, None)],
    "postgres": [*JOURNAL, ("state and commit in one", ALL, None)],
}
CASES = [
    pytest.param(place, number, side, told, id=f"{place}, {side} {word}")
    for place, table in TABLES.items()
    for number, (word, *tolds) in enumerate(table)
    for side, told in zip(("before", "after"), tolds, strict=True)
]


def make_place(kind: str, request: pytest.FixtureRequest) -> str:
    """Return a new place for states: `local`, or the address of a new database."""
    if kind == "local":
        return kind
    server: PostgresServer = request.getfixturevalue("postgres")
    url = server.make_database(f"crash_{uuid4().hex}")
    PostgresStore(url, crash_child.ADDRESS).create_tables()
    return url


@pytest.fixture(params=["local", "postgres"])
def place(request: pytest.FixtureRequest) -> str:
    return make_place(request.param, request)


def run_child(folder: Path, place: str, number: int, side: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.deploy.crash_child", str(folder), place, str(number), side]
    root = Path(__file__).parents[2]
    return subprocess.run(command, capture_output=True, text=True, cwd=root, timeout=300, check=False)


def recovered(world: World) -> list[str]:
    """Recover, twice, and return what was told of each action."""
    providers = {ResourceKind.TOPIC: world.files.provider()}
    told = classify(world.store.read(), providers)
    before = world.files.contents, world.files.calls
    first = recover(world.store, providers, {}, "tester")
    assert [each.verdict for each in first.actions] == [each.verdict for each in told]
    second = recover(world.store, providers, {}, "tester")
    assert (second.operation_id, second.version) == (None, first.version)
    assert (world.files.contents, world.files.calls) == before
    return [each.verdict.value for each in told]


@pytest.mark.parametrize(("kind", "number", "side", "told"), CASES)
def test_a_crash_at_a_boundary(
    tmp_path: Path, request: pytest.FixtureRequest, kind: str, number: int, side: str, told: Told
) -> None:
    place = make_place(kind, request)
    world = make_world(tmp_path, crash_child.make_store(tmp_path, place))
    world.apply(*crash_child.before())
    child = run_child(tmp_path, place, number, side)
    assert child.returncode == -signal.SIGKILL, child
    if told is not None:
        with pytest.raises(StreamtError) as error:
            world.apply(*crash_child.declared())
        assert error.value.diagnostics[0].code is Code.RECOVERY_REQUIRED
    assert tuple(recovered(world)) == (told or ())
    serial = world.serial
    assert serial is not None
    report = world.apply(*crash_child.declared())
    assert report.status == "committed"
    check_end(world)
    assert world.serial in (serial, serial + 1)


def check_end(world: World) -> None:
    """Check that the end is the one of an undisturbed run."""
    assert world.files.contents == {"a": {"size": 1}, "b": {"x": "2", "y": "2"}, "c": {"size": 1}}
    assert world.applied == world.files.contents
    assert all(each.condition is None for each in world.store.read().resources.values())
    ids = {each.name: value.provider_id["id"] for each, value in world.store.read().resources.items()}
    assert ids == {name: world.files.get(name)["id"] for name in world.files.names}
    assert sorted(world.files.calls) == sorted(["Create b", "Create a", "Set x of b", "Set y of b", "Create c"]), (
        "nothing was called twice"
    )
    assert world.plan(*crash_child.declared()).actions == ()


def test_an_undisturbed_run_passes_every_boundary_of_the_table(tmp_path: Path, place: str) -> None:
    world = make_world(tmp_path, crash_child.make_store(tmp_path, place))
    world.apply(*crash_child.before())
    child = run_child(tmp_path, place, 99, "before")
    table = TABLES["local" if place == "local" else "postgres"]
    assert child.stdout.split() == ["committed", str(len(table))], child
    check_end(world)


@pytest.mark.parametrize("fault", ["crash_before", "crash_after"])
def test_a_crash_inside_a_call(tmp_path: Path, place: str, fault: str) -> None:
    world = make_world(tmp_path, crash_child.make_store(tmp_path, place))
    world.apply(*crash_child.before())
    world.files.fail("Set y of b", fault)
    assert run_child(tmp_path, place, 99, "before").returncode == -signal.SIGKILL
    world.files.heal()
    assert recovered(world) == ["done", "done" if fault == "crash_after" else "incomplete", "not done"]
    world.apply(*crash_child.declared())
    check_end(world)


def test_what_nobody_can_tell_must_be_said_for_each_address(any_store_world: World) -> None:
    world = any_store_world
    world.files.fail("Create a", "lose_for_good")
    assert world.apply(*crash_child.declared()).recovery_required
    providers = {ResourceKind.TOPIC: world.files.provider()}
    assert classify(world.store.read(), providers)[0].verdict == "cannot tell"
    for assumptions in ({}, {address("b"): "done"}, {address("x"): "done"}):
        with pytest.raises(StreamtError):
            recover(world.store, providers, assumptions, "tester")  # type: ignore[arg-type]  # one of the words
    known: dict[Address, object] = {address("a"): "undone"}
    recovery = recover(world.store, providers, known, "tester")  # type: ignore[arg-type]  # as above
    assert [each.verdict.value for each in recovery.actions] == ["not done"] * 3
    world.files.heal()
    assert world.apply(*crash_child.declared()).status == "committed"


@pytest.fixture
def any_store_world(tmp_path: Path, store: Store) -> World:
    return make_world(tmp_path, store)


def test_what_is_assumed_to_be_done_enters_state(any_store_world: World) -> None:
    world = any_store_world
    world.files.fail("Create a", "lose_for_good")
    world.apply(*crash_child.declared())
    providers = {ResourceKind.TOPIC: world.files.provider()}
    recover(world.store, providers, {address("a"): "done"}, "tester")
    assert set(world.applied) == {"a"}
    assert world.serial == 1
