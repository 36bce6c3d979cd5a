"""Avro and JSON Schema in Confluent's wire format, with a registry that is asked for schemas and may misbehave."""

import gzip
import io
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import fastavro
import pytest

from streamt.testing.results import Status, TestResult
from tests.e2e.broker import Broker, Row, free_port
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
    ("bad", "schema", "reason"),
    [
        (wire(1, b"\xff\xff\xff"), "", "bytes that do not fit the Avro schema"),
        (wire(1, b""), "", "bytes that do not fit the Avro schema"),
        (b"\0\0", "", "shorter than the header of the wire format"),
        (wire(2, b'{"id": "SECRET"}'), "", "refused by the JSON Schema"),
        (wire(2, b'{"id": 1'), "", "invalid JSON"),
        (wire(2, b'{"id": 1, "id": 1}'), "", "an object with a key twice"),
        (b'{"id": 1}', ", schema: {format: avro}", "not in the wire format of a schema registry"),
    ],
)
def test_what_does_not_decode_fails_with_a_reason_a_count_and_a_place(
    broker: Broker, registry: Registry, tmp_path: Path, bad: bytes, schema: str, reason: str
) -> None:
    number = registry.add("AVRO", ORDER)
    registry.add("JSON", SHAPE)
    result = run(tmp_path, broker, registry.url, [avro(number, ROW), bad, bad], "not_null: {columns: [id]}", schema)
    assert (result.status, result.counts.undecodable, result.counts.records) == (Status.FAILED, 2, 1)
    assert result.message == f"2 of 3 records cannot be decoded: {reason}; see partition 0, offset 1"
    assert result.assertions[0].verdict.status is Status.PASSED


SHARED = {"type": "record", "name": "shop.Item", "fields": [{"name": "q", "type": "long"}]}
WITH_ITEM = {"type": "record", "name": "Order", "fields": [{"name": "i", "type": "shop.Item"}]}


@pytest.mark.parametrize(
    ("schema", "kind", "references", "value", "reason"),
    [
        ({"type": "nothing"}, "AVRO", [], b"\0", "schema 1 of the registry is not valid"),
        ({"type": "nothing"}, "JSON", [], b"{}", "schema 1 of the registry is not valid"),
        (WITH_ITEM, "AVRO", [], b"\2", "schema 1 of the registry is not valid"),
        (
            {"properties": {"a": {"pattern": "\\p{L}"}}},
            "JSON",
            [],
            b'{"a": "x"}',
            "schema 1 of the registry has a regular expression that is not supported",
        ),
        (
            {"properties": {"a": {"$ref": "http://127.0.0.1:1/x"}}},
            "JSON",
            [],
            b'{"a": 1}',
            "schema 1 of the registry refers to what the registry does not hold",
        ),
        (
            {"$ref": "gone.json"},
            "JSON",
            [{"name": "gone.json", "subject": "gone", "version": 1}],
            b"{}",
            "schema 1 of the registry refers to what the registry does not hold",
        ),
        ("syntax", "PROTOBUF", [], b"\0\2", "schema 1 of the registry is neither Avro nor JSON Schema"),
    ],
)
def test_what_is_wrong_with_the_registry_is_an_error_and_no_failure_of_the_data(
    broker: Broker,
    registry: Registry,
    tmp_path: Path,
    schema: object,
    kind: str,
    references: list[dict[str, Any]],
    value: bytes,
    reason: str,
) -> None:
    number = registry.add(kind, schema, references=references)
    values = [wire(number, value), b'{"id": 1}']
    result = run(tmp_path, broker, registry.url, values, "not_null: {columns: [id]}")
    assert result.status is Status.ERROR
    assert result.problems[0].message == f"1 of 2 records cannot be decoded: {reason}; see partition 0, offset 0"
    assert result.assertions[0].verdict.status is Status.PASSED


def test_a_schema_that_the_registry_does_not_have_is_an_error(
    broker: Broker, registry: Registry, tmp_path: Path
) -> None:
    result = run(tmp_path, broker, registry.url, [wire(999, b"\2")] * 2, "not_null: {columns: [id]}")
    assert (result.status, result.assertions) == (Status.ERROR, ())
    assert (
        result.message == "2 of 2 records cannot be decoded: the registry has no schema 999; see partition 0, offset 0"
    )
    assert registry.asked == ["/schemas/ids/999"]


def test_without_a_registry_the_wire_format_is_an_error(broker: Broker, tmp_path: Path) -> None:
    result = run(tmp_path, broker, None, [avro(1, ROW)], "not_null: {columns: [id]}")
    assert (result.status, result.assertions) == (Status.ERROR, ())
    assert "in the wire format of a schema registry, but the project names none" in result.message
    assert result.problems[0].hint == "add runtime.schema_registry with the registry's url"


