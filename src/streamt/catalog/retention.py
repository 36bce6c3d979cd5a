"""What is kept for how long: resumable, in small steps, and never what truth, open runs or a replay still need.

Source: catalog.md, "Storage", the paragraph on retention.
"""

import zlib
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, or_, select, text, update

from streamt.catalog.service import Catalog
from streamt.catalog.store import ledger
from streamt.catalog.store.tables import authority, claim, edge, event, event_body, event_seen, run, tombstone
from streamt.catalog.store.tables import edge_history as history
from streamt.catalog.store.tables import metadata_report as report
from streamt.catalog.store.tables import metadata_value as value
from streamt.catalog.store.tables import timeline as line
from streamt.catalog.values import Kind

STEP = 1000
DAY = 86_400 * 1_000_000_000
_REFUSED_DAYS = 30


@dataclass(frozen=True, slots=True)
class Rules:
    """How long what is kept.

    Attributes:
        bodies_days: bodies of events, compressed until then.
        events_days: what is known of events besides, where nothing points at them.
        run_days: after how many days a run that never ended counts as lost; 0 for never. It changes no edges.
    """

    bodies_days: int = 90
    events_days: int = 400
    run_days: int = 0


@dataclass(slots=True)
class Swept:
    """What a sweep did."""

    compressed: int = 0
    bodies: int = 0
    events: int = 0
    lost: int = 0


def sweep(catalog: Catalog, rules: Rules, *, compress: bool = True) -> Swept:
    """Remove what is old, a thousand rows in a transaction; stopped at any moment, the next sweep goes on.

    Args:
        catalog: an open catalog.
        rules: how long what is kept.
        compress: whether bodies that stay are compressed.
    """
    done = Swept()
    now = catalog.clock()
    while (count := catalog.change(lambda tools: _drop_bodies(tools.conn, now - rules.bodies_days * DAY, now))) > 0:
        done.bodies += count
    while compress and (count := catalog.change(lambda tools: _compress(tools.conn))) > 0:
        done.compressed += count
    while (count := catalog.change(lambda tools: _drop_events(tools.conn, now - rules.events_days * DAY))) > 0:
        done.events += count
    if rules.run_days:
        done.lost = catalog.change(lambda tools: _lose_runs(tools.conn, now - rules.run_days * DAY))
    shrink(catalog)
    return done


def shrink(catalog: Catalog) -> None:
    """Give free pages of an SQLite file back to the file system."""
    if not catalog.store.is_sqlite:
        return
    with catalog.store.writing.connect() as conn:
        raw = conn.connection.driver_connection
        assert raw is not None
        conn.rollback()
        raw.executescript("pragma incremental_vacuum")  # `execute` would take one step, which frees one page
        raw.execute("pragma wal_checkpoint(truncate)").fetchall()


def _needed() -> list[ColumnElement[bool]]:
    """Return the conditions under which an event stays whatever its age: truth, open runs, evidence."""
    is_open = exists().where(run.c.id == event.c.run_id, run.c.state == int(Kind.RUNNING), run.c.lost.is_(False))
    return [
        exists().where(authority.c.event_id == event.c.id),
        exists().where(authority.c.run_id == event.c.run_id),
        exists().where(claim.c.event_id == event.c.id),
        exists().where(claim.c.run_id == event.c.run_id),
        is_open,
    ]


def _drop_bodies(conn: Connection, before: int, now: int) -> int:
    refused = and_(
        event.c.status.in_((ledger.REJECTED, ledger.DENIED)), event.c.received_at > now - _REFUSED_DAYS * DAY
    )
    query = (
        select(event.c.id)
        .join(event_body, event_body.c.event_id == event.c.id)
        .where(event.c.received_at < before, ~or_(*_needed(), refused))
        .order_by(event.c.id)
        .limit(STEP)
    )
    numbers = list(conn.scalars(query))
    if numbers:
        conn.execute(delete(event_body).where(event_body.c.event_id.in_(numbers)))
    return len(numbers)


def _compress(conn: Connection) -> int:
    query = select(event_body).where(event_body.c.encoding == ledger.PLAIN).order_by(event_body.c.event_id).limit(STEP)
    rows = conn.execute(query).all()
    for row in rows:
        same = event_body.c.event_id == row.event_id
        packed = zlib.compress(row.body, 6)
        conn.execute(update(event_body).where(same).values(encoding=ledger.ZLIB, body=packed))
    return len(rows)


def _drop_events(conn: Connection, before: int) -> int:
    """Remove rows of events to which nothing points: no body, evidence, history, truth, report or timeline."""
    pointing = [
        exists().where(column == event.c.id)
        for column in (
            event_body.c.event_id,
            tombstone.c.event_id,
            history.c.event_id,
            edge.c.retired_event,
            report.c.event_id,
            value.c.event_id,
            line.c.event_id,
        )
    ]
    query = select(event.c.id).where(event.c.received_at < before, ~or_(*pointing, *_needed()))
    numbers = list(conn.scalars(query.order_by(event.c.id).limit(STEP)))
    if numbers:
        conn.execute(delete(event_seen).where(event_seen.c.event_id.in_(numbers)))
        conn.execute(delete(event).where(event.c.id.in_(numbers)))
    return len(numbers)


def _lose_runs(conn: Connection, before: int) -> int:
    late = (run.c.state == int(Kind.RUNNING), run.c.latest_at < before, run.c.lost.is_(False))
    return conn.execute(update(run).where(*late).values(lost=True)).rowcount


def pages(catalog: Catalog) -> int:
    """Return how many pages an SQLite file has, for those who watch it shrink."""
    with catalog.reading() as conn:
        return int(conn.execute(text("pragma page_count")).scalar_one())
