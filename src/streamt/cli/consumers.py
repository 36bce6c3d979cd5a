"""`--check CONSUMER` and `--for CONSUMER`: what a catalog takes of our events, and the form in which it takes more."""

import os
from collections.abc import Callable, Iterable
from functools import reduce
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from streamt.diagnostics import Code, Diagnostic

if TYPE_CHECKING:
    from streamt.openlineage.emission import EventForm

P = ParamSpec("P")
R = TypeVar("R")

NAMES = ("marquez", "openmetadata", "openmetadata-kafka", "datahub", "gravitino", "data-rentgen", "google", "aws")
"""The keys of the table of consumers, which is imported only where it is used; a test compares them."""


def consumer_options(function: Callable[P, R]) -> Callable[P, R]:
    """Add the two options, as `check` and `consumer_form`."""
    check = click.option(
        "--check",
        type=click.Choice(NAMES),
        metavar="CONSUMER",
        help="Say what this catalog refuses, ignores or loses: " + ", ".join(NAMES) + ".",
    )
    form = click.option(
        "--for",
        "consumer_form",
        type=click.Choice(NAMES),
        metavar="CONSUMER",
        help="Write the events in the form that this catalog takes.",
    )
    return check(form(function))


def parent_option(function: Callable[P, R]) -> Callable[P, R]:
    """Add `--openlineage-parent`."""
    option = click.option(
        "--openlineage-parent",
        is_flag=True,
        help="Name the run that OPENLINEAGE_CONTEXT or OPENLINEAGE_PARENT_ID names as this run's parent.",
    )
    return option(function)


def warnings_for(name: str | None, lines: Iterable[bytes]) -> tuple[Diagnostic, ...]:
    """Return what a consumer does not take of events, in the order in which they would be sent.

    Args:
        name: the consumer; None gives nothing.
        lines: each event's JSON.
    """
    if name is None:
        return ()
    from streamt.openlineage.consumers import CONSUMERS, check_events

    consumer = CONSUMERS[name]
    return tuple(
        Diagnostic(code=Code.CONSUMER, message=found.text(consumer), hint=found.advice(consumer))
        for found in check_events(consumer, lines)
    )


def form_of(name: str | None, *, with_parent: bool = False) -> "EventForm":
    """Return what writes a run event in the form that was asked for; by default it stays as it is.

    Args:
        name: the consumer.
        with_parent: whether the run that the environment names is its parent.
    """
    steps: list[EventForm] = []
    if with_parent:
        steps.append(_parented())
    if name is not None:
        from streamt.openlineage.consumers import CONSUMERS, Form

        steps.append(Form(CONSUMERS[name]))

    return lambda event: reduce(lambda formed, step: step(formed), steps, event)


def _parented() -> "EventForm":
    from streamt.emitter.context import read_parent
    from streamt.emitter.lifecycle import with_parent

    parent = read_parent(os.environ)
    return (lambda event: with_parent(event, parent)) if parent else (lambda event: event)
