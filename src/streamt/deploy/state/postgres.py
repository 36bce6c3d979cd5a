"""States in PostgreSQL, for a team and its CI."""

import dataclasses
import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from streamt.deploy.sealed import SealError
from streamt.deploy.state import problems
from streamt.deploy.state.document import StateDocument, checksum_of
from streamt.deploy.state.journal import ENDS, Record
from streamt.deploy.state.operation import Operation
from streamt.deploy.state.store import Holder, Session, Snapshot, check_journal, read_snapshot
from streamt.diagnostics import StreamtError, redact

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.rows import TupleRow

    Link = Connection[TupleRow]

FORMAT = "streamt.store/1"
CONNECT_SECONDS = 5
STATEMENT_SECONDS = 30
_PAUSE = 0.1
_RESTORE = "put back a copy of it from `streamt_history`"

SCHEMA = """
CREATE TABLE IF NOT EXISTS streamt_store (store_id text PRIMARY KEY, format text NOT NULL);
CREATE TABLE IF NOT EXISTS streamt_state (
  address text PRIMARY KEY, serial bigint NOT NULL, checksum text NOT NULL, document text NOT NULL,
  revision bigint NOT NULL);
CREATE TABLE IF NOT EXISTS streamt_operation (
  id text PRIMARY KEY, address text NOT NULL REFERENCES streamt_state, status text NOT NULL,
  started_at timestamptz NOT NULL, intent text NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS streamt_operation_open ON streamt_operation (address) WHERE status = 'open';
CREATE TABLE IF NOT EXISTS streamt_step (
  operation text NOT NULL REFERENCES streamt_operation, n integer NOT NULL, record text NOT NULL,
  at timestamptz NOT NULL, PRIMARY KEY (operation, n));
CREATE TABLE IF NOT EXISTS streamt_history (
  address text NOT NULL, serial bigint NOT NULL, document text NOT NULL, operation text,
  PRIMARY KEY (address, serial));
"""
"""The tables; `IF NOT EXISTS` lets `state init` run twice."""


