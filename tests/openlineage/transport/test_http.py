"""Real requests to real servers: what arrives, what counts as delivered, and when we stop waiting."""

import logging
import os
import socket
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
import trustme

from streamt.diagnostics import StreamtError
from streamt.openlineage.identity import Identity
from streamt.openlineage.runs import CommandRun, Outcome, start_event, terminal_event
from streamt.openlineage.transport import DeliveryError, open_transport, transport_from_environ
from tests.net import servers
from tests.net.servers import deaf, drip, hold, huge, reset_after, say, server, silent, status, tls_for
from tests.openlineage.transport.official import event_in

PREFIX = "OPENLINEAGE__TRANSPORT__"
TIMEOUT_S = 0.3
SECRET = "k3y-of-the-backend"
RUN = CommandRun(uuid4(), Identity("prod", "streamt/p/commands/test"), "TEST", (Identity("kafka://b:9092", "t"),))
EVENT = bytes(start_event(RUN, datetime.now(UTC)).to_json())


def send(url: str, event: bytes = EVENT, *, retries: int = 0, **settings: str) -> None:
    """Deliver `event` as a command would, all settings given as variables."""
    certificates = {key: settings.pop(key) for key in list(settings) if key.startswith("SSL_")}
    given = {
        "type": "http",
        "url": url,
        "endpoint": "api/v1/lineage",
        "timeout": str(TIMEOUT_S),
        "retry__total": str(retries),
        **settings,
    }
    variables = {PREFIX + key.upper(): value for key, value in given.items()} | certificates
    transport = open_transport(transport_from_environ(variables))
    try:
        transport.emit(event)
    finally:
        transport.close()


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[trustme.CA, str]:
    ca = trustme.CA()
    path = tmp_path_factory.mktemp("ca") / "ca.pem"
    ca.cert_pem.write_to_path(str(path))
    return ca, str(path)


def test_the_event_arrives_byte_for_byte() -> None:
    with server() as backend:
        send(backend.url)
    assert [request.body for request in backend.requests] == [EVENT]


def test_it_is_posted_to_the_endpoint() -> None:
    with server() as backend:
        send(backend.url + "/base/", endpoint="api/v2/lineage")
    assert backend.requests[0].line == "POST /base/api/v2/lineage HTTP/1.1"


def test_the_endpoint_is_below_the_root_when_the_url_has_no_path() -> None:
    with server() as backend:
        send(backend.url)
    assert backend.requests[0].line == "POST /api/v1/lineage HTTP/1.1"


def test_the_headers_are_these_and_no_others() -> None:
    with server() as backend:
        send(backend.url, auth__type="api_key", auth__api_key=SECRET)
    headers = backend.requests[0].headers
    agent = headers.pop("user-agent")
    assert agent.startswith("streamt/")
    assert headers == {
        "host": f"127.0.0.1:{backend.port}",
        "accept-encoding": "identity",
        "content-length": str(len(EVENT)),
        "content-type": "application/json",
        "authorization": f"Bearer {SECRET}",
    }


@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("outcome", [None, *Outcome])
def test_what_arrived_is_an_event_by_the_schemas_and_by_the_official_classes(
    outcome: Outcome | None, compressed: bool
) -> None:
    now = datetime.now(UTC)
    event = start_event(RUN, now) if outcome is None else terminal_event(RUN, outcome, now, "2 tests failed")
    with server() as backend:
        if compressed:
            send(backend.url, bytes(event.to_json()), compression="gzip")
        else:
            send(backend.url, bytes(event.to_json()))
    assert event_in(backend.requests[0])["eventType"] == (outcome.value if outcome else "START")


def test_gzip_is_named_and_smaller() -> None:
    with server() as backend:
        send(backend.url, compression="gzip")
    request = backend.requests[0]
    assert (request.headers["content-encoding"], len(request.body) < len(EVENT)) == ("gzip", True)


@pytest.mark.parametrize("code", [200, 201, 202, 204, 299])
def test_any_2xx_is_success(code: int) -> None:
    with server(status(code)) as backend:
        send(backend.url)
    assert len(backend.requests) == 1


@pytest.mark.parametrize("code", [400, 401, 403, 404, 409, 413, 422])
def test_another_4xx_is_a_failure_and_not_tried_again(code: int) -> None:
    with server(status(code)) as backend, pytest.raises(DeliveryError, match=rf"^HTTP {code}$"):
        send(backend.url, retries=1)
    assert len(backend.requests) == 1


@pytest.mark.parametrize("first", [status(500), status(503, "Retry-After: 9"), status(429), reset_after(b"")])
def test_what_may_pass_is_tried_again(first: servers.Answer) -> None:
    with server(first, say(servers.CREATED)) as backend:
        send(backend.url, retries=1)
    assert [request.body for request in backend.requests] == [EVENT, EVENT]


