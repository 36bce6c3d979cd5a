"""What the catalog costs: `python -m benchmarks.catalog [EVENTS] [--stored N] [--edges N] [--postgres]`.

Each ratio is of two things measured in one run. Rates by the clock mean something on an idle machine alone; CPU time
of the server and of the clients is told apart.
"""

import argparse
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from http.client import HTTPConnection
from pathlib import Path

from benchmarks.catalog_server import CLIENTS, Sent, Server, post, post_each, send, serving
from benchmarks.catalog_world import World, fill, prepared, present
from streamt.catalog.access import Caller, Role
from streamt.catalog.store import people, reading
from streamt.catalog.store.engine import Store, open_store

SMALL = 10_000
SMALL_EDGES = 2_000


def main() -> None:
    """Measure, and print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("events", nargs="?", type=int, default=2000, help="how many are measured at a time")
    parser.add_argument("--stored", type=int, default=30_000, help="how many are in the large store beforehand")
    parser.add_argument("--edges", type=int, default=20_000, help="how many edges they assert")
    parser.add_argument("--keep", type=Path, help="the large store's file; it is used again where it exists")
    parser.add_argument("--postgres", action="store_true", help="one and two servers on a PostgreSQL that is started")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        if asked.postgres:
            servers_on_postgres(folder, asked.events)
            return
        small = stored(folder / "small.db", SMALL, SMALL_EDGES)
        one = measure(small, World.of(SMALL_EDGES), asked.events, f"{SMALL:,} events stored")
        bare_and_batches(folder, small, asked.events, one.sent)
        big = asked.keep or folder / "big.db"
        other = measure(
            stored(big, asked.stored, asked.edges), World.of(asked.edges), asked.events, f"{asked.stored:,}"
        )
        show("rate with the large store against the small", f"{other.sent.rate / one.sent.rate:.2f}", "at least 0.8")
        show("  the same by the server's CPU time", f"{one.sent.server / other.sent.server:.2f}", "")
        show("graph of depth 5, at most 200 nodes, likewise", f"{other.graph / one.graph:.1f}", "at most 5")


def show(what: str, figure: str, aim: str = "") -> None:
    """Print one line."""
    print(f"{what:50} {figure:58} {aim}", flush=True)


def stored(path: Path, events: int, edges: int) -> Path:
    """Fill a store, unless it is there."""
    if path.exists():
        return path
    world = World.of(edges)
    catalog, admin, _ = prepared(f"sqlite:///{path}", world)
    began = time.perf_counter()
    for _ in fill(catalog, admin, world, events):
        pass
    catalog.close()
    rate = events / (time.perf_counter() - began)
    show(f"filled with {events:,} events", f"{rate:,.0f} events/s in groups of 50, without HTTP")
    return path


class Measured:
    """What was measured of a store: what events took, and the median time of a graph in milliseconds."""

    def __init__(self, sent: Sent, graph: float) -> None:
        self.sent = sent
        self.graph = graph


def measure(path: Path, world: World, events: int, what: str) -> Measured:
    """Send events of known jobs, and ask for graphs."""
    url = f"sqlite:///{path}"
    store = open_store(url)
    token = new_token(store)
    with serving(url) as servers:
        warm_up(servers[0], token, world)
        sent = send(servers, token, world.bodies(events, present(), seed=time.time_ns()))
        graph = graph_cost(store, world)
        peak = servers[0].cost()[1]
    store.close()
    show(f"ingestion, 4 clients, {what}", said(sent), "at least 500/s")
    show("  graph of depth 5", f"median {graph:.1f} ms")
    show("  memory of the server at most", f"{peak:.0f} MiB", "at most 400")
    return Measured(sent, graph)


def warm_up(server: Server, token: str, world: World) -> None:
    """Have each job send an event, so that the server remembers what a server remembers that has run for a while."""
    link = HTTPConnection("127.0.0.1", server.port, timeout=300)
    for at in range(0, world.jobs, 2_000):
        some = range(at, min(at + 2_000, world.jobs))
        batch = b"[" + b",".join(json.dumps(world.event(number, present())).encode() for number in some) + b"]"
        post(link, token, "/api/v1/lineage/batch", batch)
    link.close()


def said(sent: Sent) -> str:
    """Say what sending took."""
    return f"{sent.rate:,.0f}/s; CPU {sent.server:,.0f} us in servers, {sent.client:,.0f} us in clients"


def new_token(store: Store) -> str:
    """Return a token of the first user."""
    new = people.NewToken(1, "bench")
    return store.write(lambda conn: people.make_token(conn, new, time.time_ns()))[1]


def graph_cost(store: Store, world: World) -> float:
    """Return the median time of a graph downstream, in milliseconds."""
    admin = Caller(1, "admin", Role.ADMIN)
    starts = range(1, world.width, max(world.width // 40, 1))
    with store.read() as conn:
        # Tables have numbers in the order of their names' layers; the first layer comes first.
        asked = [reading.GraphQuery(number, upstream=0, downstream=5, limit=200) for number in starts]
        times = [timed(lambda one=one: reading.graph(conn, admin, one)) for one in asked]  # type: ignore[misc]
        nodes = statistics.median(len(reading.graph(conn, admin, one)["nodes"]) for one in asked)
    show("  nodes of such a graph", f"median {nodes:.0f}")
    return 1000 * statistics.median(times)


def bare_and_batches(folder: Path, path: Path, events: int, sent: Sent) -> None:
    """Compare with bare INSERTs, and a batch with single requests."""
    world = World.of(SMALL_EDGES)
    bodies = world.bodies(events, present())
    cpu = time.process_time()
    bare = timed(lambda: bare_inserts(folder / "bare.db", bodies))
    cpu = time.process_time() - cpu
    show("  of bare INSERTs in groups of as many", f"{sent.rate * bare / events:.2f}", "at least 0.25")
    show("  the same by CPU time", f"{cpu / events * 1e6 / sent.server:.2f} (bare: {cpu / events * 1e6:.0f} us)")
    store = open_store(f"sqlite:///{path}")
    token = new_token(store)
    store.close()
    with serving(f"sqlite:///{path}") as servers:
        post_each(servers[0].port, token, world.bodies(100, present()))
        times, single = spent(servers[0], lambda: post_each(servers[0].port, token, world.bodies(1000, present())))
        batch = b"[" + b",".join(world.bodies(1000, present(), seed=2)) + b"]"
        link = HTTPConnection("127.0.0.1", servers[0].port, timeout=300)
        whole, used = spent(servers[0], lambda: [timed(lambda: post(link, token, "/api/v1/lineage/batch", batch))])
    show("a batch of 1,000 against 1,000 requests", f"{whole[0] / sum(times):.2f}", "at most 0.4")
    show("  the same by the server's CPU time", f"{used / single:.2f}")
    latency = sorted(1000 * one for one in times)
    show("one POST", f"median {latency[500]:.1f} ms, p99 {latency[990]:.1f} ms", "p99 below 250 ms")


def spent(server: Server, work: Callable[[], list[float]]) -> tuple[list[float], float]:
    """Return what `work` returns, and the server's CPU time meanwhile."""
    before = server.cost()[0]
    result = work()
    return result, server.cost()[0] - before


