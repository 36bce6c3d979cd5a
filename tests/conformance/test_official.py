"""Our generator, our reading and our own schemas, held against every published facet schema at hand.

`make conformance OFFICIAL=DIR` runs this; several folders are joined by `:`. The schemas are never part of the project.
"""

import json
from collections.abc import Callable
from typing import Any

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from codegen.compose import compose
from codegen.reading import compose_reading
from codegen.sources import load_sources
from streamt.openlineage import models, received, schemas
from tests.conformance.official import FOLDERS, SCHEMAS, official, official_models, plain
from tests.extras.test_judges import of_a_command, of_the_emitter
from tests.openlineage.instances import Instances, anything, places, texts
from tests.openlineage.test_received import kept, reading_validator
from tests.openlineage.test_received import plain as without_nulls

pytestmark = pytest.mark.skipif(not FOLDERS, reason="OFFICIAL names no folder: make conformance OFFICIAL=DIR")

NAMES = [facet.name for facet in official().facets] if FOLDERS else []
SOURCES = load_sources(SCHEMAS)
OURS = [facet for facet in schemas.facets().values() if facet.definition != facet.url]
READ = compose_reading(SOURCES.read)["$defs"]
CONTAINERS = {"DatasetFacet": "DatasetFacets", "JobFacet": "JobFacets", "RunFacet": "RunFacets"}
EVENT = {
    "eventTime": "2026-01-02T12:00:00Z",
    "producer": "https://example.org/someone",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
}
RUN_ID = "4f4cf6c8-2a76-4a11-8f2b-6f6e3b8f2f10"


def test_there_is_something_to_hold_against() -> None:
    assert len(NAMES) > len(schemas.facets())


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_generated_model_accepts_what_its_closed_schema_accepts(name: str, data: st.DataObject) -> None:
    composed = official().composed
    value = data.draw(Instances(composed).mutated(name))
    schema = {"$ref": f"#/$defs/{name}", "$defs": composed["$defs"]}
    validator = Draft202012Validator(schema, format_checker=schemas.format_checker())
    assert (accepted(official_models(), name, value) is not None) == validator.is_valid(value)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_what_a_generated_model_writes_its_raw_schema_accepts(name: str, data: st.DataObject) -> None:
    (facet,) = [facet for facet in official().facets if facet.name == name]
    model = accepted(official_models(), name, data.draw(Instances(official().composed).objects(name)))
    if model is None:
        return
    written = model.to_json()
    assert written.decode() == plain(json.loads(written))
    assert not list(official().validator(facet.url).iter_errors(json.loads(written)))
    assert type(model).from_json(written) == model


def accepted(module: Any, name: str, value: Any) -> Any:
    """Return the model of `value`, or None where it is refused."""
    try:
        return getattr(module, name).from_json(json.dumps(value).encode())
    except pydantic.ValidationError:
        return None


def read_facets() -> list[Any]:
    """List the published facets that we read."""
    if not FOLDERS:
        return []
    return [
        facet for facet in official().facets if facet.key in READ[CONTAINERS.get(facet.entity, "Run")]["properties"]
    ]


def test_every_facet_that_we_read_is_at_hand() -> None:
    read = {(entity, key) for entity, name in CONTAINERS.items() for key in READ[name]["properties"]}
    assert {(facet.entity, facet.key) for facet in read_facets()} == read


@pytest.mark.parametrize("facet", read_facets(), ids=lambda facet: facet.name)
def test_we_read_no_property_that_is_not_published(facet: Any) -> None:
    declared = READ[CONTAINERS[facet.entity]]["properties"][facet.key]
    branches = [branch["$ref"].rsplit("/", 1)[-1] for branch in declared["anyOf"] if "$ref" in branch]
    (name,) = [name for name in branches if name != "WithdrawnFacet"]
    assert READ[name]["properties"].keys() <= official().composed["$defs"][facet.name]["properties"].keys()


@pytest.mark.parametrize("facet", read_facets(), ids=lambda facet: facet.name)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_what_is_published_we_take_and_read_the_same(facet: Any, data: st.DataObject) -> None:
    made = Instances(official().composed, valid_formats=True).objects(facet.name)
    value = data.draw(made)
    for place in open_places(value):
        place.update(data.draw(st.dictionaries(texts.map(lambda name: f"x-{name}"), anything, max_size=1)))
    assert not list(official().validator(facet.url).iter_errors(value))
    value["_schemaURL"] = data.draw(st.sampled_from([facet.url, "https://example.org/of/another/version"]))
    if value.get("_deleted") is True:
        del value["_deleted"]
    event = event_with(facet.entity, facet.key, value)
    assert not list(reading_validator("RunEvent").iter_errors(event))
    read = received.RunEvent.from_json(json.dumps(event).encode())
    assert kept(read) == without_nulls(event)
    assert received.RunEvent.from_object(event) == read


def open_places(value: Any) -> list[dict[str, Any]]:
    """List every object that may hold what its schema does not declare: all but maps, whose values have a schema."""
    maps = [place[key] for place in places(value) for key in ("fields", "facets") if isinstance(place.get(key), dict)]
    return [place for place in places(value) if not any(place is found for found in maps)]


def event_with(entity: str, key: str, facet: Any) -> dict[str, Any]:
    """Put a facet in its place in an event."""
    dataset = {"namespace": "n", "name": "d", "facets": {key: facet} if entity == "DatasetFacet" else {}}
    return EVENT | {
        "inputs": [dataset],
        "job": {"namespace": "n", "name": "j", "facets": {key: facet} if entity == "JobFacet" else {}},
        "outputs": [dataset],
        "run": {"runId": RUN_ID, "facets": {key: facet} if entity == "RunFacet" else {}},
    }


@pytest.mark.parametrize("facet", OURS, ids=lambda facet: facet.model)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_what_we_write_by_our_own_schemas_the_published_ones_accept(facet: Any, data: st.DataObject) -> None:
    composed = compose(SOURCES.written, SOURCES.core_id)
    model = accepted(models, facet.model, data.draw(Instances(composed).objects(facet.model)))
    if model is None:
        return
    written = json.loads(model.to_json())
    assert not list(official().validator(written["_schemaURL"]).iter_errors(written))


def facets_of(event: dict[str, Any]) -> list[dict[str, Any]]:
    """Return every facet of an event."""
    datasets = [*event.get("inputs", []), *event.get("outputs", [])]
    holders = [each.get("facets", {}) for each in (event["run"], event["job"], *datasets)]
    return [facet for facets in holders for facet in facets.values()]


@pytest.mark.parametrize("told", [of_the_emitter, of_a_command], ids=["emitter", "command"])
def test_every_facet_of_our_events_is_what_its_official_schema_says(told: Callable[[], list[bytes]]) -> None:
    facets = [facet for line in told() for facet in facets_of(json.loads(line))]
    assert facets
    for facet in facets:
        assert official().validator(facet["_schemaURL"]).is_valid(facet), facet["_schemaURL"]
