"""`streamt envs`: the environments of a project, with every secret masked."""

import json
import os
from dataclasses import asdict
from pathlib import Path

import click

from streamt.cli.global_options import global_options
from streamt.cli.options import directory_option, environment_option, help_when_bare, reporting
from streamt.cli.output import Result, encode, table


@click.group(invoke_without_command=True)
@global_options
@click.pass_context
def envs(context: click.Context) -> None:
    """Show the environments of the project."""
    help_when_bare(context)


@envs.command("list")
@directory_option
@reporting
def list_all(*, project_dir: Path) -> Result:
    """List the environments."""
    from streamt.project import list_environments

    found = list_environments(project_dir, os.environ)
    rows = [(each.name, "protected" if each.protected else "-", each.description or "") for each in found]
    return Result(
        text=[f"{line}\n".encode() for line in table(rows)],
        data=encode({"environments": [asdict(each) for each in found]}),
    )


@envs.command()
@click.argument("name", required=False)
@directory_option
@environment_option
@reporting
def show(*, name: str | None, environment: str | None, project_dir: Path) -> Result:
    """Show one environment, named or by --env; secrets and what variables supply are masked."""
    from streamt.project import environment_view

    if name is not None and environment not in (None, name):
        raise click.UsageError("NAME and --env NAME name two environments")
    view = environment_view(project_dir, name or environment, os.environ)
    return Result(text=(json.dumps(view, indent=2, ensure_ascii=False).encode() + b"\n",), data=encode(view))
