"""Our reader of Avro beside fastavro's: the same values, but exact numbers, and no way to be led astray by bytes."""

import io
import json
import struct
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import fastavro
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamt.testing.decoding.avro import AvroDecoder
from streamt.testing.decoding.faults import Kind, Undecodable
from streamt.testing.values import exact

D = Decimal


def record(*fields: Any, **more: Any) -> dict[str, Any]:
    """Make the schema of a record with fields `a`, `b`, ... of these types."""
    named = [{"name": chr(ord("a") + index), "type": kind} for index, kind in enumerate(fields)]
    return {"type": "record", "name": "R", "fields": named, **more}


def written(schema: Any, value: Any) -> bytes:
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, fastavro.parse_schema(schema), value)
    return buffer.getvalue()


def decoded(schema: Any, data: bytes) -> Any:
    return AvroDecoder(json.dumps(schema))(data)


def fault(schema: Any, data: bytes) -> Kind:
    with pytest.raises(Undecodable) as caught:
        decoded(schema, data)
    return caught.value.fault.kind


PRIMITIVES: dict[str, st.SearchStrategy[Any]] = {
    "null": st.none(),
    "boolean": st.booleans(),
    "int": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**63), 2**63 - 1),
    "double": st.floats(allow_nan=False),
    "bytes": st.binary(max_size=20),
    "string": st.text(max_size=20),
}


def wrapped(inner: st.SearchStrategy[tuple[Any, Any]]) -> st.SearchStrategy[tuple[Any, Any]]:
    """Give pairs of a schema that holds others, and a value of it."""
    lists = inner.flatmap(
        lambda pair: st.integers(0, 3).map(lambda n: ({"type": "array", "items": pair[0]}, [pair[1]] * n))
    )
    maps = inner.map(lambda pair: ({"type": "map", "values": pair[0]}, {"k": pair[1], "": pair[1]}))
    unions = inner.filter(lambda pair: pair[0] != "null" and not isinstance(pair[0], list)).flatmap(
        lambda pair: st.sampled_from([(["null", pair[0]], pair[1]), (["null", pair[0]], None)])
    )
    return lists | maps | unions


PAIRS = st.recursive(
    st.sampled_from(sorted(PRIMITIVES)).flatmap(lambda kind: PRIMITIVES[kind].map(lambda value: (kind, value))),
    wrapped,
    max_leaves=5,
)


@given(st.lists(PAIRS, max_size=4))
@settings(max_examples=300)
def test_what_fastavro_writes_is_read_as_fastavro_reads_it(pairs: list[tuple[Any, Any]]) -> None:
    schema = record(*(kind for kind, _value in pairs))
    data = written(schema, {chr(ord("a") + index): value for index, (_kind, value) in enumerate(pairs)})
    expected = fastavro.schemaless_reader(io.BytesIO(data), fastavro.parse_schema(schema), None)
    assert decoded(schema, data) == exact(expected)


@given(st.binary(max_size=40))
@settings(max_examples=300)
def test_no_bytes_raise_anything_but_a_fault(data: bytes) -> None:
    schema = record("string", {"type": "array", "items": ["null", "long", "R"]}, {"type": "map", "values": "double"})
    try:
        found = set(decoded(schema, data))
    except Undecodable as error:
        found = {error.fault.kind}
    assert found == {"a", "b", "c"} or found <= {Kind.NOT_AVRO, Kind.TOO_DEEP, Kind.DUPLICATE_KEY}


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=500)
def test_a_float_is_the_shortest_decimal_at_its_own_width(bits: int) -> None:
    (number,) = struct.unpack("<f", data := struct.pack("<I", bits))
    found = decoded(record("float"), data)["a"]
    if number - number:
        assert repr(found) == repr(number)
        return
    assert struct.pack("<f", float(found)) == data
    digits = len(found.normalize().as_tuple().digits)
    shorter = D(f"{number:.{digits - 1}g}") if digits > 1 else None
    assert shorter is None or struct.pack("<f", float(shorter)) != data


def test_a_float_of_a_tenth_is_a_tenth() -> None:
    assert decoded(record("float", "double"), struct.pack("<fd", 0.1, 0.1)) == {"a": D("0.1"), "b": D("0.1")}


DAY = date(2026, 11, 30)
MOMENT = datetime(2026, 11, 30, 8, 0, 0, 123456, tzinfo=UTC)
MICROS = int((MOMENT - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1))


def typed(base: str, logical: str, /, **more: Any) -> dict[str, Any]:
    return {"type": base, "logicalType": logical, **more}


def number(value: int) -> bytes:
    """Write a number as Avro does."""
    zigzag, data = (value << 1) ^ (value >> 63), b""
    while zigzag > 0x7F:
        data, zigzag = data + bytes([zigzag & 0x7F | 0x80]), zigzag >> 7
    return data + bytes([zigzag])


