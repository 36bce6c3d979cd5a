"""`python -m benchmarks.sample`: a sample test beside a bare loop, in the same run, on a real broker.

The test reads JSON records of ten columns and judges five assertions, in the worker process in which every sample is
read; the bare loop reads the same records with the same settings of the client, and does nothing but `json.loads`. The
two take turns, and the best of each counts. Printed are processor and wall time, records per second, the ratios, the
peak memory of the largest process, and what telling an OpenLineage file of a small run adds to it. A ratio of processor
time over 1.6, or more than 300 MiB, makes the exit status 1: processor time is what a busy machine bends least.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

RECORDS = 1_000_000
MOST_TIMES = 1.6
MOST_MEMORY = 300.0


class Cost(NamedTuple):
    """What a run took: seconds by the clock, seconds of processors, and MiB of the largest process."""

    wall: float
    processor: float
    memory: float


PARTITIONS = 4
EMIT = ("--emit-openlineage", "--openlineage-job-namespace", "bench")
PROJECT = """\
apiVersion: streamt.dev/v1alpha1
project: {{name: bench}}
runtime: {{kafka: {{bootstrap_servers: "{address}"}}}}
sources:
  - name: orders
    topic: {topic}
tests:
  - name: sample
    source: orders
    type: sample
    sample_size: {records}
    timeout: 10m
    assertions:
      - not_null: {{columns: [order_id, customer_id, amount]}}
      - unique_key: {{key: order_id}}
      - accepted_values: {{column: currency, values: [EUR, USD, GBP]}}
      - range: {{column: amount, min: 0, max: 1000000}}
      - accepted_types: {{types: {{quantity: INT, created_at: TIMESTAMP(3), express: BOOLEAN}}}}
"""


def main() -> int:
    """Start a broker, fill a topic, and time both in processes of their own; give the exit status."""
    from tests.e2e.broker import Row, any_broker

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is timed; the best counts")
    arguments = parser.parse_args()
    records: int = arguments.records
    with any_broker() as broker, tempfile.TemporaryDirectory() as folder:
        topic = broker.create_topic(PARTITIONS)
        broker.produce(topic, (Row(value, index % PARTITIONS) for index, value in enumerate(_values(records))))
        text = PROJECT.format(address=broker.address, topic=topic, records=records)
        (Path(folder) / "stream_project.yml").write_text(text, encoding="utf-8")
        bare, tested = [], []
        for _ in range(arguments.rounds):
            bare.append(_time("bare", broker.address, topic, str(records)))
            tested.append(_time("test", folder, str(records)))
        small = PROJECT.format(address=broker.address, topic=topic, records=1000)
        (Path(folder) / "stream_project.yml").write_text(small, encoding="utf-8")
        silent, emitting = (min(_command(folder, *more) for _ in range(3)) for more in ((), EMIT))
    status = _report(records, _best(bare), _best(tested))
    print(f"a run of 1,000 records: {silent:.2f} s, with run events to a file {emitting:.2f} s")
    return status


def _values(records: int) -> Iterator[bytes]:
    currencies = ("EUR", "USD", "GBP")
    for number in range(records):
        record = {
            "order_id": f"order-{number:08d}",
            "customer_id": number % 5000,
            "amount": round(number * 0.37 % 10_000, 2),
            "currency": currencies[number % 3],
            "status": "PAID",
            "quantity": number % 10 + 1,
            "country": "DE",
            "created_at": f"2026-11-30T08:{number // 60 % 60:02d}:{number % 60:02d}.123",
            "discount": 0.25,
            "express": number % 7 == 0,
        }
        yield json.dumps(record).encode()


def _time(what: str, *arguments: str) -> Cost:
    """Run one side in a process of its own; give what it cost."""
    command = [sys.executable, "-c", f"from benchmarks.sample import {what}; {what}()", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return Cost(*map(float, done.stdout.split()))


def _best(costs: Sequence[Cost]) -> Cost:
    return Cost(*map(min, zip(*costs, strict=True)))


def _command(folder: str, *more: str) -> float:
    """Run `streamt test`; give seconds."""
    transport = {"TYPE": "file", "LOG_FILE_PATH": f"{folder}/events.jsonl"}
    environ = {f"OPENLINEAGE__TRANSPORT__{name}": value for name, value in transport.items()}
    started = time.perf_counter()
    command = [sys.executable, "-m", "streamt", "--quiet", "test", "-p", folder, *more]
    subprocess.run(command, check=True, env={**os.environ, **environ})
    return time.perf_counter() - started


def bare() -> None:
    """Consume and decode, and nothing else."""
    from confluent_kafka import Consumer, TopicPartition

    from streamt.clusters.kafka_reading import SETTINGS

    address, topic, records = sys.argv[1], sys.argv[2], int(sys.argv[3])
    started = time.perf_counter()
    consumer = Consumer({**SETTINGS, "bootstrap.servers": address})
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(PARTITIONS)])
    done = 0
    while done < records:
        for message in consumer.consume(min(5000, records - done), timeout=1):
            if message.error() is None:  # the end of a partition
                value = message.value()
                assert value is not None
                json.loads(value)
                done += 1
    consumer.close()
    _print(time.perf_counter() - started)


def test() -> None:
    """Run the project's test."""
    from streamt.compiler import compile_project, compile_time
    from streamt.project import load_project
    from streamt.testing.runner import run_tests
    from streamt.testing.selection import select_tests

    folder, records = Path(sys.argv[1]), int(sys.argv[2])
    started = time.perf_counter()
    project = load_project(folder, environ={})
    compiled = compile_project(project, compiled_at=compile_time({}))
    (result,) = run_tests(project, compiled, select_tests(project.document))
    seconds = time.perf_counter() - started
    assert (result.status, result.counts.records) == ("passed", records), result
    _print(seconds)


def _print(seconds: float) -> None:
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    processor = sum(each.ru_utime + each.ru_stime for each in usage)
    print(seconds, processor, max(each.ru_maxrss for each in usage) / 1024)


def _report(records: int, bare: Cost, tested: Cost) -> int:
    for name, cost in (("bare consume + json.loads", bare), ("streamt sample test", tested)):
        rate = f"{records / cost.wall:10,.0f} records/s"
        print(f"{name:28} {cost.wall:7.2f} s {cost.processor:7.2f} s cpu {rate} {cost.memory:7.1f} MiB peak")
    ratio = tested.processor / bare.processor
    print(f"processor time, test to bare loop: {ratio:.2f} (at most {MOST_TIMES})")
    print(f"wall time, test to bare loop:      {tested.wall / bare.wall:.2f}")
    print(f"peak memory of the test:           {tested.memory:.0f} MiB (at most {MOST_MEMORY:.0f})")
    return int(ratio > MOST_TIMES or tested.memory > MOST_MEMORY)


if __name__ == "__main__":
    sys.exit(main())
