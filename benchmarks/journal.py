"""`python -m benchmarks.journal`: what a step of an operation costs, in small states and in large ones.

A step is its intent, its result and what it left, all of them durable. Nothing of it may grow with the number of
resources in state; what does grow, the operation's begin and end, is shown beside it.
"""

import gc
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from benchmarks.bounds import Result, report
from streamt.deploy.artifact import Address, Content, ResourceKind, digest
from streamt.deploy.backend import Applied, Outcome, Step, StepResult, Verb
from streamt.deploy.state import (
    DurableOperation,
    Finished,
    Holder,
    IntendedAction,
    Intention,
    LocalStore,
    PostgresStore,
    StateFiles,
    Store,
    Word,
    state_address,
)
from tests.deploy.postgres_server import postgres_server

SIZES = (100, 10_000)
STEPS = 200
GROWTH = 1.3
"""What noise may add; one that wrote the state at each step would cost many times as much with 10,000 resources."""


def main() -> int:
    """Measure both stores at both sizes, and return 0, or 1 where a step's cost grew."""
    gc.disable()  # as the program does
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "postgres").mkdir()
        server = stack.enter_context(postgres_server(folder / "postgres"))
        results: list[Result] = []
        for kind in ("files", "PostgreSQL"):
            found = []
            for size in SIZES:
                store = make_store(kind, folder, server.make_database(uuid4().hex))
                found.append(measure(store, size))
            show(kind, *found)
            growth = found[1][0] / found[0][0]
            results.append(Result(f"{kind}: growth of one step, {SIZES[0]} -> {SIZES[1]:,}", growth, GROWTH))
        return report(results)


def make_store(kind: str, folder: Path, url: str) -> Store:
    """Return a new, empty store."""
    address = state_address("default", "bench", "prod")
    if kind == "files":
        return LocalStore(StateFiles(folder / uuid4().hex, "prod"), address)
    store = PostgresStore(url, address)
    store.create_tables()
    return store


def show(kind: str, small: tuple[float, float, float], large: tuple[float, float, float]) -> None:
    """Print one store's rows."""
    for what, one, other in zip(("one step", "begin", "end"), small, large, strict=True):
        aim = "   may grow: it writes the state once" if what == "end" else ""
        figures = f"{SIZES[0]:>6} resources {one * 1000:>8.2f} ms   {SIZES[1]:>6} resources {other * 1000:>8.2f} ms"
        print(f"{kind:<11} {what:<9} {figures}   ratio {other / one:>6.2f}{aim}")


def measure(store: Store, size: int) -> tuple[float, float, float]:
    """Return the seconds of a step, of the begin and of the end of an operation on `size` resources.

    Of a step it is the time that three in four exceed: they met noise.
    """
    with store.lock(Holder.here("bench"), 5) as session:
        session.read()
        session.initialize(remember_secrets=False)
        document = session.read().document
        assert document is not None
        session.replace(replace(document, resources=dict(resources(size))))
        snapshot = session.read()
        actions = tuple(IntendedAction(address=each, verb=Verb.UPDATE, name="t", steps=1) for each in addresses(STEPS))
        start = time.perf_counter()
        operation = DurableOperation.begin(session, snapshot, Intention(kind="apply", actor="bench", actions=actions))
        begun = time.perf_counter() - start
        steps = [one_step(operation, number) for number in range(STEPS)]
        start = time.perf_counter()
        operation.close(Word.COMMIT, ["applied"] * STEPS)
        return sorted(steps)[len(steps) // 4], begun, time.perf_counter() - start


def one_step(operation: DurableOperation, number: int) -> float:
    """Return the seconds of one step's records."""
    step = Step(action="alter", call="IncrementalAlterConfigs t", identity={"topic": "t", "id": "x"})
    start = time.perf_counter()
    operation.intend(number, 0, step)
    operation.record(number, 0, StepResult(outcome=Outcome.DONE), Finished(provider_id={"id": "x"}))
    return time.perf_counter() - start


def addresses(count: int) -> Iterator[Address]:
    """Yield addresses of topics."""
    for number in range(count):
        yield Address(project="bench", environment="prod", kind=ResourceKind.TOPIC, name=f"topic-{number}")


def resources(count: int) -> Iterator[tuple[Address, Applied]]:
    """Yield resources as a state holds them."""
    for address in addresses(count):
        config: dict[str, Content] = {"retention.ms": "604800000", "cleanup.policy": "delete"}
        content: dict[str, Content] = {"name": address.name, "partitions": 6, "config": config, "keyed": False}
        yield (
            address,
            Applied(
                name=address.name,
                cluster_id="MkU3OEVBNTcwNTJENDM2Qg",
                provider_id={"topic_id": "4LJmFTzsQ0yeHXlBl0Ah7w"},
                digest=digest(content),
                content=content,
                operation=str(uuid4()),
                at=datetime(2026, 12, 1, tzinfo=UTC),
            ),
        )


if __name__ == "__main__":
    sys.exit(main())
