"""What a person changes: edges by hand, descriptions, owners, tags; each with a line in the audit.

Every function works inside a transaction and raises MissingError for what the caller may not see, DeniedError for what
they may see but not edit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, select, update

from streamt.catalog.access import Caller
from streamt.catalog.changes import DeniedError, MissingError, Tools
from streamt.catalog.metadata import USER
from streamt.catalog.store import claims, describing, people
from streamt.catalog.store.claims import Cause
from streamt.catalog.store.ids import insert
from streamt.catalog.store.resolving import fields_of
from streamt.catalog.store.tables import asset, edge, field, tag_edit
from streamt.catalog.values import Moment


@dataclass(frozen=True, slots=True)
class Edit:
    """A person's edit of a container.

    Attributes:
        attribute: `description`, `owners` or `tags`.
        value: the new value; None or an empty text hands it back to the sources.
        field: the field that is meant; 0 for the container.
        tag: the tag that is added or removed.
        added: which of the two.
    """

    attribute: str
    value: str | None = None
    field: int = 0
    tag: tuple[str, str] | None = None
    added: bool = True


@dataclass(frozen=True, slots=True)
class ManualEdge:
    """An edge that a person draws.

    Attributes:
        source: a node.
        target: a node.
        source_field: a field of the source; 0 for the table itself.
        target_field: a field of the target.
        description: what it says.
    """

    source: int
    target: int
    source_field: int = 0
    target_field: int = 0
    description: str = ""


def delete_edge(tools: Tools, number: int, caller: Caller) -> None:
    """Retire an edge, and with a table's edge the field edges that it carries."""
    row = _editable_edge(tools, number, caller)
    which = edge.c.id == number
    if not row.source_field:
        same = (edge.c.source_id == row.source_id, edge.c.target_id == row.target_id, edge.c.origin == row.origin)
        which = and_(*same)
    claims.drop_claims(tools.conn, which, Cause(tools.now, account=caller.user))
    alive = edge.c.retired_at.is_(None)
    gone = {"retired_at": tools.now, "retired_by": caller.user, "evidence_count": 0}
    tools.conn.execute(update(edge).where(which, alive).values(gone))
    tools.conn.execute(update(edge).where(which).values(deleted_at=tools.now))
    people.note(tools.conn, caller.user, people.Deed("edge.delete", f"edge {number}"), tools.now)


def make_edge(tools: Tools, wanted: ManualEdge, caller: Caller) -> int:
    """Draw an edge by hand; no event ever touches it."""
    sides = ((wanted.source, wanted.source_field), (wanted.target, wanted.target_field))
    stores = [store for node, part in sides if (store := _side(tools, node, part, caller)) is not None]
    if not stores or not caller.editable.covers(stores):
        raise DeniedError
    identity = {
        "source_id": wanted.source,
        "target_id": wanted.target,
        "source_field": wanted.source_field,
        "target_field": wanted.target_field,
        "origin": claims.MANUAL,
    }
    cause = Cause(tools.now, account=caller.user)
    number = claims.make_edge(tools.conn, identity, cause)
    if not tools.conn.scalar(select(edge.c.evidence_count).where(edge.c.id == number)):
        claims.count_evidence(tools.conn, {number: 1}, cause)
    tools.conn.execute(update(edge).where(edge.c.id == number).values(description=wanted.description))
    people.note(tools.conn, caller.user, people.Deed("edge.create", f"edge {number}"), tools.now)
    return number


def _side(tools: Tools, node: int, part: int, caller: Caller) -> int | None:
    """Return the datastore of a side that exists and may be seen."""
    row = tools.conn.execute(select(asset.c.datastore_id).where(asset.c.id == node)).first()
    if row is None or (row[0] is not None and not caller.viewable.covers([row[0]])):
        raise MissingError
    if part and tools.conn.scalar(select(field.c.asset_id).where(field.c.id == part)) != node:
        raise MissingError
    return row.datastore_id  # type: ignore[no-any-return]


def describe_edge(tools: Tools, number: int, description: str, caller: Caller) -> None:
    """Write an edge's description; an empty one hands it back."""
    _editable_edge(tools, number, caller)
    tools.conn.execute(update(edge).where(edge.c.id == number).values(description=description))
    people.note(tools.conn, caller.user, people.Deed("edge.describe", f"edge {number}"), tools.now)


def _editable_edge(tools: Tools, number: int, caller: Caller) -> Any:
    row = tools.conn.execute(select(edge).where(edge.c.id == number)).first()
    if row is None or not caller.sees_edge(all_stores(tools.conn, number)):
        raise MissingError
    if not caller.editable.covers(stores_of(tools.conn, number)):
        raise DeniedError
    return row


def edit(tools: Tools, number: int, edits: Sequence[Edit], caller: Caller) -> None:
    """Keep a person's edits of a container: descriptions, owners, tags."""
    store = tools.conn.scalar(select(asset.c.datastore_id).where(asset.c.id == number))
    if store is None or not caller.viewable.covers([store]):
        raise MissingError
    if not caller.editable.covers([store]):
        raise DeniedError
    cause = Cause(tools.now, account=caller.user)
    fields = fields_of(tools.conn, tools.ids, [number])[number]
    for one in edits:
        _edit(tools, (number, fields), one, cause)
    deed = people.Deed("container.edit", f"container {number}", {"edits": len(edits)})
    people.note(tools.conn, caller.user, deed, tools.now)


def _edit(tools: Tools, at: tuple[int, Mapping[str, Any]], one: Edit, cause: Cause) -> None:
    number, fields = at
    if one.field and tools.conn.scalar(select(field.c.asset_id).where(field.c.id == one.field)) != number:
        raise MissingError
    if one.attribute == "tags":
        assert one.tag is not None
        values = {"tag": one.tag[0], "value": one.tag[1], "added": one.added, "at": tools.now}
        rest = {"asset_id": number, "field_id": one.field, "account_id": cause.account}
        tools.conn.execute(insert(tools.conn, tag_edit).values({**values, **rest}))
        describing.refresh_tags(tools.conn, number, fields, None, cause)
        return
    said = describing.Said(number, one.attribute, USER, Moment(tools.now), one.value or None, one.field)
    describing.report(tools.conn, tools.ids, said, cause, fields)


def all_stores(conn: Connection, number: int) -> list[int | None]:
    """Return the datastore of each side of an edge; None for an outside asset."""
    row = conn.execute(select(edge.c.source_id, edge.c.target_id).where(edge.c.id == number)).first()
    if row is None:
        return []
    found = dict(conn.execute(select(asset.c.id, asset.c.datastore_id).where(asset.c.id.in_(tuple(row)))).all())
    return [found[side] for side in row]


def stores_of(conn: Connection, number: int) -> list[int]:
    """Return the datastores that an edge touches."""
    return [store for store in all_stores(conn, number) if store is not None]
