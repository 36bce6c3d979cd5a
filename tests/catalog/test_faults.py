"""Bad input at random, and faults made on purpose: nothing acknowledged is lost, nothing half is stored."""

import copy
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import func, select

from streamt.catalog import wire
from streamt.catalog.access import Caller
from streamt.catalog.consume import consume
from streamt.catalog.service import Catalog
from streamt.catalog.store.engine import AwayError, open_store
from streamt.catalog.store.tables import claim, edge, event_body
from streamt.catalog.store.tables import event as event_table
from tests.catalog.desk import Desk, event, facet, lineage
from tests.catalog.server import Client, serving, token_for
from tests.deploy.postgres_server import PostgresServer

MUTATIONS = int(os.environ.get("STREAMT_CATALOG_MUTATIONS", "1500"))
"""How many mutations are tried; `make test-catalog-mutations` tries 100,000."""

SEEDS = (
    event("COMPLETE", 1, "ab", "cd", facets={"c": {"columnLineage": lineage(x="a.y", y="b.z")}}),
    event("START", 2, "a", "b", job_facets={"sql": facet(query="select 1")}),
    event("JOB", 3, "a", "b", facets={"b": {"documentation": facet(description="text")}}),
    event("DATASET", 4, "a", facets={"a": {"lifecycleStateChange": facet(lifecycleStateChange="DROP")}}),
)
_TEXTS = ("", "\u202e<b>", "x" * 300)
ODD: tuple[Any, ...] = (None, True, 0, -1, 1e300, 10**30, *_TEXTS, [], {}, [[]], {"a": {"_deleted": True}})


def mutated(chance: random.Random) -> bytes:
    """Change a good event somewhere, in its tree or in its bytes."""
    value = json.loads(json.dumps(chance.choice(SEEDS)))
    if chance.random() < 0.3:
        data = bytearray(json.dumps(value).encode())
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        return bytes(data)
    for _ in range(chance.randint(1, 3)):
        _change(value, chance)
    return json.dumps(value).encode()


def _change(value: Any, chance: random.Random) -> None:
    places = list(_places(value))
    holder, key = chance.choice(places)
    action = chance.random()
    if action < 0.5:
        holder[key] = copy.deepcopy(chance.choice(ODD))
    elif action < 0.7 and isinstance(holder, dict):
        del holder[key]
    elif isinstance(holder, dict):
        holder[f"{key}\u0001"] = holder.pop(key)
    else:
        holder.append(copy.deepcopy(chance.choice(ODD)))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = range(len(value)) if isinstance(value, list) else list(value)
    for key in keys:
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from _places(value[key])


