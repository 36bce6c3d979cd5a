"""Claims and edges as they are stored, and the changes that reconciliation makes to them."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection, Integer, and_, bindparam, case, delete, null, select, update
from sqlalchemy import insert as insert_into

from streamt.catalog.matching import fold
from streamt.catalog.reconcile import Claim, Drawings, Edge, Listed, Node, Tombstone, World
from streamt.catalog.store.ids import PendingIds, chunks
from streamt.catalog.store.ledger import dump_uses, load_uses, name_id
from streamt.catalog.store.resolving import Registered, Registry, field_number, fields_of, resolve
from streamt.catalog.store.statements import Later, Statement, inserting, is_among, selecting, several, upserting
from streamt.catalog.store.tables import Big, asset, claim, edge, edge_history, ident, scope, tombstone
from streamt.catalog.values import Moment, Name, Ref, Scope

OPENLINEAGE, MANUAL = "openlineage", "manual"


class Slot(NamedTuple):
    """Where a claim is kept: the job's truth (0), or a run in progress."""

    edge: Edge
    run: int


class Stored(NamedTuple):
    """A claim as it is stored.

    Attributes:
        edge_id: the edge's number.
        deleted_at: when a person deleted the edge last.
        run: the run that asserts it; 0 for a job definition.
        claim: what it says.
    """

    edge_id: int
    deleted_at: int
    run: int
    claim: Claim


