"""The functions of `import streamt`: load, compile, export and run the tests of a project."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from streamt.workspace.workspace import compile_workspace

if TYPE_CHECKING:
    from streamt.compiler import CompiledProject
    from streamt.openlineage.static import Export
    from streamt.project import Project
    from streamt.testing.results import TestResult


def load(
    directory: Path | str, environment: str | None = None, *, environ: Mapping[str, str] | None = None
) -> "Project":
    """Load the project in `directory`: read, with its variables replaced, and checked as far as that goes without SQL.

    Args:
        directory: the project's folder.
        environment: the environment's name; by default `STREAMT_ENV`, or the only one there is.
        environ: the variables; by default those of the process.

    Raises:
        StreamtError: everything that is wrong; `str()` shows it with file, line and column.
    """
    from streamt.project import load_project

    return load_project(Path(directory), environment, _variables(environ))


def compile(  # noqa: A001 - it is what the function does, and `streamt.compile` is how it is called
    project: "Project", *, environ: Mapping[str, str] | None = None
) -> "CompiledProject":
    """Compile a project: its dependencies, materializations and physical names.

    Args:
        project: from `load`.
        environ: the variables, for `SOURCE_DATE_EPOCH`; by default those of the process.

    Raises:
        StreamtError: everything that is wrong.
    """
    return compile_workspace(project, _variables(environ)).compiled


def export(  # noqa: PLR0913 - one for each option of the command
    project: "Project",
    *,
    job_namespace: str | None = None,
    kafka_namespace: str | None = None,
    gateway_namespace: str | None = None,
    select: Iterable[str] = (),
    environ: Mapping[str, str] | None = None,
) -> "Export":
    """Export the declared datasets and jobs of a project as OpenLineage events.

    Args:
        project: from `load`.
        job_namespace: the namespace of the jobs; else the variable `OPENLINEAGE_NAMESPACE`.
        kafka_namespace: that of the Kafka cluster's datasets; else a variable, else its one address.
        gateway_namespace: that of the Gateway's datasets; else a variable, else its one address.
        select: selectors as of `--select`; without any, everything is exported.
        environ: the variables; by default those of the process.

    Raises:
        StreamtError: everything that is wrong.
    """
    from streamt.openlineage.identity import NamespaceOptions
    from streamt.openlineage.static import export as export_compiled
    from streamt.workspace.namespaces import namespaces_of

    workspace = compile_workspace(project, _variables(environ))
    options = NamespaceOptions(job_namespace, kafka_namespace, gateway_namespace)
    selectors = tuple(select)
    selected = workspace.select(selectors) if selectors else None
    with workspace.located():
        namespaces = namespaces_of(workspace, options, selected)
        return export_compiled(workspace.compiled, namespaces, selected)


def run_tests(
    project: "Project",
    *,
    model: str | None = None,
    name: str | None = None,
    type: Literal["schema", "sample", "continuous"] | None = None,  # noqa: A002 - the key of the language
    environ: Mapping[str, str] | None = None,
) -> "tuple[TestResult, ...]":
    """Run tests of a project; each restriction that is given must hold.

    Args:
        project: from `load`.
        model: only the tests of this model or source.
        name: only the test of this name.
        type: only the tests of this type.
        environ: the variables; by default those of the process.

    Returns:
        What became of each test, in declaration order. A test that could not run is a result, too.

    Raises:
        StreamtError: the project does not compile, or a name is unknown.
    """
    from streamt.testing.runner import run_tests as run
    from streamt.testing.selection import select_tests

    workspace = compile_workspace(project, _variables(environ))
    with workspace.located():
        selected = select_tests(project.document, model=model, name=name, kind=type)
    return run(project, workspace.compiled, selected)


def _variables(environ: Mapping[str, str] | None) -> Mapping[str, str]:
    return os.environ if environ is None else environ
