"""The worker process from outside: it is started when a job needs one, watched, and killed when it takes too long.

Foreign bytes are decoded and foreign queries run over there. Whatever they do to the process, this one has an answer,
and hears signals at once.
"""

import os
import pickle
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from streamt.testing.results import Counts, Verdict
from streamt.testing.sampling.child import LENGTH_BYTES
from streamt.testing.sampling.isolate import describe_end
from streamt.testing.sampling.job import (
    Counted,
    Ended,
    Entered,
    Job,
    Judged,
    Message,
    Phase,
    Progress,
    Trouble,
    TroubleKind,
    decode,
)

# Seconds that a phase may take beside its own time: this machine may be busy.
GRACE_SECONDS = 5.0
STARTING_SECONDS = 60.0
# Seconds for a worker without a job to end by itself.
_LEAVING_SECONDS = 2.0
# What leaves a worker in a state that no other job should meet.
_IN_DOUBT = frozenset({TroubleKind.MEMORY, TroubleKind.UNFORESEEN})
_CHUNK = 65_536
_LONGEST_LINE = 4 * 1024 * 1024
# Our own modules come from where this process has them; nothing is taken from the folder that it runs in.
_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from streamt.testing.sampling.child import main; main()"


@dataclass(frozen=True, slots=True)
class Death:
    """How a worker process ended in the midst of a job.

    Attributes:
        phase: what it was doing.
        signal: what ended it, such as `SIGSEGV`, or its exit status in words; None if it took too long, and was killed.
    """

    phase: Phase
    signal: str | None


@dataclass(slots=True)
class Outcome:
    """What came of a job.

    Attributes:
        counts: what was read; None if reading did not come to its end.
        verdicts: by the index of the assertion, as far as the worker came.
        trouble: what kept the sample from being judged.
        death: how the worker ended, if it did not finish.
    """

    counts: Counts | None = None
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    trouble: Trouble | None = None
    death: Death | None = None


class _TooLateError(Exception):
    """A phase took longer than it may."""


class _GoneError(Exception):
    """The worker has ended, or says what no worker of ours would."""


class Worker:
    """Does jobs in one other process at a time; a context manager that leaves no process behind."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None and self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()  # nothing more to do, so it ends by itself
            self._end(_LEAVING_SECONDS)
        else:
            self._end()

    def run(self, job: Job, progress: Callable[[int, int], None]) -> Outcome:
        """Do a job; a process that dies of it, or takes too long, is part of the outcome.

        Args:
            job: what to do.
            progress: takes how many records were read, and how many are to be.
        """
        outcome = Outcome()
        phase = Phase.STARTING
        complete = False
        try:
            for message in self._messages(job):
                match message:
                    case Progress(done, total):
                        progress(done, total)
                    case Entered(entered):
                        phase = entered
                    case Counted(counts):
                        outcome.counts = counts
                    case Judged(index, verdict):
                        outcome.verdicts[index] = verdict
                    case Ended(trouble):
                        outcome.trouble = trouble
            complete = True
        except _TooLateError:
            outcome.death = Death(phase, None)
        except _GoneError:
            outcome.death = Death(phase, describe_end(self._end(_LEAVING_SECONDS)))
        finally:
            if not complete or (outcome.trouble and outcome.trouble.kind in _IN_DOUBT):
                self._end()
        return outcome

    def _messages(self, job: Job) -> Iterator[Message]:
        process = self._running()
        assert process.stdout is not None
        assert process.stdin is not None
        data = pickle.dumps(job)
        try:
            process.stdin.write(len(data).to_bytes(LENGTH_BYTES) + data)
            process.stdin.flush()
        except OSError as error:
            raise _GoneError from error
        until = time.monotonic() + STARTING_SECONDS
        lines = _Lines(process.stdout.fileno())
        while True:
            try:
                message = decode(lines.next(until))
            except ValueError as error:
                raise _GoneError from error
            if isinstance(message, Entered):
                until = time.monotonic() + message.seconds + GRACE_SECONDS
            yield message
            if isinstance(message, Ended):
                return

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end()
        # A session of its own: a Ctrl-C at the terminal is for this process, which then ends the other.
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own code
            [sys.executable, "-I", "-c", _PROGRAM, *map(os.path.abspath, filter(None, sys.path))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        return self._process

    def _end(self, seconds: float = 0.0) -> int:
        """End the worker and all that it started; return its exit code, as `subprocess` has it.

        Args:
            seconds: how long it may take to end by itself.
        """
        process, self._process = self._process, None
        if process is None:
            return 0
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        return code


class _Lines:
    """Reads lines from a pipe, each by a point in time."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._rest = b""

    def next(self, until: float) -> bytes:
        """Return the next line.

        Raises:
            _TooLateError: it does not come in time.
            _GoneError: there is no more, or no end to it.
        """
        while b"\n" not in self._rest:
            with selectors.DefaultSelector() as selector:
                selector.register(self._descriptor, selectors.EVENT_READ)
                if not selector.select(max(0.0, until - time.monotonic())):
                    raise _TooLateError
            part = os.read(self._descriptor, _CHUNK)
            if not part or len(self._rest) > _LONGEST_LINE:
                raise _GoneError
            self._rest += part
        line, _newline, self._rest = self._rest.partition(b"\n")
        return line
