"""The bytes that leave on stdout and stderr, and what becomes of a stream that does not take them."""

import os
import sys
from collections.abc import Iterable
from typing import IO

from streamt.diagnostics import Code, Diagnostic, StreamtError


class ReaderGoneError(Exception):
    """Whoever read stdout has enough of it (`| head`), which is no failure."""


def write_stdout(chunks: Iterable[bytes]) -> None:
    """Write and flush.

    Raises:
        ReaderGoneError: stdout's reader has gone.
        StreamtError: E505, stdout does not take it.
    """
    try:
        stream = _stdout()
        stream.writelines(chunks)
        stream.flush()
    except BrokenPipeError as error:
        give_up(sys.stdout)
        raise ReaderGoneError from error  # Click would make status 1 of the other
    except OSError as error:
        give_up(sys.stdout)
        message = f"stdout cannot be written: {error.strerror or error}"
        raise StreamtError(Diagnostic(code=Code.OUTPUT_FAILED, message=message)) from error


def write_stderr(text: str) -> None:
    """Write and flush; where stderr does not take it, there is nowhere left to say so."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()
    except OSError:
        give_up(sys.stderr)


def give_up(stream: IO[str] | None) -> None:
    """Point a stream at nothing: Python flushes it once more at exit, and would complain then."""
    if stream is not None:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)


def _stdout() -> IO[bytes]:
    if sys.stdout is None:
        raise OSError("it is closed")
    return sys.stdout.buffer
