"""Saved plans: read exactly as they were written, private, and free of secrets."""

import base64
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streamt.deploy.plan import Plan, load_plan, plan_digest, save_plan
from streamt.deploy.plan.file import LIMIT, secret_forms
from streamt.deploy.policy import Policy
from streamt.deploy.sealed import seal
from streamt.diagnostics import Code, StreamtError
from tests.deploy.shop import World, address, artifact


@pytest.fixture
def plan(world: World) -> Plan:
    world.apply(artifact("a", {"size": 3, "x": "1"}), artifact("gone"))
    world.policy = Policy(confirm=True, protected=True)
    return world.plan(artifact("a", {"size": 2, "x": "2"}), artifact("b", depends_on=(address("a"),)))


@pytest.fixture
def saved(plan: Plan, tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    save_plan(path, plan, ())
    return path


def refusal(path: Path) -> str:
    with pytest.raises(StreamtError) as error:
        load_plan(path)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code is Code.PLAN_INVALID
    return diagnostic.message


def resealed(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    data = json.loads(path.read_bytes())
    del data["digest"]
    change(data)
    path.write_bytes(seal(data, "digest") + b"\n")


def test_a_plan_is_read_as_it_was_written(plan: Plan, saved: Path) -> None:
    read = load_plan(saved)
    assert plan_digest(read) == plan_digest(plan)
    assert [each.address for each in read.actions] == [each.address for each in plan.actions]
    assert read.actions[0].blockers == plan.actions[0].blockers


def test_a_plan_is_private(saved: Path) -> None:
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600


def test_a_plan_replaces_a_plan(plan: Plan, saved: Path) -> None:
    before = saved.read_bytes()
    save_plan(saved, plan, ())
    assert saved.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"mine", b'{"format":"streamt.state/1"}\n', b'{"format":"streamt.plan/1"}'])
def test_somebody_elses_file_is_not_replaced(plan: Plan, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StreamtError) as error:
        save_plan(path, plan, ())
    assert error.value.diagnostics[0].code is Code.PLAN_INVALID
    assert path.read_bytes() == content


def test_a_folder_that_is_not_writable_is_said_to_be_one(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StreamtError) as error:
        save_plan(tmp_path / "file" / "plan.json", plan, ())
    assert error.value.diagnostics[0].code is Code.PLAN_INVALID


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_plan_with_one_byte_changed(saved: Path, data: st.DataObject) -> None:
    good = saved.read_bytes()
    place = data.draw(st.integers(0, len(good) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != good[place]))
    saved.write_bytes(good[:place] + bytes([other]) + good[place + 1 :])
    try:
        refusal(saved)
    finally:
        saved.write_bytes(good)


@pytest.mark.parametrize("length", [0, 1, 500, -1])
def test_a_plan_that_is_cut_short(saved: Path, length: int) -> None:
    saved.write_bytes(saved.read_bytes()[:length])
    assert "is cut short" in refusal(saved)


def test_a_plan_of_a_newer_version(saved: Path) -> None:
    resealed(saved, lambda data: data.update(format="streamt.plan/2"))
    assert "only a newer streamt understands" in refusal(saved)


def test_a_plan_with_a_key_twice(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes().replace(b'"offline":false', b'"offline":false,"offline":false'))
    assert "has the key `offline` twice" in refusal(saved)


@pytest.mark.parametrize("size", [LIMIT, LIMIT + 1])
def test_a_plan_of_16_mib(saved: Path, size: int) -> None:
    saved.write_bytes(b" " * size)
    refusal(saved)


def test_a_plan_that_would_be_too_large_is_not_written(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streamt.deploy.plan.file.LIMIT", 1000)
    with pytest.raises(StreamtError) as error:
        save_plan(tmp_path / "new.json", plan, ())
    assert "larger than" in error.value.diagnostics[0].message
    assert not (tmp_path / "new.json").exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(more=1),
        lambda data: data.pop("project"),
        lambda data: data.update(protected="yes"),
        lambda data: data["actions"][0].update(verb="replace"),
        lambda data: data["actions"][0].update(risk="none at all"),
        lambda data: data["actions"][0].update(address="x"),
        lambda data: data["needs"].append("allow:everything"),
        lambda data: data.update(created_at="now"),
    ],
)
def test_a_plan_with_an_unexpected_value(saved: Path, change: Callable[[dict[str, Any]], object]) -> None:
    resealed(saved, change)
    refusal(saved)


def test_a_plan_that_does_not_exist(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(tmp_path / "missing.json")


SECRET = 'p+ss/w"örd \\ x'


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
        quote(SECRET, safe=""),
        base64.b64encode(SECRET.encode()).decode(),
        base64.b64encode(f"user:{SECRET}".encode()).decode(),
        base64.b64encode(f"u:{SECRET}:more".encode()).decode(),
        base64.urlsafe_b64encode(f"us:{SECRET}".encode()).decode(),
    ],
)
def test_a_plan_with_a_secret_in_any_usual_form_is_not_written(world: World, tmp_path: Path, form: str) -> None:
    plan = world.plan(artifact("a", {"size": 1, "note": f"x{form}y"}))
    path = tmp_path / "plan.json"
    with pytest.raises(StreamtError) as error:
        save_plan(path, plan, [SECRET])
    assert not path.exists()
    assert SECRET not in str(error.value)


def test_a_secret_that_is_part_of_a_name_does_not_stop_a_plan(world: World, tmp_path: Path) -> None:
    save_plan(tmp_path / "plan.json", world.plan(artifact("a")), ["shop", "prod", "", "abc"])
    assert (tmp_path / "plan.json").exists()


@given(secret=st.text(min_size=4, max_size=30), before=st.binary(max_size=5), after=st.binary(max_size=5))
def test_base64_of_any_text_around_a_secret_is_recognized(secret: str, before: bytes, after: bytes) -> None:
    try:
        raw = secret.encode()
    except UnicodeEncodeError:
        return
    if len(raw) >= 8:
        whole = base64.b64encode(before + raw + after)
        assert any(form in whole for form in secret_forms(secret))
