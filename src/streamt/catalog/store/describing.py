"""Descriptions, owners and tags as they are stored: every report, and the present value of each source."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, select

from streamt.catalog.matching import fold
from streamt.catalog.metadata import (
    OPENLINEAGE,
    Report,
    TagEdit,
    TagReport,
    Value,
    present,
    shown,
    shown_tags,
)
from streamt.catalog.store.claims import Cause
from streamt.catalog.store.ids import PendingIds, insert
from streamt.catalog.store.resolving import Registered, field_number
from streamt.catalog.store.statements import inserting, selecting
from streamt.catalog.store.tables import (
    ident,
    metadata_report,
    metadata_value,
    tag,
    tag_edit,
    text_value,
    timeline,
)
from streamt.catalog.values import Moment


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that a source says of a container.

    Attributes:
        asset: the container.
        attribute: `description`, `owners`, `tags`, or `fields` for the descriptions of its fields.
        source: who says it: `user`, `openlineage`, or `sync`.
        moment: when.
        value: the value; None withdraws.
        field: the field that is meant; 0 for the container.
        producer: for events, who made it.
    """

    asset: int
    attribute: str
    source: str
    moment: Moment
    value: str | None
    field: int = 0
    producer: str = ""


Fields = Mapping[str, Iterable[Registered]]


def report(conn: Connection, ids: PendingIds, said: Said, cause: Cause, fields: Mapping[str, Any]) -> bool:
    """Keep a report, and what follows from it.

    Args:
        conn: the transaction.
        ids: the numbers that are known.
        said: the report.
        cause: the event or the person behind it.
        fields: the container's fields by folded name, for descriptions of fields and tags on them.

    Returns:
        Whether anything that is shown has changed.
    """
    value_id = None
    if said.value is not None:
        value_id = ids.of(conn, text_value, ident(said.value), text=said.value)
    is_news = _is_news(conn, said, value_id)
    row = {
        "asset_id": said.asset,
        "field_id": said.field,
        "attribute": said.attribute,
        "source": said.source,
        "event_time": said.moment.time,
        "rank": said.moment.rank,
        "digest": said.moment.digest,
        "value_id": value_id,
        "event_id": cause.event,
        "account_id": cause.account,
    }
    _REPORT.run(conn, **row)
    if not is_news:
        return False
    reports = _reports(conn, said)
    if said.attribute == "tags":
        return refresh_tags(conn, said.asset, fields, said, cause)
    if said.attribute == "fields":
        return _report_fields(conn, said, reports, fields, cause)
    return _keep(conn, said, present(reports), cause)


def _same(said: Said) -> Any:
    return and_(
        metadata_report.c.asset_id == said.asset,
        metadata_report.c.attribute == said.attribute,
        metadata_report.c.source == said.source,
        metadata_report.c.field_id == said.field,
    )


_SUBJECT = (
    metadata_report.c.asset_id == bindparam("asset"),
    metadata_report.c.attribute == bindparam("attribute"),
    metadata_report.c.source == bindparam("source"),
    metadata_report.c.field_id == bindparam("field"),
)
_TIME = metadata_report.c.event_time
# Of several reports of one time the neighbour is the one that counts, as `Moment` orders them.
_MOMENT = (_TIME, metadata_report.c.rank, metadata_report.c.digest)
_NEIGHBOUR = select(metadata_report.c.value_id, _TIME).where(*_SUBJECT).limit(1)
_BEFORE = selecting(_NEIGHBOUR.where(bindparam("at") >= _TIME).order_by(*(each.desc() for each in _MOMENT)))
_AFTER = selecting(_NEIGHBOUR.where(bindparam("at") <= _TIME).order_by(*_MOMENT))
_REPORT = inserting(
    metadata_report,
    "asset_id",
    "field_id",
    "attribute",
    "source",
    "event_time",
    "rank",
    "digest",
    "value_id",
    "event_id",
    "account_id",
)


def _is_news(conn: Connection, said: Said, value_id: int | None) -> bool:
    """Report whether a report differs from one of its neighbours in time; between two equal ones it changes nothing."""
    subject = {"asset": said.asset, "attribute": said.attribute, "source": said.source, "field": said.field}
    before = _BEFORE.first(conn, **subject, at=said.moment.time)
    after = _AFTER.first(conn, **subject, at=said.moment.time)
    if any(one is not None and one.event_time == said.moment.time for one in (before, after)):
        return True  # of reports of one time, the digests decide, which only a look at all of them tells
    return before is None or before.value_id != value_id or (after is not None and after.value_id != value_id)


def _reports(conn: Connection, said: Said) -> list[Report]:
    query = (
        select(
            metadata_report.c.event_time,
            metadata_report.c.rank,
            metadata_report.c.digest,
            text_value.c.text,
            metadata_report.c.event_id,
        )
        .join(text_value, text_value.c.id == metadata_report.c.value_id, isouter=True)
        .where(_same(said))
    )
    return [
        Report(Moment(time, rank, digest), text, number or 0)
        for time, rank, digest, text, number in conn.execute(query)
    ]


