"""A file is read whole, or refused at once."""

import os
from pathlib import Path

import pytest

from streamt.files import FileTooLargeError, NotAFileError, read_file


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


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "f", limit=10)
