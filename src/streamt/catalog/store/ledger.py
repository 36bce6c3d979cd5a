"""Events, runs, truths and claims: what the store remembers for reconciliation."""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Connection,
    LargeBinary,
    Text,
    any_,
    bindparam,
    delete,
    or_,
    select,
    update,
)

from streamt.catalog.events import Event
from streamt.catalog.matching import fold, parse_namespace, tail
from streamt.catalog.reconcile import Authority, frontier, run_state
from streamt.catalog.run_listing import Fact
from streamt.catalog.store.ids import PendingIds
from streamt.catalog.store.statements import Later, Statement, inserting, is_among, selecting, several
from streamt.catalog.store.tables import (
    authority,
    code,
    dataset_name,
    event,
    event_body,
    event_seen,
    ident,
    job,
    job_listing,
    listing,
    listing_name,
    run,
    scope,
)
from streamt.catalog.values import FieldUse, Kind, Listing, Moment, Name, Scope, Transformation

APPLIED, STORED, REJECTED, DENIED = "applied", "stored", "rejected", "denied"
PLAIN, ZLIB = 0, 1


@dataclass(frozen=True, slots=True)
class Received:
    """What is kept of an event, whatever became of it.

    Attributes:
        raw: its bytes as they came.
        digest: of them.
        submitter: who sent it.
        scope: what they could edit then.
        at: the server's time.
    """

    raw: bytes
    digest: bytes
    submitter: int
    scope: Scope
    at: int


def scope_id(conn: Connection, ids: PendingIds, value: Scope) -> int:
    """Return the number of a scope."""
    text = str(value)
    return ids.of(conn, scope, ident(text), datastores=text)


def seen(conn: Connection, digest: bytes, submitter: int) -> list[tuple[int, Scope]]:
    """Return the events of this body from this submitter, with the scopes that they had."""
    rows = _SEEN.run(conn, digest=digest, submitter=submitter)
    return [(row.event_id, Scope.parse(row.datastores)) for row in rows]


def all_seen(conn: Connection, digests: Sequence[bytes]) -> dict[tuple[bytes, int], list[tuple[int, Scope]]]:
    """Return the events of some bodies, by body and submitter, with the scopes that they had; on PostgreSQL."""
    found: dict[tuple[bytes, int], list[tuple[int, Scope]]] = {}
    for row in _ALL_SEEN.run(conn, digests=list(digests)):
        found.setdefault((row.digest, row.submitter_id), []).append((row.event_id, Scope.parse(row.datastores)))
    return found


_OF_SEEN = (
    select(event_seen.c.digest, event_seen.c.submitter_id, event_seen.c.event_id, scope.c.datastores)
    .join(scope, scope.c.id == event_seen.c.scope_id)
    .order_by(event_seen.c.event_id)
)
_SEEN = selecting(
    _OF_SEEN.where(event_seen.c.digest == bindparam("digest"), event_seen.c.submitter_id == bindparam("submitter"))
)
_ALL_SEEN = selecting(_OF_SEEN.where(event_seen.c.digest == any_(bindparam("digests", type_=ARRAY(LargeBinary)))))


@lru_cache(1_000)
def job_key(name: Name) -> bytes:
    """Return what tells a job from all others, in the store and for locks."""
    return ident("job", *name)


def job_id(conn: Connection, ids: PendingIds, name: Name) -> int:
    """Return the number of a job, which is made if it is new."""
    key = job_key(name)
    known = ids.get(job, key)
    if known is not None:
        return known
    search = fold("\n".join(name))
    rest = {"search": search, "producer": "", "latest_at": -(2**63), "about": "{}"}
    return ids.of(conn, job, key, namespace=name[0], name=name[1], **rest)


def note_job(later: Later, number: int, told: Event) -> None:
    """Keep the producer and the description of the job's latest event."""
    about = {key: value for key, value in told.about_job.items() if key not in _OF_RUNS}
    values = {"number": number, "new_producer": told.producer, "at": told.moment.time}
    if about:
        later.add(_NOTE_ABOUT, {**values, "new_about": json.dumps(about)})
    else:
        later.add(_NOTE, values)


_NEWER = update(job).where(job.c.id == bindparam("number"), job.c.latest_at <= bindparam("at"))
_PRODUCER: dict[str, Any] = {"producer": bindparam("new_producer"), "latest_at": bindparam("at")}
_NOTE = selecting(_NEWER.values(_PRODUCER))
_NOTE_ABOUT = selecting(_NEWER.values({**_PRODUCER, "about": bindparam("new_about")}))


