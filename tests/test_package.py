"""What is built is what is used: a wheel and an sdist, installed in an empty environment, without a network."""

import hashlib
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.cli.program import clean_environment, write_project

# One worker builds once for all of them.
pytestmark = [pytest.mark.package, pytest.mark.xdist_group("package")]

ROOT = Path(__file__).parent.parent
PINS = tomllib.loads((ROOT / "schemas" / "pins.toml").read_text())

# Runs inside the installed environment, from another folder: opening a socket ends it.
PROGRAM = """\
import sys
def audit(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        raise RuntimeError("network: " + event)
sys.addaudithook(audit)
from streamt.cli.app import run
sys.exit(run(sys.argv[1:]))
"""
DIGESTS = """\
import hashlib, json
from streamt.docs.schemas.pins import PINS
from streamt.openlineage import schemas
assert "site-packages" in schemas.__file__, schemas.__file__
schemas.documents()
print(json.dumps({pin.id: [pin.size, pin.sha256] for pin in PINS}))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Build both distributions of the tracked files, the wheel from the sdist, as an index would get them."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT], check=True, capture_output=True
    )
    return {"wheel": next(out.glob("*.whl")), "sdist": next(out.glob("*.tar.gz"))}


@pytest.fixture(scope="module")
def install(built: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Give what installs one of them, once, in an environment of its own."""

    @cache
    def installing(kind: str) -> Path:
        folder = tmp_path_factory.mktemp(kind)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = folder / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", built[kind]], check=True, capture_output=True)
        return python

    return installing


@pytest.fixture(params=["wheel", "sdist"])
def installed(request: pytest.FixtureRequest, install: Callable[[str], Path]) -> Path:
    """Give the interpreter of an environment with one of them."""
    return install(request.param)


def test_the_wheel_holds_the_package_and_nothing_else(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built["wheel"]) as wheel:
        names = wheel.namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"streamt"}
    assert "streamt/py.typed" in names
    packed = Counter(Path(name).parent.name for name in names if name.endswith(".json.gz.b64"))
    assert packed == {"openlineage-1.53.0": 9, "own": len([*(ROOT / "schemas" / "own").glob("*.json")])}
    assert {Path(name).name for name in names if "/licenses/" in name} == {"LICENSE", "NOTICE"}


def test_the_sdist_holds_the_upstream_bytes(built: dict[str, Path]) -> None:
    with tarfile.open(built["sdist"]) as sdist:
        found = {
            Path(member.name).name: hashlib.sha256(file.read()).hexdigest()
            for member in sdist.getmembers()
            if "/schemas/openlineage-" in member.name and member.name.endswith(".json")
            if (file := sdist.extractfile(member)) is not None
        }
    assert found == {file["name"]: file["sha256"] for file in PINS["file"]}


def test_installed_schemas_are_the_pinned_ones(installed: Path, tmp_path: Path) -> None:
    done = subprocess.run([installed, "-c", DIGESTS], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert all(file["sha256"] in done.stdout and str(file["bytes"]) in done.stdout for file in PINS["file"])


def test_the_installed_program_exports_without_a_network(installed: Path, tmp_path: Path) -> None:
    folder = write_project(tmp_path / "project")
    done = subprocess.run(
        [installed, "-c", PROGRAM, "docs", "openlineage", "-p", folder, "--job-namespace", "j"],
        cwd=tmp_path,
        env=clean_environment(),
        check=True,
        capture_output=True,
    )
    assert (len(done.stdout.splitlines()), done.stderr) == (3, b"")


def test_the_installed_script_says_its_version(installed: Path) -> None:
    done = subprocess.run([installed.parent / "streamt", "--version"], check=True, capture_output=True, text=True)
    assert done.stdout.startswith("streamt ")
    assert os.access(installed.parent / "streamt", os.X_OK)
