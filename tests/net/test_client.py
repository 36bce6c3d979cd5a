"""Real requests to real servers: what arrives, and what became of it."""

import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from streamt.net import (
    Answered,
    Basic,
    Bearer,
    Body,
    CertificateFileError,
    Deadline,
    HttpClient,
    NotSent,
    Outcome,
    Reason,
    Unknown,
    parse_address,
)
from tests.net.servers import Answer, deaf, drip, hold, huge, reset_after, say, server, silent, status, tls_for

SECRET = "k3y-of-the-server"
SHORT_S = 0.5
HELLO_BODY = '{"hello": "wörld"}'.encode()
HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX-One: a\r\nX-One: b\r\n\r\n%s" % (len(HELLO_BODY), HELLO_BODY)


def ask(url: str, *, timeout_s: float = 20, **settings: object) -> Outcome:
    return HttpClient(address=parse_address(url), timeout_s=timeout_s, **settings).send("GET", "x")  # type: ignore[arg-type]


def test_a_get_is_answered() -> None:
    with server(say(HELLO)) as running:
        outcome = ask(running.url + "/base")
    assert isinstance(outcome, Answered)
    assert (outcome.status, outcome.is_success, outcome.cut) == (200, True, None)
    assert outcome.json() == {"hello": "wörld"}
    assert outcome.headers["x-one"] == "b"
    request = running.requests[0]
    assert request.line == "GET /base/x HTTP/1.1"
    assert request.headers.pop("user-agent").startswith("streamt/")
    assert request.headers == {"host": f"127.0.0.1:{running.port}", "accept-encoding": "identity"}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_body_of_json_is_sent(method: str) -> None:
    with server() as running:
        client = HttpClient(address=parse_address(running.url))
        client.send(method, "jars/a%2Fb", query={"q": "a b&c"}, body=Body.json({"ä": [1, None]}))  # type: ignore[arg-type]
    request = running.requests[0]
    assert request.line == f"{method} /jars/a%2Fb?q=a+b%26c HTTP/1.1"
    assert request.headers["content-type"] == "application/json"
    assert request.body == '{"ä": [1, null]}'.encode()


def test_a_body_of_bytes_says_itself_what_it_is() -> None:
    with server() as running:
        client = HttpClient(address=parse_address(running.url), headers={"Accept": "application/x"})
        client.send("POST", "", query=[("a", "1"), ("a", "2")], body=Body(b"\0\1", {"Content-Type": "x/y"}))
    request = running.requests[0]
    assert (request.line, request.body) == ("POST /?a=1&a=2 HTTP/1.1", b"\0\1")
    assert (request.headers["content-type"], request.headers["accept"]) == ("x/y", "application/x")


@pytest.mark.parametrize(
    ("credentials", "header"),
    [(Basic("ü", "p:w"), "Basic w7w6cDp3"), (Bearer(SECRET), f"Bearer {SECRET}")],
)
def test_credentials_are_sent_and_never_shown(credentials: Basic | Bearer, header: str) -> None:
    with server() as running:
        client = HttpClient(address=parse_address(running.url), credentials=credentials)
        client.send("GET", "x")
    assert running.requests[0].headers["authorization"] == header
    assert SECRET not in repr(client)
    assert "p:w" not in repr(client)


@pytest.mark.parametrize("code", [200, 204, 302, 404, 409, 422, 429, 500, 503])
def test_every_final_status_is_an_answer(code: int) -> None:
    with server(status(code, "Location: http://127.0.0.1:1/")) as running:
        outcome = ask(running.url)
    assert isinstance(outcome, Answered)
    assert (outcome.status, outcome.is_success, len(running.requests)) == (code, code < 300, 1)


@pytest.mark.parametrize("interim", [b"100 Continue", b"102 Processing", b"103 Early Hints\r\nLink: </style.css>"])
def test_interim_answers_are_skipped(interim: bytes) -> None:
    first = b"HTTP/1.1 " + interim + b"\r\n\r\n"
    with server(say(first * 3 + HELLO)) as running:
        outcome = ask(running.url)
    assert isinstance(outcome, Answered)
    assert (outcome.status, outcome.json()) == (200, {"hello": "wörld"})


