"""One event, or one replay, in one transaction: what is known is read, reconciliation decides, the changes are written.

Source: lineage-ingestion; catalog.md, "Order", C5, C7, C12, C16, C25.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, and_, or_, select

from streamt.catalog.access import Caller
from streamt.catalog.ahead import Ahead
from streamt.catalog.events import DatasetSays, Event, EventProblem, InvalidEventError
from streamt.catalog.known_jobs import JobState, KnownJobs
from streamt.catalog.reconcile import Authority, Claim, Claims, Edge, Node, asserted, changes, superseded
from streamt.catalog.run_listing import Fact, combine
from streamt.catalog.store import claims, describing, ledger
from streamt.catalog.store.claims import Cause, LoadedWorld, Slot, Tally
from streamt.catalog.store.ids import PendingIds, insert
from streamt.catalog.store.resolving import Registry, fields_of, resolve
from streamt.catalog.store.statements import Later
from streamt.catalog.store.tables import claim, edge, run, tombstone
from streamt.catalog.values import ALL, Kind, Listing, Moment, Name, Scope

MAX_RELATIONSHIPS = 10_000

Rights = Callable[[int], Scope]
"""Return what a user may edit at present."""


@dataclass(frozen=True, slots=True)
class Submission:
    """An event on its way in.

    Attributes:
        raw: its bytes.
        digest: of them.
        event: what was read of it, or what is wrong with it.
        caller: who sends it.
    """

    raw: bytes
    digest: bytes
    event: Event | InvalidEventError
    caller: Caller


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an event (C12).

    Attributes:
        event: its number.
        status: `applied`, `stored`, `unchanged`, `rejected` or `denied`.
        matched: the containers of each dataset that the caller may see.
        unmatched: each dataset that means no container, with the reason.
        asserted: how many edges it asserts.
        withdrawn: how many records it took away.
        denied: how many matches the caller may not edit.
        problems: what is wrong with a rejected event.
    """

    event: int
    status: str
    matched: tuple[tuple[Name, tuple[int, ...]], ...] = ()
    unmatched: tuple[tuple[Name, str], ...] = ()
    asserted: int = 0
    withdrawn: int = 0
    denied: int = 0
    problems: tuple[EventProblem, ...] = ()


@dataclass(slots=True)
class Work:
    """One transaction's means.

    Attributes:
        conn: the connection.
        ids: the numbers that are known.
        later: takes what is written; it is written by `flush`, before the commit.
        registry: the datastores.
        rights: what users may edit at present.
        now: the server's time, in nanoseconds.
        jobs: what is known of jobs, where nobody else can have changed it; None where somebody can.
        ahead: what was read for several events together.
    """

    conn: Connection
    ids: PendingIds
    later: Later
    registry: Registry
    rights: Rights
    now: int
    jobs: KnownJobs | None = None
    ahead: Ahead = field(default_factory=Ahead)
    _stones: bool | None = None

    def has_stones(self) -> bool:
        """Report whether any dataset was dropped or renamed; asked once where nobody else can have done it since."""
        if self._stones is None or self.jobs is None:
            self._stones = claims.has_stones(self.conn)
        return self._stones

    def expect_stones(self) -> None:
        """Ask for tombstones again, since one is added."""
        self._stones = None


def apply(work: Work, submission: Submission) -> Outcome:
    """Store an event and do what it says; it is in the store after `work.later.flush()`."""
    job = getattr(submission.event, "job", None)
    work.later.claim(submission.digest, *([job] if job else ()))
    scope = submission.caller.editable
    received = ledger.Received(submission.raw, submission.digest, submission.caller.user, scope, work.now)
    told = submission.event
    if isinstance(told, InvalidEventError):
        return _rejected(work, received, None, told.problems)
    before = work.ahead.seen_before(work.conn, submission.digest, submission.caller.user)
    if any(earlier.includes(scope) for _, earlier in before):
        return Outcome(before[0][0], "unchanged")
    nodes = resolve(work.conn, work.registry, work.ids, _names(told))
    attempted = relationships(told.listing, nodes, scope)
    if attempted > MAX_RELATIONSHIPS:
        detail = f"{attempted} relationships are more than {MAX_RELATIONSHIPS}; use a job for each independent part"
        return _rejected(work, received, told, (EventProblem("", detail),))
    outcome = _matching(told, nodes, submission.caller)
    if any(nodes.values()) and not any(_within(some, scope) for some in nodes.values()):
        job_number = ledger.job_id(work.conn, work.ids, told.job) if told.job else None
        number = ledger.store_event(work.ids, work.later, received, told, ledger.Fate(ledger.DENIED, "", job_number))
        return replace(outcome, event=number, status="denied")
    return _accepted(work, received, told, nodes, outcome)


