"""Runs the program many times, each time in a process of its own that begins with everything loaded.

A line of JSON on stdin is one run: its arguments, variables and folder. A line of JSON on stdout is its end: the
status, and what it said.
"""

import gc
import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import streamt.cli.commands
from streamt.cli.app import app, run
from streamt.deploy.artifact import ResourceKind
from streamt.workspace.deployment import Deployment
from tests.deploy.files_provider import make_files

LONGEST_S = 20
"""After so long a command is killed: no refused connection is waited for."""


def prepare(provider: Path) -> None:
    """Load every command, and put folders in the place of Kafka where a project is deployed."""
    import click

    def load(command: click.Command | None) -> None:
        if isinstance(command, click.Group):
            for name in command.list_commands(click.Context(command)):
                load(command.get_command(click.Context(command), name))

    load(app)
    assert streamt.cli.commands.COMMANDS
    Deployment.providers = property(  # type: ignore[assignment,method-assign]  # the seam of these tests
        lambda self: {ResourceKind.TOPIC: make_files(provider).provider(self.desired.secrets)}
    )


def one(job: dict[str, Any]) -> dict[str, Any]:
    """Run one command to its end."""
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        child = os.fork()
        if child == 0:
            for number, file in ((1, stdout), (2, stderr)):
                os.dup2(file.fileno(), number)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            signal.alarm(LONGEST_S)
            os.chdir(job["folder"])
            os.environ.clear()
            os.environ.update(job["environ"])
            status = 70
            try:
                status = run(job["arguments"])
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        for file in (stdout, stderr):
            file.seek(0)
        said = {"stdout": stdout.read().decode("latin-1"), "stderr": stderr.read().decode("latin-1")}
        return {"status": os.waitstatus_to_exitcode(status)} | said


def main() -> None:
    prepare(Path(sys.argv[1]))
    gc.freeze()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(one(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
