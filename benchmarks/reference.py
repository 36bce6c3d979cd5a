"""The raw pass that an export is held against, and the shapes of its events; each in a process of its own."""

import gc
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.measure import Cost


def reference(events: Path) -> Cost:
    """Validate exported events with nothing but jsonschema; only that counts, not loading and parsing."""
    cpu, wall = _child("measure_reference", events)
    return Cost(cpu, wall)


def distinct_shapes(events: Path) -> tuple[int, int]:
    """Return how many shapes exported events have, and how many events there are."""
    shapes, count = _child("count_shapes", events)
    return int(shapes), int(count)


def _child(task: str, events: Path) -> tuple[float, float]:
    code = f"from benchmarks.reference import {task}; {task}()"
    done = subprocess.run([sys.executable, "-c", code, str(events)], check=True, stdout=subprocess.PIPE)
    first, second = map(float, done.stdout.split())
    return first, second


def measure_reference() -> None:
    """Print CPU and wall seconds of one pass: the core schema once for each event, each facet's schema once."""
    gc.disable()  # as the program does
    core, facets = _validators()
    events = [json.loads(line) for line in Path(sys.argv[1]).read_bytes().splitlines()]
    cpu, wall = time.process_time(), time.perf_counter()
    for event in events:
        core.validate(event)
        for facet in (event.get("dataset") or event["job"]).get("facets", {}).values():
            facets[facet["_schemaURL"]].validate(facet)
    print(time.process_time() - cpu, time.perf_counter() - wall)


def _validators() -> tuple[Any, dict[str, Any]]:
    import jsonschema
    from referencing import Registry, Resource

    schemas = Path(__file__).parent.parent / "schemas"
    documents = [json.loads(path.read_bytes()) for path in sorted(schemas.glob("openlineage-*/*.json"))]
    registry: Registry[Any] = Registry().with_resources(
        (document["$id"], Resource.from_contents(document)) for document in documents
    )
    formats = jsonschema.FormatChecker(formats=("date-time", "uri", "uuid"))

    def validator(schema: Any) -> Any:
        return jsonschema.Draft202012Validator(schema, registry=registry, format_checker=formats)

    core = validator(next(document for document in documents if "oneOf" in document))
    facets = {
        f"{document['$id']}#/$defs/{name}": validator({"$ref": f"{document['$id']}#/$defs/{name}"})
        for document in documents
        for name in document["$defs"]
    }
    return core, facets


def count_shapes() -> None:
    """Print how many shapes the events have, and how many events there are."""
    from streamt.openlineage.schemas import tables
    from streamt.openlineage.shapes import shaper

    shape = shaper(tables().texts, tables().numbers)
    lines = Path(sys.argv[1]).read_bytes().splitlines()
    print(len({shape(json.loads(line)) for line in lines}), len(lines))