def bare_inserts(path: Path, bodies: Sequence[bytes]) -> None:
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


def servers_on_postgres(folder: Path, events: int) -> None:
    """Compare two servers on one PostgreSQL with one.

    Servers, clients and PostgreSQL share the processors: with fewer than four idle ones, the rate by the clock says how
    many there are. What two servers could do with one processor each follows from their CPU time for an event.
    """
    from tests.deploy.postgres_server import postgres_server

    world = World.of(SMALL_EDGES)
    with postgres_server(folder) as database:
        url = database.make_database("bench")
        catalog, admin, token = prepared(url, world)
        for _ in fill(catalog, admin, world, world.jobs):
            pass
        catalog.close()
        rounds: dict[int, list[Sent]] = {1: [], 2: []}
        for turn, count in enumerate((1, 2, 1, 2)):
            with serving(url, count) as servers:
                send(servers, token, world.bodies(200, present(), seed=turn), 2 * CLIENTS)
                sent = send(servers, token, world.bodies(events, present(), seed=turn), 2 * CLIENTS)
            show(f"PostgreSQL, {count} server{'s' * (count - 1)}, {2 * CLIENTS} clients", said(sent))
            rounds[count].append(sent)
        clock = [max(one.rate for one in rounds[count]) for count in (1, 2)]
        cpu = [min(one.server for one in rounds[count]) for count in (1, 2)]
        show("two servers against one, the better of two rounds", f"{clock[1] / clock[0]:.2f}", "at least 1.5")
        show("  by their CPU time, with a processor for each", f"{2 * cpu[0] / cpu[1]:.2f}")


def timed(work: Callable[[], object]) -> float:
    """Return how long something takes, in seconds."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
