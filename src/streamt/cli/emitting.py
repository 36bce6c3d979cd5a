"""What `run` and `dbt` share: where the events go, the parent, and what is said at the end."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from streamt import __version__
from streamt.cli.consumers import consumer_options, form_of, warnings_for
from streamt.cli.output import Mode, Session
from streamt.diagnostics import Code, Diagnostic, PlacedDiagnostic, StreamtError, resolve
from streamt.emitter.context import environment_for, read_parent, run_of_text
from streamt.emitter.run_ids import new_uuid7
from streamt.emitter.values import Engine, Parent, RunRef

if TYPE_CHECKING:
    from streamt.emitter.queued import QueuedEmitter
    from streamt.emitter.told import Told, ToldJob
    from streamt.openlineage.emission import EventForm

P = ParamSpec("P")
R = TypeVar("R")

MOST_QUEUED = 1_000_000
ENGINE = Engine("streamt", __version__)


@dataclass
class Notes:
    """What there is to say once the child has ended: each thing once."""

    texts: list[str] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Remember a text."""
        if text not in self.texts:
            self.texts.append(text)


@dataclass(frozen=True, slots=True)
class Lineage:
    """Everything about lineage that is known before the child starts.

    Attributes:
        emitter: takes what is told; None where lineage is off, or cannot be set up.
        own: this run.
        parent: the run that started it.
        notes: what to say at the end.
        is_off: whether somebody switched it off, so that nothing is to be said.
        check: the consumer whose taste is asked for.
        form: writes an event in the form that a consumer takes.
    """

    emitter: "QueuedEmitter | None"
    own: RunRef
    parent: Parent | None
    notes: Notes
    is_off: bool = False
    check: str | None = None
    form: "EventForm | None" = None

    def examine(self, told: "Sequence[Told | ToldJob]", session: Session) -> None:
        """Say what a consumer will refuse, ignore or lose of what is about to be sent."""
        if self.check is None or self.emitter is None:
            return
        from streamt.emitter.queued import line_of

        emitter = self.emitter
        lines = [line_of(each, emitter.config, emitter.engine, self.form) for each in told]
        _show(resolve(warnings_for(self.check, lines)), session)

    def environment(self) -> dict[str, str]:
        """Return the child's environment: with this run as its parent, or untouched where lineage is off."""
        if self.emitter is None:
            return dict(os.environ)
        return environment_for(os.environ, self.own, self.parent.root if self.parent else self.own)

    def finish(self, drain: float, session: Session) -> bool:
        """Deliver what waits, and say what went wrong; report whether everything was delivered."""
        delivered = True
        if self.emitter is not None:
            self.emitter.close(drain)
            counters = self.emitter.counters
            lost = counters.failed + counters.dropped
            delivered = not lost
            if lost:
                reason = f": {counters.last_error}" if counters.last_error else ""
                self.notes.add(f"{lost} of {counters.told} lineage events were not delivered{reason}")
        elif not self.is_off and not self.notes.problems:
            self.notes.add(
                "lineage is not set up, so nothing was told; set STREAMT_LINEAGE_URL or STREAMT_LINEAGE_PATH"
            )
        _say(self.notes, session)
        return delivered


def lineage_options(function: Callable[P, R]) -> Callable[P, R]:
    """Add the options that say where events go and what they are part of."""
    options = (
        click.option("--job-namespace", metavar="NS", help="The jobs' namespace; else that of the configuration."),
        click.option(
            "--config",
            type=click.Path(path_type=Path),
            help="A YAML file with a key `lineage`; else STREAMT_LINEAGE_CONFIG, else variables alone.",
        ),
        click.option("--parent", metavar="NAMESPACE/JOB/RUN-ID", help="The parent run; else OPENLINEAGE_CONTEXT."),
    )
    function = consumer_options(function)
    for option in reversed(options):
        function = option(function)
    return function


def session_of(context: click.Context) -> Session:
    """Return how this run talks to its user; stdout is the child's, so there is no JSON mode.

    Raises:
        click.UsageError: in JSON mode.
    """
    session = context.find_object(Session)
    assert session is not None  # the group made it
    if session.mode is Mode.JSON:
        raise click.UsageError("stdout belongs to the command that runs, so `--output json` is not possible", context)
    return session


@dataclass(frozen=True, slots=True)
class Options:
    """The options that `run` and `dbt` share, as they were given."""

    job_namespace: str | None
    config: Path | None
    parent: str | None
    check: str | None
    consumer_form: str | None


def set_up(job: str, options: Options, engine: Engine = ENGINE) -> Lineage:
    """Prepare to tell of this run; what is wrong with the configuration is said at the end, and stops nothing.

    Args:
        job: the run's job.
        options: what the command line gave.
        engine: the program that runs things.

    Raises:
        click.BadParameter: an option is malformed.
    """
    from streamt.emitter.config import CONFIG_VARIABLE, LineageConfig, read_config

    notes = Notes()
    given = _parent(options.parent, notes)
    named = os.environ.get(CONFIG_VARIABLE)
    file = options.config or (Path(named) if named else None)
    settings = LineageConfig()
    try:
        settings = read_config(os.environ, file=file, enabled_by_destination=True)
    except StreamtError as error:
        notes.problems.extend(error.diagnostics)
    namespace = options.job_namespace or settings.namespace
    own = RunRef(namespace, job, new_uuid7(datetime.now(UTC)))
    emitter, form = None, None
    if settings.enabled:
        from streamt.emitter.queued import open_queued

        form = form_of(options.consumer_form) if options.consumer_form else None
        emitter = open_queued(replace(settings, queue=MOST_QUEUED, namespace=namespace), engine, form)
    is_off = not settings.enabled and _is_off(os.environ, file)
    return Lineage(emitter, own, given, notes, is_off, options.check, form)


def option_error(option: str, message: str) -> click.BadParameter:
    """Return the error of a malformed option; the message repeats nothing of its value."""
    return click.BadParameter(message, click.get_current_context(), param_hint=f"--{option.replace('_', '-')}")


def _is_off(environ: Mapping[str, str], file: Path | None) -> bool:
    """Report whether somebody said so, and did not just forget to set it up."""
    said = {environ.get("STREAMT_LINEAGE_ENABLED", "").lower(), environ.get("OPENLINEAGE_DISABLED", "").strip().lower()}
    return file is not None or not said.isdisjoint({"false", "true"})


def _parent(text: str | None, notes: Notes) -> Parent | None:
    if text is None:
        return read_parent(os.environ, notes.add)
    run = run_of_text(text)
    if run is None:
        raise option_error("parent", "not NAMESPACE/JOB/RUN-ID, three parts of which the last one is a UUID")
    return Parent(run, run)


def _say(notes: Notes, session: Session) -> None:
    told = [PlacedDiagnostic(code=Code.EMIT_FAILED, message=text) for text in notes.texts]
    _show([*_as_warnings(notes.problems), *told], session)


def _show(problems: Iterable[PlacedDiagnostic], session: Session) -> None:
    for problem in () if session.quiet else problems:
        styled = click.style("warning", fg="yellow", bold=True)
        click.echo(f"{styled} {problem}", file=sys.stderr, color=None if session.color else False)


def _as_warnings(problems: Sequence[Diagnostic]) -> tuple[PlacedDiagnostic, ...]:
    """Return errors of the configuration as warnings: the child ran all the same."""
    return resolve(replace(problem, code=Code.EMIT_FAILED) for problem in problems)
