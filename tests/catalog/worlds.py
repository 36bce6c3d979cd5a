"""A small world of containers, and a job's memory that needs no store: what the pure parts are tried on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from streamt.catalog.reconcile import (
    Authority,
    Claim,
    Drawings,
    Edge,
    Listed,
    Node,
    Tombstone,
    asserted,
    changes,
    frontier,
    run_state,
    superseded,
)
from streamt.catalog.run_listing import Fact
from streamt.catalog.values import ALL, FieldUse, Kind, Listing, Moment, Name, Ref, Scope


def named(name: str) -> Name:
    return ("db", name)


def listing(inputs: str = "", outputs: str = "", lineage: dict[str, str | None] | None = None) -> Listing:
    """Write a listing in short: names are letters; `{"b": "a.x>y"}` derives b's field y from a's field x."""
    return Listing(
        tuple(map(named, inputs)),
        tuple(map(named, outputs)),
        {named(target): None if text is None else uses(text) for target, text in (lineage or {}).items()},
    )


def uses(text: str) -> tuple[FieldUse, ...]:
    found = []
    for part in text.split():
        source, _, target_field = part.partition(">")
        name, _, source_field = source.partition(".")
        found.append(FieldUse(named(name), source_field, target_field))
    return tuple(found)


@dataclass
class World:
    """Containers by dataset name: `{"a": [(1, 10)]}` says that a is container 1 of datastore 10."""

    containers: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    fields: dict[tuple[int, str], int] = field(default_factory=dict)
    stones: dict[Ref, list[Tombstone]] = field(default_factory=dict)
    deletions: dict[Edge, int] = field(default_factory=dict)
    hanging: set[Name] = field(default_factory=set)

    def nodes(self, name: Name, aliases: Sequence[Name]) -> Sequence[Node]:
        for one in (name, *aliases):
            found = self.containers.get(one[1])
            if found:
                return [Node(*pair) for pair in found]
        return []

    def datastore(self, ref: Ref) -> int | None:
        known = {number: datastore for pairs in self.containers.values() for number, datastore in pairs}
        return known[ref] if isinstance(ref, int) else None

    def field(self, node: int, name: str) -> int | None:
        return self.fields.get((node, name))

    def attached(self, name: Name) -> bool:
        return name in self.hanging

    def tombstones(self, ref: Ref) -> Sequence[Tombstone]:
        return self.stones.get(ref, ())

    def deleted(self, edge: Edge) -> int:
        return self.deletions.get(edge, 0)

    def remembered(self, pair: Listed, draw: Callable[[Listed, "World"], Drawings]) -> Drawings:
        return draw(pair, self)


@dataclass
class Job:
    """One job and all that was received of it."""

    world: World
    facts: list[tuple[int, Fact]] = field(default_factory=list)
    authorities: tuple[Authority, ...] = ()
    claims: dict[tuple[int, Edge], Claim] = field(default_factory=dict)
    submitters: dict[int, Scope] = field(default_factory=dict)

    def receive(
        self, kind: Kind, time: int, what: Listing, *, run: int = 1, scope: Scope = ALL, digest: bytes = b""
    ) -> None:
        run = 0 if kind is Kind.JOB else run
        moment = Moment(time, kind.rank, digest or f"{kind}{time}{run}{what}".encode())
        if any(fact.moment == moment and fact.scope.includes(scope) and of == run for of, fact in self.facts):
            return
        fact = Fact(len(self.facts) + 1, moment, kind, scope, what)
        self.facts.append((run, fact))
        if kind.is_authoritative:
            self.authorities = frontier([*self.authorities, Authority(fact.event, moment, scope, run)])
        self.refresh(run)

    def refresh(self, run: int, rights: dict[int, Scope] | None = None) -> None:
        facts = [fact for of, fact in self.facts if of == run]
        full = asserted(facts, self.authorities, self.world)
        stored = {edge: claim for (of, edge), claim in self.claims.items() if of == run}
        outcome = changes(stored, full)
        for edge in outcome.drop:
            del self.claims[run, edge]
        self.claims |= {(run, edge): claim for edge, claim in outcome.put.items()}
        for key in superseded(self.claims, self.authorities, self.world):
            del self.claims[key]

    def state(self, run: int = 1) -> Kind:
        return run_state([(fact.moment, fact.kind) for of, fact in self.facts if of == run])

    def active(self) -> set[Edge]:
        return {edge for _, edge in self.claims}

    def evidence(self) -> dict[tuple[int, Edge], tuple[Moment, bool, tuple[FieldUse, ...]]]:
        return {key: (claim.moment, claim.settled, claim.how) for key, claim in self.claims.items()}
