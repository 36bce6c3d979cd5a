"""Damaged states and journals: each is told by name, and nothing is changed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from streamt.deploy.sealed import seal
from streamt.deploy.state import LocalStore, StateFiles, state_address
from streamt.diagnostics import Code, FilePlace, StreamtError
from tests.deploy.state.operations import apply_topics, begun, creation, here, step

MIB_16 = 16 * 1024 * 1024


def refusal(store: LocalStore) -> str:
    """Return what reading and locking say, having made sure that both refuse and no file changes."""
    before = contents(store.files.root)
    with pytest.raises(StreamtError) as error:
        store.read()
    with pytest.raises(StreamtError) as again, store.lock(here(), 5) as session:
        session.read()
    (diagnostic,) = error.value.diagnostics
    assert again.value.diagnostics == error.value.diagnostics
    assert diagnostic.code is Code.STATE_INVALID
    assert isinstance(diagnostic.location, FilePlace)
    assert contents(store.files.root) == before
    return diagnostic.message


def contents(root: Path) -> dict[Path, bytes]:
    return {each: each.read_bytes() for each in root.rglob("*") if each.is_file() and each.suffix != ".lock"}


def resealed(content: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """Return a state that somebody changed and sealed again."""
    data = json.loads(content)
    del data["checksum"]
    change(data)
    return seal(data, "checksum") + b"\n"


@pytest.fixture
def state(local_store: LocalStore) -> Path:
    apply_topics(local_store, "a", "b")
    return local_store.files.state


def test_a_state_of_a_newer_version(local_store: LocalStore, state: Path) -> None:
    state.write_bytes(resealed(state.read_bytes(), lambda data: data.update(format="streamt.state/2")))
    assert "only a newer streamt understands" in refusal(local_store)


def test_a_state_of_another_format(local_store: LocalStore, state: Path) -> None:
    state.write_bytes(resealed(state.read_bytes(), lambda data: data.update(format="terraform/4")))
    assert "is not of the format `streamt.state/1`" in refusal(local_store)


@pytest.mark.parametrize("length", [0, 1, 100, -100, -2, -1])
def test_a_state_that_is_cut_short(local_store: LocalStore, state: Path, length: int) -> None:
    state.write_bytes(state.read_bytes()[:length])
    assert "is cut short" in refusal(local_store)


def test_a_state_of_another_project(local_store: LocalStore, state: Path) -> None:
    other = state_address("default", "other", "prod")
    state.write_bytes(resealed(state.read_bytes(), lambda data: data.update(address=other)))
    assert "belongs to another project" in refusal(local_store)


def test_a_state_with_a_key_twice(local_store: LocalStore, state: Path) -> None:
    state.write_bytes(state.read_bytes().replace(b'"serial":1', b'"serial":1,"serial":1'))
    assert "has the key `serial` twice" in refusal(local_store)


@pytest.mark.parametrize("filler", [b" ", b"[", b'{"a":', b"9", b"\xff", b"\x00"])
def test_a_state_of_16_mib(local_store: LocalStore, state: Path, filler: bytes) -> None:
    state.write_bytes(filler * (MIB_16 // len(filler)))
    refusal(local_store)


def test_a_state_that_is_larger_than_the_limit(
    local_store: LocalStore, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streamt.deploy.state.local.LIMIT", 1000)
    state.write_bytes(b" " * 1001)
    assert "is larger than" in refusal(local_store)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(serial=-1),
        lambda data: data.update(serial=1.0),
        lambda data: data.update(serial="1"),
        lambda data: data.update(store_id="x"),
        lambda data: data.update(more=1),
        lambda data: data.pop("resources"),
        lambda data: data["resources"].update(x={}),
        lambda data: next(iter(data["resources"].values())).pop("name"),
        lambda data: next(iter(data["resources"].values()))["applied"].update(at="yesterday"),
        lambda data: data["resources"].update({"not-an-address": next(iter(data["resources"].values()))}),
    ],
)
def test_a_state_with_an_unexpected_value(
    local_store: LocalStore, state: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    state.write_bytes(resealed(state.read_bytes(), change))
    refusal(local_store)


def test_a_state_that_vanished_while_earlier_ones_are_there(local_store: LocalStore, state: Path) -> None:
    apply_topics(local_store, "c")
    state.unlink()
    assert "is missing" in refusal(local_store)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_state_with_one_byte_changed(local_store: LocalStore, data: st.DataObject) -> None:
    if not local_store.files.state.exists():
        apply_topics(local_store, "a")
    good = local_store.files.state.read_bytes()
    place = data.draw(st.integers(0, len(good) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != good[place]))
    local_store.files.state.write_bytes(good[:place] + bytes([other]) + good[place + 1 :])
    try:
        refusal(local_store)
    finally:
        local_store.files.state.write_bytes(good)


# Journals


@pytest.fixture
def journal(local_store: LocalStore) -> Path:
    with local_store.lock(here(), 5) as session:
        operation = begun(session, creation("a"), creation("b"))
        operation.intend(0, 0, step("a"))
        operation.intend(1, 0, step("b"))
    return local_store.files.open_journal(operation.id)


def test_a_journal_of_a_newer_version(local_store: LocalStore, journal: Path) -> None:
    journal.write_bytes(journal.read_bytes().replace(b"streamt.operation/1", b"streamt.operation/9"))
    assert "only a newer streamt understands" in refusal(local_store)


def test_a_journal_without_one_of_its_records(local_store: LocalStore, journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0] + lines[2])
    assert "record 1 does not follow the one before it" in refusal(local_store)


def test_a_journal_whose_records_changed_places(local_store: LocalStore, journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0] + lines[2] + lines[1])
    assert "does not follow" in refusal(local_store)


def test_a_journal_with_a_key_twice(local_store: LocalStore, journal: Path) -> None:
    journal.write_bytes(journal.read_bytes().replace(b'"n":1', b'"n":1,"n":1'))
    assert "has the key `n` twice" in refusal(local_store)


def test_a_journal_of_another_operation(local_store: LocalStore, journal: Path) -> None:
    journal.rename(journal.with_name("00000000-0000-4000-8000-000000000000.open.jsonl"))
    assert "belongs to another operation" in refusal(local_store)


def test_a_journal_of_another_environment(tmp_path: Path, local_store: LocalStore, journal: Path) -> None:
    other = LocalStore(StateFiles(tmp_path, "staging"), state_address("default", "shop", "staging"))
    apply_topics(other, "a")
    other.files.open_journal(journal.name.split(".")[0]).write_bytes(journal.read_bytes())
    assert "belongs to another project, environment" in refusal(other)


def test_a_journal_that_began_with_another_state(local_store: LocalStore, journal: Path) -> None:
    before = journal.read_bytes()
    journal.unlink()
    apply_topics(local_store, "x")
    journal.write_bytes(before)
    assert "began with another state" in refusal(local_store)


def test_two_journals_that_are_open(local_store: LocalStore, journal: Path) -> None:
    journal.with_name("ffffffff-0000-4000-8000-000000000000.open.jsonl").write_bytes(journal.read_bytes())
    assert "one too many" in refusal(local_store)


def test_a_journal_of_16_mib(local_store: LocalStore, journal: Path) -> None:
    journal.write_bytes(journal.read_bytes() + b"x" * MIB_16)
    refusal(local_store)


def test_a_journal_whose_last_record_was_half_written_goes_without_it(local_store: LocalStore, journal: Path) -> None:
    journal.write_bytes(journal.read_bytes()[:-20])
    left = local_store.read().unrecovered
    assert left is not None
    assert [each.step.call for each in left.steps] == ["CreateTopics a"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
@example(data=None)
def test_a_journal_with_one_byte_changed(local_store: LocalStore, data: st.DataObject | None) -> None:
    files = local_store.files
    if not list(files.operations.glob("*.open.jsonl")):
        with local_store.lock(here(), 5) as session:
            begun(session, creation("a")).intend(0, 0, step("a"))
    (journal,) = files.operations.glob("*.open.jsonl")
    good = journal.read_bytes()
    place = data.draw(st.integers(0, len(good) - 2)) if data else len(good) - 2
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte not in (good[place], 10))) if data else 0
    journal.write_bytes(good[:place] + bytes([other]) + good[place + 1 :])
    try:
        refusal(local_store)
    finally:
        journal.write_bytes(good)
