"""What is generated is what is committed, the same on any machine, and right for schemas of every shape."""

import base64
import gzip
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pydantic
import pytest
from datamodel_code_generator import Error
from jsonschema import Draft202012Validator

from codegen.__main__ import ROOT, main
from codegen.bundle import core_version, pack
from codegen.compose import PRODUCER, compose
from codegen.facets import find_facets
from codegen.generate import models, received, verify
from codegen.pins import CodegenError
from codegen.sources import Sources
from codegen.tree import MODELS, outputs
from streamt.openlineage.schemas import format_checker
from tests.codegen.made_up import CORE_ID, TEXT, URI, closed, core, documents, facet, import_models

PACKED = b"H4sIAAAAAAACAysuKUpNzC3hQqcB6/NQ8hgAAAA=\n"
URL = "https://openlineage.io/spec/facets/1-0-0/ThingJobFacet.json#/$defs/ThingJobFacet"


def test_what_is_committed_is_what_is_generated(sources: Sources) -> None:
    for path, content in outputs(sources).items():
        assert (ROOT / path).read_bytes() == content, path


def test_check_passes_on_the_repository(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 0
    assert capsys.readouterr().out == "OpenLineage 1.53.0: no drift\n"


@pytest.mark.parametrize("seed", ["1", "4242"])
def test_the_output_depends_on_no_hash_seed(sources: Sources, seed: str) -> None:
    program = (
        "import sys; from pathlib import Path; from codegen.sources import load_sources;"
        "from codegen.generate import models, received; sources = load_sources(Path('schemas'));"
        "print(received(sources), file=sys.stderr); sys.stdout.buffer.write(models(sources).encode())"
    )
    environment = os.environ | {"PYTHONHASHSEED": seed, "TZ": "Asia/Kathmandu", "LC_ALL": "C"}
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, check=True)
    assert result.stdout == models(sources).encode()
    assert result.stderr == f"{received(sources)}\n".encode()


def test_packing_gives_the_same_bytes_on_any_day() -> None:
    assert pack(b"streamt\n" * 3) == PACKED
    assert gzip.decompress(base64.b64decode(PACKED)) == b"streamt\n" * 3


def test_the_head_names_command_generator_and_release(sources: Sources) -> None:
    assert models(sources).splitlines()[:4] == [
        "# GENERATED, DO NOT EDIT.",
        "# command:   python -m codegen generate",
        "# generator: datamodel-code-generator 0.89.0",
        "# release:   OpenLineage 1.53.0",
    ]


def test_descriptions_become_docstrings(sources: Sources) -> None:
    text = models(sources)
    assert '    """The ordinal position of the field in the schema (1-indexed)."""' in text
    assert '    """A Dataset sent within static metadata events' in text


@pytest.mark.parametrize("change", ["missing", "changed", "left over"])
def test_check_notices(repository: Path, capsys: pytest.CaptureFixture[str], change: str) -> None:
    packed = repository / "src/streamt/docs/schemas/openlineage-1.53.0"
    match change:
        case "missing":
            (repository / MODELS).unlink()
            line = f"{MODELS} is missing"
        case "changed":
            (packed / "OpenLineage.json.gz.b64").write_bytes(b"")
            line = "openlineage-1.53.0/OpenLineage.json.gz.b64 is not what the schemas give"
        case _:
            (packed / "Old.json.gz.b64").write_bytes(b"")
            line = "openlineage-1.53.0/Old.json.gz.b64 is not generated"
    assert main(["--root", str(repository), "check"]) == 1
    error = capsys.readouterr().err
    assert line in error
    assert error.endswith("; run `python -m codegen generate`\n")
    assert main(["--root", str(repository), "generate"]) == 0
    assert main(["--root", str(repository), "check"]) == 0


def test_generate_has_nothing_to_do_twice(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(repository), "generate"]) == 0
    assert capsys.readouterr().out == "OpenLineage 1.53.0: nothing to write\n"


DESCRIPTIONS = {
    "quote": closed((), x=TEXT | {"description": 'It ends with a "quote"'}) | {"description": '"""Three""" \\d "'},
    "lines": closed((), x=TEXT | {"description": "One\n\n  two\\"}) | {"description": "A\nB\\"},
}


