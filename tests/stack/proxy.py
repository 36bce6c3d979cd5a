"""A proxy that records what passes and makes faults on purpose: for HTTP, and for Kafka's protocol.

    with http_proxy(url) as proxy:                     # proxy.address instead of url
        proxy.fault(cut_answer, "POST /subjects")      # the server has done it, the client never hears of it
    with kafka_proxy(bootstrap) as proxy:              # proxy.address instead of bootstrap
        proxy.fault(cut_answer, "CreateTopics")
        assert proxy.whats() == ["ApiVersions", "Metadata", "CreateTopics"]

Each request goes to the server whole, and its answer comes back whole, so a fault happens between the two and never
in the middle of one. Kafka's answers that name brokers name the proxy's ports instead, so clients stay with it.
"""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from tests.stack.net import HOST, exactly


@dataclass(frozen=True, slots=True)
class Passed:
    """One request that arrived.

    Attributes:
        what: `POST /subjects/a/versions`, or the name of a Kafka request.
        body: its bytes, without HTTP's or Kafka's head.
        at: nanoseconds since 1970.
    """

    what: str
    body: bytes
    at: int


class CutError(Exception):
    """The connection is to be closed now."""


Send = Callable[[], bytes]
Fault = Callable[[Send], bytes]


def cut_request(_: Send) -> bytes:
    """Close the connection; the server never sees the request."""
    raise CutError


def cut_answer(send: Send) -> bytes:
    """Let the server do it, then close the connection without the answer."""
    send()
    raise CutError


def delay(seconds: float) -> Fault:
    """Return a fault that gives the answer late."""

    def delayed(send: Send) -> bytes:
        answer = send()
        time.sleep(seconds)
        return answer

    return delayed


def hold(until: threading.Event) -> Fault:
    """Return a fault that gives the answer when `until` is set (at the latest after a minute)."""

    def held(send: Send) -> bytes:
        answer = send()
        until.wait(60)
        return answer

    return held


@dataclass
class _Planned:
    fault: Fault
    what: str
    when: Callable[[bytes], bool]
    times: int


@dataclass
class Proxy:
    """What passed, and which faults are still to come.

    Attributes:
        address: what clients connect to instead of the server: a URL, or `host:port` with commas.
        seen: the requests in the order in which they arrived.
        on_request: called before a request goes on to the server.
    """

    address: str = ""
    seen: list[Passed] = field(default_factory=list)
    on_request: Callable[[Passed], None] = lambda _: None
    _planned: list[_Planned] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def fault(self, fault: Fault, what: str, *, when: Callable[[bytes], bool] = lambda _: True, times: int = 1) -> None:
        """Make a fault of the next requests whose description contains `what` and whose body is as `when` says."""
        self._planned.append(_Planned(fault, what, when, times))

    def heal(self) -> None:
        """Make no fault any more."""
        with self._lock:
            self._planned.clear()

    def whats(self) -> list[str]:
        """Return the descriptions of all requests that arrived."""
        return [one.what for one in self.seen]

    def passing(self, what: str, body: bytes, send: Send) -> bytes:
        """Record a request, and return its answer or make its fault.

        Raises:
            CutError: the connection is to be closed.
        """
        passed = Passed(what, body, time.time_ns())
        with self._lock:
            self.seen.append(passed)
            planned = next((one for one in self._planned if one.times and one.what in what and one.when(body)), None)
            if planned:
                planned.times -= 1
        self.on_request(passed)
        return planned.fault(send) if planned else send()


@contextmanager
def http_proxy(url: str) -> Iterator[Proxy]:
    """Yield a proxy in front of the HTTP server at `url`; its address keeps the URL's path."""
    target, proxy = urlsplit(url), Proxy()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            try:
                answer = proxy.passing(f"{self.command} {self.path}", body, lambda: self._forward(body))
            except (CutError, OSError):
                self.close_connection = True
                with suppress(OSError):
                    self.connection.shutdown(socket.SHUT_RDWR)
                return
            with suppress(OSError):
                self.wfile.write(answer)

        def _forward(self, body: bytes) -> bytes:
            connection = HTTPConnection(target.hostname or HOST, target.port or 80, timeout=120)
            headers = {key: value for key, value in self.headers.items() if key.lower() != "connection"}
            connection.request(self.command, self.path, body or None, headers)
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            skipped = {"content-length", "transfer-encoding", "connection"}
            kept = [f"{key}: {value}" for key, value in answer.getheaders() if key.lower() not in skipped]
            head = [f"HTTP/1.1 {answer.status} {answer.reason}", *kept, f"Content-Length: {len(content)}", "", ""]
            return "\r\n".join(head).encode("latin-1") + content

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = _pass  # noqa: N815 # the server's own names

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer((HOST, 0), Handler)
    server.daemon_threads = True
    proxy.address = f"http://{HOST}:{server.server_port}{target.path}"
    with _serving(server.serve_forever):
        try:
            yield proxy
        finally:
            server.shutdown()
            server.server_close()


