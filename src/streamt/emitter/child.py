"""One child process, run as if there were nothing around it: its streams, its signals, its exit status.

Source: E8. Signals that reach this process are passed on. What is typed at the terminal (SIGINT, SIGQUIT) reaches the
child as well, so these two are passed on only where this process is not the terminal's foreground job.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

NOT_FOUND = 127
NOT_EXECUTABLE = 126

_STOPPING = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})
_FORWARDED = (*_STOPPING, signal.SIGUSR1, signal.SIGUSR2)
_OF_TERMINAL = frozenset({signal.SIGINT, signal.SIGQUIT})


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended.

    Attributes:
        status: its exit status; 127 or 126 where it could not be started.
        signal: the signal that killed it.
        stopped: whether this process was told to stop meanwhile.
        reason: why it could not be started.
    """

    status: int
    signal: int | None = None
    stopped: bool = False
    reason: str = ""

    @property
    def message(self) -> str:
        """What happened, for an error message; empty where all is well."""
        if self.reason:
            return self.reason
        if self.signal is not None:
            return f"killed by {_name(self.signal)}"
        return f"exit status {self.status}" if self.status else ""


@dataclass
class _Forwarding:
    child: "subprocess.Popen[bytes] | None" = None
    received: list[int] = field(default_factory=list)

    def handle(self, number: int, _frame: FrameType | None) -> None:
        self.received.append(number)
        if self.child is not None:
            self.forward(number)

    def forward(self, number: int) -> None:
        if self.child is not None and not (number in _OF_TERMINAL and _is_foreground()):
            with suppress(OSError):
                self.child.send_signal(number)


def run_child(command: Sequence[str], environ: Mapping[str, str], started: Callable[[], None]) -> Ended:
    """Run `command` to its end.

    Args:
        command: the program and its arguments.
        environ: its environment.
        started: called as soon as it runs; the child does not wait for it.
    """
    forwarding = _Forwarding()
    with _handlers(forwarding):
        try:
            # Nothing of ours is open but what is inherited, so the child gets what it would get without us.
            child = subprocess.Popen(command, env=dict(environ), close_fds=False)  # noqa: S603 - it is the user's
        except OSError as error:
            return _not_started(command[0], error)
        forwarding.child = child
        for number in forwarding.received:  # between the handlers and the child
            forwarding.forward(number)
        started()
        returned = child.wait()
    stopped = any(number in _STOPPING for number in forwarding.received)
    if returned < 0:
        return Ended(128 - returned, signal=-returned, stopped=stopped)
    return Ended(returned, stopped=stopped)


def die_like(ended: Ended) -> None:
    """End this process by the signal that killed the child, if one did; a core is not dumped twice."""
    if ended.signal is None:
        return
    import resource

    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    with suppress(OSError, ValueError):  # SIGKILL takes no handler
        signal.signal(ended.signal, signal.SIG_DFL)
    os.kill(os.getpid(), ended.signal)


def _not_started(program: str, error: OSError) -> Ended:
    missing = isinstance(error, FileNotFoundError | NotADirectoryError)
    what = "command not found" if missing else f"the command cannot be executed: {error.strerror}"
    return Ended(NOT_FOUND if missing else NOT_EXECUTABLE, reason=f"{what}: {Path(program).name[:80]}")


@contextmanager
def _handlers(forwarding: _Forwarding) -> Iterator[None]:
    previous = {number: signal.getsignal(number) for number in _FORWARDED}
    # What is ignored stays ignored, as `nohup` has it.
    caught = [number for number in _FORWARDED if previous[number] is not signal.SIG_IGN]
    for number in caught:
        signal.signal(number, forwarding.handle)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, previous[number] or signal.SIG_DFL)


def _is_foreground() -> bool:
    for descriptor in (0, 1, 2):
        with suppress(OSError):
            if os.isatty(descriptor):
                return os.tcgetpgrp(descriptor) == os.getpgrp()
    return False


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