@pytest.mark.parametrize("body", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
def test_any_description_is_a_docstring(tmp_path: Path, body: dict[str, Any]) -> None:
    module = import_models(tmp_path, facet("ThingJobFacet", "thing", body))
    start = str(body["description"]).split("\n")[0]
    assert module.ThingJobFacet.__doc__.startswith(start)


TRIPS = (
    *("schema", "_schema", "copy", "json", "dict", "validate", "construct", "model_config", "model_fields"),
    *("_deleted", "deleted", "from", "class", "None", "str", "int", "tuple", "fields", "field", "Field"),
    *("x-y", "xY", "x_y", "2fa", "日本", "self", "cls", "data", "datetime", "Literal", "__init__", "type"),
)


def xs(*values: Any) -> list[dict[str, Any]]:
    """Give one instance for each value of the property `x`."""
    return [{"x": value} for value in values]


NESTED: list[Any] = [[], [[{"y": 1.0}]], [[{}]], [{}], {}, [[{"y": 1, "z": 1}]], [None]]
BODIES: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "required in a later branch": (
        {"allOf": [closed((), x=TEXT), {"required": ["x"]}]},
        [{"x": "a"}, {}, {"x": None}],
    ),
    "a constant": (closed(("x",), x={"const": "A"}), [{"x": "A"}, {"x": "B"}, {}, {"x": None}]),
    "an optional constant": (closed((), x={"const": "A"}), [{"x": "A"}, {"x": "B"}, {}, {"x": None}]),
    "an enumeration": (closed((), x={"enum": ["A", "b-c", ""]}), [{"x": "A"}, {"x": "b-c"}, {"x": ""}, {"x": "B"}, {}]),
    "an integer with limits": (
        closed((), x={"type": "integer", "minimum": 1, "exclusiveMaximum": 9}),
        [{"x": value} for value in (0, 1, 1.0, 8, 8.5, 9, True, "1", None, -1e300)],
    ),
    "a number": (closed((), x={"type": "number"}), [{"x": value} for value in (0, 1.5, -1e300, True, "1", None)]),
    "a boolean": (closed((), x={"type": "boolean"}), [{"x": value} for value in (True, False, 0, 1, "true", None)]),
    "a text with limits": (
        closed((), x={"type": "string", "minLength": 1, "maxLength": 2}),
        [{"x": value} for value in ("", "a", "🎈🎈", "abc", 1, None)],
    ),
    "formats": (
        closed((), t={"type": "string", "format": "date-time"}, u=URI, i={"type": "string", "format": "uuid"}),
        [
            {"t": "2026-01-02T12:00:00Z"},
            {"t": "1700000000"},
            {"u": "https://EXAMPLE.com:443"},
            {"u": "not a uri"},
            {"u": "urn:x\n"},
            {"i": "4f4cf6c8-2a76-4a11-8f2b-6f6e3b8f2f10"},
            {"i": "4f4cf6c82a764a118f2b6f6e3b8f2f10"},
        ],
    ),
    "arrays of arrays and of objects": (
        closed((), x={"type": "array", "items": {"type": "array", "items": closed(("y",), y={"type": "integer"})}}),
        [{"x": x} for x in NESTED],
    ),
    "arrays of formats": (
        closed((), x={"type": "array", "items": URI}),
        [{"x": ["urn:x"]}, {"x": ["x y"]}, {"x": [1]}],
    ),
    "a nested object": (
        closed((), x=closed(("y",), y=closed((), z=TEXT))),
        [{"x": {"y": {}}}, {"x": {"y": {"z": "a"}}}, {"x": {}}, {"x": {"y": {"a": 1}}}, {"x": {"y": None}}],
    ),
    "a reference with siblings": (
        closed((), x={"$ref": "#/$defs/Other", "required": ["y"], "description": "Needs y."}),
        [{"x": {"y": "a"}}, {"x": {}}, {}],
    ),
    "a definition that holds itself": (
        closed((), x={"$ref": "#/$defs/Tree"}),
        xs({"left": {"left": {}}, "children": [{"children": []}]}, {"left": {"left": 1}}, {"left": None}),
    ),
    "a map": (
        closed((), x={"type": "object", "additionalProperties": {"type": "integer"}}),
        xs({}, {"b": 1, "a": 2.0, "": 3}, {"a": 0.5}, {"a": None}, [], None),
    ),
    "a map of objects": (
        closed((), x={"type": "object", "additionalProperties": closed((), y=TEXT)}),
        xs({"a": {}}, {"a": {"y": "b"}}, {"a": {"z": 1}}, {"a": {"y": None}}, {"a": 1}),
    ),
    "a map of maps of arrays": (
        closed(
            (),
            x={
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "additionalProperties": {"type": "array", "items": {"type": "integer"}},
                },
            },
        ),
        xs({"b": {"d": [1.0], "c": []}, "a": {}}, {"a": {"b": 1}}, {"a": []}, {"a": {"b": [1.5]}}),
    ),
    "a union of scalars": (
        closed((), x={"anyOf": [TEXT, {"type": "integer"}]}),
        xs("a", 1, 1.0, 1.5, True, None, [], {}),
    ),
    "a union in an array and in a map": (
        closed(
            (),
            x={"type": "array", "items": {"oneOf": [TEXT, {"type": "number"}]}},
            y={"type": "object", "additionalProperties": {"oneOf": [{"type": "integer"}, closed((), z=TEXT)]}},
        ),
        [{"x": ["a", 1.5, 2]}, {"x": [True]}, {"y": {"b": 1.0, "a": {}}}, {"y": {"a": "z"}}, {"y": {"a": {"y": "z"}}}],
    ),
    "a union of objects that a constant tells apart": (
        closed((), x={"oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]}),
        xs({"kind": "CAT", "lives": 9}, {"kind": "DOG"}, {"kind": "DOG", "lives": 1}, {"lives": 1}, {}, None),
    ),
    "a union of objects that overlap": (
        closed((), x={"anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Other"}]}),
        xs({"kind": "CAT"}, {"y": "a"}, {}, {"kind": "CAT", "y": "a"}),
    ),
    "names that need each other, beside a constant": (
        closed((), x={"oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Fish"}]}),
        xs({"kind": "FISH"}, {"kind": "FISH", "a": "", "b": ""}, {"kind": "FISH", "a": ""}, {"a": "", "b": ""}, {}),
    ),
    "names that need each other": (
        closed((), a=TEXT, b=TEXT, cC=TEXT) | {"dependentRequired": {"a": ["b", "cC"], "b": ["a"], "cC": []}},
        [{}, {"a": "1", "b": "2", "cC": "3"}, {"a": "1", "b": "2"}, {"b": "1", "cC": "1"}, {"cC": "1"}, {"a": "1"}],
    ),
    "names that trip generators": (
        closed(("schema", "_deleted"), **{name: {"type": "integer"} for name in TRIPS}),
        [dict.fromkeys(TRIPS, 1), {"schema": 1, "_deleted": 2}, {"schema_": 1, "deleted": 1}, {"schema": 1}],
    ),
}


