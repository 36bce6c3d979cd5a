"""The lineage as a tree of text: below each node, who reads it."""

from collections.abc import Iterator, Sequence

from streamt.cli.graph_formats import class_of, detail_of
from streamt.cli.output import table
from streamt.compiler.lineage import Lineage, LineageNode

MAX_DEPTH = 40
"""Below so many levels a branch goes on as a tree of its own, so that no line is endless."""

_TEE, _ELBOW, _BAR, _GAP = "├─ ", "└─ ", "│  ", "   "


def to_tree(lineage: Lineage) -> Iterator[str]:
    """Write a tree for each node that reads nothing; one with several inputs stands below the first of them."""
    rows = list(_Tree(lineage).rows())
    whole = iter(table([row for row in rows if len(row) > 1]))
    for row in rows:
        yield next(whole) if len(row) > 1 else row[0]


class _Tree:
    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage
        self._nodes = {node.id: node for node in lineage.nodes}
        self._shown: set[str] = set()

    def rows(self) -> Iterator[Sequence[str]]:
        # In the order of flow, what has an input is shown below it before its own turn comes.
        for node in self._lineage.nodes:
            if node.id not in self._shown:
                yield from self._branch(node)

    def _branch(self, root: LineageNode) -> Iterator[Sequence[str]]:
        """Yield the rows of one tree; a stack, as a chain may be longer than Python's."""
        stack = [(root, "", "", "")]
        while stack:
            node, prefix, joint, parent = stack.pop()
            if node.id in self._shown or len(prefix) >= MAX_DEPTH * len(_BAR):
                where = "above" if node.id in self._shown else "below"
                yield (f"{prefix}{joint}{node.name} ({where})",)
                continue
            self._shown.add(node.id)
            yield f"{prefix}{joint}{node.name}", class_of(node), detail_of(node), _others(node, parent)
            below = prefix + {_TEE: _BAR, _ELBOW: _GAP, "": ""}[joint]
            readers = [self._nodes[each] for each in self._lineage.graph.readers[node.id]]
            joints = [*[_TEE] * (len(readers) - 1), _ELBOW]
            stack += reversed([(each, below, mark, node.id) for each, mark in zip(readers, joints, strict=False)])


def _others(node: LineageNode, parent: str) -> str:
    """Say what a node reads besides the one that it stands below."""
    others = [each for each in node.inputs if each != parent]
    return f"<- also {', '.join(others)}" if parent and others else ""