OK = b"HTTP/1.1 201 Created\r\n"
BODIES = {
    "shorter than announced": (say(OK + b"Content-Length: 1000\r\n\r\nhalf"), Reason.BROKEN),
    "reset in the middle": (reset_after(OK + b"Content-Length: 1000\r\n\r\nhalf"), Reason.BROKEN),
    "a broken chunk": (say(OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"), None),
    "slow": (hold(say(OK + b"Content-Length: 1000\r\n\r\nhalf")), Reason.TIMED_OUT),
    "slow headers": (hold(say(OK + b"X: ")), Reason.TIMED_OUT),
    "a header that is none": (say(OK + b"\x00" * 70_000 + b"\r\n\r\n"), Reason.NOT_HTTP),
}


@pytest.mark.parametrize(("answer", "cut"), BODIES.values(), ids=BODIES)
def test_the_status_counts_whatever_becomes_of_the_rest(answer: Answer, cut: Reason | None) -> None:
    with server(answer) as running:
        outcome = ask(running.url, timeout_s=SHORT_S)
    assert isinstance(outcome, Answered)
    assert (outcome.status, outcome.is_success) == (201, True)
    assert outcome.cut == cut if cut else outcome.cut is not None
    with pytest.raises(ValueError, match=outcome.cut or "never"):
        outcome.json()


def test_a_huge_body_is_read_up_to_the_limit() -> None:
    sent: list[int] = []
    with server(huge(sent)) as running:
        outcome = ask(running.url, max_bytes=1000)
    assert isinstance(outcome, Answered)
    assert (outcome.cut, len(outcome.body)) == (Reason.TOO_LARGE, 1000)
    assert sum(sent) < 20_000_000  # what the kernel's buffers took


def test_a_body_as_large_as_the_limit_is_whole() -> None:
    with server(say(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 1000)) as running:
        outcome = ask(running.url, max_bytes=1000)
    assert outcome == Answered(200, {}, b"x" * 1000)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 200_000])
def test_an_answer_that_is_no_json_says_so_and_nothing_else(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"^the answer is not JSON$"):
        Answered(200, body=body).json()


SLOW = {
    "nothing": silent,
    "status line": drip(b"HTTP/1.1 20"),
    "interim answers alone": say(b"HTTP/1.1 100 Continue\r\n\r\n"),
}


@pytest.mark.parametrize("answer", SLOW.values(), ids=SLOW)
def test_without_a_status_in_time_the_outcome_is_unknown(answer: Answer) -> None:
    with server(hold(answer)) as running:
        assert ask(running.url, timeout_s=SHORT_S) == Unknown(Reason.TIMED_OUT)
    assert len(running.requests) == 1


def test_a_server_that_reads_nothing_is_cut_off() -> None:
    with server(deaf, reads=False) as running:
        client = HttpClient(address=parse_address(running.url), timeout_s=SHORT_S)
        assert client.send("POST", "x", body=Body(b"x" * 50_000_000)) == Unknown(Reason.TIMED_OUT)


@pytest.mark.parametrize("answer", [reset_after(b""), say(b""), say(b"HTTP/1.1 100 Continue\r\n\r\n")])
def test_a_cut_after_the_request_leaves_the_outcome_unknown(answer: Answer) -> None:
    with server(answer) as running:
        outcome = ask(running.url)
    assert outcome == Unknown(Reason.BROKEN)


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH_9\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\x00" * 70_000 + b"\r\n"])
def test_an_answer_that_is_not_http_leaves_the_outcome_unknown(answer: bytes) -> None:
    with server(say(answer)) as running:
        assert ask(running.url) == Unknown(Reason.NOT_HTTP)


def test_a_status_before_the_body_was_read_counts() -> None:
    def early(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1_000_000):
            pass

    with server(early, reads=False) as running:
        outcome = HttpClient(address=parse_address(running.url)).send("POST", "x", body=Body(b"x" * 5_000_000))
    assert isinstance(outcome, Answered)
    assert outcome.status == 413


def test_a_refused_connection_sent_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert ask(f"http://127.0.0.1:{port}") == NotSent(Reason.REFUSED)


def test_a_host_that_does_not_exist_sent_nothing() -> None:
    outcome = ask("https://streamt.invalid")
    assert isinstance(outcome, NotSent)
    assert outcome.reason in {Reason.UNRESOLVED, Reason.TIMED_OUT}


def test_an_earlier_deadline_counts() -> None:
    with server(silent) as running:
        client = HttpClient(address=parse_address(running.url), timeout_s=600)
        assert client.send("GET", "x", deadline=Deadline.after(SHORT_S)) == Unknown(Reason.TIMED_OUT)


def test_after_the_deadline_nothing_is_sent() -> None:
    with server() as running:
        client = HttpClient(address=parse_address(running.url))
        assert client.send("GET", "x", deadline=Deadline.after(0)) == NotSent(Reason.TIMED_OUT)
    assert running.requests == []


def test_no_thread_is_left_behind() -> None:
    with server(silent) as running:
        ask(running.url, timeout_s=SHORT_S)
    assert "streamt-http" not in [thread.name for thread in threading.enumerate()]


def test_where_no_thread_starts_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with server() as running:
        monkeypatch.setattr(threading.Thread, "start", refuse)
        outcome = ask(running.url)
        monkeypatch.undo()
    assert outcome == NotSent(Reason.FAILED)


def test_ipv6_works() -> None:
    with server(address="::1") as running:
        ask(f"http://[::1]:{running.port}")
    assert running.requests[0].headers["host"] == f"[::1]:{running.port}"


