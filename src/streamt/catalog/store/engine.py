"""Open a store, SQLite or PostgreSQL, and bring it to the version that this program works with."""

import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.exc import DBAPIError, OperationalError

from streamt.diagnostics import Code, Diagnostic, StreamtError

if TYPE_CHECKING:
    from alembic.config import Config

T = TypeVar("T")

MIGRATIONS = Path(__file__).with_name("migrations")
REGISTRY_LOCK = 0x73747265616D74  # "streamt": shared by those who resolve names, exclusive for registration
# Serialization failure and deadlock; read-only and disk full: https://www.postgresql.org/docs/current/errcodes-appendix.html.
_RETRIED = ("40001", "40P01")
_REFUSED = ("25006", "53100")
_ATTEMPTS = 4
_PAUSE_S = 0.05
_BUSY_MS = 10_000
_WRITING_KIB, _READING_KIB = 64 * 1024, 8 * 1024  # for each connection; up to 16 read


class AwayError(Exception):
    """The store cannot be used at the moment: full, locked, read-only or gone; nothing was written."""


class ContendedError(AwayError):
    """Other transactions were in the way each time; nothing was written, and a smaller one may pass."""


@dataclass
class Store:
    """An open store.

    Attributes:
        reading: connections for reads.
        writing: connections for writes; one alone for SQLite.
        is_sqlite: which of the two it is.
    """

    reading: Engine
    writing: Engine
    is_sqlite: bool
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _turns: int = 0

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection whose transaction only reads.

        Raises:
            AwayError: the store cannot be used at the moment.
        """
        with _translated(), self.reading.connect() as connection:
            yield connection

    def write(self, work: Callable[[Connection], T]) -> T:
        """Do `work` in one transaction, which is durable when this returns.

        On PostgreSQL it is tried again when another transaction was in the way, so `work` must not keep anything.

        Raises:
            AwayError: the store cannot be used at the moment; nothing was written.
        """
        with _translated():
            if not self.is_sqlite:
                return self._retried(work)
            with self._lock:
                try:
                    with self.writing.begin() as connection:
                        return work(connection)
                finally:
                    self._turns += 1  # a commit that fails may have happened

    def _retried(self, work: Callable[[Connection], T]) -> T:
        for attempt in range(_ATTEMPTS):
            try:
                with self.writing.begin() as connection:
                    return work(connection)
            except DBAPIError as error:
                if not _was_in_the_way(error) or attempt == _ATTEMPTS - 1:
                    raise
                # Those who met would meet again, were they to begin again at the same time.
                time.sleep(random.uniform(0, _PAUSE_S))  # noqa: S311 - no secret
        raise AssertionError

    def state(self, connection: Connection) -> object:
        """Return what differs as soon as anybody else has written, inside `write`; None if that cannot be told.

        After a commit it is what `next_state` made of it before.
        """
        if not self.is_sqlite:
            return None
        mine = connection.info.setdefault("streamt", object())  # another connection counts from anew
        return (mine, connection.exec_driver_sql("pragma data_version").scalar(), self._turns)

    @staticmethod
    def next_state(state: object) -> object:
        """Return what `state` will be after the transaction at hand, if nobody else writes."""
        return (*state[:2], state[2] + 1) if isinstance(state, tuple) else None

    def lock_jobs(self, connection: Connection, keys: list[bytes]) -> None:
        """Wait until no other transaction works on these jobs; on PostgreSQL only, in one order for all."""
        if self.is_sqlite:
            return
        numbers = sorted({int.from_bytes(key[:8], signed=True) for key in keys})
        locking = text("select pg_advisory_xact_lock(key) from unnest(cast(:keys as bigint[])) as key")
        connection.execute(locking, {"keys": numbers}).all()

    def lock_registry(self, connection: Connection, *, exclusive: bool) -> None:
        """Keep registration and the resolving of names apart, on PostgreSQL; SQLite has one writer anyway."""
        if not self.is_sqlite:
            kind = "" if exclusive else "_shared"
            connection.execute(text(f"select pg_advisory_xact_lock{kind}(:key)"), {"key": REGISTRY_LOCK})

    def close(self) -> None:
        """Let all connections go."""
        self.reading.dispose()
        self.writing.dispose()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        if _was_in_the_way(error):
            raise ContendedError(_reason(error)) from error
        gone = error.connection_invalidated or getattr(error.orig, "sqlstate", None) in _REFUSED
        if gone or isinstance(error, OperationalError):
            raise AwayError(_reason(error)) from error
        raise


def _was_in_the_way(error: DBAPIError) -> bool:
    """Tell that another transaction was in the way of this one."""
    return getattr(error.orig, "sqlstate", None) in _RETRIED


def _reason(error: DBAPIError) -> str:
    """Say what the driver said, without the statement or its values, which may quote data."""
    return str(error.orig).splitlines()[0] if str(error.orig) else type(error.orig).__name__


def is_sqlite(url: str) -> bool:
    """Report whether a store's URL means an SQLite file."""
    return url.startswith("sqlite:")


