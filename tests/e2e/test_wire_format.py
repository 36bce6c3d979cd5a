"""Avro and JSON Schema in Confluent's wire format, decoded with Confluent's own deserializers."""

import io
import json
import struct
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pytest

from streamt.testing.results import Place, Status, TestResult
from tests.e2e.broker import Broker, free_port
from tests.e2e.program import run_one
from tests.e2e.registry import Registry, running_registry

ORDER = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}},
        {"name": "rate", "type": "double"},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {
            "name": "who",
            "type": ["null", {"type": "record", "name": "Who", "fields": [{"name": "n", "type": "string"}]}],
        },
    ],
}
ROW: dict[str, Any] = {
    "id": 1,
    "amount": Decimal("10.50"),
    "rate": 0.3,
    "at": datetime(2026, 11, 30, tzinfo=UTC),
    "who": {"n": "a"},
}
SHAPE = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}


@pytest.fixture
def registry() -> Iterator[Registry]:
    with running_registry() as running:
        yield running


def wire(number: int, data: bytes) -> bytes:
    return struct.pack(">bI", 0, number) + data


def avro(number: int, record: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, fastavro.parse_schema(ORDER), record)
    return wire(number, buffer.getvalue())


def run(
    folder: Path,
    broker: Broker,
    url: str | None,
    values: list[bytes],
    assertion: str,
    schema: str = "",
    more: str = "",
) -> TestResult:
    login = f", schema_registry: {{url: '{url}', username: reader, password: R3G-SECRET}}" if url else ""
    text = f"""\
runtime: {{kafka: {{bootstrap_servers: '{broker.address}'}}{login}}}
sources: [{{name: orders, topic: {broker.topic_of(values)}{schema}}}]
tests: [{{name: t, source: orders, type: sample, assertions: [{assertion}]{more}}}]
"""
    return run_one(folder, text)


@pytest.mark.parametrize(
    "assertion",
    [
        "range: {column: amount, min: 10.5, max: 10.5}",
        "range: {column: rate, min: 0.3, max: 0.3}",
        "not_null: {columns: [who.n]}",
        "accepted_types: {types: {id: BIGINT, amount: 'DECIMAL(10, 2)', at: TIMESTAMP_LTZ(3), who: ROW<n STRING>}}",
        "max_lag: {column: at, max_seconds: 3000000000}",
        "custom_sql: {sql: \"SELECT SUM(amount) FROM {{ model }} WHERE who.n = 'a'\", expect: 21}",
        "custom_sql: {sql: \"SELECT COUNT(*) FROM {{ model }} WHERE `at` > DATE '2026-11-29'\", expect: 2}",
    ],
)
def test_avro_records_are_judged_like_any_other(
    broker: Broker, registry: Registry, tmp_path: Path, assertion: str
) -> None:
    number = registry.add("AVRO", ORDER)
    result = run(tmp_path, broker, registry.url, [avro(number, ROW)] * 2, assertion)
    assert (result.status, result.counts.records) == (Status.PASSED, 2), result
    assert len(registry.asked) == 1  # once for a schema, not for a record


def test_json_schema_is_decoded_exactly(broker: Broker, registry: Registry, tmp_path: Path) -> None:
    number = registry.add("JSON", SHAPE)
    value = wire(number, b'{"id": 9007199254740993, "x": 0.1000000000000000055511151231257827}')
    assertion = "range: {column: x, max: 0.1}"
    result = run(tmp_path, broker, registry.url, [value], assertion, ", schema: {format: json}")
    assert result.assertions[0].verdict.failing == 1  # as floats the two would be equal


def test_plain_json_stands_beside_the_wire_format(broker: Broker, registry: Registry, tmp_path: Path) -> None:
    number = registry.add("JSON", SHAPE)
    values = [wire(number, b'{"id": 1}'), b'{"id": 2}']
    result = run(tmp_path, broker, registry.url, values, "unique_key: {key: id}")
    assert (result.status, result.counts.records) == (Status.PASSED, 2)


