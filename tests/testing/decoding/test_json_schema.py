"""JSON Schemas of a registry: references within what the registry gave, exact numbers, nothing fetched."""

import json
import socket
from typing import Any

import pytest

from streamt.testing.decoding.faults import Kind, Undecodable
from streamt.testing.decoding.json_schema import JsonSchemaDecoder

ITEM = {"type": "object", "properties": {"q": {"type": "integer"}}}


def outcome(schema: Any, value: bytes, references: dict[str, Any] | None = None) -> Any:
    """Give the record, or the kind of fault."""
    texts = {name: json.dumps(each) for name, each in (references or {}).items()}
    try:
        return JsonSchemaDecoder(json.dumps(schema), texts)(value)
    except Undecodable as error:
        return error.fault.kind


@pytest.mark.parametrize(
    ("base", "name", "ref"),
    [
        (None, "item.json", "item.json"),
        ("http://example.com/order.json", "item.json", "item.json"),
        ("http://example.com/order.json", "http://example.com/item.json", "item.json"),
        (None, "urn:item", "urn:item"),
    ],
)
def test_a_reference_is_found_by_the_name_that_the_registry_gave(base: str | None, name: str, ref: str) -> None:
    schema: dict[str, Any] = {"properties": {"i": {"$ref": ref}}} | ({"$id": base} if base else {})
    assert outcome(schema, b'{"i": {"q": 1}}', {name: ITEM}) == {"i": {"q": 1}}
    assert outcome(schema, b'{"i": {"q": "z"}}', {name: ITEM}) == Kind.REFUSED


def test_references_may_refer_to_each_other() -> None:
    items = {"type": "array", "items": {"$ref": "item.json"}}
    schema = {"properties": {"l": {"$ref": "items.json"}}}
    references = {"item.json": ITEM, "items.json": items}
    assert outcome(schema, b'{"l": [{"q": 1}]}', references) == {"l": [{"q": 1}]}
    assert outcome(schema, b'{"l": [{"q": 1.5}]}', references) == Kind.REFUSED


def test_nothing_is_ever_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/schema"
        for schema in ({"properties": {"a": {"$ref": url}}}, {"$schema": url, "$ref": f"{url}#/x"}):
            assert outcome(schema, b'{"a": 1}') == Kind.UNKNOWN_REFERENCE
        with pytest.raises(TimeoutError):
            server.accept()


@pytest.mark.parametrize(
    ("schema", "value", "accepted"),
    [
        ({"type": "integer"}, "1.0", True),
        ({"type": "integer"}, "1e2", True),
        ({"type": "integer"}, "1.5", False),
        ({"type": "integer"}, "true", False),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}, "1.0", False),
        ({"type": "number"}, "1.5", True),
        ({"enum": [0.1]}, "0.1", True),
        ({"const": 1}, "true", False),
        ({"maximum": 0.1}, "0.1000000000000000055511151231257827", False),
        ({"multipleOf": 0.01}, "1.15", True),
        ({"multipleOf": 0.01}, "1.155", False),
        ({"multipleOf": 0.01}, "1e300000", True),
        ({"multipleOf": 3}, "1e999999999", False),
        ({"multipleOf": 1e-7}, "0.00000015", False),
        ({"multipleOf": 5}, "0.0", True),
        ({"multipleOf": 5}, '"x"', True),
    ],
)
def test_numbers_are_held_against_the_schema_as_they_are_written(
    schema: dict[str, Any], value: str, accepted: bool
) -> None:
    draft = {key: schema.pop(key) for key in ("$schema",) if key in schema}
    found = outcome({**draft, "properties": {"a": schema}}, b'{"a": ' + value.encode() + b"}")
    assert (found != Kind.REFUSED) is accepted


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "nothing"}, Kind.BAD_SCHEMA),
        ("x", Kind.BAD_SCHEMA),
        ({"$ref": "#"}, Kind.BAD_SCHEMA),
        ({"properties": {"a": {"pattern": "\\p{L}"}}}, Kind.PATTERN),
        ({"$ref": "#/definitions/gone"}, Kind.UNKNOWN_REFERENCE),
        (False, Kind.REFUSED),
    ],
)
def test_what_is_wrong_with_a_schema_is_told_from_what_is_wrong_with_a_record(schema: Any, kind: Kind) -> None:
    assert outcome(schema, b'{"a": "x"}') == kind


def test_a_schema_may_follow_a_record_a_hundred_levels_down() -> None:
    schema = {"type": "object", "properties": {"n": {"$ref": "#"}}}
    assert outcome(schema, b'{"n": ' * 40 + b"{}" + b"}" * 40)
    assert outcome(schema, b"[]") == Kind.NO_OBJECT
