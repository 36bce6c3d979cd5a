"""`streamt list`: what the project declares."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.options import open_project, project_options, reporting, select_option
from streamt.cli.output import Result, encode, table

if TYPE_CHECKING:
    from streamt.compiler import CompiledProject, Lineage
    from streamt.project import Project

KINDS = ("sources", "models", "tests", "exposures")

Row = dict[str, str | None]


@click.command("list")
@click.option("--type", "kinds", type=click.Choice(KINDS), multiple=True, help="Only these; may be given again.")
@select_option
@project_options
@reporting
def list_declarations(
    *, kinds: tuple[str, ...], selectors: tuple[str, ...], project_dir: Path, environment: str | None
) -> Result:
    """List sources, models, tests and exposures."""
    workspace = open_project(project_dir, environment)
    declared = declarations(workspace.project, workspace.compiled)
    if selectors:
        declared = _only(declared, workspace.lineage.only(workspace.select(selectors)))
    found = {kind: rows for kind, rows in declared.items() if kind in (kinds or KINDS)}
    return Result(text=_text(found), data=encode(found), warnings=workspace.placed(*workspace.warnings))


def declarations(project: "Project", compiled: "CompiledProject") -> dict[str, list[Row]]:
    """Return what is declared, kind by kind, in declaration order."""
    document = project.document
    nodes = {node.name: node for node in compiled.nodes}

    def physical(name: str) -> str | None:
        output = nodes[name].output
        return output.name if output else None

    return {
        "sources": [{"name": source.name, "topic": source.topic, "owner": source.owner} for source in document.sources],
        "models": [
            {
                "name": model.name,
                "materialization": str(nodes[model.name].materialization),
                "topic": physical(model.name),
                "owner": model.owner,
            }
            for model in document.models
        ],
        "tests": [
            {"name": test.name, "type": test.type, "target": test.model or test.source} for test in document.tests
        ],
        "exposures": [
            {"name": exposure.name, "type": exposure.type, "owner": exposure.owner} for exposure in document.exposures
        ],
    }


def _only(declared: dict[str, list[Row]], lineage: "Lineage") -> dict[str, list[Row]]:
    """Keep what a lineage holds, and the tests of it."""
    kept = {(f"{node.kind}s", node.name) for node in lineage.nodes}
    tested = {name for kind, name in kept if kind != "exposures"}
    return {
        kind: [row for row in rows if (row["target"] in tested if kind == "tests" else (kind, row["name"]) in kept)]
        for kind, rows in declared.items()
    }


def _text(found: dict[str, list[Row]]) -> Iterator[bytes]:
    for index, (kind, rows) in enumerate(found.items()):
        gap = b"\n" if index else b""
        yield gap + f"{kind} ({len(rows)})\n".encode()
        cells: Sequence[Sequence[str]] = [[value or "-" for value in row.values()] for row in rows]
        for line in table(cells):
            yield f"  {line}\n".encode()
