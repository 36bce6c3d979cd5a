"""One list of what the servers outside saw, in the order in which it reached them, with what was on disk by then."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.deploy.scenarios.program import Project, is_change
from tests.stack.proxy import Passed


@dataclass(frozen=True)
class Moment:
    """Something arrived outside.

    Attributes:
        who: `broker`, `registry` or `backend`, which takes events.
        what: the request, or the event's type.
        journal: the records of the newest operation that were on disk.
        serial: that of the state on disk.
        is_open: whether an operation was open.
    """

    who: str
    what: str
    journal: tuple[str, ...]
    serial: int | None
    is_open: bool


@dataclass
class Timeline:
    """What arrived, in order; reading is left out.

    Attributes:
        project: whose disk is looked at.
        moments: what arrived.
        events: the events, as the backend read them.
        on_event: called with each event's type, before it is answered.
        answer: the status with which the backend answers.
    """

    project: Project
    moments: list[Moment] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    on_event: Callable[[str], None] = lambda _: None
    answer: int = 201
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, who: str, what: str) -> None:
        """Take down that something arrived now."""
        with self._lock:
            folder = self.project.folder / ".streamt"
            is_open = any(folder.rglob("*.open.jsonl"))
            self.moments.append(Moment(who, what, tuple(self.project.journal()), self.project.serial(), is_open))

    def broker(self, passed: Passed) -> None:
        """Take down a request to the broker that changes something."""
        if is_change(passed):
            self.take("broker", passed.what)

    def registry(self, passed: Passed) -> None:
        """Take down a request to the registry that changes something."""
        if changes_a_subject(passed):
            self.take("registry", passed.what)

    @property
    def order(self) -> list[str]:
        """What arrived, without what was on disk."""
        return [f"{each.who} {each.what.partition(' ')[0]}" for each in self.moments]

    @property
    def types(self) -> list[str]:
        """The types of the events that arrived."""
        return [each["eventType"] for each in self.events]


def changes_a_subject(passed: Passed) -> bool:
    """Report whether a request changes a registry: a text is also looked up, and held against others, by POST."""
    method, _, path = passed.what.partition(" ")
    return method in ("PUT", "DELETE") or (method == "POST" and path.partition("?")[0].endswith("/versions"))


@contextmanager
def timeline(project: Project) -> Iterator[Timeline]:
    """Yield what arrives at the broker and at a backend of events, which the project's variables name."""
    line = Timeline(project)

    class Backend(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            line.events.append(event)
            line.take("backend", event["eventType"])
            line.on_event(event["eventType"])
            self.send_response(line.answer)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Backend)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    project.proxy.on_request = line.broker
    project.variables |= {
        "OPENLINEAGE__TRANSPORT__TYPE": "http",
        "OPENLINEAGE__TRANSPORT__URL": f"http://127.0.0.1:{server.server_address[1]}",
        "OPENLINEAGE__TRANSPORT__ENDPOINT": "api/v1/lineage",
    }
    try:
        yield line
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
