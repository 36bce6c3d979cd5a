"""Runs the program as a user does, and makes small projects for it."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.builder import ROOT_FILE, write_files

MINIMAL = """\
apiVersion: streamt.dev/v1alpha1
project:
  name: shop
runtime:
  kafka:
    bootstrap_servers: b:9092
sources:
  - name: orders
    topic: orders.v1
    columns:
      - name: id
models:
  - name: paid
    sql: SELECT id FROM {{ source("orders") }} WHERE id > 1
    columns:
      - name: id
"""


@dataclass(frozen=True)
class Ended:
    """What a run of the program left behind."""

    status: int
    stdout: bytes
    stderr: str

    @property
    def envelope(self) -> dict[str, Any]:
        """The one JSON object on stdout."""
        value: dict[str, Any] = json.loads(self.stdout)
        assert self.stdout.count(b"\n") == 1
        return value

    @property
    def events(self) -> list[dict[str, Any]]:
        """The JSON Lines on stdout."""
        return [json.loads(line) for line in self.stdout.splitlines()]

    @property
    def codes(self) -> list[str]:
        """The codes of the envelope's errors."""
        return [error["code"] for error in self.envelope["errors"]]


def clean_environment(**more: str) -> dict[str, str]:
    """Give this process's environment without what would change the program's ways."""
    ours = ("STREAMT_", "OPENLINEAGE", "SOURCE_DATE_EPOCH", "NO_COLOR", "FORCE_COLOR")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    # Nothing is kept for the next test, unless in a folder of the test's own.
    return clean | ({} if "STREAMT_CACHE_DIR" in more else {"STREAMT_NO_CACHE": "1"}) | more


def bare_environment() -> dict[str, str]:
    """Give the same without the counter of coverage, which writes files of its own."""
    return {key: value for key, value in clean_environment().items() if not key.startswith("COVERAGE")}


def streamt(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> Ended:
    """Run the program in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "streamt", *map(str, arguments)],
        cwd=cwd,
        env=clean_environment(**environment),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr.decode())


# Root may read and write anywhere, so where the tests run as root the program gives that power up. By then every
# module must be loaded: the interpreter's own files may be root's alone.
_WITHOUT_ROOT = """\
import os, sys
from streamt.cli.app import run
out, sys.stdout = sys.stdout, open(os.devnull, "w")
run(["docs", "openlineage", "-p", sys.argv[1], "--job-namespace", "j"])
sys.stdout = out
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
sys.exit(run(sys.argv[2:]))
"""


def without_root(*arguments: str | Path) -> Ended:
    """Run the program as somebody whom the permissions of files bind."""
    with tempfile.TemporaryDirectory() as name:
        warm_up = write_project(Path(name))
        done = subprocess.run(
            [sys.executable, "-c", _WITHOUT_ROOT, warm_up, *map(str, arguments)],
            env=bare_environment(),
            capture_output=True,
            timeout=60,
            check=False,
        )
    return Ended(done.returncode, done.stdout, done.stderr.decode())


def write_project(folder: Path, text: str = MINIMAL, **files: str | bytes) -> Path:
    """Write a project; in names of `files`, `__` stands for `/` and the first dot for itself."""
    return write_files(folder, {ROOT_FILE: text} | {name.replace("__", "/"): each for name, each in files.items()})


def export(folder: Path, *more: str | Path, **environment: str) -> Ended:
    """Run the export of the project in `folder` with a job namespace."""
    return streamt("docs", "openlineage", "-p", folder, "--job-namespace", "jobs", *more, cwd=None, **environment)


def export_json(folder: Path, *more: str | Path, **environment: str) -> Ended:
    """Run the export of the project in `folder` with a job namespace, in JSON mode."""
    return streamt(
        "--output",
        "json",
        "docs",
        "openlineage",
        "-p",
        folder,
        "--job-namespace",
        "jobs",
        *more,
        cwd=None,
        **environment,
    )
