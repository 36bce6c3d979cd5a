"""Let a real dbt write its artifacts for the project in examples/dbt-shop, and keep them for the tests.

    python -m tests.emitter.dbt.capture DBT TARGET NAME

DBT is the program of the release whose manifest is wanted, TARGET one of the profile's (`duckdb` builds, the others
parse, which needs no connection), NAME the name of the captured files. What no reader looks at (dbt's own macros and
docs) is left out, and so is the folder in which it ran. dbt 1.3, which wrote v7, needs Python 3.10.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROJECT = HERE.parents[2] / "examples" / "dbt-shop"
CAPTURED = HERE / "captured"

_LEFT_OUT = ("macros", "docs", "selectors", "parent_map", "child_map", "group_map")


def copy_project(folder: Path) -> Path:
    """Copy the project to `folder`, so that nothing is written beside the original."""
    shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns("target", "logs", "*.duckdb", "__pycache__"))
    return folder


def run_dbt(program: str, folder: Path, *arguments: str) -> int:
    """Run dbt in `folder` and return its exit status."""
    environment = {**os.environ, "DBT_PROFILES_DIR": str(folder), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}
    return subprocess.run([program, *arguments], cwd=folder, env=environment, check=False).returncode


def capture(program: str, target: str, name: str) -> None:
    """Keep the artifacts of one dbt and one target."""
    with tempfile.TemporaryDirectory() as place:
        folder = copy_project(Path(place) / "shop")
        if target == "duckdb":
            run_dbt(program, folder, "build", "--target", target)
        elif run_dbt(program, folder, "parse", "--target", target) or not (folder / "target/manifest.json").exists():
            run_dbt(program, folder, "ls", "--target", target)
        _keep(folder, "manifest.json", f"{name}.manifest.json")
        _keep(folder, "run_results.json", f"{name}.run_results.json")


def _keep(folder: Path, artifact: str, name: str) -> None:
    file = folder / "target" / artifact
    if not file.exists():
        return
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8").replace(str(folder), "/project"))
    for key in _LEFT_OUT:
        if key in content:
            content[key] = {}
    content["metadata"] |= {key: None for key in ("user_id", "project_id") if key in content["metadata"]}
    (CAPTURED / name).write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    capture(*sys.argv[1:])
