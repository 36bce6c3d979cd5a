"""`python -m benchmarks.commands`: what the commands cost that read a project, and how that grows with its size.

The project is written in one big file and in 1,000 small ones. It is read without what earlier runs have kept of it
(cold), with all of that (warm), and with one file changed. The reference of the export is one pass of
`jsonschema.Draft202012Validator` over the same events: the core schema once for each, each facet's schema once. All of
it in CPU time, in interleaved rounds; see `benchmarks.measure`.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from benchmarks.bounds import Result, report
from benchmarks.measure import ROUNDS, STREAMT, Cost, interleaved, process, ratio, typical
from benchmarks.projects import write_project
from benchmarks.reference import distinct_shapes, reference

SIZES = (1_000, 10_000)
LAYOUTS = {"one file": 1, "1,000 files": 1_000}
COLD_RATIO, WARM_RATIO, GROWTH, PEAK_MIB = 0.35, 0.20, 11.0, 300.0
AGAIN_RATIO = 0.5
HEAD = "command       cache         models  layout            CPU     wall      peak  / reference   growth"


@dataclass(frozen=True)
class Run:
    """One command on one project.

    Attributes:
        command: which.
        layout: in how many files the project is.
        cache: what earlier runs left: `cold` nothing, `warm` everything, `changed` all but one file.
    """

    command: str
    layout: str
    cache: str

    def measure(self, folder: Path) -> Cost:
        """Run it on the project below `folder`."""
        project, cache = _project(folder, self.layout), folder / "cache" / self.cache
        if self.cache == "cold":
            shutil.rmtree(cache, ignore_errors=True)
        if self.cache == "changed":
            with next((project / "models").rglob("*.yml")).open("a") as file:
                file.write("# changed\n")
        target = ("--output-file", str(folder / _EVENTS)) if self.command == "export" else ()
        return process(*STREAMT, *_COMMANDS[self.command], "--project-dir", str(project), *target, cache=cache)


_EVENTS = "events.jsonl"
_COMMANDS = {
    "export": ("docs", "openlineage", "--job-namespace", "bench"),
    "validate": ("validate",),
    "lineage": ("lineage",),
    "list": ("list",),
}
COLD = [Run(command, layout, "cold") for layout in LAYOUTS for command in _COMMANDS]
WARM = [Run(command, layout, "warm") for layout in LAYOUTS for command in ("export", "validate")]
CHANGED = [Run(command, "1,000 files", "changed") for command in ("export", "validate")]
Costs = dict[Run | None, list[Cost]]


def main() -> int:
    """Measure every command in both layouts at both sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs=2, default=SIZES, metavar=("SMALL", "LARGE"))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    small, large = options.sizes
    costs = {
        size: _measure(size, runs, options.rounds) for size, runs in ((small, COLD), (large, COLD + WARM + CHANGED))
    }
    _print(costs, small, large)
    return report(_results(costs, small, large))


def _measure(size: int, runs: list[Run], rounds: int) -> Costs:
    """Measure one project, in both layouts; the key None has the reference."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for layout, files in LAYOUTS.items():
            write_project(_project(folder, layout), size, files=files)
        for run in runs:
            if run.cache != "cold":
                run.measure(folder)  # the first run fills the cache
        tasks: dict[Run | None, Callable[[], Cost]] = {run: partial(run.measure, folder) for run in runs}
        tasks[None] = partial(reference, folder / _EVENTS)
        costs = interleaved(tasks, rounds)
        shapes, events = distinct_shapes(folder / _EVENTS)
    print(f"{size:,} models: {events:,} events of {shapes} shapes", flush=True)
    return costs


def _project(folder: Path, layout: str) -> Path:
    return folder / layout.replace(" ", "-")


def _print(costs: dict[int, Costs], small: int, large: int) -> None:
    print("", HEAD, sep="\n")
    for size, measured in costs.items():
        for run, found in measured.items():
            cost = typical(found)
            against = f"{ratio(found, measured[None]):12.2f}x" if run and run.command == "export" else ""
            growth = f"{ratio(found, costs[small][run]):8.1f}x" if size == large and run in costs[small] else ""
            what = run or Run("reference", "", "")
            figures = f"{cost.cpu:8.2f}s{cost.wall:8.2f}s" + (f"{cost.peak:6.0f} MiB" if cost.peak else " " * 10)
            print(f"{what.command:<14}{what.cache:<12}{size:>8,}  {what.layout:<12}{figures}{against:>13}{growth:>9}")
    print()


def _results(costs: dict[int, Costs], small: int, large: int) -> list[Result]:
    found = costs[large]
    results = []
    for run in (*COLD, *WARM):
        if run.command == "export":
            bound = COLD_RATIO if run.cache == "cold" else WARM_RATIO
            what = f"export of {large:,}, {run.layout}, {run.cache}: "
            results.append(Result(f"{what}CPU against one raw pass", ratio(found[run], found[None]), bound))
            results.append(Result(f"{what}peak", typical(found[run]).peak, PEAK_MIB, "MiB"))
    for run in COLD:
        growth = ratio(found[run], costs[small][run])
        bound = GROWTH * large / small / 10
        results.append(Result(f"{run.command}, {run.layout}: growth of CPU {small:,} -> {large:,}", growth, bound))
    for run in (*WARM, *CHANGED):
        if run.command == "validate":
            cold = found[replace(run, cache="cold")]
            what = f"validate of {large:,}, {run.layout}, {run.cache}: CPU against cold"
            results.append(Result(what, ratio(found[run], cold), AGAIN_RATIO))
    return results


if __name__ == "__main__":
    sys.exit(main())