def test_no_mutation_of_a_good_event_makes_the_server_fail_or_store_a_half(sqlite_desk: Desk) -> None:
    chance = random.Random(20260105)
    taken = 0
    refusals: list[int] = []
    for _ in range(MUTATIONS // 50):
        items: list[wire.Item] = []
        for _ in range(50):
            try:
                items += wire.decode(mutated(chance)).items
            except wire.RefusedError as error:
                refusals.append(error.status)
        outcomes = sqlite_desk.catalog.receive(items, sqlite_desk.admin)
        taken += len([outcome for outcome in outcomes if outcome.event])
    assert taken
    assert set(refusals) == {400}
    assert not inconsistencies(sqlite_desk.catalog)


def inconsistencies(catalog: Catalog) -> list[str]:
    """Say where counts and records disagree."""
    found = []
    with catalog.reading() as conn:
        counts: dict[int, int] = dict(
            conn.execute(select(claim.c.edge_id, func.count()).group_by(claim.c.edge_id)).all()
        )
        for row in conn.execute(select(edge).where(edge.c.origin == "openlineage")):
            if row.evidence_count != counts.get(row.id, 0):
                found.append(f"edge {row.id} counts {row.evidence_count}, has {counts.get(row.id, 0)}")
            if (row.retired_at is None) != (row.evidence_count > 0):
                found.append(f"edge {row.id} has {row.evidence_count} records and is retired at {row.retired_at}")
        bodies = set(conn.scalars(select(event_body.c.event_id)))
        events = set(conn.scalars(select(event_table.c.id)))
        found += [f"event {number} has no body" for number in events - bodies]
    return found


def test_two_jobs_that_drop_the_last_two_records_of_an_edge_at_once_retire_it(desk: Desk) -> None:
    for turn in range(10):
        one, two = f"one {turn}", f"two {turn}"
        desk.send(event("COMPLETE", 1, "a", "b", job=one), event("COMPLETE", 1, "a", "b", job=two, run=2))
        with ThreadPoolExecutor(2) as pool:
            last = [event("COMPLETE", 2, job=name, run=3 + at) for at, name in enumerate((one, two))]
            done = [pool.submit(desk.send, each) for each in last]
            for each in done:
                each.result()
        assert desk.edges() == set()
    assert not inconsistencies(desk.catalog)


def test_two_servers_work_on_one_store(store_url: str) -> None:
    if store_url.startswith("sqlite"):
        pytest.skip("one process serves an SQLite store")
    desk = Desk.open(store_url)
    other = Catalog.open(store_url)
    second = Desk(other, desk.admin, desk.datastores, desk.tables)
    names = [f"job {number}" for number in range(40)]
    events = [
        event("COMPLETE", second_of, inputs, outputs, job=name, run=number * 10 + second_of)
        for number, name in enumerate(names)
        for second_of, (inputs, outputs) in enumerate((("a", "b"), ("b", "c"), ("a", "bc")), 1)
    ]
    random.Random(3).shuffle(events)
    try:
        with ThreadPoolExecutor(4) as pool:
            halves = [pool.submit((desk, second)[at % 2].send, one) for at, one in enumerate(events)]
            for each in halves:
                (outcome,) = each.result()
                assert outcome.status == "applied"
        assert desk.edges() == {"a>b", "a>c"}
        assert len(desk.edge("a>b")["evidence"]) == len(names)
        assert not inconsistencies(desk.catalog)
    finally:
        other.close()
        desk.catalog.close()


_VICTIM = """
import json, sys, threading
from streamt.catalog import wire
from streamt.catalog.access import Caller, Role
from streamt.catalog.service import Catalog
from tests.catalog.desk import event

catalog = Catalog.open(sys.argv[1])
caller = Caller(int(sys.argv[2]), "admin", Role.ADMIN)
lock = threading.Lock()

def load(worker):
    for number in range(100000):
        body = event("COMPLETE", 1, "a", "b", job=f"{worker}-{number}")
        (outcome,) = catalog.receive(wire.decode(json.dumps(body).encode()).items, caller)
        with lock:
            print(outcome.event, flush=True)

for worker in range(4):
    threading.Thread(target=load, args=(worker,), daemon=True).start()
threading.Event().wait()
"""


def test_a_kill_under_load_loses_no_acknowledged_event(store_url: str) -> None:
    desk = Desk.open(store_url)
    desk.catalog.close()
    command = [sys.executable, "-c", _VICTIM, store_url, str(desk.admin.user)]
    victim = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    assert victim.stdout is not None
    with victim.stdout as told:
        acknowledged = [int(told.readline()) for _ in range(40)]
        victim.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in told.read().splitlines()[:-1]]
    victim.wait(60)
    catalog = Catalog.open(store_url)
    try:
        with catalog.reading() as conn:
            stored = set(conn.scalars(select(event_body.c.event_id)))
        assert set(acknowledged) <= stored
        assert not inconsistencies(catalog)
    finally:
        catalog.close()


def test_a_locked_store_is_away_and_takes_events_again_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streamt.catalog.store.engine._BUSY_MS", 200)
    desk = Desk.open(f"sqlite:///{tmp_path}/catalog.db")
    blocker = sqlite3.connect(tmp_path / "catalog.db", isolation_level=None)
    blocker.execute("begin immediate")
    with pytest.raises(AwayError):
        desk.send(event("COMPLETE", 1, "a", "b"))
    blocker.execute("rollback")
    (outcome,) = desk.send(event("COMPLETE", 1, "a", "b"))
    assert outcome.status == "applied"
    assert desk.edges() == {"a>b"}
    desk.catalog.close()


