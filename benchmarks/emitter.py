"""What the emitter costs: as ratios in one run, so that a busy machine changes both sides.

python -m benchmarks.emitter
"""

import json
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from streamt.diagnostics import Option
from streamt.emitter import DatasetRef, Engine, NullEmitter, Run, Task, TaskState, open_emitter
from streamt.emitter.config import LineageConfig
from streamt.emitter.providers.dbt import Invocation, read_results, where_of
from streamt.emitter.providers.dbt_manifest import read_manifest
from streamt.emitter.queued import QueuedEmitter, line_of
from streamt.openlineage.conformance import violations
from streamt.openlineage.validation import Checker

ENGINE = Engine("bench", "1.0")
LOCATION = Option("lineage")
RUN = Run(job="etl", run_id="r", logical_start=datetime(2026, 1, 1, tzinfo=UTC))
TABLE = DatasetRef.of("postgres", host="h", database="d", schema="s", table="t")
TASK = Task(run=RUN, name="load", inputs=(TABLE,), outputs=(TABLE,))


def main() -> int:
    """Measure everything, print it, and report whether every bound held.

    Returns:
        0 if it did.
    """
    results = [no_ops(), *(calls(name) for name in ENDPOINTS), memory(), wrapper(), dbt()]
    for _, line in results:
        print(line)
    return 0 if all(good for good, _ in results) else 1


def no_ops() -> tuple[bool, str]:
    """Compare 1,000,000 transitions of the emitter that does nothing with calls of an empty function."""
    emitter = NullEmitter()

    def empty(_task: Task, _from: TaskState | None, _to: TaskState) -> None:
        return

    def timed(call: Callable[[Task, TaskState | None, TaskState], None]) -> float:
        begin = time.perf_counter()
        for _ in range(1_000_000):
            call(TASK, TaskState.QUEUED, TaskState.RUNNING)
        return (time.perf_counter() - begin) * 1000  # ns a call

    more = min(timed(emitter.task_changed) - timed(empty) for _ in range(3))
    return more < 60, f"off: a no-op transition costs {more:.0f} ns more than an empty call (bound: 60)"


def refused(_listener: socket.socket) -> None:
    """Close at once."""


def hung(listener: socket.socket) -> None:
    """Take the connection and say nothing."""
    held.append(listener.accept()[0])


def flooded(listener: socket.socket) -> None:
    """Answer without end."""
    connection, _ = listener.accept()
    held.append(connection)
    try:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            connection.sendall(b"X: " + b"x" * 10_000 + b"\r\n")
    except OSError:
        return


held: list[socket.socket] = []
ENDPOINTS = {"hangs": hung, "refuses": refused, "floods": flooded}


