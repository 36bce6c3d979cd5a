"""`streamt compile` and `streamt build`: everything that the project makes, as files, without asking any server."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.options import complete_names, open_project, project_options, reporting
from streamt.cli.output import Result, counted, encode
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError, did_you_mean, quote

if TYPE_CHECKING:
    from streamt.deploy import DeployProject
    from streamt.workspace import Workspace

output_dir = click.option(
    "--output-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write; an empty one, or one that was written so before.",
)


@click.command("compile")
@output_dir
@click.option("--dry-run", is_flag=True, help="Write nothing; show what would be written.")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_names,
    help="Only what this model makes; may be given again.",
)
@project_options
@reporting
def compile_artifacts(
    *, output_dir: Path | None, dry_run: bool, models: tuple[str, ...], project_dir: Path, environment: str | None
) -> Result:
    """Write what each model becomes: topics, schemas, Flink SQL, connectors and rules of the Gateway."""
    workspace, desired = _open(project_dir, environment)
    if models:
        desired = _only(models, desired, workspace)
    target = output_dir or project_dir / "generated" / desired.environment
    return _written(workspace, desired, target, checksums=False, dry_run=dry_run, show=bool(models))


@click.command()
@output_dir
@project_options
@reporting
def build(*, output_dir: Path | None, project_dir: Path, environment: str | None) -> Result:
    """Write what the whole project becomes, with checksums, as one folder to keep."""
    workspace, desired = _open(project_dir, environment)
    target = output_dir or project_dir / "build" / desired.environment
    return _written(workspace, desired, target, checksums=True, dry_run=False, show=False)


def _open(directory: Path, environment: str | None) -> "tuple[Workspace, DeployProject]":
    """Read and compile a project, and make its artifacts.

    Raises:
        StreamtError: E501, E502, E503 or E510.
    """
    from streamt.deploy.artifacts import deploy_project

    workspace = open_project(directory, environment)
    with workspace.located():
        return workspace, deploy_project(workspace.project, workspace.compilation)


def _only(models: tuple[str, ...], desired: "DeployProject", workspace: "Workspace") -> "DeployProject":
    """Leave what these models make.

    Raises:
        StreamtError: E500, there is no model of a name.
    """
    known = [model.name for model in workspace.project.document.models]
    unknown = [
        Diagnostic(
            code=Code.USAGE_ERROR,
            message=f"unknown model {quote(name)}",
            location=Option("model"),
            hint=did_you_mean(name, known) or "`streamt list --type models` shows all names",
        )
        for name in models
        if name not in known
    ]
    if unknown:
        raise StreamtError(*unknown)
    return replace(desired, artifacts=tuple(each for each in desired.artifacts if each.declaration.name in models))


def _written(
    workspace: "Workspace", desired: "DeployProject", target: Path, *, checksums: bool, dry_run: bool, show: bool
) -> Result:
    from streamt.deploy.artifacts import artifact_files, write_folder

    _refuse_source_folder(target, workspace)
    files = artifact_files(desired, workspace.compiled.compiled_at, checksums=checksums)
    if not dry_run:
        write_folder(target, files)
    data = {
        "output_dir": str(target),
        "written": not dry_run,
        "digest": desired.digest,
        "files": list(files),
        "resources": [
            {"address": str(each.address), "kind": each.address.kind.value, "name": each.name, "digest": each.digest}
            for each in desired.artifacts
        ],
    }
    return Result(
        text=_shown(files, contents=show) if dry_run else (),
        data=encode(data),
        summary="" if dry_run else _summary(desired, target),
        warnings=workspace.placed(*workspace.warnings, *desired.warnings),
    )


def _refuse_source_folder(target: Path, workspace: "Workspace") -> None:
    """Refuse a folder that the project's own files stand in.

    Raises:
        StreamtError: E505.
    """
    try:
        is_source = workspace.project.owns(target / "artifact.yml")
    except OSError:
        return  # whoever writes it says why it cannot be written
    if is_source:
        message, hint = "the project is read from this folder", "choose another folder"
        place = Option("output_dir")
        raise StreamtError(Diagnostic(code=Code.OUTPUT_FAILED, message=message, location=place, hint=hint))


def _shown(files: Mapping[str, bytes], *, contents: bool) -> Iterator[bytes]:
    """Yield the names of files, and what would stand in them if few were asked for."""
    for path, content in files.items():
        if not contents:
            yield f"{path}\n".encode()
        elif path != "manifest.json":
            yield b"".join([f"-- {path}\n".encode(), content, b"\n"])


def _summary(desired: "DeployProject", target: Path) -> str:
    counts: dict[str, int] = {}
    for each in desired.artifacts:
        word = each.address.kind.value.replace("_", " ")
        counts[word] = counts.get(word, 0) + 1
    listed = ", ".join(counted(number, word) for word, number in sorted(counts.items()))
    return f"wrote {listed or 'nothing but the manifest'} to {target}"