def test_localhost_falls_back_to_the_address_that_answers() -> None:
    with server() as running:
        assert isinstance(ask(f"http://localhost:{running.port}"), Answered)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[trustme.CA, Path]:
    ca = trustme.CA()
    path = tmp_path_factory.mktemp("ca") / "ca.pem"
    ca.cert_pem.write_to_path(str(path))
    return ca, path


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_tls_with_an_authority_of_ones_own_works(authority: tuple[trustme.CA, Path], name: str) -> None:
    ca, path = authority
    with server(say(HELLO), tls=tls_for(ca, name)) as running:
        outcome = ask(f"https://{name}:{running.port}", ca_file=path)
    assert isinstance(outcome, Answered)
    assert outcome.status == 200


def test_ssl_cert_file_is_trusted(authority: tuple[trustme.CA, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    ca, path = authority
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    with server(tls=tls_for(ca, "127.0.0.1")) as running:
        assert isinstance(ask(f"https://127.0.0.1:{running.port}"), Answered)


@contextmanager
def certificates(authority: tuple[trustme.CA, Path], kind: str) -> Iterator[tuple[ssl.SSLContext, str]]:
    ca, _ = authority
    match kind:
        case "unknown authority":
            yield tls_for(trustme.CA(), "127.0.0.1"), "127.0.0.1"
        case "other name":
            yield tls_for(ca, "other.example"), "127.0.0.1"
        case "address, not name":
            yield tls_for(ca, "127.0.0.1"), "localhost"
        case "expired":
            yield tls_for(ca, "127.0.0.1", datetime.now(UTC) - timedelta(1)), "127.0.0.1"
        case _:
            old = tls_for(ca, "127.0.0.1")
            old.maximum_version = ssl.TLSVersion.TLSv1_1
            yield old, "127.0.0.1"


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("unknown authority", Reason.CERTIFICATE_UNTRUSTED),
        ("other name", Reason.CERTIFICATE_OF_OTHER_HOST),
        ("address, not name", Reason.CERTIFICATE_OF_OTHER_HOST),
        ("expired", Reason.CERTIFICATE_EXPIRED),
    ],
)
def test_a_certificate_that_does_not_fit_sends_nothing(
    authority: tuple[trustme.CA, Path], kind: str, reason: Reason
) -> None:
    with certificates(authority, kind) as (context, host), server(tls=context) as running:
        assert ask(f"https://{host}:{running.port}", ca_file=authority[1]) == NotSent(reason)
    assert running.requests == []


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated")
def test_an_old_tls_sends_nothing(authority: tuple[trustme.CA, Path]) -> None:
    with certificates(authority, "old") as (context, host), server(tls=context) as running:
        outcome = ask(f"https://{host}:{running.port}", ca_file=authority[1])
    assert isinstance(outcome, NotSent)
    assert running.requests == []


def test_a_slow_handshake_sends_nothing() -> None:
    with server(silent, reads=False) as running:
        outcome = ask(f"https://127.0.0.1:{running.port}", timeout_s=SHORT_S)
    assert isinstance(outcome, NotSent)


@pytest.mark.parametrize("kind", ["missing", "empty", "text", "folder", "pipe"])
@pytest.mark.parametrize("named_by", ["setting", "SSL_CERT_FILE"])
def test_a_useless_certificate_file_is_found_before_anything_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, named_by: str
) -> None:
    path = tmp_path / "ca.pem"
    match kind:
        case "empty":
            path.touch()
        case "text":
            path.write_text("no certificate")
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
    if named_by == "SSL_CERT_FILE":
        monkeypatch.setenv(named_by, str(path))
    with pytest.raises(CertificateFileError) as caught:
        HttpClient(address=parse_address("https://h"), ca_file=None if named_by == "SSL_CERT_FILE" else path)
    assert (caught.value.path, caught.value.variable) == (path, named_by if named_by == "SSL_CERT_FILE" else None)


def test_the_keys_of_a_session_are_written_nowhere(
    authority: tuple[trustme.CA, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ca, path = authority
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    with server(tls=tls_for(ca, "127.0.0.1")) as running:
        assert isinstance(ask(f"https://127.0.0.1:{running.port}", ca_file=path), Answered)
    assert not (tmp_path / "keys").exists()


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
def test_a_proxy_in_the_environment_is_not_used(
    authority: tuple[trustme.CA, Path], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    ca, path = authority
    with server() as proxy, server() as plain, server(tls=tls_for(ca, "127.0.0.1")) as secure:
        monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        ask(plain.url)
        ask(f"https://127.0.0.1:{secure.port}", ca_file=path)
    assert (proxy.connections, len(plain.requests), len(secure.requests)) == (0, 1, 1)


INTERRUPTED = """
import os, signal, sys, threading
from streamt.net import HttpClient, parse_address
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    HttpClient(address=parse_address(sys.argv[1]), timeout_s=60).send("GET", "x")
except KeyboardInterrupt:
    sys.exit(42)
"""


def test_an_interrupt_is_not_held_back() -> None:
    with server(silent) as running:
        process = subprocess.run([sys.executable, "-c", INTERRUPTED, running.url], check=False, timeout=50)
    assert process.returncode == 42


def test_the_face_is_small_and_light() -> None:
    heavy = {"urllib3", "httpx", "requests", "yaml", "pydantic"}
    code = f"import sys, streamt.net; sys.exit(len({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
