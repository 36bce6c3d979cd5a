"""What only PostgreSQL has: sessions that end, poolers, standbys, passwords, answers that get lost."""

import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from uuid import uuid4

import psycopg
import pytest

from streamt.deploy.state import PostgresStore, Store, Word
from streamt.diagnostics import Code, StreamtError
from tests.deploy.conftest import ADDRESS
from tests.deploy.postgres_server import PASSWORD, PASSWORD_IN_URL, PostgresServer
from tests.deploy.state.operations import apply_topics, begun, creation, done, here, step


def end_sessions(store: PostgresStore) -> None:
    """End every session of the store's database but our own, as an administrator would."""
    with psycopg.connect(store.url, autocommit=True) as link:
        link.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def code_of(error: pytest.ExceptionInfo[StreamtError]) -> Code:
    return error.value.diagnostics[0].code


def test_a_session_that_was_ended_can_write_no_intent(postgres_store: PostgresStore) -> None:
    with postgres_store.lock(here(), 5) as session:
        operation = begun(session, creation("a"), creation("b"))
        operation.intend(0, 0, step("a"))
        operation.record(0, 0, *done(id="1"))
        end_sessions(postgres_store)
        with pytest.raises(StreamtError) as error:
            operation.intend(1, 0, step("b"))
    assert code_of(error) is Code.LOCK_LOST
    left = postgres_store.read().unrecovered
    assert left is not None
    assert (left.id, len(left.steps)) == (operation.id, 1)


def test_a_holder_whose_lock_another_has_taken_can_write_nothing(postgres_store: PostgresStore) -> None:
    with postgres_store.lock(here(), 5) as session:
        operation = begun(session, creation("a"))
        session._link.execute("SELECT pg_advisory_unlock_all()")  # type: ignore[attr-defined]  # a fault made on purpose
        with pytest.raises(StreamtError) as error:
            operation.intend(0, 0, step("a"))
    assert code_of(error) is Code.LOCK_LOST


def test_a_late_holder_is_fenced_off_by_the_revision(postgres_store: PostgresStore) -> None:
    with postgres_store.lock(here(), 5) as session:
        operation = begun(session, creation("a"))
        with psycopg.connect(postgres_store.url, autocommit=True) as link:
            link.execute("UPDATE streamt_state SET revision = revision + 1")
        with pytest.raises(StreamtError) as error:
            operation.intend(0, 0, step("a"))
    assert code_of(error) is Code.LOCK_LOST


def test_a_session_that_ends_before_the_commit_leaves_the_operation_open(postgres_store: PostgresStore) -> None:
    with postgres_store.lock(here(), 5) as session:
        operation = begun(session, creation("a"))
        operation.intend(0, 0, step("a"))
        operation.record(0, 0, *done(id="1"))
        end_sessions(postgres_store)
        with pytest.raises(StreamtError) as error:
            operation.close(Word.COMMIT, ["applied"])
    assert code_of(error) is Code.LOCK_LOST
    snapshot = postgres_store.read()
    assert snapshot.unrecovered is not None
    assert snapshot.document is not None
    assert snapshot.document.serial == 0


class CuttingProxy:
    """Passes bytes on to the server, until it is told to lose the answer to the next COMMIT."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.cut_next_commit = threading.Event()
        self.refuse = threading.Event()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def close(self) -> None:
        self.refuse.set()
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port)).close()
        for thread in self._threads:
            thread.join(30)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            if self.refuse.is_set():
                client.close()
                if not self.cut_next_commit.is_set():
                    return
                self.cut_next_commit.clear()
                continue
            thread = threading.Thread(target=self._serve, args=(client,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        """Pass one connection's bytes on, both ways, from one thread."""
        is_committing = False
        with client, socket.create_connection(("127.0.0.1", self._target)) as server, suppress(OSError):
            while True:
                for source in select.select([client, server], [], [])[0]:
                    data = source.recv(65536)
                    if source is client and self.cut_next_commit.is_set() and b"COMMIT" in data:
                        is_committing = True
                    if not data or (source is server and is_committing):
                        return  # the server has committed; nobody hears of it
                    (server if source is client else client).sendall(data)


@pytest.fixture
def proxy(postgres: PostgresServer) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(postgres.port)
    yield proxy
    proxy.close()


def commit(store: Store, before: Callable[[], None]) -> None:
    """Do an operation, and `before` just before its commit."""
    with store.lock(here(), 5) as session:
        operation = begun(session, creation("a"))
        operation.intend(0, 0, step("a"))
        operation.record(0, 0, *done(id="1"))
        before()
        operation.close(Word.COMMIT, ["applied"])


def through(proxy: CuttingProxy, store: PostgresStore, postgres: PostgresServer) -> PostgresStore:
    return PostgresStore(store.url.replace(f":{postgres.port}/", f":{proxy.port}/"), store.address)


def test_a_commit_whose_answer_is_lost_is_read_back(
    postgres: PostgresServer, postgres_store: PostgresStore, proxy: CuttingProxy
) -> None:
    commit(through(proxy, postgres_store, postgres), proxy.cut_next_commit.set)
    document = postgres_store.read().document
    assert document is not None
    assert document.serial == 1
    assert postgres_store.read().open_operation is None


def test_a_commit_that_nobody_can_ask_about_is_unknown(
    postgres: PostgresServer, postgres_store: PostgresStore, proxy: CuttingProxy
) -> None:
    def cut_and_refuse() -> None:
        proxy.cut_next_commit.set()
        proxy.refuse.set()

    with pytest.raises(StreamtError) as error:
        commit(through(proxy, postgres_store, postgres), cut_and_refuse)
    assert code_of(error) is Code.OUTCOME_UNKNOWN


