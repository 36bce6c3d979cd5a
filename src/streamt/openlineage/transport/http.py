"""Run events over HTTP: one POST each, bounded in time, in tries and in what is read of the answer."""

import gzip
import time

from streamt.net import Bearer, Body, HttpClient
from streamt.openlineage.transport.failures import DeliveryError, failure_of
from streamt.openlineage.transport.settings import HttpSettings

MAX_ANSWER_BYTES = 16 * 1024
"""What is read of an answer's body, only to see it end."""

RETRY_PAUSE_S = 0.25
"""Seconds between the two tries; what a server asks for is not heeded."""


class HttpTransport:
    """Posts each event to the endpoint, and takes any 2xx for delivered.

    Raises:
        streamt.net.CertificateFileError: on creation, when SSL_CERT_FILE is not a file with certificates.
    """

    def __init__(self, settings: HttpSettings) -> None:
        self._settings = settings
        self._client = HttpClient(
            address=settings.url,
            credentials=Bearer(settings.auth.api_key) if settings.auth else None,
            ca_file=settings.ca_file,
            timeout_s=settings.timeout,
            max_bytes=MAX_ANSWER_BYTES,
        )

    def emit(self, event: bytes) -> None:
        """Post `event`; after a broken connection, a 429 or a 5xx once more, if `retry.total` allows it.

        Raises:
            DeliveryError: no 2xx came in time.
        """
        for tries_left in range(self._settings.retry.total, -1, -1):
            outcome = self._client.send("POST", self._settings.endpoint, body=self._body(event))
            failure = failure_of(outcome, self._settings.timeout)
            if failure is None:
                return
            if not (tries_left and failure.may_pass):
                raise DeliveryError(failure.reason)
            time.sleep(RETRY_PAUSE_S)

    def _body(self, event: bytes) -> Body:
        kind = {"Content-Type": "application/json"}
        if self._settings.compression == "gzip":
            return Body(gzip.compress(event, mtime=0), kind | {"Content-Encoding": "gzip"})
        return Body(event, kind)

    def close(self) -> None:
        """Do nothing: each event has a connection of its own."""
