"""`python -m benchmarks.sample`: a sample test beside a bare loop, in the same run, on a real broker.

The test reads JSON records of ten columns and judges five assertions; the bare loop reads the same records with
`consume` and does nothing but `json.loads`. Printed are seconds, records per second, the ratio of the two (at most
2.5 is wanted), the peak memory of the process that ran the test (at most 300 MiB), and what telling an OpenLineage file
of a small run adds to it.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

RECORDS = 1_000_000
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


def main() -> None:
    """Start a broker, fill a topic, and time both in processes of their own."""
    from tests.e2e.broker import Row, any_broker

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--rounds", type=int, default=2, help="how often each is timed; the best counts")
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
    _report(records, min(bare), min(tested))
    print(f"a run of 1,000 records: {silent:.2f} s, with run events to a file {emitting:.2f} s")


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


def _time(what: str, *arguments: str) -> tuple[float, float]:
    """Run one side in a process of its own; give seconds and peak memory in MiB."""
    command = [sys.executable, "-c", f"from benchmarks.sample import {what}; {what}()", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    seconds, memory = map(float, done.stdout.split())
    return seconds, memory


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

    address, topic, records = sys.argv[1], sys.argv[2], int(sys.argv[3])
    started = time.perf_counter()
    consumer = Consumer({"bootstrap.servers": address, "group.id": "bench", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(PARTITIONS)])
    done = 0
    while done < records:
        for message in consumer.consume(min(5000, records - done), timeout=1):
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
    usage = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(seconds, max(usage) / 1024)


def _report(records: int, bare: tuple[float, float], tested: tuple[float, float]) -> None:
    for name, (seconds, memory) in (("bare consume + json.loads", bare), ("streamt sample test", tested)):
        print(f"{name:28} {seconds:8.2f} s {records / seconds:12,.0f} records/s {memory:8.1f} MiB peak")
    print(f"time, test to bare loop: {tested[0] / bare[0]:.2f} (at most 2.5)")
    print(f"peak memory of the test: {tested[1]:.0f} MiB (at most 300)")


if __name__ == "__main__":
    main()
