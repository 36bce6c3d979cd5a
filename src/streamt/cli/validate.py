"""`streamt validate`: everything that can be known to be wrong without touching a cluster."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from streamt.cli.options import open_project, project_options, reporting
from streamt.cli.output import Result, counted, encode
from streamt.diagnostics import PlacedDiagnostic, StreamtError

_LISTS = ("sources", "models", "tests", "exposures")


@dataclass(frozen=True, slots=True)
class _Checked:
    """One environment, checked.

    Attributes:
        name: the environment's; what was asked for, if it could not be loaded.
        counts: how much of each list it declares; None, if there are errors.
        found: the warnings and the errors.
    """

    name: str | None
    counts: Mapping[str, int] | None
    found: tuple[PlacedDiagnostic, ...]


@click.command()
@click.option("--strict", is_flag=True, help="Warnings fail, too.")
@click.option("--all-envs", is_flag=True, help="Check every environment of the project.")
@project_options
@reporting
def validate(*, strict: bool, all_envs: bool, project_dir: Path, environment: str | None) -> Result:
    """Check the project: its language, its SQL, its references and its rules."""
    if all_envs and environment is not None:
        raise click.UsageError("--all-envs and --env NAME exclude each other")
    names = _environments(project_dir) if all_envs else (environment,)
    checked = [_check(project_dir, name) for name in names]
    found = _merged(checked)
    right = [each for each in checked if each.counts is not None]
    summary = "\n".join(map(_summary, right))
    if (strict and found) or any(each.is_error for each in found):
        return Result.failure(found, summary if all_envs else "")
    return Result(
        data=encode({"environments": [{"environment": each.name, **(each.counts or {})} for each in right]}),
        summary=summary,
        warnings=found,
    )


def _environments(directory: Path) -> Iterable[str]:
    from streamt.project import list_environments

    return [summary.name for summary in list_environments(directory, os.environ)]


def _check(directory: Path, environment: str | None) -> _Checked:
    """Check one environment."""
    from streamt.compiler import check_rules

    try:
        workspace = open_project(directory, environment)
    except StreamtError as error:
        return _Checked(environment, None, error.placed())
    broken = check_rules(workspace.project.document, workspace.compilation)
    found = workspace.placed(*workspace.warnings, *broken)
    document = workspace.project.document
    counts = {name: len(getattr(document, name)) for name in _LISTS}
    return _Checked(workspace.project.environment, None if broken else counts, found)


def _merged(checked: Sequence[_Checked]) -> tuple[PlacedDiagnostic, ...]:
    """Say once what every environment shares, and of the rest, in which environments it is so."""
    names: dict[PlacedDiagnostic, list[str]] = {}
    for each in checked:
        for diagnostic in each.found:
            names.setdefault(diagnostic, []).append(str(each.name))
    return tuple(
        diagnostic
        if len(where) == len(checked)
        else replace(diagnostic, message=f"{diagnostic.message} (environment: {', '.join(where)})")
        for diagnostic, where in names.items()
    )


def _summary(checked: _Checked) -> str:
    """Say how an environment is; all is well with one only where there is no warning, and something declared."""
    counts = checked.counts or {}
    listed = ", ".join(counted(counts[name], name.removesuffix("s")) for name in _LISTS)
    if checked.found:
        verdict = f"valid, with {counted(len(checked.found), 'warning')}"
    else:
        verdict = "all well" if any(counts.values()) else "nothing is declared"
    return f"{checked.name}: {verdict} ({listed})"
