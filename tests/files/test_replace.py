"""Files are whole or untouched."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from streamt.files import atomic_replace, replace


class Stopped(BaseException):
    """What an interrupt or a full disk looks like from inside."""


def stops_after(*chunks: bytes) -> Iterator[bytes]:
    yield from chunks
    raise Stopped


def test_a_new_file_holds_all_chunks(tmp_path: Path) -> None:
    atomic_replace(tmp_path / "out", [b"a", b"b"])
    assert (tmp_path / "out").read_bytes() == b"ab"


def test_nothing_else_stays_in_the_folder(tmp_path: Path) -> None:
    atomic_replace(tmp_path / "out", [b"a"])
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_existing_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"old")
    target.chmod(0o640)
    atomic_replace(target, [b"new"])
    assert (target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (b"new", 0o640)


def test_a_new_file_obeys_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        atomic_replace(tmp_path / "out", [b"x"])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_a_failure_leaves_the_target_and_no_staging_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"old")
    with pytest.raises(Stopped):
        atomic_replace(tmp_path / "out", stops_after(b"half"))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"out": b"old"}


def test_a_failure_takes_away_the_folders_that_were_made(tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        atomic_replace(tmp_path / "a" / "b" / "out", stops_after(b"half"))
    assert list(tmp_path.iterdir()) == []


def test_missing_folders_are_made(tmp_path: Path) -> None:
    atomic_replace(tmp_path / "a" / "b" / "out", [b"x"])
    assert (tmp_path / "a" / "b" / "out").read_bytes() == b"x"


def test_a_link_stays_and_its_target_changes(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "out")
    atomic_replace(tmp_path / "link", [b"x"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "out").read_bytes() == b"x"


def test_links_that_go_round_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match="circle"):
        atomic_replace(tmp_path / "a", [b"x"])


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        atomic_replace(tmp_path, [b"x"])


def test_a_parent_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match="file"):
        atomic_replace(tmp_path / "file" / "out", [b"x"])


@pytest.mark.parametrize("special", ["fifo", "/dev/null"])
def test_what_is_no_regular_file_is_refused(tmp_path: Path, special: str) -> None:
    path = Path(special) if special.startswith("/") else tmp_path / special
    if not path.is_absolute() or not path.exists():
        os.mkfifo(path)
    with pytest.raises(OSError, match="regular"):
        atomic_replace(path, [b"x"])


def without_unnamed_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replace, "_open_unnamed", lambda _: None)


def as_the_system_can(_: pytest.MonkeyPatch) -> None:
    pass


KINDS = pytest.mark.parametrize("kind", [as_the_system_can, without_unnamed_files])


@KINDS
def test_every_kind_of_staging_file_replaces_the_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Callable[[pytest.MonkeyPatch], None]
) -> None:
    kind(monkeypatch)
    target = tmp_path / "out"
    target.write_bytes(b"old")
    atomic_replace(target, [b"n", b"ew"])
    with pytest.raises(Stopped):
        atomic_replace(target, stops_after(b"half"))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"out": b"new"}


KILLED = """
import sys, time
from pathlib import Path
from streamt.files import atomic_replace, replace
if sys.argv[2] == "without_unnamed_files":
    replace._open_unnamed = lambda _: None
def chunks():
    yield b"half"
    print("half", flush=True)
    time.sleep(600)
atomic_replace(Path(sys.argv[1]), chunks())
"""


@contextmanager
def a_process_that_writes(target: Path, kind: Callable[..., None]) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that is in the middle of replacing `target`, and kill it in the end."""
    command = [sys.executable, "-c", KILLED, str(target), kind.__name__]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


@KINDS
def test_what_a_killed_process_left_is_gone_after_the_next_call(tmp_path: Path, kind: Callable[..., None]) -> None:
    with a_process_that_writes(tmp_path / "out", kind):
        pass
    atomic_replace(tmp_path / "other", [b"x"])
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="Linux alone has files without a name")
def test_a_killed_process_leaves_nothing(tmp_path: Path) -> None:
    descriptor = replace._open_unnamed(tmp_path)
    if descriptor is None:
        pytest.skip("the file system has no files without a name")
    os.close(descriptor)
    with a_process_that_writes(tmp_path / "out", as_the_system_can):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_staging_file_of_a_living_process_is_let_be(tmp_path: Path) -> None:
    with a_process_that_writes(tmp_path / "out", without_unnamed_files):
        atomic_replace(tmp_path / "other", [b"x"])
        (staging,) = tmp_path.glob(".streamt-*.tmp")
        atomic_replace(tmp_path / "other", [b"y"])
        assert staging.exists()


def test_a_file_of_another_name_is_let_be(tmp_path: Path) -> None:
    names = [".streamt-x.tmp", ".streamt-0123456789abcdef.tmp.bak", "streamt-0123456789abcdef.tmp"]
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / ".streamt-0123456789abcdef.tmp").mkdir()
    atomic_replace(tmp_path / "out", [b"x"])
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {*names, ".streamt-0123456789abcdef.tmp", "out"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file to somebody else")
def test_the_owner_and_the_group_stay(tmp_path: Path) -> None:
    target = tmp_path / "events.jsonl"
    target.write_bytes(b"old")
    os.chown(target, 65534, 65533)
    atomic_replace(target, [b"new"])
    assert (target.stat().st_uid, target.stat().st_gid, target.read_bytes()) == (65534, 65533, b"new")


def test_no_file_gets_its_owners_power(tmp_path: Path) -> None:
    target = tmp_path / "events.jsonl"
    target.write_bytes(b"old")
    target.chmod(0o6750)
    atomic_replace(target, [b"new"])
    assert stat.S_IMODE(target.stat().st_mode) == 0o750