@contextmanager
def endpoint(name: str) -> Iterator[str]:
    """Serve one of the bad catalogs."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/lineage"
        if name == "refuses":
            listener.close()
            yield url
            return

        def serve() -> None:
            while True:
                try:
                    ENDPOINTS[name](listener)
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        yield url
        listener.shutdown(socket.SHUT_RDWR)


def calls(name: str) -> tuple[bool, str]:
    """Measure 100,000 transitions while the catalog is bad, and hold the counters against their sum."""
    with endpoint(name) as url:
        block = {"enabled": True, "url": url, "timeout": 1, "namespace": f"bench-{name}"}
        emitter = open_emitter(ENGINE, block=block, environ={})
        assert isinstance(emitter, QueuedEmitter)
        took = []
        for _ in range(100_000):
            begin = time.perf_counter_ns()
            emitter.task_changed(TASK, TaskState.QUEUED, TaskState.RUNNING)
            took.append(time.perf_counter_ns() - begin)
        emitter.close(0.5)
        counters = emitter.counters
    p99 = statistics.quantiles(took, n=100)[98] / 1000
    exact = counters.emitted + counters.failed + counters.dropped == counters.told == 100_000
    return p99 < 50 and exact, (
        f"on, the catalog {name}: p99 of a call {p99:.1f} us (bound: 50), median"
        f" {statistics.median(took) / 1000:.1f} us;"
        f" {counters.emitted} emitted + {counters.failed} failed + {counters.dropped} dropped ="
        f" {counters.told} told{'' if exact else ' (WRONG)'}"
    )


def memory() -> tuple[bool, str]:
    """Measure what 100,000 transitions hold at most while the catalog hangs: as much as a full queue, and no more."""
    with endpoint("hangs") as url:
        block = {"enabled": True, "url": url, "timeout": 1, "namespace": "bench-memory"}
        emitter = open_emitter(ENGINE, block=block, environ={})
        for _ in range(1_000):
            emitter.task_changed(TASK, TaskState.QUEUED, TaskState.RUNNING)
        tracemalloc.start()
        for number in range(100_000):
            task = Task(run=RUN, name=f"load-{number}", inputs=(TABLE,), outputs=(TABLE,))
            emitter.task_changed(task, TaskState.QUEUED, TaskState.RUNNING)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        emitter.close(0)
    return peak < 5_000_000, f"on, 100,000 transitions: {peak / 1e6:.1f} MB at most beyond a full queue (bound: 5)"


def wrapper() -> tuple[bool, str]:
    """Compare `streamt run -- true` with `true`, by processor time, without the drain."""
    run = [sys.executable, "-m", "streamt", "run", "--job", "bench", "--drain", "0", "--", "true"]
    plain = {"PATH": "/usr/bin:/bin"}

    def used(command: list[str], **environment: str) -> tuple[float, float]:
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, check=True, env=plain | environment, stderr=subprocess.DEVNULL)
        after, took = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begin
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000, took * 1000

    with tempfile.TemporaryDirectory() as folder:
        wrapped = [used(run, STREAMT_LINEAGE_PATH=f"{folder}/events.jsonl") for _ in range(7)]
        bare = [used(["/usr/bin/env", "true"]) for _ in range(7)]
    processor, wall = (min(each[kind] for each in wrapped) - min(each[kind] for each in bare) for kind in (0, 1))
    return processor < 150, (
        f"streamt run -- true: {processor:.0f} ms of processor time over the bare command (bound: 150), {wall:.0f} ms"
        " by the clock"
    )


def dbt() -> tuple[bool, str]:
    """Compare events of a manifest of 5,000 nodes with reading its JSON and one pass of raw validation."""
    with tempfile.TemporaryDirectory() as folder:
        manifest, results = project(Path(folder), 5000)

        def made() -> list[bytes]:
            config = LineageConfig(namespace="bench")
            read = read_manifest(manifest)
            where = where_of(read, None, DatasetRef.of("postgres", host="h"), print)
            invocation = Invocation(RUN, read, where)
            checker = Checker(bare_references=False)
            lines = []
            for told in invocation.told(read_results(results), print):
                line = line_of(told, config, ENGINE)
                checker.check(line, LOCATION)
                lines.append(line)
            return lines

        lines, ours = timed(made)
        _, reading = timed(lambda: json.loads(manifest.read_bytes()))
        some = lines[:: len(lines) // 200]  # a pass over all of them takes minutes
        _, validating = timed(lambda: [violations(json.loads(line)) for line in some])
        floor = reading + validating * len(lines) / len(some)
    ratio = ours / floor
    return ratio < 2, (
        f"dbt, 5,000 nodes: {len(lines)} events made and checked in {ours:.1f} s, {ratio:.2f} x reading"
        f" its JSON and one raw validation pass ({floor:.1f} s; bound: 2)"
    )


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what `work` gives, and the seconds that it took."""
    begin = time.perf_counter()
    return work(), time.perf_counter() - begin


def project(folder: Path, nodes: int) -> tuple[Path, Path]:
    """Write the artifacts of a made project: a chain of models with columns."""
    columns = {f"c{number}": {"name": f"c{number}", "data_type": "int"} for number in range(10)}
    models = {
        f"model.shop.m{number}": {
            "resource_type": "model",
            "relation_name": f'"d"."s"."m{number}"',
            "depends_on": {"nodes": [f"model.shop.m{before}" for before in range(max(0, number - 3), number)]},
            "columns": columns,
            "config": {"materialized": "table"},
            "raw_code": "select * from x\n" * 20,
        }
        for number in range(nodes)
    }
    metadata = {"adapter_type": "postgres", "dbt_version": "1.11.0", "generated_at": "2026-01-01T00:00:00Z"}
    timing = [{"started_at": "2026-01-01T00:00:00Z", "completed_at": "2026-01-01T00:00:01Z"}]
    done = [{"unique_id": name, "status": "success", "timing": timing} for name in models]
    manifest, results = folder / "manifest.json", folder / "run_results.json"
    manifest.write_text(json.dumps({"metadata": metadata, "nodes": models, "sources": {}}))
    results.write_text(json.dumps({"metadata": metadata, "results": done, "args": {"which": "run"}}))
    return manifest, results


if __name__ == "__main__":
    sys.exit(main())
