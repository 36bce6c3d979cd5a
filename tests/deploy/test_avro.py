"""Avro schemas: what is the same, what is not, and how Java prints it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt.deploy.avro import AvroError, canonical, java_text, parse


def record(*fields: Any, **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": "Order", "namespace": "shop", "fields": list(fields), **more}


ID = {"name": "id", "type": "long"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"type": "string"}, "string"),
        ({"type": {"type": "string"}}, "string"),
        (record(ID), {"type": "record", "name": "shop.Order", "fields": [ID]}),
        (record({**ID, "order": "ascending"}), record(ID)),
        (record({**ID, "doc": None}), record(ID)),
        (record(ID, aliases=[]), record(ID)),
        (record(ID, aliases=["Old"]), record(ID, aliases=["shop.Old"])),
        (
            record({"name": "next", "type": ["null", "Order"]}),
            record({"name": "next", "type": ["null", "shop.Order"]}),
        ),
        (
            record({"name": "a", "type": {"type": "enum", "name": "E", "symbols": ["X"]}}),
            record({"name": "a", "type": {"type": "enum", "name": "shop.E", "symbols": ["X"]}}),
        ),
        (
            record({"type": "long", "name": "id"}),
            record(ID),
        ),
    ],
)
def test_what_says_the_same_is_the_same(one: Any, other: Any) -> None:
    assert canonical(one) == canonical(other)
    assert java_text(one) == java_text(other)


@pytest.mark.parametrize(
    "other",
    [
        record({"name": "id", "type": "int"}),
        record({"name": "ID", "type": "long"}),
        record({**ID, "doc": "the number"}),
        record({**ID, "default": 0}),
        record({**ID, "default": None}),
        record({**ID, "order": "ignore"}),
        record(ID, doc="an order"),
        record(ID, ID),
        record({"name": "id", "type": {"type": "long", "logicalType": "timestamp-millis"}}),
        record(ID, namespace="other"),
        record(ID, aliases=["Old"]),
    ],
)
def test_what_says_something_else_is_different(other: Any) -> None:
    assert canonical(record(ID)) != canonical(other)


def test_a_schema_is_printed_as_java_prints_it() -> None:
    item = {
        "type": "record",
        "fields": [{"type": "double", "name": "price"}],
        "name": "Item",
        "namespace": "shop.parts",
    }
    schema: dict[str, Any] = {
        "namespace": "shop",
        "fields": [
            {
                "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}],
                "default": None,
                "doc": "t",
                "name": "at",
            },
            {"name": "items", "type": {"items": item, "type": "array"}},
            {"name": "again", "type": "shop.parts.Item"},
            {"name": "next", "type": ["null", "Order"], "default": None},
        ],
        "doc": "an order",
        "name": "Order",
        "type": "record",
    }
    assert java_text(schema) == (
        '{"type":"record","name":"Order","namespace":"shop","doc":"an order","fields":['
        '{"name":"at","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"t","default":null},'
        '{"name":"items","type":{"type":"array","items":{"type":"record","name":"Item","namespace":"shop.parts",'
        '"fields":[{"name":"price","type":"double"}]}}},'
        '{"name":"again","type":"shop.parts.Item"},'
        '{"name":"next","type":["null","Order"],"default":null}]}'
    )


@pytest.mark.parametrize(
    "schema",
    [
        5,
        None,
        {},
        {"type": 5},
        {"type": "record", "name": "R"},
        {"type": "record", "fields": []},
        {"type": "array"},
        record("x"),
        record({"name": "a"}),
        {"type": "record", "name": "R", "fields": "x"},
    ],
)
def test_what_is_no_schema_is_refused(schema: Any) -> None:
    with pytest.raises(AvroError):
        canonical(schema)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '"' + "a"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(AvroError):
        parse(text)


NAMES = st.sampled_from(["A", "B", "a.C", "a.b.D", "a.b.E"])
SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(["int", "string", {"type": "long", "logicalType": "x"}]),
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda values: {"type": "map", "values": values}, inner),
        st.lists(inner, max_size=3),
        st.builds(
            lambda name, types, doc: {
                "type": "record",
                "name": name,
                "doc": doc,
                "fields": [{"name": f"f{index}", "type": each} for index, each in enumerate(types)],
            },
            NAMES,
            st.lists(inner, max_size=3),
            st.none() | st.just("x"),
        ),
    ),
    max_leaves=8,
)


@given(SCHEMAS)
def test_printing_and_reading_change_nothing(schema: Any) -> None:
    text = java_text(schema)
    assert parse(text) == canonical(schema)
    assert java_text(json.loads(text)) == text
    assert canonical(canonical(schema)) == canonical(schema)
