"""`python -m benchmarks.topics`: what plan and apply of topics cost, beside the bare calls that they cannot do without.

Needs Java and Maven: a real broker is started. Each reference sends what a plan or an apply must send, with the same
client and in the same batches, and does nothing with the answers.
"""

import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import uuid4

from confluent_kafka import TopicCollection
from confluent_kafka.admin import (  # type: ignore[attr-defined] # its stubs forget some of these
    AdminClient,
    ConfigResource,
    NewTopic,
)

from benchmarks.bounds import Result, report
from streamt.clusters.kafka_client import BATCH
from streamt.deploy.artifact import Artifact
from tests.deploy.scenarios.world import World, make_world, topic
from tests.stack import down, up
from tests.stack.process import Process
from tests.stack.proxy import kafka_proxy
from tests.stack.runtime import owned_name

PLANNED, APPLIED = 1_000, 200
RATIO = 1.5
REQUESTS = 12
"""How many requests a plan of 1,000 new topics may send: it sends some for each batch, and none for each topic."""

ROUNDS = 7
CONFIG = {"retention.ms": "604800000", "cleanup.policy": "delete"}
JOURNAL_RECORDS = 3
"""Of each action: its intent, what came of it, and that it is applied."""


def main() -> int:
    """Start a broker, measure, and return 0, or 1 where a bound was missed."""
    gc.disable()  # as the program does
    name = owned_name(Process.this())
    try:
        bootstrap = up(name, "kafka")["kafka"]["bootstrap.servers"]
        return report(
            [
                against("plan of 1,000 new topics", *measure_plan_of_new(bootstrap)),
                against("plan of 1,000 topics as they should be", *measure_plan(bootstrap)),
                against("apply of 200 new topics", *measure_apply(bootstrap)),
                Result("requests for a plan of 1,000 new topics", requests(bootstrap), REQUESTS, ""),
            ]
        )
    finally:
        down(name)


def against(what: str, ours: float, reference: float) -> Result:
    """Return one result, and print what it was made of."""
    print(f"{what:<42} {ours:>7.2f} s   bare calls {reference:>6.2f} s", flush=True)
    return Result(f"{what}: against the bare calls", ours / reference, RATIO)


def topics(count: int) -> list[Artifact]:
    """Return topics with names of their own."""
    prefix = uuid4().hex[:8]
    return [topic(f"bench-{prefix}-{number}", config=CONFIG) for number in range(count)]


def seconds(act: Callable[[], object]) -> float:
    """Return how long something takes."""
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def fastest(*acts: Callable[[], object]) -> list[float]:
    """Run the acts turn by turn, and return the fastest time of each (the others met noise)."""
    rounds = [[seconds(act) for act in acts] for _ in range(ROUNDS)]
    return [min(each) for each in zip(*rounds, strict=True)]


def batches(names: Sequence[str]) -> list[list[str]]:
    """Return the names in the adapter's batches."""
    return [list(names[start : start + BATCH]) for start in range(0, len(names), BATCH)]


def world_at(bootstrap: str, folder: str) -> World:
    """Return a project without a registry, its state in a folder."""
    return make_world(Path(folder), bootstrap)


def measure_plan_of_new(bootstrap: str) -> list[float]:
    """Return the seconds of a plan that creates everything, and of the calls that it needs."""
    wanted = topics(PLANNED)
    names = [each.name for each in wanted]

    def bare() -> None:
        client = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
        client.describe_cluster().result()
        describe(client, names)
        client.list_topics(timeout=30)
        for batch in batches(names):
            new = [NewTopic(name, 1, 1, config=CONFIG) for name in batch]
            for future in client.create_topics(new, validate_only=True).values():
                future.result()

    with tempfile.TemporaryDirectory() as folder:
        world = world_at(bootstrap, folder)
        return fastest(lambda: world.plan(*wanted, with_readers=False), bare)


def measure_plan(bootstrap: str) -> list[float]:
    """Return the seconds of a plan that finds everything as it should be, and of the calls that it needs."""
    wanted = topics(PLANNED)
    names = [each.name for each in wanted]

    def bare() -> None:
        client = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
        client.describe_cluster().result()
        describe(client, names)
        for batch in batches(names):
            resources = [ConfigResource(ConfigResource.Type.TOPIC, name) for name in batch]
            for future in client.describe_configs(resources).values():
                future.result()

    with tempfile.TemporaryDirectory() as folder:
        world = world_at(bootstrap, folder)
        world.apply(*wanted)
        found = fastest(lambda: world.plan(*wanted), bare)
    world.admin.delete(names)
    return found


def describe(client: AdminClient, names: Sequence[str]) -> None:
    """Describe topics that may not be there."""
    for batch in batches(names):
        for future in client.describe_topics(TopicCollection(batch), include_authorized_operations=True).values():
            future.exception()


def measure_apply(bootstrap: str) -> list[float]:
    """Return the seconds of an apply, and of creating as many topics one by one with one fsync for each record."""
    rounds = [measure_one_apply(bootstrap) for _ in range(2)]
    return min(rounds, key=lambda pair: pair[0] / pair[1])


def measure_one_apply(bootstrap: str) -> list[float]:
    """Return the seconds of both, turn by turn."""
    wanted, others = topics(APPLIED), [each.name for each in topics(APPLIED)]
    with tempfile.TemporaryDirectory() as folder:
        world = world_at(bootstrap, folder)
        plan = world.plan(*wanted)
        ours = seconds(lambda: world.apply(*wanted, saved=plan))
        bare = seconds(lambda: create_one_by_one(bootstrap, others, Path(folder)))
    world.admin.delete([*others, *(each.name for each in wanted)])
    return [ours, bare]


def create_one_by_one(bootstrap: str, names: Sequence[str], folder: Path) -> None:
    """Create topics in the batches of an apply, and make a record durable for each of its journal's."""
    client = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    with (folder / "journal").open("ab") as journal:
        for name in names:
            client.create_topics([NewTopic(name, 1, 1, config=CONFIG)])[name].result()
            for _ in range(JOURNAL_RECORDS):
                journal.write(b"{}\n" * 100)
                journal.flush()
                os.fsync(journal.fileno())


def requests(bootstrap: str) -> int:
    """Print how many requests plans of different sizes send, and return that of the largest."""
    sent = 0
    with tempfile.TemporaryDirectory() as folder:
        for count in (100, BATCH, PLANNED):
            with kafka_proxy(bootstrap) as proxy:
                world_at(proxy.address, folder).plan(*topics(count), with_readers=False)
            sent = len(proxy.seen)
            print(f"requests for a plan of {count:>5,} new topics: {sent}", flush=True)
    return sent


if __name__ == "__main__":
    sys.exit(main())
