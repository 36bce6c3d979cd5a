"""The values that the pure parts of the catalog share: scopes, moments, and what an event lists."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

Name = tuple[str, str]
"""A dataset as an event names it: namespace and name, never joined, so that no slash can merge two of them."""

Ref = int | Name
"""A node of the graph: a container's number, or the name of an asset outside the catalog."""


class Kind(IntEnum):
    """What an event is; the numbers are stored."""

    START = 0
    RUNNING = 1
    OTHER = 2
    COMPLETE = 3
    FAIL = 4
    ABORT = 5
    JOB = 6
    DATASET = 7

    @property
    def rank(self) -> int:
        """Order events of one time: progress, then the end of a run, then definitions (C1)."""
        return {Kind.FAIL: 3, Kind.ABORT: 3, Kind.JOB: 4, Kind.DATASET: 5}.get(self, int(self))

    @property
    def is_terminal(self) -> bool:
        """Report whether the event ends its run."""
        return self in (Kind.COMPLETE, Kind.FAIL, Kind.ABORT)

    @property
    def is_authoritative(self) -> bool:
        """Report whether the event lists everything that its job reads and writes."""
        return self in (Kind.COMPLETE, Kind.JOB)


class Moment(NamedTuple):
    """When an event happened, in the one order that all servers agree on; never the order of receipt (C1).

    Attributes:
        time: nanoseconds since 1970.
        rank: the order of the kinds within one time.
        digest: of the event's body, the last resort.
    """

    time: int
    rank: int = 0
    digest: bytes = b""


@dataclass(frozen=True, slots=True)
class Scope:
    """The datastores that somebody may edit.

    Attributes:
        datastores: their numbers; None for all of them, those of the future included.
    """

    datastores: frozenset[int] | None = None

    @classmethod
    def of(cls, *datastores: int) -> "Scope":
        """Return the scope of exactly these datastores."""
        return cls(frozenset(datastores))

    @classmethod
    def parse(cls, text: str) -> "Scope":
        """Read what `str(scope)` wrote."""
        return cls() if text == "*" else cls(frozenset(int(part) for part in text.split(",") if part))

    def covers(self, required: Iterable[int]) -> bool:
        """Report whether every datastore of `required` is in the scope."""
        return self.datastores is None or self.datastores.issuperset(required)

    def includes(self, other: "Scope") -> bool:
        """Report whether all that `other` reaches, this one reaches too."""
        return self.datastores is None or (other.datastores is not None and self.datastores >= other.datastores)

    def limited_to(self, other: "Scope") -> "Scope":
        """Return what both scopes reach."""
        if self.datastores is None or other.datastores is None:
            return other if self.datastores is None else self
        return Scope(self.datastores & other.datastores)

    def __str__(self) -> str:
        return "*" if self.datastores is None else ",".join(map(str, sorted(self.datastores)))


ALL = Scope()


class Transformation(NamedTuple):
    """One way in which an input column is used, as `columnLineage` lists it."""

    type: str
    subtype: str = ""
    description: str = ""
    masking: bool = False


class FieldUse(NamedTuple):
    """One line of a `columnLineage` facet.

    Attributes:
        source: the input dataset.
        source_field: its column.
        target_field: the output's column; empty where the whole dataset is affected.
        how: the transformations.
    """

    source: Name
    source_field: str
    target_field: str
    how: tuple[Transformation, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """What one event says of lineage.

    Attributes:
        inputs: the datasets read, in order, each once.
        outputs: the datasets written.
        lineage: the `columnLineage` facets supplied, by output; None withdraws an earlier one of the run.
        aliases: the alternate names supplied, by dataset; None withdraws.
    """

    inputs: tuple[Name, ...] = ()
    outputs: tuple[Name, ...] = ()
    lineage: Mapping[Name, tuple[FieldUse, ...] | None] = field(default_factory=dict)
    aliases: Mapping[Name, tuple[Name, ...] | None] = field(default_factory=dict)

    def names(self) -> frozenset[Name]:
        """Return every dataset name that the listing mentions, alternate names included."""
        used = {use.source for uses in self.lineage.values() for use in uses or ()}
        others = {alias for aliases in self.aliases.values() for alias in aliases or ()}
        return frozenset({*self.inputs, *self.outputs, *self.lineage, *used, *others})
