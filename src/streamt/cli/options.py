"""What the commands share: their options, and how they report."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click

from streamt.cli.global_options import global_options, session_of
from streamt.cli.output import Mode, Result, StoppedError
from streamt.cli.streams import write_stdout
from streamt.diagnostics import StreamtError

P = ParamSpec("P")
F = TypeVar("F", bound=Callable[..., Any])


directory_option = click.option(
    "--project-dir",
    "-p",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The project's folder; here if not given.",
)
environment_option = click.option(
    "--env", "-e", "environment", metavar="NAME", help="The environment; else STREAMT_ENV."
)


select_option = click.option(
    "--select",
    "selectors",
    multiple=True,
    metavar="EXPR",
    help="Only NAME, tag:TAG, or with + what lies upstream (+NAME) or downstream (NAME+); may be given again.",
)


def project_options(function: F) -> F:
    """Add `--project-dir` and `--env`, as every command takes that reads a project."""
    return directory_option(environment_option(function))


def reporting(function: Callable[P, Result]) -> Callable[P, None]:
    """Make a command of a function that gives its result or raises what went wrong."""

    @wraps(function)
    def command(*args: P.args, **kwargs: P.kwargs) -> None:
        silence_loggers()
        context = click.get_current_context()
        session = session_of(context)
        name = command_name(context)
        try:
            result = function(*args, **kwargs)
            session.show(name, result)
            context.exit(result.status)
        except StreamtError as error:
            session.fail(name, error.placed())
            context.exit(error.exit_status)
        except (StoppedError, KeyboardInterrupt, SystemExit) as stop:
            stopped = stop if isinstance(stop, StoppedError) else StoppedError.by(stop)
            session.fail(name, stopped.diagnostics)
            context.exit(stopped.status)

    return global_options(command)


def silence_loggers() -> None:
    """Keep libraries from writing to stderr, as they do where no logger has a handler."""
    import logging

    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.NullHandler())


def help_when_bare(context: click.Context) -> None:
    """Show the help of a group that is called without a command.

    Raises:
        click.UsageError: in JSON mode, where help is no answer.
    """
    if context.invoked_subcommand is not None:
        return
    if session_of(context).mode is Mode.JSON:
        raise click.UsageError("a command is missing", context)
    write_stdout([context.get_help().encode(errors="backslashreplace"), b"\n"])
    context.exit()


def command_name(context: click.Context) -> str:
    """Name a command without the program: `docs openlineage`."""
    return context.command_path.partition(" ")[2]
