"""`streamt import`: what is there already, as YAML for a project."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.options import project_options, reporting
from streamt.cli.output import Result, counted, encode
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt.deploy.importing import ImportedSource, Wanted
    from streamt.workspace.deployment import Deployment

KINDS = ("topics", "schemas", "connectors", "jobs")


@click.command("import")
@click.argument("kind", type=click.Choice(KINDS))
@click.option("--include", multiple=True, metavar="GLOB", help="Only names like this; may be repeated.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="No names like this; may be repeated.")
@click.option("--output-file", type=click.Path(path_type=Path), help="A new file, instead of stdout.")
@click.option("--dry-run", is_flag=True, help="Write no file.")
@project_options
@reporting
def import_resources(
    *,
    kind: str,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    output_file: Path | None,
    dry_run: bool,
    project_dir: Path,
    environment: str | None,
) -> Result:
    """Write what is there and not declared as sources of the project language; nothing becomes ours by that."""
    from streamt.cli.deployments import open_deployment
    from streamt.deploy.importing import Wanted

    if kind in ("connectors", "jobs"):
        message = f"{kind} cannot be imported yet: they are not deployed yet either"
        raise StreamtError(Diagnostic(code=Code.USAGE_ERROR, message=message, location=Option("kind")))
    opened = open_deployment(project_dir, environment)
    deployment = opened.deployment
    with opened.placing():
        wanted = Wanted(include=include, exclude=exclude, declared=_declared(deployment, kind))
        sources = _found(deployment, kind, wanted)
        content = as_yaml(sources)
        if output_file is not None and not dry_run:
            _write(output_file, content)
    where = f" to {output_file}" if output_file is not None and not dry_run else ""
    return Result(
        text=() if where else (content.encode(),),
        data=encode(
            {"sources": [each.as_data() for each in sources], "output_file": str(output_file) if where else None}
        ),
        summary=f"wrote {counted(len(sources), 'source')}{where}" if where else "",
        warnings=opened.placed(),
    )


def _declared(deployment: "Deployment", kind: str) -> frozenset[str]:
    """Return the names that the project has already."""
    topics = {each.topic for each in deployment.project.document.sources}
    topics |= {node.output.name for node in deployment.compiled.nodes if node.output}
    if kind == "topics":
        return frozenset(topics)
    return frozenset(f"{each}-value" for each in topics)


def _found(deployment: "Deployment", kind: str, wanted: "Wanted") -> "tuple[ImportedSource, ...]":
    from streamt.deploy.importing import import_schemas, import_topics

    if kind == "topics":
        return import_topics(deployment.providers, wanted)
    return import_schemas(deployment.providers, wanted, lambda name: deployment.address("schema", f"{name}/value"))


def as_yaml(sources: "Sequence[ImportedSource]") -> str:
    """Return sources as a file of `sources/`."""
    import yaml

    if not sources:
        return "# nothing is there that the project does not declare\n"
    data = {"apiVersion": "streamt.dev/v1alpha1", "sources": [each.as_data() for each in sources]}
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)


def _write(path: Path, content: str) -> None:
    from streamt.files import atomic_replace

    place = Option("output_file")
    try:
        if path.exists():
            message, hint = f"`{path}` exists already; it was left unchanged", "give a new file"
            raise StreamtError(Diagnostic(code=Code.USAGE_ERROR, message=message, location=place, hint=hint))
        atomic_replace(path, [content.encode()])
    except OSError as error:
        message = f"`{path}` cannot be written: {error.strerror or type(error).__name__}"
        raise StreamtError(Diagnostic(code=Code.USAGE_ERROR, message=message, location=place)) from None
