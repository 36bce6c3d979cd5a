"""From many documents to one closed one, on made-up schemas and on the pinned ones."""

import copy
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from codegen.compose import PRODUCER, compose
from codegen.facets import find_facets
from codegen.pins import Bundle, CodegenError
from tests.codegen.made_up import CORE_ID, TEXT, closed, core, documents, facet


def composed(*schemas: dict[str, Any]) -> dict[str, Any]:
    definitions: dict[str, Any] = compose(documents(*schemas), CORE_ID)["$defs"]
    return definitions


def property_of(schema: dict[str, Any], **definitions: Any) -> dict[str, Any]:
    """Compose a facet with the one property `x` and give it."""
    result: dict[str, Any] = composed(facet("ThingJobFacet", "thing", closed((), x=schema), **definitions))[
        "ThingJobFacet"
    ]["properties"]["x"]
    return result


def test_the_result_is_valid_draft_2020_12(bundle: Bundle) -> None:
    Draft202012Validator.check_schema(compose(bundle.documents, bundle.core_id))


def test_the_input_is_left_alone(bundle: Bundle) -> None:
    before = copy.deepcopy(bundle.documents)
    compose(bundle.documents, bundle.core_id)
    assert bundle.documents == before


def test_every_pinned_facet_has_its_place(bundle: Bundle) -> None:
    definitions = compose(bundle.documents, bundle.core_id)["$defs"]
    facets = find_facets(bundle.documents, bundle.core_id)
    assert [(facet.entity, facet.key) for facet in facets] == [
        ("DatasetFacet", "datasetType"),
        ("DatasetFacet", "documentation"),
        ("DatasetFacet", "ownership"),
        ("DatasetFacet", "schema"),
        ("JobFacet", "documentation"),
        ("JobFacet", "jobType"),
        ("JobFacet", "ownership"),
        ("RunFacet", "errorMessage"),
    ]
    for found in facets:
        container = definitions[f"{found.entity}s"]["properties"]
        assert container[found.key] == {"$ref": f"#/$defs/{found.name}"}
        assert definitions[found.name]["properties"]["_schemaURL"]["const"] == found.url


def test_every_object_is_closed_and_sorted(bundle: Bundle) -> None:
    for schema in compose(bundle.documents, bundle.core_id)["$defs"].values():
        assert schema["additionalProperties"] is False
        assert list(schema["properties"]) == sorted(schema["properties"])
        assert set(schema["required"]) <= schema["properties"].keys()


def test_a_container_without_pinned_facets_is_an_empty_object(bundle: Bundle) -> None:
    assert compose(bundle.documents, bundle.core_id)["$defs"]["InputDatasetFacets"]["properties"] == {}


def test_constants_are_those_of_the_definition() -> None:
    thing = composed(facet("ThingJobFacet", "thing", closed((), x=TEXT)))["ThingJobFacet"]
    url = "https://openlineage.io/spec/facets/1-0-0/ThingJobFacet.json#/$defs/ThingJobFacet"
    assert thing["properties"]["_schemaURL"] == {"type": "string", "const": url}
    assert thing["properties"]["_producer"] == {"type": "string", "const": PRODUCER}
    event = composed()["JobEvent"]["properties"]
    assert event["schemaURL"] == {"type": "string", "const": f"{CORE_ID}#/$defs/JobEvent"}
    assert event["producer"] == {"type": "string", "const": PRODUCER}


def test_required_in_a_later_branch_is_kept() -> None:
    body = {"allOf": [closed((), x=TEXT, y=TEXT), {"required": ["x"]}]}
    assert composed(facet("ThingJobFacet", "thing", body))["ThingJobFacet"]["required"] == [
        "_producer",
        "_schemaURL",
        "x",
    ]


def test_siblings_of_a_reference_are_kept() -> None:
    base = closed((), x=TEXT)
    body = {"$ref": "#/$defs/Base", "properties": {"y": TEXT}, "required": ["x", "y"]}
    thing = composed(facet("ThingJobFacet", "thing", body, Base=base))["ThingJobFacet"]
    assert thing["properties"].keys() == {"_producer", "_schemaURL", "x", "y"}
    assert thing["required"] == ["_producer", "_schemaURL", "x", "y"]