def test_a_pooler_that_changes_sessions_is_refused(
    postgres_store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stand in for a pooler in transaction mode: each statement outside a transaction may meet another session."""
    links = [psycopg.connect(postgres_store.url, autocommit=True) for _ in range(2)]

    class Pooled:
        closed = False

        def execute(self, query: str, values: tuple[object, ...] = ()) -> object:
            links.reverse()
            return links[0].execute(query, values)

        def close(self) -> None:
            for link in links:
                link.close()

    monkeypatch.setattr(PostgresStore, "_connect", lambda _self, _name: Pooled())
    with pytest.raises(StreamtError) as error, postgres_store.lock(here(), 0):
        pass
    assert code_of(error) is Code.STATE_UNAVAILABLE
    assert "pooler" in error.value.diagnostics[0].message


def test_a_read_only_database_is_refused(postgres: PostgresServer) -> None:
    name = f"readonly_{uuid4().hex}"
    store = PostgresStore(postgres.make_database(name), ADDRESS)
    store.create_tables()
    postgres.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    with pytest.raises(StreamtError) as error:
        store.read()
    assert "read-only standby" in error.value.diagnostics[0].message


def test_a_database_without_tables_says_what_to_do(postgres: PostgresServer) -> None:
    store = PostgresStore(postgres.make_database(f"empty_{uuid4().hex}"), ADDRESS)
    with pytest.raises(StreamtError) as error:
        store.read()
    assert (code_of(error), error.value.diagnostics[0].hint) == (Code.STATE_UNAVAILABLE, "run `streamt state init`")


def test_tables_are_made_once(postgres_store: PostgresStore) -> None:
    apply_topics(postgres_store, "a")
    before = postgres_store.read()
    postgres_store.create_tables()
    assert postgres_store.read() == before


def test_a_store_of_a_newer_version_is_refused(postgres_store: PostgresStore) -> None:
    with psycopg.connect(postgres_store.url, autocommit=True) as link:
        link.execute("UPDATE streamt_store SET format = 'streamt.store/2'")
    with pytest.raises(StreamtError) as error:
        postgres_store.read()
    assert code_of(error) is Code.STATE_INVALID


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE streamt_state SET document = replace(document, 'id-a', 'id-x')",
        "UPDATE streamt_state SET document = left(document, 50)",
        "UPDATE streamt_state SET document = replace(document, 'state/1', 'state/2')",
        'UPDATE streamt_state SET document = replace(document, \'"serial":1\', \'"serial":1,"serial":1\')',
        "UPDATE streamt_state SET document = repeat(' ', 16 * 1024 * 1024)",
    ],
)
def test_a_damaged_state_is_refused(postgres_store: PostgresStore, change: str) -> None:
    apply_topics(postgres_store, "a")
    with psycopg.connect(postgres_store.url, autocommit=True) as link:
        link.execute(change.encode())
    with pytest.raises(StreamtError) as error:
        postgres_store.read()
    assert code_of(error) is Code.STATE_INVALID


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE streamt_step SET record = replace(record, 'CreateTopics', 'DeleteTopics')",
        "UPDATE streamt_step SET record = left(record, 50)",
        "DELETE FROM streamt_step WHERE n = 1",
        "UPDATE streamt_operation SET intent = replace(intent, 'tester', 'nobody')",
    ],
)
def test_a_damaged_journal_is_refused(postgres_store: PostgresStore, change: str) -> None:
    with postgres_store.lock(here(), 5) as session:
        operation = begun(session, creation("a"), creation("b"))
        operation.intend(0, 0, step("a"))
        operation.intend(1, 0, step("b"))
    with psycopg.connect(postgres_store.url, autocommit=True) as link:
        link.execute(change.encode())
    with pytest.raises(StreamtError) as error:
        postgres_store.read()
    assert code_of(error) is Code.STATE_INVALID


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://streamt:{PASSWORD_IN_URL}@127.0.0.1:1/postgres",
        f"postgresql://nobody:{PASSWORD_IN_URL}@127.0.0.1:PORT/postgres",
        f"postgresql://streamt:{PASSWORD_IN_URL}@127.0.0.1:PORT/missing",
        f"postgresql://streamt:{PASSWORD_IN_URL}@127.0.0.1:PORT/postgres?nonsense=1",
        f"postgresql://streamt:{PASSWORD_IN_URL}@host name:x/postgres",
        f"host=127.0.0.1 port=PORT user=streamt password='wrong {PASSWORD}' dbname=postgres",
        f"{PASSWORD}",
    ],
)
def test_a_password_is_shown_by_nothing(postgres: PostgresServer, url: str) -> None:
    store = PostgresStore(url.replace("PORT", str(postgres.port)), ADDRESS)
    with pytest.raises(StreamtError) as error:
        store.read()
    shown = f"{error.value}{error.value.diagnostics}{store}{store!r}{store.place}"
    assert code_of(error) is Code.STATE_UNAVAILABLE
    for form in (PASSWORD, PASSWORD_IN_URL, PASSWORD.split("/")[0]):
        assert form not in shown
    assert error.value.__cause__ is None


def test_earlier_serials_are_kept(postgres_store: PostgresStore) -> None:
    operation = apply_topics(postgres_store, "a")
    with psycopg.connect(postgres_store.url) as link:
        rows = link.execute("SELECT serial, operation FROM streamt_history ORDER BY serial").fetchall()
        status = link.execute("SELECT status FROM streamt_operation").fetchall()
    assert rows == [(0, None), (1, operation)]
    assert status == [("commit",)]