_OF_RUNS = ("parent", "nominal_time", "error_message")


def find_run(conn: Connection, job_number: int, uuid: str | None) -> Any:
    """Return what is kept of a run; None if nothing is."""
    return _FIND_RUN.first(conn, job=job_number, uuid=uuid)


def find_runs(conn: Connection, jobs: Sequence[int], uuids: Sequence[str]) -> dict[tuple[int, str], Any]:
    """Return what is kept of some runs of some jobs, by job and id; on PostgreSQL."""
    rows = _FIND_RUNS.run(conn, jobs=list(jobs), uuids=list(uuids))
    return {(row.job_id, row.uuid): row for row in rows}


def run_id(ids: PendingIds, later: Later, job_number: int, told: Event, row: Any) -> tuple[int, bool]:
    """Return the number of an event's run, of which `row` is kept, and whether the event is its first."""
    time = told.moment.time
    about = {key: value for key, value in told.about_job.items() if key in _OF_RUNS}
    if row is None:
        number = ids.next_number(later.conn, run)
        values = {"id": number, "job_id": job_number, "uuid": told.run, "started_at": time, "latest_at": time}
        state = (told.kind, time) if told.kind.is_terminal else (Kind.RUNNING, None)
        rest = {"state": int(state[0]), "ended_at": state[1], "about": json.dumps(about), "lost": False}
        later.add(_MAKE_RUN, {**values, **rest})
        return number, True
    changed = {"started": min(row.started_at, time), "latest": max(row.latest_at, time)}
    text = json.dumps({**json.loads(row.about), **about}) if about else row.about
    _RENEW_RUN.run(later.conn, number=row.id, **changed, new_about=text)
    return row.id, False


_OF_RUN = select(run.c.id, run.c.job_id, run.c.uuid, run.c.started_at, run.c.latest_at, run.c.about)
_FIND_RUN = selecting(_OF_RUN.where(run.c.job_id == bindparam("job"), run.c.uuid == bindparam("uuid")))
_FIND_RUNS = selecting(
    _OF_RUN.where(
        run.c.job_id == any_(bindparam("jobs", type_=ARRAY(BigInteger))),
        run.c.uuid == any_(bindparam("uuids", type_=ARRAY(Text))),
    )
)
_MAKE_RUN = inserting(
    run, "id", "job_id", "uuid", "state", "started_at", "ended_at", "latest_at", "about", "lost", stage=-1
)
_RENEW_RUN = selecting(
    update(run)
    .where(run.c.id == bindparam("number"))
    .values(started_at=bindparam("started"), latest_at=bindparam("latest"), about=bindparam("new_about"))
)


def note_state(later: Later, number: int, facts: Iterable[Fact]) -> None:
    """Keep a run's state: that of its latest end (C8)."""
    ends = [(fact.moment, fact.kind) for fact in facts if fact.kind.is_terminal]
    if ends:
        state = int(run_state(ends))
        later.add(_END_RUN, {"number": number, "new_state": state, "ended": max(ends)[0].time, "is_lost": False})


