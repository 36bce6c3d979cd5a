"""The language's JSON Schema accepts what the loader accepts, and describes all of it."""

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from streamt.project.environment_view import ADDRESS_KEYS, PLAIN_KEYS
from streamt.project.language import environment_schema, language_schema
from streamt.yaml import read_yaml

VALIDATOR = jsonschema.Draft202012Validator(language_schema())


def accepts(text: str) -> bool:
    return bool(VALIDATOR.is_valid(read_yaml(text.encode(), "f.yml").data))


def test_it_is_a_draft_2020_12_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(language_schema())


@pytest.mark.parametrize(
    "text",
    [
        "models: [{name: a}]",
        "models:",
        "project: {name: a}\nrules:\nsources:",
        "apiVersion: streamt.dev/v1alpha1\nsources: [{name: a, topic: t}]",
        "environment: {name: dev}\nruntime: {kafka: {bootstrap_servers: 'b:1'}}",
        "project: {name: a}\ndefaults: {topic: {partitions: '${P}'}}",
        "project: {name: a}\nsources: [{name: a, topic: '${T:-x}', columns: [{name: a, nullable: '${N}'}]}]",
    ],
)
def test_every_kind_of_file_and_variables_fit(text: str) -> None:
    assert accepts(text)


@pytest.mark.parametrize(
    "text",
    [
        "project: {name: a, naem: b}",
        "project: {name: 1}",
        "project: {name: a}\nenvironment: {}",
        "models: [{name: a}]\nsources: []",
        "project: {name: a}\ndefaults: {topic: {partitions: 0}}",
        "project: {name: a}\ndefaults: {topic: {partitions: 'x${P}'}}",
        "project: {name: a}\nsources: [{name: a, topic: 'a b'}]",
        "project: {name: a}\nmodels: [{name: a, contract: }]",
        "project: {name: a}\ntests: [{name: a, model: m, type: sample, assertions: [{}]}]",
    ],
)
def test_wrong_files_do_not_fit(text: str) -> None:
    assert not accepts(text)


def properties(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, each in schema.get("properties", {}).items():
        yield f"{path}.{name}", each


def test_every_key_has_a_description() -> None:
    schema = language_schema()
    objects = [("", schema), *schema["$defs"].items()]
    described = {f"#/$defs/{name}" for name, each in schema["$defs"].items() if each.get("description")}
    bare = [
        path
        for name, each in objects
        for path, field in properties(each, name)
        if not field.get("description")
        and described.isdisjoint(branch.get("$ref") for branch in [field, *field.get("anyOf", [])])
    ]
    assert bare == []


def test_every_secret_of_an_environment_is_masked_in_its_view() -> None:
    schema = environment_schema()
    secret = {
        path.split(".")[1]
        for name, each in schema["$defs"].items()
        for path, field in properties(each, name)
        if any(branch.get("writeOnly") for branch in field.get("anyOf", []))
    }
    assert secret & (PLAIN_KEYS | ADDRESS_KEYS) == {"url"}  # the address of a database; that of anything else is shown
