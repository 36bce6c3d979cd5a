"""`python -m benchmarks.artifacts`: what `compile` costs beside `validate`, and how it grows with the project."""

import argparse
import sys
import tempfile
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
    options = parser.parse_args()
    costs: dict[int, dict[str, list[Cost]]] = {}
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            costs[size] = _measure(Path(folder), size, options.rounds)
        for name, found in costs[size].items():
            cost = typical(found)
            print(f"{name:<10}{size:>8,}  {cost.cpu:8.2f}s CPU{cost.wall:8.2f}s wall{cost.peak:6.0f} MiB", flush=True)
    small, large = options.sizes
    compiled = costs[large]["compile"]
    against, growth = ratio(compiled, costs[large]["validate"]), ratio(compiled, costs[small]["compile"])
    return report(
        [
            Result(f"compile of {large:,}: CPU against validate", against, COMPILE_RATIO),
            Result(f"compile: growth of CPU {small:,} -> {large:,}", growth, GROWTH * large / small / 10),
        ]
    )


def _measure(folder: Path, size: int, rounds: int) -> dict[str, list[Cost]]:
    project = folder / "project"
    write_project(project, size, files=min(size, 1_000), is_deployable=True)
    where = ("--project-dir", str(project))
    tasks = {
        "validate": partial(process, *STREAMT, "validate", *where),
        "compile": partial(process, *STREAMT, "compile", "--output-dir", str(folder / "out"), *where),
    }
    return interleaved(tasks, rounds)


if __name__ == "__main__":
    sys.exit(main())