_END_RUN = selecting(
    update(run)
    .where(run.c.id == bindparam("number"))
    .values(state=bindparam("new_state"), ended_at=bindparam("ended"), lost=bindparam("is_lost"))
)


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of an event.

    Attributes:
        status: one of the words above.
        problems: what is wrong with a rejected one, as JSON.
        job: its job's number.
        run: its run's number.
    """

    status: str
    problems: str = ""
    job: int | None = None
    run: int | None = None


def store_event(ids: PendingIds, later: Later, received: Received, told: Event | None, fate: Fate) -> int:
    """Keep an event: what came, and what is asked of it later; return its number."""
    conn = later.conn
    number = ids.next_number(conn, event)
    values = {
        "id": number,
        "received_at": received.at,
        "digest": received.digest,
        "submitter_id": received.submitter,
        "scope_id": scope_id(conn, ids, received.scope),
        "kind": int(told.kind) if told else -1,
        "job_id": fate.job,
        "run_id": fate.run,
        "event_time": told.moment.time if told else received.at,
        "listing_id": _listing_id(conn, ids, told.listing) if told and told.job else None,
        "code_id": _code_id(conn, ids, told) if told else None,
        "producer": told.producer if told else "",
        "status": fate.status,
        "problems": fate.problems,
    }
    later.add(_ADD_EVENT, values)
    if received.raw:
        later.add(_ADD_BODY, {"event_id": number, "encoding": PLAIN, "body": received.raw})
    if fate.status in (APPLIED, STORED) and received.raw:
        same = {"digest": received.digest, "submitter_id": received.submitter, "scope_id": values["scope_id"]}
        later.add(_ADD_SEEN, {**same, "event_id": number})
    if fate.job and values["listing_id"] and ids.value("job_listing", (fate.job, values["listing_id"])) is None:
        row = {"job_id": fate.job, "listing_id": values["listing_id"]}
        later.add(_ADD_JOB_LISTING, row)
        ids.learn("job_listing", (fate.job, values["listing_id"]), value=True)
    return number


_ADD_EVENT = inserting(
    event,
    "id",
    "received_at",
    "digest",
    "submitter_id",
    "scope_id",
    "kind",
    "job_id",
    "run_id",
    "event_time",
    "listing_id",
    "code_id",
    "producer",
    "status",
    "problems",
)
_ADD_BODY = inserting(event_body, "event_id", "encoding", "body", stage=1)
_ADD_SEEN = inserting(event_seen, "digest", "submitter_id", "scope_id", "event_id", ignore=True, stage=1)
_ADD_JOB_LISTING = inserting(job_listing, "job_id", "listing_id", ignore=True)


def body_of(conn: Connection, number: int) -> bytes | None:
    """Return the bytes of an event as they came; None once retention took them."""
    row = conn.execute(select(event_body.c.encoding, event_body.c.body).where(event_body.c.event_id == number)).first()
    return None if row is None else unpacked(row.encoding, row.body)


def unpacked(encoding: int, body: bytes) -> bytes:
    """Undo how a body is kept."""
    return zlib.decompress(body) if encoding == ZLIB else body


def name_id(conn: Connection, ids: PendingIds, name: Name) -> int:
    """Return the number of a dataset's name."""
    system = parse_namespace(name[0]).system
    return ids.of(
        conn,
        dataset_name,
        ident("name", *name),
        namespace=name[0],
        name=name[1],
        tail=ident(system, tail(system, name[1])),
    )


def _code_id(conn: Connection, ids: PendingIds, told: Event) -> int | None:
    if told.code is None:
        return None
    text, language = told.code
    return ids.of(conn, code, ident(language, text), language=language, text=text)


def _listing_id(conn: Connection, ids: PendingIds, value: Listing) -> int:
    key = (value.inputs, value.outputs, tuple(value.lineage.items()), tuple(value.aliases.items()))
    known = ids.value("listing_id", key)
    if known is not None:
        return known  # type: ignore[no-any-return]
    data = dump_listing(value)
    number, is_new = ids.made_or_found(conn, listing, ident(data), data=data)
    if is_new:
        rows = [{"listing_id": number, "name_id": name_id(conn, ids, name)} for name in sorted(value.names())]
        if rows:
            _ADD_LISTING_NAME.run_many(conn, rows)
    ids.learn("listing_id", key, number)
    return number


_ADD_LISTING_NAME = inserting(listing_name, "listing_id", "name_id", ignore=True)


def facts_of_run(conn: Connection, ids: PendingIds, number: int) -> list[Fact]:
    """Return the events of a run, in the order of receipt."""
    return _facts(conn, ids, _RUN_FACTS.run(conn, number=number))


def facts_of_definitions(conn: Connection, ids: PendingIds, authorities: Iterable[Authority]) -> list[Fact]:
    """Return the job definitions that are somewhere the latest truth."""
    numbers = [one.event for one in authorities if one.run == 0]
    return _facts(conn, ids, conn.execute(_FACTS.where(event.c.id.in_(numbers)))) if numbers else []


_FACTS = (
    select(
        event.c.id,
        event.c.event_time,
        event.c.kind,
        event.c.digest,
        scope.c.datastores,
        event.c.listing_id,
        event.c.submitter_id,
    )
    .join(scope, scope.c.id == event.c.scope_id)
    .where(or_(event.c.status == APPLIED, event.c.status == STORED))
    .order_by(event.c.id)
)
_RUN_FACTS = selecting(_FACTS.where(event.c.run_id == bindparam("number")))


def _facts(conn: Connection, ids: PendingIds, rows: Iterable[Any]) -> list[Fact]:
    found = []
    for number, time, kind, digest, datastores, listing_id, submitter in rows:
        moment = Moment(time, Kind(kind).rank, digest)
        value = load_listing(conn, ids, listing_id)
        found.append(Fact(number, moment, Kind(kind), Scope.parse(datastores), value, submitter))
    return found


