"""A file is read whole, or refused at once."""

import os
import re
from pathlib import Path

import pytest

import streamt
from streamt.files import FileTooLargeError, NotAFileError, open_file, read_file

# These read nothing that somebody else put there, or check it by themselves: what is packed with the program, what
# the system says, and the journal that stands open and locked.
OTHER_READERS = {
    "cli/graph_page.py",
    "deploy/state/folder.py",
    "deploy/state/local.py",
    "openlineage/schemas.py",
    "project/env_files.py",  # `read_text` of a `Folder`, which asks the one reader
    "testing/sampling/limits.py",
}


def test_a_file_of_just_the_limit_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 2048)
    assert read_file(tmp_path / "f", limit=2048) == b"x" * 2048


def test_a_larger_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 2049)
    with pytest.raises(FileTooLargeError) as caught:
        read_file(tmp_path / "f", limit=2048)
    assert caught.value.strerror == "is larger than 2 KiB"


def test_a_link_to_a_file_will_do(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x")
    (tmp_path / "link").symlink_to("f")
    assert read_file(tmp_path / "link", limit=1) == b"x"


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "link to a device"])
def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "f"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link to a device":
        path.symlink_to("/dev/zero")
    path = {"device": Path("/dev/zero"), "folder": tmp_path}.get(kind, path)
    with pytest.raises(NotAFileError) as caught:
        read_file(path, limit=10)
    assert caught.value.strerror == ("is a folder" if kind == "folder" else "is not a regular file")


def test_the_same_is_refused_where_a_file_is_only_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotAFileError):
        open_file(tmp_path / "pipe")
    (tmp_path / "f").write_bytes(b"12")
    with open_file(tmp_path / "f") as file:
        assert (file.read(1), file.read(9)) == (b"1", b"2")


def test_there_is_no_other_reader() -> None:
    source = Path(streamt.__file__).parent
    other = re.compile(r"""\.read_bytes\(|\.read_text\(|\.open\("r|click\.File\(""")
    found = {
        path.relative_to(source).as_posix() for path in source.rglob("*.py") if other.search(path.read_text("utf-8"))
    }
    assert found == OTHER_READERS


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "f", limit=10)
