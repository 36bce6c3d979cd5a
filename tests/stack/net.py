"""Loopback: free ports, JSON over HTTP, and the one Kafka request that proves a broker."""

import json
import random
import socket
import struct
import urllib.error
import urllib.request
from collections.abc import Collection
from typing import Any

from tests.stack.home import StackError

HOST = "127.0.0.1"
PORTS = range(15000, 31000)  # below the ephemeral range, so no outgoing connection takes one


def free_port(taken: Collection[int] = ()) -> int:
    """Return a port that nothing listens on and that is not in `taken`."""
    for port in random.sample(PORTS, 200):
        if port not in taken and is_free(port):
            return port
    raise StackError("no free port found on loopback")


def is_free(port: int) -> bool:
    """Report whether a server could bind `port` on loopback now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


def http(method: str, url: str, body: object = None, timeout: float = 30.0) -> tuple[int, Any]:
    """Send one request and return its status and its decoded JSON (or text) body.

    Raises:
        OSError: no answer came.
    """
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=timeout) as answer:
            status, raw = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            status, raw = error.code, error.read()
    try:
        return status, json.loads(raw) if raw else None
    except ValueError:
        return status, raw.decode(errors="replace")


def kafka_brokers(port: int) -> int:
    """Ask for metadata (version 1, no topics) and return how many brokers the answer lists.

    Raises:
        OSError: no answer came.
    """
    name = b"stack"
    request = struct.pack(">hhih", 3, 1, 1, len(name)) + name + struct.pack(">i", 0)
    with socket.create_connection((HOST, port), timeout=5) as connection:
        connection.sendall(struct.pack(">i", len(request)) + request)
        (size,) = struct.unpack(">i", exactly(connection, 4))
        answer = exactly(connection, size)
    (_, brokers) = struct.unpack_from(">ii", answer)
    return int(brokers)


def exactly(connection: socket.socket, size: int) -> bytes:
    """Read `size` bytes.

    Raises:
        ConnectionError: the other side closed first.
    """
    data = bytearray()
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise ConnectionError("connection closed")
        data += part
    return bytes(data)