def test_two_branches_may_add_to_one_property() -> None:
    body = {"allOf": [closed((), x=TEXT), closed((), x={"description": "More.", "minLength": 1})]}
    thing = composed(facet("ThingJobFacet", "thing", body))["ThingJobFacet"]
    assert thing["properties"]["x"] == {"type": "string", "minLength": 1, "description": "More."}


@pytest.mark.parametrize(
    ("schema", "result"),
    [
        (TEXT, TEXT),
        ({"type": "integer", "minimum": 1}, {"type": "integer", "minimum": 1}),
        ({"type": "string", "format": "uuid"}, {"type": "string", "format": "uuid"}),
        ({"enum": ["A", "B"]}, {"type": "string", "enum": ["A", "B"]}),
        ({"const": "A"}, {"type": "string", "const": "A"}),
        ({"type": "string", "example": "x", "default": "y", "title": "z"}, TEXT),
        ({"type": "string", "description": "A."}, {"type": "string", "description": "A."}),
        ({"type": "array", "items": TEXT}, {"type": "array", "items": TEXT}),
        (
            {"type": "array", "items": closed((), y=TEXT)},
            {"type": "array", "items": {"$ref": "#/$defs/ThingJobFacetX"}},
        ),
        (closed((), y=TEXT), {"$ref": "#/$defs/ThingJobFacetX"}),
        ({"$ref": "#/$defs/Other"}, {"$ref": "#/$defs/Other"}),
        ({"$ref": "#/$defs/Other", "description": "A."}, {"$ref": "#/$defs/Other", "description": "A."}),
        ({"$ref": "#/$defs/Other", "required": ["y"]}, {"$ref": "#/$defs/ThingJobFacetX"}),
        ({"$ref": "#/$defs/Name"}, {"type": "string", "minLength": 1, "description": "A name."}),
        (
            {"$ref": "#/$defs/Name", "maxLength": 9, "description": "My name."},
            {"type": "string", "minLength": 1, "maxLength": 9, "description": "My name."},
        ),
        (
            {"type": "object", "additionalProperties": {"type": "integer", "description": "B."}, "description": "A."},
            {"type": "object", "additionalProperties": {"type": "integer", "description": "B."}, "description": "A."},
        ),
        (
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/Other"}},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/Other"}},
        ),
        ({"anyOf": [TEXT, TEXT | {"description": "B."}]}, {"anyOf": [TEXT, TEXT]}),
        ({"oneOf": [TEXT, {"$ref": "#/$defs/Other"}]}, {"oneOf": [TEXT, {"$ref": "#/$defs/Other"}]}),
        ({"$ref": "#/$defs/Either"}, {"oneOf": [TEXT, {"type": "boolean"}]}),
    ],
)
def test_a_property_is_understood(schema: dict[str, Any], result: dict[str, Any]) -> None:
    definitions = {
        "Other": closed((), y=TEXT),
        "Name": {"type": "string", "minLength": 1, "description": "A name."},
        "Either": {"oneOf": [TEXT, {"type": "boolean"}]},
    }
    assert property_of(schema, **definitions) == result


def test_a_definition_may_hold_itself() -> None:
    fields = {"Fields": closed((), fields={"type": "array", "items": {"$ref": "#/$defs/Fields"}})}
    body = closed((), x={"$ref": "#/$defs/Fields"})
    definitions = composed(facet("ThingJobFacet", "thing", body, **fields))
    assert definitions["Fields"]["properties"]["fields"]["items"] == {"$ref": "#/$defs/Fields"}


