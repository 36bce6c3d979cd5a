"""The graph as OpenLineage events again: sent to an empty catalog, they give the same graph."""

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, select

from streamt.catalog.matching import RULES, ConnectedDatastore
from streamt.catalog.metadata import Value, shown
from streamt.catalog.store.claims import OPENLINEAGE, asset_of
from streamt.catalog.store.ids import PendingIds
from streamt.catalog.store.ledger import load_uses
from streamt.catalog.store.reading import iso
from streamt.catalog.store.registering import place_of
from streamt.catalog.store.tables import asset, claim, edge, field, job, metadata_value, tag
from streamt.catalog.values import FieldUse, Name
from streamt.openlineage.naming import join_name, split_name

PRODUCER = "https://github.com/conduktor/streamt"
SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
_FACET = {"_producer": PRODUCER, "_schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetFacet"}

Event = dict[str, Any]


class Namer:
    """Names nodes as events name them."""

    def __init__(self, conn: Connection, ids: PendingIds) -> None:
        self._conn = conn
        self._ids = ids
        self._places: dict[int, ConnectedDatastore] = {}

    def name(self, number: int) -> Name:
        """Return the namespace and name of a node."""
        store, namespace, name = asset_of(self._conn, self._ids, number)
        if store is None:
            return namespace, name
        if store not in self._places:
            place = place_of(self._conn, store)
            assert place is not None  # datastores are never removed
            self._places[store] = place
        return name_of(self._places[store], name)


def name_of(place: ConnectedDatastore, container: str) -> Name:
    """Return how events name a container: what matching would resolve to it."""
    style = RULES[place.system].style
    host = place.host + (f":{place.port}" if place.port is not None else "")
    namespace = f"{place.system}://{host}" if host else place.system
    if style == "whole":
        return namespace, container
    if style == "path":
        return namespace, "/".join(part for part in (place.root.strip("/"), container.strip("/")) if part)
    outer = [part for whole in (place.database, place.schema) if whole for part in split_name(whole)]
    return namespace, join_name((*outer, container))


def export(conn: Connection, ids: PendingIds, now: int) -> Iterator[Event]:
    """Yield a JobEvent for each job that asserts something, and a DatasetEvent for each container that is described."""
    namer = Namer(conn, ids)
    for number, namespace, name in conn.execute(select(job.c.id, job.c.namespace, job.c.name).order_by(job.c.id)).all():
        made = _job_event(conn, namer, number)
        if made is not None:
            identity = {"namespace": namespace, "name": name}
            yield {**_envelope(made.pop("_time"), "JobEvent"), "job": identity, **made}
    query = select(asset.c.id).where(asset.c.datastore_id.is_not(None), asset.c.removed_at.is_(None))
    for number in conn.scalars(query.order_by(asset.c.id)).all():
        facets = _facets(conn, number)
        if facets:
            yield {**_envelope(now, "DatasetEvent"), "dataset": _dataset(namer.name(number), facets)}


def _envelope(time: int, kind: str) -> Event:
    return {"eventTime": iso(time), "producer": PRODUCER, "schemaURL": SCHEMA + kind}


def _dataset(name: Name, facets: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"namespace": name[0], "name": name[1], **({"facets": facets} if facets else {})}


def _job_event(conn: Connection, namer: Namer, number: int) -> Event | None:
    """Return what a job asserts at present; every pair is told by column lineage, so that none is made up."""
    pairs: dict[tuple[Name, Name], list[FieldUse]] = {}
    latest = 0
    query = (
        select(edge.c.source_id, edge.c.target_id, edge.c.source_field, claim.c.event_time, claim.c.how)
        .join(edge, edge.c.id == claim.c.edge_id)
        .where(claim.c.job_id == number, edge.c.origin == OPENLINEAGE)
        .order_by(edge.c.id)
    )
    for source, target, _, time, how in conn.execute(query):
        ends = (namer.name(source), namer.name(target))
        uses = load_uses(json.loads(how)) if how else ()
        pairs.setdefault(ends, []).extend(use._replace(source=ends[0]) for use in uses)
        latest = max(latest, time)
    if not pairs:
        return None
    sources = list(dict.fromkeys(source for source, _ in pairs))
    targets = list(dict.fromkeys(target for _, target in pairs))
    is_product = len(pairs) == len(sources) * len(targets)
    outputs = [_output(target, pairs, is_product=is_product) for target in targets]
    return {"_time": latest, "inputs": [_dataset(one) for one in sources] if is_product else [], "outputs": outputs}


def _output(target: Name, pairs: dict[tuple[Name, Name], list[FieldUse]], *, is_product: bool) -> dict[str, Any]:
    fields: dict[str, dict[str, Any]] = {}
    whole: list[dict[str, Any]] = []
    for (source, other), uses in pairs.items():
        if other != target:
            continue
        for use in dict.fromkeys(uses):
            entry = _input(use)
            if use.target_field:
                fields.setdefault(use.target_field, {"inputFields": []})["inputFields"].append(entry)
            else:
                whole.append(entry)
        if not uses and not is_product:
            whole.append(_input(FieldUse(source, "", "")))
    if not fields and not whole:
        return _dataset(target)
    facet = {**_FACET, "fields": fields, **({"dataset": whole} if whole else {})}
    return _dataset(target, {"columnLineage": facet})


def _input(use: FieldUse) -> dict[str, Any]:
    entry: dict[str, Any] = {"namespace": use.source[0], "name": use.source[1], "field": use.source_field}
    if use.how:
        entry["transformations"] = [how._asdict() for how in use.how]
    return entry


def _facets(conn: Connection, number: int) -> dict[str, Any]:
    """Return what is shown of a container, as facets."""
    values: dict[tuple[int, str], dict[str, Value]] = {}
    for row in conn.execute(select(metadata_value).where(metadata_value.c.asset_id == number)):
        one = Value(row.value, row.changed_at, row.reported_at)
        values.setdefault((row.field_id, row.attribute), {})[row.source] = one
    facets: dict[str, Any] = {}
    text = _text(values.get((0, "description"), {}))
    if text:
        facets["documentation"] = {**_FACET, "description": text}
    owners = _text(values.get((0, "owners"), {}))
    if owners:
        facets["ownership"] = {**_FACET, "owners": json.loads(owners)}
    facets |= _schema(conn, number, values)
    tags = [
        {"key": row.tag, "value": row.value}
        for row in conn.execute(select(tag).where(tag.c.asset_id == number, tag.c.field_id == 0).order_by(tag.c.id))
    ]
    if tags:
        facets["tags"] = {**_FACET, "tags": tags}
    return facets


def _schema(conn: Connection, number: int, values: dict[tuple[int, str], dict[str, Value]]) -> dict[str, Any]:
    query = select(field.c.id, field.c.name, field.c.type).where(
        field.c.asset_id == number, field.c.removed_at.is_(None)
    )
    columns = []
    for field_id, name, kind in conn.execute(query.order_by(field.c.position)):
        text = _text(values.get((field_id, "description"), {}))
        column = {"name": name, **({"type": kind} if kind else {}), **({"description": text} if text else {})}
        columns.append(column)
    return {"schema": {**_FACET, "fields": columns}} if columns else {}


def _text(values: dict[str, Value]) -> str | None:
    source = shown(values)
    return values[source].value if source else None
