"""What a job asserts, from what is known of it: the heart of the catalog, pure.

Nothing here depends on the order in which events arrived, but for one rule of the specification: START, RUNNING and
OTHER that come after the end of their run assert nothing. Everything is said for each edge by itself: an event speaks
of an edge only if its scope covers every datastore that the edge touches.

Source: lineage-ingestion, "Retirement" and "Run States"; catalog.md, "Order", C1, C4 to C9, C11, C16.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from streamt.catalog.run_listing import Fact, Pair, RunListing, Span, combine
from streamt.catalog.values import FieldUse, Kind, Moment, Name, Ref, Scope

Required = frozenset[int]
"""The datastores that an edge touches, all of which a submitter must be able to edit."""


class Node(NamedTuple):
    """A container that a dataset means, with its datastore."""

    id: int
    datastore: int


class Edge(NamedTuple):
    """From one node to another, or from one field to another (field numbers, 0 for the table itself)."""

    source: Ref
    target: Ref
    source_field: int = 0
    target_field: int = 0


class Tombstone(NamedTuple):
    """A dataset was dropped, or had another name before: what was asserted until then is over."""

    time: int
    scope: Scope


@dataclass(frozen=True, slots=True)
class Authority:
    """An event that told a job's whole truth.

    Attributes:
        event: its number; 0 for a person who ended the job.
        moment: when.
        scope: within which datastores.
        run: the run's number; 0 for a job definition.
    """

    event: int
    moment: Moment
    scope: Scope
    run: int


class Claim(NamedTuple):
    """That a run or a job's definition asserts an edge.

    Attributes:
        event: the event that asserts it.
        moment: when that happened.
        settled: whether it is a job's truth, and not a run in progress.
        source_time: when the source was listed last: a drop of it since then ends the claim.
        target_time: the same for the target.
        how: the column lineage that the edge carries.
        stands_for: an edge on an outside asset whose dataset is a container by now is kept only until one of these
            replaces it.
    """

    event: int
    moment: Moment
    settled: bool
    source_time: int = 0
    target_time: int = 0
    how: tuple[FieldUse, ...] = ()
    stands_for: tuple[Edge, ...] = ()


Claims = dict[Edge, Claim]


class World(Protocol):
    """What is known besides the job itself."""

    def nodes(self, name: Name, aliases: Sequence[Name]) -> Sequence[Node]:
        """Return the containers that a dataset means: by its own name, else by the first alias that matches."""
        ...

    def datastore(self, ref: Ref) -> int | None:
        """Return the datastore of a container; None for an outside asset."""
        ...

    def field(self, node: int, name: str) -> int | None:
        """Return the number of a container's field."""
        ...

    def attached(self, name: Name) -> bool:
        """Report whether edges hang on the outside asset of this name."""
        ...

    def tombstones(self, ref: Ref) -> Sequence[Tombstone]:
        """Return when the dataset was dropped or renamed."""
        ...

    def deleted(self, edge: Edge) -> int:
        """Return when a person deleted the edge last, in nanoseconds; 0 if nobody did."""
        ...

    def remembered(self, pair: "Listed", draw: "Callable[[Listed, World], Drawings]") -> "Drawings":
        """Return what was drawn for this pair before, as long as containers and fields are the same; else draw it."""
        ...


def truth_for(authorities: Iterable[Authority], required: Required) -> Authority | None:
    """Return the job's latest authoritative event whose scope covers `required`: the A of the table "Order"."""
    covering = (authority for authority in authorities if authority.scope.covers(required))
    return max(covering, key=lambda authority: authority.moment, default=None)


def frontier(authorities: Iterable[Authority]) -> tuple[Authority, ...]:
    """Return the authorities that are the latest for some datastore: no newer one reaches all that they reach."""
    kept: list[Authority] = []
    for authority in sorted(authorities, key=lambda one: (one.moment, -one.event), reverse=True):
        if not any(newer.scope.includes(authority.scope) for newer in kept):
            kept.append(authority)
    return tuple(kept)


def run_state(ends: Iterable[tuple[Moment, Kind]]) -> Kind:
    """Return a run's state: its terminal event with the greatest time; RUNNING without one (C8)."""
    terminal = [(moment, kind) for moment, kind in ends if kind.is_terminal]
    return max(terminal)[1] if terminal else Kind.RUNNING


def asserted(facts: Sequence[Fact], authorities: Sequence[Authority], world: World) -> Claims:
    """Return what one run, or a job's definitions, asserts by all that is known.

    Args:
        facts: the events of the run; or the job's definitions.
        authorities: the job's authoritative events, of all runs.
        world: datasets, fields, tombstones.
    """
    claims: Claims = {}
    latest: dict[Required, Authority | None] = {}
    for chosen, wanted in _selections(facts, world):
        settler, counted = _truth(chosen)
        listing = combine(counted)
        for (edge, required, how, stands_for), span in _edges(listing, world):
            if required not in latest:
                latest[required] = truth_for(authorities, required)
            if required not in wanted or _is_over(edge, span, required, world):
                continue
            truth = latest[required]
            teller = _settled(settler, truth) if settler else _in_progress(listing, span, truth)
            if teller is not None and teller[1].time > world.deleted(edge):
                times = (span.source.time, span.target.time)
                claims[edge] = Claim(*teller, settler is not None, *times, how, stands_for)
    return claims


