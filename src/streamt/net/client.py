"""One server, asked over HTTP: each request bounded in time and in bytes, its outcome a value."""

import base64
import http.client
import json
import ssl
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlencode

from streamt import __version__
from streamt.net.address import Address
from streamt.net.deadline import Deadline
from streamt.net.reasons import Reason, reason_of
from streamt.net.tls import client_context
from streamt.net.wire import Connection, Wire

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]

TIMEOUT_S = 10.0
MAX_BYTES = 16 * 1024 * 1024
_GRACE_S = 0.25  # seconds in which a request that was cut off has ended
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Basic:
    """A user name and a password, sent as `Authorization: Basic`, in UTF-8."""

    username: str
    password: str = field(repr=False)

    def header(self) -> str:
        """Return the header's value."""
        return f"Basic {base64.b64encode(f'{self.username}:{self.password}'.encode()).decode()}"


@dataclass(frozen=True, slots=True)
class Bearer:
    """A token, sent as `Authorization: Bearer`, to the letter."""

    token: str = field(repr=False)

    def header(self) -> str:
        """Return the header's value."""
        return f"Bearer {self.token}"


@dataclass(frozen=True, slots=True)
class Answered:
    """The final status line arrived.

    Attributes:
        status: 101, or 200 to 999.
        headers: by their names in lower case; of several of one name the last.
        body: what arrived of it, at most the client's `max_bytes`, as sent (it asks for no compression).
        cut: why the body or the headers are not whole; None where they are.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    cut: Reason | None = None

    @property
    def is_success(self) -> bool:
        """Whether the status is 2xx, whatever became of the body."""
        return 200 <= self.status < 300

    def json(self) -> Any:
        """Return the body, read as JSON in UTF-8.

        Raises:
            ValueError: it is not whole, or not JSON; the text never says what it holds.
        """
        if self.cut is not None:
            raise ValueError(self.cut.value)
        try:
            return json.loads(self.body.decode("utf-8"))
        except (ValueError, RecursionError):
            raise ValueError("the answer is not JSON") from None


@dataclass(frozen=True, slots=True)
class NotSent:
    """No byte of the request left this machine; sending it again cannot do anything twice."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Unknown:
    """The request went out, at least in part, and no final status came back: it may have been done, or not."""

    reason: Reason


Outcome = Answered | NotSent | Unknown


@dataclass(frozen=True, slots=True)
class Body:
    """What a request carries.

    Attributes:
        content: the bytes.
        headers: what they are: `Content-Type`, `Content-Encoding`.
    """

    content: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def json(cls, value: object) -> "Body":
        """Return `value` as JSON in UTF-8, with its content type."""
        return cls(json.dumps(value, ensure_ascii=False).encode(), {"Content-Type": "application/json"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpClient:
    """Sends requests to one server, each over a connection of its own; safe to share between threads.

    It goes straight to the address: no proxy and no netrc is looked at, no redirect is followed (a 3xx is an answer),
    and certificates are always checked. It never tries twice.

    Attributes:
        address: the server, from `parse_address`.
        credentials: sent with every request.
        ca_file: a PEM file with certificates to trust beside the system's and those of SSL_CERT_FILE.
        headers: sent with every request.
        timeout_s: seconds, by the wall clock, for one whole request, from the name look-up to the last byte.
        max_bytes: how much is read of an answer's body.

    Raises:
        CertificateFileError: on creation; `ca_file` or SSL_CERT_FILE holds no certificates (for an `https` address).
    """

    address: Address
    credentials: Basic | Bearer | None = None
    ca_file: Path | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_s: float = TIMEOUT_S
    max_bytes: int = MAX_BYTES
    _context: ssl.SSLContext | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        files = [self.ca_file] if self.ca_file else []
        object.__setattr__(self, "_context", client_context(files) if self.address.secure else None)

    def send(
        self,
        method: Method,
        path: str,
        *,
        query: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        body: Body | None = None,
        deadline: Deadline | None = None,
    ) -> Outcome:
        """Send one request and wait for its outcome, no longer than the time-out and the deadline allow.

        Args:
            method: GET, POST, PUT, PATCH or DELETE.
            path: escaped already (see `segments`), below the address's own path; with a leading `/`, below the root.
            query: names and values, not yet escaped.
            body: what to send, if anything.
            deadline: an earlier end than the client's time-out.
        """
        wire = Wire((deadline or Deadline.never()).within(self.timeout_s))
        target = self.address.target(path) + (f"?{urlencode(query)}" if query else "")
        authorization = {"Authorization": self.credentials.header()} if self.credentials else {}
        headers = {"User-Agent": f"streamt/{__version__}"} | authorization | {**self.headers}
        content = body.content if body else None
        return self._wait(wire, _Request(method, target, content, headers | {**(body.headers if body else {})}))

    def _wait(self, wire: Wire, request: "_Request") -> Outcome:
        """Run the request in a thread, so that nothing that it waits for can outlast the deadline.

        The thread is left behind only while the system looks up a name, which nobody can interrupt; it then finds its
        wire cut and connects no more.
        """
        outcome: list[Outcome] = []

        def work() -> None:
            outcome.append(_run(Connection(self.address, wire, self._context), wire, request, self.max_bytes))

        worker = threading.Thread(target=work, name="streamt-http", daemon=True)
        try:
            worker.start()
        except RuntimeError:  # the system starts no further thread
            return NotSent(Reason.FAILED)
        try:
            worker.join(wire.deadline.left)
            in_time = list(outcome)
        finally:  # an interrupt ends the request, too
            wire.cut()
        worker.join(_GRACE_S)
        return in_time[0] if in_time else _failed(wire, Reason.TIMED_OUT)


@dataclass(frozen=True, slots=True)
class _Request:
    method: Method
    target: str
    body: bytes | None
    headers: Mapping[str, str]


def _run(connection: Connection, wire: Wire, request: _Request, max_bytes: int) -> Outcome:
    try:
        connection.connect()
        wire.begin()
        with suppress(BrokenPipeError):  # a server may answer (413) and close before it has read everything
            connection.request(request.method, request.target, request.body, dict(request.headers))
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        body, cut = _read(response, max_bytes)
        return Answered(response.status, headers, body, cut)
    except Exception as error:  # noqa: BLE001 - whatever a library raises here is a failed request
        return _failed(wire, reason_of(error))
    finally:
        connection.close()


def _read(response: http.client.HTTPResponse, max_bytes: int) -> tuple[bytes, Reason | None]:
    """Read the body to its end or to the limit; say why it is not whole."""
    body = bytearray()
    try:
        while len(body) <= max_bytes and (data := response.read1(_CHUNK)):
            body += data
    except Exception as error:  # noqa: BLE001 - the status has come; the rest decides nothing
        return bytes(body[:max_bytes]), reason_of(error)
    if len(body) > max_bytes:
        return bytes(body[:max_bytes]), Reason.TOO_LARGE
    return bytes(body), Reason.BROKEN if response.length else None


def _failed(wire: Wire, reason: Reason) -> Outcome:
    if wire.status is not None:
        return Answered(wire.status, cut=reason)
    return Unknown(reason) if wire.is_sent else NotSent(reason)
