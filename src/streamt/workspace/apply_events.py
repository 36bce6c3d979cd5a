"""Telling an OpenLineage backend of one apply: START once the operation is durable, then its one end."""

import os
from uuid import UUID

from streamt.deploy.apply import Report
from streamt.diagnostics import Diagnostic, ProjectPath, StreamtError
from streamt.openlineage.emission import EventForm, RunEmitter
from streamt.openlineage.identity import (
    Bootstrap,
    Identity,
    NamespaceOptions,
    command_job_name,
    resolve_namespaces,
)
from streamt.openlineage.runs import CommandRun, Outcome
from streamt.openlineage.transport import open_transport, transport_from_environ

_OUTCOMES = {
    "committed": Outcome.COMPLETE,
    "interrupted": Outcome.ABORT,
    "failed": Outcome.FAIL,
    "unknown": Outcome.FAIL,
}


def apply_emitter(
    project: str,
    operation_id: str,
    options: NamespaceOptions,
    form: EventForm = lambda event: event,
) -> RunEmitter:
    """Prepare to tell of an apply, so that nothing but delivery can go wrong once it has begun.

    Args:
        project: the project's name.
        operation_id: the id that the operation will have; it is the run's.
        options: the namespaces that the command line gave. Those of datasets are only checked: an apply has none.
        form: writes an event in the form that somebody asked for.

    Raises:
        StreamtError: E506; a namespace, the transport, or an event would not be right.
    """
    none_needed = Bootstrap(None, ProjectPath(), needed=False)
    try:
        namespaces = resolve_namespaces(options, os.environ, kafka=none_needed, gateway=none_needed)
    except StreamtError as error:
        raise StreamtError(*error.diagnostics, *_wrong_transport()) from error
    run = CommandRun(UUID(operation_id), Identity(namespaces.job, command_job_name(project, "apply")), "COMMAND")
    return RunEmitter(run, open_transport(transport_from_environ(os.environ)), form=form)


def _wrong_transport() -> tuple[Diagnostic, ...]:
    """Return what is wrong with the transport, too."""
    try:
        transport_from_environ(os.environ)
    except StreamtError as error:
        return error.diagnostics
    return ()


def tell_end(emitter: RunEmitter, report: Report | None) -> None:
    """Tell how an apply ended.

    Args:
        emitter: has told of the start.
        report: what became of the operation; None if the program itself failed.
    """
    if report is None:
        emitter.finish(Outcome.FAIL, "the apply failed")
        return
    outcome = _OUTCOMES[report.status]
    emitter.finish(outcome, failure(report) if outcome is Outcome.FAIL else "")


def failure(report: Report) -> str:
    """Return what a failed apply says of itself: a fixed sentence and two numbers, no name of anything."""
    undone = sum(each.result != "applied" for each in report.actions)
    if not report.actions:
        return "the apply failed"
    return f"{undone} of {len(report.actions)} actions were not applied"