# https://kafka.apache.org/protocol#protocol_api_keys: those that tests speak of; others show as `Api 42`.
API_KEYS: Mapping[int, str] = {
    0: "Produce", 1: "Fetch", 2: "ListOffsets", 3: "Metadata", 8: "OffsetCommit", 9: "OffsetFetch",
    10: "FindCoordinator", 15: "DescribeGroups", 16: "ListGroups", 17: "SaslHandshake", 18: "ApiVersions",
    19: "CreateTopics", 20: "DeleteTopics", 29: "DescribeAcls", 32: "DescribeConfigs", 33: "AlterConfigs",
    36: "SaslAuthenticate", 37: "CreatePartitions", 42: "DeleteGroups", 44: "IncrementalAlterConfigs",
    60: "DescribeCluster", 69: "ConsumerGroupDescribe", 75: "DescribeTopicPartitions",
}  # fmt: skip


# From which version on a request ends in tagged fields, of which there are none.
_TAGGED = {19: 5, 37: 2, 44: 1}


def for_real(body: bytes) -> bool:
    """Report whether a request changes topics, and does not only ask whether it could: `validate_only` comes last."""
    key, version = struct.unpack_from(">hh", body)
    return body[-2 if version >= _TAGGED[key] else -1] == 0


@contextmanager
def kafka_proxy(bootstrap: str) -> Iterator[Proxy]:
    """Yield a proxy in front of every broker of `bootstrap`."""
    brokers = [int(address.rpartition(":")[2]) for address in bootstrap.split(",")]
    listeners = {port: socket.create_server((HOST, 0)) for port in brokers}
    ports = {port: int(listener.getsockname()[1]) for port, listener in listeners.items()}
    proxy, open_sockets = Proxy(",".join(f"{HOST}:{port}" for port in ports.values())), set[socket.socket]()

    def accept(port: int, listener: socket.socket) -> None:
        with suppress(OSError):  # the listener was closed
            while True:
                client, _ = listener.accept()
                open_sockets.add(client)
                threading.Thread(target=serve, args=(port, client), daemon=True).start()

    def serve(port: int, client: socket.socket) -> None:
        with suppress(OSError, CutError), client, socket.create_connection((HOST, port)) as broker:
            while True:
                request = _frame(client)
                what = API_KEYS.get(key := struct.unpack_from(">h", request)[0], f"Api {key}")
                answer = proxy.passing(what, request, partial(_exchange, broker, request))
                client.sendall(struct.pack(">i", len(answer)) + _renamed(answer, ports))
        open_sockets.discard(client)

    for port, listener in listeners.items():
        threading.Thread(target=accept, args=(port, listener), daemon=True).start()
    try:
        yield proxy
    finally:
        for each in (*listeners.values(), *open_sockets):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


def _frame(connection: socket.socket) -> bytes:
    return exactly(connection, struct.unpack(">i", exactly(connection, 4))[0])


def _exchange(broker: socket.socket, request: bytes) -> bytes:
    broker.sendall(struct.pack(">i", len(request)) + request)
    return _frame(broker)


def _renamed(answer: bytes, ports: Mapping[int, int]) -> bytes:
    """Name the proxy's ports where an answer says `host, port` of a broker: a host's text, then four bytes."""
    for port, ours in ports.items():
        answer = answer.replace(_place(port), _place(ours))
    return answer


def _place(port: int) -> bytes:
    return HOST.encode() + struct.pack(">i", port)


@contextmanager
def _serving(serve: Callable[[], None]) -> Iterator[None]:
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield
    thread.join(10)
