"""`python -m benchmarks.startup`: what starting costs, beside importing the libraries that cannot be done without."""

import argparse
import sys
from functools import partial

from benchmarks.bounds import Result, report
from benchmarks.measure import STREAMT, interleaved, process, ratio

ROUNDS = 15
IMPORTS = "import click, pydantic, jsonschema, yaml, jinja2, sqlglot"
EXPORT = ("docs", "openlineage", "--project-dir", "examples/payments", "--job-namespace", "bench")
EXPORT_RATIO, CLICK_RATIO = 1.45, 1.2


def main() -> int:
    """Measure an export of an example, `--version` and `--help`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    tasks = {
        "imports": partial(process, sys.executable, "-c", IMPORTS),
        "export": partial(process, *STREAMT, *EXPORT),
        "click": partial(process, sys.executable, "-c", "import click"),
        "--version": partial(process, *STREAMT, "--version"),
        "--help": partial(process, *STREAMT, "--help"),
    }
    costs = interleaved(tasks, parser.parse_args().rounds)
    exported = ratio(costs["export"], costs["imports"])
    results = [Result("export of examples/payments: CPU against the bare imports", exported, EXPORT_RATIO)]
    results += [
        Result(f"{option}: CPU against importing click", ratio(costs[option], costs["click"]), CLICK_RATIO)
        for option in ("--version", "--help")
    ]
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
