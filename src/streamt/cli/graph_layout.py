"""Where each node of a lineage stands on a page: in layers from left to right, with few crossings.

The method is Sugiyama's: layers by the longest way from a source, points in between for edges that span several
layers, an order within each layer by the mean position of the neighbours, and then heights near those neighbours.
Parts that nothing joins stand one below the other, the largest first; nodes without any edge fill rows at the end.
"""

from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from streamt.compiler.lineage import Lineage

WIDTH, HEIGHT = 232, 52
"""The size of a node, in pixels."""
COLUMN, ROW = WIDTH + 88, HEIGHT + 16
_LANE = 20
"""How much of a layer's height an edge takes that only passes through."""
_GAP = 40
_SWEEPS = 8


class _Vertex(NamedTuple):
    """A node, or where an edge passes through a layer; a node is its own source and target."""

    layer: int
    source: str
    target: str

    @property
    def room(self) -> float:
        """How much of its layer's height it takes."""
        return ROW if self.source == self.target else _LANE


@dataclass(frozen=True, slots=True)
class Point:
    """A place on the page, in pixels from its upper left corner."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is.

    Attributes:
        nodes: the upper left corner of each node by its id.
        paths: for each edge by (from, to) the points that its line goes through.
        width: of the whole, in pixels.
        height: of the whole, in pixels.
    """

    nodes: Mapping[str, Point]
    paths: Mapping[tuple[str, str], tuple[Point, ...]]
    width: float
    height: float


