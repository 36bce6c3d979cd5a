"""Two events of one shape get one verdict: the premise on which the validator sees one event of each shape."""

import copy
import json
import random
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from codegen.shapes import looked_at
from streamt.openlineage import conformance, schemas
from streamt.openlineage.conformance import Conformance
from streamt.openlineage.shapes import shaper

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
PRODUCER = "https://github.com/conduktor/streamt"
CORE = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs"
RUN_ID = "4f4cf6c8-2a76-4a11-8f2b-6f6e3b8f2f10"


def shape(value: Any) -> Any:
    tables = schemas.tables()
    return shaper(tables.texts, tables.numbers, conformance.formats())(value)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"name": "a"}, {"name": "b"}),
        ({"x": 1}, {"x": -7}),
        ({"x": True}, {"x": False}),
        ({"eventTime": "2026-01-02T12:00:00Z"}, {"eventTime": "2027-01-02T12:00:00.5+01:00"}),
        ({"runId": RUN_ID}, {"runId": "019d39b5-2600-7000-8000-000000000001"}),
        ({"x": ["a", "b", "c"]}, {"x": ["d"]}),
        ({"x": [{"y": "a"}, {"z": 1}]}, {"x": [{"z": 2}, {"y": "b"}, {"y": "c"}]}),
    ],
)
def test_these_have_one_shape(first: Any, second: Any) -> None:
    assert shape(first) == shape(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"name": "a"}, {"nome": "a"}),
        ({"eventTime": "a"}, {"eventTime": "b"}),
        ({"eventTime": "2026-01-02T12:00:00Z"}, {"eventTime": "2026-01-02T12:00:00"}),
        ({"runId": RUN_ID}, {"runId": RUN_ID.replace("-", "")}),
        ({"_schemaURL": ["a"]}, {"_schemaURL": ["b"]}),
        ({"windowDuration": 0}, {"windowDuration": 1}),
        ({"windowDuration": 1}, {"windowDuration": True}),
        ({"x": 1}, {"x": True}),
        ({"x": 1}, {"x": 1.0}),
        ({"x": 1.0}, {"x": 1.5}),
        ({"x": "a"}, {"x": None}),
        ({"x": {}}, {"x": []}),
        ({"x": []}, {"x": ["a"]}),
        ({"x": ["a"]}, {"x": ["a", 1]}),
        ({"x": "int"}, {"x": 1}),
    ],
)
def test_these_have_two_shapes(first: Any, second: Any) -> None:
    assert shape(first) != shape(second)


