"""What a SQL Gateway can answer besides what a healthy one does, from a server of the test process that says it."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from streamt.clusters import ClusterError, FailureKind
from streamt.clusters.flink_sql import Rows, SqlGateway
from streamt.net import HttpClient, parse_address
from tests.stack.net import HOST

Answer = tuple[int, Any]


@contextmanager
def gateway(answer: Callable[[str, str], Answer]) -> Iterator[SqlGateway]:
    """Yield a gateway whose answers `answer` gives, by method and path."""

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, body = answer(self.command, self.path.partition("?")[0])
            content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = _serve  # noqa: N815 # the server's own names

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer((HOST, 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield SqlGateway(HttpClient(address=parse_address(f"http://{HOST}:{server.server_port}")))
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def healthy(method: str, path: str) -> Answer:
    if path == "/api_versions":
        return 200, {"versions": ["V1", "V2"]}
    if path == "/v2/sessions":
        return 200, {"sessionHandle": "S"}
    return (200, {"operationHandle": "O"}) if path.endswith("/statements") else (200, {"status": "FINISHED"})


def test_a_page_that_is_not_ready_is_asked_for_again_and_pages_are_followed() -> None:
    page = "/v2/sessions/S/operations/O/result"
    pages: list[Answer] = [
        (200, {"resultType": "NOT_READY", "nextResultUri": f"{page}/0?rowFormat=JSON"}),
        (
            200,
            {
                "resultType": "PAYLOAD",
                "results": {"columns": [{"name": "a"}], "data": []},
                "nextResultUri": f"{page}/1",
            },
        ),
        (200, {"resultType": "PAYLOAD", "results": {"data": [{"fields": [1]}]}, "nextResultUri": f"{page}/2"}),
        (200, {"resultType": "EOS", "results": {"data": []}}),
    ]
    asked: list[str] = []

    def answer(method: str, path: str) -> Answer:
        if "/result/" not in path:
            return healthy(method, path)
        asked.append(path.rpartition("/")[2])
        return pages[len(asked) - 1]

    with gateway(answer) as running, running.session() as session:
        assert session.run("SELECT 1") == Rows(("a",), ((1,),))
    assert asked == ["0", "0", "1", "2"]


def test_a_gateway_that_is_too_old_is_named() -> None:
    with (
        gateway(lambda *_: (200, {"versions": ["V1"]})) as running,
        pytest.raises(ClusterError, match="older than version 2") as caught,
        running.session(),
    ):
        pass
    assert caught.value.failure.kind is FailureKind.UNSUPPORTED


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, "who are you", FailureKind.LOGIN),
        (403, {}, FailureKind.DENIED),
        (404, {"message": "no"}, FailureKind.ABSENT),
        (400, {}, FailureKind.REFUSED),
        (502, "<html>", FailureKind.UNDECIDED),
        (200, "<html>", FailureKind.UNDECIDED),
        (200, [1], FailureKind.UNDECIDED),
    ],
)
def test_an_answer_of_something_else_is_a_failure_without_its_words(status: int, body: Any, kind: FailureKind) -> None:
    with gateway(lambda *_: (status, body)) as running, pytest.raises(ClusterError) as caught:
        running.flink_version()
    assert caught.value.failure.kind is kind
    assert caught.value.failure.message == f"HTTP status {status}"


def test_an_explanation_without_a_plan_has_no_operators() -> None:
    text = "== Optimized Physical Plan ==\nnothing\n== Physical Execution Plan ==\n{cut"

    def answer(method: str, path: str) -> Answer:
        if "/result/" in path:
            return 200, {"resultType": "EOS", "results": {"columns": [], "data": [{"fields": [text]}]}}
        return healthy(method, path)

    with gateway(answer) as running, running.session() as session:
        found = session.explain("INSERT INTO a SELECT 1")
    assert (found.changelogs, found.nodes) == ((), ())
