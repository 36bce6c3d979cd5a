"""Connections, datastores, containers and fields: what is registered, and which jobs that concerns."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select, update

from streamt.catalog.matching import ConnectedDatastore, candidates, container_key, fold, system_of, tail
from streamt.catalog.store.claims import Cause
from streamt.catalog.store.describing import Said, report
from streamt.catalog.store.ids import PendingIds, chunks, insert
from streamt.catalog.store.resolving import VERSION, asset_key
from streamt.catalog.store.tables import (
    asset,
    connection,
    dataset_name,
    datastore,
    field,
    ident,
    job_listing,
    listing_name,
    replay,
    setting,
)
from streamt.catalog.values import Moment

SYNC = "sync"


@dataclass(frozen=True, slots=True)
class ConnectionSpec:
    """A connection to register.

    Attributes:
        name: what it is called.
        type: the type of system, or one of its aliases.
        host: a host, an account, a bucket or an authority.
        port: the port, if it is to be compared.
    """

    name: str
    type: str
    host: str = ""
    port: int | None = None


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field to register."""

    name: str
    type: str = ""
    description: str | None = None


@dataclass(frozen=True, slots=True)
class ContainerSpec:
    """A container to register.

    Attributes:
        name: a table's or topic's name; a path relative to the datastore's root.
        kind: `table`, `view`, `topic`, `file` or `directory`.
        fields: its fields in order; None leaves those that are known alone.
        description: what the source says of it; None where it says nothing.
    """

    name: str
    kind: str = "table"
    fields: tuple[FieldSpec, ...] | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Synced:
    """What a registration did.

    Attributes:
        containers: the number of each container, in the order given.
        added: how many are new or have returned.
        removed: how many are gone.
        jobs: how many jobs are to be replayed.
    """

    containers: tuple[int, ...]
    added: int
    removed: int
    jobs: int


def make_connection(conn: Connection, spec: ConnectionSpec) -> tuple[int, bool]:
    """Return the number of the connection of this name, and whether it was made now."""
    values = {"name": spec.name, "type": system_of(spec.type), "host": spec.host, "port": spec.port}
    made = conn.scalar(insert(conn, connection).values(values).on_conflict_do_nothing().returning(connection.c.id))
    if made is not None:
        touch(conn)
        return made, True
    return conn.scalars(select(connection.c.id).where(connection.c.name == spec.name)).one(), False


def has_connection(conn: Connection, number: int) -> bool:
    """Report whether there is a connection of this number."""
    return conn.scalar(select(connection.c.id).where(connection.c.id == number)) is not None


def make_datastore(conn: Connection, connection_id: int, spec: Mapping[str, str]) -> tuple[int, bool]:
    """Return the number of a datastore, by its place on the connection, and whether it was made now."""
    place = [spec.get(part, "") for part in ("database", "schema", "root")]
    digest = ident("datastore", connection_id, *map(fold, place[:2]), place[2].strip("/"))
    values = {
        "connection_id": connection_id,
        "ident": digest,
        "name": spec.get("name") or ".".join(part for part in place if part) or _connection_name(conn, connection_id),
        "database": place[0],
        "schema": place[1],
        "root": place[2],
    }
    made = conn.scalar(insert(conn, datastore).values(values).on_conflict_do_nothing().returning(datastore.c.id))
    if made is not None:
        touch(conn)
        return made, True
    return conn.scalars(select(datastore.c.id).where(datastore.c.ident == digest)).one(), False


def _connection_name(conn: Connection, number: int) -> str:
    return conn.scalar(select(connection.c.name).where(connection.c.id == number)) or "default"


def touch(conn: Connection) -> None:
    """Say that the registry has changed, so that every server reads it again."""
    version = int(conn.scalar(select(setting.c.value).where(setting.c.name == VERSION)) or 0) + 1
    statement = insert(conn, setting).values(name=VERSION, value=str(version))
    conn.execute(statement.on_conflict_do_update(index_elements=["name"], set_={"value": str(version)}))


def place_of(conn: Connection, number: int) -> ConnectedDatastore | None:
    """Return a datastore with its connection."""
    query = (
        select(
            datastore.c.id,
            connection.c.type,
            connection.c.host,
            connection.c.port,
            datastore.c.database,
            datastore.c.schema,
            datastore.c.root,
        )
        .join(connection)
        .where(datastore.c.id == number)
    )
    row = conn.execute(query).first()
    return ConnectedDatastore(*row) if row else None


@dataclass(frozen=True, slots=True)
class Sync:
    """What is registered at once.

    Attributes:
        place: the datastore.
        specs: the containers.
        whole: whether these are all that the datastore holds, so that what is not named is gone.
    """

    place: ConnectedDatastore
    specs: Sequence[ContainerSpec]
    whole: bool = False


