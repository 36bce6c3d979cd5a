"""What callers ask for: each answer holds only what the caller may see.

Source: catalog.md, "What a caller may see", C12, C21 to C23.
"""

import base64
import binascii
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, exists, func, literal, or_, select, true
from sqlalchemy.sql.elements import ColumnClause

from streamt.catalog.access import Caller
from streamt.catalog.matching import fold
from streamt.catalog.store.ids import chunks
from streamt.catalog.store.tables import asset, claim, connection, datastore, edge, field, job, tag

Answer = dict[str, Any]


def iso(nanoseconds: int | None) -> str | None:
    """Write a time as RFC 3339 in UTC, with as many digits as it needs."""
    if nanoseconds is None:
        return None
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    fraction = f".{rest:09d}".rstrip("0").rstrip(".") if rest else ""
    return f"{text}{fraction}Z"


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list is asked for.

    Attributes:
        limit: how many at most.
        after: the last that was shown.
    """

    limit: int = 100
    after: tuple[int, ...] = ()


class CursorError(Exception):
    """A cursor that this server did not make."""


def cursor(*after: int) -> str:
    """Write where a list goes on, opaque for callers."""
    return base64.urlsafe_b64encode(json.dumps(after).encode()).decode().rstrip("=")


def parse_cursor(text: str | None, limit: int, parts: int = 1) -> Page:
    """Read a cursor.

    Raises:
        CursorError: it was not made by `cursor`.
    """
    if not text:
        return Page(limit)
    try:
        after = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        raise CursorError from None
    sound = isinstance(after, list) and len(after) == parts
    if not sound or not all(type(one) is int and abs(one) < 2**63 for one in after):
        raise CursorError
    return Page(limit, tuple(after))


def paged(rows: Sequence[Any], page: Page, items: Sequence[Answer], key: str = "id") -> Answer:
    """Return one page of a list; `rows` holds one more than fits where the list goes on."""
    more = len(rows) > page.limit
    return {"items": list(items[: page.limit]), "next": cursor(items[page.limit - 1][key]) if more else None}


def visible(caller: Caller, column: ColumnElement[Any] | ColumnClause[Any]) -> ColumnElement[bool]:
    """Return the condition that a datastore may be seen."""
    scope = caller.viewable
    if scope.datastores is None:
        return column.is_not(None)
    return column.in_(sorted(scope.datastores))


def may_see_node(conn: Connection, caller: Caller, number: int) -> bool:
    """Report whether a node may be asked for: a container in a datastore of the caller's, or what an edge shows."""
    store = conn.execute(select(asset.c.datastore_id).where(asset.c.id == number)).first()
    if store is None:
        return False
    if caller.is_admin or (store[0] is not None and caller.viewable.covers([store[0]])):
        return True
    return store[0] is None and bool(conn.scalar(select(_has_visible_edge(caller, literal(number)))))


def _has_visible_edge(caller: Caller, number: ColumnElement[int]) -> ColumnElement[bool]:
    other = asset.alias()
    seen = visible(caller, other.c.datastore_id)
    down = exists().where(edge.c.source_id == number, other.c.id == edge.c.target_id, seen)
    up = exists().where(edge.c.target_id == number, other.c.id == edge.c.source_id, seen)
    return or_(down, up)


@dataclass(frozen=True, slots=True)
class GraphQuery:
    """What of the graph is asked for.

    Attributes:
        node: where to begin.
        upstream: how many steps against the edges.
        downstream: how many steps along them.
        fields: whether fields and their edges are wanted.
        retired: whether retired edges lead on.
        limit: how many nodes at most.
    """

    node: int
    upstream: int = 1
    downstream: int = 1
    fields: bool = False
    retired: bool = False
    limit: int = 200


def graph(conn: Connection, caller: Caller, asked: GraphQuery) -> Answer:
    """Return the part of the graph around a node, breadth first, level by level."""
    found = {asked.node: 0}
    truncated = False
    for direction, depth in (("up", asked.upstream), ("down", asked.downstream)):
        level = [asked.node]
        for step in range(1, depth + 1):
            room = asked.limit - len(found)
            level, more = _next_level(conn, caller, asked, (direction, level, found, room))
            truncated |= more
            for number in level:
                found[number] = -step if direction == "up" else step
            if not level:
                break
    nodes = nodes_of(conn, caller, found)
    edges = _edges_between(conn, caller, asked, nodes)
    _add_hidden(conn, caller, asked, nodes, edges)
    for one in nodes.values():
        one["distance"] = found[one["id"]]
    if asked.fields:
        _add_fields(conn, nodes)
    return {"node": asked.node, "nodes": list(nodes.values()), "edges": edges, "truncated": truncated}


