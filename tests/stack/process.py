"""Background processes, known by pid and start time, so that a later owner of a pid is never touched."""

import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

GRACE_SECONDS = 20.0
# The child writes down who it is before it becomes the server: whatever happens to its parent, the record is there.
_RECORDED = 'set -e; echo "$$ $(cut -d" " -f22 /proc/$$/stat) $1" > "$0.new"; mv "$0.new" "$0"; shift; exec "$@"'


@dataclass(frozen=True, slots=True)
class Command:
    """One process to start.

    Attributes:
        name: unique in its stack.
        argv: the program and its arguments.
        env: what is added to the environment.
        stop: the signal that asks it to end.
    """

    name: str
    argv: list[str]
    env: Mapping[str, str] = field(default_factory=dict)
    stop: signal.Signals = signal.SIGTERM


@dataclass(frozen=True, slots=True)
class Process:
    """One process: the kernel's start ticks tell it from a later owner of its pid.

    Attributes:
        pid: its id, and that of its process group.
        started: clock ticks between the machine's start and its own.
        stop: the signal that asks it to end.
    """

    pid: int
    started: int
    stop: int = signal.SIGTERM

    @classmethod
    def this(cls) -> "Process":
        """Return the process that asks."""
        return cls(os.getpid(), _stat(os.getpid())[1])

    @classmethod
    def recorded(cls, path: Path) -> "Process":
        """Return the process that wrote `path` when it started."""
        return cls(*map(int, path.read_text().split()))

    def alive(self) -> bool:
        """Report whether it still runs (a zombie does not)."""
        state, started = _stat(self.pid)
        return state not in {"", "Z", "X"} and started == self.started

    def end_group(self) -> None:
        """End by force what is left of its process group: itself, or children that outlived it."""
        if _stat(self.pid)[1] in {self.started, -1}:  # else the pid has a new owner, so the group is gone
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)


def start(command: Command, record: Path, log: Path) -> Process:
    """Start `command` in a session of its own; its record holds pid, start time and stop signal."""
    record.parent.mkdir(parents=True, exist_ok=True)
    record.unlink(missing_ok=True)
    with log.open("ab") as output:
        child = subprocess.Popen(
            ["sh", "-c", _RECORDED, str(record), str(int(command.stop)), *command.argv],
            cwd=log.parent,
            env={**os.environ, **command.env},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    while not record.exists() and child.poll() is None:
        time.sleep(0.005)
    child.returncode = 0  # it outlives this object on purpose: no warning that it still runs
    return Process.recorded(record)


def stop(processes: Iterable[Process]) -> None:
    """End all of `processes` together: first politely, after a grace period by force."""
    processes = tuple(processes)
    for process in processes:
        if process.alive():
            with suppress(ProcessLookupError):
                os.kill(process.pid, process.stop)
    deadline = time.monotonic() + GRACE_SECONDS
    while any(process.alive() for process in processes) and time.monotonic() < deadline:
        time.sleep(0.05)
    for process in processes:
        process.end_group()
    while any(process.alive() for process in processes):
        time.sleep(0.05)


def _stat(pid: int) -> tuple[str, int]:
    """Return state and start ticks of a process; `("", -1)` if it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "", -1
    return fields[0], int(fields[19])
