"""`streamt dbt`: dbt as it is, told as a run of the project and one of each node; `emit` tells of what already was."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.emitting import Lineage, Options, lineage_options, option_error, session_of, set_up
from streamt.cli.output import Session
from streamt.cli.run import outcome_of
from streamt.diagnostics import StreamtError
from streamt.emitter.child import Ended, die_like, run_child
from streamt.emitter.datasets import DatasetRef
from streamt.emitter.told import Told, ToldJob
from streamt.emitter.values import Engine, Run
from streamt.files import open_file

if TYPE_CHECKING:
    from streamt.emitter.providers.dbt import Invocation, Results
    from streamt.emitter.providers.dbt_manifest import Manifest
    from streamt.emitter.providers.dbt_profile import Profile

DRAIN_S = 60.0
UNKNOWN_VERSION = "0+unknown"


class _Dbt(click.Group):
    """Takes `emit` for its command, and everything else for dbt's own arguments."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the command that runs dbt before arguments that name none."""
        known = args[:1] and (args[0] in self.commands or args[0] in ("-h", "--help"))
        return super().parse_args(ctx, args if known or not args else ["invoke", *args])


@click.group(cls=_Dbt, invoke_without_command=True)
@click.pass_context
def dbt(context: click.Context) -> None:
    """Run dbt and tell an OpenLineage catalog of it: streamt dbt [OPTIONS] -- run --select ...

    See `streamt dbt invoke --help` for the options.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@dbt.command("invoke", context_settings={"allow_interspersed_args": False})
@click.option("--project-dir", type=click.Path(path_type=Path), help="The dbt project; else as dbt finds it.")
@click.option("--dbt", "program", default="dbt", metavar="PATH", help="The dbt to run.")
@click.option("--job", metavar="NAME", help="The job of the invocation; dbt.PROJECT.TARGET if not given.")
@click.option("--sql", is_flag=True, help="Tell the compiled SQL of each node, too; it may quote data.")
@lineage_options
@click.option("--drain", type=click.FloatRange(0, 600), default=DRAIN_S, help="Seconds to deliver what waits.")
@click.argument("arguments", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- DBT-ARGUMENTS...")
@click.pass_context
def invoke(
    context: click.Context,
    *,
    project_dir: Path | None,
    program: str,
    job: str | None,
    sql: bool,
    job_namespace: str | None,
    config: Path | None,
    parent: str | None,
    check: str | None,
    consumer_form: str | None,
    drain: float,
    arguments: tuple[str, ...],
) -> None:
    """Run dbt, untouched, and tell of the invocation and of every node that ran."""
    session = session_of(context)
    project = _Project.of(arguments, project_dir)
    engine = Engine("dbt", project.dbt_version())
    named = job or project.job()
    lineage = set_up(named, Options(job_namespace, config, parent, check, consumer_form), engine)
    command = [program, *arguments]
    if project_dir is not None and not _option(arguments, "--project-dir"):
        command += ["--project-dir", str(project_dir)]
    started_at = datetime.now(UTC)
    begun = Run(job=lineage.own.job, run_id=lineage.own.run_id, namespace=lineage.own.namespace, parent=lineage.parent)
    emitter = lineage.emitter
    ended = run_child(command, lineage.environment(), lambda: emitter.run_started(begun) if emitter else None)
    if ended.reason:
        click.echo(f"streamt: {ended.reason}", err=True)
    if emitter is not None:
        if ended.reason:
            emitter.run_started(begun)
        _tell_nodes(project, begun, lineage, started_at, session, with_sql=sql)
        emitter.run_finished(begun, outcome_of(ended), _message(ended))
    lineage.finish(drain, session)
    die_like(ended)
    context.exit(ended.status)


@dbt.command("emit")
@click.option(
    "--manifest", "manifest_file", type=click.Path(path_type=Path), required=True, help="dbt's manifest.json."
)
@click.option(
    "--run-results",
    "results_file",
    type=click.Path(path_type=Path),
    help="dbt's run_results.json; without it the nodes are told as declared jobs, without a run.",
)
@click.option("--project-dir", type=click.Path(path_type=Path), help="The dbt project, to find the profile.")
@click.option("--profiles-dir", type=click.Path(path_type=Path), help="The folder of profiles.yml.")
@click.option("--target", metavar="NAME", help="The target that was used.")
@click.option("--connection", metavar="SYSTEM:key=value,...", help="Where the tables are, instead of a profile.")
@click.option("--job", metavar="NAME", help="The job of the invocation; dbt.PROJECT.TARGET if not given.")
@click.option("--sql", is_flag=True, help="Tell the compiled SQL of each node, too; it may quote data.")
@lineage_options
@click.option("--drain", type=click.FloatRange(0, 3600), default=600.0, help="Seconds to deliver the events.")
@click.pass_context
def emit(
    context: click.Context,
    *,
    manifest_file: Path,
    results_file: Path | None,
    project_dir: Path | None,
    profiles_dir: Path | None,
    target: str | None,
    connection: str | None,
    job: str | None,
    sql: bool,
    job_namespace: str | None,
    config: Path | None,
    parent: str | None,
    check: str | None,
    consumer_form: str | None,
    drain: float,
) -> None:
    """Tell of a dbt run that already was, from the files that dbt wrote."""
    from streamt.emitter.providers.dbt import read_deferred, read_results
    from streamt.emitter.providers.dbt_manifest import read_manifest

    session = session_of(context)
    manifest = read_manifest(manifest_file)
    results = read_results(results_file) if results_file else None
    folder = project_dir or Path(str(results.arguments.get("project_dir") or ".") if results else ".")
    project = _Project(folder, profiles_dir, None, target or _argument(results, "target"), None)
    given = _connection(connection)
    named = job or project.job(manifest)
    engine = Engine("dbt", manifest.dbt_version)
    lineage = set_up(named, Options(job_namespace, config, parent, check, consumer_form), engine)
    if lineage.notes.problems:
        raise StreamtError(*lineage.notes.problems)
    if lineage.emitter is not None:
        run = _past_run(lineage, results)
        invocation = _invocation(project, run, lineage, manifest, with_sql=sql, given=given)
        if results is not None:
            invocation = replace(invocation, deferred=read_deferred(results, folder))
        _tell_past(invocation, results, lineage, session)
    delivered = lineage.finish(drain, session)
    context.exit(0 if delivered else 1)


@dataclass(frozen=True, slots=True)
class _Project:
    """A dbt project, and which of its profiles and targets is meant."""

    folder: Path
    profiles_dir: Path | None
    profile_name: str | None
    target: str | None
    target_path: str | None

    @classmethod
    def of(cls, arguments: Sequence[str], project_dir: Path | None) -> "_Project":
        """Read dbt's own arguments, as dbt reads them."""
        stated = _option(arguments, "--project-dir") or os.environ.get("DBT_PROJECT_DIR")
        folder = Path(stated) if stated else project_dir or Path()
        profiles = _option(arguments, "--profiles-dir")
        return cls(
            folder,
            Path(profiles) if profiles else None,
            _option(arguments, "--profile"),
            _option(arguments, "--target") or _option(arguments, "-t"),
            _option(arguments, "--target-path"),
        )

    def profile(self, note: Callable[[str], None]) -> "Profile | None":
        """Return the profile, or say why there is none."""
        from streamt.emitter.providers.dbt_profile import ProfileError, read_profile

        try:
            return read_profile(
                self.folder,
                os.environ,
                profiles_dir=self.profiles_dir,
                profile=self.profile_name,
                target=self.target,
            )
        except ProfileError as error:
            note(f"dbt's profile is not known: {error}")
            return None

    def job(self, manifest: "Manifest | None" = None) -> str:
        """Name the job of the project's invocations; the same whatever is selected (E4)."""
        from streamt.emitter.providers.dbt_profile import ProfileError, project_name
        from streamt.openlineage.naming import dbt_job

        profile = self.profile(lambda _: None)
        try:
            project = manifest.project if manifest and manifest.project else project_name(self.folder)
        except ProfileError:
            project = "unknown"
        return dbt_job(project, self.target or (profile.target if profile else "default"))

    def dbt_version(self) -> str:
        """Return the version that wrote the last manifest, which is known before dbt runs; else that it is unknown."""
        try:
            with open_file(self.artifact("manifest.json")) as file:
                head = file.read(4096)
        except OSError:
            return UNKNOWN_VERSION
        found = re.search(rb'"dbt_version":\s*"([0-9A-Za-z.+-]{1,40})"', head)
        return found[1].decode() if found else UNKNOWN_VERSION

    def artifact(self, name: str) -> Path:
        """Return where dbt writes an artifact."""
        from streamt.emitter.providers.dbt_profile import target_path

        return target_path(self.folder, os.environ, self.target_path) / name


