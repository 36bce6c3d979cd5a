"""Every exception that can end a request has words of ours."""

import http.client
import socket
import ssl
from collections.abc import Iterator
from email.errors import MessageDefect

import pytest
from urllib3 import exceptions as urllib3_errors

from streamt.openlineage.transport.failures import FAILURES, failure_of, failure_of_status

SECRET = "k3y-of-the-backend"


def descendants(kind: type[BaseException]) -> Iterator[type[BaseException]]:
    yield kind
    for child in kind.__subclasses__():
        yield from descendants(child)


def mapped(kind: type[BaseException]) -> bool:
    return any(issubclass(kind, known) for known, _ in FAILURES)


LIBRARY = sorted(
    {
        kind
        for kind in vars(urllib3_errors).values()
        if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, Warning)
    }
    # The root of all the others, and a record of the mail parser that urllib3 only puts into another exception.
    - {urllib3_errors.HTTPError, MessageDefect},
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", LIBRARY, ids=lambda kind: kind.__name__)
def test_every_exception_of_the_library_is_mapped(kind: type[BaseException]) -> None:
    assert mapped(kind)


@pytest.mark.parametrize("root", [OSError, http.client.HTTPException, ssl.SSLError, socket.gaierror])
def test_every_exception_of_sockets_and_tls_is_mapped(root: type[BaseException]) -> None:
    assert [kind for kind in descendants(root) if not mapped(kind)] == []


@pytest.mark.parametrize("kind", [kind for kind, _ in FAILURES], ids=lambda kind: kind.__name__)
def test_no_row_hides_another(kind: type[BaseException]) -> None:
    first = next(known for known, _ in FAILURES if issubclass(kind, known))
    assert first is kind


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (urllib3_errors.ProtocolError("Connection aborted.", ConnectionRefusedError(SECRET)), "connection refused"),
        (urllib3_errors.SSLError(ssl.SSLError(SECRET)), "the TLS connection failed"),
        (OSError(101, SECRET), "the host cannot be reached"),
        (RuntimeError(SECRET), "the request failed (RuntimeError)"),
    ],
)
def test_the_cause_is_named_and_its_text_is_not(error: Exception, reason: str) -> None:
    assert failure_of(error).reason == reason


def test_a_circle_of_causes_ends() -> None:
    first, second = RuntimeError(), RuntimeError()
    first.__cause__, second.__cause__ = second, first
    assert failure_of(first).reason == "the request failed (RuntimeError)"


@pytest.mark.parametrize(
    ("status", "may_retry"),
    [(100, False), (304, False), (400, False), (408, False), (429, True), (500, True), (501, True), (599, True)],
)
def test_429_and_5xx_alone_may_be_tried_again(status: int, may_retry: bool) -> None:
    failure = failure_of_status(status)
    assert failure is not None
    assert failure.may_retry is may_retry
