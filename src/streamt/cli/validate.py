"""`streamt validate`: everything that can be known to be wrong without touching a cluster."""

from collections.abc import Iterable
from pathlib import Path

import click

from streamt.cli.options import project_options, reporting
from streamt.cli.output import Result, encode
from streamt.errors import Diagnostic, StreamtError

Counts = dict[str, str | int]


@click.command()
@click.option("--strict", is_flag=True, help="Warnings fail, too.")
@click.option("--all-envs", is_flag=True, help="Check every environment of the project.")
@project_options
@reporting
def validate(*, strict: bool, all_envs: bool, project_dir: Path, environment: str | None) -> Result:
    """Check the project: its language, its SQL, its references and its rules."""
    if all_envs and environment is not None:
        raise click.UsageError("--all-envs and --env NAME exclude each other")
    checked: list[Counts] = []
    found: list[Diagnostic] = []
    for name in _environments(project_dir) if all_envs else (environment,):
        try:
            counts, warnings = _check(project_dir, name)
        except StreamtError as error:
            found.extend(error.diagnostics)
        else:
            checked.append(counts)
            found.extend(warnings)
    problems = tuple(dict.fromkeys(found))  # what every environment shares is said once
    if any(problem.is_error or strict for problem in problems):
        raise StreamtError(*problems)
    return Result(data=encode({"environments": checked}), summary=_summary(checked), warnings=problems)


def _environments(directory: Path) -> Iterable[str]:
    import os

    from streamt.project import list_environments

    return [summary.name for summary in list_environments(directory, os.environ)]


def _check(directory: Path, environment: str | None) -> tuple[Counts, tuple[Diagnostic, ...]]:
    """Check one environment; give what it declares, and the warnings."""
    from streamt.cli.projects import open_project
    from streamt.project.rules import check_rules

    opened = open_project(directory, environment)
    broken = check_rules(opened.project, opened.facts)
    if broken:
        raise StreamtError(*opened.warnings, *broken)
    document = opened.project.document
    lists = {name: len(getattr(document, name)) for name in ("sources", "models", "tests", "exposures")}
    return {"environment": opened.project.environment, **lists}, opened.warnings


def _summary(checked: Iterable[Counts]) -> str:
    return "\n".join(
        f"{counts['environment']}: all well ({counts['sources']} sources, {counts['models']} models,"
        f" {counts['tests']} tests, {counts['exposures']} exposures)"
        for counts in checked
    )