def _tell_nodes(
    project: _Project, begun: Run, lineage: Lineage, started_at: datetime, session: Session, *, with_sql: bool
) -> None:
    """Tell of the nodes, where dbt wrote down what became of them in this very run (E7)."""
    from streamt.emitter.providers.dbt import is_of_this_run, read_deferred, read_results
    from streamt.emitter.providers.dbt_manifest import read_manifest

    emitter = lineage.emitter
    file = project.artifact("run_results.json")
    if emitter is None or not file.exists():
        return
    try:
        results = read_results(file)
        if not is_of_this_run(results, started_at):
            return
        manifest = read_manifest(project.artifact("manifest.json"))
        invocation = replace(
            _invocation(project, begun, lineage, manifest, with_sql=with_sql),
            deferred=read_deferred(results, project.folder),
        )
    except StreamtError as error:
        lineage.notes.problems.extend(error.diagnostics)
        return
    _tell_all([*invocation.told(results, lineage.notes.add)], lineage, session)


def _tell_all(told: "Sequence[Told | ToldJob]", lineage: Lineage, session: Session) -> None:
    lineage.examine(told, session)
    for each in told:
        if lineage.emitter is not None:
            lineage.emitter.tell(each)


def _invocation(
    project: _Project,
    run: Run,
    lineage: Lineage,
    manifest: "Manifest",
    *,
    with_sql: bool,
    given: DatasetRef | None = None,
) -> "Invocation":
    from streamt.emitter.providers.dbt import Invocation, where_of

    emitter = lineage.emitter
    assert emitter is not None  # nothing is made ready where nothing is told
    if not emitter.config.emit_dbt_datasets:
        return Invocation(run, manifest, None, with_sql)
    profile = None if given else project.profile(lineage.notes.add)
    where = where_of(manifest, profile, given, lineage.notes.add, databricks=emitter.config.databricks)
    return Invocation(run, manifest, where, with_sql)