def test_a_full_store_is_503_and_acknowledges_nothing(tmp_path: Path) -> None:
    desk = Desk.open(f"sqlite:///{tmp_path}/catalog.db")
    token = token_for(desk.catalog, desk.admin)
    with desk.catalog.store.writing.connect() as conn:
        raw = conn.connection.driver_connection
        assert raw is not None
        conn.rollback()
        pages = raw.execute("pragma page_count").fetchone()[0]
        raw.execute(f"pragma max_page_count={pages + 2}")
    with serving(desk.catalog) as url:
        client = Client(url, token)
        answers = [
            client.post("/api/v1/lineage", event("COMPLETE", 1, "a", "b", job=f"{number}" + "x" * 9000))
            for number in range(10)
        ]
        away = [answer for answer in answers if answer.status == 503]
        assert away
        assert int(away[0].headers["retry-after"]) > 0
        kept = [answer.json["event"] for answer in answers if answer.status == 200]
        with desk.catalog.reading() as conn:
            assert set(conn.scalars(select(event_body.c.event_id))) == set(kept)


def test_a_store_that_may_only_be_read_is_503_and_still_answers_questions(sqlite_desk: Desk) -> None:
    token = token_for(sqlite_desk.catalog, sqlite_desk.admin)
    with serving(sqlite_desk.catalog) as url:
        client = Client(url, token)
        assert client.post("/api/v1/lineage", event("COMPLETE", 1, "a", "b")).status == 200
        _only_read(sqlite_desk, 1)
        away = client.post("/api/v1/lineage", event("COMPLETE", 2, "a", "c", run=2))
        assert (away.status, int(away.headers["retry-after"]) > 0) == (503, True)
        assert client.post("/api/v1/teams", {"name": "late"}).status == 503
        assert client.get("/api/v1/status").json["edges"] == 1
        _only_read(sqlite_desk, 0)
        assert client.post("/api/v1/lineage", event("COMPLETE", 2, "a", "c", run=2)).status == 200
        assert sqlite_desk.edges() == {"a>c"}
        assert not inconsistencies(sqlite_desk.catalog)


def _only_read(desk: Desk, word: int) -> None:
    with desk.catalog.store.writing.connect() as conn:
        conn.rollback()
        raw = conn.connection.driver_connection
        assert raw is not None
        raw.execute(f"pragma query_only={word}")


def test_a_store_that_goes_away_under_load_is_503_and_goes_on_when_it_is_back(
    postgres: PostgresServer, postgres_template: str
) -> None:
    name = f"catalog_{uuid4().hex}"
    postgres.execute(f'CREATE DATABASE "{name}" TEMPLATE {postgres_template}')
    desk = Desk.again(postgres.url(name))
    token = token_for(desk.catalog, desk.admin)
    statuses: list[int] = []
    kept: list[int] = []

    def load(client: Client, worker: int) -> None:
        for number in range(60):
            answer = client.post("/api/v1/lineage", event("COMPLETE", 1, "a", "b", job=f"{worker}-{number}"))
            statuses.append(answer.status)
            kept.extend([answer.json["event"]] if answer.status == 200 else [])
            if answer.status == 503:
                assert int(answer.headers["retry-after"]) > 0

    with serving(desk.catalog) as url:
        with ThreadPoolExecutor(4) as pool:
            workers = [pool.submit(load, Client(url, token), number) for number in range(3)]
            until(lambda: len(kept) > 5)
            postgres.execute(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS false')
            postgres.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
            until(lambda: 503 in statuses)
            postgres.execute(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS true')
            for each in workers:
                each.result()
        assert Client(url, token).post("/api/v1/lineage", event("COMPLETE", 1, "a", "c", job="late")).status == 200
        assert set(statuses) == {200, 503}
        with desk.catalog.reading() as conn:
            assert set(kept) <= set(conn.scalars(select(event_body.c.event_id)))
        assert not inconsistencies(desk.catalog)


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_idle_connections_and_slow_clients_hold_nobody_up(sqlite_desk: Desk) -> None:
    token = token_for(sqlite_desk.catalog, sqlite_desk.admin)
    with serving(sqlite_desk.catalog) as url:
        port = int(url.rpartition(":")[2])
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(200)]
        slow = socket.create_connection(("127.0.0.1", port))
        head = f"POST /api/v1/lineage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        slow.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n".encode() + b"{")
        answer = Client(url, token).post("/api/v1/lineage", event("COMPLETE", 1, "a", "b"))
        assert answer.status == 200
        for one in (*idle, slow):
            one.close()


