"""Servers on loopback that answer well, badly, slowly or not at all, and keep what arrived."""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import trustme

CREATED = b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
Answer = Callable[[socket.socket], None]


@dataclass
class Request:
    """A request as it arrived."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Server:
    """A listening socket; `answers` are given one after the other, the last one for ever."""

    port: int
    answers: list[Answer]
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    threads: list[threading.Thread] = field(default_factory=list)
    sockets: list[socket.socket] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def hold(answer: Answer) -> Answer:
    """Keep the connection open after `answer`."""

    def held(connection: socket.socket) -> None:
        answer(connection)
        silent(connection)

    return held


def say(data: bytes) -> Answer:
    return lambda connection: connection.sendall(data)


def status(code: int, *headers: str) -> Answer:
    lines = [f"HTTP/1.1 {code} Whatever", "Content-Length: 0", *headers]
    return say("\r\n".join([*lines, "", ""]).encode())


def drip(first: bytes) -> Answer:
    """Send `first`, then one byte at a time: each comes long before a time-out of its own would end."""

    def answer(connection: socket.socket) -> None:
        connection.sendall(first)
        with suppress(OSError):
            for _ in range(100):
                connection.sendall(b"x")
                time.sleep(0.05)

    return answer


def reset_after(first: bytes) -> Answer:
    def answer(connection: socket.socket) -> None:
        connection.sendall(first)
        time.sleep(0.05)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        connection.close()

    return answer


def huge(sent: list[int]) -> Answer:
    """Answer 200 with 100 MB, and note how many of them the client took."""

    def answer(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
        with suppress(OSError):
            while sum(sent) < 100_000_000:
                sent.append(connection.send(b"x" * 100_000))

    return answer


def deaf(connection: socket.socket) -> None:
    time.sleep(0.8)


def silent(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.recv(1)


@contextmanager
def server(
    *answers: Answer, tls: ssl.SSLContext | None = None, address: str = "127.0.0.1", reads: bool = True
) -> Iterator[Server]:
    """Serve `answers` until the block ends; `reads=False` answers without reading the request's body."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, 0), family=family) as listener:
        running = Server(listener.getsockname()[1], list(answers or [say(CREATED)]))
        acceptor = threading.Thread(target=_accept, args=(listener, running, tls, reads))
        acceptor.start()
        try:
            yield running
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            acceptor.join()
            for connection in running.sockets:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                connection.close()
            for thread in running.threads:
                thread.join()


def _accept(listener: socket.socket, running: Server, tls: ssl.SSLContext | None, reads: bool) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        running.connections += 1
        running.sockets.append(connection)
        thread = threading.Thread(target=_serve, args=(connection, running, tls, reads))
        running.threads.append(thread)
        thread.start()


def _serve(connection: socket.socket, running: Server, tls: ssl.SSLContext | None, reads: bool) -> None:
    with suppress(OSError):  # a client that was told to go away does so
        if tls:
            connection = tls.wrap_socket(connection, server_side=True)
            running.sockets.append(connection)
        request = _read(connection, reads)
        if request is None:
            return
        answer = running.answers[min(len(running.requests), len(running.answers) - 1)]
        running.requests.append(request)
        answer(connection)
        connection.close()


def _read(connection: socket.socket, reads: bool) -> Request | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    line, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (text.partition(": ") for text in lines)}
    while reads and len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65536)
    return Request(line, headers, body)


def tls_for(ca: trustme.CA, name: str, not_after: datetime | None = None) -> ssl.SSLContext:
    """Make what a server needs that shows a certificate for `name`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    not_before = not_after - timedelta(9) if not_after else None
    ca.issue_cert(name, not_before=not_before, not_after=not_after).configure_cert(context)
    return context
