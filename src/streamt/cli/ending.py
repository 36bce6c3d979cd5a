"""How the program ends when something goes wrong: what is shown, and the exit status."""

import os
import sys
from collections.abc import Sequence
from itertools import pairwise, takewhile
from traceback import walk_tb

import click

from streamt.cli.output import Mode, Session, StoppedError, debug_traceback
from streamt.cli.streams import ReaderGoneError, give_up
from streamt.diagnostics import Code, PlacedDiagnostic, StreamtError

READER_GONE = 141


def end(arguments: Sequence[str], error: BaseException) -> int:
    """Show what went wrong with a command, and return the exit status.

    Args:
        arguments: what followed the program's name.
        error: what the command, or Click, raised.
    """
    match error:
        case click.UsageError():
            return _report(arguments, error.ctx, [_usage_problem(error)], status=error.exit_code)
        case StreamtError():
            return _report(arguments, None, error.placed(), status=error.exit_status)
        case SystemExit(code=1) | ReaderGoneError():  # with 1 Click says that the reader of its help has gone
            return READER_GONE
        case click.Abort() | KeyboardInterrupt() | SystemExit():
            stopped = StoppedError.by(error)
            return _report(arguments, None, stopped.diagnostics, status=stopped.status)
        case OSError():
            return _report(arguments, None, [_stdout_problem(error)], status=1)
        case Exception():  # the last line of defence: a bug must not show a traceback
            debug_traceback(error)
            return _report(arguments, None, [_internal_problem(error)], status=1)
    raise error


def _report(
    arguments: Sequence[str], context: click.Context | None, found: Sequence[PlacedDiagnostic], *, status: int
) -> int:
    """Show what was found the way the arguments ask for, even when the arguments could not be parsed."""
    session = Session(mode=_mode_of(arguments), quiet=False, color=not os.environ.get("NO_COLOR"))
    command = context.command_path.partition(" ")[2] if context else ""
    try:
        session.fail(command, found)
    except ReaderGoneError:
        return READER_GONE
    return status


def _mode_of(arguments: Sequence[str]) -> Mode:
    """Find `--output json` among the options."""
    options = list(takewhile(lambda argument: argument != "--", arguments))
    asked = "--output=json" in options or ("--output", "json") in pairwise(options)
    return Mode.JSON if asked else Mode.TEXT


def _usage_problem(error: click.UsageError) -> PlacedDiagnostic:
    hint = f"see `{error.ctx.command_path} --help`" if error.ctx else "see `streamt --help`"
    return PlacedDiagnostic(code=Code.USAGE_ERROR, message=error.format_message(), hint=hint)


def _stdout_problem(error: OSError) -> PlacedDiagnostic:
    """Say that stdout did not take what Click wrote, its help; all else goes through `write_stdout`."""
    *_, (innermost, _) = walk_tb(error.__traceback__)
    if innermost.f_globals["__name__"] == "click.utils":  # where Click writes
        give_up(sys.stdout)
        message = f"stdout cannot be written: {error.strerror}"
        return PlacedDiagnostic(code=Code.OUTPUT_FAILED, message=message)
    debug_traceback(error)
    return _internal_problem(error)


def _internal_problem(error: BaseException) -> PlacedDiagnostic:
    message = f"streamt itself failed ({type(error).__name__}); nothing was written"
    hint = "set STREAMT_DEBUG=1 and report what it shows"
    return PlacedDiagnostic(code=Code.INTERNAL_ERROR, message=message, hint=hint)
