"""Every exception that can end a request has a reason, in words of ours."""

import http.client
import socket
import ssl
from collections.abc import Iterator

import pytest

from streamt.net.reasons import REASONS, Reason, reason_of

SECRET = "k3y-of-the-server"


def descendants(kind: type[BaseException]) -> Iterator[type[BaseException]]:
    yield kind
    for child in kind.__subclasses__():
        yield from descendants(child)


@pytest.mark.parametrize("root", [OSError, http.client.HTTPException, ssl.SSLError, socket.gaierror])
def test_every_exception_of_sockets_tls_and_http_is_mapped(root: type[BaseException]) -> None:
    assert [kind for kind in descendants(root) if not issubclass(kind, tuple(REASONS))] == []


@pytest.mark.parametrize("kind", REASONS, ids=lambda kind: kind.__name__)
def test_no_row_hides_another(kind: type[BaseException]) -> None:
    assert next(known for known in REASONS if issubclass(kind, known)) is kind


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ConnectionResetError(104, SECRET), Reason.BROKEN),
        (http.client.RemoteDisconnected(SECRET), Reason.BROKEN),
        (http.client.BadStatusLine(SECRET), Reason.NOT_HTTP),
        (OSError(101, SECRET), Reason.UNREACHABLE),
        (RuntimeError(SECRET), Reason.FAILED),
    ],
)
def test_the_reason_says_nothing_of_what_the_exception_says(error: Exception, reason: Reason) -> None:
    assert reason_of(error) is reason


def test_a_reason_ends_a_sentence() -> None:
    for reason in Reason:
        assert reason[0].islower()
        assert not reason.endswith(".")
