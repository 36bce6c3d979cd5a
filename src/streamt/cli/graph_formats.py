"""The lineage graph as text, Graphviz dot, Mermaid or plain data. Pure functions from nodes to lines."""

from collections.abc import Iterable, Iterator, Sequence

from streamt.cli.output import table
from streamt.compiler.artifacts import Node, NodeKind


def to_text(nodes: Sequence[Node]) -> Iterable[str]:
    """Write a line per node: its name, what it is, where its records are, and what it reads."""
    rows = [(node.name, _kind(node), _physical(node), _inputs(node)) for node in nodes]
    return table(rows)


def to_dot(nodes: Sequence[Node]) -> Iterator[str]:
    """Write a Graphviz digraph (https://graphviz.org/doc/info/lang.html)."""
    yield "digraph streamt {"
    yield "  rankdir=LR;"
    for node in nodes:
        shape = "cylinder" if node.kind is NodeKind.SOURCE else "box"
        label = _dot(f"{node.name}\n{_kind(node)}")
        yield f"  {_dot(node.name)} [shape={shape}, label={label}];"
    for source, target in edges(nodes):
        yield f"  {_dot(source)} -> {_dot(target)};"
    yield "}"


def to_mermaid(nodes: Sequence[Node]) -> Iterator[str]:
    """Write a Mermaid flowchart (https://mermaid.js.org/syntax/flowchart.html)."""
    ids = {node.name: f"n{index}" for index, node in enumerate(nodes)}
    yield "flowchart LR"
    for node in nodes:
        left, right = ("[(", ")]") if node.kind is NodeKind.SOURCE else ("[", "]")
        yield f'  {ids[node.name]}{left}"{_mermaid(node.name)}<br/>{_kind(node)}"{right}'
    for source, target in edges(nodes):
        yield f"  {ids[source]} --> {ids[target]}"


def to_data(nodes: Sequence[Node]) -> dict[str, object]:
    """Return nodes and edges as plain data, for JSON."""
    return {
        "nodes": [
            {
                "name": node.name,
                "kind": node.kind.value,
                "materialization": node.materialization and node.materialization.value,
                "output": node.output and {"kind": node.output.kind.value, "name": node.output.name},
                "process": node.process and node.process.value,
                "location": str(node.location),
            }
            for node in nodes
        ],
        "edges": [{"from": source, "to": target} for source, target in edges(nodes)],
    }


def edges(nodes: Sequence[Node]) -> Iterator[tuple[str, str]]:
    """Yield each dependency between two of `nodes`, as (what is read, who reads it)."""
    names = {node.name for node in nodes}
    for node in nodes:
        for dependency in node.dependencies:
            if dependency in names:
                yield dependency, node.name


def _kind(node: Node) -> str:
    return node.materialization.value if node.materialization else node.kind.value


def _physical(node: Node) -> str:
    return f"{node.output.kind.value} {node.output.name}" if node.output else ""


def _inputs(node: Node) -> str:
    return f"<- {', '.join(node.dependencies)}" if node.dependencies else ""


def _dot(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _mermaid(text: str) -> str:
    return "".join(char if char.isalnum() or char in " ._-" else f"#{ord(char)};" for char in text)
