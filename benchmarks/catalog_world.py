"""A catalog of any size for benchmarks: its tables, its jobs, and the events that they send."""

import json
import random
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from streamt.catalog import wire
from streamt.catalog.access import Caller, Role
from streamt.catalog.applying import Outcome
from streamt.catalog.service import Catalog
from streamt.catalog.store import people
from streamt.catalog.store.registering import ConnectionSpec, ContainerSpec

BODY = 4000
LAYERS = 6
EDGES = 6
_AT_ONCE = 450
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def present() -> int:
    """Return a turn that is later than all before, and not in the future."""
    return int((datetime.now(UTC) - _BEGAN).total_seconds())


@dataclass(frozen=True, slots=True)
class World:
    """Tables in layers, and jobs that read three of one layer and write two of the next: six edges each.

    Attributes:
        jobs: how many.
        width: how many tables a layer has.
    """

    jobs: int
    width: int

    @classmethod
    def of(cls, edges: int) -> "World":
        """Return the world that has so many edges once each job has sent an event."""
        jobs = max(edges // EDGES, LAYERS)
        return cls(jobs, max(jobs // LAYERS, 20))

    def tables(self) -> list[str]:
        """Return the names of all tables."""
        return [f"t{layer}_{at}" for layer in range(LAYERS) for at in range(self.width)]

    def event(self, job: int, turn: int) -> dict[str, Any]:
        """Return a COMPLETE of a job, about four kilobytes; later turns are later in time."""
        layer, at = job % (LAYERS - 1), job // (LAYERS - 1)
        inputs = [f"t{layer}_{(at + step) % self.width}" for step in range(3)]
        outputs = [f"t{layer + 1}_{(7 * at + step) % self.width}" for step in range(2)]
        facet = {"_producer": "https://producer.example", "_schemaURL": "https://producer.example/x.json", "pad": ""}
        body: dict[str, Any] = {
            "eventType": "COMPLETE",
            "eventTime": (_BEGAN + timedelta(seconds=turn)).isoformat(),
            "producer": "https://producer.example",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": str(uuid.uuid4()), "facets": {"unknown": facet}},
            "job": {"namespace": "bench", "name": f"job {job}"},
            "inputs": [{"namespace": "postgres://db:5432", "name": f"d.s.{name}"} for name in inputs],
            "outputs": [{"namespace": "postgres://db:5432", "name": f"d.s.{name}"} for name in outputs],
        }
        facet["pad"] = "x" * (BODY - len(json.dumps(body)))
        return body

    def bodies(self, count: int, turn: int, *, seed: int = 1) -> list[bytes]:
        """Return events of jobs taken at random, each later than those of an earlier turn."""
        chance = random.Random(seed)
        return [
            json.dumps(self.event(chance.randrange(self.jobs), turn + at // self.jobs)).encode() for at in range(count)
        ]


def prepared(url: str, world: World) -> tuple[Catalog, Caller, str]:
    """Return a catalog with a world's tables, its admin and a token."""
    catalog = Catalog.open(url)
    number = catalog.change(lambda tools: people.make_account(tools.conn, "admin", Role.ADMIN, tools.now))
    assert number is not None
    admin = Caller(number, "admin", Role.ADMIN)
    connection, _ = catalog.make_connection(ConnectionSpec("db", "postgres", "db", 5432), admin)
    store, _ = catalog.make_datastore(connection, {"database": "d", "schema": "s"}, admin)
    names = world.tables()
    for at in range(0, len(names), 5_000):
        catalog.register(store, [ContainerSpec(name) for name in names[at : at + 5_000]], admin, whole=False)
    token = catalog.change(lambda tools: people.make_token(tools.conn, people.NewToken(number, "bench"), tools.now))[1]
    return catalog, admin, token


def fill(catalog: Catalog, admin: Caller, world: World, events: int) -> Iterator[int]:
    """Send events through the catalog's own reader and writer, without HTTP; yield how many are stored.

    What is stored is what a server would have stored; only the groups are larger.
    """
    waiting: Sequence[Future[Outcome]] = ()
    for at in range(0, events, _AT_ONCE):
        some = range(at, min(at + _AT_ONCE, events))
        raw = [json.dumps(world.event(number % world.jobs, number // world.jobs)).encode() for number in some]
        items = [wire.decode(body).items[0] for body in raw]
        sent = catalog.submit(items, admin)
        for one in waiting:
            assert one.result().status == "applied"
        waiting = sent
        yield at
    for one in waiting:
        assert one.result().status == "applied"
    yield events