def test_there_is_no_second_retry() -> None:
    with server(status(500)) as backend, pytest.raises(DeliveryError, match=r"^HTTP 500$"):
        send(backend.url, retries=1)
    assert len(backend.requests) == 2


def test_no_retry_is_made_when_none_is_allowed() -> None:
    with server(status(500)) as backend, pytest.raises(DeliveryError, match=r"^HTTP 500$"):
        send(backend.url, retries=0)
    assert len(backend.requests) == 1


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(code: int) -> None:
    with (
        server() as other,
        server(status(code, f"Location: {other.url}/api/v1/lineage")) as backend,
        pytest.raises(DeliveryError, match=rf"^HTTP {code}; redirects are not followed$"),
    ):
        send(backend.url, retries=1, auth__type="api_key", auth__api_key=SECRET)
    assert (len(backend.requests), other.connections) == (1, 0)


SLOW = {
    "nothing": silent,
    "status line": drip(b"HTTP/1.1 20"),
    "continue": say(b"HTTP/1.1 100 Continue\r\n\r\n"),
}


@pytest.mark.parametrize("answer", SLOW.values(), ids=SLOW.keys())
def test_a_slow_answer_is_cut_off_by_the_wall_clock(answer: servers.Answer) -> None:
    with server(hold(answer)) as backend, pytest.raises(DeliveryError, match=r"^timed out after 0\.3 s$"):
        send(backend.url, retries=1)
    assert len(backend.requests) == 1


def test_a_slow_tls_handshake_is_cut_off() -> None:
    with server(silent, reads=False) as backend, pytest.raises(DeliveryError, match=r"^timed out"):
        send(f"https://127.0.0.1:{backend.port}")


def test_a_slow_answer_over_tls_is_cut_off(authority: tuple[trustme.CA, str]) -> None:
    ca, path = authority
    slow = hold(SLOW["status line"])
    with server(slow, tls=tls_for(ca, "127.0.0.1")) as backend, pytest.raises(DeliveryError, match=r"^timed out"):
        send(f"https://127.0.0.1:{backend.port}", SSL_CERT_FILE=path)


def test_a_server_that_reads_nothing_is_cut_off() -> None:
    with server(deaf, reads=False) as backend, pytest.raises(DeliveryError, match=r"^timed out"):
        send(backend.url, b"x" * 50_000_000)


def test_no_thread_is_left_behind() -> None:
    with server(hold(SLOW["status line"])) as backend, pytest.raises(DeliveryError):
        send(backend.url)
    assert "streamt-http" not in [thread.name for thread in threading.enumerate()]


