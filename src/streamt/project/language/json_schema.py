"""The language as a JSON Schema (Draft 2020-12), for editors and for messages.

One schema fits every YAML file of a project: the root file, the files of the lists, and the environments.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from streamt.project.language.document import Document
from streamt.project.language.fields import NOT_BLANK
from streamt.project.language.runtime import API_VERSION, EnvironmentFile

Schema = dict[str, Any]

LISTS = ("sources", "models", "tests", "exposures")
SHARED_SECTIONS = ("runtime", "deployment_state")
ENVIRONMENT_SECTIONS = ("environment", "safety")
# What may stand there empty, as users of similar tools leave it.
SECTIONS = frozenset({*LISTS, "defaults", "lifecycle", "rules", *SHARED_SECTIONS, *ENVIRONMENT_SECTIONS})
_ENVIRONMENT_KEYS = ("environment", "runtime", "safety", "deployment_state")
_VARIABLE = {"type": "string", "pattern": r"^\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}$"}
_TEMPLATE = {"type": "string", "pattern": r"\$\{"}


def language_schema() -> Schema:
    """Make the JSON Schema of every YAML file of a project."""
    document, environment = document_schema(), environment_schema()
    own = {key: environment["properties"][key] for key in ("environment", "safety")}
    properties = {
        key: _or(each, {"type": "null"}) if key in SECTIONS else each
        for key, each in (document["properties"] | own).items()
    }
    root = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://{API_VERSION}/project.schema.json",
        "title": "streamt project",
        "description": "A file of a streamt project: stream_project.yml, a file of sources/, models/, tests/ or "
        "exposures/, or one of environments/.",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "anyOf": _kinds_of_file(),
        "$defs": document["$defs"] | environment["$defs"],
    }
    return _map_schema(root, _with_variables)


def _kinds_of_file() -> list[Schema]:
    """Say which keys stand together in one file."""
    root = {"required": ["project"], "not": {"anyOf": [{"required": ["environment"]}, {"required": ["safety"]}]}}
    lists = [{"required": [name], "propertyNames": {"enum": ["apiVersion", name]}} for name in LISTS]
    return [root, *lists, {"propertyNames": {"enum": ["apiVersion", *_ENVIRONMENT_KEYS]}}]


@cache
def document_schema() -> Schema:
    """Make the schema of a merged project, without variables."""
    return _map_schema(Document.model_json_schema(by_alias=True), _tidy)


@cache
def environment_schema() -> Schema:
    """Make the schema of one environment, without variables."""
    return _map_schema(EnvironmentFile.model_json_schema(by_alias=True), _tidy)


def _map_schema(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """Apply `change` to `schema` and to every schema in it, the inner ones first."""
    mapped = dict(schema)
    for keyword in ("properties", "$defs"):
        if keyword in mapped:
            mapped[keyword] = {name: _map_schema(each, change) for name, each in mapped[keyword].items()}
    for keyword in ("anyOf", "oneOf"):
        if keyword in mapped and _holds_types(mapped[keyword]):
            mapped[keyword] = [_map_schema(each, change) for each in mapped[keyword]]
    for keyword in ("items", "additionalProperties"):
        if isinstance(mapped.get(keyword), dict):
            mapped[keyword] = _map_schema(mapped[keyword], change)
    return change(mapped)


def _holds_types(branches: Iterable[Schema]) -> bool:
    """Distinguish a choice of types from a choice of keys, which holds no values."""
    return not any("propertyNames" in each for each in branches)


def _tidy(schema: Schema) -> Schema:
    """Drop what only repeats the key, and defaults that say no more than that a key may be absent."""
    noise = {"discriminator", "title"}
    if "default" in schema and schema["default"] in (None, [], {}):
        noise.add("default")
    # A variable may fit two branches, so that "exactly one" would refuse it.
    return {"anyOf" if key == "oneOf" else key: value for key, value in schema.items() if key not in noise}


def _with_variables(schema: Schema) -> Schema:
    """Let a variable stand where a number, a truth value or restricted text stands."""
    if schema.get("type") in ("integer", "number", "boolean"):
        return _or(schema, _VARIABLE)
    restricted = schema.get("pattern", NOT_BLANK) != NOT_BLANK or "enum" in schema or "const" in schema
    return _or(schema, _TEMPLATE) if restricted and schema.get("type") == "string" else schema


def _or(schema: Schema, other: Schema) -> Schema:
    """Allow `other` beside `schema`, keeping what describes the field outside."""
    outside = {key: schema[key] for key in ("description", "default") if key in schema}
    inside = {key: value for key, value in schema.items() if key not in outside}
    return outside | {"anyOf": [inside, other]}


def schema_at(root: Schema, data: Any, path: tuple[str | int, ...]) -> Mapping[str, Any]:
    """Return the schema of what stands at `path`, following the shape of `data` where there is a choice.

    Args:
        root: `document_schema()` or `environment_schema()`.
        data: the document.
        path: keys and indexes; parts that the language does not know give `{}`.
    """
    schema = _chosen(root, root, data)
    for part in path:
        data = data[part] if _has(data, part) else None
        below = schema.get("items") if isinstance(part, int) else schema.get("properties", {}).get(part)
        if below is None:
            below = schema.get("additionalProperties")
        schema = _chosen(root, below if isinstance(below, dict) else {}, data)
    return schema


def _has(data: Any, part: str | int) -> bool:
    if isinstance(part, int):
        return isinstance(data, list) and part < len(data)
    return isinstance(data, dict) and part in data


def _chosen(root: Schema, schema: Schema, data: Any) -> Schema:
    """Follow references, and choose the branch that fits the shape of `data`, or else the first."""
    outside = {key: schema[key] for key in ("description", "writeOnly") if key in schema}
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return _chosen(root, root["$defs"][name] | outside, data)
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            branches = [_chosen(root, each, data) for each in schema[keyword]]
            return next((each for each in branches if _fits(each, data)), branches[0]) | outside
    return schema


def _fits(schema: Schema, data: Any) -> bool:
    shapes = {dict: "object", list: "array", str: "string", bool: "boolean"}
    return schema.get("type") == shapes.get(type(data))
