"""What the schemas look at is derived, and a keyword that looks at more stops the build by name."""

from typing import Any

import pytest

from codegen.pins import CodegenError
from codegen.shapes import looked_at
from codegen.sources import Sources
from streamt.docs.schemas import shapes
from tests.codegen.made_up import TEXT, closed

BASE = "https://example.org/case.json"


def looked(schema: dict[str, Any]) -> tuple[list[str], list[str]]:
    found = looked_at({BASE: schema | {"$id": BASE}})
    return sorted(found.texts), sorted(found.numbers)


def test_what_is_committed_is_what_the_pins_say(sources: Sources) -> None:
    found = looked_at(sources.written)
    assert (frozenset(found.texts), frozenset(found.numbers)) == (shapes.TEXTS, shapes.NUMBERS)


URI = {"type": "string", "format": "uri"}


@pytest.mark.parametrize(
    ("schema", "texts", "numbers"),
    [
        (closed((), a=TEXT, b={"type": "integer"}), [], []),
        (closed((), a=URI), ["a"], []),
        (closed((), a={"enum": ["x"]}), ["a"], ["a"]),
        (closed((), a={"const": 1}), ["a"], ["a"]),
        (closed((), a={"type": "integer", "minimum": 1}), [], ["a"]),
        (closed((), a={"type": "number", "exclusiveMaximum": 1.5}), [], ["a"]),
        (closed((), a={"type": "array", "items": {"type": "array", "items": URI}}), ["a"], []),
        (closed((), a={"anyOf": [TEXT, {"oneOf": [{"not": {"const": "x"}}]}]}), ["a"], ["a"]),
        (closed((), a={"if": {"const": 1}, "then": TEXT, "else": URI}), ["a"], ["a"]),
        (closed((), a=closed((), b=URI)), ["b"], []),
        (closed((), a={"$ref": "#/$defs/Uri"}) | {"$defs": {"Uri": URI}}, ["a"], []),
        (closed((), a={"$ref": "#/$defs/Tree"}) | {"$defs": {"Tree": closed((), b={"$ref": "#/$defs/Tree"})}}, [], []),
        ({"additionalProperties": closed((), a=URI)}, ["a"], []),
        ({"propertyNames": {"pattern": "x"}, "minProperties": 1, "dependentRequired": {"a": ["b"]}}, [], []),
    ],
)
def test_the_names_are_found(schema: dict[str, Any], texts: list[str], numbers: list[str]) -> None:
    assert looked(schema) == (texts, numbers)


MORE = {
    "pattern": "x",
    "minLength": 1,
    "maxLength": 1,
    "multipleOf": 2,
    "uniqueItems": True,
    "minItems": 1,
    "maxItems": 1,
    "contains": TEXT,
    "minContains": 1,
    "maxContains": 1,
    "prefixItems": [TEXT],
    "unevaluatedItems": False,
    "unevaluatedProperties": False,
    "patternProperties": {"x": TEXT},
    "dependentSchemas": {"x": TEXT},
    "contentEncoding": "base64",
    "$dynamicRef": "#x",
    "unheardOf": 1,
}


@pytest.mark.parametrize(("keyword", "value"), MORE.items(), ids=MORE)
def test_a_keyword_that_looks_at_more_stops_by_name(keyword: str, value: object) -> None:
    with pytest.raises(CodegenError) as caught:
        looked(closed((), a={"$ref": "#/$defs/A"}) | {"$defs": {"A": {"anyOf": [{keyword: value}]}}})
    start = f"{BASE}, at a value under `a`: the keyword `{keyword}` looks at more of a value"
    assert str(caught.value).startswith(start)
    assert "codegen/shapes.py" in str(caught.value)


@pytest.mark.parametrize("schema", [URI, {"type": "integer", "minimum": 1}, {"enum": ["A"]}])
def test_a_value_without_a_name_of_its_own_stops(schema: dict[str, Any]) -> None:
    with pytest.raises(CodegenError, match=r"at a value under any name: the keyword .* no name of its own"):
        looked({"additionalProperties": {"type": "array", "items": schema}})


@pytest.mark.parametrize("schema", [{"const": {}}, {"enum": ["A", []]}])
def test_a_constant_that_is_no_scalar_stops(schema: dict[str, Any]) -> None:
    with pytest.raises(CodegenError, match="with an object or an array is not supported"):
        looked(closed((), a=schema))