@dataclass(frozen=True, slots=True)
class PostgresStore:
    """The rows of one environment.

    Attributes:
        url: the database, as libpq takes it; a secret.
        address: whose state it is.
    """

    url: str = field(repr=False)
    address: str

    @property
    def is_local(self) -> bool:
        """Report whether only this machine sees it."""
        return False

    @property
    def place(self) -> str:
        """Return where it is, for people."""
        return "the PostgreSQL database of `deployment_state.url`"

    def create_tables(self) -> None:
        """Make the tables, those that are missing.

        Raises:
            StreamtError: E551.
        """
        with self._guarded(), self._linked("state init") as link, link.transaction():
            link.execute(SCHEMA)
            link.execute("LOCK TABLE streamt_store IN EXCLUSIVE MODE")
            if link.execute("SELECT 1 FROM streamt_store").fetchone() is None:
                link.execute("INSERT INTO streamt_store VALUES (%s, %s)", (str(uuid4()), FORMAT))

    def read(self) -> Snapshot:
        """Return the state, without a lock.

        Raises:
            StreamtError: E550 or E551.
        """
        with self._guarded(), self._linked("read") as link:
            return self._read(link)[0]

    def holder(self) -> Holder | None:
        """Return who holds the lock, if somebody does.

        Raises:
            StreamtError: E551.
        """
        with self._guarded(), self._linked("read") as link:
            return self._holder(link)

    @contextmanager
    def lock(self, holder: Holder, wait: float) -> Iterator[Session]:
        """Take the lock, in a session that does nothing else.

        Raises:
            StreamtError: E551 or E552; on leaving, E557.
        """
        with self._guarded():
            link = self._connect(f"streamt {holder.lock_id} {holder.command} {holder.host[:20]}:{holder.pid}")
        try:
            with self._guarded():
                pid = self._locked(link, wait)
            session = _PostgresSession(self, link, pid)
            yield session
        finally:
            _release(link, self._key)

    @property
    def _key(self) -> int:
        return int.from_bytes(hashlib.sha256(self.address.encode()).digest()[:8], signed=True)

    def _locked(self, link: "Link", wait: float) -> int:
        """Take the lock, and return the server process that has it."""
        end = time.monotonic() + wait
        while not _value(link, "SELECT pg_try_advisory_lock(%s)", self._key):
            if time.monotonic() >= end:
                raise problems.locked(self._holder(link), wait)
            time.sleep(_PAUSE)
        pids = {_value(link, "SELECT pg_backend_pid()") for _ in range(3)}
        pid = pids.pop()
        if pids or not self._holds(link, pid):
            raise self._pooled()
        return int(pid)

    def _pooled(self) -> StreamtError:
        message = "a pooler stands before the database and changes sessions between transactions"
        hint = "give the database's own address, or a pooler in session mode"
        return problems.unavailable(message, problems.STATE_URL, hint)

    def _holds(self, link: "Link", pid: int) -> bool:
        return bool(_value(link, f"SELECT {_HOLDS}", pid, *self._halves))

    @property
    def _halves(self) -> tuple[int, int]:
        """The key as `pg_locks` shows it: two unsigned halves."""
        key = self._key % 2**64
        return key >> 32, key % 2**32

    def _holder(self, link: "Link") -> Holder | None:
        row = link.execute(_HOLDER, self._halves).fetchone()
        if row is None:
            return None
        words = str(row[0]).split()
        host, _, pid = words[-1].rpartition(":") if len(words) == 4 else ("", "", "0")
        lock_id, command = words[1:3] if len(words) == 4 else ("unknown", "unknown")
        return Holder(lock_id, command, host or "unknown", int(pid) if pid.isdecimal() else 0, row[1])

    def _read(self, link: "Link") -> tuple[Snapshot, int]:
        """Return the state as of one moment, and its revision."""
        with link.transaction():
            link.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            self._check_store(link)
            query = "SELECT document, revision FROM streamt_state WHERE address = %s"
            row = link.execute(query, (self.address,)).fetchone()
            query = "SELECT id, intent FROM streamt_operation WHERE address = %s AND status = 'open'"
            begun = link.execute(query, (self.address,)).fetchone()
            steps = "SELECT record FROM streamt_step WHERE operation = %s ORDER BY n"
            rest = link.execute(steps, (begun[0],)).fetchall() if begun else []
        if row is None:
            return Snapshot(), 0
        lines = [line.encode() for line in (begun[1], *(each[0] for each in rest))] if begun else []
        return self._snapshot(row, begun[0] if begun else "", lines), row[1]

    def _snapshot(self, row: "TupleRow", operation: str, lines: list[bytes]) -> Snapshot:
        content = row[0].encode()
        what = "the state in PostgreSQL"
        try:
            snapshot = read_snapshot(content, self.address, None)
            what = "the journal in PostgreSQL"
            if lines:
                snapshot = dataclasses.replace(snapshot, journal=Operation.from_lines(lines, operation, self.address))
                check_journal(snapshot)
        except SealError as error:
            raise problems.invalid(what, error, problems.STATE_URL, _RESTORE) from None
        return snapshot

    def _check_store(self, link: "Link") -> str:
        row = link.execute("SELECT store_id, format FROM streamt_store").fetchone()
        if row is None or row[1] != FORMAT:
            what = "holds no store" if row is None else f"is of the format `{str(row[1])[:40]}`, not `{FORMAT}`"
            raise problems.invalid("the PostgreSQL database", SealError(what), problems.STATE_URL, _INIT)
        return str(row[0])

    # Connections

    @contextmanager
    def _linked(self, purpose: str) -> Iterator["Link"]:
        link = self._connect(f"streamt {purpose}")
        try:
            yield link
        finally:
            link.close()

    def _connect(self, name: str) -> "Link":
        psycopg = _driver()
        options = f"-c statement_timeout={STATEMENT_SECONDS}s -c lock_timeout={STATEMENT_SECONDS}s"
        link: Link = psycopg.connect(
            self.url,
            autocommit=True,
            connect_timeout=CONNECT_SECONDS,
            application_name=name[:63],
            options=options,
            keepalives_idle=30,
            prepare_threshold=None,
        )
        if _value(link, "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'"):
            link.close()
            hint = "give the address of the primary"
            raise problems.unavailable("the PostgreSQL database is a read-only standby", problems.STATE_URL, hint)
        return link

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Turn what the driver raises into E551."""
        psycopg = _driver()
        try:
            yield
        except psycopg.errors.UndefinedTable:
            message = "the PostgreSQL database has no tables of streamt"
            raise problems.unavailable(message, problems.STATE_URL, _INIT) from None
        except psycopg.Error as error:
            raise self._refused(error) from None

    def _refused(self, error: Exception) -> StreamtError:
        message = f"the state in PostgreSQL cannot be used: {self._words(error)}"
        return problems.unavailable(message, problems.STATE_URL, "check `deployment_state.url` and the server")

    def _words(self, error: Exception) -> str:
        """Return the driver's words in one line, with nothing of the address in them."""
        psycopg = _driver()
        try:
            parts = psycopg.conninfo.conninfo_to_dict(self.url).values()
        except psycopg.Error:  # its words repeat what it could not read
            return "`deployment_state.url` is not a PostgreSQL address"
        text = redact(" ".join(str(error).split()), {self.url, *map(str, parts)})
        return text[:300] or type(error).__name__


