"""What the catalog costs: `python -m benchmarks.catalog [EVENTS]`; each ratio is of two things measured in one run."""

import json
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select

from streamt.catalog.access import Caller, Role
from streamt.catalog.http import Settings
from streamt.catalog.service import Catalog
from streamt.catalog.store import people, reading
from streamt.catalog.store.registering import ConnectionSpec, ContainerSpec
from streamt.catalog.store.tables import asset, edge

CLIENTS = 4
TABLES = 200
JOBS = 50
BODY = 4000


def main() -> None:
    """Measure, and print a line for each figure."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as folder:
        catalog, admin, token = prepared(Path(folder) / "catalog.db")
        with served(catalog) as port:
            bodies = [json.dumps(event(number)).encode() for number in range(count)]
            rate = count / post_all(port, token, bodies)
            bare = count / timed(lambda: bare_inserts(Path(folder) / "bare.db", bodies))
            show("ingestion over HTTP, 4 clients, 6 edges each", f"{rate:,.0f} events/s", "")
            show("  of bare INSERTs in groups of as many", f"{rate / bare:.2f}", "at least 0.25")
            inside = [json.dumps(event(count + number)).encode() for number in range(1000)]
            singles = timed(lambda: post_each(port, token, inside))
            batch = b"[" + b",".join(json.dumps(event(2 * count + number)).encode() for number in range(1000)) + b"]"
            whole = timed(lambda: post(port, token, "/api/v1/lineage/batch", batch))
            show("a batch of 1,000 against 1,000 requests", f"{whole / singles:.2f}", "at most 0.4")
            latency = latencies(port, token, [json.dumps(event(3 * count + number)).encode() for number in range(300)])
            show("time of one POST", f"median {latency[0]:.1f} ms, p99 {latency[1]:.1f} ms", "p99 below 250 ms")
            small = graph_cost(catalog, admin)
            grow(catalog, 300_000)
            show(
                "graph of depth 5 (at most 200 nodes)",
                f"median {graph_cost(catalog, admin):.1f} ms",
                "p95 below 100 ms",
            )
            show("  against the small catalog", f"{graph_cost(catalog, admin) / small:.1f}", "at most 5")
            later = [json.dumps(event(4 * count + number)).encode() for number in range(count)]
            big = count / post_all(port, token, later)
            show("ingestion with 300,000 edges against before", f"{big / rate:.2f}", "at least 0.8")


def show(what: str, figure: str, aim: str) -> None:
    """Print one line."""
    print(f"{what:50} {figure:32} {aim}", flush=True)


def prepared(path: Path) -> tuple[Catalog, Caller, str]:
    """Return a catalog with tables, its admin and a token."""
    catalog = Catalog.open(f"sqlite:///{path}")
    number = catalog.change(lambda tools: people.make_account(tools.conn, "admin", Role.ADMIN, tools.now))
    assert number is not None
    admin = Caller(number, "admin", Role.ADMIN)
    connection, _ = catalog.make_connection(ConnectionSpec("db", "postgres", "db", 5432), admin)
    store, _ = catalog.make_datastore(connection, {"database": "d", "schema": "s"}, admin)
    catalog.register(store, [ContainerSpec(f"t{number}") for number in range(TABLES)], admin, whole=False)
    token = catalog.change(lambda tools: people.make_token(tools.conn, people.NewToken(number, "bench"), tools.now))[1]
    return catalog, admin, token


def event(number: int) -> dict[str, Any]:
    """Return a COMPLETE of one of the jobs: three inputs, two outputs, about four kilobytes."""
    job = number % JOBS
    names = [f"d.s.t{(job * 3 + at) % TABLES}" for at in range(5)]
    seconds = number // JOBS
    time_of = f"2026-01-{1 + seconds // 86_400:02}T{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z"
    facet = {"_producer": "https://producer.example", "_schemaURL": "https://producer.example/x.json"}
    inputs = [{"namespace": "postgres://db:5432", "name": name} for name in names[:3]]
    outputs = [{"namespace": "postgres://db:5432", "name": name} for name in names[3:]]
    body: dict[str, Any] = {
        "eventType": "COMPLETE",
        "eventTime": time_of,
        "producer": "https://producer.example",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": str(uuid.uuid4()), "facets": {"unknown": {**facet, "pad": ""}}},
        "job": {"namespace": "bench", "name": f"job {job}"},
        "inputs": inputs,
        "outputs": outputs,
    }
    body["run"]["facets"]["unknown"]["pad"] = "x" * (BODY - len(json.dumps(body)))
    return body


@contextmanager
def served(catalog: Catalog) -> Iterator[int]:
    """Serve a catalog on loopback; give the port."""
    import uvicorn

    from streamt.catalog.http import create_app

    server = uvicorn.Server(uvicorn.Config(create_app(catalog, Settings(rate=0)), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(30)


def post(port: int, token: str, path: str, body: bytes, connection: HTTPConnection | None = None) -> None:
    """Send one request and check that it was taken."""
    link = connection or HTTPConnection("127.0.0.1", port, timeout=300)
    link.request("POST", path, body, {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    answer = link.getresponse()
    text = answer.read()
    assert answer.status == 200, text
    if connection is None:
        link.close()


def post_all(port: int, token: str, bodies: list[bytes]) -> float:
    """Send events from several threads of another process, each over one connection; return the seconds it took."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(clients, port, token, bodies).result()


