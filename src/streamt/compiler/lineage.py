"""The lineage of a project, in the order of flow: sources, models, and the exposures that read or fill their topics."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from streamt.compiler.artifacts import Node, NodeKind, Output, ProcessKind
from streamt.compiler.graph import Graph
from streamt.diagnostics import ProjectPath
from streamt.project.language import Document, Exposure

EXPOSURE = "exposure"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageNode:
    """One source, model or exposure.

    Attributes:
        id: its name; `exposure:NAME` for an exposure whose name a source or a model has, too.
        name: as declared.
        kind: `source`, `model` or `exposure`.
        type: what a model becomes, or what an exposure is; `source` for a source.
        location: its declaration.
        inputs: the ids of what it reads, each once.
        output: where its records are, if they are anywhere that can be named.
        process: what runs for it.
        owner: exactly as declared, or None.
        description: exactly as declared, or None.
    """

    id: str
    name: str
    kind: str
    type: str
    location: ProjectPath
    inputs: tuple[str, ...]
    output: Output | None = None
    process: ProcessKind | None = None
    owner: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Lineage:
    """What feeds what.

    Attributes:
        nodes: each after what it reads, else as declared. An exposure that fills what it reads, too, comes last.
        graph: the same by id.
    """

    nodes: tuple[LineageNode, ...]
    graph: Graph = field(repr=False)

    @classmethod
    def of(cls, document: Document, nodes: Collection[Node]) -> Self:
        """Return the lineage of a project.

        Args:
            document: what is declared.
            nodes: its sources and models, compiled.
        """
        ids = _exposure_ids(document, {node.name for node in nodes})
        fillers = _fillers(document, ids)
        exposures = (_exposure(each, ids[each.name], index) for index, each in enumerate(document.exposures))
        every = [*(_node(node, fillers.get(node.name, ())) for node in nodes), *exposures]
        graph = Graph.from_inputs({each.id: each.inputs for each in every})
        by_id = {each.id: each for each in every}
        return cls(tuple(by_id[name] for name in _without_circles(graph, fillers).order()), graph)

    def only(self, ids: Collection[str]) -> Self:
        """Return the part with these ids, and what feeds what in it."""
        kept = tuple(
            replace(node, inputs=tuple(each for each in node.inputs if each in ids))
            for node in self.nodes
            if node.id in ids
        )
        return replace(self, nodes=kept, graph=Graph.from_inputs({node.id: node.inputs for node in kept}))

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Each edge as the ids of (what is read, who reads it), in the order of flow of who reads."""
        return tuple((each, node.id) for node in self.nodes for each in node.inputs)


def _exposure_ids(document: Document, taken: set[str]) -> dict[str, str]:
    """Return the id of each exposure by its name."""
    ids = {}
    for exposure in document.exposures:
        own = exposure.name
        while own in taken:
            own = f"{EXPOSURE}:{own}"
        taken.add(own)
        ids[exposure.name] = own
    return ids


def _without_circles(graph: Graph, fillers: Mapping[str, Collection[str]]) -> Graph:
    """Return the graph without the writing by which exposures close circles; models alone have none."""
    closing = {name: graph.downstream(name).intersection(ids) for name, ids in fillers.items()}
    return Graph.from_inputs(
        {name: [each for each in reads if each not in closing.get(name, ())] for name, reads in graph.inputs.items()}
    )


def _fillers(document: Document, ids: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the ids of the exposures that write to each source or model."""
    found: dict[str, tuple[str, ...]] = {}
    for exposure in document.exposures:
        for reference in exposure.produces:
            found[reference.name] = (*found.get(reference.name, ()), ids[exposure.name])
    return found


def _node(node: Node, fillers: tuple[str, ...]) -> LineageNode:
    return LineageNode(
        id=node.name,
        name=node.name,
        kind=node.kind.value,
        type=node.materialization.value if node.materialization else NodeKind.SOURCE.value,
        location=node.location,
        inputs=tuple(dict.fromkeys((*node.dependencies, *fillers))),
        output=node.output,
        process=node.process,
        owner=node.owner,
        description=node.description,
    )


def _exposure(exposure: Exposure, own_id: str, index: int) -> LineageNode:
    reads = (reference.name for reference in (*exposure.consumes, *exposure.depends_on))
    return LineageNode(
        id=own_id,
        name=exposure.name,
        kind=EXPOSURE,
        type=exposure.type,
        location=ProjectPath(("exposures", index)),
        inputs=tuple(dict.fromkeys(reads)),
        owner=exposure.owner or None,
        description=exposure.description or None,
    )
