"""A process that applies two changes and kills itself at one boundary of its journal: run by `test_crash.py`.

Arguments: the folder, the store (`local`, or the address of a PostgreSQL), the boundary's number, and on which side of
it. The declared resources are what `declared` says; the world is the folder's.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamt.deploy.artifact import Artifact
from streamt.deploy.state import LocalStore, PostgresStore, StateFiles, Store, state_address
from streamt.deploy.state.local import _LocalSession
from streamt.deploy.state.postgres import _PostgresSession
from tests.deploy.shop import artifact, make_world

SESSIONS: dict[str, tuple[type, tuple[str, ...]]] = {
    "local": (_LocalSession, ("begin", "append", "_write", "_put_away")),
    "postgres": (_PostgresSession, ("begin", "append", "close")),
}
"""The methods that make something durable, of each kind of session."""

ADDRESS = state_address("default", "shop", "prod")


def before() -> tuple[Artifact, ...]:
    """Return what is applied before the crash."""
    return (artifact("b", {"x": "1", "y": "1"}),)


def declared() -> tuple[Artifact, ...]:
    """Return what is being applied when the crash comes: a creation, and a change in two steps."""
    return (artifact("a"), artifact("b", {"x": "2", "y": "2"}), artifact("c"))


def make_store(folder: Path, place: str) -> Store:
    if place == "local":
        return LocalStore(StateFiles(folder, "prod"), ADDRESS)
    return PostgresStore(place, ADDRESS)


class Boundaries:
    """Counts the times that something becomes durable, and dies at one of them."""

    def __init__(self, number: int, side: str) -> None:
        self._number = number
        self._side = side
        self.passed = 0

    def around(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any) -> Any:
            self._die("before")
            result = write(*arguments)
            self._die("after")
            self.passed += 1
            return result

        return wrapped

    def _die(self, side: str) -> None:
        if self.passed == self._number and side == self._side:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    folder, place, number, side = sys.argv[1:]
    world = make_world(Path(folder), make_store(Path(folder), place))
    boundaries = Boundaries(int(number), side)
    session, methods = SESSIONS["local" if place == "local" else "postgres"]
    for method in methods:
        setattr(session, method, boundaries.around(getattr(session, method)))
    sys.stdout.write(f"{world.apply(*declared()).status} {boundaries.passed}\n")


if __name__ == "__main__":
    main()
