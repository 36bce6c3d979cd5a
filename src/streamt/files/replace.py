"""Replacing a file, entirely or not at all."""

import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
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
    access = _access_for(target)
    access = access if mode is None else replace(access, mode=mode)
    missing = _missing_parents(target)
    try:
        for folder in reversed(missing):
            folder.mkdir()
        _stage_and_move(target, access, chunks)
    except BaseException:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        raise


@dataclass(frozen=True, slots=True)
class _Access:
    """Who may do what with a file.

    Attributes:
        mode: the permission bits, without those that lend a program its owner's power.
        owner: the user's number; None for whoever writes the file.
        group: the group's number; None for that of whoever writes the file.
    """

    mode: int
    owner: int | None = None
    group: int | None = None

    def give_to(self, descriptor: int) -> None:
        """Give the file the same owner, group and mode, as far as that is allowed."""
        for owner, group in ((self.owner, -1), (-1, self.group)):
            if owner is not None and group is not None:
                with suppress(PermissionError):
                    os.fchown(descriptor, owner, group)
        os.fchmod(descriptor, self.mode)


def _access_for(target: Path) -> _Access:
    """Return the access that the new file takes: the old file's, or what the umask leaves."""
    try:
        status = target.lstat()
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return _Access(0o666 & ~umask)
    if stat.S_ISLNK(status.st_mode):  # realpath gives a link back only when links go round in a circle
        raise OSError("its links lead round in a circle")
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError("it is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is not a regular file")
    return _Access(status.st_mode & 0o777, status.st_uid, status.st_gid)


def _missing_parents(target: Path) -> list[Path]:
    """Give the folders that have to be made for `target`, the deepest first."""
    missing = []
    for folder in target.parents:
        if folder.exists():
            break
        missing.append(folder)
    return missing


def _stage_and_move(target: Path, access: _Access, chunks: Iterable[bytes]) -> None:
    # The name is chosen before the file exists, so that an interrupt at any moment still finds it to take away.
    staging = target.with_name(f".streamt-{secrets.token_hex(8)}.tmp")
    try:
        with staging.open("xb") as file:
            access.give_to(file.fileno())
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