def _next_level(
    conn: Connection, caller: Caller, asked: GraphQuery, at: tuple[str, Sequence[int], Mapping[int, int], int]
) -> tuple[list[int], bool]:
    """Return the neighbours of a level that are not found yet, and whether there are more than fit."""
    direction, level, found, room = at
    near, far = (edge.c.target_id, edge.c.source_id) if direction == "up" else (edge.c.source_id, edge.c.target_id)
    neighbours: set[int] = set()
    for some in chunks(level):
        query = select(far).where(near.in_(some), far.not_in(list(found)), *_walked(asked)).distinct()
        query = _only_visible(query, caller, near, far)
        neighbours |= set(conn.scalars(query.order_by(far).limit(room + 1)))
    chosen = sorted(neighbours)[: max(room, 0)]
    return chosen, len(neighbours) > len(chosen)


def _walked(asked: GraphQuery) -> list[ColumnElement[bool]]:
    conditions = [edge.c.source_field == 0, edge.c.target_field == 0]
    return conditions if asked.retired else [*conditions, edge.c.retired_at.is_(None)]


def _only_visible(query: Any, caller: Caller, near: ColumnElement[Any], far: ColumnElement[Any]) -> Any:
    """Keep the edges that may be seen: Viewer on at least one of their containers (C23)."""
    if caller.is_admin:
        return query
    one, other = asset.alias(), asset.alias()
    joined = query.join(one, one.c.id == near).join(other, other.c.id == far)
    return joined.where(or_(visible(caller, one.c.datastore_id), visible(caller, other.c.datastore_id)))


def nodes_of(conn: Connection, caller: Caller, numbers: Iterable[int]) -> dict[int, Answer]:
    """Return nodes as they are shown; one without Viewer by its name only (C23)."""
    rows: dict[int, Any] = {}
    for some in chunks(numbers):
        query = (
            select(asset, datastore.c.name.label("store"), connection.c.name.label("system_name"), connection.c.type)
            .join(datastore, datastore.c.id == asset.c.datastore_id, isouter=True)
            .join(connection, connection.c.id == datastore.c.connection_id, isouter=True)
        )
        rows |= {row.id: row for row in conn.execute(query.where(asset.c.id.in_(some)))}
    return {number: _node(caller, rows[number]) for number in numbers if number in rows}


def _node(caller: Caller, row: Any) -> Answer:
    if row.datastore_id is None:
        return {"id": row.id, "kind": "outside", "namespace": row.namespace, "name": row.name, "visible": True}
    brief: Answer = {"id": row.id, "kind": "container", "name": row.name, "visible": False}
    if not caller.viewable.covers([row.datastore_id]):
        return brief
    return brief | {
        "visible": True,
        "type": row.kind,
        "system": row.type,
        "connection": row.system_name,
        "datastore": {"id": row.datastore_id, "name": row.store},
        "removed": row.removed_at is not None,
    }


def _edges_between(conn: Connection, caller: Caller, asked: GraphQuery, nodes: Mapping[int, Answer]) -> list[Answer]:
    """Return the edges between nodes, one line for each pair, whatever its origins (C18)."""
    lines: dict[tuple[int, int, int, int], Answer] = {}
    for some in chunks(nodes):
        query = select(edge).where(edge.c.source_id.in_(some), edge.c.target_id.in_(list(nodes)))
        if not asked.retired:
            query = query.where(edge.c.retired_at.is_(None))
        if not asked.fields:
            query = query.where(edge.c.source_field == 0, edge.c.target_field == 0)
        for row in conn.execute(query.order_by(edge.c.id)):
            if not caller.sees_edge(_stores(nodes, row)):
                continue
            key = (row.source_id, row.target_id, row.source_field, row.target_field)
            line = lines.setdefault(key, _line(row))
            line["origins"].append({"origin": row.origin, "id": row.id})
            line["retired"] = line["retired"] and row.retired_at is not None
    edges = list(lines.values())
    _add_asserters(conn, caller, nodes, edges)
    return edges


