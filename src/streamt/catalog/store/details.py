"""One container, one edge, one job in full: as far as the caller may see."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, desc, func, literal_column, or_, select

from streamt.catalog.access import Caller
from streamt.catalog.metadata import USER, Value, description_of, shown
from streamt.catalog.store.ledger import load_uses
from streamt.catalog.store.reading import Answer, Page, cursor, iso, job_visible, nodes_of, tags_of, visible
from streamt.catalog.store.tables import (
    account,
    asset,
    claim,
    code,
    edge,
    edge_history,
    event,
    field,
    job,
    metadata_report,
    metadata_value,
    run,
    text_value,
    timeline,
)
from streamt.catalog.values import FieldUse, Kind

Condition = ColumnElement[bool]


def container(conn: Connection, caller: Caller, number: int) -> Answer | None:
    """Return a container with its fields, descriptions, owners and tags; None if there is none to see."""
    query = select(asset.c.id).where(asset.c.id == number, visible(caller, asset.c.datastore_id))
    if conn.scalar(query) is None:
        return None
    node = nodes_of(conn, caller, [number])[number]
    values = _values(conn, number)
    tags = tags_of(conn, number)
    return node | {
        "description": _shown(values.get((0, "description"), {})),
        "owners": json.loads(_shown(values.get((0, "owners"), {}))["value"] or "[]"),
        "tags": tags.get(0, []),
        "fields": _fields(conn, number, values, tags),
        "editable": caller.editable.covers([node["datastore"]["id"]]),
    }


def _values(conn: Connection, number: int) -> dict[tuple[int, str], dict[str, Value]]:
    found: dict[tuple[int, str], dict[str, Value]] = {}
    for row in conn.execute(select(metadata_value).where(metadata_value.c.asset_id == number)):
        value = Value(row.value, row.changed_at, row.reported_at, row.event_id or 0)
        found.setdefault((row.field_id, row.attribute), {})[row.source] = value
    return found


def _shown(values: Mapping[str, Value]) -> Answer:
    source = shown(values)
    others = sorted(one for one in values if one != USER)
    return {
        "value": values[source].value if source else None,
        "source": source,
        "changed_at": iso(values[source].changed_at) if source else None,
        "sources": others,
    }


def _fields(
    conn: Connection,
    number: int,
    values: Mapping[tuple[int, str], Mapping[str, Value]],
    tags: Mapping[int, list[Answer]],
) -> list[Answer]:
    query = select(field.c.id, field.c.name, field.c.type).where(
        field.c.asset_id == number, field.c.removed_at.is_(None)
    )
    return [
        {
            "id": row.id,
            "name": row.name,
            "type": row.type,
            "description": _shown(values.get((row.id, "description"), {})),
            "tags": tags.get(row.id, []),
        }
        for row in conn.execute(query.order_by(field.c.position, field.c.id))
    ]


def assertions(conn: Connection, number: int) -> list[Answer]:
    """Return each source's value of each attribute, with when it last changed and which one is shown."""
    found = []
    for (owner, attribute), values in sorted(_values(conn, number).items()):
        effective = shown(values)
        for source, value in sorted(values.items()):
            found.append(
                {
                    "field": owner or None,
                    "attribute": attribute,
                    "source": source,
                    "value": value.value,
                    "changed_at": iso(value.changed_at),
                    "reported_at": iso(value.reported_at),
                    "withdrawn": value.value is None,
                    "shown": source == effective,
                    "producer": _producer(conn, value.event),
                    "event": value.event or None,
                }
            )
    return found


def _producer(conn: Connection, number: int) -> str | None:
    return conn.scalar(select(event.c.producer).where(event.c.id == number)) if number else None


