"""`streamt validate`: everything that can be known to be wrong without touching a cluster."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from streamt.cli.options import project_options, reporting
from streamt.cli.output import Result, counted, encode
from streamt.diagnostics import PlacedDiagnostic, StreamtError

_LISTS = ("sources", "models", "tests", "exposures")

Counts = dict[str, int]


@click.command()
@click.option("--strict", is_flag=True, help="Warnings fail, too.")
@click.option("--all-envs", is_flag=True, help="Check every environment of the project.")
@project_options
@reporting
def validate(*, strict: bool, all_envs: bool, project_dir: Path, environment: str | None) -> Result:
    """Check the project: its language, its SQL, its references and its rules."""
    if all_envs and environment is not None:
        raise click.UsageError("--all-envs and --env NAME exclude each other")
    checked: list[tuple[str, Counts]] = []
    found: dict[str | None, tuple[PlacedDiagnostic, ...]] = {}
    for name in _environments(project_dir) if all_envs else (environment,):
        try:
            environment_name, counts, warnings = _check(project_dir, name)
        except StreamtError as error:
            found[name] = error.placed()
        else:
            checked.append((environment_name, counts))
            found[name] = warnings
    problems = _merged(found)
    if any(problem.is_error or strict for problem in problems):
        return Result.failure(problems)
    return Result(
        data=encode({"environments": [{"environment": name, **counts} for name, counts in checked]}),
        summary=_summary(checked),
        warnings=problems,
    )


def _merged(found: Mapping[str | None, Sequence[PlacedDiagnostic]]) -> tuple[PlacedDiagnostic, ...]:
    """Say once what every environment shares, and of the rest, in which environments it is so."""
    names: dict[PlacedDiagnostic, list[str]] = {}
    for name, diagnostics in found.items():
        for diagnostic in dict.fromkeys(diagnostics):
            names.setdefault(diagnostic, []).append(str(name))
    return tuple(
        diagnostic
        if len(where) == len(found)
        else replace(diagnostic, message=f"{diagnostic.message} (environment: {', '.join(where)})")
        for diagnostic, where in names.items()
    )


def _environments(directory: Path) -> Iterable[str]:
    import os

    from streamt.project import list_environments

    return [summary.name for summary in list_environments(directory, os.environ)]


def _check(directory: Path, environment: str | None) -> tuple[str, Counts, tuple[PlacedDiagnostic, ...]]:
    """Check one environment; give its name, what it declares, and the warnings."""
    from streamt.cli.projects import open_project
    from streamt.compiler import check_rules

    opened = open_project(directory, environment)
    broken = check_rules(opened.project.document, opened.compilation)
    if broken:
        raise StreamtError(*opened.warnings, *broken, positions=opened.project.source_map)
    document = opened.project.document
    counts = {name: len(getattr(document, name)) for name in _LISTS}
    return opened.project.environment, counts, opened.placed(*opened.warnings)


def _summary(checked: Iterable[tuple[str, Counts]]) -> str:
    return "\n".join(
        f"{environment}: all well ({', '.join(counted(counts[name], name.removesuffix('s')) for name in _LISTS)})"
        for environment, counts in checked
    )