def load_listing(conn: Connection, ids: PendingIds, number: int | None) -> Listing:
    """Return a listing by its number."""
    if number is None:
        return Listing()
    known = ids.value("listing", number)
    if known is None:
        known = parse_listing(conn.scalar(select(listing.c.data).where(listing.c.id == number)) or "{}")
        ids.learn("listing", number, known)
    return known  # type: ignore[no-any-return]


def authorities_of(conn: Connection, number: int) -> tuple[Authority, ...]:
    """Return a job's authoritative events, those that are somewhere the latest."""
    return tuple(authorities_of_jobs(conn, [number])[number])


def authorities_of_jobs(conn: Connection, numbers: Sequence[int]) -> dict[int, list[Authority]]:
    """Return the authoritative events of some jobs."""
    found: dict[int, list[Authority]] = {number: [] for number in numbers}
    for row in _AUTHORITIES.run(conn, numbers=several(conn, numbers)):
        moment = Moment(row.event_time, row.rank, row.digest)
        found[row.job_id].append(Authority(row.event_id, moment, Scope.parse(row.datastores), row.run_id))
    return found


_AUTHORITIES = Statement(
    lambda dialect: (
        select(authority, scope.c.datastores)
        .join(scope, scope.c.id == authority.c.scope_id)
        .where(is_among(dialect, authority.c.job_id, "numbers"))
    )
)


def add_authority(
    ids: PendingIds, later: Later, job_number: int, known: Sequence[Authority], new: Authority
) -> tuple[Authority, ...]:
    """Keep an authoritative event, unless newer ones reach all that it reaches; forget those that it replaces."""
    kept = frontier([*known, new])
    for one in known:
        if one not in kept:
            later.add(_DROP_AUTHORITY, {"job": job_number, "gone": one.event})
    if new in kept:
        row = {
            "job_id": job_number,
            "event_id": new.event,
            "run_id": new.run,
            "event_time": new.moment.time,
            "rank": new.moment.rank,
            "digest": new.moment.digest,
            "scope_id": scope_id(later.conn, ids, new.scope),
        }
        later.add(_ADD_AUTHORITY, row)
    return kept


_DROP_AUTHORITY = selecting(
    delete(authority).where(authority.c.job_id == bindparam("job"), authority.c.event_id == bindparam("gone")), stage=1
)
_ADD_AUTHORITY = inserting(
    authority, "job_id", "event_id", "run_id", "event_time", "rank", "digest", "scope_id", stage=2
)


def dump_listing(value: Listing) -> str:
    """Write a listing so that equal ones are equal texts."""
    numbers: dict[Name, int] = {}

    def at(name: Name) -> int:
        return numbers.setdefault(name, len(numbers))

    data = {
        "i": [at(name) for name in value.inputs],
        "o": [at(name) for name in value.outputs],
        "l": {at(name): dump_uses(uses, at) for name, uses in sorted(value.lineage.items())},
        "a": {
            at(name): None if others is None else [at(one) for one in others]
            for name, others in sorted(value.aliases.items())
        },
    }
    return json.dumps({"n": list(numbers), **data}, ensure_ascii=False, separators=(",", ":"))


def dump_uses(uses: Iterable[FieldUse] | None, at: Any = list) -> list[Any] | None:
    """Return column lineage as what JSON can hold; `at` says how a dataset is written."""
    if uses is None:
        return None
    return [[at(use.source), use.source_field, use.target_field, [list(how) for how in use.how]] for use in uses]


def load_uses(data: Iterable[Sequence[Any]], names: Sequence[Sequence[str]] | None = None) -> tuple[FieldUse, ...]:
    """Read what `dump_uses` wrote."""
    found = []
    for source, source_field, target_field, how in data:
        namespace, name = source if names is None else names[source]
        found.append(
            FieldUse((namespace, name), source_field, target_field, tuple(Transformation(*one) for one in how))
        )
    return tuple(found)


def parse_listing(text: str) -> Listing:
    """Read what `dump_listing` wrote."""
    data: Mapping[str, Any] = json.loads(text)
    names = [(namespace, name) for namespace, name in data.get("n", ())]
    return Listing(
        tuple(names[at] for at in data.get("i", ())),
        tuple(names[at] for at in data.get("o", ())),
        {names[int(at)]: None if uses is None else load_uses(uses, names) for at, uses in data.get("l", {}).items()},
        {
            names[int(at)]: None if others is None else tuple(names[one] for one in others)
            for at, others in data.get("a", {}).items()
        },
    )
