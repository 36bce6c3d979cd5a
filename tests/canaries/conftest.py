"""The program with everything loaded, which both kinds of canary run many times."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.program import Ended, clean_environment

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Zygote:
    """Runs the program in processes that begin with everything loaded."""

    process: "subprocess.Popen[bytes]"

    def run(self, arguments: list[str], environ: Mapping[str, str], folder: Path) -> Ended:
        """Run the program to its end."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        environ = clean_environment(**environ)
        job = {"arguments": arguments, "environ": environ, "folder": str(folder)}
        self.process.stdin.write(json.dumps(job).encode() + b"\n")
        self.process.stdin.flush()
        ended = json.loads(self.process.stdout.readline())
        stderr = ended["stderr"].encode("latin-1").decode(errors="replace")
        return Ended(ended["status"], ended["stdout"].encode("latin-1"), stderr)


@pytest.fixture(scope="module")
def zygote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zygote]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.canaries.zygote", str(tmp_path_factory.mktemp("provider"))],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    yield Zygote(process)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.stdout.close()
    assert process.wait(60) == 0
