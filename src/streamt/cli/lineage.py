"""`streamt lineage`: the graph of what reads what."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.options import project_options, reporting
from streamt.cli.output import Result, encode
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError, did_you_mean, quote

if TYPE_CHECKING:
    from streamt.compiler.artifacts import Node

FORMATS = ("text", "dot", "mermaid", "json")


@click.command()
@click.option("--model", metavar="NAME", help="Only this model or source, with what it reads and what reads it.")
@click.option("--upstream", is_flag=True, help="With --model: only what it reads.")
@click.option("--downstream", is_flag=True, help="With --model: only what reads it.")
@click.option("--format", "graph_format", type=click.Choice(FORMATS), default="text", help="How to draw the graph.")
@project_options
@reporting
def lineage(
    *,
    model: str | None,
    upstream: bool,
    downstream: bool,
    graph_format: str,
    project_dir: Path,
    environment: str | None,
) -> Result:
    """Show which sources and models feed which models."""
    from streamt.cli import graph_formats
    from streamt.workspace import open_workspace

    if (upstream or downstream) and model is None:
        raise click.UsageError("--upstream and --downstream need --model NAME")
    workspace = open_workspace(project_dir, environment, os.environ)
    nodes = workspace.compiled.nodes
    if model is not None:
        with workspace.located():
            nodes = _around(nodes, model, upstream=upstream, downstream=downstream)
    data = graph_formats.to_data(nodes)
    return Result(
        text=_text(graph_format, nodes, data), data=encode(data), warnings=workspace.placed(*workspace.warnings)
    )


def _around(nodes: "Sequence[Node]", name: str, *, upstream: bool, downstream: bool) -> "tuple[Node, ...]":
    """Return the node `name` with what it reads and what reads it, or only one of the two, in declaration order.

    Raises:
        StreamtError: E500, there is no such node.
    """
    from streamt.compiler import Graph

    graph = Graph.of(nodes)
    if name not in graph.inputs:
        message = f"unknown source or model {quote(name)}"
        hint = did_you_mean(name, graph.inputs) or "`streamt list` shows all names"
        raise StreamtError(Diagnostic(code=Code.USAGE_ERROR, message=message, location=Option("model"), hint=hint))
    both = upstream == downstream
    wanted = {name}
    if upstream or both:
        wanted |= graph.upstream(name)
    if downstream or both:
        wanted |= graph.downstream(name)
    return tuple(node for node in nodes if node.name in wanted)


def _text(graph_format: str, nodes: "Sequence[Node]", data: dict[str, object]) -> Iterator[bytes]:
    from streamt.cli import graph_formats

    if graph_format == "json":
        yield json.dumps(data, indent=2, ensure_ascii=False).encode() + b"\n"
        return
    writers = {
        "text": graph_formats.to_text,
        "dot": graph_formats.to_dot,
        "mermaid": graph_formats.to_mermaid,
    }
    for line in writers[graph_format](nodes):
        yield f"{line}\n".encode()
