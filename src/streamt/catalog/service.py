"""The catalog itself: receive, register, replay, end, edit; one transaction each, and no HTTP in it."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from sqlalchemy import Connection, delete, func, literal_column, select

from streamt.catalog import editing, sources, wire
from streamt.catalog.access import Caller, Permission, Role
from streamt.catalog.applying import Outcome, Submission, Work, end_job, replay
from streamt.catalog.changes import DeniedError, MissingError, Tools
from streamt.catalog.events import Event, InvalidEventError, digest, read
from streamt.catalog.exporting import export
from streamt.catalog.store import claims, ledger, people, registering
from streamt.catalog.store.claims import Cause, claims_of_job
from streamt.catalog.store.engine import Store, open_store
from streamt.catalog.store.ids import Ids, PendingIds
from streamt.catalog.store.reading import job_visible
from streamt.catalog.store.registering import ConnectionSpec, Sync, Synced
from streamt.catalog.store.resolving import Registry, load_registry, resolve
from streamt.catalog.store.statements import Later
from streamt.catalog.store.tables import event, event_body, ident, job
from streamt.catalog.store.tables import replay as replay_table
from streamt.catalog.values import Name
from streamt.catalog.writer import Rights, Writer

T = TypeVar("T")
PRODUCER = "https://github.com/conduktor/streamt"


class Catalog:
    """An open catalog."""

    def __init__(self, store: Store, clock: Callable[[], int] = time.time_ns) -> None:
        self.store = store
        self.clock = clock
        self._ids = Ids()
        self._registry: Registry | None = None
        self._writer = Writer(store, clock)
        self._wake = threading.Event()
        self._closing = False
        self._replayer = threading.Thread(target=self._replay_forever, daemon=True)
        self._replayer.start()

    @classmethod
    def open(cls, url: str, clock: Callable[[], int] = time.time_ns) -> "Catalog":
        """Open a store and begin to work on it.

        Args:
            url: the store.
            clock: the time, in nanoseconds.

        Raises:
            StreamtError: E570, when the store cannot be used.
        """
        return cls(open_store(url), clock)

    def close(self) -> None:
        """Write what waits, then let the store go."""
        self._closing = True
        self._wake.set()
        self._writer.close()
        self._replayer.join(timeout=60)
        self.store.close()

    @property
    def waiting(self) -> int:
        """Return how many events wait to be written."""
        return self._writer.waiting

    # Events

    def submit(self, items: Sequence[wire.Item], caller: Caller) -> "list[Future[Outcome]]":
        """Queue events; each answer comes once the event is durable.

        Raises:
            BusyError: too many wait; none of these was queued.
        """
        return self.queue([self.submission(item, caller) for item in items])

    def queue(self, submissions: Sequence[Submission]) -> "list[Future[Outcome]]":
        """Queue events that were read already.

        Raises:
            BusyError: too many wait; none of these was queued.
        """
        return self._writer.submit(submissions)

    def receive(self, items: Sequence[wire.Item], caller: Caller) -> list[Outcome]:
        """Store events and do what they say.

        Raises:
            BusyError: too many wait.
            AwayError: the store cannot be used at the moment.
        """
        return [answer.result() for answer in self.submit(items, caller)]

    def submission(self, item: wire.Item, caller: Caller) -> Submission:
        """Read an event, whose sender is `caller`."""
        try:
            event = read(item.value, item.raw, self.clock())
        except InvalidEventError as error:
            return Submission(item.raw, digest(item.raw), error, caller)
        return Submission(item.raw, event.moment.digest, event, caller)

    # Changes

    def change(self, work: Callable[[Tools], T]) -> T:
        """Do something that changes the store, in one transaction.

        Raises:
            AwayError: the store cannot be used at the moment.
        """

        def whole(conn: Connection) -> tuple[T, PendingIds]:
            pending = self._ids.begin()
            return work(Tools(conn, pending, self.clock())), pending

        result, pending = self.store.write(whole)
        self._ids.keep(pending)
        return result

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection for questions.

        Raises:
            AwayError: the store cannot be used at the moment.
        """
        with self.store.read() as conn:
            yield conn

    def register(
        self, datastore_id: int, specs: Sequence[registering.ContainerSpec], caller: Caller, *, whole: bool
    ) -> Synced:
        """Register containers; the jobs that named them are replayed after the commit.

        Raises:
            DeniedError: the caller may not edit the datastore.
            MissingError: there is no such datastore that the caller may see.
        """

        def work(tools: Tools) -> Synced:
            place = registering.place_of(tools.conn, datastore_id)
            if place is None or not caller.viewable.covers([datastore_id]):
                raise MissingError
            if not caller.editable.covers([datastore_id]):
                raise DeniedError
            self.store.lock_registry(tools.conn, exclusive=True)
            cause = Cause(tools.now, account=caller.user)
            synced = registering.register(tools.conn, tools.ids, Sync(place, specs, whole), cause)
            detail = {"containers": len(specs), "added": synced.added, "removed": synced.removed, "whole": whole}
            deed = people.Deed("datastore.register", f"datastore {datastore_id}", detail)
            people.note(tools.conn, caller.user, deed, tools.now)
            return synced

        synced = self.change(work)
        self._wake.set()
        return synced

    def make_connection(self, spec: ConnectionSpec, caller: Caller) -> tuple[int, bool]:
        """Make a connection, or find the one of this name.

        Raises:
            DeniedError: only admins and managers make connections.
        """
        if caller.role is Role.MEMBER:
            raise DeniedError

        def work(tools: Tools) -> tuple[int, bool]:
            self.store.lock_registry(tools.conn, exclusive=True)
            number, is_new = registering.make_connection(tools.conn, spec)
            if is_new:
                deed = people.Deed("connection.create", spec.name, {"type": spec.type, "host": spec.host})
                people.note(tools.conn, caller.user, deed, tools.now)
            return number, is_new

        return self.change(work)

    def make_datastore(
        self, connection_id: int, spec: Mapping[str, str], caller: Caller, team: int | None = None
    ) -> tuple[int, bool]:
        """Make a datastore, or find the one at this place; `team` becomes its editor.

        Raises:
            DeniedError: only admins and managers make datastores; a manager names a team of their own.
            MissingError: there is no such connection, or no such team.
        """
        if caller.role is Role.MEMBER or (caller.role is Role.MANAGER and team is None):
            raise DeniedError

        def work(tools: Tools) -> tuple[int, bool]:
            self.store.lock_registry(tools.conn, exclusive=True)
            if not caller.is_admin and not people.is_member(tools.conn, team, caller.user):
                raise DeniedError
            if not registering.has_connection(tools.conn, connection_id):
                raise MissingError
            number, is_new = registering.make_datastore(tools.conn, connection_id, spec)
            if is_new:
                if team is not None and not people.has_team(tools.conn, team):
                    raise MissingError
                if team is not None:
                    people.set_grant(tools.conn, team, number, Permission.EDITOR)
                deed = people.Deed("datastore.create", f"datastore {number}", dict(spec))
                people.note(tools.conn, caller.user, deed, tools.now)
            return number, is_new

        return self.change(work)

    def end_job(self, name: Name, caller: Caller) -> int:
        """Say that a job is gone: it asserts nothing more within what the caller may edit; return what it lost.

        Raises:
            MissingError: there is no such job that the caller may see.
            DeniedError: the caller may edit nothing that the job touches.
        """

        def work(tools: Tools) -> int:
            seen = job.c.ident == ident("job", *name), job_visible(caller)
            number = tools.conn.scalar(select(job.c.id).where(*seen))
            if number is None:
                raise MissingError
            self.store.lock_jobs(tools.conn, [ident("job", *name)])
            stored = claims_of_job(tools.conn, tools.ids, number)
            if stored and caller.editable.datastores is not None:
                self._check_touches(tools, [one.edge_id for one in stored.values()], caller)
            tally = end_job(self._work(tools), number, caller, PRODUCER)
            deed = people.Deed("job.end", "/".join(name), {"withdrawn": tally.dropped})
            people.note(tools.conn, caller.user, deed, tools.now)
            return tally.dropped

        return self.change(work)

    def _check_touches(self, tools: Tools, edges: Sequence[int], caller: Caller) -> None:
        if not any(caller.editable.covers(editing.stores_of(tools.conn, number)) for number in edges):
            raise DeniedError

    def _work(self, tools: Tools) -> Work:
        self._registry = load_registry(tools.conn, self._registry, self._ids)
        return Work(tools.conn, tools.ids, Later(tools.conn), self._registry, Rights(tools.conn), tools.now)

    # Replay

    def replay_pending(self) -> int:
        """Replay the jobs that wait for it, one transaction each; return how many there were."""
        done = 0
        while not self._closing:
            with self.store.read() as conn:
                query = select(replay_table.c.job_id, replay_table.c.requested_at, job.c.ident).join(job)
                row = conn.execute(query.order_by(replay_table.c.requested_at).limit(1)).first()
            if row is None:
                return done
            self.change(lambda tools, row=row: self._replay_one(tools, row))  # type: ignore[misc]
            done += 1
        return done

    def _replay_one(self, tools: Tools, row: Any) -> None:
        self.store.lock_registry(tools.conn, exclusive=False)
        self.store.lock_jobs(tools.conn, [row.ident])
        replay(self._work(tools), row.job_id)
        which = (replay_table.c.job_id == row.job_id) & (replay_table.c.requested_at == row.requested_at)
        tools.conn.execute(delete(replay_table).where(which))

    def pending_replays(self) -> int:
        """Return how many jobs wait to be replayed."""
        with self.store.read() as conn:
            return conn.scalar(select(func.count(literal_column("*"))).select_from(replay_table)) or 0

    def _replay_forever(self) -> None:
        """Replay when something was registered, here or by another server; a failure is tried again."""
        while not self._closing:
            with contextlib.suppress(Exception):
                self.replay_pending()
            self._wake.wait(timeout=5)
            self._wake.clear()

    def sync_events(self, caller: Caller) -> dict[str, int]:
        """Register the containers that the received events name, as an admin's act (C20).

        Raises:
            DeniedError: the caller is no admin.
        """
        if not caller.is_admin:
            raise DeniedError
        with self.store.read() as conn:
            found = sources.in_events(received_events(conn, self.clock()))
        totals = {"containers": 0, "added": 0, "replaying": 0}
        for one in found:
            connection, _ = self.make_connection(one.connection, caller)
            number, _ = self.make_datastore(connection, one.datastore, caller)
            synced = self.register(number, one.containers, caller, whole=False)
            totals["containers"] += len(synced.containers)
            totals["added"] += synced.added
            totals["replaying"] += synced.jobs
        return totals

    def export(self, conn: Connection) -> Iterator[dict[str, Any]]:
        """Return the graph as OpenLineage events."""
        return export(conn, self._ids.begin(), self.clock())

    # Nodes

    def nodes_named(self, name: Name) -> list[int]:
        """Return the nodes that a dataset's name means: its containers, else the asset outside the catalog."""
        with self.store.read() as conn:
            ids = self._ids.begin()
            registry = load_registry(conn, None, Ids())
            found = [node.id for node in resolve(conn, registry, ids, [name])[name]]
            outside = claims.asset_number(conn, ids, name)
        return found or ([outside] if outside is not None else [])


def received_events(conn: Connection, now: int) -> Iterator[Event]:
    """Yield the events whose bodies are kept, in the order of receipt."""
    good = event.c.status.in_((ledger.APPLIED, ledger.STORED))
    query = select(event_body).join(event, event.c.id == event_body.c.event_id).where(good).order_by(event.c.id)
    for row in conn.execution_options(yield_per=500).execute(query):
        raw = ledger.unpacked(row.encoding, row.body)
        with contextlib.suppress(InvalidEventError, wire.RefusedError):
            yield read(wire.decode(raw).items[0].value, raw, now)