def requirement(edge: Edge, world: World) -> Required:
    """Return the datastores that an edge touches; that of an outside asset is its catalogued side's (C16)."""
    sides = (world.datastore(edge.source), world.datastore(edge.target))
    return frozenset(side for side in sides if side is not None)


@dataclass(frozen=True, slots=True)
class Changes:
    """What becomes of the claims of one run or definition."""

    put: Mapping[Edge, Claim]
    drop: tuple[Edge, ...]


def changes(stored: Mapping[Edge, Claim], full: Claims, allowed: Claims | None = None) -> Changes:
    """Compare what is stored with what is asserted.

    Args:
        stored: the claims as they are.
        full: what is asserted within the scopes of then; what is not in it, is dropped.
        allowed: what is asserted within those scopes and present rights; only this is added (C16).
    """
    addable = full if allowed is None else allowed

    def stays(edge: Edge, claim: Claim) -> bool:
        return not claim.stands_for or (edge in stored and not any(new in addable for new in claim.stands_for))

    wanted = {edge: claim for edge, claim in full.items() if stays(edge, claim)}
    put = {edge: claim for edge, claim in wanted.items() if edge in addable and stored.get(edge) != _plain(claim)}
    return Changes({edge: _plain(claim) for edge, claim in put.items()}, tuple(stored.keys() - wanted.keys()))


def superseded(
    stored: Mapping[tuple[int, Edge], Claim], authorities: Sequence[Authority], world: World
) -> list[tuple[int, Edge]]:
    """Return the claims, by run and edge, that are older than the job's truth and not its own."""
    newest = max((authority.moment for authority in authorities), default=None)
    over = []
    for (run, edge), claim in stored.items():
        if newest is None or claim.moment >= newest:
            continue
        latest = truth_for(authorities, requirement(edge, world))
        if latest is not None and claim.moment < latest.moment:
            over.append((run, edge))
    return over


def _plain(claim: Claim) -> Claim:
    return claim._replace(stands_for=()) if claim.stands_for else claim


def _selections(facts: Sequence[Fact], world: World) -> Iterator[tuple[list[Fact], "_Wanted"]]:
    """Yield each set of facts that may speak of some datastores together, with those datastores."""
    scopes = {fact.scope for fact in facts}
    if len(scopes) == 1:
        (scope,) = scopes
        yield list(facts), _Wanted(scope=scope)
        return
    groups: dict[frozenset[Scope], set[Required]] = {}
    for required in _requirements(facts, world):
        groups.setdefault(frozenset(scope for scope in scopes if scope.covers(required)), set()).add(required)
    for covering, wanted in groups.items():
        if covering:
            yield [fact for fact in facts if fact.scope in covering], _Wanted(exactly=frozenset(wanted))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The datastores of which a selection of facts speaks: all of a scope, or some sets exactly."""

    scope: Scope | None = None
    exactly: frozenset[Required] = frozenset()

    def __contains__(self, required: Required) -> bool:
        return self.scope.covers(required) if self.scope is not None else required in self.exactly


def _requirements(facts: Sequence[Fact], world: World) -> set[Required]:
    names = {name for fact in facts for name in fact.listing.names()}
    datastores = {node.datastore for name in names for node in world.nodes(name, ())}
    return {frozenset(pair) for one in datastores for pair in ((one, other) for other in datastores)}


def _truth(facts: Sequence[Fact]) -> tuple[Fact | None, list[Fact]]:
    """Return the event that settles the run's truth, if any does, and the events that count.

    A run's end makes what comes after it say nothing; ends count by their own time, whenever they arrive.
    """
    if any(fact.kind is Kind.JOB for fact in facts):
        latest = max(facts, key=lambda fact: (fact.moment, -fact.event))
        return latest, [latest]
    ends = [fact for fact in facts if fact.kind.is_terminal]
    if not ends:
        return None, list(facts)
    first_end = min(fact.event for fact in ends)
    before = [fact for fact in facts if not fact.kind.is_terminal and fact.event < first_end]
    complete = [fact for fact in ends if fact.kind is Kind.COMPLETE]
    if not complete:
        return None, []
    settler = max(complete, key=lambda fact: (fact.moment, -fact.event))
    return settler, before + [fact for fact in ends if fact.moment <= settler.moment]


_Teller = tuple[int, Moment]
"""The event that asserts an edge, and when that happened."""


def _settled(settler: Fact, latest: Authority | None) -> _Teller | None:
    """Assert within the job's truth only if no newer authoritative event reaches the edge."""
    if latest is not None and latest.moment > settler.moment:
        return None
    return settler.event, settler.moment


