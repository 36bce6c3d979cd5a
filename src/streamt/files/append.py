"""Appending a line to a file, entirely or not at all."""

import errno
import os
import stat
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from streamt.files import append_process
from streamt.files.replace import sync_folder


def durable_append(path: Path, line: bytes, *, lock_seconds: float = 5.0) -> None:
    """Append one line to the file at `path`, entirely or not at all, and wait until the disk has it.

    Appends of several processes never mix: each holds an advisory lock (`flock`) on the file, for the write alone,
    and they get it in the order in which they asked. A process of its own does the write, see
    `streamt.files.append_process`: when the caller is killed, even by SIGKILL, the file still gets the whole line or
    nothing. A full disk takes back what was written of the line. Nothing else is ever cut
    off, and a symbolic link at the end of `path` is refused.

    Args:
        path: the file; it is made when it does not exist, its folder must exist.
        line: the line without its newline.
        lock_seconds: how long to wait for other writers.

    Raises:
        ValueError: `line` holds a newline.
        TimeoutError: another process kept the file locked.
        OSError: `path` is no regular file, or the folder or the disk refuses.
    """
    append_lines(path, [line], lock_seconds=lock_seconds)


def append_lines(path: Path, lines: Sequence[bytes], *, lock_seconds: float = 5.0) -> None:
    """Append several lines in the way of `durable_append`: all of them or none.

    While the interpreter ends it starts no process any more; then the lines are written by this one.

    Raises:
        ValueError: a line holds a newline.
        TimeoutError: another process kept the file locked.
        OSError: `path` is no regular file, or the folder or the disk refuses.
    """
    if any(b"\n" in line for line in lines):
        raise ValueError("a line holds no newline")
    record = b"".join(line + b"\n" for line in lines)
    existed = path.exists()
    descriptor = _open_to_append(path, os.O_CREAT)
    try:
        try:
            _append_in_own_process(descriptor, record, lock_seconds)
        except RuntimeError:
            _lock_here(descriptor, lock_seconds)
            append_process.append_whole(descriptor, record)
    finally:
        os.close(descriptor)
    if not existed:
        sync_folder(path.parent)


def check_append(path: Path) -> None:
    """Find out whether `durable_append` can work on `path`, and write nothing; missing folders are made.

    Args:
        path: the file, which need not exist yet.

    Raises:
        OSError: `path` is a link, a folder or another thing that is no regular file, or may not be written.
    """
    try:
        os.close(_open_to_append(path))
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from None


def _open_to_append(path: Path, create: int = 0) -> int:
    """Open a regular file, reading allowed, since its last byte matters; a waiting pipe must not stop us."""
    flags = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | create
    try:
        descriptor = os.open(path, flags, 0o640)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, "it is a symbolic link") from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file")
    return descriptor


def _lock_here(descriptor: int, seconds: float) -> None:
    """Lock the file from a thread, which hears no alarm: by asking again and again."""
    import fcntl

    end = time.monotonic() + seconds
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise TimeoutError(errno.ETIMEDOUT, "another process keeps it locked") from None
            time.sleep(0.005)


def _append_in_own_process(descriptor: int, record: bytes, lock_seconds: float) -> None:
    """Hand `record` over; the process locks the file, and both let go of it in the end."""
    import subprocess

    command = [sys.executable, "-I", "-S", append_process.__file__, str(lock_seconds)]
    with subprocess.Popen(  # noqa: S603 - our own interpreter and our own file
        command, stdin=subprocess.PIPE, stdout=descriptor, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        process.communicate(len(record).to_bytes(append_process.LENGTH_BYTES) + record)
    if process.returncode == errno.ETIMEDOUT:
        raise TimeoutError(errno.ETIMEDOUT, "another process keeps it locked")
    if process.returncode:
        known = process.returncode in errno.errorcode
        reason = os.strerror(process.returncode) if known else "the process that appends ended early"
        raise OSError(process.returncode if known else errno.EIO, reason)
