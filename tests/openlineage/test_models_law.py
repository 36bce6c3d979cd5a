"""Model and schema agree: whatever is thrown at them, they accept and refuse the same."""

import copy
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pydantic
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from codegen.compose import compose
from codegen.pins import load
from streamt.openlineage import models, schemas

BUNDLE = load(Path(__file__).resolve().parents[2] / "schemas")
COMPOSED = compose(BUNDLE.documents, BUNDLE.core_id)
VALIDATORS = {
    name: Draft202012Validator(
        {"$ref": f"#/$defs/{name}", "$defs": COMPOSED["$defs"]}, format_checker=schemas.format_checker()
    )
    for name in COMPOSED["$defs"]
}
EVENTS = ("DatasetEvent", "JobEvent", "RunEvent")
FACETS = {facet.url.rsplit("/", 1)[-1]: facet for facet in schemas.facets().values()}

texts = st.text(max_size=6)
date_times = st.one_of(
    # Years that UTC can write, whatever the offset: a model refuses the others, which the schema lets pass.
    st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.timezones()).map(lambda time: time.isoformat()),
    st.from_regex(
        r"20[0-9]{2}-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{1,9})?([Zz]|[+-]\d\d:\d\d)?"
    ),
    st.sampled_from(["1700000000", "2026-01-02", "2026-01-02T12:00:00Z", "2026-01-02T12:00:00Z\n"]),
)
uuids = st.one_of(
    st.uuids().map(str),
    st.uuids().map(lambda value: str(value).upper()),
    st.uuids().map(lambda value: value.hex),
    st.uuids().map(lambda value: value.urn),
    st.builds(
        lambda value, place, other: str(value)[:place] + other + str(value)[place + 1 :],
        st.uuids(),
        st.integers(0, 35),
        st.characters(codec="utf-8"),
    ),
    texts,
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)


def instances(schema: dict[str, Any], depth: int = 3) -> st.SearchStrategy[Any]:
    """Make instances of a composed schema that are right but for their formats, which are right only mostly."""
    if "$ref" in schema:
        return objects(schema["$ref"].rsplit("/", 1)[-1], depth - 1)
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    if schema["type"] == "array":
        return st.lists(instances(schema["items"], depth), max_size=2) if depth > 0 else st.just([])
    if schema["type"] == "integer":
        return st.one_of(st.integers(schema.get("minimum", -5)), st.integers(1, 9).map(float))
    if schema["type"] == "boolean":
        return st.booleans()
    return {"date-time": date_times, "uuid": uuids}.get(schema.get("format", ""), texts)


def later(schema: dict[str, Any], depth: int) -> st.SearchStrategy[Any]:
    return st.deferred(lambda: instances(schema, depth))


def objects(name: str, depth: int = 5) -> st.SearchStrategy[dict[str, Any]]:
    schema = COMPOSED["$defs"][name]
    known = {key: later(value, depth) for key, value in schema["properties"].items()}
    required = {key: known[key] for key in schema["required"]}
    optional = {key: known[key] for key in known.keys() - required.keys()} if depth > 0 else {}
    return st.fixed_dictionaries(required, optional={key: optional[key] for key in sorted(optional)})


def places(value: Any) -> list[dict[str, Any]]:
    """List every object in `value`."""
    if isinstance(value, list):
        return [place for item in value for place in places(item)]
    if not isinstance(value, dict):
        return []
    return [value, *(place for item in value.values() for place in places(item))]


@st.composite
def mutated(draw: st.DrawFn, name: str) -> Any:
    """Bend one place of a right instance: drop, add, null, another type, another text, another name."""
    value = copy.deepcopy(draw(objects(name)))
    place = draw(st.sampled_from(places(value)))
    key = draw(st.sampled_from(sorted(place))) if place else "facets"
    match draw(st.sampled_from(["drop", "add", "null", "change", "rename", "keep"])):
        case "drop":
            place.pop(key, None)
        case "add":
            place[draw(texts | st.sampled_from(["event_time", "job_type", "run", "schema", "_deleted"]))] = draw(
                anything
            )
        case "null":
            place[key] = None
        case "change":
            place[key] = draw(anything)
        case "rename":
            place[key.upper()] = place.pop(key, 1)
        case _:
            pass
    return value


def accepted(name: str, value: Any) -> Any:
    """Give the model of `value`, or None where it is refused."""
    try:
        return getattr(models, name).from_json(json.dumps(value).encode())
    except pydantic.ValidationError:
        return None


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from([*EVENTS, *sorted(FACETS)]))
def test_a_model_accepts_what_the_closed_schema_accepts(data: st.DataObject, name: str) -> None:
    value = data.draw(mutated(name))
    model = accepted(name, value)
    assert (model is not None) == VALIDATORS[name].is_valid(value)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(EVENTS))
def test_what_an_event_writes_the_raw_schemas_accept(data: st.DataObject, name: str) -> None:
    event = accepted(name, data.draw(objects(name)))
    if event is None:
        return
    written = json.loads(event.to_json())
    assert not list(schemas.core_validator().iter_errors(written))


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from(sorted(FACETS)))
def test_what_a_facet_writes_its_own_schema_accepts(data: st.DataObject, name: str) -> None:
    model = accepted(name, data.draw(objects(name)))
    assert model is not None
    facet = FACETS[name]
    assert not list(schemas.facet_validator(facet.entity, facet.key).iter_errors(json.loads(model.to_json())))


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(EVENTS))
def test_what_is_written_is_canonical_and_reads_back(data: st.DataObject, name: str) -> None:
    event = accepted(name, data.draw(objects(name)))
    if event is None:
        return
    written = event.to_json()
    plain = json.dumps(json.loads(written), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert written == plain.encode()
    assert type(event).from_json(written) == event
