"""A request that nobody waits for any more opens no connection."""

import pytest

from streamt.openlineage.transport.deadline import Deadline
from tests.net.servers import server


def test_after_the_cut_no_connection_is_opened() -> None:
    deadline = Deadline(5)
    deadline.cut()
    with server() as backend:
        with pytest.raises(TimeoutError):
            deadline.connect("127.0.0.1", backend.port)
        assert backend.connections == 0


def test_after_the_end_no_connection_is_opened() -> None:
    with server() as backend:
        with pytest.raises(TimeoutError):
            Deadline(0).connect("127.0.0.1", backend.port)
        assert backend.connections == 0


def test_a_cut_shuts_an_open_connection_down() -> None:
    deadline = Deadline(5)
    with server() as backend, deadline.connect("127.0.0.1", backend.port) as connection:
        deadline.cut()
        assert connection.recv(1) == b""