def relationships(listing: Listing, nodes: Mapping[Name, Sequence[Node]], scope: Scope) -> int:
    """Return how many relationships an event attempts, fields and writable matches included (C25)."""

    def width(name: Name) -> int:
        found = nodes.get(name, ())
        return len(_within(found, scope)) if found else 1

    tables = sum(map(width, listing.inputs)) * sum(map(width, listing.outputs))
    listed = set(listing.inputs)
    for target, uses in listing.lineage.items():
        only_there = {use.source for use in uses or ()} - listed
        tables += sum(map(width, only_there)) * width(target)
        tables += sum(width(use.source) * width(target) for use in uses or () if use.target_field)
    return tables


def _within(nodes: Sequence[Node], scope: Scope) -> Sequence[Node]:
    """Return the containers that are in a scope."""
    return nodes if scope.datastores is None else [node for node in nodes if node.datastore in scope.datastores]


def _names(told: Event) -> set[Name]:
    return {*told.listing.names(), *(says.name for says in told.says), *told.dropped}


def _rejected(work: Work, received: ledger.Received, told: Event | None, problems: Iterable[EventProblem]) -> Outcome:
    found = tuple(problems)
    text = json.dumps([{"pointer": one.pointer, "detail": one.detail} for one in found])
    number = ledger.store_event(
        work.ids,
        work.later,
        received,
        replace(told, listing=Listing()) if told else None,
        ledger.Fate(ledger.REJECTED, text),
    )
    return Outcome(number, "rejected", problems=found)


def _matching(told: Event, nodes: Mapping[Name, Sequence[Node]], caller: Caller) -> Outcome:
    """Say what each dataset means, as far as the caller may see it."""
    scope, viewable = caller.editable, caller.viewable
    matched, unmatched, denied = [], [], 0
    own = dict.fromkeys((*told.listing.inputs, *told.listing.outputs, *(says.name for says in told.says)))
    for name in own:
        others = told.listing.aliases.get(name) or ()
        found = next((nodes[one] for one in (name, *others) if nodes.get(one)), ())
        visible = tuple(node.id for node in _within(found, viewable))
        denied += len(found) - len(_within(found, scope))
        if visible:
            matched.append((name, visible))
        else:
            unmatched.append((name, "no container that you may see has this name"))
    return Outcome(0, "", tuple(matched), tuple(unmatched), denied=denied)


def _accepted(
    work: Work, received: ledger.Received, told: Event, nodes: Mapping[Name, tuple[Node, ...]], outcome: Outcome
) -> Outcome:
    conn = work.conn
    job_number = run_number = None
    is_first = True
    if told.job:
        job_number = ledger.job_id(conn, work.ids, told.job)
        if told.run:
            row = work.ahead.run(conn, job_number, told.run)
            run_number, is_first = ledger.run_id(work.ids, work.later, job_number, told, row)
        ledger.note_job(work.later, job_number, told)
    status = ledger.APPLIED if any(nodes.values()) else ledger.STORED
    fate = ledger.Fate(status, "", job_number, run_number)
    number = ledger.store_event(work.ids, work.later, received, told, fate)
    fact = Fact(number, told.moment, told.kind, received.scope, told.listing, received.submitter)
    cause = Cause(work.now, number)
    withdrawn = _bury(work, fact, told.dropped, nodes, cause)
    tally = _reconcile(work, (job_number, run_number), fact, cause, is_first=is_first) if job_number else Tally()
    _describe(work, told, nodes, received.scope, cause)
    return replace(outcome, event=number, status=status, asserted=tally.put, withdrawn=withdrawn + tally.dropped)