# What Draft 2020-12 says of each keyword that the pins use, case by case: a schema, what it takes, what it refuses.
CASES: dict[str, tuple[dict[str, Any], list[Any], list[Any]]] = {
    "type": (
        {"properties": {"a": {"type": "integer"}, "b": {"type": "number"}, "c": {"type": "string"}}},
        [{"a": 1}, {"a": 1.0}, {"b": 1}, {"b": 1.5}, {"c": ""}, {}, [], 5, {"d": None}],
        [{"a": 1.5}, {"a": "1"}, {"a": True}, {"b": True}, {"b": None}, {"c": 1}, {"c": None}, {"c": ["x"]}],
    ),
    "type of a compound": (
        {"properties": {"a": {"type": "object"}, "b": {"type": "array"}, "c": {"type": "boolean"}}},
        [{"a": {}}, {"b": []}, {"b": [1]}, {"c": False}, {"c": True}],
        [{"a": []}, {"b": {}}, {"b": "x"}, {"c": 0}, {"c": "true"}, {"a": None}],
    ),
    "several types": ({"properties": {"a": {"type": ["string", "null"]}}}, [{"a": "x"}, {"a": None}], [{"a": 1}]),
    "properties": (
        {"properties": {"a": {"properties": {"b": {"type": "string"}}}}},
        [{"a": {"b": "x"}}, {"a": {"c": 1}}, {"a": 1}, {"c": {"b": 1}}],
        [{"a": {"b": 1}}],
    ),
    "required": (
        {"required": ["a", "b"]},
        [{"a": None, "b": 1}, {"a": 1, "b": 2, "c": 3}, [], "x"],
        [{}, {"a": 1}, {"b": 1, "c": 2}],
    ),
    "additionalProperties": (
        {"properties": {"a": {}}, "additionalProperties": {"type": "object"}},
        [{"a": 1}, {"b": {}}, {"a": [], "b": {"c": 1}}],
        [{"b": 1}, {"a": {}, "c": "x"}],
    ),
    "no additionalProperties": (
        {"properties": {"a": {}}, "additionalProperties": False},
        [{}, {"a": 1}],
        [{"b": 1}, {"a": 1, "A": 1}],
    ),
    "items": (
        {"properties": {"a": {"items": {"required": ["b"]}}}},
        [{"a": []}, {"a": [{"b": 1}]}, {"a": [{"b": 1}, {"b": 2}]}, {"a": {}}, {"a": [1]}],
        [{"a": [{}]}, {"a": [{"b": 1}, {}]}, {"a": [{}, {"b": 1}]}],
    ),
    "allOf": (
        {"allOf": [{"required": ["a"]}, {"properties": {"b": {"type": "string"}}}]},
        [{"a": 1}, {"a": 1, "b": "x"}],
        [{"b": "x"}, {"a": 1, "b": 1}],
    ),
    "anyOf": (
        {"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]}}},
        [{"a": "x"}, {"a": []}, {"a": [1, 2]}],
        [{"a": 1}, {"a": ["x"]}, {"a": [1, "x"]}, {"a": None}],
    ),
    "oneOf": (
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        [{"a": 1}, {"b": 1}, {"a": 1, "c": 1}],
        [{}, {"a": 1, "b": 1}],
    ),
    "not": ({"not": {"required": ["a", "b"]}}, [{}, {"a": 1}, {"b": 1}], [{"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 1}]),
    "enum": (
        {"properties": {"a": {"enum": ["x", 1, None]}}},
        [{"a": "x"}, {"a": 1}, {"a": 1.0}, {"a": None}],
        [{"a": "X"}, {"a": True}, {"a": 0}, {"a": "1"}, {"a": []}],
    ),
    "const": ({"properties": {"a": {"const": "x"}}}, [{"a": "x"}, {}], [{"a": "y"}, {"a": ["x"]}, {"a": None}]),
    "const of a boolean": (
        {"properties": {"a": {"const": True}}},
        [{"a": True}, {}],
        [{"a": False}, {"a": 1}, {"a": 1.0}, {"a": "true"}],
    ),
    "format": (
        {"properties": {"a": {"format": "uuid"}, "b": {"items": {"format": "date-time"}}}},
        [{"a": RUN_ID}, {"a": RUN_ID.upper()}, {"a": 5}, {"b": ["2026-01-02T12:00:00Z"]}, {"b": []}],
        [{"a": "x"}, {"a": ""}, {"b": ["2026-01-02"]}, {"b": ["2026-01-02T12:00:00Z", "2026-01-02T12:00:00"]}],
    ),
    "minimum": (
        {"properties": {"a": {"minimum": 1}}},
        [{"a": 1}, {"a": 1.0}, {"a": 2}, {"a": "0"}, {"a": True}, {"a": False}],
        [{"a": 0}, {"a": 0.9}, {"a": -1}],
    ),
    "exclusiveMaximum": ({"properties": {"a": {"exclusiveMaximum": 3}}}, [{"a": 2}, {"a": 2.9}], [{"a": 3}, {"a": 9}]),
    "$ref": (
        {"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["b"]}}},
        [{"b": 1}, {"a": {"b": 1}, "b": 1}],
        [{}, {"a": {}, "b": 1}, {"a": {"a": {}, "b": 1}, "b": 1}],
    ),
    "dependentRequired": (
        {"dependentRequired": {"a": ["b"]}},
        [{}, {"b": 1}, {"a": 1, "b": 1}],
        [{"a": 1}, {"a": 1, "c": 1}],
    ),
    "propertyNames": ({"propertyNames": {"enum": ["a"]}}, [{}, {"a": 1}], [{"b": 1}, {"a": 1, "b": 1}]),
    "if, then, else": (
        {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}},
        [{"a": 1, "b": 1}, {"c": 1}],
        [{"a": 1}, {"b": 1}, {}],
    ),
}


@pytest.mark.parametrize(("schema", "good", "bad"), CASES.values(), ids=CASES)
def test_a_keyword_means_what_the_standard_says_and_its_shapes_tell(
    schema: dict[str, Any], good: list[Any], bad: list[Any]
) -> None:
    base = "https://example.org/case.json"
    looked = looked_at({base: schema | {"$id": base}})
    make = shaper(frozenset(looked.texts), frozenset(looked.numbers))
    validator = Draft202012Validator(schema, format_checker=schemas.format_checker())
    judged = [(value, validator.is_valid(value)) for value in [*good, *bad]]
    assert [verdict for _, verdict in judged] == [True] * len(good) + [False] * len(bad)
    for (first, verdict), (second, other) in combinations(judged, 2):
        assert make(first) != make(second) or verdict == other, (first, second)


def test_every_keyword_of_the_packed_schemas_has_its_cases() -> None:
    used = set().union(*(keywords(document) for document in schemas.documents().values()))
    shown = set().union(*(keywords(schema) for schema, _, _ in CASES.values()))
    assert used <= shown


def keywords(schema: Any) -> set[str]:
    """Collect the keywords of a schema that are no annotation."""
    found: set[str] = set()
    for keyword, value in schema.items() if isinstance(schema, dict) else ():
        if keyword in {"$id", "$schema", "description", "example", "title", "default", "$comment"}:
            continue
        found.add(keyword)
        if keyword in {"properties", "$defs"}:
            found = found.union(*map(keywords, value.values()))
        elif keyword in {"allOf", "anyOf", "oneOf"}:
            found = found.union(*map(keywords, value))
        elif keyword in {"items", "not", "additionalProperties"}:
            found |= keywords(value)
    return found - {"$defs"}


def run_events() -> Iterator[dict[str, Any]]:
    facet: dict[str, Any] = {"_producer": PRODUCER}
    urls = {(entity, key): schema.url for (entity, key), schema in schemas.facets().items()}
    job = {"namespace": "n", "name": "j"}
    inputs = [{"field": "a", "name": "t", "namespace": "n", "transformations": [{"type": "DIRECT", "masking": True}]}]
    interval = {"nominalStartTime": "2026-01-02T12:00:00Z", "nominalEndTime": "2026-01-03T00:00:00Z"}
    bodies: dict[tuple[str, str], dict[str, Any]] = {
        ("RunFacet", "errorMessage"): {"message": "m", "programmingLanguage": "PYTHON"},
        ("RunFacet", "nominalTime"): interval,
        ("RunFacet", "parent"): {"job": job, "run": {"runId": RUN_ID}, "root": {"job": job, "run": {"runId": RUN_ID}}},
        ("RunFacet", "processing_engine"): {"name": "streamt", "version": "1"},
        ("JobFacet", "sql"): {"dialect": "flink", "query": "SELECT 1"},
        ("JobFacet", "jobType"): {
            "emissionPattern": {"eventContentMode": "A", "eventTrigger": "PERIODIC", "windowDuration": 5},
            "integration": "I",
            "processingType": "BATCH",
        },
        ("DatasetFacet", "columnLineage"): {"dataset": inputs, "fields": {"a": {"inputFields": inputs * 2}}},
        ("DatasetFacet", "schema"): {"fields": [{"name": "a", "fields": [{"name": "b", "ordinal_position": 1}]}]},
    }
    facets: dict[str, dict[str, Any]] = {"RunFacet": {}, "JobFacet": {}, "DatasetFacet": {}}
    for (entity, key), body in bodies.items():
        facets[entity][key] = facet | {"_schemaURL": urls[entity, key]} | body
    event = {"eventTime": "2026-01-02T12:00:00Z", "producer": PRODUCER, "schemaURL": f"{CORE}/RunEvent"}
    for event_type in ("START", "COMPLETE", "FAIL"):
        yield event | {
            "eventType": event_type,
            "inputs": [job | {"facets": facets["DatasetFacet"]}, {"name": "u", "namespace": "n"}],
            "job": job | {"facets": facets["JobFacet"]},
            "outputs": [{"name": "v", "namespace": "n", "facets": facets["DatasetFacet"]}],
            "run": {"runId": RUN_ID, "facets": facets["RunFacet"]},
        }


def base_events() -> list[dict[str, Any]]:
    lines = [line for path in sorted(GOLDEN.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    return [*map(json.loads, lines), *run_events()]


WORDS = ("", "x", "2026-01-02T12:00:00Z", "2026-01-02", RUN_ID, "https://example.org/x", "START", "not a uri")
SCALARS = (None, True, False, 0, 1, 7, 1.0, 1.5, *WORDS)
OTHERS: tuple[Any, ...] = (*SCALARS, [], {}, ["x"], [1, "x"], {"name": "x"}, [{"name": "x"}, {}])


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Give each object or list in `value` with each of its names or indexes."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield value, key
        yield from places(item)


def bend(event: Any, chance: random.Random) -> None:
    """Change one place of `event`: take it away, put something else there, rename it, double it, add beside it."""
    place, key = chance.choice([*places(event)])
    match chance.randrange(5):
        case 0:
            del place[key]
        case 1:
            place[key] = copy.deepcopy(chance.choice(OTHERS))
        case 2 if isinstance(place, dict):
            place[chance.choice(["x", "name", "run", "facets", "_schemaURL", "fields"])] = place.pop(key)
        case 3 if isinstance(place, list):
            place.insert(chance.randrange(len(place) + 1), copy.deepcopy(place[key]))
        case _ if isinstance(place, dict):
            place[chance.choice(["x", "inputs", "job", "dataset", "eventType"])] = copy.deepcopy(chance.choice(OTHERS))


def twin(value: Any, chance: random.Random, name: str = "") -> Any:
    """Make another value of the same shape: other texts and numbers where they do not count, lists in another order."""
    tables = schemas.tables()
    if isinstance(value, dict):
        return {key: twin(item, chance, key) for key, item in value.items()}
    if isinstance(value, list):
        items = [twin(item, chance, name) for item in value for _ in range(chance.choice([1, 1, 2]))]
        chance.shuffle(items)
        return items
    if isinstance(value, str) and name not in tables.texts:
        return chance.choice(WORDS)
    if type(value) in {int, bool} and name not in tables.numbers:
        return type(value)(chance.randrange(-2, 2))
    return value


def refused(event: Any) -> set[tuple[str, str]]:
    """Give what the real validator refuses, and where, whatever item of a list it is."""
    return {
        (each.message, "/".join("*" if part.isdigit() else part for part in each.place.split("/")))
        for each in conformance.violations(event)
    }


EVENTS_FOR_EACH_SEED = 5_000


@pytest.mark.parametrize("seed", range(4))
def test_equal_shape_equal_verdict_equal_paths(seed: int) -> None:
    chance = random.Random(seed)
    originals = base_events()
    known: dict[Any, set[tuple[str, str]]] = {}
    judge = Conformance()
    good = 0
    for _ in range(EVENTS_FOR_EACH_SEED):
        event = copy.deepcopy(chance.choice(originals))
        for _ in range(chance.choice([0, 1, 1, 1, 2, 3])):
            bend(event, chance)
        other = twin(event, chance)
        made = shape(event)
        assert shape(other) == made
        verdict = known.setdefault(made, refused(event))
        assert refused(other) == verdict
        assert {each.message for each in judge.violations(event)} == {message for message, _ in verdict}
        good += not verdict
    assert EVENTS_FOR_EACH_SEED / 10 < good < EVENTS_FOR_EACH_SEED * 9 / 10


def test_the_validator_sees_one_event_of_each_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    real = conformance.violations

    def counted(event: Any) -> list[conformance.Violation]:
        seen.append(event)
        return real(event)

    monkeypatch.setattr(conformance, "violations", counted)
    judge = Conformance()
    event = base_events()[-1]
    chance = random.Random(1)
    for _ in range(50):
        assert judge.violations(twin(event, chance)) == []
    assert (len(seen), judge.shapes) == (1, 1)


def test_an_event_that_is_refused_is_judged_itself() -> None:
    judge = Conformance()
    event = base_events()[-1]
    event["inputs"] = [{"name": "t"}, {"name": "t", "namespace": "n"}]
    assert [each.place for each in judge.violations(event)] == [""]
    facets = event["job"]["facets"]
    event["inputs"] = []
    facets["sql"]["query"] = 1
    assert [each.place for each in judge.violations(event)] == ["/job/facets/sql/query"]
    assert judge.shapes == 0


def test_the_memory_of_shapes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "MOST_SHAPES", 3)
    judge = Conformance()
    event = base_events()[0]
    for number in range(20):
        assert judge.violations(event | {"producer": f"https://example.com/{number}"}) == []
        assert judge.shapes <= 3
    before = judge.shapes
    assert judge.violations(event | {"producer": "https://example.com"}, conformance.LONGEST_LINE + 1) == []
    assert judge.shapes <= before


def properties(schema: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {}).items()
        for value in schema.values():
            yield from properties(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from properties(value)


def test_of_ids_and_times_every_schema_looks_at_the_format_alone() -> None:
    said = {"type", "format", "description", "example"}
    seen = set()
    for document in schemas.documents().values():
        for name, described in properties(document):
            if name in conformance.FORMATTED:
                seen.add(name)
                assert described.keys() <= said
                assert (described["type"], described["format"]) == ("string", conformance.FORMATTED[name])
    assert seen == set(conformance.FORMATTED)