def _stores(nodes: Mapping[int, Answer], row: Any) -> list[int | None]:
    """Return the datastores of an edge that the caller may see; a container that is not visible counts as another."""
    return [_store(nodes[row.source_id]), _store(nodes[row.target_id])]


def _store(node: Answer) -> int | None:
    if node["kind"] == "outside":
        return None
    return int(node["datastore"]["id"]) if node["visible"] else _HIDDEN


_HIDDEN = -1


def _line(row: Any) -> Answer:
    return {
        "id": row.id,
        "source": row.source_id,
        "target": row.target_id,
        "source_field": row.source_field or None,
        "target_field": row.target_field or None,
        "origins": [],
        "retired": True,
        "jobs": [],
        "producers": [],
    }


def _add_asserters(conn: Connection, caller: Caller, nodes: Mapping[int, Answer], edges: Sequence[Answer]) -> None:
    """Add to each edge the jobs that assert it, for those who may know, and the producers for everyone."""
    lines = {origin["id"]: line for line in edges for origin in line["origins"]}
    for some in chunks(lines):
        query = (
            select(claim.c.edge_id, job.c.id, job.c.namespace, job.c.name, job.c.producer)
            .join(job, job.c.id == claim.c.job_id)
            .where(claim.c.edge_id.in_(some))
            .distinct()
            .order_by(job.c.id)
        )
        for edge_id, number, namespace, name, producer in conn.execute(query):
            line = lines[edge_id]
            if producer not in line["producers"]:
                line["producers"].append(producer)
            if _details_visible(caller, nodes, line):
                line["jobs"].append({"id": number, "namespace": namespace, "name": name})


def _details_visible(caller: Caller, nodes: Mapping[int, Answer], line: Answer) -> bool:
    return caller.is_admin or all(nodes[line[side]]["visible"] for side in ("source", "target"))


def _add_hidden(
    conn: Connection, caller: Caller, asked: GraphQuery, nodes: Mapping[int, Answer], edges: Iterable[Answer]
) -> None:
    """Say of each node how many of its neighbours are not in the answer (C21)."""
    shown: dict[str, dict[int, set[int]]] = {"upstream": {}, "downstream": {}}
    for line in edges:
        if line["source"] == line["target"]:
            nodes[line["source"]]["self"] = True
        else:
            shown["downstream"].setdefault(line["source"], set()).add(line["target"])
            shown["upstream"].setdefault(line["target"], set()).add(line["source"])
    for side, near, far in (
        ("upstream", edge.c.target_id, edge.c.source_id),
        ("downstream", edge.c.source_id, edge.c.target_id),
    ):
        totals: dict[int, int] = {}
        for some in chunks(nodes):
            query = select(near, func.count(far.distinct())).where(near.in_(some), near != far, *_walked(asked))
            query = _only_visible(query, caller, near, far)
            totals |= dict(conn.execute(query.group_by(near)).all())
        for number, one in nodes.items():
            one.setdefault("hidden", {})[side] = totals.get(number, 0) - len(shown[side].get(number, ()))


def _add_fields(conn: Connection, nodes: Mapping[int, Answer]) -> None:
    for number in nodes:
        if nodes[number]["visible"]:
            nodes[number]["fields"] = []
    for some in chunks(number for number in nodes if "fields" in nodes[number]):
        query = select(field.c.asset_id, field.c.id, field.c.name, field.c.type).where(
            field.c.asset_id.in_(some), field.c.removed_at.is_(None)
        )
        for owner, number, name, kind in conn.execute(query.order_by(field.c.asset_id, field.c.position)):
            nodes[owner]["fields"].append({"id": number, "name": name, "type": kind})


