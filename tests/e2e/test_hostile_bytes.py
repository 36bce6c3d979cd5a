"""Bytes that would crash, hang or fill a program that decodes them: the run goes on, says why, and tells its end.

Named after what was found: a record that crashed the process, a pattern that hung it, five bytes that filled the
memory, a query that did all of this, a broker whose answers were corrupted.
"""

import json
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from streamt.testing.results import Status
from tests.cli.program import streamt
from tests.e2e.broker import Broker, running_broker
from tests.e2e.program import project_text, run_one, sample, started, wait_until, write
from tests.e2e.registry import Registry, running_registry

LOGIN = "username: reader, password: R3G-SECRET"
LINKED = {"type": "record", "name": "L", "fields": [{"name": "next", "type": ["null", "L"]}]}
NULLS = {"type": "record", "name": "N", "fields": [{"name": "a", "type": {"type": "array", "items": "null"}}]}
SLOW_PATTERN = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
SLOW_VALUE = b'{"a": "' + b"a" * 40 + b'!"}'
FINE = "not_null: {columns: [id]}"


@pytest.fixture
def registry() -> Iterator[Registry]:
    with running_registry() as running:
        yield running


def wire(number: int, data: bytes) -> bytes:
    return struct.pack(">bI", 0, number) + data


def project(broker: Broker, registry: Registry, values: list[bytes], *tests: str) -> str:
    topics = {"orders": broker.topic_of(values), "plain": broker.topic_of([b'{"id": 1}'])}
    runtime = f", schema_registry: {{url: '{registry.url}', {LOGIN}}}"
    sound = sample("sound", FINE).replace("orders", "plain")
    return project_text(broker.address, topics, "".join(tests) + sound, runtime)


def outcomes(folder: Path, text: str) -> tuple[int, dict[str, Any]]:
    """Run the program with a file for its events; give its status, and the results of its tests by name."""
    write(folder, text)
    ended = streamt(
        *("--output", "json", "test", "-p", folder, "--emit-openlineage", "--openlineage-job-namespace", "n"),
        OPENLINEAGE__TRANSPORT__TYPE="file",
        OPENLINEAGE__TRANSPORT__LOG_FILE_PATH=str(folder / "events.jsonl"),
    )
    return ended.status, {test["name"]: test for test in ended.envelope["data"]["tests"]}


def told(folder: Path) -> list[str]:
    """Give the kinds of the events that were told."""
    lines = (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["eventType"] for line in lines]


@pytest.mark.parametrize("depth", [101, 5_000, 900_000])
def test_a_record_that_nests_without_end_is_undecodable(
    broker: Broker, registry: Registry, tmp_path: Path, depth: int
) -> None:
    number = registry.add("AVRO", LINKED)
    good, deep = wire(number, b"\2\0"), wire(number, b"\2" * depth + b"\0")
    status, tests = outcomes(tmp_path, project(broker, registry, [good, deep], sample("t", FINE)))
    assert (status, tests["t"]["status"], tests["sound"]["status"]) == (1, "failed", "passed")
    reason = "more than 100 levels of objects and lists; see partition 0, offset 1"
    assert tests["t"]["message"] == f"1 of 2 records cannot be decoded: {reason}"
    assert told(tmp_path) == ["START", "FAIL"]