def register(conn: Connection, ids: PendingIds, sync: Sync, cause: Cause) -> Synced:
    """Register containers of a datastore, and ask for the replay of the jobs that named them."""
    place, specs = sync.place, sync.specs
    numbers, added = [], []
    for spec in specs:
        number, is_new = _container(conn, ids, place, spec)
        numbers.append(number)
        changed = spec.fields is not None and _fields(conn, number, spec.fields, cause)
        if is_new or changed:
            added.append((number, spec))
        _describe(conn, ids, number, spec, cause)
    removed = _remove_others(conn, place, numbers, cause) if sync.whole else 0
    touch(conn)
    jobs = _request_replay(conn, place, [spec for _, spec in added], cause)
    return Synced(tuple(numbers), len(added), removed, jobs)


def _container(conn: Connection, ids: PendingIds, place: ConnectedDatastore, spec: ContainerSpec) -> tuple[int, bool]:
    key = container_key(place.system, spec.name)
    digest = ident("container", place.datastore, spec.name)
    number, is_new = ids.made_or_found(
        conn,
        asset,
        digest,
        datastore_id=place.datastore,
        key=asset_key(place.datastore, key),
        namespace="",
        name=spec.name,
        kind=spec.kind,
        search=fold(spec.name),
    )
    row = conn.execute(select(asset.c.kind, asset.c.removed_at).where(asset.c.id == number)).one()
    if row.removed_at is not None or row.kind != spec.kind:
        conn.execute(update(asset).where(asset.c.id == number).values(kind=spec.kind, removed_at=None))
    return number, is_new or row.removed_at is not None


def _fields(conn: Connection, number: int, specs: Sequence[FieldSpec], cause: Cause) -> bool:
    """Make a container's fields those of `specs`; report whether any is new."""
    known = {row.name: row for row in conn.execute(select(field).where(field.c.asset_id == number))}
    new = False
    for position, spec in enumerate(specs):
        row = known.pop(spec.name, None)
        values = {"type": spec.type, "position": position, "removed_at": None}
        if row is None:
            digest = ident("field", number, spec.name)
            identity = {"asset_id": number, "ident": digest, "name": spec.name, "folded": fold(spec.name)}
            conn.execute(insert(conn, field).values({**identity, **values}).on_conflict_do_nothing())
            new = True
        elif (row.type, row.position, row.removed_at) != (spec.type, position, None):
            conn.execute(update(field).where(field.c.id == row.id).values(values))
            new |= row.removed_at is not None
    gone = [row.id for row in known.values() if row.removed_at is None]
    if gone:
        conn.execute(update(field).where(field.c.id.in_(gone)).values(removed_at=cause.at))
    return new


def _describe(conn: Connection, ids: PendingIds, number: int, spec: ContainerSpec, cause: Cause) -> None:
    """Keep what the source says of a container and its fields, as a sync's words."""
    moment = Moment(cause.at)
    if spec.description is not None:
        report(conn, ids, Said(number, "description", SYNC, moment, spec.description or None), cause, {})
    described = [one for one in spec.fields or () if one.description is not None]
    if not described:
        return
    query = select(field.c.id, field.c.name).where(field.c.asset_id == number, field.c.removed_at.is_(None))
    numbers = {name: field_id for field_id, name in conn.execute(query)}
    for one in described:
        said = Said(number, "description", SYNC, moment, one.description or None, numbers[one.name])
        report(conn, ids, said, cause, {})


def _remove_others(conn: Connection, place: ConnectedDatastore, kept: Iterable[int], cause: Cause) -> int:
    """Mark the containers that a whole sync did not name; their edges stay, since what was asserted was true."""
    query = select(asset.c.id).where(asset.c.datastore_id == place.datastore, asset.c.removed_at.is_(None))
    gone = sorted(set(conn.scalars(query)) - set(kept))
    for some in chunks(gone):
        conn.execute(update(asset).where(asset.c.id.in_(some)).values(removed_at=cause.at))
    return len(gone)


def _request_replay(conn: Connection, place: ConnectedDatastore, specs: Iterable[ContainerSpec], cause: Cause) -> int:
    """Ask that the jobs be replayed which named what is registered now."""
    system = system_of(place.system)
    keys = {container_key(system, spec.name): spec for spec in specs}
    tails = {ident(system, tail(system, spec.name)) for spec in keys.values()}
    names: list[int] = []
    for some in chunks(tails):
        query = select(dataset_name.c.id, dataset_name.c.namespace, dataset_name.c.name)
        for number, namespace, name in conn.execute(query.where(dataset_name.c.tail.in_(some))):
            if any(found.key in keys for found in candidates(namespace, name, [place])):
                names.append(number)
    jobs: set[int] = set()
    for some in chunks(names):
        found = (
            select(job_listing.c.job_id)
            .join(listing_name, listing_name.c.listing_id == job_listing.c.listing_id)
            .where(listing_name.c.name_id.in_(some))
        )
        jobs |= set(conn.scalars(found.distinct()))
    for number in sorted(jobs):
        row = {"job_id": number, "requested_at": cause.at, "datastores": str(place.datastore)}
        statement = insert(conn, replay).values(row)
        conn.execute(statement.on_conflict_do_update(index_elements=["job_id"], set_={"requested_at": cause.at}))
    return len(jobs)
