"""Getting ready to tell an OpenLineage backend of one run of the tests."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import uuid4

from streamt.diagnostics import Collector
from streamt.openlineage.emission import EventForm, RunEmitter
from streamt.openlineage.identity import Identity, NamespaceOptions, command_job_name
from streamt.openlineage.runs import CommandRun
from streamt.openlineage.static import identify_datasets
from streamt.openlineage.transport import open_transport, transport_from_environ
from streamt.testing.selection import Selected, consumed_topics
from streamt.workspace.namespaces import namespaces_of
from streamt.workspace.workspace import Workspace


def observe_tests(
    workspace: Workspace,
    selected: Sequence[Selected],
    options: NamespaceOptions,
    form: EventForm = lambda event: event,
) -> RunEmitter:
    """Prepare to tell of a run of tests, so that nothing but delivery can go wrong once it has begun.

    Args:
        workspace: the project.
        selected: the tests that will run.
        options: the namespaces that were given.
        form: writes an event in the form that somebody asked for.

    Raises:
        StreamtError: E506; a namespace, the transport, or an event would not be right.
    """
    with workspace.located():
        collector = Collector()
        run = collector.attempt(lambda: _describe_run(workspace, selected, options))
        transport = collector.attempt(lambda: transport_from_environ(workspace.environ))
        collector.check()
        assert run is not None  # the check has seen that nothing was wrong
        assert transport is not None
        return RunEmitter(run, open_transport(transport), form=form)


def _describe_run(workspace: Workspace, selected: Sequence[Selected], options: NamespaceOptions) -> CommandRun:
    """Return the run, as its events will tell of it.

    Raises:
        StreamtError: E506; a namespace is missing, ambiguous or malformed.
    """
    names = set(consumed_topics(selected))
    # Only what the tests read must have a namespace.
    read = replace(workspace.compiled, nodes=tuple(node for node in workspace.compiled.nodes if node.name in names))
    namespaces = namespaces_of(replace(workspace, compiled=read), options)
    inputs = identify_datasets(read, namespaces) if read.nodes else {}
    job = Identity(namespaces.job, command_job_name(workspace.project.document.project.name, "test"))
    return CommandRun(uuid4(), job, "TEST", tuple(sorted(inputs.values())))
