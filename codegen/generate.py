"""Write `models.py` from the composed document, by datamodel-code-generator and the templates beside this file."""

import ast
import json
from importlib.metadata import version
from pathlib import Path

import black
import jinja2
from black.mode import TargetVersion
from datamodel_code_generator import Error, PythonVersion, generate
from datamodel_code_generator.config import GenerateConfig
from datamodel_code_generator.enums import DataModelType, InputFileType
from datamodel_code_generator.format import Formatter
from datamodel_code_generator.parser import LiteralType

from codegen.compose import compose
from codegen.names import attribute_names
from codegen.pins import Bundle, CodegenError, Schema

_TEMPLATES = Path(__file__).parent / "templates"
_FORMATS = {"date-time": "DateTime", "uri": "Uri", "uuid": "Uuid"}
_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def models(bundle: Bundle) -> str:
    """Give the text of `models.py` for a verified release.

    Raises:
        CodegenError: the schemas say something that the rules do not know.
    """
    document = compose(bundle.documents, bundle.core_id)
    text = _prelude(bundle.release) + _classes(document)
    text = str(black.format_str(text, mode=black.Mode(target_versions={TargetVersion.PY311}, line_length=110)))
    verify(document, text)
    return text


def _prelude(release: str) -> str:
    template = jinja2.Template(
        (_TEMPLATES / "prelude.py.jinja2").read_text(encoding="utf-8"), undefined=jinja2.StrictUndefined
    )
    return str(template.render(release=release, version=version("datamodel-code-generator")))


def _classes(document: Schema) -> str:
    """Run the generator and take the classes out of its module; the prelude has the imports that they need."""
    try:
        text = str(generate(json.dumps(_view(document)), config=_config(document)))
    except Error as error:
        raise CodegenError(f"datamodel-code-generator: {error}") from error
    return text[text.index("\nclass ") :]


def _config(document: Schema) -> GenerateConfig:
    return GenerateConfig(
        input_filename="composed.json",
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        custom_template_dir=_TEMPLATES,
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


def _view(document: Schema) -> Schema:
    """Say in the generator's own terms which Python type a property has, where it would choose another."""
    return {
        "$schema": document["$schema"],
        "$defs": {
            name: schema
            | {
                "description": _docstring("\n\n".join(filter(None, (schema["description"], schema["$comment"])))),
                "properties": {key: _typed(value) for key, value in schema["properties"].items()},
            }
            for name, schema in document["$defs"].items()
        },
    }


def _typed(schema: Schema) -> Schema:
    described = {"description": _docstring(schema["description"])} if "description" in schema else {}
    if schema.keys() & {"$ref", "format", "items"}:
        return {"type": "string", "x-python-type": _annotation(schema)} | described
    return schema | described


def _docstring(description: str) -> str:
    """Keep a quote at the end of a text apart from the three that close the docstring."""
    text = description.strip()
    return f"{text} " if text.endswith('"') else text


def _annotation(schema: Schema) -> str:
    """Write the Python type of a composed property."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if schema["type"] == "array":
        return f"tuple[{_annotation(schema['items'])}, ...]"
    if "const" in schema or "enum" in schema:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        return f"Literal[{', '.join(json.dumps(value) for value in values)}]"
    return _FORMATS[schema["format"]] if "format" in schema else _TYPES[schema["type"]]


def verify(document: Schema, text: str) -> None:
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
            (attribute, _whole_annotation(schema, key))
            for key, attribute in attribute_names(schema["properties"]).items()
        ]
        if found.get(name) != wanted:
            raise CodegenError(f"{name}: the generator made {found.get(name)} where {wanted} was meant")


def _whole_annotation(schema: Schema, key: str) -> str:
    optional = "" if key in schema["required"] else " | None"
    return ast.unparse(ast.parse(_annotation(schema["properties"][key]) + optional))