def connect(url: str, *, size: int = 8) -> Store:
    """Make the engines; nothing is asked of the store yet.

    Args:
        url: `sqlite:///PATH` or `postgresql://USER@HOST/DATABASE`.
        size: how many connections to PostgreSQL at most, for each of reading and writing.

    Raises:
        StreamtError: E570, when the URL names no such store.
    """
    if is_sqlite(url):
        path = url.removeprefix("sqlite:").removeprefix("//").removeprefix("/") if url != "sqlite:" else ""
        if not path or path == ":memory:":
            raise _error("a store in memory keeps nothing", "write sqlite:///PATH")
        _make_private(Path("/" + path if url.startswith("sqlite:////") else path))
        return Store(_sqlite(url, write=False), _sqlite(url, write=True), is_sqlite=True)
    match = re.match(r"postgres(?:ql)?(?:\+psycopg)?://", url)
    if match is None:
        raise _error("unknown kind of store", "write sqlite:///PATH or postgresql://USER@HOST/DATABASE")
    full = "postgresql+psycopg://" + url[match.end() :]
    options: dict[str, Any] = {"pool_size": size, "max_overflow": 4, "pool_pre_ping": True, "pool_timeout": 20}
    engine = create_engine(full, isolation_level="READ COMMITTED", **options)
    return Store(engine, engine, is_sqlite=False)


def _make_private(path: Path) -> None:
    """Make the file, since events quote data: nobody but its owner reads it, nor what SQLite puts beside it."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def _sqlite(url: str, *, write: bool) -> Engine:
    engine = create_engine(
        url, pool_size=1 if write else 8, max_overflow=0 if write else 8, connect_args={"check_same_thread": False}
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions begin where we say so, not where the driver guesses
        for pragma in (
            f"busy_timeout={_BUSY_MS}",
            "auto_vacuum=INCREMENTAL",  # counts only before the first table; else the file never shrinks
            "journal_mode=WAL",
            "synchronous=FULL",
            "wal_autocheckpoint=4000",  # pages of the log, 16 MiB, before they are copied: hot ones are copied once
            "foreign_keys=ON",
            f"cache_size={-_WRITING_KIB if write else -_READING_KIB}",
        ):
            connection.execute(f"pragma {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def open_store(url: str, *, size: int = 8) -> Store:
    """Open a store for work; an empty one is set up.

    Raises:
        StreamtError: E570, when it cannot be reached, or its version is another one than this program's.
    """
    store = connect(url, size=size)
    try:
        found = version(store)
        if found is None:
            _upgrade(store)
        elif found != head():
            known = found in revisions()
            wrong = "too old" if known else "too new"
            hint = (
                "run `streamt catalog migrate`" if known else "use the version of streamt that wrote it, or a newer one"
            )
            raise _error(f"the store is {wrong} for this program (store {found}, program {head()})", hint)
    except (OperationalError, AwayError) as error:
        store.close()
        reason = _reason(error) if isinstance(error, OperationalError) else str(error)
        raise _error(f"the store cannot be opened: {reason}", "check the URL, and that the server runs") from error
    except StreamtError:
        store.close()
        raise
    return store


def migrate(url: str) -> tuple[str | None, str]:
    """Bring a store to this program's version.

    Returns:
        The version before, None for an empty store, and the version now.

    Raises:
        StreamtError: E570, when it cannot be reached, or is newer than this program.
    """
    store = connect(url)
    try:
        before = version(store)
        if before is not None and before not in revisions():
            raise _error(f"the store is too new for this program (store {before}, program {head()})", "update streamt")
        _upgrade(store)
        return before, head()
    except OperationalError as error:
        raise _error(
            f"the store cannot be opened: {_reason(error)}", "check the URL, and that the server runs"
        ) from error
    finally:
        store.close()


def version(store: Store) -> str | None:
    """Return the store's version; None for one that is empty."""
    with store.reading.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        row = connection.execute(text("select version_num from alembic_version")).first()
        return row[0] if row else None


def head() -> str:
    """Return the version that this program works with."""
    return revisions()[0]


def revisions() -> list[str]:
    """Return all versions, the newest first."""
    from alembic.script import ScriptDirectory

    return [one.revision for one in ScriptDirectory.from_config(_config()).walk_revisions()]


def _config() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", os.fspath(MIGRATIONS))
    return config


def _upgrade(store: Store) -> None:
    from alembic import command

    config = _config()
    with store.writing.begin() as connection:
        if not store.is_sqlite:
            connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": REGISTRY_LOCK + 1})
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _error(message: str, hint: str) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.CATALOG_STORE, message=message, hint=hint))
