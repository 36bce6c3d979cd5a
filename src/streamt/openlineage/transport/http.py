"""Run events over HTTP: one POST each, bounded in time, in tries and in what is read of the answer."""

import gzip
import logging
import socket
import ssl
import threading
import time
from contextlib import suppress

from urllib3 import HTTPResponse
from urllib3.connection import HTTPConnection, HTTPSConnection

from streamt import __version__
from streamt.openlineage.transport.config import HttpConfig
from streamt.openlineage.transport.deadline import Deadline
from streamt.openlineage.transport.delivery import DeliveryError
from streamt.openlineage.transport.failures import TIMED_OUT, Failure, failure_of, failure_of_status

MAX_ANSWER_BYTES = 16 * 1024
"""What is read of a good answer's body, only to see it end; the rest stays where it is."""

RETRY_PAUSE_S = 0.25
"""Seconds between the two tries; what a server asks for is not heeded."""

GRACE_S = 0.25
"""Seconds in which a request that was cut off has ended."""

# It would log a server's malformed headers, as they came.
logging.getLogger("urllib3.connection").disabled = True


class _Http(HTTPConnection):
    """Plain HTTP over a connection that the deadline opens; `debuglevel` would print headers."""

    debuglevel = 0
    deadline: Deadline

    def _new_conn(self) -> socket.socket:
        return self.deadline.connect(self.host, self.port)


class _Https(HTTPSConnection):
    """HTTPS in the same way; certificate and host name are checked by the context."""

    debuglevel = 0
    deadline: Deadline

    def _new_conn(self) -> socket.socket:
        return self.deadline.connect(self.host, self.port or 443)


class HttpTransport:
    """Posts each event to the endpoint, and takes any 2xx for delivered.

    Connections go straight to the address: no proxy, no netrc and no redirect is looked at.

    Raises:
        OSError: on creation, when `config.ca_file` is not a file with certificates.
    """

    def __init__(self, config: HttpConfig) -> None:
        self._config = config
        self._target = config.address.target(config.endpoint)
        self._tls = _tls(config) if config.address.secure else None
        self._headers = _headers(config)

    def emit(self, event: bytes) -> None:
        """Post `event`; after a broken connection, a 429 or a 5xx once more, if `retry.total` allows it.

        Raises:
            DeliveryError: no 2xx came in time.
        """
        body = gzip.compress(event, mtime=0) if self._config.gzip else event
        failure = self._try(body)
        if failure and failure.may_retry and self._config.retries:
            time.sleep(RETRY_PAUSE_S)
            failure = self._try(body)
        if failure:
            raise DeliveryError(failure.reason)

    def close(self) -> None:
        """Do nothing: each event has a connection of its own."""

    def _try(self, body: bytes) -> Failure | None:
        """Run one request in a thread, so that nothing that it waits for can outlast the deadline.

        The thread is left behind only while the system looks up a name, which nobody can interrupt; it then finds
        its deadline cut and connects no more.
        """
        deadline = Deadline(self._config.timeout_s)
        outcome: list[Failure | None] = []

        def work() -> None:
            outcome.append(self._request(body, deadline))

        worker = threading.Thread(target=work, name="streamt-openlineage", daemon=True)
        try:
            worker.start()
        except RuntimeError:
            return Failure("the system starts no further thread")
        try:
            worker.join(self._config.timeout_s)
            in_time = list(outcome)
        finally:  # an interrupt ends the request too
            deadline.cut()
        worker.join(GRACE_S)
        failure = in_time[0] if in_time else TIMED_OUT
        return Failure(f"timed out after {self._config.timeout_s:g} s") if failure == TIMED_OUT else failure

    def _request(self, body: bytes, deadline: Deadline) -> Failure | None:
        connection = self._connection(deadline)
        try:
            with suppress(BrokenPipeError):  # a server may answer (413) and close before it has read everything
                connection.request("POST", self._target, body, self._headers, preload_content=False)
            response = connection.getresponse()
            failure = failure_of_status(response.status)
            if failure is None:
                _read_some(response)
        except Exception as error:  # noqa: BLE001 - whatever a library raises here is a failed delivery
            return failure_of(error)
        else:
            return failure
        finally:
            connection.close()

    def _connection(self, deadline: Deadline) -> _Http | _Https:
        address, seconds = self._config.address, self._config.timeout_s
        if self._tls is None:
            plain = _Http(address.host, address.port, timeout=seconds)
            plain.deadline = deadline
            return plain
        secure = _Https(address.host, address.port, timeout=seconds, ssl_context=self._tls)
        secure.deadline = deadline
        return secure


def _read_some(response: HTTPResponse) -> None:
    """Read the body to its end or to the limit; a broken one raises."""
    left = MAX_ANSWER_BYTES
    while left > 0 and (data := response.read(left, decode_content=False)):
        left -= len(data)


def _headers(config: HttpConfig) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "User-Agent": f"streamt/{__version__}"}
    if config.gzip:
        headers["Content-Encoding"] = "gzip"
    if config.api_key is not None:
        headers["Authorization"] = f"Bearer {config.api_key}"
    return headers


def _tls(config: HttpConfig) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if config.ca_file is not None:
        context.load_verify_locations(cafile=config.ca_file)
    return context
