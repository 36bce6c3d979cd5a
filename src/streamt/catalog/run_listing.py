"""What the events of one run list together: pairs of datasets, and the column lineage in force (pure).

Source: catalog.md, C4, C7, C24; lineage-ingestion, "A run's events count together".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from streamt.catalog.values import FieldUse, Kind, Listing, Moment, Name, Scope

Pair = tuple[Name, Name]


@dataclass(frozen=True, slots=True)
class Fact:
    """An event, as it is remembered for its job.

    Attributes:
        event: its number; numbers of one job grow in the order of receipt.
        moment: when it happened.
        kind: what it is.
        scope: what its submitter could edit when it was sent.
        listing: what it says of lineage.
        submitter: who sent it; their present rights limit what a replay may add.
    """

    event: int
    moment: Moment
    kind: Kind
    scope: Scope
    listing: Listing
    submitter: int = 0


@dataclass(frozen=True, slots=True)
class Span:
    """When a pair was listed.

    Attributes:
        source: the last time its source was listed with it.
        target: the last time its target was.
    """

    source: Moment
    target: Moment

    @property
    def moment(self) -> Moment:
        """Return when the pair was last listed."""
        return max(self.source, self.target)

    def widened(self, other: "Span") -> "Span":
        """Return the later end of each side."""
        return Span(max(self.source, other.source), max(self.target, other.target))


@dataclass(slots=True)
class RunListing:
    """Everything that some events of a run list.

    Attributes:
        pairs: each source and target, with when they were listed.
        uses: the column lineage in force, by pair.
        aliases: the alternate names in force, by dataset.
        events: the number of the event of each moment.
    """

    pairs: dict[Pair, Span] = field(default_factory=dict)
    uses: dict[Pair, list[FieldUse]] = field(default_factory=dict)
    aliases: dict[Name, tuple[Name, ...]] = field(default_factory=dict)
    events: dict[Moment, int] = field(default_factory=dict)

    def add(self, source: Name, target: Name, span: Span) -> None:
        """List a pair, again or for the first time."""
        known = self.pairs.get((source, target))
        self.pairs[source, target] = span if known is None else known.widened(span)


def combine(facts: Iterable[Fact]) -> RunListing:
    """Take the events of a run together; their order of receipt does not matter."""
    ordered = sorted(facts, key=lambda fact: fact.moment)
    listing = RunListing(aliases=_aliases_in_force(ordered))
    for fact in reversed(ordered):
        listing.events[fact.moment] = fact.event  # the first received of equal ones
    _join_each(ordered, listing)
    _join_one_sided(ordered, listing)
    _add_column_lineage(ordered, listing)
    return listing


def _join_each(facts: Sequence[Fact], into: RunListing) -> None:
    """Join every input of an event with every output of it."""
    for fact in facts:
        span = Span(fact.moment, fact.moment)
        for source in fact.listing.inputs:
            for target in fact.listing.outputs:
                into.add(source, target, span)


def _join_one_sided(facts: Sequence[Fact], into: RunListing) -> None:
    """Join the inputs of events without outputs with the outputs of events without inputs (C4)."""
    sources = _last_listed((fact.moment, fact.listing.inputs) for fact in facts if not fact.listing.outputs)
    targets = _last_listed((fact.moment, fact.listing.outputs) for fact in facts if not fact.listing.inputs)
    for source, at in sources.items():
        for target, then in targets.items():
            into.add(source, target, Span(at, then))


def _add_column_lineage(facts: Sequence[Fact], into: RunListing) -> None:
    """Add the facets in force; an input that only they name counts as an input for that output (C4)."""
    inputs = _last_listed((fact.moment, fact.listing.inputs) for fact in facts)
    outputs = _last_listed((fact.moment, fact.listing.outputs) for fact in facts)
    for target, (supplied, uses) in _lineage_in_force(facts).items():
        if target not in outputs:
            continue
        for use in uses:
            into.add(use.source, target, Span(max(supplied, inputs.get(use.source, supplied)), outputs[target]))
            into.uses.setdefault((use.source, target), []).append(use)


def _last_listed(listed: Iterable[tuple[Moment, Sequence[Name]]]) -> Mapping[Name, Moment]:
    """Return when each name was listed last; `listed` is in the order of time."""
    return {name: moment for moment, names in listed for name in names}


def _lineage_in_force(facts: Sequence[Fact]) -> dict[Name, tuple[Moment, tuple[FieldUse, ...]]]:
    """Let a supplied facet replace the earlier one; `_deleted` withdraws it, an omitted one stays."""
    force: dict[Name, tuple[Moment, tuple[FieldUse, ...]]] = {}
    for fact in facts:
        for target, uses in fact.listing.lineage.items():
            if uses is None:
                force.pop(target, None)
            else:
                force[target] = (fact.moment, uses)
    return force


def _aliases_in_force(facts: Sequence[Fact]) -> dict[Name, tuple[Name, ...]]:
    force: dict[Name, tuple[Name, ...]] = {}
    for fact in facts:
        for name, aliases in fact.listing.aliases.items():
            if aliases is None:
                force.pop(name, None)
            else:
                force[name] = aliases
    return force