def layout(lineage: Lineage) -> Layout:
    """Lay out a lineage; the same lineage is always laid out the same."""
    order = {node.id: index for index, node in enumerate(lineage.nodes)}
    parts = sorted(_parts(lineage), key=lambda part: (-len(part), order[part[0]]))
    nodes: dict[str, Point] = {}
    paths: dict[tuple[str, str], tuple[Point, ...]] = {}
    top = 0.0
    for part in (each for each in parts if len(each) > 1):
        one = _Part(lineage, part, order)
        heights, height = one.heights()
        nodes |= {name: Point(COLUMN * one.layer[name], top + heights[one.vertex(name)] - HEIGHT / 2) for name in part}
        paths |= {edge: _path(one, edge, heights, top) for edge in one.edges}
        top += height + _GAP
    columns = max((round(point.x / COLUMN) + 1 for point in nodes.values()), default=4)
    alone = [name for part in parts if len(part) == 1 for name in part]
    for index, name in enumerate(alone):
        nodes[name] = Point(COLUMN * (index % columns), top + ROW * (index // columns))
    width = max((point.x for point in nodes.values()), default=0) + WIDTH
    return Layout(nodes, paths, width, max((point.y for point in nodes.values()), default=0) + HEIGHT)


def _parts(lineage: Lineage) -> Iterator[list[str]]:
    """Yield the ids of each part that edges join, in the order of flow."""
    part_of = {node.id: [node.id] for node in lineage.nodes}
    for source, target in lineage.edges:
        large, small = sorted((part_of[source], part_of[target]), key=len, reverse=True)
        if large is not small:
            large += small
            part_of |= dict.fromkeys(small, large)
    order = {node.id: index for index, node in enumerate(lineage.nodes)}
    for part in {id(each): each for each in part_of.values()}.values():
        yield sorted(part, key=order.__getitem__)


@dataclass(slots=True)
class _Part:
    """One joined part of a lineage.

    Attributes:
        lineage: the whole.
        names: its ids, in the order of flow.
        order: the place of each id in the order of flow.
        edges: its edges.
        layer: the layer of each id, from 0.
        chains: for each edge that goes forward, its vertices from end to end.
        layers: the vertices of each layer, from top to bottom.
    """

    lineage: Lineage
    names: Sequence[str]
    order: Mapping[str, int]
    edges: list[tuple[str, str]] = field(init=False)
    layer: dict[str, int] = field(init=False)
    chains: dict[tuple[str, str], tuple[_Vertex, ...]] = field(init=False)
    layers: list[list[_Vertex]] = field(init=False)

    def __post_init__(self) -> None:
        own = set(self.names)
        self.edges = [edge for edge in self.lineage.edges if edge[1] in own]
        self.layer = self._layers_of_nodes()
        self.chains = {edge: tuple(self._chain(*edge)) for edge in self.edges if self._is_forward(edge)}
        self.layers = self._ordered()

    def _is_forward(self, edge: tuple[str, str]) -> bool:
        """Report whether an edge does not close a circle."""
        return self.order[edge[0]] < self.order[edge[1]]

    def _layers_of_nodes(self) -> dict[str, int]:
        forward = [edge for edge in self.edges if self._is_forward(edge)]
        layer = dict.fromkeys(self.names, 0)
        for source, target in forward:  # they come in the order of flow of their targets
            layer[target] = max(layer[target], layer[source] + 1)
        fed, first_reader = {target for _, target in forward}, dict[str, int]()
        for source, target in forward:
            first_reader[source] = min(first_reader.get(source, layer[target]), layer[target])
        # What reads nothing stands just before its first reader.
        return layer | {name: reader - 1 for name, reader in first_reader.items() if name not in fed}

    def _chain(self, source: str, target: str) -> Iterator[_Vertex]:
        yield self.vertex(source)
        yield from (_Vertex(layer, source, target) for layer in range(self.layer[source] + 1, self.layer[target]))
        yield self.vertex(target)

    def vertex(self, name: str) -> _Vertex:
        """Return the vertex of a node."""
        return _Vertex(self.layer[name], name, name)

    def _ordered(self) -> list[list[_Vertex]]:
        """Order the vertices of each layer so that few edges cross."""
        layers: list[list[_Vertex]] = [[] for _ in range(max(self.layer.values()) + 1)]
        for name in self.names:
            layers[self.layer[name]].append(self.vertex(name))
        for chain in self.chains.values():
            for vertex in chain[1:-1]:
                layers[vertex.layer].append(vertex)
        before, after = self.neighbours()
        best, fewest = [list(layer) for layer in layers], _crossings(layers, after)
        for sweep in range(_SWEEPS):
            _sweep(layers, before if sweep % 2 == 0 else after, backwards=sweep % 2 == 1)
            crossings = _crossings(layers, after)
            if crossings < fewest:
                best, fewest = [list(layer) for layer in layers], crossings
        return best

    def neighbours(self) -> tuple[Mapping[_Vertex, list[_Vertex]], Mapping[_Vertex, list[_Vertex]]]:
        """Return the neighbours of each vertex in the layer before and in the layer after its own."""
        before: dict[_Vertex, list[_Vertex]] = {}
        after: dict[_Vertex, list[_Vertex]] = {}
        for chain in self.chains.values():
            for one, other in pairwise(chain):
                before.setdefault(other, []).append(one)
                after.setdefault(one, []).append(other)
        return before, after

    def heights(self) -> tuple[dict[_Vertex, float], float]:
        """Return the middle of each vertex from the part's top, and the height of the part."""
        before, after = self.neighbours()
        middle = {vertex: y for layer in self.layers for vertex, y in zip(layer, _stacked(layer), strict=True)}
        for sweep in range(_SWEEPS):
            for layer in self.layers if sweep % 2 == 0 else reversed(self.layers):
                near = before if sweep % 2 == 0 else after
                wanted = [fmean(middle[each] for each in near[v]) if v in near else middle[v] for v in layer]
                middle |= zip(layer, _spread(layer, wanted), strict=True)
        top = min(middle[each] - each.room / 2 for each in middle)
        bottom = max(middle[each] + each.room / 2 for each in middle)
        return {vertex: y - top for vertex, y in middle.items()}, bottom - top


def _sweep(layers: list[list[_Vertex]], near: Mapping[_Vertex, list[_Vertex]], *, backwards: bool) -> None:
    """Sort each layer by the mean place of the neighbours in the layer that was just sorted."""
    place: dict[_Vertex, int] = {}
    for layer in reversed(layers) if backwards else layers:
        means = {v: fmean(place[each] for each in near[v]) for v in layer if v in near}
        current = {vertex: index for index, vertex in enumerate(layer)}
        layer.sort(key=lambda v: means.get(v, current[v]))
        place |= {vertex: index for index, vertex in enumerate(layer)}


def _crossings(layers: Sequence[Sequence[_Vertex]], after: Mapping[_Vertex, list[_Vertex]]) -> int:
    """Count how often edges between neighbouring layers cross."""
    count = 0
    for layer, following in pairwise(layers):
        place = {vertex: index for index, vertex in enumerate(following)}
        passed: list[int] = []
        for vertex in layer:
            ends = [place[each] for each in after.get(vertex, ())]
            count += sum(len(passed) - bisect_right(passed, end) for end in ends)
            for end in ends:
                insort(passed, end)
    return count


def _stacked(layer: Iterable[_Vertex]) -> Iterator[float]:
    top = 0.0
    for vertex in layer:
        yield top + vertex.room / 2
        top += vertex.room


def _spread(layer: Sequence[_Vertex], wanted: Sequence[float]) -> list[float]:
    """Return heights near those that are wanted, in the layer's order, and far enough from each other."""
    apart = [(one.room + other.room) / 2 for one, other in pairwise(layer)]
    down, up = list(wanted), list(wanted)
    for index, distance in enumerate(apart):
        down[index + 1] = max(down[index + 1], down[index] + distance)
    for index in range(len(apart) - 1, -1, -1):
        up[index] = min(up[index], up[index + 1] - apart[index])
    # Both keep the distances, and so does their mean.
    return [(one + other) / 2 for one, other in zip(down, up, strict=True)]


def _path(part: _Part, edge: tuple[str, str], heights: Mapping[_Vertex, float], top: float) -> tuple[Point, ...]:
    """Return where an edge leaves a node, passes through the layers between, and arrives."""
    source, target = (part.vertex(name) for name in edge)
    points = [Point(COLUMN * source.layer + WIDTH, top + heights[source])]
    for vertex in part.chains.get(edge, ())[1:-1]:
        left, height = COLUMN * vertex.layer, top + heights[vertex]
        points += (Point(left, height), Point(left + WIDTH, height))
    return (*points, Point(COLUMN * target.layer, top + heights[target]))
