"""The program, with the files provider in the place of Kafka: run by `tests.deploy.commands`.

`STREAMT_TEST_FILES` names the provider's folder. `STREAMT_TEST_WITNESS` names a file that gets a line at each call: the
call, and how many events and which journal were on disk at that moment. `STREAMT_TEST_MODULES` asks for the names of
our modules that were imported, at the end of stderr.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from streamt.cli.app import run
from streamt.deploy.artifact import ResourceKind
from streamt.deploy.backend import Step, StepResult
from streamt.workspace.deployment import Deployment
from tests.deploy.files_provider import Files, FilesAdapter

EXECUTE = FilesAdapter.execute


def witnessed(self: FilesAdapter, step: Step) -> StepResult:
    """Take down what is on disk when a call arrives."""
    path = os.environ.get("STREAMT_TEST_WITNESS")
    if path:
        events = Path(os.environ["STREAMT_TEST_EVENTS"])
        journals = [each.read_text() for each in Path.cwd().rglob("*.open.jsonl")]
        seen: dict[str, Any] = {
            "call": step.call,
            "events": len(events.read_text().splitlines()) if events.exists() else 0,
            "journal": [json.loads(line)["record"] for text in journals for line in text.splitlines()],
        }
        with Path(path).open("a") as file:
            file.write(json.dumps(seen) + "\n")
    return EXECUTE(self, step)


def main() -> int:
    files = Files(Path(os.environ["STREAMT_TEST_FILES"]))
    Deployment.providers = property(  # type: ignore[assignment,method-assign]  # the seam of these tests
        lambda self: {ResourceKind.TOPIC: files.provider(self.desired.secrets)}
    )
    FilesAdapter.execute = witnessed  # type: ignore[method-assign]  # as above
    status = run(sys.argv[1:])
    if "STREAMT_TEST_MODULES" in os.environ:
        sys.stderr.write("MODULES " + " ".join(sorted(each for each in sys.modules if each.startswith("streamt"))))
    return status


if __name__ == "__main__":
    sys.exit(main())
