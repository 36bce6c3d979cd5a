"""What reaches the user: stdout carries the result and nothing else; the rest goes to stderr."""

import json
import os
import signal
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import click

from streamt.cli.streams import write_stderr, write_stdout
from streamt.diagnostics import Code, PlacedDiagnostic, StreamtError, redact

MAX_PRINTED = 100
"""How many warnings, and how many errors, are printed for people."""
MAX_ALIKE = 3
"""How many warnings of one code and one hint are printed for people, before the others are only counted."""
MAX_LISTED = 10_000
"""How many warnings, and how many errors, an envelope holds."""


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
        """Make one of Ctrl-C (KeyboardInterrupt), or of what the handler of another signal raises (SystemExit)."""
        status = stop.code if isinstance(stop, SystemExit) and isinstance(stop.code, int) else 128 + signal.SIGINT
        message = _STOPPED.get(status - 128, "stopped")
        return cls(status, (*warnings, PlacedDiagnostic(code=Code.STOPPED, message=message)))


_STOPPED: dict[int, str] = {
    signal.SIGHUP: "stopped: the terminal was closed",
    signal.SIGINT: "interrupted",
    signal.SIGQUIT: "stopped by SIGQUIT",
    signal.SIGTERM: "terminated",
}


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
        exit_status: the exit status, where neither the errors nor `failed` say it.
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
        """The exit status; by default that of the gravest error."""
        if self.exit_status is not None:
            return self.exit_status
        return max([1 if self.failed else 0, *(each.code.exit_status for each in self.errors)])

    @classmethod
    def failure(cls, found: Sequence[PlacedDiagnostic], summary: str = "") -> "Result":
        """Return the result of a command that fails and has no data."""
        warnings = tuple(each for each in found if not each.is_error)
        errors = tuple(each for each in found if each.is_error)
        return cls(data=(b"null",), summary=summary, warnings=warnings, errors=errors, failed=True)


@dataclass(frozen=True, slots=True)
class Session:
    """How this run talks to its user."""

    mode: Mode
    quiet: bool
    color: bool

    def show(self, command: str, result: Result) -> None:
        """Show what a command found.

        Raises:
            StreamtError: E505, stdout does not take it.
            ReaderGoneError: stdout's reader has gone.
        """
        if self.mode is Mode.JSON:
            write_stdout(_envelope("error" if result.status else "ok", command, result))
            return
        self._warn(() if self.quiet else result.warnings)
        shown = result.summary and not self.quiet
        summary = f"{result.summary}\n".encode(errors="backslashreplace") if shown else b""
        if result.text or summary:
            write_stdout([*result.text, summary])
        self._tell(result.errors)

    def fail(self, command: str, found: Sequence[PlacedDiagnostic]) -> None:
        """Show what went wrong: `found` may hold the warnings that were found on the way.

        Raises:
            ReaderGoneError: stdout's reader has gone.
        """
        try:
            self.show(command, Result.failure(found))
        except StreamtError as error:  # stdout is what failed
            told = [each for each in found if each.is_error]
            self._tell([*told, *(each for each in error.placed() if each not in told)])

    def _warn(self, found: Sequence[PlacedDiagnostic]) -> None:
        """Print warnings; of many that say the same, the first ones and how many more there are."""
        alike: Counter[tuple[Code, str | None]] = Counter()
        first = []
        for each in found:
            kind = (each.code, each.hint)
            alike[kind] += 1
            if alike[kind] <= MAX_ALIKE:
                first.append(each)
        self._tell(first)
        for (code, _), number in alike.items():
            if number > MAX_ALIKE:
                self._print(False, f"{code}: {number - MAX_ALIKE:,} more like these; `--output json` lists them")  # noqa: FBT003

    def _tell(self, found: Sequence[PlacedDiagnostic]) -> None:
        """Print warnings or errors; of very many, the first and how many more there are."""
        for each in found[:MAX_PRINTED]:
            self._print(each.is_error, str(each))
        if len(found) > MAX_PRINTED:
            more = counted(len(found) - MAX_PRINTED, "more error" if found[0].is_error else "more warning")
            self._print(found[0].is_error, f"{more}; `--output json` lists up to {MAX_LISTED:,}")

    def _print(self, is_error: bool, text: str) -> None:  # noqa: FBT001 - it chooses a label
        label, color = ("error", "red") if is_error else ("warning", "yellow")
        label = click.style(label, fg=color, bold=True) if self.color and _is_terminal() else label
        write_stderr(f"{label} {text}\n")


def _is_terminal() -> bool:
    import sys

    return sys.stderr is not None and sys.stderr.isatty()


def encode(value: object) -> tuple[bytes, ...]:
    """Write `value` as JSON text, in UTF-8; what is no Unicode (a byte of a path) is written as its escape."""
    return (json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="backslashreplace"),)


def counted(number: int, noun: str) -> str:
    """Write `number` with its noun, in the plural unless there is one: `1 source`, `0 sources`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def table(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Align the cells of `rows` in columns, two spaces between them."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def debug_traceback(error: BaseException) -> None:
    """Show where `error` arose, with credentials masked, if STREAMT_DEBUG=1 asks for it."""
    if os.environ.get("STREAMT_DEBUG") == "1":
        import traceback

        write_stderr(redact("".join(traceback.format_exception(error))))


def _envelope(status: str, command: str, result: Result) -> Iterable[bytes]:
    yield encode({"status": status, "command": command})[0][:-1] + b',"data":'
    yield from result.data
    found = {"warnings": result.warnings, "errors": result.errors}
    for name, each in found.items():
        yield f',"{name}":'.encode()
        yield from encode([problem.as_dict() for problem in each[:MAX_LISTED]])
    if any(len(each) > MAX_LISTED for each in found.values()):
        yield b',"omitted":' + encode({name: max(0, len(each) - MAX_LISTED) for name, each in found.items()})[0]
    yield b"}\n"
