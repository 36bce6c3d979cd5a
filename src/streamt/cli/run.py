"""`streamt run`: one command, told as a run of a job."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from streamt.cli.emitting import Lineage, Options, lineage_options, option_error, session_of, set_up
from streamt.cli.output import Session
from streamt.emitter.child import Ended, die_like, run_child
from streamt.emitter.datasets import DatasetRef
from streamt.emitter.told import EventType, Told
from streamt.emitter.values import Outcome, Run


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("--job", required=True, metavar="NAME", help="The job's name; the same each time that it runs.")
@click.option("--input", "inputs", multiple=True, metavar="SYSTEM:key=value,...", help="A dataset that it reads.")
@click.option("--output", "outputs", multiple=True, metavar="SYSTEM:key=value,...", help="A dataset that it writes.")
@click.option(
    "--input-raw", type=(str, str), multiple=True, metavar="NAMESPACE NAME", help="The same, by its identity."
)
@click.option(
    "--output-raw", type=(str, str), multiple=True, metavar="NAMESPACE NAME", help="The same, by its identity."
)
@click.option("--nominal-start", metavar="TIME", help="The first instant of the interval that the run stands for.")
@click.option("--nominal-end", metavar="TIME", help="The first instant after it.")
@lineage_options
@click.option("--drain", type=click.FloatRange(0, 600), default=5.0, help="Seconds to deliver what waits at the end.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.pass_context
def run(
    context: click.Context,
    *,
    job: str,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    input_raw: tuple[tuple[str, str], ...],
    output_raw: tuple[tuple[str, str], ...],
    nominal_start: str | None,
    nominal_end: str | None,
    job_namespace: str | None,
    config: Path | None,
    parent: str | None,
    check: str | None,
    consumer_form: str | None,
    drain: float,
    command: tuple[str, ...],
) -> None:
    """Run a command and tell an OpenLineage catalog of it: when, how it ended, what it reads and writes.

    The command's streams, signals and exit status are what they would be without streamt.
    """
    session = session_of(context)
    lineage = set_up(job, Options(job_namespace, config, parent, check, consumer_form))
    begun = Run(
        job=job,
        run_id=lineage.own.run_id,
        namespace=lineage.own.namespace,
        logical_start=_instant("nominal_start", nominal_start),
        logical_end=_instant("nominal_end", nominal_end),
        parent=lineage.parent,
        kind="TASK",
        inputs=_datasets("input", inputs, input_raw),
        outputs=_datasets("output", outputs, output_raw),
    )
    if begun.logical_end and not begun.logical_start:
        raise option_error("nominal_end", "an end without a start; give --nominal-start, too")
    ended = _observed(command, begun, lineage, session)
    lineage.finish(drain, session)
    die_like(ended)
    context.exit(ended.status)


def outcome_of(ended: Ended) -> Outcome:
    """Return how a command's end is told: ABORT where streamt itself was stopped, else by the child (E8)."""
    if ended.stopped:
        return Outcome.ABORT
    return Outcome.FAIL if ended.message else Outcome.COMPLETE


def _observed(command: Sequence[str], begun: Run, lineage: Lineage, session: Session) -> Ended:
    emitter = lineage.emitter

    def started() -> None:
        if emitter is not None:
            lineage.examine(_samples(begun), session)
            emitter.run_started(begun)

    ended = run_child(command, lineage.environment(), started)
    if emitter is not None:
        if ended.reason:
            emitter.run_started(begun)
        emitter.run_finished(begun, outcome_of(ended), ended.message)
    if ended.reason:
        click.echo(f"streamt: {ended.reason}", err=True)
    return ended


def _samples(begun: Run) -> list[Told]:
    """Return every event that the run can have."""
    now = datetime.now(UTC)
    types: tuple[EventType, ...] = ("START", "COMPLETE", "FAIL", "ABORT")
    return [Told(begun, event_type, now) for event_type in types]


def _datasets(option: str, texts: Sequence[str], raw: Sequence[tuple[str, str]]) -> tuple[DatasetRef, ...]:
    if not texts and not raw:
        return ()
    from streamt.emitter.providers.declared import DeclarationError, read_declared

    identities: list[dict[str, object]] = [{"namespace": namespace, "name": name} for namespace, name in raw]
    declared: list[str | Mapping[str, object]] = [*texts, *identities]
    try:
        return tuple(map(read_declared, declared))
    except DeclarationError as error:
        raise option_error(option, f"{error}; {error.hint}" if error.hint else str(error)) from None


def _instant(option: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        instant = None
    if instant is None or instant.utcoffset() is None:
        raise option_error(option, "not a time with an offset, such as `2026-03-29T02:00:00Z`")
    return instant.astimezone(UTC)
