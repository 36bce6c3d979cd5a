"""One rule names every attribute."""

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from codegen.names import RESERVED, attribute_names, class_name
from streamt.openlineage.models import OpenLineageModel


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("name", "name"),
        ("eventTime", "event_time"),
        ("schemaURL", "schema_url"),
        ("_schemaURL", "schema_url"),
        ("URLSchema", "url_schema"),
        ("ordinal_position", "ordinal_position"),
        ("_deleted", "deleted"),
        ("schema", "schema_"),
        ("copy", "copy_"),
        ("json", "json_"),
        ("dict", "dict_"),
        ("validate", "validate_"),
        ("construct", "construct_"),
        ("to_json", "to_json_"),
        ("from", "from_"),
        ("class", "class_"),
        ("None", "none"),
        ("tuple", "tuple_"),
        ("model_config", "field_model_config"),
        ("modelFields", "field_model_fields"),
        ("x-kafka.topic", "x_kafka_topic"),
        ("2fa", "field_2_fa"),
        ("日本", "field"),
        ("", "field"),
    ],
)
def test_a_name_becomes_an_attribute(name: str, attribute: str) -> None:
    assert attribute_names([name]) == {name: attribute}


@pytest.mark.parametrize(
    ("names", "attributes"),
    [
        (["_deleted", "deleted"], {"_deleted": "deleted_2", "deleted": "deleted"}),
        (["jobType", "job_type"], {"jobType": "job_type_2", "job_type": "job_type"}),
        (["jobType", "_jobType"], {"_jobType": "job_type", "jobType": "job_type_2"}),
        (["schema", "_schema", "schema_"], {"_schema": "schema_2", "schema": "schema_3", "schema_": "schema_"}),
    ],
)
def test_names_that_collide_are_numbered(names: list[str], attributes: dict[str, str]) -> None:
    assert attribute_names(names) == attributes


@given(st.lists(st.text(max_size=8), unique=True, max_size=8))
def test_attributes_are_distinct_identifiers_that_hide_nothing(names: list[str]) -> None:
    attributes = attribute_names(names)
    assert list(attributes) == sorted(names)
    assert len(set(attributes.values())) == len(names)
    for attribute in attributes.values():
        assert attribute.isidentifier()
        assert not keyword.iskeyword(attribute)
        assert not hasattr(OpenLineageModel, attribute)


def test_every_public_method_of_a_model_is_reserved() -> None:
    public = {name for name in dir(OpenLineageModel) if not name.startswith(("_", "model_"))}
    assert public <= RESERVED
    assert public - {"to_json", "from_json"} == {
        name for name in dir(BaseModel) if not name.startswith(("_", "model_"))
    }


def test_a_nested_object_is_named_after_its_owner() -> None:
    assert class_name("JobTypeJobFacet", "emissionPattern") == "JobTypeJobFacetEmissionPattern"
    assert class_name("Job", "source_code") == "JobSourceCode"
