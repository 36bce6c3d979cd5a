"""`streamt catalog sync|send|job|export`: what is asked of a catalog over HTTP."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from streamt.cli.catalog_options import (
    DEFAULT_URL,
    TOKEN_VARIABLE,
    URL_VARIABLE,
    data_folder,
    token_file,
)
from streamt.cli.options import help_when_bare, open_project, project_options, reporting
from streamt.cli.output import Result, counted, encode
from streamt.diagnostics import Code, Diagnostic, FilePlace, Option, PlacedDiagnostic, StreamtError
from streamt.files import read_file

if TYPE_CHECKING:
    from streamt.catalog.remote import Remote
    from streamt.catalog.sources import Found

P = ParamSpec("P")
T = TypeVar("T")
_SHOWN = 20


def remote_options(function: Callable[P, T]) -> Callable[P, T]:
    """Add `--url` and `--token-file`; the token itself is never an argument, which others could read."""
    url = click.option("--url", envvar=URL_VARIABLE, default=DEFAULT_URL, show_default=True, help="The catalog.")
    token = click.option(
        "--token-file",
        type=click.Path(path_type=Path),
        help=f"A file that holds the token; else {TOKEN_VARIABLE}, else the first admin's.",
    )
    return url(token(function))


_MAX_TOKEN_BYTES = 64 * 1024


def remote_at(url: str, token_path: Path | None) -> "Remote":
    """Return the catalog with its token.

    Raises:
        StreamtError: E571, when there is no token, or the address cannot be used.
    """
    from streamt.catalog.remote import Remote

    text = os.environ.get(TOKEN_VARIABLE) if token_path is None else None
    path = token_path or token_file()
    if text is None:
        try:
            text = read_file(path, limit=_MAX_TOKEN_BYTES).decode()
        except (OSError, ValueError):
            hint = f"give --token-file, or set {TOKEN_VARIABLE}"
            message = "no token: its file cannot be read"
            raise StreamtError(
                Diagnostic(code=Code.CATALOG_REFUSED, message=message, location=Option("token_file"), hint=hint)
            ) from None
    return Remote.at(url, text.strip())


@click.group(invoke_without_command=True)
@click.pass_context
def sync(context: click.Context) -> None:
    """Register what there is: topics, tables, files."""
    help_when_bare(context)


whole_option = click.option("--whole", is_flag=True, help="These are all: what is not among them is gone.")


def _registered(remote: "Remote", found: "list[Found]", *, whole: bool) -> Result:
    totals = remote.register(found, whole=whole)
    summary = (
        f"{counted(totals['containers'], 'container')} in {counted(totals['datastores'], 'datastore')}: "
        f"{totals['added']} new, {totals['removed']} gone; {counted(totals['replaying'], 'job')} replayed"
    )
    return Result(data=encode(totals), summary=summary)


@sync.command("project")
@click.option("--kafka-namespace", metavar="KAFKA-URI", help="kafka://HOST:PORT; else the one bootstrap address.")
@click.option("--gateway-namespace", metavar="KAFKA-URI", help="kafka://HOST:PORT; else the one proxy address.")
@whole_option
@project_options
@remote_options
@reporting
def sync_project(
    *,
    kafka_namespace: str | None,
    gateway_namespace: str | None,
    whole: bool,
    project_dir: Path,
    environment: str | None,
    url: str,
    token_file: Path | None,
) -> Result:
    """Register the topics of a streamt project, with their columns."""
    import json
    import time

    from streamt.catalog.events import read
    from streamt.catalog.sources import in_events
    from streamt.openlineage.identity import NamespaceOptions
    from streamt.openlineage.static import export
    from streamt.workspace.namespaces import namespaces_of

    workspace = open_project(project_dir, environment)
    with workspace.located():
        options = NamespaceOptions("streamt", kafka_namespace, gateway_namespace)
        lines = export(workspace.compiled, namespaces_of(workspace, options)).lines
    found = in_events(read(json.loads(line), line, time.time_ns()) for line in lines)
    return _registered(remote_at(url, token_file), found, whole=whole)


@sync.command("postgres")
@click.argument("dsn", envvar="STREAMT_CATALOG_SYNC_DSN")
@whole_option
@remote_options
@reporting
def sync_postgres(*, dsn: str, whole: bool, url: str, token_file: Path | None) -> Result:
    """Register the tables and views of a PostgreSQL database; DSN may come from STREAMT_CATALOG_SYNC_DSN."""
    from streamt.catalog.sources import in_postgres

    remote = remote_at(url, token_file)
    return _registered(remote, _read(lambda: in_postgres(dsn), "dsn"), whole=whole)


@sync.command("files")
@click.argument("path", type=click.Path(path_type=Path))
@whole_option
@remote_options
@reporting
def sync_files(*, path: Path, whole: bool, url: str, token_file: Path | None) -> Result:
    """Register the files below a folder; a Delta table or a partitioned one is one directory."""
    from streamt.catalog.sources import in_folder

    remote = remote_at(url, token_file)
    return _registered(remote, _read(lambda: in_folder(path), "path"), whole=whole)


@sync.command("dbt")
@click.argument("manifest", type=click.Path(path_type=Path))
@click.option("--host", required=True, help="The warehouse's host, account or project, which a manifest does not tell.")
@click.option("--port", type=click.IntRange(1, 65535), help="Its port.")
@click.option("--type", "system", help="The type of warehouse; else the manifest's adapter.")
@whole_option
@remote_options
@reporting
def sync_dbt(
    *,
    manifest: Path,
    host: str,
    port: int | None,
    system: str | None,
    whole: bool,
    url: str,
    token_file: Path | None,
) -> Result:
    """Register the relations of a dbt project, from its target/manifest.json."""
    from streamt.catalog.sources import in_dbt_file

    remote = remote_at(url, token_file)
    return _registered(remote, _read(lambda: in_dbt_file(manifest, host, port, system), "manifest"), whole=whole)


@sync.command("events")
@remote_options
@reporting
def sync_events(*, url: str, token_file: Path | None) -> Result:
    """Register what the received events name: for a first look at a catalog that knows no sources yet."""
    from streamt.catalog.remote import understood

    answer = remote_at(url, token_file).ask("POST", "sync/events")
    with understood():
        known = counted(answer["containers"], "container")
        summary = f"{known}: {answer['added']} new; {answer['replaying']} jobs replayed"
    return Result(data=encode(answer), summary=summary)


def _read(work: "Callable[[], list[Found]]", option: str) -> "list[Found]":
    try:
        return work()
    except (OSError, ValueError) as error:
        text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise StreamtError(
            Diagnostic(code=Code.CATALOG_REFUSED, message=f"this cannot be read: {text}", location=Option(option))
        ) from None


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--from-start", is_flag=True, help="Send everything again; that changes nothing in the catalog.")
@remote_options
@reporting
def send(*, files: tuple[Path, ...], from_start: bool, url: str, token_file: Path | None) -> Result:
    """Send files of events, one JSON object a line; a second try goes on where the first ended."""
    from streamt.catalog.sending import Report, send_file

    remote = remote_at(url, token_file)
    refused: list[PlacedDiagnostic] = []
    total = Report()
    for path in files:
        try:
            report = send_file(remote, path, data_folder() / "sent", _progress, from_start=from_start)
        except OSError as error:
            place = FilePlace(str(path))
            message = f"this cannot be read: {error.strerror}"
            raise StreamtError(Diagnostic(code=Code.CATALOG_REFUSED, message=message, location=place)) from None
        total.sent += report.sent
        total.skipped += report.skipped
        refused += [
            PlacedDiagnostic(code=Code.CATALOG_REFUSED, message=reason, file=str(path), line=line)
            for line, reason in report.refused
        ]
    data = {"sent": total.sent, "skipped": total.skipped, "refused": len(refused)}
    earlier = f", {total.skipped} lines were sent before" if total.skipped else ""
    summary = f"{counted(total.sent, 'event')} taken, {len(refused)} refused{earlier}"
    return Result(data=encode(data), summary=summary, errors=refused[:_SHOWN], failed=bool(refused))


def _progress(done: int, size: int) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        click.echo(f"\r{100 * done // max(size, 1)} %", err=True, nl=done >= size)


@click.group(invoke_without_command=True)
@click.pass_context
def job(context: click.Context) -> None:
    """Look after jobs."""
    help_when_bare(context)


@job.command("end")
@click.argument("namespace")
@click.argument("name")
@remote_options
@reporting
def end_job(*, namespace: str, name: str, url: str, token_file: Path | None) -> Result:
    """Say that a job is gone: it asserts nothing more, within what you may edit."""
    lost = remote_at(url, token_file).end_job(namespace, name)
    return Result(data=encode({"withdrawn": lost}), summary=f"the job lost {counted(lost, 'record')}")


@click.command()
@remote_options
@reporting
def export(*, url: str, token_file: Path | None) -> Result:
    """Write the graph as OpenLineage events, one a line, for another catalog."""
    from streamt.net import Answered

    remote = remote_at(url, token_file)
    outcome = remote.http.send("GET", "api/v1/export")
    if not isinstance(outcome, Answered) or not outcome.is_success or outcome.cut is not None:
        remote.ask("GET", "status")  # says what is wrong, if it still is
        message = "the export was cut short"
        raise StreamtError(Diagnostic(code=Code.CATALOG_UNREACHABLE, message=message, hint="try it again"))
    lines = outcome.body.count(b"\n")
    return Result(text=[outcome.body], data=encode({"events": lines}))
