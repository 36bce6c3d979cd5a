"""What the commands share: their options, and how they report."""

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from streamt.cache import NO_CACHE
from streamt.cli.global_options import global_options, session_of
from streamt.cli.output import Mode, Result, StoppedError
from streamt.cli.streams import write_stdout
from streamt.diagnostics import StreamtError

if TYPE_CHECKING:
    from streamt.workspace import Workspace

P = ParamSpec("P")
F = TypeVar("F", bound=Callable[..., Any])


def complete_names(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of the project's sources, models and exposures, for a shell; none where it does not load."""
    from streamt.project import load_project
    from streamt.workspace.parse_cache import project_cache

    folder, environment = _folder(context), context.params.get("environment")
    try:
        document = load_project(folder, environment, os.environ, project_cache(folder, os.environ)).document
    except StreamtError:
        return []
    upstream = "+" * incomplete.startswith("+")
    names = [
        *(each.name for each in document.sources),
        *(each.name for each in document.models),
        *(each.name for each in document.exposures),
    ]
    return [f"{upstream}{name}" for name in names if name.startswith(incomplete.removeprefix("+"))]


def _complete_environments(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    from streamt.project import list_environments

    try:
        names = [summary.name for summary in list_environments(_folder(context), os.environ)]
    except StreamtError:
        return []
    return [name for name in names if name.startswith(incomplete)]


def _folder(context: click.Context) -> Path:
    return Path(context.params.get("project_dir") or ".")


directory_option = click.option(
    "--project-dir",
    "-p",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The project's folder; here if not given.",
)
environment_option = click.option(
    "--env",
    "-e",
    "environment",
    metavar="NAME",
    shell_complete=_complete_environments,
    help="The environment; else STREAMT_ENV.",
)


select_option = click.option(
    "--select",
    "selectors",
    multiple=True,
    metavar="EXPR",
    shell_complete=complete_names,
    help="Only NAME, tag:TAG, or with + what lies upstream (+NAME) or downstream (NAME+); may be given again.",
)


_NO_CACHE = f"{__name__}.no_cache"
_no_cache_option = click.option(
    "--no-cache",
    is_flag=True,
    expose_value=False,
    callback=lambda context, _, value: context.meta.setdefault(_NO_CACHE, value),
    envvar="STREAMT_NO_CACHE",
    help="Read every file and SQL text again, and keep nothing of it.",
)


def project_options(function: F) -> F:
    """Add `--project-dir`, `--env` and `--no-cache`, as every command takes that reads a project."""
    return directory_option(environment_option(_no_cache_option(function)))


def open_project(directory: Path, environment: str | None) -> "Workspace":
    """Read and compile a project, with what was read before unless `--no-cache` is given.

    Raises:
        StreamtError: E501, E502, E503 or E510, with all that was found.
    """
    from streamt.workspace import open_workspace
    from streamt.workspace.parse_cache import project_cache

    is_off = click.get_current_context().meta.get(_NO_CACHE, False)
    cache = NO_CACHE if is_off else project_cache(directory, os.environ)
    return open_workspace(directory, environment, os.environ, cache)


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
