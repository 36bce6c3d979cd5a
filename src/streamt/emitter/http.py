"""Events over HTTP in the worker's own thread: one connection that is kept, and one deadline for all of a request.

`streamt.net` waits for a request in a thread of its own; at the end of a process no thread can be started any more
(E6), so here every read of the socket gets the time that is left.
"""

import io
import re
import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from http.client import HTTPResponse

from streamt import __version__
from streamt.emitter.delivery import RETRIED, Failed
from streamt.net import Address, CertificateFileError, Deadline, Reason
from streamt.net.reasons import reason_of
from streamt.net.tls import client_context
from streamt.net.wire import FinalResponse

_MOST_READ = 64 * 1024
_REST_S = 0.5
"""How long, in seconds, the rest of an answer is waited for once its status is known."""
_RETRIED_REASONS = frozenset({Reason.UNRESOLVED, Reason.REFUSED, Reason.UNREACHABLE, Reason.BROKEN, Reason.TIMED_OUT})


class HttpSink:
    """Posts each event to one address; a final status of 2xx means delivered, whatever becomes of the rest.

    It goes straight to the address: no proxy, no netrc, no redirect; certificates are always checked.
    """

    most = 1

    def __init__(self, address: Address, api_key: str | None, timeout_s: float) -> None:
        self._address = address
        self._timeout = timeout_s
        self._head = _head(address, api_key)
        self._context: ssl.SSLContext | None = None
        self._socket: socket.socket | None = None

    def deliver(self, lines: Sequence[bytes]) -> Failed | None:
        """Post one event; a kept connection that has gone meanwhile is opened anew."""
        deadline = Deadline.after(self._timeout)
        kept = self._socket is not None
        failed = self._post(lines[0], deadline)
        gone = failed is not None and failed.reason == Reason.BROKEN.value
        return self._post(lines[0], deadline) if kept and gone else failed

    def close(self) -> None:
        """Close the connection."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.close()
            self._socket = None

    def _post(self, body: bytes, deadline: Deadline) -> Failed | None:
        keeps = False
        answer: _Raw | None = None
        try:
            connection = self._socket or self._connect(deadline)
            self._socket = connection
            connection.settimeout(deadline.check())
            with suppress(BrokenPipeError):  # a server may answer (413) and close before it has read everything
                connection.sendall(self._head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            answer = _Raw(connection, deadline)
            response = FinalResponse(answer.note, _Readable(answer), method="POST")  # type: ignore[arg-type]
            response.begin()
            keeps = _read_rest(response) and not response.will_close
            return _judged(response.status, response.getheader("Retry-After"))
        except CertificateFileError:
            return Failed("a file with certificates cannot be read")
        except Exception as error:  # noqa: BLE001 - whatever a library raises here is a failed delivery
            if answer is not None and answer.status is not None:
                return _judged(answer.status, None)
            reason = reason_of(error)
            return Failed(reason.value, may_retry=reason in _RETRIED_REASONS)
        finally:
            if not keeps:
                self.close()

    def _connect(self, deadline: Deadline) -> socket.socket:
        """Open a connection to the first address of the host that answers.

        Raises:
            OSError: none does in time.
        """
        addresses = socket.getaddrinfo(self._address.host, self._address.port, type=socket.SOCK_STREAM)
        refusal: OSError = TimeoutError()
        for index, (family, kind, protocol, _, address) in enumerate(addresses):
            connection = socket.socket(family, kind, protocol)
            try:
                connection.settimeout(deadline.check() / (len(addresses) - index))
                connection.connect(address)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return self._secured(connection, deadline)
            except OSError as error:
                connection.close()
                refusal = error
        raise refusal

    def _secured(self, connection: socket.socket, deadline: Deadline) -> socket.socket:
        if not self._address.secure:
            return connection
        if self._context is None:
            self._context = client_context(())
        connection.settimeout(deadline.check())
        return self._context.wrap_socket(connection, server_hostname=self._address.host.removesuffix("."))


class _Readable:
    """What `HTTPResponse` needs of a socket: a file to read."""

    def __init__(self, raw: "_Raw") -> None:
        self._raw = raw

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self._raw)


class _Raw(io.RawIOBase):
    """What a server says, each read within the deadline.

    Attributes:
        status: the final one, once it has been read.
    """

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        super().__init__()
        self._connection = connection
        self._deadline = deadline
        self.status: int | None = None

    def note(self, status: int) -> None:
        """Take note of the final status; what comes after it is waited for only a moment."""
        self.status = status
        self._deadline = self._deadline.within(_REST_S)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any buffer that it is called with
        self._connection.settimeout(self._deadline.check())
        return self._connection.recv_into(buffer)


def _head(address: Address, api_key: str | None) -> bytes:
    lines = [
        f"POST {address.path} HTTP/1.1",
        f"Host: {address.origin.partition('//')[2]}",
        "Content-Type: application/json",
        f"User-Agent: streamt/{__version__}",
        # Some builds of Gravitino answer 406 to everything else; all others ignore it.
        "Accept: application/vnd.gravitino.v1+json, application/json",
    ]
    if api_key is not None:
        lines.append(f"Authorization: Bearer {api_key}")
    return "".join(f"{line}\r\n" for line in lines).encode("latin-1")


def _read_rest(response: HTTPResponse) -> bool:
    """Read the body, which decides nothing, as far as it is short; report whether it is at its end."""
    with suppress(Exception):
        return len(response.read(_MOST_READ)) < _MOST_READ or response.isclosed()
    return False


def _judged(status: int, retry_after: str | None) -> Failed | None:
    if 200 <= status < 300:
        return None
    note = "; redirects are not followed" if 300 <= status < 400 else ""
    return Failed(f"HTTP {status}{note}", status in RETRIED, _retry_after(retry_after))


def _retry_after(value: str | None) -> float | None:
    """Return the seconds of `Retry-After`; its form with a date is not read."""
    return float(value) if value and re.fullmatch(r"[0-9]{1,6}", value.strip()) else None