_INIT = "run `streamt state init`"
_HOLDS = (
    "EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = %s AND pg_backend_pid() = pid"
    " AND classid = %s::bigint::oid AND objid = %s::bigint::oid AND objsubid = 1)"
)
_HOLDER = (
    "SELECT a.application_name, a.backend_start FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
    " WHERE l.locktype = 'advisory' AND l.granted AND l.classid = %s::bigint::oid AND l.objid = %s::bigint::oid"
    " AND l.objsubid = 1 AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


class _PostgresSession:
    """The rows of one environment while its lock is held.

    Everything is written by the session that has the lock: if the server or the network ends it, nothing can be
    written any more. The revision is a second fence: whoever reads it late changes no row.
    """

    def __init__(self, store: PostgresStore, link: "Link", pid: int) -> None:
        self._store = store
        self._link = link
        self._pid = pid
        self._revision = 0

    def read(self) -> Snapshot:
        """Return the state."""
        with self._store._guarded():  # noqa: SLF001 - the same module
            snapshot, self._revision = self._store._read(self._link)  # noqa: SLF001 - the same module
        return snapshot

    def initialize(self, *, remember_secrets: bool) -> None:
        """Write the first, empty state, under the store's own id."""

        def insert() -> None:
            store_id = self._store._check_store(self._link)  # noqa: SLF001 - the same module
            new = StateDocument.new(self._store.address, remember_secrets=remember_secrets)
            document = dataclasses.replace(new, store_id=store_id)
            content = document.to_bytes()
            row = (document.address, document.serial, checksum_of(content), content.decode())
            self._one("INSERT INTO streamt_state VALUES (%s, %s, %s, %s, 0) ON CONFLICT DO NOTHING", *row)
            self._keep(document, content)

        self._write(insert)
        self._revision = 0

    def begin(self, operation: str, record: Record) -> None:
        """Write the operation with its first record."""

        def insert() -> None:
            self._fence()
            query = "INSERT INTO streamt_operation VALUES (%s, %s, 'open', %s, %s) ON CONFLICT DO NOTHING"
            self._one(query, operation, self._store.address, record.at, record.content.decode())

        self._write(insert)
        self._revision += 1

    def append(self, operation: str, *records: Record) -> None:
        """Write records, all or none."""

        def insert() -> None:
            self._fence()
            for record in records:
                self._step(operation, record)

        self._write(insert)
        self._revision += 1

    def close(self, operation: str, end: Record, document: StateDocument | None) -> None:
        """Write state, last record and status in one transaction, and find out what became of it if need be."""
        psycopg = _driver()
        try:
            with self._link.transaction():
                self._fence()
                self._step(operation, end)
                if document is not None:
                    self._put(document)
                query = "UPDATE streamt_operation SET status = %s WHERE id = %s AND status = 'open'"
                self._one(query, end.word.value, operation)
        except psycopg.OperationalError as error:
            self._read_back(operation, error)
        except psycopg.Error as error:
            raise self._store._refused(error) from None  # noqa: SLF001 - the same module
        self._revision += 1

    def replace(self, document: StateDocument) -> None:
        """Replace the state, keeping its serial."""

        def update() -> None:
            self._fence()
            self._put(document, keep=False)

        self._write(update)
        self._revision += 1

    def _read_back(self, operation: str, error: Exception) -> None:
        """Ask, in a new session, whether the commit happened whose answer was lost."""
        words = self._store._words(error)  # noqa: SLF001 - the same module
        query = "SELECT status FROM streamt_operation WHERE id = %s"
        try:
            with self._store._linked("read") as link:  # noqa: SLF001 - the same module
                status = _value(link, query, operation)
        except (_driver().Error, StreamtError):
            message = f"whether the operation was committed cannot be told: {words}"
            raise problems.outcome_unknown(message) from None
        if status not in ENDS:
            raise problems.lock_lost(words) from None

    def _write(self, write: Callable[[], None]) -> None:
        psycopg = _driver()
        try:
            with self._link.transaction():
                write()
        except psycopg.OperationalError as error:
            raise problems.lock_lost(self._store._words(error)) from None  # noqa: SLF001 - the same module
        except psycopg.Error as error:
            raise self._store._refused(error) from None  # noqa: SLF001 - the same module

    def _fence(self) -> None:
        """Refuse to write unless this session has the lock and nobody wrote since."""
        query = (
            "UPDATE streamt_state SET revision = revision + 1 WHERE address = %s AND revision = %s"  # noqa: S608 - constants
            f" AND {_HOLDS}"
        )
        values = (self._store.address, self._revision, self._pid, *self._store._halves)  # noqa: SLF001 - the same module
        if self._link.execute(query, values).rowcount != 1:
            raise problems.lock_lost("another session has the lock, or has changed the state")

    def _step(self, operation: str, record: Record) -> None:
        query = (
            "INSERT INTO streamt_step SELECT %s, %s, %s, %s"
            " WHERE EXISTS (SELECT 1 FROM streamt_operation WHERE id = %s AND status = 'open')"
        )
        self._one(query, operation, record.n, record.content.decode(), record.at, operation)

    def _put(self, document: StateDocument, *, keep: bool = True) -> None:
        content = document.to_bytes()
        query = "UPDATE streamt_state SET serial = %s, checksum = %s, document = %s WHERE address = %s"
        self._one(query, document.serial, checksum_of(content), content.decode(), document.address)
        if keep:
            self._keep(document, content)

    def _keep(self, document: StateDocument, content: bytes) -> None:
        row = (document.address, document.serial, content.decode(), document.operation)
        self._one("INSERT INTO streamt_history VALUES (%s, %s, %s, %s)", *row)

    def _one(self, query: str, *values: Any) -> None:
        if self._link.execute(query, values).rowcount != 1:
            raise problems.conflict("the state was changed by somebody else")


def _release(link: "Link", key: int) -> None:
    """Give the lock back by ending its session; a session that is already gone has given it back itself."""
    with suppress(_driver().Error):
        if not link.closed:
            link.execute("SELECT pg_advisory_unlock(%s)", (key,))
    link.close()


def _value(link: "Link", query: str, *values: Any) -> Any:
    row = link.execute(query, values).fetchone()
    return row[0] if row else None


def _driver() -> Any:
    try:
        import psycopg
        import psycopg.conninfo
    except ImportError:
        hint = "install it: pip install 'streamt[postgres]'"
        message = "the state is in PostgreSQL, and its driver is not installed"
        raise problems.unavailable(message, problems.STATE_URL, hint) from None
    return psycopg
