"""Runs the commands of deploying as a user does, on a project in a folder and the files provider beside it."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.cli.program import Ended, clean_environment
from tests.deploy.files_provider import Files, make_files

ROOT = Path(__file__).parents[2]
PROJECT = """\
apiVersion: streamt.dev/v1alpha1
project: {name: shop}
SOURCES_AND_MODELS
exposures:
  - name: board
    type: dashboard
    owner: finance
    consumes: [{ref: paid}]
    consumer_group: board-group
"""
MODELS = """\
sources:
  - {name: orders, topic: orders.v1, owner: web, columns: [{name: id, type: STRING}]}
models:
  - name: paid
    owner: payments
    tags: [core]
    columns: [{name: id, type: STRING}]
    topic: {name: paid.v1, partitions: 3, config: {retention.ms: 1000}}
  - name: sent
    columns: [{name: id, type: STRING}]
    topic: {name: sent.v1}
    sql: SELECT * FROM {{ ref("paid") }}
"""
RUNTIME = "runtime:\n  kafka: {bootstrap_servers: 'kafka:9092'}\n"
PROTECTED = "environment: {protected: true}\n" + RUNTIME


@dataclass
class Commands:
    """A project, its provider, and the program.

    Attributes:
        folder: the project's.
        files: the provider.
        variables: of the program's environment.
    """

    folder: Path
    files: Files
    variables: dict[str, str] = field(default_factory=dict)

    def write(self, models: str = MODELS, **environments: str) -> None:
        """Write the project: in one file, or with environments."""
        root = PROJECT.replace("SOURCES_AND_MODELS", models + ("" if environments else RUNTIME))
        (self.folder / "stream_project.yml").write_text(root)
        for name, content in environments.items():
            (self.folder / "environments").mkdir(exist_ok=True)
            (self.folder / f"environments/{name}.yml").write_text(content)

    def start(self, *arguments: str, **options: Any) -> "subprocess.Popen[bytes]":
        """Start the program."""
        environment = clean_environment(
            STREAMT_TEST_FILES=str(self.files.folder), PYTHONPATH=str(ROOT), **self.variables
        )
        command = [sys.executable, "-m", "tests.deploy.cli_child", *arguments]
        return subprocess.Popen(
            command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
        )

    def run(self, *arguments: str) -> Ended:
        """Run the program to its end."""
        with self.start(*arguments, stdin=subprocess.DEVNULL) as process:
            stdout, stderr = process.communicate(timeout=300)
        return Ended(process.returncode, stdout, stderr.decode())

    def json(self, *arguments: str) -> Ended:
        """Run the program for its envelope."""
        return self.run("--output", "json", *arguments)

    @property
    def journals(self) -> list[list[dict[str, Any]]]:
        """Return the records of each operation, the oldest first."""
        found = sorted(self.folder.rglob("*.jsonl"), key=lambda each: each.stat().st_mtime_ns)
        lines = (each.read_text().splitlines() for each in found if ".operations" in str(each))
        return [[json.loads(line) for line in each] for each in lines]


def make_commands(folder: Path) -> Commands:
    project = folder / "project"
    project.mkdir()
    commands = Commands(project, make_files(folder / "provider"))
    commands.write()
    return commands


def stable(text: str) -> str:
    """Return output with what changes from run to run replaced: ids, times, places."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID", text)
    text = re.sub(r"sha256:[0-9a-f]{64}", "DIGEST", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+Z)?", "TIME", text)
    return re.sub(r"`?\w+`? of process \d+ on \S+", "HOLDER", text).replace(os.uname().nodename, "HOST")
