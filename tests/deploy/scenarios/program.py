"""A project on a real broker behind a proxy, and the program as a user runs it."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streamt.clusters.kafka_admin import KafkaAdmin, Topic
from tests.cli.program import Ended, clean_environment
from tests.stack.proxy import Passed, Proxy, for_real

Unique = Callable[[str], str]
CHANGES = ("CreateTopics", "DeleteTopics", "AlterConfigs", "IncrementalAlterConfigs", "CreatePartitions")
EMIT = ("--emit-openlineage", "--openlineage-job-namespace", "shop-prod")


@dataclass
class Project:
    """A project of two topics on a real broker, and the program.

    Attributes:
        folder: the project's.
        proxy: in front of the broker.
        bootstrap: the broker's own address.
        topics: the physical names of `paid` and `sent`.
        variables: of the program's environment.
        registry: the address of a registry; empty for none.
        state: the address of a PostgreSQL database for the state; empty for files.
    """

    folder: Path
    proxy: Proxy
    bootstrap: str
    topics: tuple[str, str]
    variables: dict[str, str] = field(default_factory=dict)
    registry: str = ""
    state: str = ""

    def write(
        self,
        paid: str = "partitions: 2",
        *,
        name: str = "paid",
        schema: str = "",
        more: str = "",
        protected: bool = False,
    ) -> None:
        """Write the project; `paid` is what that model's topic says besides its name, `schema` what the model says."""
        registry = f", schema_registry: {{url: '{self.registry}'}}" if self.registry else ""
        runtime = f"runtime: {{kafka: {{bootstrap_servers: '{self.proxy.address}'}}{registry}}}\n"
        if self.state:
            self.variables["STATE_URL"] = self.state
            runtime += 'deployment_state: {backend: postgres, url: "${STATE_URL}"}\n'
        (self.folder / "environments").mkdir(exist_ok=True)
        head = "environment: {protected: true}\n" if protected else ""
        (self.folder / "environments/prod.yml").write_text(head + runtime)
        (self.folder / "stream_project.yml").write_text(
            "apiVersion: streamt.dev/v1alpha1\nproject: {name: shop}\nmodels:\n"
            f"  - {{name: {name}, tags: [core], {schema}topic: {{name: {self.topics[0]}, {paid}}}}}\n"
            f"  - {{name: sent, topic: {{name: {self.topics[1]}}}}}\n{more}"
        )

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "streamt", "--output", "json", *arguments],
            cwd=self.folder,
            env=clean_environment(**self.variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str) -> Ended:
        return ended(self.start(*arguments))

    @property
    def admin(self) -> KafkaAdmin:
        return KafkaAdmin({"bootstrap.servers": self.bootstrap})

    @property
    def there(self) -> list[str]:
        """The topics of the project that the broker has, by their own names."""
        names = self.admin.topic_names()
        return [short for short, name in zip(("paid", "sent"), self.topics, strict=True) if name in names]

    @property
    def changes(self) -> list[str]:
        """What the broker was asked to change, as it arrived; asking whether it could is none."""
        return [each.what for each in self.proxy.seen if is_change(each)]

    def journal(self) -> list[str]:
        """Return what the records of the newest operation are."""
        return [each["record"] for each in self.records()]

    def records(self) -> list[dict[str, Any]]:
        """Return the records of the newest operation."""
        found = [each for each in (self.folder / ".streamt").rglob("*.jsonl") if ".operations" in str(each)]
        newest = max(found, key=lambda each: each.stat().st_mtime_ns, default=None)
        return [] if newest is None else [json.loads(line) for line in newest.read_text().splitlines()]

    def serial(self) -> int | None:
        """Return the serial of the state's file; None without one."""
        path = self.folder / ".streamt/state/prod.json"
        return int(json.loads(path.read_text())["serial"]) if path.exists() else None

    def on_disk(self) -> dict[str, bytes]:
        return {str(each): each.read_bytes() for each in self.folder.rglob("*") if each.is_file()}

    def retention(self) -> str | None:
        found = self.admin.describe([self.topics[0]])[self.topics[0]]
        assert isinstance(found, Topic)
        return found.settings["retention.ms"].value


def ended(process: "subprocess.Popen[bytes]") -> Ended:
    stdout, stderr = process.communicate(timeout=240)
    return Ended(process.returncode, stdout, stderr.decode())


def is_change(passed: Passed) -> bool:
    if passed.what not in CHANGES:
        return False
    return passed.what in ("DeleteTopics", "AlterConfigs") or for_real(passed.body)


def types(path: Path) -> list[str]:
    return [json.loads(line)["eventType"] for line in path.read_text().splitlines()] if path.exists() else []
