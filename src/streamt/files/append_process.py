"""Append one record to a file that stands open as stdout: what `streamt.files.durable_append` runs.

Linux looks for a fatal signal between the pages of one `write`, so SIGKILL to the process that writes can
leave the first half of a line behind. This process is not the one that gets killed: it has a session of its
own, has the whole record in memory before it asks for the lock on the file, and holds the lock for its one
write. A caller that dies early has sent less than it announced, and nothing is written.

It is started as a file, without `site`, and needs the standard library alone: about ten milliseconds.
"""

import errno
import fcntl
import os
import sys
from contextlib import suppress

LENGTH_BYTES = 8
"""The record's length goes ahead of it on stdin: big-endian, this many bytes."""

INCOMPLETE = 255
"""The exit status when the caller died before it had sent the whole record; no errno is that high."""


def append_whole(descriptor: int, record: bytes) -> None:
    """Append `record`, all of it or nothing, and wait until the disk has it.

    A file that does not end in a newline gets one first: what another program left there stays as it is, and
    the record still has a line to itself.

    Args:
        descriptor: a regular file, open for reading and appending, and locked.
        record: one line with its newline.

    Raises:
        OSError: the file is as it was; nobody else's bytes were touched.
    """
    before = os.fstat(descriptor).st_size
    if before and os.pread(descriptor, 1, before - 1) != b"\n":
        record = b"\n" + record
    written = 0
    try:
        while written < len(record):  # a second round finds out why the first was short: a full disk, a limit
            written += os.write(descriptor, record[written:])
        os.fsync(descriptor)
    except OSError:
        _take_back(descriptor, before, written)
        raise


def _take_back(descriptor: int, before: int, written: int) -> None:
    """Cut off our own half record, unless a program that takes no locks has written behind it."""
    with suppress(OSError):
        if written and os.fstat(descriptor).st_size == before + written:
            os.ftruncate(descriptor, before)
            os.fsync(descriptor)


def lock(descriptor: int, seconds: float) -> None:
    """Wait for the lock on the file; the kernel gives it in the order in which it was asked for.

    Raises:
        TimeoutError: others kept it for longer than `seconds`.
    """
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import signal  # it takes as long to load as all the rest, and is seldom needed

    def give_up(*_: object) -> None:
        raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))

    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    signal.setitimer(signal.ITIMER_REAL, 0)


def main() -> int:
    """Read the record from stdin, append it to stdout, and return 0, an errno, or `INCOMPLETE`.

    The one argument says how many seconds to wait for the lock.
    """
    announced = int.from_bytes(sys.stdin.buffer.read(LENGTH_BYTES))
    record = sys.stdin.buffer.read(announced)
    if not record or len(record) < announced:
        return INCOMPLETE
    try:
        lock(sys.stdout.fileno(), float(sys.argv[1]))
        append_whole(sys.stdout.fileno(), record)
    except OSError as error:
        return error.errno or errno.EIO
    return 0


if __name__ == "__main__":
    sys.exit(main())
