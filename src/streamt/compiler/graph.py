"""The graph of what reads what: cycles, order, and what lies upstream or downstream of a node.

Nothing here recurses, so that a chain of any length is walked.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from streamt.compiler.artifacts import Node


@dataclass(frozen=True, slots=True)
class Graph:
    """Names and what each of them reads.

    Attributes:
        inputs: for each name, what it reads, in order; only names that are keys themselves.
        readers: for each name, who reads it, in declaration order.
    """

    inputs: Mapping[str, tuple[str, ...]]
    readers: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> Self:
        """Make the graph of a compiled project's `nodes`."""
        return cls.from_inputs({node.name: node.dependencies for node in nodes})

    @classmethod
    def from_inputs(cls, inputs: Mapping[str, Iterable[str]]) -> Self:
        """Make a graph; what is read but is no key of `inputs` is left out."""
        known = {name: tuple(each for each in reads if each in inputs) for name, reads in inputs.items()}
        readers: dict[str, list[str]] = {name: [] for name in known}
        for name, reads in known.items():
            for each in reads:
                readers[each].append(name)
        return cls(known, {name: tuple(names) for name, names in readers.items()})

    def upstream(self, *names: str) -> frozenset[str]:
        """Return all that `names` read, directly or not; a name itself only if it reads itself."""
        return _closure(self.inputs, names)

    def downstream(self, *names: str) -> frozenset[str]:
        """Return all that read `names`, directly or not."""
        return _closure(self.readers, names)

    def order(self) -> tuple[str, ...]:
        """Sort the names so that each comes after what it reads, and else as declared.

        Names that are in a cycle, or behind one, are left out.
        """
        waiting = {name: len(reads) for name, reads in self.inputs.items()}
        ready = deque(name for name, count in waiting.items() if not count)
        ordered = []
        while ready:
            name = ready.popleft()
            ordered.append(name)
            for reader in self.readers[name]:
                waiting[reader] -= 1
                if not waiting[reader]:
                    ready.append(reader)
        return tuple(ordered)

    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """Return one shortest path around each group of names that read each other, such as `("a", "b", "a")`.

        The path starts at the group's first declared name and goes from each name to one that it reads. A name that
        reads itself and nothing else in a cycle gives `("a", "a")`.
        """
        if len(self.order()) == len(self.inputs):  # as in nearly every project, and told in a fourth of the time
            return ()
        return tuple(self._around(group) for group in self._cyclic_groups())

    def _around(self, group: list[str]) -> tuple[str, ...]:
        members, start = set(group), group[0]
        came_from: dict[str, str] = {}
        queue = deque([start])
        while queue:
            name = queue.popleft()
            for each in self.inputs[name]:
                if each == start:
                    return tuple(reversed([start, *_back(came_from, name, start)]))
                if each in members and each not in came_from:
                    came_from[each] = name
                    queue.append(each)
        raise AssertionError("a group of names that read each other has a way around")

    def _cyclic_groups(self) -> Iterator[list[str]]:
        """Return the strongly connected groups that hold a cycle, each in declaration order."""
        finished = self._finishing_order()
        seen: set[str] = set()
        groups = []
        for name in reversed(finished):
            if name not in seen:
                group = _reach(self.readers, name, seen)
                if len(group) > 1 or name in self.inputs[name]:
                    groups.append(group)
        position = {name: index for index, name in enumerate(self.inputs)}
        yield from sorted((sorted(g, key=position.__getitem__) for g in groups), key=lambda g: position[g[0]])

    def _finishing_order(self) -> list[str]:
        """Order names by when a depth-first walk along `inputs` leaves them (Kosaraju's first pass)."""
        seen: set[str] = set()
        finished: list[str] = []
        for root in self.inputs:
            if root in seen:
                continue
            seen.add(root)
            stack = [(root, iter(self.inputs[root]))]
            while stack:
                name, rest = stack[-1]
                following = next((each for each in rest if each not in seen), None)
                if following is None:
                    finished.append(name)
                    stack.pop()
                else:
                    seen.add(following)
                    stack.append((following, iter(self.inputs[following])))
        return finished


def _back(came_from: Mapping[str, str], name: str, start: str) -> Iterator[str]:
    while name != start:
        yield name
        name = came_from[name]
    yield start


def _reach(edges: Mapping[str, tuple[str, ...]], name: str, seen: set[str]) -> list[str]:
    seen.add(name)
    group = [name]
    for each in group:
        for following in edges[each]:
            if following not in seen:
                seen.add(following)
                group.append(following)
    return group


def _closure(edges: Mapping[str, tuple[str, ...]], names: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    left = [each for name in names for each in edges[name]]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left.extend(edges[name])
    return frozenset(found)