@pytest.mark.parametrize(("body", "values"), BODIES.values(), ids=BODIES)
def test_model_and_schema_agree(tmp_path: Path, body: dict[str, Any], values: list[dict[str, Any]]) -> None:
    definitions = {
        "Cat": closed(("kind",), kind={"enum": ["CAT"]}, lives={"type": "integer"}),
        "Dog": closed(("kind",), kind={"const": "DOG"}),
        "Fish": closed(("kind",), kind={"const": "FISH"}, a=TEXT, b=TEXT) | {"dependentRequired": {"a": ["b"]}},
        "Other": closed((), y=TEXT),
        "Tree": closed(
            (), left={"$ref": "#/$defs/Tree"}, children={"type": "array", "items": {"$ref": "#/$defs/Tree"}}
        ),
    }
    schema = facet("ThingJobFacet", "thing", body, **definitions)
    module = import_models(tmp_path, schema)
    composed = compose(documents(schema), CORE_ID)
    validator = Draft202012Validator(
        {"$ref": "#/$defs/ThingJobFacet", "$defs": composed["$defs"]}, format_checker=format_checker()
    )
    verdicts = set()
    for value in values:
        instance = {"_producer": PRODUCER, "_schemaURL": URL} | value
        verdict = accepts(module.ThingJobFacet, instance)
        assert verdict == validator.is_valid(instance), value
        verdicts.add(verdict)
    assert verdicts == {True, False}


def accepts(model: Any, value: object) -> bool:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True).encode()
    try:
        read = model.from_json(text)
    except pydantic.ValidationError:
        return False
    assert model.from_json(read.to_json()) == read
    return True


