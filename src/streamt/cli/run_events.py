"""Getting ready to tell an OpenLineage backend of one run of `streamt test`."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar
from uuid import uuid4

from streamt.cli.namespaces import namespaces_of
from streamt.cli.projects import Opened
from streamt.diagnostics import StreamtError
from streamt.openlineage.emission import EventForm, RunEmitter
from streamt.openlineage.identity import Identity, NamespaceOptions, command_job_name
from streamt.openlineage.runs import CommandRun
from streamt.openlineage.static import identify_datasets
from streamt.openlineage.transport import open_transport, transport_from_environ
from streamt.testing.selection import Selected, consumed_topics

T = TypeVar("T")
U = TypeVar("U")


def emitter_of(
    opened: Opened,
    selected: Sequence[Selected],
    options: NamespaceOptions,
    form: EventForm = lambda event: event,
) -> RunEmitter:
    """Prepare to tell of this run, so that nothing but delivery can go wrong once it has begun.

    Args:
        opened: the project.
        selected: the tests that will run.
        options: the namespaces that the command line gave.
        form: writes an event in the form that somebody asked for.

    Raises:
        StreamtError: E506; a namespace, the transport, or an event would not be right.
    """
    names = set(consumed_topics(selected))
    # Only what the tests read must have a namespace.
    read = replace(opened.compiled, nodes=tuple(node for node in opened.compiled.nodes if node.name in names))

    def describe_run() -> CommandRun:
        namespaces = namespaces_of(replace(opened, compiled=read), options)
        inputs = identify_datasets(read, namespaces) if read.nodes else {}
        job = Identity(namespaces.job, command_job_name(opened.project.document.project.name, "test"))
        return CommandRun(uuid4(), job, "TEST", tuple(sorted(inputs.values())))

    with opened.placing():
        run, config = _both(describe_run, lambda: transport_from_environ(os.environ))
        return RunEmitter(run, open_transport(config), form=form)


def _both(one: Callable[[], T], other: Callable[[], U]) -> tuple[T, U]:
    """Do two things; if one goes wrong, still find what is wrong with the other."""
    try:
        first = one()
    except StreamtError as error:
        try:
            other()
        except StreamtError as another:
            raise StreamtError(*error.diagnostics, *another.diagnostics) from error
        raise
    return first, other()
