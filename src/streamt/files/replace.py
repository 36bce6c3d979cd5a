"""Replacing a file, entirely or not at all."""

import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def atomic_replace(path: Path, chunks: Iterable[bytes], *, mode: int | None = None) -> None:
    """Replace the file at `path` by `chunks`, entirely or not at all.

    The bytes go to a staging file in the same folder, are flushed and fsynced, and take the target's place in one
    step. Whatever stops this before (a full disk, an interrupt) leaves the target untouched and no staging file. A
    symbolic link is followed, so that the link stays and its target changes. Missing parent folders are made, and
    taken away again on failure.

    Args:
        path: the file to write; a link to one will do.
        chunks: its whole content, in order.
        mode: permission bits of the file; by default the old file's, or what the umask leaves.

    Raises:
        OSError: the target is no regular file, or the folder or the disk refuses.
    """
    target = Path(os.path.realpath(path))
    kept_mode = _mode_for(target)
    missing = _missing_parents(target)
    try:
        for folder in reversed(missing):
            folder.mkdir()
        _stage_and_move(target, kept_mode if mode is None else mode, chunks)
    except BaseException:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        raise


def _mode_for(target: Path) -> int:
    """Give the permission bits that the new file takes: the old file's, or what the umask leaves."""
    try:
        status = target.lstat()
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
    if stat.S_ISLNK(status.st_mode):  # realpath gives a link back only when links go round in a circle
        raise OSError("its links lead round in a circle")
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError("it is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is no regular file")
    return stat.S_IMODE(status.st_mode)


def _missing_parents(target: Path) -> list[Path]:
    """Give the folders that have to be made for `target`, the deepest first."""
    missing = []
    for folder in target.parents:
        if folder.exists():
            break
        missing.append(folder)
    return missing


def _stage_and_move(target: Path, mode: int, chunks: Iterable[bytes]) -> None:
    # The name is chosen before the file exists, so that an interrupt at any moment still finds it to take away.
    staging = target.with_name(f".streamt-{secrets.token_hex(8)}.tmp")
    try:
        with staging.open("xb") as file:
            os.fchmod(file.fileno(), mode)
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
        staging.replace(target)
    except BaseException:
        staging.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make the new name durable; a file system that cannot sync a folder has already moved the file."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
