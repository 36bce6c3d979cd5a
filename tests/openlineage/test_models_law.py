"""Model and schema agree: whatever is thrown at them, they accept and refuse the same."""

import json
from pathlib import Path
from typing import Any

import pydantic
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from codegen.compose import compose
from codegen.sources import load_sources
from streamt.openlineage import models, schemas
from tests.openlineage.instances import Instances

SOURCES = load_sources(Path(__file__).resolve().parents[2] / "schemas")
COMPOSED = compose(SOURCES.written, SOURCES.core_id)
INSTANCES = Instances(COMPOSED)
VALIDATORS = {
    name: Draft202012Validator(
        {"$ref": f"#/$defs/{name}", "$defs": COMPOSED["$defs"]}, format_checker=schemas.format_checker()
    )
    for name in COMPOSED["$defs"]
}
EVENTS = ("DatasetEvent", "JobEvent", "RunEvent")
FACETS = {facet.model: facet for facet in schemas.facets().values()}


def accepted(name: str, value: Any) -> Any:
    """Give the model of `value`, or None where it is refused."""
    try:
        return getattr(models, name).from_json(json.dumps(value).encode())
    except pydantic.ValidationError:
        return None


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from([*EVENTS, *sorted(FACETS)]))
def test_a_model_accepts_what_the_closed_schema_accepts(data: st.DataObject, name: str) -> None:
    value = data.draw(INSTANCES.mutated(name))
    model = accepted(name, value)
    assert (model is not None) == VALIDATORS[name].is_valid(value)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(EVENTS))
def test_what_an_event_writes_the_raw_schemas_accept(data: st.DataObject, name: str) -> None:
    event = accepted(name, data.draw(INSTANCES.objects(name)))
    if event is None:
        return
    written = json.loads(event.to_json())
    assert not list(schemas.core_validator().iter_errors(written))


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from(sorted(FACETS)))
def test_what_a_facet_writes_its_own_schema_accepts(data: st.DataObject, name: str) -> None:
    model = accepted(name, data.draw(INSTANCES.objects(name)))
    if model is None:  # a date-time that is none
        return
    facet = FACETS[name]
    assert not list(schemas.facet_validator(facet.entity, facet.key).iter_errors(json.loads(model.to_json())))


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(EVENTS))
def test_what_is_written_is_canonical_and_reads_back(data: st.DataObject, name: str) -> None:
    event = accepted(name, data.draw(INSTANCES.objects(name)))
    if event is None:
        return
    written = event.to_json()
    plain = json.dumps(json.loads(written), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert written == plain.encode()
    assert type(event).from_json(written) == event
