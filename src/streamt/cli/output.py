"""What reaches the user: stdout carries the result and nothing else; the rest goes to stderr."""

import json
import os
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import IO

import click

from streamt.diagnostics import Code, Diagnostic, PlacedDiagnostic, StreamtError, redact

INTERRUPTED = 130
TERMINATED = 128 + signal.SIGTERM


class ReaderGoneError(Exception):
    """Whoever read stdout has enough of it (`| head`), which is no failure."""


class StoppedError(Exception):
    """Something outside stopped the command; under this name, Click prints nothing of its own.

    Attributes:
        status: the exit status.
        diagnostics: warnings found until then, and what stopped it.
    """

    def __init__(self, status: int, diagnostics: Sequence[PlacedDiagnostic]) -> None:
        super().__init__()
        self.status = status
        self.diagnostics = diagnostics

    @classmethod
    def by(cls, stop: BaseException, warnings: Sequence[PlacedDiagnostic] = ()) -> "StoppedError":
        """Make one of Ctrl-C (KeyboardInterrupt), or of what the handler of SIGTERM raises (SystemExit)."""
        terminated = isinstance(stop, SystemExit)
        message = "terminated" if terminated else "interrupted"
        status = TERMINATED if terminated else INTERRUPTED
        return cls(status, (*warnings, PlacedDiagnostic(code=Code.USAGE_ERROR, message=message)))


class Mode(StrEnum):
    """Whom the output is for."""

    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Result:
    """What a command found.

    Attributes:
        text: the bytes of stdout in text mode.
        data: JSON text, in pieces: the value of `data` in the envelope.
        summary: lines for people, on stdout, that `--quiet` drops.
        warnings: in the order to show.
        errors: of a command whose findings are themselves errors (a failed test): it fails and still shows its data.
        failed: whether the command fails for another reason, such as warnings that were to be errors.
        exit_status: the exit status, where it is neither 0 nor, for a failure, 1.
    """

    text: Iterable[bytes] = ()
    data: Iterable[bytes] = (b"{}",)
    summary: str = ""
    warnings: Sequence[PlacedDiagnostic] = ()
    errors: Sequence[PlacedDiagnostic] = ()
    failed: bool = False
    exit_status: int | None = None

    @property
    def status(self) -> int:
        """The exit status."""
        if self.exit_status is not None:
            return self.exit_status
        return 1 if self.errors or self.failed else 0

    @classmethod
    def failure(cls, found: Sequence[PlacedDiagnostic]) -> "Result":
        """Return the result of a command that fails and has nothing but warnings and errors to show."""
        warnings = tuple(each for each in found if not each.is_error)
        errors = tuple(each for each in found if each.is_error)
        return cls(data=(b"null",), warnings=warnings, errors=errors, failed=True)


@dataclass(frozen=True, slots=True)
class Session:
    """How this run talks to its user."""

    mode: Mode
    quiet: bool
    color: bool

    def show(self, command: str, result: Result) -> None:
        """Show what a command found.

        Raises:
            StreamtError: E500, when stdout does not take it.
            ReaderGoneError: stdout's reader has gone.
        """
        if self.mode is Mode.JSON:
            status = "error" if result.errors or result.failed else "ok"
            _write_stdout(_envelope(status, command, result.data, result.warnings, result.errors))
            return
        self._tell(() if self.quiet else result.warnings)
        shown = result.summary and not self.quiet
        summary = f"{result.summary}\n".encode(errors="backslashreplace") if shown else b""
        _write_stdout([*result.text, summary])
        self._tell(result.errors)

    def fail(self, command: str, problems: Sequence[PlacedDiagnostic]) -> None:
        """Show what went wrong: `problems` may hold the warnings that were found on the way.

        Raises:
            ReaderGoneError: stdout's reader has gone.
        """
        errors = [problem for problem in problems if problem.is_error]
        warnings = [problem for problem in problems if not problem.is_error]
        if self.mode is Mode.JSON:
            try:
                _write_stdout(_envelope("error", command, (b"null",), warnings, errors))
            except StreamtError as error:
                self._tell(error.placed())  # stdout is what failed
        else:
            self._tell([*(() if self.quiet else warnings), *errors])

    def _tell(self, problems: Iterable[PlacedDiagnostic]) -> None:
        with suppress(OSError):  # without stderr there is nowhere left to say it
            for problem in problems:
                label, color = ("error", "red") if problem.is_error else ("warning", "yellow")
                styled = click.style(label, fg=color, bold=True)
                click.echo(f"{styled} {problem}", err=True, color=None if self.color else False)


def encode(value: object) -> tuple[bytes, ...]:
    """Write `value` as JSON text, in UTF-8; what is no Unicode (a byte of a path) is written as its escape."""
    return (json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="backslashreplace"),)


def counted(number: int, noun: str) -> str:
    """Write `number` with its noun, in the plural unless there is one: `1 source`, `0 sources`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def table(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Align the cells of `rows` in columns, two spaces between them."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def debug_traceback(error: BaseException) -> None:
    """Show where `error` arose, with credentials masked, if STREAMT_DEBUG=1 asks for it."""
    if os.environ.get("STREAMT_DEBUG") == "1":
        import traceback

        click.echo(redact("".join(traceback.format_exception(error))), err=True)


def _envelope(
    status: str,
    command: str,
    data: Iterable[bytes],
    warnings: Iterable[PlacedDiagnostic],
    errors: Iterable[PlacedDiagnostic],
) -> Iterable[bytes]:
    head: Mapping[str, str] = {"status": status, "command": command}
    yield json.dumps(head, separators=(",", ":"))[:-1].encode() + b',"data":'
    yield from data
    for name, problems in (("warnings", warnings), ("errors", errors)):
        yield f',"{name}":'.encode()
        yield from encode([problem.as_dict() for problem in problems])
    yield b"}\n"


def _write_stdout(chunks: Iterable[bytes]) -> None:
    try:
        stream = _stdout()
        stream.writelines(chunks)
        stream.flush()
    except BrokenPipeError as error:
        _give_up_stdout()
        raise ReaderGoneError from error  # Click would make status 1 of the other
    except OSError as error:
        _give_up_stdout()
        message = f"stdout cannot be written: {error.strerror or error}"
        raise StreamtError(Diagnostic(code=Code.USAGE_ERROR, message=message)) from error


def _give_up_stdout() -> None:
    """Point stdout at nothing: Python flushes it once more at exit, and would complain then."""
    if sys.stdout is not None:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)


def _stdout() -> IO[bytes]:
    if sys.stdout is None:
        raise OSError("it is closed")
    return sys.stdout.buffer
