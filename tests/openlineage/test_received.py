"""What the reader models take, keep and refuse, whoever wrote it."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from codegen.reading import compose_reading
from codegen.sources import load_sources
from streamt.openlineage import received, schemas
from tests.openlineage.instances import Instances

SOURCES = load_sources(Path(__file__).resolve().parents[2] / "schemas")
COMPOSED = compose_reading(SOURCES.read)
INSTANCES = Instances(COMPOSED)
RIGHT = Instances(COMPOSED, valid_formats=True)
REGISTRY: Registry[Any] = Registry().with_resources(
    [(uri, DRAFT202012.create_resource(document)) for uri, document in SOURCES.read.items()]
)
ORIGINS = {name: schema["$comment"] for name, schema in COMPOSED["$defs"].items()}
RUN = "4f4cf6c8-2a76-4a11-8f2b-6f6e3b8f2f10"


def run_event(**changes: Any) -> dict[str, Any]:
    return {
        "eventTime": "2026-01-02T12:00:00Z",
        "eventType": "START",
        "producer": "https://example.org/someone",
        "schemaURL": "https://openlineage.io/spec/1-0-5/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": RUN},
        "job": {"namespace": "n", "name": "j"},
    } | changes


def dataset(**facets: Any) -> dict[str, Any]:
    return run_event(inputs=[{"namespace": "n", "name": "d", "facets": facets}])


def read(event: dict[str, Any]) -> received.RunEvent:
    model = received.RunEvent.from_json(json.dumps(event).encode())
    assert received.RunEvent.from_object(event) == model
    return model


def facets_of(event: dict[str, Any]) -> received.DatasetFacets:
    (found,) = read(event).inputs or ()
    assert found.facets is not None
    return found.facets


def problems(event: dict[str, Any]) -> list[tuple[int | str, ...]]:
    with pytest.raises(pydantic.ValidationError) as caught:
        received.RunEvent.from_json(json.dumps(event).encode())
    with pytest.raises(pydantic.ValidationError) as again:
        received.RunEvent.from_object(event)
    locations = [problem["loc"] for problem in caught.value.errors()]
    assert [problem["loc"] for problem in again.value.errors()] == locations
    return locations


def test_an_event_is_read() -> None:
    event = read(run_event())
    assert (event.job.namespace, event.job.name, event.event_type) == ("n", "j", "START")
    assert event.run.run_id == UUID(RUN)
    assert event.inputs is None


def test_what_is_not_declared_is_kept_as_it_came() -> None:
    facet = {"_producer": 1, "deep": [{"a": None}]}
    event = read(run_event(event_time="x", run={"runId": RUN, "facets": {"mine": facet, "spark_properties": "odd"}}))
    assert event.model_extra == {"event_time": "x"}
    assert event.run.facets is not None
    assert event.run.facets.model_extra == {"mine": facet, "spark_properties": "odd"}


@pytest.mark.parametrize("absent", ["eventType", "inputs", "outputs"])
def test_a_null_counts_as_absent(absent: str) -> None:
    without = {key: value for key, value in run_event().items() if key != absent}
    assert read(run_event(**{absent: None})) == read(without)


@pytest.mark.parametrize("value", [{"_deleted": True}, {"_deleted": True, "description": 1, "_producer": "urn:x"}])
def test_a_withdrawn_facet_needs_nothing_else(value: dict[str, Any]) -> None:
    assert isinstance(facets_of(dataset(documentation=value)).documentation, received.WithdrawnFacet)


@pytest.mark.parametrize("deleted", [False, None, 1, "true"])
def test_a_facet_is_withdrawn_by_true_alone(deleted: object) -> None:
    facet = facets_of(dataset(documentation={"_deleted": deleted, "description": "d"})).documentation
    assert isinstance(facet, received.DocumentationFacet)
    assert facet.description == "d"


def test_no_schema_url_decides_anything() -> None:
    facet = {"_producer": "?", "_schemaURL": 5, "fields": [{"name": "a", "type": "ROW<b INT>", "x": 1}]}
    schema = facets_of(dataset(schema=facet)).schema_
    assert isinstance(schema, received.SchemaFacet)
    assert [(field.name, field.type) for field in schema.fields or ()] == [("a", "ROW<b INT>")]


def test_column_lineage_keeps_the_order_of_its_columns() -> None:
    column = {"inputFields": [{"namespace": "n", "name": "d", "field": "f", "transformations": [{"type": "DIRECT"}]}]}
    facet = facets_of(dataset(columnLineage={"fields": {"z": column, "a": {"inputFields": []}}})).column_lineage
    assert isinstance(facet, received.ColumnLineageFacet)
    assert list(facet.fields) == ["z", "a"]
    assert facet.fields["z"].input_fields[0].field == "f"


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01t00:00:01.000000001z", 1_000_000_001),
        ("1970-01-01T00:00:00.1234567899Z", 123_456_789),
        ("1970-01-01T00:00:00-00:00", 0),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T23:30:00-00:30", 0),
        ("1969-12-31T23:59:59.999999999Z", -1),
        ("1972-06-30T23:59:60Z", 78_796_800_000_000_000),
        ("0001-01-01T00:00:00+01:00", -62_135_600_400_000_000_000),
    ],
)
def test_a_time_is_read_in_nanoseconds(text: str, nanoseconds: int) -> None:
    assert read(run_event(eventTime=text)).event_time == nanoseconds


@pytest.mark.parametrize(
    "change",
    [
        {"eventTime": "2026-01-02T12:00:00"},
        {"eventTime": "2026-02-30T12:00:00Z"},
        {"eventTime": "2026-01-02T12:00:00Z\n"},
        {"eventTime": 1767355200},
        {"producer": "someone"},
        {"producer": "/relative"},
        {"schemaURL": None},
        {"eventType": "START "},
        {"run": None},
        {"job": "j"},
        {"inputs": {}},
    ],
)
def test_a_broken_envelope_is_refused_at_its_place(change: dict[str, Any]) -> None:
    assert problems(run_event(**change)) == [(key,) for key in change]


@pytest.mark.parametrize(
    ("facets", "path"),
    [
        ({"documentation": {"description": 1}}, ("documentation", "description")),
        ({"documentation": {"_deleted": False}}, ("documentation", "description")),
        ({"tags": "x"}, ("tags",)),
        ({"tags": {"tags": [{"key": "k", "value": True}]}}, ("tags", "tags", 0, "value")),
        ({"schema": {"fields": [{"name": "a", "fields": [{}]}]}}, ("schema", "fields", 0, "fields", 0, "name")),
        ({"columnLineage": {"fields": {"a/b": {}}}}, ("columnLineage", "fields", "a/b", "inputFields")),
        ({"lifecycleStateChange": {"lifecycleStateChange": "drop"}}, ("lifecycleStateChange", "lifecycleStateChange")),
    ],
)
def test_a_broken_facet_is_refused_at_its_place_alone(facets: dict[str, Any], path: tuple[str | int, ...]) -> None:
    assert problems(dataset(**facets)) == [("inputs", 0, "facets", *path)]


def test_a_model_is_frozen() -> None:
    with pytest.raises(pydantic.ValidationError, match="frozen"):
        read(run_event()).event_type = "FAIL"  # type: ignore[misc]


@settings(max_examples=400, deadline=None)
@given(st.data(), st.sampled_from(sorted(ORIGINS)))
def test_a_model_accepts_what_its_reading_schema_accepts(data: st.DataObject, name: str) -> None:
    value = data.draw(INSTANCES.mutated(name))
    validator = reading_validator(name)
    text = json.dumps(value).encode()
    assert accepts(name, text) == validator.is_valid(value)
    assert accepts(name, json.loads(text)) == validator.is_valid(value)


def reading_validator(name: str) -> Draft202012Validator:
    """Make the validator of the raw reading schema of a class."""
    return Draft202012Validator({"$ref": ORIGINS[name]}, registry=REGISTRY, format_checker=schemas.format_checker())


def accepts(name: str, value: object) -> bool:
    model = getattr(received, name)
    try:
        model.from_json(value) if isinstance(value, bytes) else model.from_object(value)
    except pydantic.ValidationError:
        return False
    return True


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(["RunEvent", "JobEvent", "DatasetEvent"]))
def test_all_of_a_right_event_is_read(data: st.DataObject, name: str) -> None:
    value = data.draw(RIGHT.objects(name))
    model = getattr(received, name).from_object(value)
    assert kept(model) == plain(value)


def kept(model: received.Received) -> Any:
    """Give the JSON names and values that a model holds, absent ones left out."""
    return plain(model.model_dump(by_alias=True, exclude_none=True, mode="json"))


def plain(value: Any, key: str = "") -> Any:
    """Leave nulls out of objects, and write times and UUIDs in one way."""
    if isinstance(value, dict):
        return {name: plain(item, name) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, str) and key in {"eventTime", "nominalStartTime", "nominalEndTime"}:
        return received._instant(value)
    return value
