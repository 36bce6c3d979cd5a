"""A catalog that serves its page on loopback, and ways to fill it."""

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ADDRESS = re.compile(r"served at (http://\S+)")
PRODUCER = "https://example.com/producer/1.0"
KAFKA = "kafka://broker.example.com:9092"
WAREHOUSE = "postgres://warehouse.example.com:5432"


@dataclass(frozen=True, slots=True)
class CatalogServer:
    """A running catalog.

    Attributes:
        url: its address.
        token: its first admin's token.
    """

    url: str
    token: str

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """Send a request to the API, as the admin, and return the answer."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/api/v1/{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def datastore(self, system: str, host: str, port: int, **place: str) -> int:
        """Make a connection with one datastore, and return the datastore's number."""
        connection = {"name": f"{system} {host}", "type": system, "host": host, "port": port}
        number = self.ask("POST", "connections", connection)["id"]
        made = self.ask("POST", "datastores", {"connection": number, "name": f"{system} {host}", **place})
        return int(made["id"])

    def register(self, datastore: int, containers: Sequence[Mapping[str, Any]]) -> list[int]:
        """Register containers, and return their numbers."""
        answer = self.ask("POST", f"datastores/{datastore}/containers", {"containers": list(containers)})
        return [int(number) for number in answer["containers"]]


@contextmanager
def serving(folder: Path, environ: Mapping[str, str]) -> Iterator[CatalogServer]:
    """Serve a new catalog whose data is in `folder`."""
    command = [sys.executable, "-m", "streamt", "catalog", "serve", "--port", "0", "--rate", "0"]
    with subprocess.Popen(
        command, env={**environ, "XDG_DATA_HOME": str(folder)}, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield CatalogServer(_address(process), (folder / "streamt" / "catalog-admin-token").read_text().strip())
        finally:
            process.terminate()


def _address(process: "subprocess.Popen[str]") -> str:
    said = []
    assert process.stderr is not None
    for line in process.stderr:
        said.append(line)
        if found := _ADDRESS.search(line):
            return found[1]
    raise AssertionError("".join(said))


def job_event(
    job: str, inputs: Sequence[tuple[str, str]], outputs: Sequence[Mapping[str, Any]], at: str = "2026-01-05T08:00:00Z"
) -> dict[str, Any]:
    """Return a JobEvent; inputs are pairs of namespace and name, outputs whole datasets."""
    return {
        "eventTime": at,
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent",
        "job": {"namespace": "shop", "name": job},
        "inputs": [{"namespace": namespace, "name": name} for namespace, name in inputs],
        "outputs": list(outputs),
    }


def facet(**content: Any) -> dict[str, Any]:
    """Return a facet with what every facet has."""
    return {"_producer": PRODUCER, "_schemaURL": "https://example.com/facet.json", **content}
