"""The program `streamt`: its global options, its commands, and what becomes of whatever goes wrong.

What only a command needs is imported when one is called, so that `--version` and `--help` answer at once.
"""

import signal
from collections.abc import Sequence
from types import FrameType

import click

from streamt import __version__
from streamt.cli.commands import LazyCommands
from streamt.cli.global_options import global_options

_STOPPING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


@click.group(
    cls=LazyCommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
)
@click.version_option(__version__, "--version", "-V", prog_name="streamt", message="%(prog)s %(version)s")
@global_options
@click.pass_context
def app(context: click.Context) -> None:
    """Declare streaming pipelines over Kafka, Flink SQL, Connect and Gateway; tell the catalogs what they are."""
    from streamt.cli.options import help_when_bare

    help_when_bare(context)


def run(arguments: Sequence[str]) -> int:
    """Run one command.

    Args:
        arguments: what follows the program's name.

    Returns:
        The exit status: 0 all well, 1 failed, 2 wrong usage, 128 and the number of the signal that stopped it, 141
        when stdout's reader has gone.
    """
    for number in _STOPPING:
        signal.signal(number, _stop)
    try:
        status = app.main(list(arguments), prog_name="streamt", standalone_mode=False)
    except (Exception, KeyboardInterrupt, SystemExit) as error:  # noqa: BLE001 - what is a bug, `end` knows
        if isinstance(error, SystemExit) and error.code == 0:  # Click has answered a shell that completes a command
            return 0
        from streamt.cli.ending import end

        return end(arguments, error)
    return status if isinstance(status, int) else 0


def _stop(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