@pytest.mark.parametrize(
    ("kind", "data", "value"),
    [
        (typed("int", "date"), number(DAY.toordinal() - date(1970, 1, 1).toordinal()), DAY),
        (typed("int", "time-millis"), number(3_600_001), time(1, 0, 0, 1000)),
        (typed("long", "time-micros"), number(1), time(0, 0, 0, 1)),
        (typed("long", "timestamp-millis"), number(MICROS // 1000), MOMENT.replace(microsecond=123000)),
        (typed("long", "timestamp-micros"), number(MICROS), MOMENT),
        (typed("long", "timestamp-micros"), number(-1), datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)),
        (typed("long", "local-timestamp-micros"), number(MICROS), MOMENT.replace(tzinfo=None)),
        (typed("bytes", "decimal", precision=6, scale=2), b"\4\4\xd2", D("12.34")),
        (typed("bytes", "decimal", precision=40, scale=39), b"\2\xff", D("-1E-39")),
        (typed("string", "uuid"), b"\x48" + str(UUID(int=5)).encode(), UUID(int=5)),
        (typed("fixed", "uuid", name="U", size=16), UUID(int=5).bytes, UUID(int=5)),
    ],
)
def test_logical_types_are_what_they_say(kind: Any, data: bytes, value: Any) -> None:
    decoder = AvroDecoder(json.dumps(record(kind)))
    assert decoder(data) == {"a": value}
    assert decoder.unknown_types == {}


@pytest.mark.parametrize(("prefix", "zone"), [("", "+00:00"), ("local-", "")])
def test_nanoseconds_are_times_and_none_is_lost(prefix: str, zone: str) -> None:
    found = decoded(record(typed("long", f"{prefix}timestamp-nanos")), number(MICROS * 1000 + 789))["a"]
    assert isinstance(found, datetime)
    assert found.isoformat() == f"2026-11-30T08:00:00.123456789{zone}"
    assert str(found) == f"2026-11-30 08:00:00.123456789{zone}"


@pytest.mark.parametrize(
    ("kind", "data", "name"),
    [
        (typed("fixed", "duration", name="D", size=12), bytes(12), "duration"),
        (typed("long", "timestamp-weeks"), b"\2", "timestamp-weeks"),
        (typed("bytes", "decimal", precision=1, scale=2), b"\2\1", "decimal"),
        ({"type": "long", "connect.name": "io.debezium.time.MicroTimestamp"}, b"\2", "io.debezium.time.MicroTimestamp"),
        (["null", typed("long", "odd")], b"\2\2", "odd"),
    ],
)
def test_a_logical_type_that_is_not_known_is_named(kind: Any, data: bytes, name: str) -> None:
    decoder = AvroDecoder(json.dumps(record({"type": "record", "name": "I", "fields": [{"name": "x", "type": kind}]})))
    assert not isinstance(decoder(data)["a"]["x"], (datetime, Decimal))
    assert decoder.unknown_types == {"a.x": name}


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("long", b"", Kind.NOT_AVRO),
        ("long", b"\xff" * 9 + b"\2", Kind.NOT_AVRO),
        ("long", b"\xff" * 100_000 + b"\1", Kind.NOT_AVRO),
        ("int", number(2**31), Kind.NOT_AVRO),
        ("long", b"\2\0", Kind.NOT_AVRO),
        ("boolean", b"\2", Kind.NOT_AVRO),
        ("string", b"\4x", Kind.NOT_AVRO),
        ("string", b"\1", Kind.NOT_AVRO),
        ("string", b"\2\xff", Kind.NOT_AVRO),
        ({"type": "enum", "name": "E", "symbols": ["x"]}, b"\2", Kind.NOT_AVRO),
        (["null"], b"\2", Kind.NOT_AVRO),
        ({"type": "array", "items": "null"}, b"\x80\x80\x80\x80\x40\0", Kind.NOT_AVRO),
        ({"type": "array", "items": "null"}, b"\xff\xff\xff\xff\x7f\2\0", Kind.NOT_AVRO),
        ({"type": "map", "values": "null"}, b"\4\2k\2k\0", Kind.DUPLICATE_KEY),
        (["null", "R"], b"\2" * 101 + b"\0", Kind.TOO_DEEP),
        (["null", "R"], b"\2" * 100_000 + b"\0", Kind.TOO_DEEP),
        (typed("int", "date"), number(2**31 - 1), Kind.TIME_RANGE),
        (typed("long", "time-micros"), number(-1), Kind.TIME_RANGE),
        (typed("bytes", "decimal", precision=4), number(4000) + b"\x7f" * 4000, Kind.NUMBER),
    ],
)
def test_bytes_that_are_not_what_the_schema_says_are_a_fault(kind: Any, data: bytes, expected: Kind) -> None:
    assert fault(record(kind), data) == expected


def test_a_value_that_is_no_record_is_a_fault() -> None:
    assert fault("long", b"\2") == Kind.NO_RECORD


@pytest.mark.parametrize(
    "schema",
    [
        "x",
        [],
        {"type": "nothing"},
        {"type": "record", "name": "R"},
        record("Other"),
        record("long", name=5),
        {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}, {"name": "a", "type": "int"}]},
        record({"type": "fixed", "name": "F", "size": -1}),
        record({"type": "enum", "name": "R", "symbols": []}),
        record(["null", ["int"]]),
        record({"type": "array"}),
    ],
)
def test_a_schema_that_is_not_valid_is_a_fault_of_the_schema(schema: Any) -> None:
    with pytest.raises(Undecodable) as caught:
        AvroDecoder(json.dumps(schema))
    assert caught.value.fault.kind is Kind.BAD_SCHEMA


@pytest.mark.parametrize("text", ["", "{", "[" * 10_000, '{"type": ' * 200 + "1" + "}" * 200])
def test_what_is_no_json_is_no_schema(text: str) -> None:
    with pytest.raises(Undecodable) as caught:
        AvroDecoder(text)
    assert caught.value.fault.kind is Kind.BAD_SCHEMA


def test_names_are_found_in_their_namespaces_and_in_references() -> None:
    shared = {"type": "fixed", "name": "shop.Code", "size": 2}
    inner = {
        "type": "record",
        "name": "I",
        "fields": [{"name": "x", "type": "Code"}, {"name": "y", "type": "shop.Code"}],
    }
    schema = record(inner, "I", namespace="shop")
    decoder = AvroDecoder(json.dumps(schema), [json.dumps(shared)])
    assert decoder(b"abcdefgh") == {"a": {"x": b"ab", "y": b"cd"}, "b": {"x": b"ef", "y": b"gh"}}
