"""One bound, by the wall clock, on all that a request does with the network."""

import socket
import threading
import time
from contextlib import suppress


class Deadline:
    """Opens connections, and cuts them off when the time is up or the caller no longer waits.

    A socket's own time-out starts anew with each byte, and does not see a name look-up at all. So the request
    runs in a thread of its own, and the thread that waits for it calls `cut`: every connection is shut down under
    the request, which ends at once, and none is opened any more.
    """

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._lock = threading.Lock()
        self._handles: list[socket.socket] = []
        self._is_cut = False

    def remaining(self) -> float:
        """Give the seconds that are left.

        Raises:
            TimeoutError: none are.
        """
        left = self._end - time.monotonic()
        if left <= 0 or self._is_cut:
            raise TimeoutError
        return left

    def connect(self, host: str, port: int) -> socket.socket:
        """Open a TCP connection to the first address of `host` that answers.

        Raises:
            OSError: the name has no address, none of them answers, or the time is up.
        """
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        refusal: OSError = TimeoutError()
        for index, (family, kind, protocol, _, address) in enumerate(addresses):
            share = self.remaining() / (len(addresses) - index)
            connection = socket.socket(family, kind, protocol)
            try:
                connection.settimeout(share)
                connection.connect(address)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._keep(connection)
            except OSError as error:
                connection.close()
                refusal = error
            else:
                return connection
        raise refusal

    def cut(self) -> None:
        """Shut down what is open; safe to call twice, and after everything has ended well."""
        with self._lock:
            self._is_cut = True
            for handle in self._handles:
                with suppress(OSError):  # the other side has gone already
                    handle.shutdown(socket.SHUT_RDWR)
                handle.close()
            self._handles.clear()

    def _keep(self, connection: socket.socket) -> None:
        """Keep a second handle: TLS takes the first one's descriptor away."""
        with self._lock:
            connection.settimeout(self.remaining())
            self._handles.append(connection.dup())
