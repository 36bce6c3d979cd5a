"""Write `models.py` and `received.py` from the composed documents, by datamodel-code-generator and the templates."""

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import black
import jinja2
from black.mode import TargetVersion
from datamodel_code_generator import Error, PythonVersion, generate
from datamodel_code_generator.config import GenerateConfig
from datamodel_code_generator.enums import DataModelType, InputFileType
from datamodel_code_generator.format import Formatter
from datamodel_code_generator.parser import LiteralType

from codegen.compose import NULL, compose
from codegen.names import attribute_names
from codegen.objects import definition_name
from codegen.pins import CodegenError, Schema
from codegen.reading import WITHDRAWN, compose_reading
from codegen.sources import Sources

_TEMPLATES = Path(__file__).parent / "templates"
# What the generator would make another type of.
_OTHERWISE = frozenset({"$ref", "additionalProperties", "anyOf", "format", "items", "oneOf"})
_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


@dataclass(frozen=True, slots=True)
class Style:
    """How one of the two modules says what a property is.

    Attributes:
        prelude: the template of what stands before the classes.
        base: the class that every class builds on.
        formats: the type for each format.
        array: the type of an array, with `{}` for that of its items.
        map: the type of a map, with `{}` for that of its values.
    """

    prelude: str
    base: str
    formats: Mapping[str, str]
    array: str
    map: str


WRITING = Style(
    "writing.py.jinja2",
    "OpenLineageModel",
    {"date-time": "DateTime", "uri": "Uri", "uuid": "Uuid"},
    "tuple[{}, ...]",
    "SortedMap[{}]",
)
READING = Style(
    "reading.py.jinja2",
    "Received",
    {"date-time": "Instant", "uri": "Uri", "uuid": "Uuid"},
    "Array[{}]",
    "Map[{}]",
)


def models(sources: Sources) -> str:
    """Return the text of `models.py`: what is written.

    Raises:
        CodegenError: the schemas say something that the rules do not know.
    """
    return _module(WRITING, compose(sources.written, sources.core_id), release=sources.bundle.release)


def received(sources: Sources) -> str:
    """Return the text of `received.py`: what is read.

    Raises:
        CodegenError: the reading schemas say something that the rules do not know.
    """
    return _module(READING, compose_reading(sources.read))


def _module(style: Style, document: Schema, **facts: str) -> str:
    text = _prelude(style, document, facts) + _classes(style, document)
    text = str(black.format_str(text, mode=black.Mode(target_versions={TargetVersion.PY311}, line_length=110)))
    verify(document, text, style)
    return text


def _prelude(style: Style, document: Schema, facts: Mapping[str, str]) -> str:
    text = (_TEMPLATES / style.prelude).read_text(encoding="utf-8")
    template = jinja2.Template(text, undefined=jinja2.StrictUndefined)
    classes = document["$defs"].values()
    return str(
        template.render(
            version=version("datamodel-code-generator"),
            maps=any(_holds_map(value) for schema in classes for value in schema["properties"].values()),
            unions=any(_holds_union(value) for schema in classes for value in schema["properties"].values()),
            dependents=any("dependentRequired" in schema for schema in classes),
            **facts,
        )
    )


def _holds_map(schema: Schema) -> bool:
    return "additionalProperties" in schema or any(map(_holds_map, _inner(schema)))


def _holds_union(schema: Schema) -> bool:
    return bool(schema.keys() & {"anyOf", "oneOf"}) or any(map(_holds_union, _inner(schema)))


def _inner(schema: Schema) -> list[Schema]:
    one = [schema[keyword] for keyword in ("additionalProperties", "items") if keyword in schema]
    return [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *one]


def _classes(style: Style, document: Schema) -> str:
    """Run the generator and take the classes out of its module; the prelude has the imports that they need."""
    try:
        text = str(generate(json.dumps(_view(style, document)), config=_config(style, document)))
    except Error as error:
        raise CodegenError(f"datamodel-code-generator: {error}") from error
    return text[text.index("\nclass ") :]


def _config(style: Style, document: Schema) -> GenerateConfig:
    return GenerateConfig(
        input_filename="composed.json",
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        base_class=f"generated.{style.base}",
        custom_template_dir=_TEMPLATES,
        extra_template_data=_template_data(document),
        formatters=[Formatter.BUILTIN],
        aliases=_aliases(document),
        enum_field_as_literal=LiteralType.All,
        field_constraints=True,
        keep_model_order=True,
        skip_root_model=True,
        use_double_quotes=True,
        use_field_description=True,
        use_one_literal_as_default=True,
        use_schema_description=True,
        use_standard_collections=True,
        use_union_operator=True,
        disable_future_imports=True,
        disable_timestamp=True,
    )