def clients(port: int, token: str, bodies: list[bytes]) -> float:
    """Send events from several threads; return the seconds it took."""
    began = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(lambda at: post_each(port, token, bodies[at::CLIENTS]), range(CLIENTS)))
    return time.perf_counter() - began


def post_each(port: int, token: str, bodies: list[bytes]) -> None:
    """Send events one after the other."""
    link = HTTPConnection("127.0.0.1", port, timeout=300)
    for body in bodies:
        post(port, token, "/api/v1/lineage", body, link)
    link.close()


def latencies(port: int, token: str, bodies: list[bytes]) -> tuple[float, float]:
    """Return median and 99th percentile of single requests, in milliseconds."""
    link = HTTPConnection("127.0.0.1", port, timeout=300)
    times = sorted(1000 * timed(lambda body=body: post(port, token, "/api/v1/lineage", body, link)) for body in bodies)  # type: ignore[misc]
    link.close()
    return statistics.median(times), times[int(len(times) * 0.99)]


def bare_inserts(path: Path, bodies: list[bytes]) -> None:
    """Insert the same bodies with the same durability, as many in a transaction as there are clients."""
    link = sqlite3.connect(path, isolation_level=None)
    link.execute("pragma journal_mode=WAL")
    link.execute("pragma synchronous=FULL")
    link.execute("create table body (id integer primary key, body blob not null)")
    for at in range(0, len(bodies), CLIENTS):
        link.execute("begin immediate")
        for body in bodies[at : at + CLIENTS]:
            link.execute("insert into body (body) values (?)", (body,))
        link.execute("commit")
    link.close()


def grow(catalog: Catalog, edges: int) -> None:
    """Add a layered graph of outside assets and containers, straight into the tables."""
    nodes = edges // 5
    base = 1_000_000

    def work(tools: Any) -> None:
        rows = [
            {
                "id": base + number,
                "datastore_id": 1,
                "ident": number.to_bytes(16),
                "key": number.to_bytes(16),
                "namespace": "",
                "name": f"n{number}",
                "kind": "table",
                "search": f"n{number}",
            }
            for number in range(nodes)
        ]
        tools.conn.execute(insert(asset), rows)
        links = [
            {
                "source_id": base + number,
                "target_id": base + (number + step * 997) % nodes,
                "source_field": 0,
                "target_field": 0,
                "origin": "manual",
                "evidence_count": 1,
                "created_at": 0,
                "deleted_at": 0,
                "description": "",
            }
            for number in range(nodes)
            for step in range(1, 6)
        ]
        for at in range(0, len(links), 20_000):
            tools.conn.execute(insert(edge), links[at : at + 20_000])

    catalog.change(work)


def graph_cost(catalog: Catalog, caller: Caller) -> float:
    """Return the median time of a graph of depth 5, in milliseconds."""
    with catalog.reading() as conn:
        latest = select(edge.c.source_id).order_by(edge.c.id.desc()).limit(40)
        numbers = list(conn.scalars(latest))

        def ask(number: int) -> None:
            reading.graph(conn, caller, reading.GraphQuery(number, upstream=0, downstream=5, limit=200))

        return 1000 * statistics.median(timed(lambda number=number: ask(number)) for number in numbers)  # type: ignore[misc]


def timed(work: Callable[[], object]) -> float:
    """Return how long something takes, in seconds."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
