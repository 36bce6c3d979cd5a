"""Continuous tests, against a small real HTTP server that answers as Flink's REST API does.

Flink itself needs a JVM and a distribution that no package registry has; the one answer that is read is small, and
taken from its documentation.
"""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from streamt.testing import continuous
from streamt.testing.continuous import continuous_job_name
from streamt.testing.results import Status, TestResult
from streamt.testing.runner import run_tests
from streamt.testing.selection import select_tests
from tests.testing.projects import load

JOB = continuous_job_name("shop", "runs / always")
Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def flink(answer: Answer) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        def log_message(self, *_arguments: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def reply(body: bytes, status: int = 200, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def overview(*jobs: dict[str, Any]) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        assert handler.path == "/jobs/overview"
        reply(json.dumps({"jobs": jobs}).encode())(handler)

    return answer


def run(folder: Path, clusters: str, more: str = "") -> TestResult:
    text = f"""\
runtime: {{flink: {{clusters: {clusters}}}}}
sources: [{{name: orders, topic: orders}}]
tests: [{{name: runs / always, source: orders, type: continuous{more}}}]
"""
    project, compiled = load(folder, text)
    (result,) = run_tests(project, compiled, select_tests(project.document))
    return result


def test_the_jobs_name_says_project_and_test() -> None:
    assert JOB == "streamt/shop/tests/runs%20%2F%20always"


@pytest.mark.parametrize(
    ("jobs", "status", "words"),
    [
        ([{"name": JOB, "state": "RUNNING", "start-time": 1}], Status.PASSED, "is RUNNING"),
        ([{"name": JOB, "state": "FAILED", "start-time": 1}], Status.FAILED, "is FAILED, not RUNNING"),
        ([{"name": JOB, "state": "<b>"}], Status.FAILED, "is in an unknown state, not RUNNING"),
        ([], Status.FAILED, f"Flink has no job `{JOB}`"),
        ([{"name": "other", "state": "RUNNING"}], Status.FAILED, "Flink has no job"),
        (
            [{"name": JOB, "state": "RUNNING", "start-time": 2}, {"name": JOB, "state": "CANCELED", "start-time": 1}],
            Status.PASSED,
            "is RUNNING",
        ),
        (
            [{"name": JOB, "state": "RUNNING", "start-time": 1}, {"name": JOB, "state": "FAILED", "start-time": 2}],
            Status.FAILED,
            "is FAILED",
        ),
    ],
)
def test_the_newest_job_of_the_name_must_be_running(
    tmp_path: Path, jobs: list[dict[str, Any]], status: Status, words: str
) -> None:
    with flink(overview(*jobs)) as url:
        result = run(tmp_path, f"{{one: {{rest_url: {url}/}}}}")
    assert result.status is status
    assert words in result.assertions[0].verdict.message


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (reply(b"", 503), "gives no list of jobs: HTTP status 503"),
        (reply(b"", 302, Location="http://127.0.0.1:1/"), "gives no list of jobs: HTTP status 302"),
        (reply(b"<html>"), "gives no list of jobs: the answer is not JSON"),
        (reply(b'{"errors": ["SECRET"]}'), "no list of jobs"),
        (reply(b"[1]"), "no list of jobs"),
        (reply(b"[" * 100_000), "gives no list of jobs: the answer is not JSON"),
    ],
)
def test_any_other_answer_is_an_error_that_quotes_nothing(tmp_path: Path, answer: Answer, words: str) -> None:
    with flink(answer) as url:
        result = run(tmp_path, f"{{one: {{rest_url: {url}}}}}")
    assert result.status is Status.ERROR
    assert words in result.message
    assert "SECRET" not in result.message


def test_a_server_that_drips_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b" ")
                time.sleep(0.05)
        except OSError:
            pass

    monkeypatch.setattr(continuous, "ANSWER_SECONDS", 0.5)
    with flink(drip) as url:
        result = run(tmp_path, f"{{one: {{rest_url: {url}}}}}")
    assert result.message == "Flink's REST API gives no list of jobs: timed out"


def test_a_cluster_that_is_down_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # bound, but nobody listens
        result = run(tmp_path, f"{{one: {{rest_url: 'http://127.0.0.1:{held.getsockname()[1]}'}}}}")
    assert result.problems[0].message == "Flink's REST API gives no list of jobs: connection refused"
    assert result.problems[0].hint == "check rest_url, and that the cluster is up"


def test_the_login_is_sent_and_never_shown(tmp_path: Path) -> None:
    seen: list[str | None] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        seen.append(handler.headers["Authorization"])
        reply(b"", 401)(handler)

    with flink(answer) as url:
        result = run(tmp_path, f"{{one: {{rest_url: {url}, api_key: KEY1, api_secret: SECRET1}}}}")
    assert seen == ["Basic S0VZMTpTRUNSRVQx"]
    assert "SECRET1" not in repr(result)


@pytest.mark.parametrize(
    ("clusters", "more", "words"),
    [
        ("{}", "", "it is not said which Flink cluster"),
        ("{a: {rest_url: 'http://x'}, b: {rest_url: 'http://y'}}", "", "it is not said which Flink cluster"),
        ("{a: {type: confluent}}", "", "Flink cluster `a` has no rest_url to ask"),
        ("{a: {rest_url: 'ftp://x'}}", "", "rest_url must begin with `https://` or `http://`"),
        ("{a: {rest_url: 'http://[x'}}", "", "rest_url is not an address"),
        ("{a: {rest_url: 'http://me:pw@x'}}", "", "rest_url must not hold a user name or a password"),
    ],
)
def test_what_the_project_does_not_say_is_an_error(tmp_path: Path, clusters: str, more: str, words: str) -> None:
    result = run(tmp_path, clusters, more)
    assert result.status is Status.ERROR
    assert words in result.message
    assert "pw" not in result.message


def test_a_file_without_certificates_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    result = run(tmp_path, "{f: {rest_url: 'https://127.0.0.1:1'}}")
    assert result.message == "the file of SSL_CERT_FILE holds no certificates in PEM"


def test_the_tests_own_cluster_comes_first(tmp_path: Path) -> None:
    with flink(overview({"name": JOB, "state": "RUNNING"})) as url:
        clusters = f"{{a: {{rest_url: 'http://127.0.0.1:1'}}, b: {{rest_url: '{url}'}}}}"
        assert run(tmp_path, clusters, ", flink_cluster: b").status is Status.PASSED
