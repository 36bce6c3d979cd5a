"""`python -m benchmarks.startup`: what starting costs, beside importing the libraries that cannot be done without.

The reference of the export is a process that imports what an export itself imports, streamt's own modules and Python's
left out: click, pydantic, jsonschema, YAML, Jinja and sqlglot, with the parts of them that are loaded late.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from benchmarks.bounds import Result, report
from benchmarks.measure import STREAMT, interleaved, process, ratio

ROUNDS = 15
EXPORT = ("docs", "openlineage", "--project-dir", "examples/payments", "--job-namespace", "bench")
EXPORT_RATIO, CLICK_RATIO = 1.45, 1.2
_IMPORTED = re.compile(r"^import time:\s+\d+ \|\s+\d+ \|\s+(\S+)$", re.MULTILINE)


def main() -> int:
    """Measure an export of an example, `--version` and `--help`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        cache, imports = Path(folder), f"import {', '.join(_libraries())}"
        process(*STREAMT, *EXPORT, cache=cache)
        tasks = {
            "imports": partial(process, sys.executable, "-c", imports),
            "export": partial(process, *STREAMT, *EXPORT),
            "export again": partial(process, *STREAMT, *EXPORT, cache=cache),
            "click": partial(process, sys.executable, "-c", "import click"),
            "--version": partial(process, *STREAMT, "--version"),
            "--help": partial(process, *STREAMT, "--help"),
        }
        costs = interleaved(tasks, rounds)
    results = [
        Result(f"{name} of examples/payments: CPU against its bare imports", found, EXPORT_RATIO)
        for name in ("export", "export again")
        for found in [ratio(costs[name], costs["imports"])]
    ]
    results += [
        Result(f"{option}: CPU against importing click", ratio(costs[option], costs["click"]), CLICK_RATIO)
        for option in ("--version", "--help")
    ]
    return report(results)


def _libraries() -> Sequence[str]:
    """Return the modules of libraries that the export imports, in the order in which it does."""
    environ = os.environ | {"PYTHONPROFILEIMPORTTIME": "1", "STREAMT_NO_CACHE": "1"}
    done = subprocess.run([*STREAMT, *EXPORT], env=environ, capture_output=True, text=True, check=True)
    return [name for name in _IMPORTED.findall(done.stderr) if _is_of_library(name.partition(".")[0])]


def _is_of_library(package: str) -> bool:
    """Report whether a package is neither Python's nor ours, and not one that was only looked for."""
    is_known = package in {"streamt", *sys.stdlib_module_names} or package.startswith("_")
    return not is_known and find_spec(package) is not None


if __name__ == "__main__":
    sys.exit(main())