AFTER_THE_STATUS = {
    "slow headers": hold(drip(b"HTTP/1.1 200 OK\r\nX: ")),
    "slow body": hold(drip(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")),
    "slow chunks": hold(drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n400\r\n")),
    "reset": reset_after(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf"),
    "short": say(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf"),
    "broken chunk": say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
}


@pytest.mark.parametrize("answer", AFTER_THE_STATUS.values(), ids=AFTER_THE_STATUS)
def test_the_final_status_line_decides_whatever_comes_after_it(answer: servers.Answer) -> None:
    with server(answer) as backend:
        send(backend.url, retries=1)
    assert len(backend.requests) == 1


def test_interim_answers_are_skipped() -> None:
    early = b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"
    with server(say(early + servers.CREATED)) as backend:
        send(backend.url, retries=1)
    assert len(backend.requests) == 1


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH_9\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\x00" * 70_000 + b"\r\n"])
def test_an_answer_that_is_not_http_is_a_failure(answer: bytes) -> None:
    with server(say(answer)) as backend, pytest.raises(DeliveryError, match=r"^the answer is not HTTP$"):
        send(backend.url)


def test_413_before_the_body_was_read_is_still_413() -> None:
    def early(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1_000_000):
            pass

    with server(early, reads=False) as backend, pytest.raises(DeliveryError, match=r"^HTTP 413$"):
        send(backend.url, b"x" * 5_000_000)


def test_a_huge_answer_is_not_downloaded() -> None:
    sent: list[int] = []
    with server(huge(sent)) as backend:
        send(backend.url)
    assert sum(sent) < 20_000_000  # what the kernel's buffers took


def test_an_unknown_port_is_a_refused_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(DeliveryError, match=r"^connection refused$"):
        send(f"http://127.0.0.1:{port}", retries=1)


def test_a_host_that_does_not_exist_is_said_to_be_unknown() -> None:
    with pytest.raises(DeliveryError, match=r"^(the host name could not be resolved|timed out after 5 s)$"):
        send("https://streamt.invalid", timeout="5")


def test_ipv6_loopback_works() -> None:
    with server(address="::1") as backend:
        send(f"http://[::1]:{backend.port}")
    assert backend.requests[0].headers["host"] == f"[::1]:{backend.port}"


def test_localhost_falls_back_to_the_address_that_answers() -> None:
    with server() as backend:
        send(f"http://localhost:{backend.port}")
    assert len(backend.requests) == 1


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_https_with_an_own_authority_works(authority: tuple[trustme.CA, str], name: str) -> None:
    ca, path = authority
    with server(tls=tls_for(ca, name)) as backend:
        send(f"https://{name}:{backend.port}", SSL_CERT_FILE=path, auth__type="api_key", auth__api_key=SECRET)
    assert backend.requests[0].headers["authorization"] == f"Bearer {SECRET}"


def test_an_unknown_authority_is_not_trusted() -> None:
    with (
        server(tls=tls_for(trustme.CA(), "127.0.0.1")) as backend,
        pytest.raises(DeliveryError, match=r"^the server's certificate is not trusted$"),
    ):
        send(f"https://127.0.0.1:{backend.port}", retries=1)
    assert (backend.connections, backend.requests) == (1, [])


@pytest.mark.parametrize(("name", "host"), [("other.example", "127.0.0.1"), ("127.0.0.1", "localhost")])
def test_a_certificate_for_another_host_is_refused(authority: tuple[trustme.CA, str], name: str, host: str) -> None:
    ca, path = authority
    with (
        server(tls=tls_for(ca, name)) as backend,
        pytest.raises(DeliveryError, match=r"^the server's certificate is for another host$"),
    ):
        send(f"https://{host}:{backend.port}", SSL_CERT_FILE=path)
    assert backend.requests == []


def test_an_expired_certificate_is_refused(authority: tuple[trustme.CA, str]) -> None:
    ca, path = authority
    context = tls_for(ca, "127.0.0.1", datetime.now(UTC) - timedelta(1))
    with server(tls=context) as backend, pytest.raises(DeliveryError, match=r"certificate has expired$"):
        send(f"https://127.0.0.1:{backend.port}", SSL_CERT_FILE=path)


def test_tls_to_a_server_without_it_fails() -> None:
    with server(status(200), reads=False) as backend, pytest.raises(DeliveryError, match=r"timed out|TLS|broke off"):
        send(f"https://127.0.0.1:{backend.port}")


@pytest.mark.parametrize("content", [None, b"", b"no certificate"], ids=["missing", "empty", "text"])
def test_a_useless_ssl_cert_file_is_found_before_anything_is_sent(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StreamtError) as error:
        send("https://127.0.0.1:1", SSL_CERT_FILE=str(path))
    assert [problem.location for problem in error.value.placed()] == ["SSL_CERT_FILE"]


@pytest.fixture
def home_with_netrc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password s3cret\ndefault login a password b\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))


@pytest.mark.usefixtures("home_with_netrc")
def test_netrc_is_not_read() -> None:
    with server() as backend:
        send(backend.url)
    assert "authorization" not in backend.requests[0].headers


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
def test_a_proxy_in_the_environment_is_not_used(
    authority: tuple[trustme.CA, str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    ca, path = authority
    with server() as proxy, server() as plain, server(tls=tls_for(ca, "127.0.0.1")) as secure:
        monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        send(plain.url)
        send(f"https://127.0.0.1:{secure.port}", SSL_CERT_FILE=path)
    assert (proxy.connections, len(plain.requests), len(secure.requests)) == (0, 1, 1)


LOUD = f"HTTP/1.1 200 {SECRET}\r\n{SECRET}\r\nSet-Cookie: {SECRET}\r\nContent-Length: 4\r\n\r\n{SECRET}".encode()
LOUD_500 = LOUD.replace(b"200", b"500")


@pytest.mark.parametrize("answer", [LOUD, LOUD_500], ids=["200", "500"])
def test_nothing_of_an_answer_is_printed_or_logged(
    answer: bytes, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said = ""
    with server(say(answer)) as backend:
        try:
            send(backend.url, auth__type="api_key", auth__api_key=SECRET)
        except DeliveryError as error:
            said = f"{error} {error!r} {error.__cause__} {error.__context__}"
    assert SECRET not in said + caplog.text + "".join(capfd.readouterr())


INTERRUPTED = """
import os, signal, sys, threading, time
from streamt.openlineage.transport import open_transport, transport_from_environ
transport = open_transport(transport_from_environ(os.environ))
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    transport.emit(b"{}")
except KeyboardInterrupt:
    sys.exit(42 if time.monotonic() - start < 2 else 43)
"""


def test_an_interrupt_while_delivering_is_not_held_back() -> None:
    with server(silent) as backend:
        variables = {PREFIX + "TYPE": "http", PREFIX + "URL": backend.url, PREFIX + "TIMEOUT": "5"}
        variables[PREFIX + "ENDPOINT"] = "api/v1/lineage"
        process = subprocess.run([sys.executable, "-c", INTERRUPTED], env=os.environ | variables, check=False)
    assert process.returncode == 42


def test_the_face_does_not_load_what_only_one_transport_needs() -> None:
    code = "import sys, streamt.openlineage.transport; sys.exit(bool({'urllib3', 'yaml', 'gzip'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