def reports(conn: Connection, number: int, page: Page) -> Answer:
    """Return everything that was ever said of a container's metadata, the latest first."""
    query = (
        select(metadata_report, text_value.c.text, event.c.producer)
        .join(text_value, text_value.c.id == metadata_report.c.value_id, isouter=True)
        .join(event, event.c.id == metadata_report.c.event_id, isouter=True)
        .where(metadata_report.c.asset_id == number)
    )
    return _latest_first(
        conn,
        metadata_report,
        query,
        page,
        lambda row: {
            "id": row.id,
            "field": row.field_id or None,
            "attribute": row.attribute,
            "source": row.source,
            "value": row.text,
            "at": iso(row.event_time),
            "producer": row.producer,
            "event": row.event_id,
        },
    )


def timeline_of(conn: Connection, number: int, page: Page) -> Answer:
    """Return what changed on a container, the latest first; never the job or the run behind it."""
    submitter = account.alias()
    query = (
        select(timeline, account.c.name.label("person"), submitter.c.name.label("submitter"))
        .join(account, account.c.id == timeline.c.account_id, isouter=True)
        .join(event, event.c.id == timeline.c.event_id, isouter=True)
        .join(submitter, submitter.c.id == event.c.submitter_id, isouter=True)
        .where(timeline.c.asset_id == number)
    )
    return _latest_first(
        conn,
        timeline,
        query,
        page,
        lambda row: {
            "id": row.id,
            "at": iso(row.at),
            "change": json.loads(row.what),
            "user": row.person or row.submitter,
            "producer": row.producer or None,
            "event": row.event_id,
        },
    )


def _latest_first(conn: Connection, table: Table, query: Any, page: Page, show: Any) -> Answer:
    if page.after:
        query = query.where(table.c.id < page.after[0])
    rows = conn.execute(query.order_by(desc(table.c.id)).limit(page.limit + 1)).all()
    shown_rows = rows[: page.limit]
    more = cursor(shown_rows[-1].id) if len(rows) > page.limit else None
    return {"items": [show(row) for row in shown_rows], "next": more}


def edge_of(conn: Connection, caller: Caller, number: int) -> Answer | None:
    """Return an edge with its evidence and history; None if there is none to see."""
    row = conn.execute(select(edge).where(edge.c.id == number)).first()
    if row is None:
        return None
    stores = _datastores(conn, row.source_id, row.target_id)
    if not caller.sees_edge(stores):
        return None
    nodes = nodes_of(conn, caller, dict.fromkeys([row.source_id, row.target_id]))
    details = caller.sees_details(stores)
    evidence = _evidence(conn, row, details=details)
    own = row.description
    return {
        "id": row.id,
        "origin": row.origin,
        "source": nodes[row.source_id],
        "target": nodes[row.target_id],
        "source_field": _field_name(conn, nodes[row.source_id], row.source_field),
        "target_field": _field_name(conn, nodes[row.target_id], row.target_field),
        "active": row.retired_at is None,
        "created_at": iso(row.created_at),
        "retired_at": iso(row.retired_at),
        "retired_by_event": row.retired_event if details else None,
        "retired_by_user": _user_name(conn, row.retired_by) if details else None,
        "description": own or (_derived(evidence) if row.source_field else ""),
        "description_source": "user" if own else "openlineage" if row.source_field and _derived(evidence) else None,
        "details": details,
        "editable": caller.editable.covers([one for one in stores if one is not None]),
        "evidence": evidence,
        "history": _history(conn, number, details=details),
    }


def _derived(evidence: Iterable[Answer]) -> str:
    """Write a field edge's description from the transformations of whoever asserts it."""
    return description_of((how["type"], how["subtype"]) for one in evidence for how in one.get("transformations", ()))


def _datastores(conn: Connection, *numbers: int) -> list[int | None]:
    query = select(asset.c.id, asset.c.datastore_id).where(asset.c.id.in_(numbers))
    found = dict(conn.execute(query).all())
    return [found[number] for number in numbers]


def _field_name(conn: Connection, node: Answer, number: int) -> str | None:
    if not number or not node["visible"]:
        return None
    return conn.scalar(select(field.c.name).where(field.c.id == number))


def _user_name(conn: Connection, number: int | None) -> str | None:
    return conn.scalar(select(account.c.name).where(account.c.id == number)) if number else None


