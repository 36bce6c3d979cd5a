"""Files are whole or untouched."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from streamt.files import atomic_replace


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