def _past_run(lineage: Lineage, results: "Results | None") -> Run:
    """Return the run of an invocation that was, with the same id whenever it is told."""
    own = lineage.own
    if results is None or results.began_at is None:
        return Run(job=own.job, run_id=own.run_id, namespace=own.namespace, parent=lineage.parent)
    return Run(
        job=own.job,
        run_id=results.invocation_id,
        namespace=own.namespace,
        created_at=results.began_at,
        started_at=results.began_at,
        ended_at=results.generated_at,
        parent=lineage.parent,
    )


def _tell_past(invocation: "Invocation", results: "Results | None", lineage: Lineage, session: Session) -> None:
    from streamt.emitter.providers.dbt import OUTCOMES, design_time
    from streamt.openlineage.naming import child_job

    note, run, now = lineage.notes.add, invocation.run, datetime.now(UTC)
    if results is None:
        declared = [
            ToldJob(child_job(run.job, unique_id), now, run.namespace, inputs, outputs)
            for unique_id, inputs, outputs in design_time(invocation, note)
        ]
        _tell_all(declared, lineage, session)
        return
    failed = [each for each in results.nodes if OUTCOMES.get(str(each.get("status")).lower()) == "FAIL"]
    message = f"{len(failed)} of {len(results.nodes)} nodes failed" if failed else ""
    first = Told(run, "START", run.started_at or now)
    last = Told(run, "FAIL" if failed else "COMPLETE", run.ended_at or now, message)
    _tell_all([first, *invocation.told(results, note), last], lineage, session)


def _connection(text: str | None) -> DatasetRef | None:
    """Read `SYSTEM:key=value,...` that names a system and no dataset."""
    if text is None:
        return None
    from streamt.emitter.providers.declared import DeclarationError, read_parts

    try:
        return read_parts(text)
    except DeclarationError as error:
        raise option_error("connection", str(error)) from None


def _message(ended: Ended) -> str:
    return f"dbt: {ended.message}" if ended.message else ""


def _argument(results: "Results | None", name: str) -> str | None:
    value = results.arguments.get(name) if results else None
    return value if isinstance(value, str) else None


def _option(arguments: Sequence[str], name: str) -> str | None:
    """Return the value of one of dbt's own options, in either spelling."""
    for index, argument in enumerate(arguments):
        if argument == name and index + 1 < len(arguments):
            return arguments[index + 1]
        if name.startswith("--") and argument.startswith(f"{name}="):
            return argument.partition("=")[2]
    return None