def _reconcile(work: Work, at: tuple[int, int | None], fact: Fact, cause: Cause, *, is_first: bool) -> Tally:
    """Decide what an event's run, or the job's definition, asserts from now on, and what becomes of the rest."""
    job_number, run_number = at
    new = Authority(fact.event, fact.moment, fact.scope, run_number or 0) if fact.kind.is_authoritative else None
    job = _load_job(work, job_number, new)
    if run_number is None:
        earlier = [one for one in job.authorities if one.event != fact.event]
        facts = ledger.facts_of_definitions(work.conn, work.ids, earlier)
        facts += [fact] if new in job.authorities else []
    else:
        before = [] if is_first else ledger.facts_of_run(work.conn, work.ids, run_number)
        facts = [*(one for one in before if one.event != fact.event), fact]
        if not is_first:
            ledger.note_state(work.later, run_number, facts)
    return _settle(work, job, {run_number or 0: facts}, cause)


def _load_job(work: Work, number: int, new: Authority | None = None) -> JobState:
    """Read a job, with a new truth of it if there is one."""
    known = work.jobs.get(number) if work.jobs is not None else None
    authorities = known.authorities if known else ledger.authorities_of(work.conn, number)
    if new is not None:
        authorities = ledger.add_authority(work.ids, work.later, number, authorities, new)
    return JobState(number, authorities, known.stored if known else claims.claims_of_job(work.conn, work.ids, number))


def _settle(work: Work, job: JobState, facts: Mapping[int, Sequence[Fact]], cause: Cause) -> Tally:
    """Make a job's claims what some of its runs (0: its definitions) assert by all that is known."""
    names = {name for some in facts.values() for fact in some for name in fact.listing.names()}
    world = claims.load_world(work.ids, work.later, work.registry, names, job.stored)
    if work.has_stones():
        claims.load_stones(world)
    after = {slot: (one.run, one.claim) for slot, one in job.stored.items()}
    for number, some in facts.items():
        full = asserted(some, job.authorities, world)
        allowed = _allowed(work, some, job, world, full)
        _decide(after, number, full, allowed)
    keys = {(slot.run, slot.edge): said for slot, (_, said) in after.items()}
    for slot_run, one in superseded(keys, job.authorities, world):
        del after[Slot(one, slot_run)]
    tally = claims.write_claims(world, job.number, after, cause)
    if work.jobs is not None:
        work.jobs.put(replace(job, stored=tally.stored))
    return tally


def _decide(after: dict[Slot, tuple[int, Claim]], number: int, full: Claims, allowed: Claims) -> None:
    """Change the claims of one run, or of the job's definitions, in `after`."""
    present = {slot.edge: said for slot, (of, said) in after.items() if of == number}
    outcome = changes(present, full, allowed)
    for one in outcome.drop:
        del after[_slot(one, present[one], number)]
    for one, said in outcome.put.items():
        if one in present:
            del after[_slot(one, present[one], number)]
        after[_slot(one, said, number)] = (number, said)


def _slot(one: Edge, said: Claim, number: int) -> Slot:
    return Slot(one, 0 if said.settled else number)


def _allowed(work: Work, facts: Sequence[Fact], job: JobState, world: LoadedWorld, full: Claims) -> Claims:
    """Return what may be added: within the scopes of then and the present rights of those who sent it (C16)."""
    scopes = [fact.scope.limited_to(work.rights(fact.submitter)) for fact in facts]
    if all(scope == fact.scope for scope, fact in zip(scopes, facts, strict=True)):
        return full
    limited = [replace(fact, scope=scope) for scope, fact in zip(scopes, facts, strict=True)]
    return asserted(limited, job.authorities, world)


def replay(work: Work, job_number: int) -> Tally:
    """Apply what is remembered of a job again, since datasets that it names were registered."""
    conn, job = work.conn, _load_job(work, job_number)
    truths = [one.run for one in job.authorities if one.run]
    everything = max((one.moment.time for one in job.authorities if one.scope == ALL), default=-(2**63))
    is_open = and_(run.c.state == int(Kind.RUNNING), run.c.latest_at >= everything)
    query = select(run.c.id).where(run.c.job_id == job_number, or_(is_open, run.c.id.in_(truths)))
    facts = {number: ledger.facts_of_run(conn, work.ids, number) for number in conn.scalars(query)}
    facts[0] = ledger.facts_of_definitions(conn, work.ids, job.authorities)
    tally = _settle(work, job, facts, Cause(work.now))
    work.later.flush()
    return tally


