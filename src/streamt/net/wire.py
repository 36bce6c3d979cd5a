"""The connection of one request: opened before a deadline, and cut off when nobody waits any more."""

import http.client
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from streamt.net.address import Address
from streamt.net.deadline import Deadline


class Wire:
    """Opens connections, knows how far a request came, and shuts everything down at once.

    A socket's own time-out starts anew with each byte, and does not see a name look-up at all. So a request runs in a
    thread of its own, and the thread that waits for it calls `cut`: every connection is shut down under the request,
    which ends at once, and none is opened any more.

    Attributes:
        deadline: until when.
        is_sent: whether a byte of the request may have left.
        status: the final status line's, once it has been read.
    """

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline
        self.is_sent = False
        self.status: int | None = None
        self._lock = threading.Lock()
        self._handles: list[socket.socket] = []
        self._is_cut = False

    def connect(self, host: str, port: int) -> socket.socket:
        """Open a TCP connection to the first address of `host` that answers.

        Raises:
            OSError: the name has no address, none of them answers, or the time is up.
        """
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        refusal: OSError = TimeoutError()
        for index, (family, kind, protocol, _, address) in enumerate(addresses):
            connection = socket.socket(family, kind, protocol)
            try:
                connection.settimeout(self._remaining() / (len(addresses) - index))
                connection.connect(address)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._keep(connection)
            except OSError as error:
                connection.close()
                refusal = error
            else:
                return connection
        raise refusal

    def begin(self) -> None:
        """Take note that the request's first byte is about to leave.

        Raises:
            TimeoutError: the time is up; the byte must stay.
        """
        with self._lock:
            self._remaining()
            self.is_sent = True

    def note(self, status: int) -> None:
        """Take note of the final status."""
        self.status = status

    def cut(self) -> None:
        """Shut down what is open; safe to call twice, and after everything has ended well."""
        with self._lock:
            self._is_cut = True
            for handle in self._handles:
                with suppress(OSError):  # the other side has gone already
                    handle.shutdown(socket.SHUT_RDWR)
                handle.close()
            self._handles.clear()

    def _remaining(self) -> float:
        if self._is_cut:
            raise TimeoutError
        return self.deadline.check()

    def _keep(self, connection: socket.socket) -> None:
        """Keep a second handle: TLS takes the first one's descriptor away."""
        with self._lock:
            connection.settimeout(self._remaining())
            self._handles.append(connection.dup())


class FinalResponse(http.client.HTTPResponse):
    """A response whose interim answers (1xx, RFC 9110, 15.2) are skipped, and whose final status is noted at once."""

    def __init__(self, note: Callable[[int], None], sock: socket.socket, method: str | None = None) -> None:
        super().__init__(sock, method=method)
        self._note = note

    def _read_status(self) -> tuple[str, int, str]:
        while True:
            version, status, reason = super()._read_status()  # type: ignore[misc]  # the stubs leave it out
            if status >= 200 or status == http.client.SWITCHING_PROTOCOLS:
                self._note(status)
                return version, status, reason
            http.client.parse_headers(self.fp)


class Connection(http.client.HTTPConnection):
    """HTTP/1.1 over one wire: no proxy, no redirect, no word to stdout.

    Args:
        address: where to.
        wire: opens the socket.
        context: for TLS; None for plain HTTP.
    """

    def __init__(self, address: Address, wire: Wire, context: ssl.SSLContext | None) -> None:
        self.default_port = 443 if address.secure else 80
        super().__init__(address.host, address.port)
        self._wire = wire
        self._context = context
        self.response_class = partial(FinalResponse, wire.note)  # type: ignore[assignment]  # it is only ever called

    def connect(self) -> None:
        """Open the socket, and shake hands where TLS is asked for."""
        plain = self._wire.connect(self.host, self.port)
        if self._context is None:
            self.sock = plain
            return
        try:
            self.sock = self._context.wrap_socket(plain, server_hostname=self.host.removesuffix("."))
        except BaseException:
            plain.close()
            raise
