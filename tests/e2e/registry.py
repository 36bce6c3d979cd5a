"""A small real HTTP server that speaks the few endpoints of a schema registry that reading needs.

Confluent's registry is a Java service that no package registry has; its client, its deserializers and its wire format
are the real ones here.
"""

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

LOGIN = "Basic " + base64.b64encode(b"reader:R3G-SECRET").decode()


@dataclass
class Registry:
    """Schemas by number, what was asked for, and how long each byte of an answer takes."""

    url: str = ""
    schemas: dict[int, dict[str, Any]] = field(default_factory=dict)
    status: int = 200
    drip_seconds: float = 0.0
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
            status, body = self._answer()
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if registry.drip_seconds:
                self._drip(data)
            else:
                self.wfile.write(data)

        def _drip(self, data: bytes) -> None:
            for byte in data:
                try:
                    self.wfile.write(bytes([byte]))
                except OSError:  # whoever asked has gone
                    return
                time.sleep(registry.drip_seconds)

        def _answer(self) -> tuple[int, dict[str, Any]]:
            if registry.status != 200:
                return registry.status, {"error_code": 50001, "message": "SECRET of the server"}
            if self.headers["Authorization"] != LOGIN:
                return 401, {"error_code": 40101, "message": "SECRET of the server"}
            number = self.path.partition("/schemas/ids/")[2].partition("?")[0]
            schema = registry.schemas.get(int(number)) if number.isdigit() else None
            return (200, schema) if schema else (404, {"error_code": 40403, "message": "Schema not found"})

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
