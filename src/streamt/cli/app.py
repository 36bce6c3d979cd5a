"""The program `streamt`: its global options, its commands, and what becomes of whatever goes wrong.

What only a command needs is imported when one is called, so that `--version` and `--help` answer at once.
"""

import os
import signal
from collections.abc import Sequence
from types import FrameType

import click

from streamt import __version__
from streamt.cli.commands import LazyCommands


@click.group(
    cls=LazyCommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
)
@click.option(
    "--output", type=click.Choice(["text", "json"]), default="text", help="For people, or one JSON envelope on stdout."
)
@click.option("--quiet", "-q", is_flag=True, help="Text mode: no warnings and no summaries.")
@click.option("--no-color", is_flag=True, help="Plain text; also when NO_COLOR is set.")
@click.version_option(__version__, prog_name="streamt", message="%(prog)s %(version)s")
@click.pass_context
def app(context: click.Context, *, output: str, quiet: bool, no_color: bool) -> None:
    """Declare streaming pipelines over Kafka, Flink SQL, Connect and Gateway; tell the catalogs what they are."""
    from streamt.cli.options import help_when_bare
    from streamt.cli.output import Mode, Session

    context.obj = Session(mode=Mode(output), quiet=quiet, color=not (no_color or os.environ.get("NO_COLOR")))
    help_when_bare(context)


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
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - what is a bug, `end` knows
        from streamt.cli.ending import end

        return end(arguments, error)
    return status if isinstance(status, int) else 0


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + signal.SIGTERM)