def _report_fields(
    conn: Connection, said: Said, reports: Iterable[Report], fields: Mapping[str, Any], cause: Cause
) -> bool:
    """Derive each field's description; a schema that does not describe a field says nothing of it."""
    by_field: dict[int, list[Report]] = {}
    everything = list(reports)
    for one in everything:
        for name, text in json.loads(one.value or "{}").items():
            number = field_number(fields, name)
            if number is not None:
                by_field.setdefault(number, []).append(Report(one.moment, text, one.event))
    withdrawn = [one for one in everything if one.value is None]
    changed = False
    for number, told in by_field.items():
        changed |= _keep(
            conn, replace(said, field=number, attribute="description"), present([*told, *withdrawn]), cause
        )
    return changed


def values_of(conn: Connection, asset: int, field: int, attribute: str) -> dict[str, Value]:
    """Return each source's present value of an attribute."""
    query = select(
        metadata_value.c.source,
        metadata_value.c.value,
        metadata_value.c.changed_at,
        metadata_value.c.reported_at,
        metadata_value.c.event_id,
    ).where(
        metadata_value.c.asset_id == asset, metadata_value.c.field_id == field, metadata_value.c.attribute == attribute
    )
    return {
        source: Value(value, changed, reported, number or 0)
        for source, value, changed, reported, number in conn.execute(query)
    }


def _keep(conn: Connection, said: Said, value: Value | None, cause: Cause) -> bool:
    """Keep a source's present value; report whether what is shown has changed, and tell the timeline."""
    assert value is not None  # at least the report at hand
    before = values_of(conn, said.asset, said.field, said.attribute)
    row = {
        "asset_id": said.asset,
        "field_id": said.field,
        "attribute": said.attribute,
        "source": said.source,
        "value": value.value,
        "changed_at": value.changed_at,
        "reported_at": value.reported_at,
        "event_id": value.event or None,
        "account_id": cause.account,
    }
    statement = insert(conn, metadata_value).values(row)
    keys = ["asset_id", "field_id", "attribute", "source"]
    rest = {name: statement.excluded[name] for name in row if name not in keys}
    conn.execute(statement.on_conflict_do_update(index_elements=keys, set_=rest))
    after = {**before, said.source: value}
    old, new = shown(before), shown(after)
    if (before[old].value if old else None) == (after[new].value if new else None):
        return False
    what = {"attribute": said.attribute, "field": said.field, "value": after[new].value if new else None, "source": new}
    tell(conn, said.asset, what, cause, said.producer)
    return True


def tell(conn: Connection, asset: int, what: Mapping[str, Any], cause: Cause, producer: str) -> None:
    """Add a line to a container's timeline."""
    row = {
        "asset_id": asset,
        "at": cause.at,
        "what": json.dumps(what, ensure_ascii=False),
        "event_id": cause.event,
        "account_id": cause.account,
        "producer": producer,
    }
    conn.execute(insert(conn, timeline).values(row))


def refresh_tags(conn: Connection, asset: int, fields: Mapping[str, Any], said: Said | None, cause: Cause) -> bool:
    """Derive the tags of a container and its fields anew; report whether they have changed."""
    subject = Said(asset, "tags", OPENLINEAGE, Moment(0), None)
    told: list[tuple[Moment, list[list[str]]]] = [
        (one.moment, json.loads(one.value or "[]")) for one in _reports(conn, subject)
    ]
    edits: dict[int, list[TagEdit]] = {}
    for row in conn.execute(select(tag_edit).where(tag_edit.c.asset_id == asset)):
        edits.setdefault(row.field_id, []).append(TagEdit(row.at, (row.tag, row.value), added=row.added))
    names = {name for _, tags in told for name, _, _ in tags}
    numbers = {name: field_number(fields, name) if name else 0 for name in names}
    wanted = set()
    for number in {0, *edits, *(one for one in numbers.values() if one is not None)}:
        reports = [
            TagReport(moment, frozenset((key, value) for name, key, value in tags if numbers[name] == number))
            for moment, tags in told
        ]
        wanted |= {(number, *one, source) for one, source in shown_tags(reports, edits.get(number, [])).items()}
    return _write_tags(conn, asset, wanted, said, cause)


def _write_tags(
    conn: Connection, asset: int, wanted: set[tuple[int, str, str, str]], said: Said | None, cause: Cause
) -> bool:
    query = select(tag.c.field_id, tag.c.tag, tag.c.value, tag.c.source).where(tag.c.asset_id == asset)
    before = {(number, key, value, source) for number, key, value, source in conn.execute(query)}
    if before == wanted:
        return False
    conn.execute(delete(tag).where(tag.c.asset_id == asset))
    rows = [
        {"asset_id": asset, "field_id": number, "tag": key, "value": value, "source": source}
        for number, key, value, source in sorted(wanted)
    ]
    if rows:
        conn.execute(insert(conn, tag), rows)
    added = sorted({key for _, key, _, _ in wanted - before})
    removed = sorted({key for _, key, _, _ in before - wanted})
    what = {"attribute": "tags", "added": added, "removed": removed}
    tell(conn, asset, what, cause, said.producer if said else "")
    return True


def folded_fields(rows: Iterable[Registered]) -> dict[str, list[Registered]]:
    """Return fields by their folded names."""
    found: dict[str, list[Registered]] = {}
    for row in rows:
        found.setdefault(fold(row.name), []).append(row)
    return found
