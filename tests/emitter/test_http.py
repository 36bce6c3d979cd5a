"""Delivery over HTTP: what each answer means, and that every request ends."""

import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme

from streamt.emitter.delivery import RETRIED, Failed
from streamt.emitter.http import HttpSink
from streamt.net import parse_address
from tests.net.servers import CREATED, deaf, drip, hold, huge, reset_after, say, server, silent, status, tls_for

KEPT = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok"


@dataclass
class Once:
    """A sink that is closed after each delivery."""

    inner: HttpSink

    def deliver(self, lines: Sequence[bytes]) -> Failed | None:
        try:
            return self.inner.deliver(lines)
        finally:
            self.inner.close()


def sink(url: str, api_key: str | None = None, timeout_s: float = 20.0) -> Once:
    return Once(HttpSink(parse_address(url), api_key, timeout_s))


def test_an_event_is_posted_to_the_very_endpoint() -> None:
    with server() as running:
        assert sink(f"{running.url}/api/v1/openlineage/lineage", "key").deliver([b"{}"]) is None
    (request,) = running.requests
    assert request.line == "POST /api/v1/openlineage/lineage HTTP/1.1"
    assert request.body == b"{}"
    assert request.headers["authorization"] == "Bearer key"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["host"] == f"127.0.0.1:{running.port}"
    assert "gravitino" in request.headers["accept"]


@pytest.mark.parametrize("code", [200, 201, 202, 204, 299])
def test_any_2xx_means_delivered(code: int) -> None:
    with server(status(code)) as running:
        assert sink(f"{running.url}/l").deliver([b"{}"]) is None


@pytest.mark.parametrize("code", [301, 400, 401, 403, 404, 408, 406, 409, 413, 422, 429, 500, 501, 502, 503, 504])
def test_another_answer_is_a_failure_that_is_tried_again_or_not(code: int) -> None:
    with server(status(code)) as running:
        failed = sink(f"{running.url}/l").deliver([b"{}"])
    assert failed is not None
    assert failed.reason.startswith(f"HTTP {code}")
    assert failed.may_retry == (code in RETRIED == {408, 429, 502, 503, 504})


def test_a_redirect_is_not_followed() -> None:
    with server(status(307, "Location: http://127.0.0.1:1/canary")) as running:
        failed = sink(f"{running.url}/l").deliver([b"{}"])
    assert failed == Failed("HTTP 307; redirects are not followed")


@pytest.mark.parametrize(("value", "pause"), [("3", 3.0), ("Wed, 21 Oct 2026 07:28:00 GMT", None), ("-1", None)])
def test_the_server_may_ask_for_a_pause(value: str, pause: float | None) -> None:
    with server(status(429, f"Retry-After: {value}")) as running:
        failed = sink(f"{running.url}/l").deliver([b"{}"])
    assert failed == Failed("HTTP 429", may_retry=True, pause=pause)


BAD = {
    "no answer": silent,
    "one byte at a time": drip(b"HTTP/1.1 2"),
    "not HTTP": say(b"canary canary\r\n\r\n"),
    "cut in the status line": say(b"HTTP/1.1 20"),
    "reset": reset_after(b""),
    "deaf": deaf,
    "endless interim answers": say(b"HTTP/1.1 103 Early Hints\r\nX: canary\r\n\r\n" * 50),
}


@pytest.mark.parametrize("case", BAD)
def test_every_request_ends_with_a_reason_without_a_word_of_the_answer(case: str) -> None:
    with server(BAD[case]) as running:
        failed = sink(f"{running.url}/l", timeout_s=0.5).deliver([b"{}"])
    assert failed is not None
    assert "canary" not in failed.reason
    assert str(running.port) not in failed.reason


AFTER_THE_STATUS = {
    "slow headers": hold(drip(b"HTTP/1.1 200 OK\r\nX: ")),
    "endless headers": say(b"HTTP/1.1 200 OK\r\n" + b"X: canary\r\n" * 500 + b"\r\n"),
    "slow body": hold(drip(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")),
    "short": say(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf"),
    "broken chunk": say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
    "interim answers": say(b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" + CREATED),
}


@pytest.mark.parametrize("case", AFTER_THE_STATUS)
def test_the_final_status_line_decides_whatever_comes_before_or_after_it(case: str) -> None:
    with server(AFTER_THE_STATUS[case]) as running:
        assert sink(f"{running.url}/l").deliver([b"{}"]) is None
    assert len(running.requests) == 1


def test_a_good_answer_counts_whatever_becomes_of_its_body() -> None:
    sent: list[int] = []
    with server(huge(sent)) as running:
        assert sink(f"{running.url}/l").deliver([b"{}"]) is None
    assert sum(sent) < 50_000_000


def test_nobody_listens() -> None:
    with server() as running:
        url = running.url
    failed = sink(f"{url}/l").deliver([b"{}"])
    assert failed == Failed("connection refused", may_retry=True)


def test_a_connection_is_kept_and_opened_anew_when_it_has_gone() -> None:
    with server(say(KEPT)) as running:  # the server closes after each answer, without saying so
        posting = HttpSink(parse_address(f"{running.url}/l"), None, 20.0)
        assert [posting.deliver([b"{}"]) for _ in range(3)] == [None, None, None]
        posting.close()
    assert len(running.requests) == running.connections == 3


def test_a_name_that_cannot_be_resolved() -> None:
    failed = sink("http://no-such-host.invalid/l").deliver([b"{}"])
    assert failed is not None
    assert failed.reason == "the host name could not be resolved"


def test_certificates_are_checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ca = trustme.CA()
    with server(hold(say(CREATED)), tls=tls_for(ca, "localhost")) as running:
        url = f"https://localhost:{running.port}/l"
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
        refused = sink(url).deliver([b"{}"])
        assert refused == Failed("the server's certificate is not trusted")
        ca.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
        monkeypatch.setenv(ssl.get_default_verify_paths().openssl_cafile_env, str(tmp_path / "ca.pem"))
        assert sink(url).deliver([b"{}"]) is None
        monkeypatch.setenv(ssl.get_default_verify_paths().openssl_cafile_env, str(tmp_path / "nothing.pem"))
        assert sink(url).deliver([b"{}"]) == Failed("a file with certificates cannot be read")
