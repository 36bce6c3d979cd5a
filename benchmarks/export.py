"""`python -m benchmarks.export`: what the static export costs, beside the validation that it cannot do without.

Every measurement runs in a process of its own, so that its peak memory is its own. The reference is one pass of
`jsonschema.Draft202012Validator` over the same events: the core schema once for each, each facet's schema once.
"""

import argparse
import gc
import json
import resource
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.projects import write_project

SIZES = (100, 1_000, 10_000)
SMALL_FILES = 1_000
PHASES = ("load", "compile", "map", "validate", "write")
LIMITS = {"export / reference": 1.6, "growth 1,000 -> 10,000": 11.0, "peak MiB at 10,000": 600.0}


def main() -> None:
    """Measure every size in both layouts and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        task, folder = arguments.child
        print(json.dumps({"export": measure_export, "reference": measure_reference}[task](Path(folder))))
        return
    for files in (1, SMALL_FILES):
        print(f"\n{'one big file' if files == 1 else f'up to {files:,} small files'}")
        report([measure(size, files) for size in arguments.sizes])
    print("\nAim: " + ", ".join(f"{name} <= {limit:g}" for name, limit in LIMITS.items()))
    startup()


def measure(size: int, files: int) -> dict[str, Any]:
    """Measure one project: twice export and reference, turn by turn, and the faster of each (the other met noise)."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_project(folder, size, files=files)
        rounds = [(child("export", folder), child("reference", folder)) for _ in range(2)]
    exported = min((pair[0] for pair in rounds), key=lambda one: one["total"])
    reference = min(pair[1]["total"] for pair in rounds)
    return {"size": size, "reference": reference, **exported}


def child(task: str, folder: Path) -> dict[str, Any]:
    """Run one measurement in its own process."""
    command = [sys.executable, "-m", "benchmarks.export", "--child", task, str(folder)]
    result: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return result


def measure_export(folder: Path) -> dict[str, Any]:
    """Export the project in `folder` as the command does, step by step; seconds, events, peak memory in MiB."""
    from streamt.compiler import compile_project, compile_time
    from streamt.files import atomic_replace
    from streamt.openlineage.identity import Namespaces
    from streamt.openlineage.static import identify_datasets, map_events
    from streamt.openlineage.validation import Checker
    from streamt.project import load_project

    gc.disable()  # as the program does
    seconds = dict.fromkeys(PHASES, 0.0)
    start = time.perf_counter()
    project = load_project(folder, None, {})
    seconds["load"], mark = time.perf_counter() - start, time.perf_counter()
    compiled = compile_project(project, compiled_at=compile_time({}))
    seconds["compile"], mark = time.perf_counter() - mark, time.perf_counter()
    namespaces = Namespaces("bench", "kafka://kafka.example.com:9092")
    checker = Checker()
    lines = []
    for mapped in map_events(compiled, namespaces, identify_datasets(compiled, namespaces)):
        line = mapped.event.to_json()
        seconds["map"], mark = seconds["map"] + time.perf_counter() - mark, time.perf_counter()
        checker.check_static(line, mapped.node.location)
        seconds["validate"], mark = seconds["validate"] + time.perf_counter() - mark, time.perf_counter()
        lines.append(line + b"\n")
    atomic_replace(folder / "events.jsonl", lines)
    seconds["write"] = time.perf_counter() - mark
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"total": time.perf_counter() - start, "events": len(lines), "peak": peak, **seconds}


def measure_reference(folder: Path) -> dict[str, Any]:
    """Validate the exported events with nothing but jsonschema: the core once, each facet once."""
    import jsonschema
    from referencing import Registry, Resource

    gc.disable()  # neither side pays for collections

    schemas = Path(__file__).parent.parent / "schemas"
    documents = [json.loads(path.read_bytes()) for path in sorted(schemas.glob("openlineage-*/*.json"))]
    registry: Registry[Any] = Registry().with_resources(
        (document["$id"], Resource.from_contents(document)) for document in documents
    )
    formats = jsonschema.FormatChecker(formats=("date-time", "uri", "uuid"))

    def validator(schema: Any) -> jsonschema.Draft202012Validator:
        return jsonschema.Draft202012Validator(schema, registry=registry, format_checker=formats)

    core = validator(next(document for document in documents if "oneOf" in document))
    facets = {
        f"{document['$id']}#/$defs/{name}": validator({"$ref": f"{document['$id']}#/$defs/{name}"})
        for document in documents
        for name in document["$defs"]
    }
    events = [json.loads(line) for line in (folder / "events.jsonl").read_bytes().splitlines()]
    start = time.perf_counter()
    for event in events:
        core.validate(event)
        for facet in (event.get("dataset") or event["job"])["facets"].values():
            facets[facet["_schemaURL"]].validate(facet)
    return {"total": time.perf_counter() - start}


def report(rows: list[dict[str, Any]]) -> None:
    """Print one line a size, then how each phase grows from one size to the next."""
    print(
        f"{'models':>8} {'events':>7} "
        + " ".join(f"{phase:>9}" for phase in PHASES)
        + "     total  events/s  peak MiB  / reference"
    )
    for row in rows:
        phases = " ".join(f"{row[phase]:8.2f}s" for phase in PHASES)
        print(
            f"{row['size']:>8,} {row['events']:>7,} {phases} {row['total']:8.2f}s {row['events'] / row['total']:9,.0f}"
            f" {row['peak']:9.0f} {row['total'] / row['reference']:11.2f}x"
        )
    for small, large in pairwise(rows):
        growth = " ".join(f"{large[phase] / max(small[phase], 1e-9):8.1f}x" for phase in PHASES)
        print(f"  growth {small['size']:,} -> {large['size']:,}: {growth} {large['total'] / small['total']:8.1f}x")


def startup() -> None:
    """Compare the export of examples/payments with importing the libraries that it cannot do without."""
    imports = [sys.executable, "-c", "import click, pydantic, jsonschema, yaml, jinja2, sqlglot"]
    export = [
        sys.executable,
        "-m",
        "streamt",
        "docs",
        "openlineage",
        "-p",
        "examples/payments",
        "--job-namespace",
        "bench",
    ]
    best = {"imports": 9e9, "export": 9e9}
    for _ in range(10):
        for name, command in (("imports", imports), ("export", export)):
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            best[name] = min(best[name], time.perf_counter() - start)
    print(
        f"\nexamples/payments: {best['export']:.2f}s, the bare imports {best['imports']:.2f}s:"
        f" {best['export'] / best['imports']:.2f}x (aim <= 1.5)"
    )


if __name__ == "__main__":
    main()