def test_not_required_is_dropped_where_the_closed_object_keeps_it() -> None:
    body = closed((), x=TEXT) | {"not": {"required": ["x", "run"]}}
    assert "not" not in composed(facet("ThingJobFacet", "thing", body))["ThingJobFacet"]


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "string", "pattern": "a"}, "the keyword `pattern` is not supported here"),
        ({"type": "array", "items": TEXT, "minItems": 1}, "the keyword `minItems` is not supported here"),
        ({"type": "array", "items": {"type": "integer", "minimum": 1}}, "limits inside an array, a map or a union"),
        (
            {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
            "limits inside an array, a map",
        ),
        ({"anyOf": [TEXT, {"type": "integer", "minimum": 1}]}, "limits inside an array, a map or a union"),
        ({"type": "array"}, "an array without `items`"),
        ({"type": "array", "items": False}, "an array without `items`"),
        ({"type": ["string", "null"]}, "a value that may be null is not supported"),
        ({"type": ["string", "integer"]}, "the type ['string', 'integer'] is not supported"),
        ({"type": "null"}, "the type 'null' is not supported"),
        ({}, "the type None is not supported"),
        ({"oneOf": [TEXT, {}]}, "the type None is not supported"),
        ({"type": "string", "oneOf": [TEXT]}, "the keyword `type` is not supported here"),
        ({"oneOf": [TEXT, {"enum": ["A"]}]}, "no required `enum` or `const` tells the branches of `oneOf` apart"),
        ({"oneOf": [closed(("y",), y=TEXT), {"$ref": "#/$defs/Object"}]}, "tells the branches of `oneOf` apart"),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "tells the branches of `oneOf` apart"),
        ({"anyOf": [TEXT, {"type": "null"}]}, "a value that may be null is not supported"),
        ({"type": "string", "format": "email"}, "the format 'email' is not supported"),
        ({"type": "string", "format": "uri", "minLength": 1}, "`format` beside a limit of length"),
        ({"enum": ["A", 1]}, "an `enum` or a `const` that is not a string"),
        ({"const": None}, "an `enum` or a `const` that is not a string"),
        ({"enum": ["A"], "minLength": 1}, "`enum` or `const` beside another limit"),
        (closed((), y=TEXT) | {"additionalProperties": TEXT}, "`additionalProperties` with a schema beside more"),
        ({"type": "object", "additionalProperties": {"type": "null"}}, "the type 'null' is not supported"),
        (closed((), y=TEXT) | {"dependentRequired": {"y": ["z"]}}, "it needs 'z', which it does not declare"),
        ({"type": "object", "patternProperties": {}}, "the keyword `patternProperties` is not supported here"),
        ({"type": "object", "anyOf": [closed()]}, "`anyOf` is only known as the core's facets"),
        ({"type": "object", "anyOf": [closed((), y=TEXT), closed()]}, "`anyOf` is only known as the core's facets"),
        (closed(("y",)), "it needs 'y', which it does not declare"),
        (closed((), y=TEXT, z=TEXT) | {"not": {"required": ["y", "z"]}}, "cannot be kept by closing the object"),
        (closed() | {"not": {"type": "string"}}, "`not` is only known with `required`"),
        ({"allOf": [closed(), TEXT]}, "an object builds on the type 'string'"),
        ({"allOf": [closed((), y=TEXT), closed((), y={"type": "integer"})]}, "two branches put `type` differently"),
        ({"$ref": "#/$defs/Loop"}, "it builds on itself"),
        ({"$ref": "#"}, "$ref '#' does not lead to a definition"),
        ({"$ref": "#/$defs/Text/type"}, "$ref '#/$defs/Text/type' does not lead to a definition"),
        ({"$ref": "#/$defs/Text", "type": "integer"}, "two branches put `type` differently"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(schema: dict[str, Any], message: str) -> None:
    definitions = {
        "Text": TEXT,
        "Object": closed(("z",), z={"const": "A"}),
        "Loop": {"type": "object", "allOf": [{"$ref": "#/$defs/Loop"}]},
    }
    with pytest.raises(CodegenError) as caught:
        property_of(schema, **definitions)
    assert message in str(caught.value)
    assert "ThingJobFacet" in str(caught.value)


@pytest.mark.parametrize("loop", [{"$ref": "#/$defs/Loop"}, {"type": "array", "items": {"$ref": "#/$defs/Loop"}}])
def test_a_value_that_never_ends_is_refused(loop: dict[str, Any]) -> None:
    with pytest.raises(CodegenError, match="refers to itself without end"):
        property_of({"$ref": "#/$defs/Loop"}, Loop=loop)


def duplicate_key() -> list[dict[str, Any]]:
    return [facet("OneJobFacet", "thing", closed()), facet("TwoJobFacet", "thing", closed())]


def without_entity() -> list[dict[str, Any]]:
    document = facet("ThingJobFacet", "thing", closed())
    document["$defs"]["ThingJobFacet"] = closed()
    return [document]


def with_two_entities() -> list[dict[str, Any]]:
    base = {"type": "object", "allOf": [{"$ref": "#/$defs/BaseFacet"}]}
    body = {"$ref": f"{CORE_ID}#/$defs/RunFacet"}
    return [core(RunFacet=base), facet("ThingJobFacet", "thing", body)]


def without_place() -> list[dict[str, Any]]:
    base = {"type": "object", "allOf": [{"$ref": "#/$defs/BaseFacet"}]}
    document = facet("ThingRunFacet", "thing", closed())
    document["$defs"]["ThingRunFacet"]["allOf"][0]["$ref"] = f"{CORE_ID}#/$defs/RunFacet"
    return [core(RunFacet=base), document]


def building_on_itself() -> list[dict[str, Any]]:
    return [facet("ThingJobFacet", "thing", {"$ref": "#/$defs/ThingJobFacet"})]


def without_key() -> list[dict[str, Any]]:
    return [facet("ThingJobFacet", "thing", closed()) | {"properties": {}}]


def with_inline_facet() -> list[dict[str, Any]]:
    return [facet("ThingJobFacet", "thing", closed()) | {"properties": {"thing": closed()}}]


def with_a_root_keyword() -> list[dict[str, Any]]:
    return [facet("ThingJobFacet", "thing", closed()) | {"required": ["thing"]}]


def with_two_classes_of_one_name() -> list[dict[str, Any]]:
    return [facet("ThingJobFacet", "thing", closed((), x={"$ref": "#/$defs/Job"}), Job=closed((), y=TEXT))]


def with_another_constant() -> list[dict[str, Any]]:
    return [facet("ThingJobFacet", "thing", closed((), _schemaURL={"const": "https://example.org/other"}))]


def without_events() -> list[dict[str, Any]]:
    return [core() | {"oneOf": []}]


def with_an_inline_event() -> list[dict[str, Any]]:
    return [core() | {"oneOf": [closed()]}]


def with_the_name_of_a_container() -> list[dict[str, Any]]:
    return [
        core(
            JobFacets=closed(),
            Job=closed((), a={"$ref": "#/$defs/JobFacets"}, facets=core()["$defs"]["Job"]["properties"]["facets"]),
        )
    ]


@pytest.mark.parametrize(
    ("schemas", "message"),
    [
        (duplicate_key, "the facet key 'thing' of JobFacet is already taken"),
        (without_entity, "it builds on no facet of the core schema"),
        (with_two_entities, "it builds on JobFacet and RunFacet"),
        (without_place, "no event has a place for the facets of RunFacet"),
        (building_on_itself, "it builds on itself"),
        (without_key, "it names no facet in its root's properties"),
        (with_inline_facet, "the facet 'thing' is not a reference to a definition"),
        (with_a_root_keyword, "the keyword `required` is not supported here"),
        (with_two_classes_of_one_name, "the class Job is already that of"),
        (with_another_constant, "the keyword `const` is not supported here"),
        (without_events, "its root is not `oneOf` references to events"),
        (with_an_inline_event, "its root is not `oneOf` references to events"),
        (with_the_name_of_a_container, "the class JobFacets is already that of"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_documents_that_do_not_fit_are_refused(schemas: Any, message: str) -> None:
    with pytest.raises(CodegenError) as caught:
        compose(documents(*schemas()), CORE_ID)
    assert message in str(caught.value)
