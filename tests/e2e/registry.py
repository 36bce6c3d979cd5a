"""A small real HTTP server that speaks the few endpoints of a schema registry that reading needs.

It misbehaves where a test asks it to, as no real one would.
"""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

LOGIN = "Basic " + base64.b64encode(b"reader:R3G-SECRET").decode()


@dataclass
class Registry:
    """Schemas by number, the numbers of subjects' versions, what was asked for, and how to misbehave."""

    url: str = ""
    schemas: dict[int, dict[str, Any]] = field(default_factory=dict)
    subjects: dict[tuple[str, int], int] = field(default_factory=dict)
    status: int = 200
    answer: Callable[[BaseHTTPRequestHandler], None] | None = None
    asked: list[str] = field(default_factory=list)

    def add(self, kind: str, schema: object, **more: object) -> int:
        """Register a schema; give its number."""
        number = len(self.schemas) + 1
        self.schemas[number] = {"schemaType": kind, "schema": json.dumps(schema), **more}
        return number


@contextmanager
def running_registry() -> Iterator[Registry]:
    """Start a registry that asks for a login."""
    registry = Registry()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            registry.asked.append(self.path)
            if registry.answer is not None:
                self.close_connection = True
                registry.answer(self)
                return
            status, body = self._answer()
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _answer(self) -> tuple[int, dict[str, Any]]:
            if registry.status != 200:
                return registry.status, {"error_code": 50001, "message": "SECRET of the server"}
            if self.headers["Authorization"] != LOGIN:
                return 401, {"error_code": 40101, "message": "SECRET of the server"}
            schema = registry.schemas.get(self._number())
            return (200, schema) if schema else (404, {"error_code": 40403, "message": "Schema not found"})

        def _number(self) -> int:
            match self.path.split("/")[1:]:
                case ["schemas", "ids", number]:
                    return int(number)
                case ["subjects", subject, "versions", version]:
                    return registry.subjects.get((subject, int(version)), 0)
            return 0

        def log_message(self, *_arguments: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    registry.url = f"http://127.0.0.1:{server.server_port}"
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield registry
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
