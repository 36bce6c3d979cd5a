"""Each file that streamt keeps or is given, with something strange in its place: a clear error, and no change."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from streamt.cli.adopt import _read_addresses as read_addresses
from streamt.deploy.artifacts import write_folder
from streamt.deploy.plan import load_plan, save_plan
from streamt.deploy.state import LocalStore, StateFiles, state_address
from streamt.diagnostics import Code, StreamtError
from tests.deploy.shop import World, artifact
from tests.deploy.state.operations import apply_topics, begun, creation, here, step

Use = Callable[[], object]


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _circle(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


FAULTS: dict[str, Callable[[Path], object]] = {
    "a folder": _folder,
    "a pipe": _pipe,
    "a link to itself": _circle,
    "nothing in it": lambda path: path.write_bytes(b""),
    "no UTF-8": lambda path: path.write_bytes(path.read_bytes() + b"\xff\n"),
    "a zero byte": lambda path: path.write_bytes(path.read_bytes() + b"\0\n"),
    "zero bytes alone": lambda path: path.write_bytes(bytes(5000)),
    "a byte order mark": lambda path: path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes()),
    "half a surrogate": lambda path: path.write_bytes(b'{"format":"\\ud800"}\n'),
    "a number too long": lambda path: path.write_bytes(b'{"format":' + b"9" * 5000 + b"}\n"),
    "too much depth": lambda path: path.write_bytes(b"[" * 200_000),
}


def _state(store: LocalStore, world: World, folder: Path) -> tuple[Path, Use, Code]:
    return store.files.state, store.read, Code.STATE_INVALID


def _journal(store: LocalStore, world: World, folder: Path) -> tuple[Path, Use, Code]:
    with store.lock(here(), 5) as session:
        operation = begun(session, creation("b"))
        operation.intend(0, 0, step("b"))
    return store.files.open_journal(operation.id), store.read, Code.STATE_INVALID


def _plan(store: LocalStore, world: World, folder: Path) -> tuple[Path, Use, Code]:
    path = folder / "saved.plan"
    save_plan(path, world.plan(artifact("a")), ())
    return path, lambda: load_plan(path), Code.PLAN_INVALID


def _manifest(store: LocalStore, world: World, folder: Path) -> tuple[Path, Use, Code]:
    target = folder / "out"
    write_folder(target, {"manifest.json": b'{"format":"streamt.manifest/1"}'})
    return target / "manifest.json", lambda: write_folder(target, {"a": b""}), Code.OUTPUT_FAILED


def _addresses(store: LocalStore, world: World, folder: Path) -> tuple[Path, Use, Code]:
    path = folder / "addresses.txt"
    path.write_text("streamt://shop/prod/topic/a\n")
    return path, lambda: read_addresses(path), Code.USAGE_ERROR


FILES = {"state": _state, "journal": _journal, "plan": _plan, "manifest": _manifest, "addresses": _addresses}
# What does no harm there: an empty list, and the mark that some editors put in front.
HARMLESS = {("addresses", "nothing in it"), ("addresses", "a byte order mark"), ("manifest", "a byte order mark")}


@pytest.mark.parametrize(
    ("kind", "fault"), [(kind, fault) for kind in FILES for fault in FAULTS if (kind, fault) not in HARMLESS]
)
def test_a_strange_file_is_named_and_nothing_changes(
    local_store: LocalStore, world: World, tmp_path: Path, kind: str, fault: str
) -> None:
    apply_topics(local_store, "a")
    path, use, code = FILES[kind](local_store, world, tmp_path)
    FAULTS[fault](path)
    before = _tree(tmp_path)
    with pytest.raises(StreamtError) as error:
        use()
    assert _tree(tmp_path) == before
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code in (code, Code.STATE_UNAVAILABLE)
    if kind in ("state", "journal"):  # the others are what the user named, and are told as the option
        assert path.name in diagnostic.message


@pytest.mark.parametrize("fault", ["a folder", "a pipe", "a link to itself"])
def test_a_strange_lock_is_refused(local_store: LocalStore, tmp_path: Path, fault: str) -> None:
    apply_topics(local_store, "a")
    FAULTS[fault](local_store.files.lock)
    before = _tree(tmp_path)
    with pytest.raises(StreamtError) as error, local_store.lock(here(), 0):
        raise AssertionError("locked")
    assert [each.code for each in error.value.diagnostics] == [Code.STATE_UNAVAILABLE]
    assert _tree(tmp_path) == before


@pytest.mark.parametrize(
    "name",
    [
        "../up",
        "/abs",
        "..",
        ".",
        "a/../../b",
        "a\0b",
        "x" * 5000,
        "..\\up",
        "\u2024\u2024/up",
        "\uff0fup",
        "prod\n",
        "PROD",
    ],
)
def test_no_name_of_an_environment_leaves_the_folder_of_states(tmp_path: Path, name: str) -> None:
    files = StateFiles(tmp_path, name)
    apply_topics(LocalStore(files, state_address("default", "shop", name)), "a")
    made = [each.relative_to(tmp_path).parts for each in tmp_path.rglob("*") if each.is_file()]
    assert files.state.parent == files.folder
    assert all(parts[:2] == (".streamt", "state") or parts == (".streamt", ".gitignore") for parts in made)
    assert files.state != StateFiles(tmp_path, "prod").state


def _tree(root: Path) -> dict[str, tuple[int, bytes | str]]:
    """Return all that is below a folder: each thing's kind, and what it holds."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for each in sorted(root.rglob("*")):
        mode = each.lstat().st_mode
        held = str(each.readlink()) if each.is_symlink() else each.read_bytes() if each.is_file() else b""
        found[str(each)] = (mode, held)
    return found
