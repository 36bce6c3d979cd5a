"""`streamt lineage`: the graph of what feeds what."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.global_options import session_of
from streamt.cli.options import complete_names, open_project, project_options, reporting, select_option
from streamt.cli.output import Mode, Result, counted, encode
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError, did_you_mean, quote

if TYPE_CHECKING:
    from streamt.compiler import Lineage
    from streamt.workspace import Workspace

FORMATS = ("text", "tree", "dot", "mermaid", "json", "html")


@click.command()
@select_option
@click.option(
    "--model",
    metavar="NAME",
    shell_complete=complete_names,
    help="Only this model, source or exposure, with what it reads and what reads it.",
)
@click.option("--upstream", is_flag=True, help="With --model: only what it reads.")
@click.option("--downstream", is_flag=True, help="With --model: only what reads it.")
@click.option(
    "--format",
    "graph_format",
    type=click.Choice(FORMATS),
    help="How to show it; a tree on a terminal, and else text, a line for each node.",
)
@click.option("--output-file", type=click.Path(path_type=Path), help="Replace this file instead of writing to stdout.")
@click.option("--open", "in_browser", is_flag=True, help="Write the HTML page, and open it in the browser.")
@project_options
@reporting
def lineage(
    *,
    selectors: tuple[str, ...],
    model: str | None,
    upstream: bool,
    downstream: bool,
    graph_format: str | None,
    output_file: Path | None,
    in_browser: bool,
    project_dir: Path,
    environment: str | None,
) -> Result:
    """Show what feeds what, from the sources to the exposures."""
    if (upstream or downstream) and model is None:
        raise click.UsageError("--upstream and --downstream need --model NAME")
    if in_browser and graph_format not in (None, "html"):
        raise click.UsageError(f"--open shows an HTML page, and excludes --format {graph_format}")
    workspace = open_project(project_dir, environment)
    shown = workspace.lineage
    if selectors:
        shown = shown.only(workspace.select(selectors))
    if model is not None:
        with workspace.located():
            shown = shown.only(_around(workspace.lineage, model, upstream=upstream, downstream=downstream))
    if in_browser:
        graph_format, output_file = "html", output_file or _new_page()
    result = _result(workspace, shown, graph_format, output_file)
    if in_browser:
        _open(output_file)
    return result


def _around(lineage: "Lineage", name: str, *, upstream: bool, downstream: bool) -> frozenset[str]:
    """Return the node `name` with what it reads and what reads it, or only one of the two.

    Raises:
        StreamtError: E500, there is no such node.
    """
    graph = lineage.graph
    if name not in graph.inputs:
        message = f"unknown source, model or exposure {quote(name)}"
        hint = did_you_mean(name, graph.inputs) or "`streamt list` shows all names"
        raise StreamtError(Diagnostic(code=Code.USAGE_ERROR, message=message, location=Option("model"), hint=hint))
    both = upstream == downstream
    above = graph.upstream(name) if upstream or both else frozenset()
    below = graph.downstream(name) if downstream or both else frozenset()
    return above | below | {name}


def _result(workspace: "Workspace", shown: "Lineage", graph_format: str | None, file: Path | None) -> Result:
    from streamt.cli import graph_formats
    from streamt.cli.output_file import replace_file

    data = graph_formats.to_data(shown)
    text = (b"".join(_text(graph_format or _default_format(), shown, workspace)),)
    if graph_format not in (None, "json"):
        data |= {"format": graph_format, "text": text[0].decode()}
    if file is not None:
        replace_file(file, text, workspace.project, Code.OUTPUT_FAILED)
        data |= {"output_file": str(file)}
    return Result(
        text=text if file is None else (),
        data=encode(data),
        summary=f"wrote {counted(len(shown.nodes), 'node')} to {file}" if file else "",
        warnings=workspace.placed(*workspace.warnings),
    )


def _default_format() -> str:
    """Choose a tree for a person at a terminal, and lines for a program."""
    is_text = session_of(click.get_current_context()).mode is Mode.TEXT
    return "tree" if is_text and sys.stdout is not None and sys.stdout.isatty() else "text"


def _text(graph_format: str, shown: "Lineage", workspace: "Workspace") -> Iterator[bytes]:
    from streamt.cli import graph_formats
    from streamt.cli.graph_page import to_page
    from streamt.cli.graph_tree import to_tree

    if graph_format == "json":
        yield json.dumps(graph_formats.to_data(shown), indent=2, ensure_ascii=False).encode() + b"\n"
        return
    if graph_format == "html":
        project = workspace.project
        yield to_page(shown, project.document.project.name, project.environment).encode()
        return
    writers = {
        "text": graph_formats.to_text,
        "tree": to_tree,
        "dot": graph_formats.to_dot,
        "mermaid": graph_formats.to_mermaid,
    }
    for line in writers[graph_format](shown):
        yield f"{line}\n".encode()


def _new_page() -> Path:
    """Name a new file for a page that the browser must find after this program has ended."""
    from tempfile import mkdtemp

    return Path(mkdtemp(prefix="streamt-lineage-")) / "lineage.html"


def _open(file: Path | None) -> None:
    """Show a page in the browser that the system prefers; where there is none, the summary says where the page is."""
    import webbrowser

    if file is not None:
        webbrowser.open(file.resolve().as_uri())
