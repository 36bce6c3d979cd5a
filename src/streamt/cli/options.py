"""What the commands share: their options, and how they report."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import click

from streamt.cli.output import Mode, Result, Session, StoppedError
from streamt.diagnostics import StreamtError

P = ParamSpec("P")


directory_option = click.option(
    "--project-dir",
    "-p",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The project's folder; here if not given.",
)


select_option = click.option(
    "--select",
    "selectors",
    multiple=True,
    metavar="EXPR",
    help="Only NAME, tag:TAG, or with + what lies upstream (+NAME) or downstream (NAME+); may be given again.",
)


def project_options(function: Callable[P, None]) -> Callable[P, None]:
    """Add `--project-dir` and `--env`, as every command takes that reads a project."""
    environment = click.option("--env", "-e", "environment", metavar="NAME", help="The environment; else STREAMT_ENV.")
    return directory_option(environment(function))


def reporting(function: Callable[P, Result]) -> Callable[P, None]:
    """Make a command of a function that gives its result or raises what went wrong."""

    @wraps(function)
    def command(*args: P.args, **kwargs: P.kwargs) -> None:
        context = click.get_current_context()
        session = context.find_object(Session)
        assert session is not None  # the group made it
        name = command_name(context)
        try:
            result = function(*args, **kwargs)
            session.show(name, result)
            context.exit(result.status)
        except StreamtError as error:
            session.fail(name, error.placed())
            context.exit(1)
        except (StoppedError, KeyboardInterrupt, SystemExit) as stop:
            stopped = stop if isinstance(stop, StoppedError) else StoppedError.by(stop)
            session.fail(name, stopped.diagnostics)
            context.exit(stopped.status)

    return command


def help_when_bare(context: click.Context) -> None:
    """Show the help of a group that is called without a command.

    Raises:
        click.UsageError: in JSON mode, where help is no answer.
    """
    if context.invoked_subcommand is not None:
        return
    session = context.find_object(Session)
    if session is not None and session.mode is Mode.JSON:
        raise click.UsageError("a command is missing", context)
    click.echo(context.get_help())
    context.exit()


def command_name(context: click.Context) -> str:
    """Name a command without the program: `docs openlineage`."""
    return context.command_path.partition(" ")[2]