def _in_progress(listing: RunListing, span: Span, latest: Authority | None) -> _Teller | None:
    """Assert what is listed not before the job's truth."""
    if latest is not None and span.moment < latest.moment:
        return None
    return listing.events[span.moment], span.moment


def _is_over(edge: Edge, span: Span, required: Required, world: World) -> bool:
    """Report whether a side was dropped or renamed since it was listed (C7)."""
    sides = ((edge.source, span.source.time), (edge.target, span.target.time))
    for ref, listed in sides:
        for tombstone in world.tombstones(ref):
            if tombstone.time >= listed and tombstone.scope.covers(required):
                return True
    return False


class Drawing(NamedTuple):
    """An edge of a listing, with what it needs, what it carries, and what replaces it where it is an old one."""

    edge: Edge
    required: Required
    how: tuple[FieldUse, ...] = ()
    stands_for: tuple[Edge, ...] = ()


Drawings = tuple[Drawing, ...]
Listed = tuple[Pair, tuple[Sequence[Name], ...], tuple[FieldUse, ...]]
"""A pair of datasets, the alternate names of each, and the column lineage between them."""


def _edges(listing: RunListing, world: World) -> Iterator[tuple[Drawing, Span]]:
    """Yield the edges of a listing: between tables, and between fields where both sides are known."""
    for pair, span in listing.pairs.items():
        uses = tuple(listing.uses.get(pair, ()))
        others = tuple(listing.aliases.get(name, ()) for name in pair)
        for drawing in world.remembered((pair, others, uses), _draw):
            yield drawing, span
        if any(map(world.attached, pair)):
            source, target = _sides(pair, others, world)
            for legacy, replacements in _attached_pairs(source, target, world):
                yield Drawing(legacy, requirement(legacy, world), _distinct(uses), replacements), span


def _draw(listed: Listed, world: World) -> Drawings:
    """Return the edges that a pair of datasets means: those of fields, and those of tables with what is left."""
    pair, others, uses = listed
    drawings: list[Drawing] = []
    for edge in _node_pairs(*_sides(pair, others, world)):
        required = requirement(edge, world)
        carried, fields = _field_edges(edge, uses, world)
        drawings += (Drawing(field_edge, required, _distinct(how)) for field_edge, how in fields.items())
        drawings.append(Drawing(edge, required, _distinct(carried)))
    return tuple(drawings)


class _Side(NamedTuple):
    """A dataset, with the containers that it means."""

    name: Name
    nodes: Sequence[Node]

    def refs(self) -> Sequence[Ref]:
        """Return its nodes: the containers, else the asset outside the catalog."""
        return [node.id for node in self.nodes] if self.nodes else [self.name]


def _sides(pair: Pair, others: Sequence[Sequence[Name]], world: World) -> Iterator[_Side]:
    for name, aliases in zip(pair, others, strict=True):
        yield _Side(name, world.nodes(name, aliases))


def _node_pairs(source: _Side, target: _Side) -> Iterator[Edge]:
    """Yield the edges between all that a pair of datasets means; never one between two outside assets."""
    if source.name == target.name:
        yield from (Edge(node.id, node.id) for node in source.nodes)
    elif source.nodes or target.nodes:
        for one in source.refs():
            for other in target.refs():
                yield Edge(one, other)


def _attached_pairs(source: _Side, target: _Side, world: World) -> Iterator[tuple[Edge, tuple[Edge, ...]]]:
    """Yield the edges on outside assets that were drawn before a side was registered, with what replaces them."""
    if source.name == target.name:
        return
    if source.nodes and world.attached(source.name):
        for node in target.nodes:
            yield Edge(source.name, node.id), tuple(Edge(one.id, node.id) for one in source.nodes)
    if target.nodes and world.attached(target.name):
        for node in source.nodes:
            yield Edge(node.id, target.name), tuple(Edge(node.id, one.id) for one in target.nodes)


def _field_edges(
    edge: Edge, uses: Iterable[FieldUse], world: World
) -> tuple[list[FieldUse], dict[Edge, list[FieldUse]]]:
    """Divide column lineage: field edges, and what the table edge carries since a side or a field is not known."""
    carried: list[FieldUse] = []
    fields: dict[Edge, list[FieldUse]] = {}
    for use in uses:
        ends = _field_ends(edge, use, world)
        if ends is None:
            carried.append(use)
        else:
            fields.setdefault(Edge(edge.source, edge.target, *ends), []).append(use)
    return carried, fields


def _field_ends(edge: Edge, use: FieldUse, world: World) -> tuple[int, int] | None:
    if not isinstance(edge.source, int) or not isinstance(edge.target, int) or not use.target_field:
        return None
    source, target = world.field(edge.source, use.source_field), world.field(edge.target, use.target_field)
    return None if source is None or target is None else (source, target)


def _distinct(uses: Iterable[FieldUse]) -> tuple[FieldUse, ...]:
    """Order uses, so that equal ones are equal texts; one that names no field stands for the pair alone."""
    return tuple(sorted({use for use in uses if use.source_field}))
