"""`streamt docs openlineage`: the static export."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.consumers import consumer_options, warnings_for
from streamt.cli.global_options import global_options
from streamt.cli.options import help_when_bare, open_project, project_options, reporting, select_option
from streamt.cli.output import Result, counted, encode
from streamt.diagnostics import Code

if TYPE_CHECKING:
    from streamt.openlineage.static import Export
    from streamt.workspace import Workspace


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
@click.option("--strict", is_flag=True, help="Warnings fail, too, and nothing is written.")
@select_option
@consumer_options
@project_options
@reporting
def openlineage(
    *,
    job_namespace: str | None,
    kafka_namespace: str | None,
    gateway_namespace: str | None,
    output_file: Path | None,
    strict: bool,
    selectors: tuple[str, ...],
    check: str | None,
    consumer_form: str | None,
    project_dir: Path,
    environment: str | None,
) -> Result:
    """Export the declared datasets and jobs as OpenLineage events, one JSON object a line."""
    from streamt.cli.output_file import replace_file
    from streamt.openlineage.identity import NamespaceOptions
    from streamt.openlineage.static import export
    from streamt.workspace.namespaces import namespaces_of

    workspace = open_project(project_dir, environment)
    selected = workspace.select(selectors) if selectors else None
    with workspace.located():
        options = NamespaceOptions(job_namespace, kafka_namespace, gateway_namespace)
        namespaces = namespaces_of(workspace, options, selected)
        events = _formed(export(workspace.compiled, namespaces, selected), consumer_form)
    warnings = workspace.placed(*workspace.warnings, *events.warnings, *warnings_for(check, events.lines))
    if strict and warnings:
        return Result.failure(warnings)
    with workspace.located():
        if output_file is not None:
            replace_file(output_file, lines(events), workspace.project, Code.OPENLINEAGE_INVALID)
    return Result(
        text=lines(events) if output_file is None else (),
        data=_data(events, output_file, selectors),
        summary=f"wrote {_counted(events)} to {output_file}{_of(selectors, workspace)}" if output_file else "",
        warnings=warnings,
    )


def _of(selectors: Sequence[str], workspace: "Workspace") -> str:
    """Say that only a part was exported."""
    return f": only {', '.join(selectors)} of {workspace.compiled.name}" if selectors else ""


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


def _data(events: "Export", output_file: Path | None, selectors: Sequence[str]) -> Iterator[bytes]:
    """Yield the envelope's data around the same bytes that JSON Lines would hold."""
    from streamt.openlineage.schemas import tables

    pinned = tables()
    head = encode({"standard": "OpenLineage", "release": pinned.release, "core_schema": pinned.core_version})[0]
    yield head[:-1] + b',"events":['
    for index, event in enumerate(events.lines):
        yield b"," + event if index else event
    counts = {"total": len(events.lines), "datasets": events.datasets, "jobs": events.jobs}
    tail: dict[str, object] = {"counts": counts}
    if selectors:
        tail["select"] = list(selectors)
    if output_file is not None:
        tail["output_file"] = str(output_file)
    yield b"]," + encode(tail)[0][1:]


def _counted(events: "Export") -> str:
    parts = f"{counted(events.datasets, 'dataset')}, {counted(events.jobs, 'job')}"
    return f"{counted(len(events.lines), 'event')} ({parts})"