def _evidence(conn: Connection, row: Any, *, details: bool) -> list[Answer]:
    """Return one record for each job that asserts an edge: the newest of its claims (C6)."""
    query = (
        select(
            claim,
            event.c.kind,
            event.c.code_id,
            account.c.name.label("submitter"),
            job.c.namespace,
            job.c.name,
            job.c.producer,
            run.c.uuid,
            run.c.state,
            run.c.lost,
        )
        .join(event, event.c.id == claim.c.event_id)
        .join(account, account.c.id == event.c.submitter_id)
        .join(job, job.c.id == claim.c.job_id)
        .join(run, run.c.id == claim.c.run_id, isouter=True)
        .where(claim.c.edge_id == row.id)
        .order_by(claim.c.event_time.desc(), claim.c.rank.desc(), claim.c.digest.desc())
    )
    newest: dict[int, Any] = {}
    for one in conn.execute(query):
        newest.setdefault(one.job_id, one)
    return [_record(conn, row, one, details=details) for one in newest.values()]


def _record(conn: Connection, row: Any, one: Any, *, details: bool) -> Answer:
    brief: Answer = {
        "producer": one.producer,
        "kind": "definition" if Kind(one.kind) is Kind.JOB else "run",
        "time": iso(one.event_time),
    }
    if not details:
        return brief
    uses = load_uses(json.loads(one.how)) if one.how else ()
    brief |= {
        "job": {"id": one.job_id, "namespace": one.namespace, "name": one.name},
        "submitter": one.submitter,
        "event": one.event_id,
        "run": {"id": one.uuid, "state": "LOST" if one.lost else Kind(one.state).name} if one.uuid else None,
        "transformations": _transformations(uses),
    }
    if not row.source_field:
        brief["fields"] = [
            {
                "source": {"namespace": use.source[0], "name": use.source[1], "field": use.source_field},
                "target_field": use.target_field or None,
                "transformations": _transformations([use]),
            }
            for use in uses
        ]
        brief["code"] = _code(conn, one)
    return brief


def _transformations(uses: Iterable[FieldUse]) -> list[Answer]:
    distinct = dict.fromkeys(how for use in uses for how in use.how)
    return [how._asdict() for how in distinct]


def _code(conn: Connection, one: Any) -> Answer | None:
    """Return the SQL or source code of the event, or the latest that its run, else its job, sent."""
    same = and_(event.c.run_id == one.run_id) if one.run_id else and_(event.c.job_id == one.job_id)
    query = (
        select(code.c.language, code.c.text)
        .join(event, event.c.code_id == code.c.id)
        .where(or_(event.c.id == one.event_id, same))
        .order_by(event.c.event_time.desc(), event.c.id.desc())
        .limit(1)
    )
    row = conn.execute(query).first()
    return {"language": row.language, "text": row.text} if row else None


def _history(conn: Connection, number: int, *, details: bool) -> list[Answer]:
    query = (
        select(edge_history, account.c.name, event.c.producer)
        .join(account, account.c.id == edge_history.c.account_id, isouter=True)
        .join(event, event.c.id == edge_history.c.event_id, isouter=True)
        .where(edge_history.c.edge_id == number)
        .order_by(desc(edge_history.c.id))
        .limit(100)
    )
    return [
        {
            "at": iso(row.at),
            "what": row.what,
            "producer": row.producer,
            **({"event": row.event_id, "user": row.name} if details else {}),
        }
        for row in conn.execute(query)
    ]


def job_of(conn: Connection, caller: Caller, namespace: str, name: str) -> Answer | None:
    """Return a job: its latest producer, what it is, and what it asserts; None if there is none to see."""
    query = select(job).where(job.c.namespace == namespace, job.c.name == name, job_visible(caller))
    row = conn.execute(query).first()
    if row is None:
        return None
    return {
        "id": row.id,
        "namespace": row.namespace,
        "name": row.name,
        "producer": row.producer,
        "latest_at": iso(row.latest_at) if row.producer else None,
        "about": json.loads(row.about),
        "edges": _edges_of_job(conn, caller, row.id),
    }