@pytest.mark.parametrize("kind", ["AVRO", "JSON"])
def test_a_schema_that_refers_to_another_subject_is_decoded_and_judged(
    broker: Broker, registry: Registry, tmp_path: Path, kind: str
) -> None:
    shape = {"type": "object", "properties": {"q": {"type": "integer"}}}
    registry.subjects["item", 1] = registry.add(kind, SHARED if kind == "AVRO" else shape)
    reference = {"name": "item.json", "subject": "item", "version": 1}
    root = WITH_ITEM if kind == "AVRO" else {"type": "object", "properties": {"i": {"$ref": "item.json"}}}
    number = registry.add(kind, root, references=[reference])
    good = wire(number, b"\2" if kind == "AVRO" else b'{"i": {"q": 1}}')
    bad = wire(number, b"" if kind == "AVRO" else b'{"i": {"q": "z"}}')
    result = run(tmp_path, broker, registry.url, [good, good, bad], "not_null: {columns: [i.q]}")
    assert (result.counts.records, result.counts.undecodable) == (2, 1)
    assert result.assertions[0].verdict.status is Status.PASSED
    assert registry.asked == [f"/schemas/ids/{number}", "/subjects/item/versions/1"]


def test_a_schema_named_in_a_header_is_told_from_broken_bytes(broker: Broker, tmp_path: Path) -> None:
    topic = broker.create_topic()
    broker.produce(topic, [Row(b"\2\3", headers={"__value_schema_id": b"\1" + bytes(16)})])
    text = f"""\
runtime: {{kafka: {{bootstrap_servers: '{broker.address}'}}}}
sources: [{{name: orders, topic: {topic}}}]
tests: [{{name: t, source: orders, type: sample, assertions: [not_null: {{columns: [id]}}]}}]
"""
    assert "the schema is named in a record header, which is not supported" in run_one(tmp_path, text).message


@pytest.mark.parametrize(("status", "words"), [(401, "HTTP status 401"), (500, "HTTP status 500")])
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
    assert result.message == "the schema registry gives no schema: connection refused"
    assert "check url and ssl_ca_location of runtime.schema_registry" in (result.problems[0].hint or "")


@pytest.mark.parametrize(
    ("url", "schema", "words"),
    [
        (None, "{format: protobuf}", "source `orders` holds Protobuf, which cannot be decoded"),
        (None, "{format: avro}", "source `orders` holds Avro, but the project names no schema registry"),
        ("ftp://x", "{format: avro}", "runtime.schema_registry.url must begin with `https://` or `http://`"),
        ("http://me:SECRET@x", "{format: avro}", "must not hold a user name or a password"),
    ],
)
def test_what_cannot_be_decoded_at_all_is_an_error(
    broker: Broker, tmp_path: Path, url: str | None, schema: str, words: str
) -> None:
    result = run(tmp_path, broker, url, [b"{}"], "not_null: {columns: [id]}", f", schema: {schema}")
    assert result.status is Status.ERROR
    assert words in result.message
    assert "SECRET" not in repr(result)


def test_a_schema_that_refers_to_another_is_resolved(broker: Broker, registry: Registry, tmp_path: Path) -> None:
    number = registry.add("JSON", {"$ref": "#/$defs/order", "$defs": {"order": SHAPE}})
    result = run(tmp_path, broker, registry.url, [wire(number, b'{"id": 1}')], "not_null: {columns: [id]}")
    assert result.status is Status.PASSED


def answer_forever(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    with suppress(OSError):  # whoever asked has gone
        while True:
            handler.wfile.write(b" " * 100_000)


def answer_with_a_bomb(handler: BaseHTTPRequestHandler) -> None:
    body = gzip.compress(b" " * 50_000_000)
    handler.send_response(200)
    handler.send_header("Content-Encoding", "gzip")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def drip(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    with suppress(OSError):
        while True:
            handler.wfile.write(b" ")
            time.sleep(0.2)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (answer_forever, "the answer is too large"),
        (answer_with_a_bomb, "the answer is not JSON"),
        (drip, "timed out"),
    ],
)
def test_an_answer_of_the_registry_has_a_bound_on_bytes_and_time(
    broker: Broker, registry: Registry, tmp_path: Path, answer: Callable[[BaseHTTPRequestHandler], None], words: str
) -> None:
    registry.answer = answer
    values = [wire(1, b'{"id": 1}')]
    result = run(tmp_path, broker, registry.url, values, "not_null: {columns: [id]}", more=", timeout: 3s")
    assert result.status is Status.ERROR
    assert words in result.message


def test_no_proxy_is_asked(broker: Broker, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    number = registry.add("JSON", SHAPE)
    result = run(tmp_path, broker, registry.url, [wire(number, b'{"id": 1}')], "not_null: {columns: [id]}")
    assert result.status is Status.PASSED, result
