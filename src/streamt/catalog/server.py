"""Run the application under uvicorn: one process, or several on one PostgreSQL."""

import gc
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamt.catalog.http import Settings, create_app
from streamt.catalog.service import Catalog
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError

if TYPE_CHECKING:
    from fastapi import FastAPI

_STORE, _RATE, _TLS = "STREAMT_CATALOG_SERVE_STORE", "STREAMT_CATALOG_SERVE_RATE", "STREAMT_CATALOG_SERVE_TLS"
_BACKLOG = 2048
_IDLE_SECONDS = 30
_SHUTDOWN_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Listening:
    """Where a server listens, and how.

    Attributes:
        host: an address or a host name.
        port: a port; 0 for any that is free.
        workers: how many processes.
        tls_cert: a file with a certificate chain.
        tls_key: a file with its key.
    """

    host: str = "127.0.0.1"
    port: int = 8091
    workers: int = 1
    tls_cert: Path | None = None
    tls_key: Path | None = None


def run(url: str, listening: Listening, settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve until told to stop.

    Args:
        url: the store.
        listening: where.
        settings: how.
        ready: is told the address once it is bound.

    Raises:
        StreamtError: E571, when the address cannot be bound; E570 for the store.
    """
    import uvicorn

    bound = _bind(listening)
    scheme = "https" if listening.tls_cert else "http"
    host = f"[{listening.host}]" if ":" in listening.host else listening.host
    options: dict[str, Any] = {
        "log_level": "warning",
        "server_header": False,
        "timeout_keep_alive": _IDLE_SECONDS,
        "timeout_graceful_shutdown": _SHUTDOWN_SECONDS,
        "ssl_certfile": listening.tls_cert,
        "ssl_keyfile": listening.tls_key,
        "workers": listening.workers,
        "proxy_headers": False,
    }
    address = f"{scheme}://{host}:{bound.getsockname()[1]}"
    if listening.workers == 1:
        app = create_app(Catalog.open(url), settings)
        collect_rarely()
        ready(address)
        uvicorn.Server(uvicorn.Config(app, **options)).run(sockets=[bound])
        return
    os.environ |= {_STORE: url, _RATE: str(settings.rate), _TLS: "1" if settings.behind_tls else ""}
    from uvicorn.supervisors import Multiprocess

    config = uvicorn.Config("streamt.catalog.server:worker", factory=True, **options)
    ready(address)
    Multiprocess(config, sockets=[bound]).run()


def worker() -> "FastAPI":
    """Make the application of one of several processes, from what the first one was told."""
    settings = Settings(rate=float(os.environ[_RATE]), behind_tls=bool(os.environ[_TLS]))
    app = create_app(Catalog.open(os.environ[_STORE]), settings)
    collect_rarely()
    return app


def collect_rarely() -> None:
    """Let the collector of cycles look at young objects mostly, and never at those of the program itself.

    A server remembers what it knows of jobs in some millions of objects, none of which is part of a cycle; looking at
    all of them took a quarter of an event's time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 200)


def _bind(listening: Listening) -> socket.socket:
    try:
        return socket.create_server(
            (listening.host, listening.port),
            family=socket.AF_INET6 if ":" in listening.host else socket.AF_INET,
            backlog=_BACKLOG,
        )
    except OSError as error:
        message = f"`{listening.host}` port {listening.port} cannot be used: {error.strerror or error}"
        raise StreamtError(
            Diagnostic(
                code=Code.CATALOG_REFUSED, message=message, location=Option("port"), hint="give --port 0 or another"
            )
        ) from error
