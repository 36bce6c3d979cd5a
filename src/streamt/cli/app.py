"""The program `streamt`: its global options, its commands, and what becomes of whatever goes wrong."""

import os
import signal
from collections.abc import Sequence
from itertools import pairwise
from types import FrameType

import click

from streamt import __version__
from streamt.cli.adopt import adopt
from streamt.cli.apply import apply
from streamt.cli.catalog import catalog
from streamt.cli.dbt import dbt
from streamt.cli.diff import diff
from streamt.cli.docs import docs
from streamt.cli.envs import envs
from streamt.cli.lineage import lineage
from streamt.cli.list import list_declarations
from streamt.cli.options import help_when_bare
from streamt.cli.output import TERMINATED, Mode, ReaderGoneError, Session, StoppedError, debug_traceback
from streamt.cli.plan import plan, show_plan
from streamt.cli.run import run as run_command
from streamt.cli.schema import schema
from streamt.cli.state import state
from streamt.cli.status import status
from streamt.cli.test import test
from streamt.cli.validate import validate
from streamt.diagnostics import Code, PlacedDiagnostic, StreamtError

READER_GONE = 141


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}, invoke_without_command=True
)
@click.option(
    "--output",
    type=click.Choice([mode.value for mode in Mode]),
    default=Mode.TEXT.value,
    help="For people, or one JSON envelope on stdout.",
)
@click.option("--quiet", "-q", is_flag=True, help="Text mode: no warnings and no summaries.")
@click.option("--no-color", is_flag=True, help="Plain text; also when NO_COLOR is set.")
@click.version_option(__version__, prog_name="streamt", message="%(prog)s %(version)s")
@click.pass_context
def app(context: click.Context, *, output: str, quiet: bool, no_color: bool) -> None:
    """Declare streaming pipelines over Kafka, Flink SQL, Connect and Gateway; tell the catalogs what they are."""
    context.obj = Session(mode=Mode(output), quiet=quiet, color=not (no_color or os.environ.get("NO_COLOR")))
    help_when_bare(context)


for command in (
    adopt,
    apply,
    catalog,
    dbt,
    diff,
    docs,
    envs,
    lineage,
    list_declarations,
    plan,
    run_command,
    schema,
    show_plan,
    state,
    status,
    test,
    validate,
):
    app.add_command(command)


def run(arguments: Sequence[str]) -> int:
    """Run one command.

    Args:
        arguments: what follows the program's name.

    Returns:
        The exit status: 0 all well, 1 failed, 2 wrong usage, 130 interrupted, 141 when stdout's reader has gone,
        143 terminated.
    """
    signal.signal(signal.SIGTERM, _terminate)
    try:
        status = app.main(list(arguments), prog_name="streamt", standalone_mode=False)
    except click.UsageError as error:
        return _report(arguments, error.ctx, [_usage_problem(error)], status=error.exit_code)
    except StreamtError as error:
        return _report(arguments, None, error.placed(), status=1)
    except (click.Abort, KeyboardInterrupt):
        stopped = StoppedError.by(KeyboardInterrupt())
        return _report(arguments, None, stopped.diagnostics, status=stopped.status)
    except ReaderGoneError:
        return READER_GONE
    except Exception as error:  # noqa: BLE001 - the last line of defence: a bug must not show a traceback
        debug_traceback(error)
        return _report(arguments, None, [_internal_problem(error)], status=1)
    return status if isinstance(status, int) else 0


def _report(
    arguments: Sequence[str], context: click.Context | None, problems: Sequence[PlacedDiagnostic], *, status: int
) -> int:
    """Show `problems` the way the arguments ask for, even when the arguments could not be parsed."""
    session = Session(mode=_mode_of(arguments), quiet=False, color=not os.environ.get("NO_COLOR"))
    command = context.command_path.partition(" ")[2] if context else ""
    try:
        session.fail(command, problems)
    except ReaderGoneError:
        return READER_GONE
    return status


def _mode_of(arguments: Sequence[str]) -> Mode:
    """Find `--output json` among the global options, which stand before the command."""
    asked = "--output=json" in arguments or ("--output", "json") in pairwise(arguments)
    return Mode.JSON if asked else Mode.TEXT


def _usage_problem(error: click.UsageError) -> PlacedDiagnostic:
    hint = f"see `{error.ctx.command_path} --help`" if error.ctx else "see `streamt --help`"
    return PlacedDiagnostic(code=Code.USAGE_ERROR, message=error.format_message(), hint=hint)


def _internal_problem(error: Exception) -> PlacedDiagnostic:
    message = f"streamt itself failed ({type(error).__name__}); nothing was written"
    return PlacedDiagnostic(
        code=Code.INTERNAL_ERROR, message=message, hint="set STREAMT_DEBUG=1 and report what it shows"
    )


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(TERMINATED)