def search(conn: Connection, caller: Caller, text: str, page: Page) -> Answer:
    """Return what has `text` in its name, namespace, field or job, in any case; prefixes come first (C22)."""
    wanted = fold(text)
    queries = [_assets_like(conn, caller, wanted), _fields_like(conn, caller, wanted), _jobs_like(conn, caller, wanted)]
    union = queries[0].union_all(*queries[1:]).subquery()
    query = select(union).order_by(union.c.rank, union.c.kind, union.c.id).limit(page.limit + 1)
    if page.after:
        rank, kind, number = page.after
        later = or_(
            union.c.rank > rank,
            and_(union.c.rank == rank, union.c.kind > kind),
            and_(union.c.rank == rank, union.c.kind == kind, union.c.id > number),
        )
        query = query.where(later)
    rows = conn.execute(query).all()
    shown = rows[: page.limit]
    more = cursor(shown[-1].rank, shown[-1].kind, shown[-1].id) if len(rows) > page.limit else None
    return {"items": [_hit(row) for row in shown], "next": more}


_KINDS = ("container", "outside", "field", "job")


def _hit(row: Any) -> Answer:
    hit = {"kind": _KINDS[row.kind], "id": row.id, "name": row.name, "namespace": row.namespace}
    if row.node is not None:
        hit["node"] = row.node
    return hit


def _rank(conn: Connection, column: ColumnElement[Any], wanted: str) -> tuple[ColumnElement[int], ColumnElement[bool]]:
    """Return 0 for a prefix and 1 for another place, and the condition that the text is there at all."""
    find = func.instr if conn.dialect.name == "sqlite" else func.strpos
    return case((func.substr(column, 1, len(wanted)) == wanted, 0), else_=1), find(column, wanted) > 0


def _assets_like(conn: Connection, caller: Caller, wanted: str) -> Any:
    rank, there = _rank(conn, asset.c.search, wanted)
    outside = and_(asset.c.datastore_id.is_(None), _has_visible_edge(caller, asset.c.id))
    seen = true() if caller.is_admin else or_(visible(caller, asset.c.datastore_id), outside)
    store = func.coalesce(datastore.c.name, asset.c.namespace)
    return (
        select(
            rank.label("rank"),
            case((asset.c.datastore_id.is_(None), 1), else_=0).label("kind"),
            asset.c.id.label("id"),
            asset.c.name.label("name"),
            store.label("namespace"),
            asset.c.id.label("node"),
        )
        .join(datastore, datastore.c.id == asset.c.datastore_id, isouter=True)
        .where(there, seen, asset.c.removed_at.is_(None))
    )


def _fields_like(conn: Connection, caller: Caller, wanted: str) -> Any:
    rank, there = _rank(conn, field.c.folded, wanted)
    return (
        select(
            rank.label("rank"),
            literal(2).label("kind"),
            field.c.id.label("id"),
            field.c.name.label("name"),
            asset.c.name.label("namespace"),
            asset.c.id.label("node"),
        )
        .join(asset, asset.c.id == field.c.asset_id)
        .where(there, visible(caller, asset.c.datastore_id), field.c.removed_at.is_(None))
    )


def _jobs_like(conn: Connection, caller: Caller, wanted: str) -> Any:
    rank, there = _rank(conn, job.c.search, wanted)
    nothing = func.nullif(job.c.id, job.c.id).label("node")  # a NULL that PostgreSQL knows to be a number
    query = select(
        rank.label("rank"),
        literal(3).label("kind"),
        job.c.id.label("id"),
        job.c.name.label("name"),
        job.c.namespace.label("namespace"),
        nothing,
    )
    return query.where(there, job_visible(caller))


def job_visible(caller: Caller) -> ColumnElement[bool]:
    """Return the condition that a job may be seen: it asserts an edge all of whose containers the caller may see."""
    if caller.is_admin:
        return true()
    one, other = asset.alias(), asset.alias()
    shown = [or_(side.c.datastore_id.is_(None), visible(caller, side.c.datastore_id)) for side in (one, other)]
    return exists().where(
        claim.c.job_id == job.c.id,
        edge.c.id == claim.c.edge_id,
        one.c.id == edge.c.source_id,
        other.c.id == edge.c.target_id,
        *shown,
    )


def tags_of(conn: Connection, number: int) -> dict[int, list[Answer]]:
    """Return the tags of a container (0) and of its fields."""
    found: dict[int, list[Answer]] = {}
    query = select(tag.c.field_id, tag.c.tag, tag.c.value, tag.c.source).where(tag.c.asset_id == number)
    for owner, key, value, source in conn.execute(query.order_by(tag.c.tag, tag.c.value)):
        found.setdefault(owner, []).append({"key": key, "value": value, "source": source})
    return found
