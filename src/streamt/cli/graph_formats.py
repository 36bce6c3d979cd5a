"""The lineage as a table, Graphviz dot, Mermaid or plain data. Pure functions from a lineage to lines."""

from collections.abc import Iterable, Iterator

from streamt.cli.output import table
from streamt.compiler.artifacts import NodeKind
from streamt.compiler.lineage import EXPOSURE, Lineage, LineageNode

# By class: what fills a box, its border, and Graphviz's shape. The border alone tells them apart without colors, too.
STYLES = {
    "source": ("#d7ebfa", "#0a6ab5", "cylinder"),
    "topic": ("#e8eaed", "#5f6670", "box"),
    "virtual_topic": ("#fdeccb", "#9a5b00", "box"),
    "flink": ("#d8f1e4", "#0b7a4b", "component"),
    "sink": ("#f7dcea", "#a2306f", "box3d"),
    EXPOSURE: ("#e7e0fb", "#5b3cc4", "note"),
}


def to_text(lineage: Lineage) -> Iterable[str]:
    """Write a line per node: its name, what it is, where its records are, and what it reads."""
    return table([(node.name, class_of(node), detail_of(node), _inputs(node)) for node in lineage.nodes])


def to_dot(lineage: Lineage) -> Iterator[str]:
    """Write a Graphviz digraph (https://graphviz.org/doc/info/lang.html)."""
    yield "digraph streamt {"
    yield "  rankdir=LR;"
    yield '  node [style=filled, fontname="sans-serif"];'
    for node in lineage.nodes:
        fill, border, shape = STYLES[class_of(node)]
        label = _dot("\n".join(_label(node)))
        look = f'shape={shape}, fillcolor="{fill}", color="{border}", class={class_of(node)}'
        yield f"  {_dot(node.id)} [label={label}, {look}];"
    for source, target in lineage.edges:
        yield f"  {_dot(source)} -> {_dot(target)};"
    yield "}"


def to_mermaid(lineage: Lineage) -> Iterator[str]:
    """Write a Mermaid flowchart (https://mermaid.js.org/syntax/flowchart.html)."""
    ids = {node.id: f"n{index}" for index, node in enumerate(lineage.nodes)}
    yield "flowchart LR"
    for node in lineage.nodes:
        left, right = _MERMAID_SHAPES.get(node.kind, ("[", "]"))
        label = "<br/>".join(map(_mermaid, _label(node)))
        yield f'  {ids[node.id]}{left}"{label}"{right}:::{class_of(node)}'
    for source, target in lineage.edges:
        yield f"  {ids[source]} --> {ids[target]}"
    used = {class_of(node) for node in lineage.nodes}
    for name, (fill, border, _shape) in STYLES.items():
        if name in used:
            yield f"  classDef {name} fill:{fill},stroke:{border},color:#1b1f24"


def to_data(lineage: Lineage) -> dict[str, object]:
    """Return nodes and edges as plain data, for JSON."""
    return {
        "nodes": [
            {
                "id": node.id,
                "name": node.name,
                "kind": node.kind,
                "type": node.type,
                "materialization": node.type if node.kind == NodeKind.MODEL else None,
                "output": node.output and {"kind": node.output.kind.value, "name": node.output.name},
                "process": node.process and node.process.value,
                "owner": node.owner,
                "location": str(node.location),
            }
            for node in lineage.nodes
        ],
        "edges": [{"from": source, "to": target} for source, target in lineage.edges],
    }


def class_of(node: LineageNode) -> str:
    """Return what a node is drawn as: a key of `STYLES`."""
    return EXPOSURE if node.kind == EXPOSURE else node.type


def detail_of(node: LineageNode) -> str:
    """Return where its records are, or what kind of exposure it is."""
    if node.kind == EXPOSURE:
        return node.type
    return f"{node.output.kind.value} {node.output.name}" if node.output else ""


_MERMAID_SHAPES = {"source": ("[(", ")]"), EXPOSURE: ("([", "])")}


def _label(node: LineageNode) -> Iterator[str]:
    """Yield the lines of a node's label; a topic that is named as the node is not repeated."""
    yield node.name
    yield node.type.replace("_", " ")
    if node.output and node.output.name != node.name:
        yield node.output.name


def _inputs(node: LineageNode) -> str:
    return f"<- {', '.join(node.inputs)}" if node.inputs else ""


def _dot(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _mermaid(text: str) -> str:
    return "".join(char if char.isalnum() or char in " ._-" else f"#{ord(char)};" for char in text)
