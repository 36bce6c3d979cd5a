"""Laws of states and operations under any sequence of changes, faults, drift and recoveries, on both stores."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from streamt.deploy.artifact import ResourceKind
from streamt.deploy.recover import Verdict, classify, recover
from streamt.deploy.state import LocalStore, PostgresStore, StateFiles, Store
from streamt.diagnostics import Code, StreamtError
from tests.deploy.conftest import ADDRESS
from tests.deploy.postgres_server import PostgresServer
from tests.deploy.shop import World, address, artifact, make_world

NAMES = st.sampled_from(["a", "b", "c"])
VALUES = st.integers(1, 4)
CALLS = st.sampled_from(["Create a", "Create b", "Create c", "Set size of a", "Set note of a", "Set size of b"])
FAULTS = st.sampled_from(["refuse", "lose_request", "lose_answer", "lose_for_good", "unreachable"])


class Machine(RuleBasedStateMachine):
    """One environment, as its owners, its provider and bad luck treat it."""

    make_store: Callable[[Path], Store]

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.world: World = make_world(self.folder, self.make_store(self.folder))
        self.declared: dict[str, dict[str, int]] = {}
        self.serial = -1

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    @rule(name=NAMES, size=VALUES, note=VALUES)
    def declare(self, name: str, size: int, note: int) -> None:
        """Sizes never shrink, or the plan would be blocked."""
        before = self.declared.get(name, {"size": 0})["size"]
        self.declared[name] = {"size": max(size, before), "note": note}

    @rule(call=CALLS, fault=FAULTS)
    def break_a_call(self, call: str, fault: str) -> None:
        self.world.files.fail(call, fault)

    @rule()
    def heal(self) -> None:
        self.world.files.heal()

    @rule(name=NAMES, note=st.integers(5, 9))
    def change_by_hand(self, name: str, note: int) -> None:
        if name in self.world.files.names:
            self.world.files.change(name, note=note)

    @rule(keep_going=st.booleans())
    def apply(self, keep_going: bool) -> None:
        declared = [artifact(name, content) for name, content in self.declared.items()]
        if self.world.store.read().unrecovered is not None:
            with pytest.raises(StreamtError) as error:
                self.world.apply(*declared, keep_going=keep_going)
            assert error.value.diagnostics[0].code is Code.RECOVERY_REQUIRED
            return
        report = self.world.apply(*declared, keep_going=keep_going)
        assert report.recovery_required == (report.status == "unknown")
        if report.status == "committed":
            assert self.world.plan(*declared).actions == ()
            assert all(self.world.files.contents[name] == content for name, content in self.declared.items())

    @precondition(lambda self: self.world.store.read().unrecovered is not None)
    @rule()
    def recover_after_healing(self) -> None:
        self.world.files.heal()
        providers = {ResourceKind.TOPIC: self.world.files.provider()}
        told = classify(self.world.store.read(), providers)
        assert all(each.verdict is not Verdict.CANNOT_TELL for each in told)
        calls = self.world.files.calls
        recover(self.world.store, providers, {}, "machine")
        assert self.world.files.calls == calls

    @invariant()
    def the_serial_never_falls(self) -> None:
        if hasattr(self, "world"):
            serial = self.world.serial
            assert serial is None or serial >= self.serial
            self.serial = serial if serial is not None else self.serial

    @invariant()
    def what_we_made_is_in_state_and_nothing_else(self) -> None:
        """Nobody else makes anything here, so unless an outcome is open, state and provider agree on who is there."""
        if not hasattr(self, "world"):
            return
        snapshot = self.world.store.read()
        known = {each.name: value.provider_id.get("id") for each, value in snapshot.resources.items()}
        there = {name: self.world.files.get(name)["id"] for name in self.world.files.names}
        if snapshot.unrecovered is None:
            assert known == there
        else:
            assert known.items() <= there.items()
            assert len(there) - len(known) <= 1

    @invariant()
    def addresses_are_those_of_the_project(self) -> None:
        if hasattr(self, "world"):
            assert set(self.world.store.read().resources) <= {address(name) for name in "abc"}


def run(make_store: Callable[[Path], Store], examples: int) -> None:
    machine = type("Case", (Machine,), {"make_store": staticmethod(make_store)})
    limits = settings(
        max_examples=examples,
        stateful_step_count=25,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )
    run_state_machine_as_test(machine, settings=limits)


def test_any_sequence_keeps_the_laws_in_files() -> None:
    run(lambda folder: LocalStore(StateFiles(folder, "prod"), ADDRESS), 60)


def test_any_sequence_keeps_the_laws_in_postgresql(postgres: PostgresServer) -> None:
    url = postgres.make_database(f"laws_{uuid4().hex}")
    PostgresStore(url, ADDRESS).create_tables()

    def make(_folder: Path) -> Store:
        return PostgresStore(url, f"{ADDRESS}-{uuid4().hex}")

    run(make, 15)


@pytest.fixture(autouse=True)
def quick_time_outs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask about what nobody can tell without waiting in between."""
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
