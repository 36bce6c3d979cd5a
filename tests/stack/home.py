"""Where downloads and the files of running servers are, and the one error that people see."""

import fcntl
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class StackError(Exception):
    """Something that the reader can act on; shown without a traceback."""


def home() -> Path:
    """Return the folder that holds everything the stack writes: `STREAMT_STACK_HOME`, or one in the user's cache."""
    if chosen := os.environ.get("STREAMT_STACK_HOME"):
        return Path(chosen).absolute()
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache).absolute() / "streamt-stack"


def folder_of(name: str) -> Path:
    """Return the folder of the stack called `name`.

    Raises:
        StackError: the name is not one plain folder name.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,60}", name):
        raise StackError(f"invalid stack name `{name}`; use a-z, 0-9 and `-`, at most 61 of them")
    return home() / "run" / name


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold one lock of the stack's home; others of that name wait, in this process or another."""
    path = home() / "locks" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def say(text: str) -> None:
    """Tell the person who waits."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def tail(log: Path, lines: int = 30) -> str:
    """Return the last lines of a log; nothing if there is none."""
    if not log.is_file():
        return ""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