@dataclass
class LoadedWorld:
    """What reconciliation asks, answered from what was read for one job."""

    conn: Connection
    ids: PendingIds
    later: Later
    resolved: Mapping[Name, tuple[Node, ...]]
    fields: Mapping[int, Mapping[str, Sequence[Registered]]]
    stored: Mapping[Slot, Stored]
    stones: Mapping[Ref, Sequence[Tombstone]] = field(default_factory=dict)
    known_edges: dict[Edge, tuple[int, int]] = field(default_factory=dict)
    _asked: set[tuple[Ref, Ref]] = field(default_factory=set)
    _hanging: frozenset[Name] = frozenset()
    _stores: dict[int, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Remember what the stored claims tell of edges."""
        sides = [side for slot in self.stored for side in (slot.edge.source, slot.edge.target)]
        self._hanging = frozenset(side for side in sides if not isinstance(side, int))
        for slot, one in self.stored.items():
            self.known_edges[slot.edge] = (one.edge_id, one.deleted_at)

    def nodes(self, name: Name, aliases: Sequence[Name]) -> Sequence[Node]:
        """Return the containers that a dataset means: by its own name, else by the first alias that matches."""
        return next((found for one in (name, *aliases) if (found := self.resolved.get(one, ()))), ())

    def datastore(self, ref: Ref) -> int | None:
        """Return the datastore of a container; None for an outside asset."""
        if not isinstance(ref, int):
            return None
        if ref not in self._stores:
            self._stores[ref] = asset_of(self.conn, self.ids, ref)[0]
        return self._stores[ref]

    def field(self, node: int, name: str) -> int | None:
        """Return the number of a container's field."""
        return field_number(self.fields.get(node, {}), name)

    def attached(self, name: Name) -> bool:
        """Report whether the job has claims on the outside asset of this name."""
        return name in self._hanging

    def tombstones(self, ref: Ref) -> Sequence[Tombstone]:
        """Return when the dataset was dropped or renamed."""
        return self.stones.get(ref, ())

    def deleted(self, one: Edge) -> int:
        """Return when a person deleted the edge last, in nanoseconds; 0 if nobody did."""
        return self.edge(one)[1]

    def edge(self, one: Edge) -> tuple[int, int]:
        """Return an edge's number, 0 if there is none yet, and when it was deleted last."""
        if one not in self.known_edges and (one.source, one.target) not in self._asked:
            self._asked.add((one.source, one.target))
            self._load_edges(one.source, one.target)
        return self.known_edges.get(one, (0, 0))

    def remembered(self, pair: Listed, draw: Callable[[Listed, World], Drawings]) -> Drawings:
        """Return what was drawn for this pair before, as long as containers and fields are the same; else draw it."""
        known = self.ids.large(pair)
        if known is None:
            known = draw(pair, self)
            self.ids.learn_large(pair, known)
        return known  # type: ignore[no-any-return]

    def _load_edges(self, source: Ref, target: Ref) -> None:
        numbers = [asset_number(self.conn, self.ids, ref) for ref in (source, target)]
        if None in numbers:
            return
        found = _BETWEEN.run(self.conn, source=numbers[0], target=numbers[1], by=OPENLINEAGE)
        for number, source_field, target_field, deleted_at in found:
            self.known_edges.setdefault(Edge(source, target, source_field, target_field), (number, deleted_at))


_BETWEEN = selecting(
    select(edge.c.id, edge.c.source_field, edge.c.target_field, edge.c.deleted_at).where(
        edge.c.source_id == bindparam("source"),
        edge.c.target_id == bindparam("target"),
        edge.c.origin == bindparam("by"),
    )
)


def load_world(
    ids: PendingIds,
    later: Later,
    registry: Registry,
    names: Iterable[Name],
    stored: Mapping[Slot, Stored],
) -> LoadedWorld:
    """Read what reconciliation of a job will ask, but for tombstones, which are rare: `load_stones` adds them.

    Args:
        ids: the numbers that are known.
        later: takes what is written.
        registry: the datastores.
        names: every dataset that the job's events mention.
        stored: the job's claims.
    """
    conn = later.conn
    resolved = resolve(conn, registry, ids, names)
    nodes = {node.id for found in resolved.values() for node in found}
    return LoadedWorld(conn, ids, later, resolved, fields_of(conn, ids, nodes), stored)


_ANY_STONE = selecting(select(tombstone.c.id).limit(1))


def has_stones(conn: Connection) -> bool:
    """Report whether any dataset was ever dropped or renamed."""
    return _ANY_STONE.scalar(conn) is not None


def load_stones(world: LoadedWorld) -> None:
    """Read the tombstones of the datasets, by their own names and by those of the same containers."""
    conn, resolved = world.conn, world.resolved
    numbers = {name_id(conn, world.ids, name): name for name in resolved}
    stones: dict[Ref, list[Tombstone]] = {}
    query = select(tombstone.c.name_id, tombstone.c.asset_id, tombstone.c.event_time, scope.c.datastores).join(
        scope, scope.c.id == tombstone.c.scope_id
    )
    for some in chunks(numbers):
        for named, _, time, text in conn.execute(query.where(tombstone.c.name_id.in_(some))):
            stone = Tombstone(time, Scope.parse(text))
            refs: list[Ref] = [numbers[named], *(node.id for node in resolved[numbers[named]])]
            for ref in refs:
                stones.setdefault(ref, []).append(stone)
    for some in chunks({node.id for found in resolved.values() for node in found}):
        for _, number, time, text in conn.execute(query.where(tombstone.c.asset_id.in_(some))):
            stones.setdefault(number, []).append(Tombstone(time, Scope.parse(text)))
    world.stones = stones


def asset_of(conn: Connection, ids: PendingIds, number: int) -> tuple[int | None, str, str]:
    """Return an asset's datastore (None outside the catalog), namespace and name; none of them ever changes."""
    known = ids.value("asset", number)
    if known is None:
        known = tuple(_ASSET.first(conn, number=number))
        ids.learn("asset", number, known)
    return known  # type: ignore[no-any-return]


_ASSET = selecting(
    select(asset.c.datastore_id, asset.c.namespace, asset.c.name).where(asset.c.id == bindparam("number"))
)


def outside_ident(name: Name) -> bytes:
    """Return what tells an asset outside the catalog from all others."""
    return ident("outside", *name)


def asset_number(conn: Connection, ids: PendingIds, ref: Ref) -> int | None:
    """Return the number of a node; None for an outside asset that is not kept yet."""
    return ref if isinstance(ref, int) else ids.find(conn, asset, outside_ident(ref))


def _made_asset(conn: Connection, ids: PendingIds, ref: Ref) -> int:
    if isinstance(ref, int):
        return ref
    namespace, name = ref
    return ids.of(
        conn,
        asset,
        outside_ident(ref),
        datastore_id=None,
        key=outside_ident(ref),
        namespace=namespace,
        name=name,
        kind="",
        search=fold(f"{name}\n{namespace}"),
    )


def claims_of_job(conn: Connection, ids: PendingIds, job_number: int) -> dict[Slot, Stored]:
    """Return all claims of a job."""
    return claims_of_jobs(conn, ids, [job_number])[job_number]


def claims_of_jobs(conn: Connection, ids: PendingIds, numbers: Sequence[int]) -> dict[int, dict[Slot, Stored]]:
    """Return all claims of some jobs.

    On PostgreSQL nobody else takes one away until the transaction ends: what is decided from them would be wrong.
    """
    found: dict[int, dict[Slot, Stored]] = {number: {} for number in numbers}
    for row in _CLAIMS.run(conn, numbers=several(conn, numbers)):
        ends = (_ref(conn, ids, row.source_id), _ref(conn, ids, row.target_id))
        moment = Moment(row.event_time, row.rank, row.digest)
        how = load_uses(json.loads(row.how)) if row.how else ()
        said = Claim(row.event_id, moment, row.slot == 0, row.source_time, row.target_time, how)
        key = Slot(Edge(*ends, row.source_field, row.target_field), row.slot)
        found[row.job_id][key] = Stored(row.edge_id, row.deleted_at, row.run_id, said)
    return found


def _claims(dialect: str) -> Any:
    ends = (edge.c.source_id, edge.c.target_id, edge.c.source_field, edge.c.target_field, edge.c.deleted_at)
    query = select(claim, *ends).join(edge, edge.c.id == claim.c.edge_id)
    query = query.where(is_among(dialect, claim.c.job_id, "numbers"))
    if dialect == "sqlite":
        return query
    return query.order_by(claim.c.edge_id, claim.c.job_id).with_for_update(of=claim)


_CLAIMS = Statement(_claims)


def _ref(conn: Connection, ids: PendingIds, number: int) -> Ref:
    store, namespace, name = asset_of(conn, ids, number)
    return number if store is not None else (namespace, name)


@dataclass(slots=True)
class Tally:
    """What a change did.

    Attributes:
        put: how many claims were made or renewed.
        dropped: how many were lost.
        stored: the claims of the job as they are now.
    """

    put: int = 0
    dropped: int = 0
    stored: Mapping[Slot, Stored] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cause:
    """Because of what a change happens: an event, or a person."""

    at: int
    event: int | None = None
    account: int | None = None


def write_claims(world: LoadedWorld, job_number: int, after: Mapping[Slot, tuple[int, Claim]], cause: Cause) -> Tally:
    """Make the claims of a job what they should be.

    Args:
        world: what was read, with the claims as they are.
        job_number: the job.
        after: every claim that the job has from now on, with its run.
        cause: because of what.
    """
    before, later = world.stored, world.later
    _make_edges(world, {slot.edge for slot in after.keys() - before.keys()}, cause)
    deltas: dict[int, int] = {}
    stored: dict[Slot, Stored] = {}
    put = 0
    for slot, (run, said) in after.items():
        old = before.get(slot)
        if old is not None and old.run == run and old.claim == said:
            stored[slot] = old
            continue
        now = stored[slot] = Stored(*(old[:2] if old is not None else world.edge(slot.edge)), run, said)
        later.add(_UPSERT, _row(job_number, slot.run, now))
        put += 1
        if old is None:
            deltas[now.edge_id] = deltas.get(now.edge_id, 0) + 1
    gone = [slot for slot in before if slot not in after]
    for slot in gone:
        number = before[slot].edge_id
        later.add(_DELETE, {"job": job_number, "edge": number, "number": slot.run})
        deltas[number] = deltas.get(number, 0) - 1
    count_evidence(world.conn, deltas, cause)
    return Tally(put, len(gone), stored)


_DELETE = selecting(
    delete(claim).where(
        claim.c.job_id == bindparam("job"), claim.c.edge_id == bindparam("edge"), claim.c.slot == bindparam("number")
    ),
    stage=1,
)


def _row(job_number: int, slot: int, one: Stored) -> dict[str, Any]:
    said = one.claim
    return {
        "job_id": job_number,
        "edge_id": one.edge_id,
        "slot": slot,
        "run_id": one.run,
        "event_id": said.event,
        "event_time": said.moment.time,
        "rank": said.moment.rank,
        "digest": said.moment.digest,
        "source_time": said.source_time,
        "target_time": said.target_time,
        "how": json.dumps(dump_uses(said.how), ensure_ascii=False, separators=(",", ":")) if said.how else "",
    }


_UPSERT = upserting(
    claim,
    ("job_id", "edge_id", "slot"),
    "run_id",
    "event_id",
    "event_time",
    "rank",
    "digest",
    "source_time",
    "target_time",
    "how",
    stage=2,
)


def _make_edges(world: LoadedWorld, wanted: Iterable[Edge], cause: Cause) -> None:
    """Make the edges that do not exist, in one order for all servers."""
    for one in sorted((one for one in wanted if not world.edge(one)[0]), key=repr):
        world.known_edges[one] = (_make_edge(world, one, cause), 0)


def _make_edge(world: LoadedWorld, one: Edge, cause: Cause) -> int:
    values = {
        "source_id": _made_asset(world.conn, world.ids, one.source),
        "target_id": _made_asset(world.conn, world.ids, one.target),
        "source_field": one.source_field,
        "target_field": one.target_field,
        "origin": OPENLINEAGE,
    }
    return make_edge(world.conn, values, cause)


def make_edge(conn: Connection, identity: Mapping[str, object], cause: Cause) -> int:
    """Return the number of an edge, which is made without evidence if it is new."""
    rest = {"evidence_count": 0, "created_at": cause.at, "deleted_at": 0, "description": ""}
    number = _ADD_EDGE.scalar(conn, **identity, **rest)
    if number is not None:
        return int(number)
    same = and_(*(edge.c[name] == value for name, value in identity.items()))
    return int(conn.scalars(select(edge.c.id).where(same)).one())


_IDENTITY = ("source_id", "target_id", "source_field", "target_field", "origin")
_ADD_EDGE = inserting(
    edge,
    *_IDENTITY,
    "evidence_count",
    "created_at",
    "deleted_at",
    "description",
    ignore=True,
    returning=True,
)


def count_evidence(conn: Connection, deltas: Mapping[int, int], cause: Cause) -> None:
    """Count the records of edges up or down; an edge retires with its last record, and returns with a new one.

    The rows are locked in the order of their numbers: two jobs that drop the last two records of an edge at the same
    time would each still see the other's record otherwise (C17). The lock is that of an update which keeps the key:
    a stronger one would wait for all that have written a record of the same edge, and they for each other.
    """
    moved = {number: delta for number, delta in deltas.items() if delta}
    if not moved:
        return
    if conn.dialect.name != "sqlite":
        _LOCK.run(conn, numbers=sorted(moved))
    history = []
    because = {"at": cause.at, "event": cause.event, "account": cause.account}
    for delta in sorted(set(moved.values())):
        numbers = several(conn, sorted(number for number, one in moved.items() if one == delta))
        for number, count in _COUNT.run(conn, numbers=numbers, delta=delta, **because):
            if count in (0, delta):
                what = "retired" if count == 0 else "asserted"
                history.append({"edge_id": number, "what": what, **because})
    if history:
        _REMEMBER.run_many(conn, history)


def _count(dialect: str) -> Any:
    count = edge.c.evidence_count + bindparam("delta", type_=Integer)
    values = {
        "evidence_count": count,
        "retired_at": case((count == 0, bindparam("at", type_=Big)), else_=null()),
        "retired_event": case((count == 0, bindparam("event", type_=Big)), else_=null()),
        "retired_by": case((count == 0, bindparam("account", type_=Big)), else_=null()),
    }
    among = is_among(dialect, edge.c.id, "numbers")
    return update(edge).where(among).values(values).returning(edge.c.id, edge.c.evidence_count)


def _lock(dialect: str) -> Any:
    among = is_among(dialect, edge.c.id, "numbers")
    return select(edge.c.id).where(among).order_by(edge.c.id).with_for_update(key_share=True)


_COUNT, _LOCK = Statement(_count), Statement(_lock)
_REMEMBER = selecting(
    insert_into(edge_history).values(
        edge_id=bindparam("edge_id"),
        at=bindparam("at"),
        what=bindparam("what"),
        event_id=bindparam("event"),
        account_id=bindparam("account"),
    )
)


def drop_claims(conn: Connection, which: Any, cause: Cause) -> int:
    """Remove claims of any job, and count the evidence of their edges down.

    Args:
        conn: the transaction.
        which: a condition on `claim`, joined with `edge`.
        cause: because of what.

    Returns:
        How many there were.
    """
    query = select(claim.c.job_id, claim.c.edge_id, claim.c.slot).join(edge, edge.c.id == claim.c.edge_id)
    if conn.dialect.name != "sqlite":
        query = query.with_for_update(of=claim)
    rows = conn.execute(query.where(which).order_by(claim.c.edge_id, claim.c.job_id)).all()
    deltas: dict[int, int] = {}
    for _, edge_number, _ in rows:
        deltas[edge_number] = deltas.get(edge_number, 0) - 1
    if rows:
        _DELETE.run_many(conn, [{"job": one, "edge": two, "number": three} for one, two, three in rows])
    count_evidence(conn, deltas, cause)
    return len(rows)
