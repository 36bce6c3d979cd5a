"""Projects whose topics are on a real broker, and the program run on them."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from streamt.testing.results import TestResult
from streamt.testing.runner import run_tests
from streamt.testing.selection import select_tests
from tests.builder import write_project
from tests.cli.program import clean_environment
from tests.testing.projects import load

# A shell starts its background jobs, and so what these start, deaf to SIGINT.
PROGRAM = """\
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from streamt.cli.app import run
sys.exit(run(sys.argv[1:]))
"""


def project_text(address: str, topics: dict[str, str], tests: str, runtime: str = "") -> str:
    """Write a project with one source for each topic, by logical name."""
    sources = "".join(f"  - {{name: {name}, topic: {topic}}}\n" for name, topic in topics.items())
    kafka = f"kafka: {{bootstrap_servers: '{address}'}}"
    return f"runtime: {{{kafka}{runtime}}}\nsources:\n{sources}tests:\n{tests}"


def sample(name: str, assertions: str, more: str = "") -> str:
    """Write a sample test of the source `orders`; `assertions` and `more` are flow YAML."""
    return f"  - {{name: {name}, source: orders, type: sample, assertions: [{assertions}]{more}}}\n"


def run_one(folder: Path, text: str) -> TestResult:
    """Run the one test of a project, in this process."""
    project, compiled = load(folder, text)
    (result,) = run_tests(project, compiled, select_tests(project.document))
    return result


def write(folder: Path, text: str) -> Path:
    """Write a project for the program."""
    return write_project(folder, text)


@contextmanager
def started(*arguments: str | Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start the program; it ends with the block at the latest."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        env=clean_environment(**environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something holds, and fail if it never does."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "what was waited for never came"
        time.sleep(0.02)


def wait_for(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Give a process time to get to its work."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        time.sleep(0.02)
