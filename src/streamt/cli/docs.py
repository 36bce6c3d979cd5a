"""`streamt docs openlineage`: the static export."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.consumers import consumer_options, warnings_for
from streamt.cli.global_options import global_options
from streamt.cli.options import help_when_bare, project_options, reporting
from streamt.cli.output import Result, counted, encode
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError

if TYPE_CHECKING:
    from streamt.openlineage.static import Export
    from streamt.project import Project


@click.group(invoke_without_command=True)
@global_options
@click.pass_context
def docs(context: click.Context) -> None:
    """Tell catalogs what the project declares."""
    help_when_bare(context)


@docs.command()
@click.option("--job-namespace", metavar="NAMESPACE", help="The namespace of the jobs; else OPENLINEAGE_NAMESPACE.")
@click.option(
    "--kafka-namespace",
    metavar="KAFKA-URI",
    help="kafka://HOST:PORT; else STREAMT_OPENLINEAGE_KAFKA_NAMESPACE, else the one bootstrap address.",
)
@click.option(
    "--gateway-namespace",
    metavar="KAFKA-URI",
    help="kafka://HOST:PORT; else STREAMT_OPENLINEAGE_GATEWAY_NAMESPACE, else the one proxy address.",
)
@click.option(
    "--output-file",
    type=click.Path(path_type=Path),
    help="Replace this file, whole, instead of writing to stdout.",
)
@consumer_options
@project_options
@reporting
def openlineage(
    *,
    job_namespace: str | None,
    kafka_namespace: str | None,
    gateway_namespace: str | None,
    output_file: Path | None,
    check: str | None,
    consumer_form: str | None,
    project_dir: Path,
    environment: str | None,
) -> Result:
    """Export the declared datasets and jobs as OpenLineage events, one JSON object a line."""
    from streamt.openlineage.identity import NamespaceOptions
    from streamt.openlineage.static import export
    from streamt.workspace import open_workspace
    from streamt.workspace.namespaces import namespaces_of

    workspace = open_workspace(project_dir, environment, os.environ)
    with workspace.located():
        options = NamespaceOptions(job_namespace, kafka_namespace, gateway_namespace)
        events = _formed(export(workspace.compiled, namespaces_of(workspace, options)), consumer_form)
        if output_file is not None:
            _write(output_file, lines(events), workspace.project)
    return Result(
        text=lines(events) if output_file is None else (),
        data=_data(events, output_file),
        summary=f"wrote {_counted(events)} to {output_file}" if output_file else "",
        warnings=workspace.placed(*workspace.warnings, *events.warnings, *warnings_for(check, events.lines)),
    )


def _formed(events: "Export", consumer: str | None) -> "Export":
    """Return the export in the order in which a consumer keeps all of it."""
    if consumer is None:
        return events
    from streamt.openlineage.consumers import CONSUMERS, in_order

    return replace(events, lines=in_order(CONSUMERS[consumer], events.lines, events.datasets))


def lines(events: "Export") -> Iterator[bytes]:
    """Yield the events as JSON Lines, one final newline each."""
    for event in events.lines:
        yield event
        yield b"\n"


def _data(events: "Export", output_file: Path | None) -> Iterator[bytes]:
    """Yield the envelope's data around the same bytes that JSON Lines would hold."""
    from streamt.openlineage.schemas import tables

    pinned = tables()
    head = encode({"standard": "OpenLineage", "release": pinned.release, "core_schema": pinned.core_version})[0]
    yield head[:-1] + b',"events":['
    for index, event in enumerate(events.lines):
        yield b"," + event if index else event
    counts = {"total": len(events.lines), "datasets": events.datasets, "jobs": events.jobs}
    tail: dict[str, object] = {"counts": counts}
    if output_file is not None:
        tail["output_file"] = str(output_file)
    yield b"]," + encode(tail)[0][1:]


def _write(path: Path, chunks: Iterable[bytes], project: "Project") -> None:
    """Replace the file at `path`.

    Raises:
        StreamtError: E506, it belongs to the project, or cannot be written.
    """
    from streamt.files import atomic_replace

    place = Option("output_file")
    try:
        if project.owns(path):
            message, hint = "the output file is a part of the project", "choose another file"
            raise StreamtError(Diagnostic(code=Code.OPENLINEAGE_INVALID, message=message, location=place, hint=hint))
        atomic_replace(path, chunks)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        message = f"the file cannot be written: {reason}; it was left unchanged"
        raise StreamtError(Diagnostic(code=Code.OPENLINEAGE_INVALID, message=message, location=place)) from error


def _counted(events: "Export") -> str:
    parts = f"{counted(events.datasets, 'dataset')}, {counted(events.jobs, 'job')}"
    return f"{counted(len(events.lines), 'event')} ({parts})"