def test_a_uri_stays_as_it_was_given(tmp_path: Path) -> None:
    module = import_models(tmp_path, facet("ThingJobFacet", "thing", closed((), x=URI)))
    written = json.loads(module.ThingJobFacet(x="HTTPS://EXAMPLE.com:443/%7ea/../b").to_json())
    assert written["x"] == "HTTPS://EXAMPLE.com:443/%7ea/../b"


def test_a_constructor_fills_constants_in(tmp_path: Path) -> None:
    module = import_models(
        tmp_path, facet("ThingJobFacet", "thing", closed(("x",), x={"const": "A"}, y={"const": "B"}))
    )
    written = json.loads(module.ThingJobFacet().to_json())
    assert written == {"_producer": PRODUCER, "_schemaURL": URL, "x": "A"}


@pytest.mark.parametrize(
    ("text", "found"), [("class A: pass", "[]"), ("class A:\n    x: int", "[('x', 'int')]"), ("", "None")]
)
def test_a_module_that_does_not_say_what_was_meant_is_refused(text: str, found: str) -> None:
    document = {"$defs": {"A": closed((), x=TEXT)}}
    with pytest.raises(CodegenError, match=r"^A: the generator made ") as caught:
        verify(document, text)
    assert str(caught.value) == f"A: the generator made {found} where [('x', 'str | None')] was meant"


def test_an_error_of_the_generator_is_one_line(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise Error("two\nlines")

    monkeypatch.setattr("codegen.generate.generate", fail)
    assert main(["--root", str(repository), "check"]) == 1
    assert capsys.readouterr().err == "codegen: datamodel-code-generator: two lines\n"


@pytest.mark.parametrize(
    "uri", ["https://openlineage.io/spec/OpenLineage.json", "https://example.org/spec/1-0-0/X.json"]
)
def test_a_core_without_a_version_is_refused(uri: str) -> None:
    with pytest.raises(CodegenError, match=r"it is not the \$id of a core schema"):
        core_version(uri)


def test_one_key_may_be_a_facet_of_several_entities(tmp_path: Path) -> None:
    def container(entity: str) -> dict[str, Any]:
        facets = {"type": "object", "additionalProperties": {"$ref": f"#/$defs/{entity}"}}
        return closed((), facets={"type": "object", "anyOf": [facets]})

    schema = core(
        RunFacet={"allOf": [{"$ref": "#/$defs/BaseFacet"}]},
        Job=closed((), facets=container("JobFacet")["properties"]["facets"], run=container("RunFacet")),
    )
    document = facet("ThingJobFacet", "thing", closed(("x",), x=TEXT))
    document["$defs"]["ThingRunFacet"] = {"allOf": [{"$ref": f"{CORE_ID}#/$defs/RunFacet"}, closed(("y",), y=TEXT)]}
    entities = ("Job", "Run")
    document["properties"] = {"thing": {"anyOf": [{"$ref": f"#/$defs/Thing{entity}Facet"} for entity in entities]}}
    module = import_models(tmp_path, schema, document)
    places = [(found.entity, found.key, found.name) for found in find_facets(documents(schema, document), CORE_ID)]
    assert places == [("JobFacet", "thing", "ThingJobFacet"), ("RunFacet", "thing", "ThingRunFacet")]
    assert module.JobFacets(thing=module.ThingJobFacet(x="a")).thing.x == "a"
    assert module.RunFacets(thing=module.ThingRunFacet(y="a")).thing.y == "a"
    with pytest.raises(pydantic.ValidationError):
        module.RunFacets(thing=module.ThingJobFacet(x="a"))


def test_another_entity_gets_its_own_container(tmp_path: Path) -> None:
    facets = {"type": "object", "additionalProperties": {"$ref": "#/$defs/ClusterFacet"}}
    schema = core(
        ClusterFacet={"allOf": [{"$ref": "#/$defs/BaseFacet"}]},
        Job=closed((), facets={"type": "object", "anyOf": [facets], "description": "All of them."}),
    )
    module = import_models(tmp_path, schema)
    assert inspect.getdoc(module.ClusterFacets) == "All of them.\n\nevery pinned facet that builds on ClusterFacet"
    assert module.ClusterFacets.model_fields == {}
