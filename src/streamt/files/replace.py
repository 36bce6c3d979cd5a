"""Replacing a file, entirely or not at all."""

import errno
import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO


def atomic_replace(path: Path, chunks: Iterable[bytes], *, mode: int | None = None, durable: bool = True) -> None:
    """Replace the file at `path` by `chunks`, entirely or not at all.

    The bytes go to a staging file in the same folder, are flushed and fsynced, and take the target's place in one
    step. Whatever stops this before (a full disk, an interrupt) leaves the target untouched and no staging file; one
    that a killed process left is taken away by the next call. A symbolic link is followed, so that the link stays and
    its target changes. Missing parent folders are made, and taken away again on failure.

    Args:
        path: the file to write; a link to one will do.
        chunks: its whole content, in order.
        mode: permission bits of the file; by default the old file's, or what the umask leaves.
        durable: whether the file is on the disk when this returns; else a machine that fails may leave it cut short.

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
        _stage_and_move(target, access, chunks, durable=durable)
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
    """Return the folders that have to be made for `target`, the deepest first."""
    missing = []
    for folder in target.parents:
        if folder.exists():
            break
        missing.append(folder)
    return missing


def _stage_and_move(target: Path, access: _Access, chunks: Iterable[bytes], *, durable: bool) -> None:
    _remove_left_over(target.parent)
    # The name is chosen before the file has it, so that an interrupt at any moment still finds it to take away.
    name = target.with_name(f".streamt-{secrets.token_hex(8)}.tmp")
    try:
        with _staging_file(name) as file:
            access.give_to(file.fileno())
            file.writelines(chunks)
            file.flush()
            if durable:
                os.fsync(file.fileno())
            if not name.exists():
                _give_name(file.fileno(), name)
            name.replace(target)
    except BaseException:
        name.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(target.parent)


_OPEN_FILES = Path("/proc/self/fd")
_STAGING = re.compile(r"\.streamt-[0-9a-f]{16}\.tmp")


def _staging_file(name: Path) -> IO[bytes]:
    """Open a file in the folder of `name`, locked for as long as it is open.

    Where the system can, it has no name at first, so that a process that is killed leaves nothing; else it has `name`.
    """
    descriptor = _open_unnamed(name.parent)
    if descriptor is None:
        return _named_staging_file(name)
    _lock(descriptor)
    return os.fdopen(descriptor, "wb")


def _named_staging_file(name: Path) -> IO[bytes]:
    while True:
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        _lock(descriptor)
        if os.fstat(descriptor).st_nlink:
            return os.fdopen(descriptor, "wb")
        os.close(descriptor)  # another process took it for a left-over before it was locked


def _lock(descriptor: int) -> None:
    """Lock the file, which shows that its process is alive; without locks, no left-over is removed, either."""
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _open_unnamed(folder: Path) -> int | None:
    """Open a file without a name; None where the file system or the system knows no such thing."""
    unnamed = getattr(os, "O_TMPFILE", None)  # Linux alone has it
    if unnamed is None or not _OPEN_FILES.is_dir():
        return None
    try:
        return os.open(folder, os.O_RDWR | unnamed | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno in {errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT}:
            return None
        raise


def _give_name(descriptor: int, name: Path) -> None:
    folder = os.open(_OPEN_FILES, os.O_RDONLY | os.O_CLOEXEC)
    try:  # only with a folder's descriptor does Python call `linkat`, which follows the link to the open file
        os.link(str(descriptor), name, src_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _remove_left_over(folder: Path) -> None:
    """Take away staging files whose process is gone: nobody holds their lock."""
    with suppress(OSError), os.scandir(folder) as entries:
        names = [Path(entry.path) for entry in entries if _STAGING.fullmatch(entry.name)]
    for name in names:
        with suppress(OSError):
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                name.unlink()
            finally:
                os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make the new name durable; a file system that cannot sync a folder has already moved the file."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