def end_job(work: Work, job_number: int, caller: Caller, producer: str) -> Tally:
    """Say in a person's name that a job reads and writes nothing more, within what they may edit (C19)."""
    scope = caller.editable
    told = Event(Kind.JOB, Moment(work.now, Kind.JOB.rank), producer)
    received = ledger.Received(b"", b"", caller.user, scope, work.now)
    fate = ledger.Fate(ledger.STORED, "", job_number)
    number = ledger.store_event(work.ids, work.later, received, told, fate)
    job = _load_job(work, job_number, Authority(number, told.moment, scope, 0))
    work.later.flush()
    facts = {0: ledger.facts_of_definitions(work.conn, work.ids, job.authorities)}
    tally = _settle(work, job, facts, Cause(work.now, number, caller.user))
    work.later.flush()
    return tally


def _bury(work: Work, fact: Fact, dropped: Sequence[Name], nodes: Mapping[Name, tuple[Node, ...]], cause: Cause) -> int:
    """Remember that datasets were dropped or renamed, and retire what was asserted of them until then."""
    withdrawn = 0
    if dropped:
        work.later.flush()  # tombstones refer to the event, and claims of all jobs are looked at
        work.expect_stones()
        if work.jobs is not None:
            work.jobs.clear()
    for name in dropped:
        numbers: list[int | None] = [node.id for node in _within(nodes.get(name, ()), fact.scope)]
        if not nodes.get(name):
            numbers.append(claims.asset_number(work.conn, work.ids, name))
        for number in numbers or [None]:
            row = {
                "name_id": ledger.name_id(work.conn, work.ids, name),
                "asset_id": number if nodes.get(name) else None,
                "event_time": fact.moment.time,
                "scope_id": ledger.scope_id(work.conn, work.ids, fact.scope),
                "event_id": fact.event,
            }
            work.conn.execute(insert(work.conn, tombstone).values(row))
            if number is not None:
                withdrawn += _retire_dropped(work, number, fact, cause)
    return withdrawn


def _retire_dropped(work: Work, number: int, fact: Fact, cause: Cause) -> int:
    """Retire the edges of a dropped dataset, both of whose ends the submitter may edit."""
    time = fact.moment.time
    touching = or_(
        and_(edge.c.source_id == number, claim.c.source_time <= time),
        and_(edge.c.target_id == number, claim.c.target_time <= time),
    )
    if fact.scope != ALL:
        query = select(edge.c.id, edge.c.source_id, edge.c.target_id).where(
            or_(edge.c.source_id == number, edge.c.target_id == number)
        )
        allowed = [
            one.id
            for one in work.conn.execute(query)
            if fact.scope.covers(_datastores(work, one.source_id, one.target_id))
        ]
        touching = and_(touching, edge.c.id.in_(allowed))
    return claims.drop_claims(work.conn, touching, cause)


def _datastores(work: Work, *assets: int) -> list[int]:
    stores = (claims.asset_of(work.conn, work.ids, number)[0] for number in assets)
    return [store for store in stores if store is not None]


def _describe(work: Work, told: Event, nodes: Mapping[Name, tuple[Node, ...]], scope: Scope, cause: Cause) -> None:
    """Keep what an event says of datasets, for the containers that its submitter may edit."""
    telling = [says for says in told.says if says.attributes]
    if not telling:
        return
    aliases = combine([Fact(0, told.moment, told.kind, scope, told.listing)]).aliases if told.job else {}
    for says in telling:
        found = next((nodes[one] for one in (says.name, *aliases.get(says.name, ())) if nodes.get(one)), ())
        for node in _within(found, scope):
            _describe_one(work, told, says, node, cause)


def _describe_one(work: Work, told: Event, says: DatasetSays, node: Node, cause: Cause) -> None:
    fields: Mapping[str, Any] = fields_of(work.conn, work.ids, [node.id])[node.id]
    for attribute, value in says.attributes.items():
        said = describing.Said(node.id, attribute, "openlineage", told.moment, value, producer=told.producer)
        describing.report(work.conn, work.ids, said, cause, fields)