@pytest.mark.parametrize(
    ("bad", "schema"),
    [
        (wire(1, b"\xff\xff\xff"), ""),
        (wire(1, b""), ""),
        (wire(99, b"\x02"), ""),
        (b"\0\0", ""),
        (wire(2, b'{"id": "SECRET"}'), ""),
        (wire(2, b'{"id": 1'), ""),
        (b'{"id": 1}', ", schema: {format: avro}"),
    ],
    ids=["garbage", "no data", "unknown schema", "half a header", "not as the schema says", "half a value", "json"],
)
def test_what_does_not_decode_fails_with_a_count_and_a_place(
    broker: Broker, registry: Registry, tmp_path: Path, bad: bytes, schema: str
) -> None:
    number = registry.add("AVRO", ORDER)
    registry.add("JSON", SHAPE)
    result = run(tmp_path, broker, registry.url, [avro(number, ROW), bad, bad], "not_null: {columns: [id]}", schema)
    assert (result.status, result.counts.undecodable, result.counts.records) == (Status.FAILED, 2, 1)
    assert result.counts.undecodable_place == Place(0, 1)
    assert result.message == "2 of 3 records cannot be decoded; see partition 0, offset 1"
    assert result.assertions[0].verdict.status is Status.PASSED


def test_without_a_registry_the_wire_format_is_undecodable(broker: Broker, tmp_path: Path) -> None:
    result = run(tmp_path, broker, None, [avro(1, ROW)], "not_null: {columns: [id]}")
    assert (result.status, result.assertions) == (Status.FAILED, ())
    assert result.message == "1 of 1 records cannot be decoded; see partition 0, offset 0"


@pytest.mark.parametrize(("status", "words"), [(401, "status 401"), (500, "status 500")])
def test_a_registry_that_refuses_is_an_error_that_quotes_nothing(
    broker: Broker, registry: Registry, tmp_path: Path, status: int, words: str
) -> None:
    registry.status = status
    result = run(tmp_path, broker, registry.url, [avro(1, ROW)], "not_null: {columns: [id]}")
    assert result.status is Status.ERROR
    assert words in result.message
    assert "SECRET" not in repr(result)


def test_a_registry_that_is_down_is_an_error_with_a_hint(broker: Broker, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    result = run(tmp_path, broker, url, [avro(1, ROW)], "not_null: {columns: [id]}")
    assert result.status is Status.ERROR
    assert result.message.startswith("the schema registry gives no schema: it cannot be reached")
    assert result.problems[0].hint == "check url, username, password and ssl_ca_location of runtime.schema_registry"


@pytest.mark.parametrize(
    ("url", "schema", "words"),
    [
        (None, "{format: protobuf}", "source `orders` holds Protobuf, which cannot be decoded"),
        (None, "{format: avro}", "source `orders` holds Avro, but the project names no schema registry"),
        ("ftp://me:SECRET@x", "{format: avro}", "does not take runtime.schema_registry"),
    ],
)
def test_what_cannot_be_decoded_at_all_is_an_error(
    broker: Broker, tmp_path: Path, url: str | None, schema: str, words: str
) -> None:
    result = run(tmp_path, broker, url, [b"{}"], "not_null: {columns: [id]}", f", schema: {schema}")
    assert result.status is Status.ERROR
    assert words in result.message
    assert "SECRET" not in repr(result)


def test_protobuf_that_is_found_in_the_registry_is_an_error(broker: Broker, registry: Registry, tmp_path: Path) -> None:
    number = registry.add("PROTOBUF", json.dumps("syntax"))
    result = run(tmp_path, broker, registry.url, [wire(number, b"\0\2")], "not_null: {columns: [id]}")
    assert result.message == "schema 1 of the registry is neither Avro nor JSON Schema, and cannot be decoded"


def test_a_schema_that_refers_to_another_is_resolved(broker: Broker, registry: Registry, tmp_path: Path) -> None:
    number = registry.add("JSON", {"$ref": "#/$defs/order", "$defs": {"order": SHAPE}})
    result = run(tmp_path, broker, registry.url, [wire(number, b'{"id": 1}')], "not_null: {columns: [id]}")
    assert result.status is Status.PASSED


def test_a_registry_that_drips_is_left_when_time_is_over(broker: Broker, registry: Registry, tmp_path: Path) -> None:
    number = registry.add("JSON", SHAPE)
    registry.drip_seconds = 0.5
    started = time.monotonic()
    values = [wire(number, b'{"id": 1}')]
    result = run(tmp_path, broker, registry.url, values, "not_null: {columns: [id]}", more=", timeout: 3s")
    assert time.monotonic() - started < 8
    assert (result.status, result.message) == (Status.ERROR, "the schema registry did not answer in time")
