"""What users take from the repository: the action's scripts and the hook do what they say."""

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from streamt.yaml import read_yaml
from tests.cli.program import clean_environment

ROOT = Path(__file__).parent.parent
ACTION: dict[str, Any] = read_yaml((ROOT / "action.yml").read_bytes(), "action.yml").data
HOOKS: list[dict[str, Any]] = read_yaml((ROOT / ".pre-commit-hooks.yaml").read_bytes(), "hooks").data
STEPS = {step["name"]: step["run"] for step in ACTION["runs"]["steps"] if "run" in step}


def run(script: str, cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[bytes]:
    environ = clean_environment(**variables)
    path = f"{Path(sys.executable).parent}:{environ['PATH']}"
    return subprocess.run(["bash", "-e", "-c", script], cwd=cwd, env=environ | {"PATH": path}, capture_output=True)  # noqa: PLW1510


@pytest.mark.parametrize(("environment", "lines"), [("", 2), ("dev", 1)])
def test_the_action_checks_one_environment_or_all(environment: str, lines: int) -> None:
    done = run(STEPS["Check the project"], PROJECT="examples/ecommerce", ENVIRONMENT=environment)
    assert (done.returncode, done.stdout.count(b"all well")) == (0, lines)


def test_the_action_exports_to_the_file(tmp_path: Path) -> None:
    done = run(
        STEPS["Export its events"],
        PROJECT="examples/ecommerce",
        ENVIRONMENT="dev",
        NAMESPACE="a b; touch hacked",
        FILE=str(tmp_path / "o.jsonl"),
    )
    assert (done.returncode, (ROOT / "hacked").exists()) == (0, False)
    assert (tmp_path / "o.jsonl").read_bytes().count(b"\n") > 0


def test_no_input_of_the_action_is_a_part_of_a_script() -> None:
    assert not any("${{" in script for script in STEPS.values())


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_a_hook_checks_the_project_it_is_called_in(hook: dict[str, Any]) -> None:
    done = run(shlex.join(shlex.split(hook["entry"])), cwd=ROOT / "examples" / "ecommerce")
    assert (done.returncode, b"all well" in done.stdout) == (0, True)
