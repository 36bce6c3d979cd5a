"""The application behind a real socket, and a client that speaks plain HTTP to it."""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import uvicorn

from streamt.catalog.access import ALL_RIGHTS, Caller, Right
from streamt.catalog.http import Settings, create_app
from streamt.catalog.service import Catalog
from streamt.catalog.store import people


@dataclass(frozen=True)
class Answer:
    """What a server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Client:
    """Somebody with a token, or without one."""

    url: str
    token: str | None = None

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json"} if data is not None else {}
        if self.token is not None:
            sent["Authorization"] = f"Bearer {self.token}"
        parts = urlsplit(self.url)
        connection = HTTPConnection(parts.hostname or "", parts.port, timeout=120)
        try:
            connection.request(method, path, data, {**sent, **(headers or {})})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, response.read())
        finally:
            connection.close()

    def get(self, path: str) -> Answer:
        return self.call("GET", path)

    def post(self, path: str, body: Any) -> Answer:
        return self.call("POST", path, body)


def token_for(catalog: Catalog, caller: Caller, rights: frozenset[Right] = ALL_RIGHTS) -> str:
    new = people.NewToken(caller.user, "test", rights)
    return catalog.change(lambda tools: people.make_token(tools.conn, new, tools.now))[1]


@contextmanager
def serving(catalog: Catalog, settings: Settings | None = None) -> Iterator[str]:
    """Serve a catalog on loopback; the catalog is closed afterwards."""
    config = uvicorn.Config(create_app(catalog, settings), port=0, log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + 60
    while not server.started:
        assert time.monotonic() < end
        assert thread.is_alive()
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(60)