def _aliases(document: Schema) -> dict[str, str]:
    """Tell the generator, as `Class.property`, each attribute that is not its JSON name."""
    return {
        f"{name}.{key}": attribute
        for name, schema in document["$defs"].items()
        for key, attribute in attribute_names(schema["properties"]).items()
        if key != attribute
    }


def _template_data(document: Schema) -> Any:
    """Return for each class, as the template wants it, which attributes need which others."""
    data: dict[str, dict[str, Any]] = {}
    for name, schema in document["$defs"].items():
        names = attribute_names(schema["properties"])
        if dependents := schema.get("dependentRequired"):
            pairs = {names[key]: tuple(names[other] for other in others) for key, others in dependents.items()}
            data[name] = {"dependents": pairs}
    return data


def _view(style: Style, document: Schema) -> Schema:
    """Say in the generator's own terms which Python type a property has, where it would choose another."""
    return {
        "$schema": document["$schema"],
        "$defs": {
            name: {keyword: value for keyword, value in schema.items() if keyword != "dependentRequired"}
            | {
                "description": _docstring("\n\n".join(filter(None, (schema["description"], schema["$comment"])))),
                "properties": {key: _typed(style, value) for key, value in schema["properties"].items()},
            }
            for name, schema in document["$defs"].items()
        },
    }


def _typed(style: Style, schema: Schema) -> Schema:
    described = {"description": _docstring(schema["description"])} if "description" in schema else {}
    if schema.keys() & _OTHERWISE or isinstance(schema.get("const"), bool):
        return {"type": "string", "x-python-type": _annotation(style, _without_null(schema))} | described
    return schema | described


def _without_null(schema: Schema) -> Schema:
    """Leave null out: where a property may be null, it may be absent, and `None` stands for both."""
    branches = [branch for branch in schema.get("anyOf", ()) if branch != NULL]
    return branches[0] if len(branches) == 1 else schema | ({"anyOf": branches} if branches else {})


def _docstring(description: str) -> str:
    """Keep a quote at the end of a text apart from the three that close the docstring."""
    text = description.strip()
    return f"{text} " if text.endswith('"') else text


def _annotation(style: Style, schema: Schema) -> str:
    """Write the Python type of a composed property."""
    if "$ref" in schema:
        return definition_name(schema["$ref"])
    if "anyOf" in schema or "oneOf" in schema:
        return _union(style, [_annotation(style, branch) for branch in schema.get("anyOf") or schema["oneOf"]])
    if schema == NULL:
        return "None"
    if schema["type"] == "array":
        return style.array.format(_annotation(style, schema["items"]))
    if schema["type"] == "object":
        return style.map.format(_annotation(style, schema["additionalProperties"]))
    if "const" in schema or "enum" in schema:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        return f"Literal[{', '.join(map(_literal, values))}]"
    return style.formats[schema["format"]] if "format" in schema else _TYPES[schema["type"]]


def _literal(value: str | bool) -> str:  # noqa: FBT001 - a value, not a switch
    return repr(value) if isinstance(value, bool) else json.dumps(value)


def _union(style: Style, types: list[str]) -> str:
    if style is READING and types[0] == WITHDRAWN and len(types) == 2:
        return f"Withdrawable[{types[1]}]"
    return " | ".join(types)


def verify(document: Schema, text: str, style: Style = WRITING) -> None:
    """Hold the module against the composed document: every class and attribute, in order, with the type meant.

    Raises:
        CodegenError: the generator made something else of it.
    """
    found = {
        node.name: [
            (item.target.id, ast.unparse(item.annotation))
            for item in node.body
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
        ]
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef)
    }
    for name, schema in document["$defs"].items():
        wanted = [
            (attribute, _whole_annotation(style, schema, key))
            for key, attribute in attribute_names(schema["properties"]).items()
        ]
        if found.get(name) != wanted:
            raise CodegenError(f"{name}: the generator made {found.get(name)} where {wanted} was meant")


def _whole_annotation(style: Style, schema: Schema, key: str) -> str:
    optional = "" if key in schema["required"] else " | None"
    return ast.unparse(ast.parse(_annotation(style, _without_null(schema["properties"][key])) + optional))
