"""The one reader of files: it waits for no pipe, reads no device, and knows when to stop."""

import os
import stat
from pathlib import Path
from typing import BinaryIO


class NotAFileError(OSError):
    """What stands at a path is a folder, a pipe, a device or a socket."""


class FileTooLargeError(OSError):
    """A file holds more bytes than its reader takes."""


def read_file(path: Path, *, limit: int) -> bytes:
    """Return the content of the regular file at `path`; a symbolic link to one will do.

    Args:
        path: the file.
        limit: the most bytes that it may hold.

    Raises:
        NotAFileError: it is something else than a regular file; its `strerror` says what.
        FileTooLargeError: it holds more than `limit` bytes.
        OSError: it cannot be opened or read.
        ValueError: `path` holds a NUL.
    """
    with open_file(path) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise FileTooLargeError(0, f"is larger than {_size(limit)}", str(path))
    return content


def open_file(path: Path) -> BinaryIO:
    """Open the regular file at `path`, to read of it as much as is needed.

    Raises:
        NotAFileError: it is something else than a regular file; its `strerror` says what.
        OSError: it cannot be opened.
        ValueError: `path` holds a NUL.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISREG(kind):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise NotAFileError(0, "is a folder" if stat.S_ISDIR(kind) else "is not a regular file", str(path))


def _size(limit: int) -> str:
    return f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit >> 10} KiB" if limit >= 1 << 10 else f"{limit} bytes"
