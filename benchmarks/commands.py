"""`python -m benchmarks.commands`: what the commands cost that read a project, and how that grows with its size.

The project is written in one big file and in 1,000 small ones. The reference of the export is one pass of
`jsonschema.Draft202012Validator` over the same events: the core schema once for each, each facet's schema once. All of
it in CPU time, in interleaved rounds; see `benchmarks.measure`.
"""

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.bounds import Result, report
from benchmarks.measure import ROUNDS, STREAMT, Cost, interleaved, process, ratio, typical
from benchmarks.projects import write_project
from benchmarks.reference import distinct_shapes, reference

SIZES = (1_000, 10_000)
LAYOUTS = {"one file": 1, "1,000 files": 1_000}
EXPORT_RATIO, GROWTH, PEAK_MIB = 0.35, 11.0, 300.0
HEAD = f"{'command':<14}{'models':>8}  {'layout':<12}{'CPU':>9}{'wall':>9}{'peak':>10}{'/ reference':>13}{'growth':>9}"


def main() -> int:
    """Measure every command in both layouts at both sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs=2, default=SIZES, metavar=("SMALL", "LARGE"))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    costs: dict[int, dict[str, list[Cost]]] = {}
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            costs[size] = _measure(Path(folder), size, options.rounds)
    small, large = options.sizes
    _print(costs, small, large)
    return report(_results(costs, small, large))


def _measure(folder: Path, size: int, rounds: int) -> dict[str, list[Cost]]:
    """Measure one project, in both layouts."""
    tasks = {}
    for layout, files in LAYOUTS.items():
        project = folder / layout.replace(" ", "-")
        write_project(project, size, files=files)
        for command, arguments in _commands(folder / "events.jsonl").items():
            tasks[f"{command}|{layout}"] = partial(process, *STREAMT, *arguments, "--project-dir", str(project))
    tasks["reference|"] = partial(reference, folder / "events.jsonl")
    costs = interleaved(tasks, rounds)
    shapes, events = distinct_shapes(folder / "events.jsonl")
    print(f"{size:,} models: {events:,} events of {shapes} shapes", flush=True)
    return costs


def _commands(target: Path) -> dict[str, tuple[str, ...]]:
    export = ("docs", "openlineage", "--job-namespace", "bench", "--output-file", str(target))
    return {"export": export, "validate": ("validate",), "lineage": ("lineage",), "list": ("list",)}


def _print(costs: dict[int, dict[str, list[Cost]]], small: int, large: int) -> None:
    print("", HEAD, sep="\n")
    for size, measured in costs.items():
        references = measured["reference|"]
        for name, found in measured.items():
            command, layout = name.split("|")
            cost = typical(found)
            against = f"{ratio(found, references):12.2f}x" if command == "export" else ""
            growth = f"{ratio(found, costs[small][name]):8.1f}x" if size == large else ""
            figures = f"{cost.cpu:8.2f}s{cost.wall:8.2f}s" + (f"{cost.peak:6.0f} MiB" if cost.peak else " " * 10)
            print(f"{command:<14}{size:>8,}  {layout:<12}{figures}{against:>13}{growth:>9}")
    print()


def _results(costs: dict[int, dict[str, list[Cost]]], small: int, large: int) -> list[Result]:
    results = []
    for layout in LAYOUTS:
        exports = costs[large][f"export|{layout}"]
        against = ratio(exports, costs[large]["reference|"])
        results.append(Result(f"export of {large:,}, {layout}: CPU against one raw pass", against, EXPORT_RATIO))
        results.append(Result(f"export of {large:,}, {layout}: peak", typical(exports).peak, PEAK_MIB, "MiB"))
        for command in _commands(Path()):
            name = f"{command}|{layout}"
            growth = ratio(costs[large][name], costs[small][name])
            bound = GROWTH * large / small / 10
            results.append(Result(f"{command}, {layout}: growth of CPU {small:,} -> {large:,}", growth, bound))
    return results


if __name__ == "__main__":
    sys.exit(main())