@pytest.mark.parametrize(
    "value", [b"\x80\x80\x80\x80\x40\0", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\0", b"\xff" * 100_000 + b"\1"]
)
def test_a_few_bytes_fill_no_memory(broker: Broker, registry: Registry, tmp_path: Path, value: bytes) -> None:
    number = registry.add("AVRO", NULLS)
    status, tests = outcomes(tmp_path, project(broker, registry, [wire(number, value)], sample("t", FINE)))
    assert (status, tests["sound"]["status"]) == (1, "passed")
    assert "bytes that do not fit the Avro schema" in tests["t"]["message"]


@pytest.mark.parametrize("values", [[SLOW_VALUE], [b'{"a": "aa"}', SLOW_VALUE]], ids=["first", "second"])
def test_a_pattern_that_takes_for_ever_is_stopped_in_time(
    broker: Broker, registry: Registry, tmp_path: Path, values: list[bytes]
) -> None:
    number = registry.add("JSON", SLOW_PATTERN)
    slow = sample("t", "accepted_types: {types: {a: STRING}}", ", timeout: 3s")
    text = project(broker, registry, [wire(number, value) for value in values], slow)
    status, tests = outcomes(tmp_path, text)
    assert (status, tests["t"]["status"], tests["sound"]["status"]) == (1, "failed", "passed")
    assert f"too slow to decode; see partition 0, offset {len(values) - 1}" in tests["t"]["message"]
    assert tests["t"]["timed_out"]
    assert len(tests["t"]["assertions"]) == len(values) - 1  # judged on what was decoded
    assert told(tmp_path) == ["START", "FAIL"]


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_pattern_that_takes_for_ever(
    broker: Broker, registry: Registry, tmp_path: Path, sent: signal.Signals, status: int
) -> None:
    number = registry.add("JSON", SLOW_PATTERN)
    text = project(broker, registry, [wire(number, SLOW_VALUE)], sample("t", FINE, ", timeout: 1h"))
    events = tmp_path / "events.jsonl"
    with started(
        *("--output", "json", "test", "-p", write(tmp_path, text), "--emit-openlineage"),
        OPENLINEAGE_NAMESPACE="n",
        OPENLINEAGE__TRANSPORT__TYPE="file",
        OPENLINEAGE__TRANSPORT__LOG_FILE_PATH=str(events),
    ) as process:
        wait_until(lambda: bool(registry.asked))
        time.sleep(0.5)  # to be in the midst of it; the outcome is the same at any time
        process.send_signal(sent)
        process.communicate(timeout=60)
    assert process.returncode == status
    assert told(tmp_path) == ["START", "ABORT"]


QUERIES = [
    ("SELECT CHAR_LENGTH(REPEAT('a', 2000000000))", "the query needs more memory than 1 GB"),
    (
        "SELECT CHAR_LENGTH(REPLACE(REPEAT('a', 100000), 'a', REPEAT('b', 100000)))",
        "the query needs more memory than 1 GB",
    ),
]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep the limit on memory")
@pytest.mark.parametrize(("sql", "message"), QUERIES, ids=["repeat", "replace"])
def test_a_query_has_limits_and_costs_no_other_assertion(
    broker: Broker, tmp_path: Path, sql: str, message: str
) -> None:
    topic = broker.topic_of([b'{"id": %d}' % number for number in range(300)])
    assertions = f'custom_sql: {{sql: "{sql}"}}}}, {{{FINE}}}, {{custom_sql: {{sql: "SELECT 0"}}'
    tests = sample("t", f"{{{assertions}}}")
    result = run_one(tmp_path, project_text(broker.address, {"orders": topic}, tests))
    first, second, third = result.assertions
    assert (first.verdict.status, first.verdict.message) == (Status.ERROR, message)
    assert (second.verdict.status, third.verdict.status) == (Status.PASSED, Status.PASSED)


class CorruptingRelay:
    """Stands between a client and a broker, and turns bits in what the broker says.

    Attributes:
        address: what clients connect to.
        clean: how many bytes the broker may say before.
    """

    def __init__(self) -> None:
        self.clean = 1 << 62
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"

    def serve(self, broker: Broker) -> None:
        """Take connections, in threads that end with them."""
        threading.Thread(target=self._accept, args=(broker,), daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self, broker: Broker) -> None:
        host, _, port = broker.address.partition(":")
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = self._connected(near, host, int(port))
                if far is None:
                    continue
                threading.Thread(target=self._pump, args=(near, far, False), daemon=True).start()
                threading.Thread(target=self._pump, args=(far, near, True), daemon=True).start()

    @staticmethod
    def _connected(near: socket.socket, host: str, port: int) -> socket.socket | None:
        try:
            return socket.create_connection((host, port))
        except OSError:
            near.close()
            return None

    def _pump(self, source: socket.socket, sink: socket.socket, corrupt: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                if corrupt:
                    self.clean -= len(data)
                if corrupt and self.clean < 0:
                    data = bytes(byte ^ 0x55 if index % 97 == 0 else byte for index, byte in enumerate(data))
                sink.sendall(data)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        source.close()


@pytest.mark.parametrize("clean_bytes", [0, 500, 300_000])
def test_a_broker_whose_answers_are_corrupted_ends_no_run(broker: Broker, tmp_path: Path, clean_bytes: int) -> None:
    relay = CorruptingRelay()
    values = [b'{"id": %d, "x": "%s"}' % (number, b"y" * 200) for number in range(5_000)]
    with running_broker(advertised=relay.address) as hidden:
        relay.serve(hidden)
        hidden_topic = hidden.topic_of(values)
        relay.clean = clean_bytes
        corrupt = sample("t", FINE, ", sample_size: 5000, timeout: 8s")
        text = project_text(relay.address, {"orders": hidden_topic}, corrupt)
        status, tests = outcomes(tmp_path, text)
    relay.close()
    assert (status, tests["t"]["status"] in ("failed", "error")) == (1, True)
    assert told(tmp_path) == ["START", "FAIL"]