def _edges_of_job(conn: Connection, caller: Caller, number: int) -> list[Answer]:
    query = (
        select(edge.c.id, edge.c.source_id, edge.c.target_id)
        .join(claim, claim.c.edge_id == edge.c.id)
        .where(claim.c.job_id == number, edge.c.source_field == 0)
        .distinct()
        .order_by(edge.c.id)
        .limit(1000)
    )
    rows = conn.execute(query).all()
    nodes = nodes_of(conn, caller, dict.fromkeys(side for row in rows for side in row[1:]))
    return [
        {"id": row.id, "source": nodes[row.source_id], "target": nodes[row.target_id]}
        for row in rows
        if caller.is_admin or (nodes[row.source_id]["visible"] and nodes[row.target_id]["visible"])
    ]


def runs_of(conn: Connection, number: int, page: Page) -> Answer:
    """Return a job's runs, the latest first."""
    return _latest_first(
        conn,
        run,
        select(run).where(run.c.job_id == number),
        page,
        lambda row: {
            "id": row.id,
            "run": row.uuid,
            "state": "LOST" if row.lost else Kind(row.state).name,
            "started_at": iso(row.started_at),
            "ended_at": iso(row.ended_at),
            "about": json.loads(row.about),
        },
    )


def jobs(conn: Connection, caller: Caller, page: Page, namespace: str | None = None) -> Answer:
    """Return the jobs that the caller may see."""
    query = select(job.c.id, job.c.namespace, job.c.name, job.c.producer, job.c.latest_at).where(job_visible(caller))
    if namespace is not None:
        query = query.where(job.c.namespace == namespace)
    return _latest_first(
        conn,
        job,
        query,
        page,
        lambda row: {
            "id": row.id,
            "namespace": row.namespace,
            "name": row.name,
            "producer": row.producer,
            "latest_at": iso(row.latest_at) if row.producer else None,
        },
    )


def events(conn: Connection, page: Page, status: str | None = None) -> Answer:
    """Return what was received, the latest first, for admins: never a body, never an unknown facet."""
    query = (
        select(event, account.c.name.label("submitter"), job.c.namespace, job.c.name, run.c.uuid)
        .join(account, account.c.id == event.c.submitter_id)
        .join(job, job.c.id == event.c.job_id, isouter=True)
        .join(run, run.c.id == event.c.run_id, isouter=True)
    )
    if status is not None:
        query = query.where(event.c.status == status)
    return _latest_first(
        conn,
        event,
        query,
        page,
        lambda row: {
            "id": row.id,
            "received_at": iso(row.received_at),
            "event_time": iso(row.event_time),
            "kind": Kind(row.kind).name if row.kind >= 0 else None,
            "status": row.status,
            "submitter": row.submitter,
            "producer": row.producer,
            "job": {"namespace": row.namespace, "name": row.name} if row.name else None,
            "run": row.uuid,
            "problems": json.loads(row.problems or "[]"),
        },
    )


def counts(conn: Connection, caller: Caller) -> Answer:
    """Return how much there is that the caller may see; only admins know how many events came."""
    one, other = asset.alias(), asset.alias()
    edges = select(func.count(literal_column("*"))).select_from(edge).where(edge.c.retired_at.is_(None))
    if not caller.is_admin:
        joined = edges.join(one, one.c.id == edge.c.source_id).join(other, other.c.id == edge.c.target_id)
        edges = joined.where(or_(visible(caller, one.c.datastore_id), visible(caller, other.c.datastore_id)))
    containers = select(func.count(literal_column("*"))).select_from(asset)
    jobs_seen = select(func.count(literal_column("*"))).select_from(job).where(job_visible(caller))
    return {
        "events": conn.scalar(select(func.count(literal_column("*"))).select_from(event)) if caller.is_admin else 0,
        "containers": conn.scalar(containers.where(visible(caller, asset.c.datastore_id))),
        "jobs": conn.scalar(jobs_seen),
        "edges": conn.scalar(edges),
    }