def test_a_clock_that_was_set_back_keeps_the_order_of_events(tmp_path: Path) -> None:
    now = [time.time_ns()]
    store = open_store(f"sqlite:///{tmp_path}/catalog.db")
    store.close()
    desk = Desk.open(f"sqlite:///{tmp_path}/catalog.db")
    desk.catalog.clock = lambda: now[0]
    desk.send(event("COMPLETE", 2, "a", "b"))
    now[0] -= 10**15
    desk.send(event("COMPLETE", 1, "a", "c", run=2))
    assert desk.edges() == {"a>b"}
    desk.catalog.close()


def test_two_tokens_that_race_over_one_job_end_as_their_events_times_say(desk: Desk) -> None:
    for turn in range(5):
        events = [
            event("COMPLETE", second, "a", "bc"[second % 2], job=f"raced {turn}", run=second) for second in range(1, 9)
        ]
        random.Random(turn).shuffle(events)
        with ThreadPoolExecutor(4) as pool:
            for each in [pool.submit(desk.send, one) for one in events]:
                each.result()
    assert desk.edges() == {"a>b"}
    assert not inconsistencies(desk.catalog)


class Messages:
    """A topic whose offsets are kept only by `commit`."""

    def __init__(self, *messages: bytes) -> None:
        self.messages = list(messages)
        self.committed = 0
        self.at = 0

    def poll(self) -> list[bytes | None]:
        batch = self.messages[self.at : self.at + 2]
        self.at += len(batch)
        return list(batch)

    def commit(self) -> None:
        self.committed = self.at


def test_a_poison_message_is_stored_as_rejected_and_stops_nothing(sqlite_desk: Desk) -> None:
    good = json.dumps(event("COMPLETE", 1, "a", "b")).encode()
    source = Messages(b"\xff\x00 poison", good, b"[]", b"{}", good)
    done = consume(sqlite_desk.catalog, sqlite_desk.admin, source, lambda: source.committed == 5)
    assert (done.taken, done.refused) == (2, 2)
    assert sqlite_desk.edges() == {"a>b"}


def test_offsets_are_committed_after_the_stores_commit(sqlite_desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    good = json.dumps(event("COMPLETE", 1, "a", "b")).encode()
    source = Messages(good)
    away = [True, True]
    real = sqlite_desk.catalog.queue

    def queue(submissions: Any) -> Any:
        assert source.committed == 0
        if away:
            away.pop()
            raise AwayError("gone")
        return real(submissions)

    monkeypatch.setattr(sqlite_desk.catalog, "queue", queue)
    waited: list[float] = []
    consume(sqlite_desk.catalog, sqlite_desk.admin, source, lambda: source.committed == 1, sleep=waited.append)
    assert len(waited) == 2
    assert sqlite_desk.edges() == {"a>b"}


def test_a_caller_hears_of_an_event_only_after_it_is_durable(sqlite_desk: Desk) -> None:
    heard = threading.Event()

    def send(caller: Caller) -> None:
        sqlite_desk.send(event("COMPLETE", 1, "a", "b"), by=caller)
        heard.set()

    with sqlite_desk.catalog.store._lock:
        thread = threading.Thread(target=send, args=(sqlite_desk.admin,))
        thread.start()
        assert not heard.wait(0.3)
    thread.join(60)
    assert heard.is_set()
