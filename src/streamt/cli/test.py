"""`streamt test`: run the project's tests against records, declarations and jobs."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.consumers import consumer_options, form_of, parent_option, warnings_for
from streamt.cli.global_options import session_of
from streamt.cli.options import complete_names, open_project, project_options, reporting, select_option
from streamt.cli.output import Mode, Result, StoppedError
from streamt.cli.progress import Bar
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError
from streamt.testing.listener import Listener

if TYPE_CHECKING:
    from streamt.openlineage.emission import RunEmitter
    from streamt.testing.selection import Selected
    from streamt.workspace import Workspace


@click.command()
@select_option
@click.option("--model", metavar="NAME", shell_complete=complete_names, help="Only the tests of this model or source.")
@click.option("--name", metavar="NAME", help="Only the test of this name.")
@click.option(
    "--type", "kind", type=click.Choice(["schema", "sample", "continuous"]), help="Only the tests of this type."
)
@click.option("--coverage", is_flag=True, help="Run nothing; show which sources and models have which tests.")
@click.option("--deploy", is_flag=True, help="Deploy the jobs of continuous tests: not implemented.")
@click.option("--emit-openlineage", is_flag=True, help="Tell an OpenLineage backend of this run.")
@click.option(
    "--openlineage-job-namespace",
    metavar="NAMESPACE",
    help="The namespace of the run's job; else OPENLINEAGE_NAMESPACE.",
)
@click.option(
    "--openlineage-kafka-namespace",
    metavar="KAFKA-URI",
    help="kafka://HOST:PORT; else STREAMT_OPENLINEAGE_KAFKA_NAMESPACE, else the one bootstrap address.",
)
@click.option(
    "--openlineage-gateway-namespace",
    metavar="KAFKA-URI",
    help="kafka://HOST:PORT; else STREAMT_OPENLINEAGE_GATEWAY_NAMESPACE, else the one proxy address.",
)
@parent_option
@consumer_options
@project_options
@reporting
def test(
    *,
    selectors: tuple[str, ...],
    model: str | None,
    name: str | None,
    kind: str | None,
    coverage: bool,
    deploy: bool,
    emit_openlineage: bool,
    openlineage_job_namespace: str | None,
    openlineage_kafka_namespace: str | None,
    openlineage_gateway_namespace: str | None,
    openlineage_parent: bool,
    check: str | None,
    consumer_form: str | None,
    project_dir: Path,
    environment: str | None,
) -> Result:
    """Run the project's tests: on declarations, on records of now, and on running jobs."""
    if deploy:
        raise _not_implemented()
    from streamt.testing.selection import select_tests

    workspace = open_project(project_dir, environment)
    document = workspace.project.document
    targets = workspace.select(selectors)
    with workspace.located():
        selected = select_tests(document, targets=targets, model=model, name=name, kind=kind)
    if coverage:
        from streamt.cli.test_report import report_coverage

        return report_coverage(workspace, targets if model is None else targets & {model})
    if not (emit_openlineage and selected):
        return _run(workspace, selected, None)
    from streamt.openlineage.identity import NamespaceOptions
    from streamt.workspace.observe import observe_tests

    namespaces = (openlineage_job_namespace, openlineage_kafka_namespace, openlineage_gateway_namespace)
    form = form_of(consumer_form, with_parent=openlineage_parent)
    emitter = observe_tests(workspace, selected, NamespaceOptions(*namespaces, prefix="openlineage_"), form)
    return _run(workspace, selected, emitter, warnings_for(check, emitter.rehearsed))


def _run(
    workspace: "Workspace",
    selected: "Sequence[Selected]",
    emitter: "RunEmitter | None",
    checked: "Sequence[Diagnostic]" = (),
) -> Result:
    from streamt.cli.test_report import report
    from streamt.files import garbage_collector
    from streamt.testing.runner import run_observed, run_tests

    bar = _listener()
    try:
        with garbage_collector(on=True):  # a run over many records is long enough to need it
            results = run_observed(lambda: run_tests(workspace.project, workspace.compiled, selected, bar), emitter)
    except (KeyboardInterrupt, SystemExit) as stop:
        undelivered = (*checked, *emitter.warnings) if emitter else ()
        raise StoppedError.by(stop, workspace.placed(*workspace.warnings, *undelivered)) from None
    finally:
        bar.close()
        if emitter is not None:
            emitter.close()
    return report(workspace, results, (*checked, *(emitter.warnings if emitter else ())))


def _listener() -> Listener:
    """Show progress to a person at a terminal, and to nobody else."""
    session = session_of(click.get_current_context())
    terminal = sys.stderr is not None and sys.stderr.isatty()
    return Bar() if terminal and session.mode is Mode.TEXT and not session.quiet else Listener()


def _not_implemented() -> StreamtError:
    message = "--deploy is not implemented: streamt does not submit the jobs of continuous tests"
    hint = "submit the job yourself, then run `streamt test --type continuous` to see whether it is RUNNING"
    return StreamtError(Diagnostic(code=Code.USAGE_ERROR, message=message, location=Option("deploy"), hint=hint))
