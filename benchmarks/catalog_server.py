"""A catalog's server in a process of its own, and clients in another, so that each one's cost is told apart."""

import json
import resource
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from multiprocessing import get_context
from multiprocessing.connection import Connection

CLIENTS = 4
_SPAWN = get_context("spawn")


@dataclass(frozen=True, slots=True)
class Server:
    """A running server.

    Attributes:
        port: on loopback.
        pipe: to its process.
    """

    port: int
    pipe: Connection

    def cost(self) -> tuple[float, float]:
        """Return its CPU time so far, in seconds, and its memory at most, in MiB."""
        self.pipe.send("cost")
        cpu, peak = self.pipe.recv()
        return cpu, peak


@dataclass(frozen=True, slots=True)
class Sent:
    """What sending some events took.

    Attributes:
        rate: events a second, by the clock.
        server: CPU time of all servers for one event, in microseconds.
        client: CPU time of the clients for one event.
    """

    rate: float
    server: float
    client: float


@contextmanager
def serving(url: str, count: int = 1) -> Iterator[list[Server]]:
    """Start servers on one store; end them afterwards."""
    with ExitStack() as stack:
        yield [stack.enter_context(_one(url)) for _ in range(count)]


@contextmanager
def _one(url: str) -> Iterator[Server]:
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_serve, args=(url, theirs))
    process.start()
    try:
        yield Server(ours.recv(), ours)
    finally:
        ours.send("stop")
        process.join(60)


def _serve(url: str, pipe: Connection) -> None:
    import uvicorn

    from streamt.catalog.http import Settings, create_app
    from streamt.catalog.server import collect_rarely
    from streamt.catalog.service import Catalog

    app = create_app(Catalog.open(url), Settings(rate=0))
    collect_rarely()
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", proxy_headers=False))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    pipe.send(server.servers[0].sockets[0].getsockname()[1])
    while pipe.recv() == "cost":
        pipe.send((time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))
    server.should_exit = True
    thread.join(60)


def send(servers: Sequence[Server], token: str, bodies: Sequence[bytes], clients: int = CLIENTS) -> Sent:
    """Send events with several threads of one process, each over one connection; the servers take turns."""
    with ProcessPoolExecutor(1, mp_context=_SPAWN) as process:
        process.submit(time.time).result()  # the process is up before the clock runs
        before = [server.cost()[0] for server in servers]
        ports = [server.port for server in servers]
        seconds, cpu = process.submit(_send, ports, token, [bodies[at::clients] for at in range(clients)]).result()
        used = sum(server.cost()[0] for server in servers) - sum(before)
    return Sent(len(bodies) / seconds, used / len(bodies) * 1e6, cpu / len(bodies) * 1e6)


def _send(ports: Sequence[int], token: str, parts: Sequence[Sequence[bytes]]) -> tuple[float, float]:
    began, cpu = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(len(parts)) as pool:
        sending = [pool.submit(post_each, ports[at % len(ports)], token, part) for at, part in enumerate(parts)]
        for one in sending:
            one.result()
    return time.perf_counter() - began, time.process_time() - cpu


def post_each(port: int, token: str, bodies: Sequence[bytes]) -> list[float]:
    """Send events one after the other; return the seconds that each took."""
    link = HTTPConnection("127.0.0.1", port, timeout=300)
    times = []
    for body in bodies:
        began = time.perf_counter()
        post(link, token, "/api/v1/lineage", body)
        times.append(time.perf_counter() - began)
    link.close()
    return times


def post(link: HTTPConnection, token: str, path: str, body: bytes) -> object:
    """Send one request, check that it was taken, and return the answer."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    link.request("POST", path, body, headers)
    answer = link.getresponse()
    text = answer.read()
    assert answer.status == 200, text
    return json.loads(text)
