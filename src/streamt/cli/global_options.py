"""The options that stand before or behind a command: `--output`, `--quiet` and `--no-color`."""

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from streamt.cli.output import Session

F = TypeVar("F", bound=Callable[..., Any])


def global_options(function: F) -> F:
    """Add the options to a command or to a group."""
    options = (
        click.option(
            "--output",
            type=click.Choice(["text", "json"]),
            callback=_choose_mode,
            expose_value=False,
            help="For people (the default), or one JSON envelope on stdout.",
        ),
        click.option(
            "--quiet",
            "-q",
            is_flag=True,
            callback=_be_quiet,
            expose_value=False,
            help="Text mode: no warnings and no summaries.",
        ),
        click.option(
            "--no-color",
            is_flag=True,
            callback=_be_plain,
            expose_value=False,
            help="Plain text; also when NO_COLOR is set.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def session_of(context: click.Context) -> "Session":
    """Return how this run talks to its user, as the options so far say."""
    from streamt.cli.output import Mode, Session

    session = context.find_object(Session)
    return session or Session(Mode.TEXT, quiet=False, color=not os.environ.get("NO_COLOR"))


def _choose_mode(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    from streamt.cli.output import Mode

    session = session_of(context)
    context.obj = session if value is None else replace(session, mode=Mode(value))


def _be_quiet(context: click.Context, _parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001 - Click's
    session = session_of(context)
    context.obj = replace(session, quiet=session.quiet or value)


def _be_plain(context: click.Context, _parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001 - Click's
    session = session_of(context)
    context.obj = replace(session, color=session.color and not value)
