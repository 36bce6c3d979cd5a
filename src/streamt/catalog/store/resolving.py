"""From dataset names to containers, against the registry as one transaction sees it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select

from streamt.catalog.matching import ConnectedDatastore, candidates, choose, fold, parse_namespace, system_of
from streamt.catalog.reconcile import Node
from streamt.catalog.store.ids import Ids, PendingIds
from streamt.catalog.store.statements import selecting
from streamt.catalog.store.tables import asset, connection, datastore, field, ident, setting
from streamt.catalog.values import Name

VERSION = "registry_version"


class Registered(NamedTuple):
    """A container or a field, as far as choosing between spellings needs it."""

    id: int
    datastore: int
    name: str


@dataclass(frozen=True, slots=True)
class Registry:
    """The datastores that are known, by type of system.

    Attributes:
        version: changes with every registration.
        places: by system.
    """

    version: str
    places: Mapping[str, Sequence[ConnectedDatastore]]


_VERSION = selecting(select(setting.c.value).where(setting.c.name == bindparam("name")))


def load_registry(conn: Connection, known: Registry | None, ids: Ids) -> Registry:
    """Return the registry; read again only if it has changed."""
    version = _VERSION.scalar(conn, name=VERSION) or "0"
    if known is not None and known.version == version:
        return known
    ids.forget_values()
    return Registry(version, all_places(conn))


def all_places(conn: Connection) -> dict[str, list[ConnectedDatastore]]:
    """Return every datastore with its connection, by type of system."""
    places: dict[str, list[ConnectedDatastore]] = {}
    query = select(
        datastore.c.id,
        connection.c.type,
        connection.c.host,
        connection.c.port,
        datastore.c.database,
        datastore.c.schema,
        datastore.c.root,
    ).join(connection)
    for row in conn.execute(query):
        place = ConnectedDatastore(*row)
        places.setdefault(system_of(place.system), []).append(place)
    return places


def asset_key(datastore_id: int, key: str) -> bytes:
    """Return what containers that differ only in case share."""
    return ident("key", datastore_id, key)


def resolve(
    conn: Connection, registry: Registry, ids: PendingIds, names: Iterable[Name]
) -> dict[Name, tuple[Node, ...]]:
    """Return the containers that each name means by itself, in the order of their numbers."""
    found: dict[Name, tuple[Node, ...]] = {}
    wanted: dict[bytes, list[tuple[Name, int, str]]] = {}
    missing = []
    for name in names:
        known = ids.value("nodes", name)
        if known is not None:
            found[name] = known
            continue
        found[name] = ()
        for one in candidates(*name, registry.places.get(parse_namespace(name[0]).system, ())):
            key = asset_key(one.datastore, one.key)
            wanted.setdefault(key, []).append((name, one.datastore, one.name))
        missing.append(name)
    present = _assets(conn, wanted) if wanted else {}
    for key, asking in wanted.items():
        for name, store, spelled in asking:
            chosen = choose(spelled, present.get(key, ()))
            if chosen is not None:
                found[name] = tuple(sorted({*found[name], Node(chosen.id, store)}))
    for name in missing:
        ids.learn("nodes", name, found[name])
    return found


def _assets(conn: Connection, keys: Iterable[bytes]) -> dict[bytes, list[Registered]]:
    present: dict[bytes, list[Registered]] = {}
    for key in keys:
        found = _KEYED.run(conn, key=key)
        if found:
            present[key] = [Registered(number, store, name) for number, store, name in found]
    return present


_KEYED = selecting(
    select(asset.c.id, asset.c.datastore_id, asset.c.name).where(
        asset.c.key == bindparam("key"), asset.c.removed_at.is_(None)
    )
)


def fields_of(conn: Connection, ids: PendingIds, assets: Iterable[int]) -> dict[int, dict[str, list[Registered]]]:
    """Return the fields of containers, by their folded names."""
    found: dict[int, dict[str, list[Registered]]] = {}
    for number in assets:
        known = ids.value("fields", number)
        if known is None:
            known = {}
            for folded, field_id, name in _FIELDS.run(conn, number=number):
                known.setdefault(folded, []).append(Registered(field_id, 0, name))
            ids.learn("fields", number, known)
        found[number] = known
    return found


_FIELDS = selecting(
    select(field.c.folded, field.c.id, field.c.name).where(
        field.c.asset_id == bindparam("number"), field.c.removed_at.is_(None)
    )
)


def field_number(fields: Mapping[str, Sequence[Registered]], name: str) -> int | None:
    """Return the field that a name means, by the same rule of case as containers."""
    chosen = choose(name, fields.get(fold(name), ()))
    return chosen.id if chosen else None
