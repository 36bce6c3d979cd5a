"""`python -m benchmarks.artifacts`: what `compile` costs beside `validate`, and how it grows with the project.

`compile` writes two or three files for each model, and making a file costs the system more than reading a model costs
`validate`. What it must not do without is therefore `validate` and the bare writing of as many bytes in as many files.
It is measured into a new folder, and again into the folder that it wrote, where only the manifest changes.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.bounds import Result, report
from benchmarks.measure import STREAMT, Cost, interleaved, process, ratio, typical
from benchmarks.projects import write_project

SIZES = (1_000, 10_000)
ROUNDS = 3
COMPILE_RATIO, GROWTH = 1.3, 11.0


def main() -> int:
    """Measure both commands, on projects that can be deployed, at both sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs=2, default=SIZES, metavar=("SMALL", "LARGE"))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--write-as", type=Path, metavar="FOLDER", help="only write files as those of a folder")
    options = parser.parse_args()
    if options.write_as:
        return _write_as(options.write_as)
    costs: dict[int, dict[str, list[Cost]]] = {}
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            costs[size] = _measure(Path(folder), size, options.rounds)
        for name, found in costs[size].items():
            cost = typical(found)
            print(f"{name:<10}{size:>8,}  {cost.cpu:8.2f}s CPU{cost.wall:8.2f}s wall{cost.peak:6.0f} MiB", flush=True)
    small, large = options.sizes
    compiled = costs[large]["compile"]
    needed = [
        Cost(one.cpu + other.cpu, one.wall + other.wall)
        for one, other in zip(costs[large]["validate"], costs[large]["files"], strict=True)
    ]
    for name in ("compile", "again"):
        print(f"{name} of {large:,}: {ratio(costs[large][name], costs[large]['validate']):.2f} x validate alone")
    against, growth = ratio(compiled, needed), ratio(compiled, costs[small]["compile"])
    return report(
        [
            Result(f"compile of {large:,}: CPU against validate and its files", against, COMPILE_RATIO),
            Result(f"compile: growth of CPU {small:,} -> {large:,}", growth, GROWTH * large / small / 10),
        ]
    )


def _measure(folder: Path, size: int, rounds: int) -> dict[str, list[Cost]]:
    project, out, bare = folder / "project", folder / "out", folder / "bare"
    write_project(project, size, files=min(size, 1_000), is_deployable=True)
    where = ("--project-dir", str(project))
    compiling = partial(process, *STREAMT, "compile", "--output-dir", str(out), *where)
    writing = partial(process, sys.executable, "-m", "benchmarks.artifacts", "--write-as", str(out))
    tasks = {
        "validate": partial(process, *STREAMT, "validate", *where),
        "compile": partial(_without, out, compiling),
        "again": compiling,
        "files": partial(_without, bare, writing),
    }
    return interleaved(tasks, rounds)


def _without(folder: Path, task: Callable[[], Cost]) -> Cost:
    """Run a task after the folder that it writes was removed."""
    shutil.rmtree(folder, ignore_errors=True)
    return task()


def _write_as(folder: Path) -> int:
    """Write files as large as those of a folder, beside it."""
    copy = folder.with_name("bare")
    for place, _, names in os.walk(folder):
        target = copy / Path(place).relative_to(folder)
        target.mkdir()
        for name in names:
            (target / name).write_bytes(bytes((Path(place) / name).stat().st_size))
    return 0


if __name__ == "__main__":
    sys.exit(main())
