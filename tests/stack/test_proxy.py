"""The proxy for HTTP, in front of a server of this process; for Kafka see test_servers."""

import threading
from collections.abc import Iterator
from http.client import RemoteDisconnected
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.stack.net import HOST, http
from tests.stack.proxy import Proxy, cut_answer, cut_request, delay, hold, http_proxy


class Server(ThreadingHTTPServer):
    bodies: list[bytes]


@pytest.fixture
def server() -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert isinstance(self.server, Server)
            self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(201)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"done": true}')

        def log_message(self, *_: object) -> None:
            pass

    running = Server((HOST, 0), Handler)
    running.bodies = []
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    with http_proxy(f"http://{HOST}:{server.server_port}/api") as running:
        yield running


def test_requests_and_answers_pass_unchanged_and_are_recorded(server: Server, proxy: Proxy) -> None:
    assert http("POST", f"{proxy.address}/a", {"x": 1}) == (201, {"done": True})
    assert server.bodies == [b'{"x": 1}']
    assert [(one.what, one.body) for one in proxy.seen] == [("POST /api/a", b'{"x": 1}')]


def test_a_cut_answer_leaves_the_request_done(server: Server, proxy: Proxy) -> None:
    proxy.fault(cut_answer, "POST /api/a")
    with pytest.raises(RemoteDisconnected):
        http("POST", f"{proxy.address}/a", {})
    assert server.bodies == [b"{}"]
    assert http("POST", f"{proxy.address}/a", {})[0] == 201


def test_a_cut_request_is_never_done(server: Server, proxy: Proxy) -> None:
    proxy.fault(cut_request, "POST", times=2)
    for _ in range(2):
        with pytest.raises(RemoteDisconnected):
            http("POST", f"{proxy.address}/a", {})
    assert server.bodies == []


def test_an_answer_can_be_late(proxy: Proxy) -> None:
    proxy.fault(delay(30), "POST")
    with pytest.raises(TimeoutError):
        http("POST", f"{proxy.address}/a", {}, timeout=0.5)


def test_an_answer_waits_for_the_test(proxy: Proxy) -> None:
    go, answers = threading.Event(), list[int]()
    proxy.fault(hold(go), "POST")
    waiting = threading.Thread(target=lambda: answers.append(http("POST", f"{proxy.address}/a", {})[0]))
    waiting.start()
    waiting.join(0.3)
    assert answers == []
    go.set()
    waiting.join(60)
    assert answers == [201]


def test_a_fault_meets_only_what_it_names(server: Server, proxy: Proxy) -> None:
    proxy.fault(cut_request, "/b")
    assert http("POST", f"{proxy.address}/a", {})[0] == 201
    assert len(server.bodies) == 1


def test_a_test_can_look_before_the_server_sees_a_request(server: Server, proxy: Proxy) -> None:
    seen: list[int] = []
    proxy.on_request = lambda _: seen.append(len(server.bodies))
    http("POST", f"{proxy.address}/a", {})
    assert seen == [0]
