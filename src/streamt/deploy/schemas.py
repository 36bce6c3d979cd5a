"""The schemas that a model's records have in the registry: as declared, or an Avro record of its columns.

How a Flink type is written in Avro is Flink's own rule, so that what is registered is what a job writes:
https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/formats/avro/#data-type-mapping
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from streamt.deploy.artifact import Address, Artifact, Content, Declaration, Part
from streamt.diagnostics import Code, Diagnostic, ProjectPath
from streamt.project.language import Column, Model
from streamt.project.language.schemas import RegisteredSchema
from streamt.sql.types import FlinkType, InvalidTypeError, parse_type

_TYPES = {"avro": "AVRO", "json": "JSON", "protobuf": "PROTOBUF"}
_PRIMITIVES = {
    "BOOLEAN": "boolean",
    "TINYINT": "int",
    "SMALLINT": "int",
    "INT": "int",
    "BIGINT": "long",
    "FLOAT": "float",
    "DOUBLE": "double",
    "CHAR": "string",
    "VARCHAR": "string",
    "STRING": "string",
    "BINARY": "bytes",
    "VARBINARY": "bytes",
    "BYTES": "bytes",
}
_MAP_KEYS = frozenset({"CHAR", "VARCHAR", "STRING"})


class NoAvroFormError(Exception):
    """A Flink type that Flink's Avro format cannot write; the message says which and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaOwner:
    """The model that a schema belongs to.

    Attributes:
        project: the project's name.
        environment: the environment's name.
        model: the declaration.
        place: where it stands.
        topic: the topic's physical name.
        subjects: the addresses of all subjects that the project registers.
    """

    project: str
    environment: str
    model: Model
    place: ProjectPath
    topic: str
    subjects: Mapping[str, Address]


def declared_parts(model: Model) -> Iterator[tuple[Part, RegisteredSchema]]:
    """Yield the schemas that a model declares: of its values, and of its keys."""
    if model.schema_ is not None:
        yield "value", model.schema_
        if model.schema_.key is not None:
            yield "key", model.schema_.key


def subject_of(schema: RegisteredSchema, model: Model, topic: str, part: Part) -> str:
    """Return a schema's subject: as declared, or by its strategy."""
    if schema.subject is not None:
        return schema.subject
    record = _record_name(schema, model, part)
    return {"topic": f"{topic}-{part}", "record": record, "topic_record": f"{topic}-{record}"}[schema.strategy]


def schema_artifact(owner: SchemaOwner, part: Part, schema: RegisteredSchema) -> Artifact | Diagnostic:
    """Return what the registry should hold for a schema, or what is wrong with the declaration."""
    model, topic = owner.model, owner.topic
    subject = subject_of(schema, model, topic, part)
    body = _body(owner, part, schema)
    if isinstance(body, Diagnostic):
        return body
    content: dict[str, Content] = {
        "subject": subject,
        "type": _TYPES[schema.format],
        "schema": body,
        "references": [{"name": e.name, "subject": e.subject, "version": e.version} for e in schema.references],
        "compatibility": schema.compatibility,
        "strategy": schema.strategy,
    }
    mode = model.ownership.mode if model.ownership else "managed"
    protect = model.ownership.protect if model.ownership else None
    return Artifact(
        address=owner.subjects[subject],
        name=subject,
        content=content,
        declaration=Declaration(kind="model", name=model.name, owner=model.owner),
        ownership=mode,
        protect=protect is not False,
        depends_on=tuple(owner.subjects[e.subject] for e in schema.references if e.subject in owner.subjects),
    )


def _body(owner: SchemaOwner, part: Part, schema: RegisteredSchema) -> Content | Diagnostic:
    place = owner.place / "schema" if part == "value" else owner.place / "schema" / "key"
    if schema.definition is None:
        if schema.format != "avro" or part == "key":
            hint = "write the schema under `definition`; only an Avro record of values is made of columns"
            return _wrong("a schema needs a `definition`", place, hint)
        return _of_columns(owner, place)
    if schema.format == "protobuf":
        return schema.definition
    try:
        parsed: Content = json.loads(schema.definition)
    except (json.JSONDecodeError, RecursionError):
        return _wrong("`definition` is not valid JSON", place / "definition", None)
    return parsed


def _of_columns(owner: SchemaOwner, place: ProjectPath) -> Content | Diagnostic:
    columns, where = owner.model.selected_columns
    if not columns:
        hint = "declare the columns, or write the schema under `definition`"
        return _wrong("an Avro record needs columns", place, hint)
    fields: list[Content] = []
    keys = (owner.model.key,) if isinstance(owner.model.key, str) else owner.model.key or ()
    for index, column in enumerate(columns):
        if column.proctime:
            continue
        try:
            fields.append(_field(column, is_key=column.name in keys))
        except (NoAvroFormError, InvalidTypeError) as error:
            at = ProjectPath((*owner.place.parts, *where, index))
            hint = "use a type that Avro has, or write the schema under `definition`"
            return _wrong(f"column `{column.name}` cannot be written as Avro: {error}", at, hint)
    return {"type": "record", "name": _avro_name(owner.model.name), "fields": fields}


def _field(column: Column, *, is_key: bool) -> Content:
    if column.type is None:
        raise NoAvroFormError("it has no type")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", column.name):
        raise NoAvroFormError("its name is not one of Avro's")
    flink = parse_type(column.type)
    is_nullable = flink.nullable and column.nullable is not False and not column.primary_key and not is_key
    doc = {"doc": column.description} if column.description else {}
    return {"name": column.name, **doc, **_typed(avro_type(flink, column.name), is_nullable=is_nullable)}


def _typed(avro: Content, *, is_nullable: bool) -> dict[str, Content]:
    return {"type": ["null", avro], "default": None} if is_nullable else {"type": avro}


def avro_type(flink: FlinkType, name: str) -> Content:
    """Return a Flink type in Avro, without its nullability.

    Args:
        flink: the type.
        name: of the column or field; names the records inside it.

    Raises:
        NoAvroFormError: Flink's Avro format cannot write it.
    """
    if flink.name in _PRIMITIVES:
        return _PRIMITIVES[flink.name]
    logical = _logical(flink)
    if logical is not None:
        return logical
    match flink.name:
        case "ARRAY":
            return {"type": "array", "items": _inner(flink.items[0], name)}
        case "MAP" if flink.items[0].name in _MAP_KEYS:
            return {"type": "map", "values": _inner(flink.items[1], name)}
        case "MULTISET" if flink.items[0].name in _MAP_KEYS:
            return {"type": "map", "values": "int"}
        case "ROW":
            pairs = zip(flink.fields, flink.items, strict=True)
            fields = [{"name": field, **_nested(each, f"{name}_{field}")} for field, each in pairs]
            return {"type": "record", "name": _avro_name(name), "fields": fields}
    raise NoAvroFormError(f"`{flink}` has no Avro form")


def _logical(flink: FlinkType) -> Content | None:
    """Return a type that Avro has as a logical one; None for every other."""
    match flink.name:
        case "DECIMAL":
            precision, scale = flink.sizes
            return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}
        case "DATE":
            return {"type": "int", "logicalType": "date"}
        case "TIME" if flink.sizes[0] <= 3:
            return {"type": "int", "logicalType": "time-millis"}
        case "TIMESTAMP" if flink.sizes[0] <= 6:
            unit = "millis" if flink.sizes[0] <= 3 else "micros"
            return {"type": "long", "logicalType": f"timestamp-{unit}"}
    return None


def _nested(flink: FlinkType, name: str) -> dict[str, Content]:
    return _typed(avro_type(flink, name), is_nullable=flink.nullable)


def _inner(flink: FlinkType, name: str) -> Content:
    avro = avro_type(flink, name)
    return ["null", avro] if flink.nullable else avro


def _record_name(schema: RegisteredSchema, model: Model, part: Part) -> str:
    """Return the full name of the record that a schema declares."""
    if schema.definition is not None and schema.format == "avro":
        try:
            parsed = json.loads(schema.definition)
        except (json.JSONDecodeError, RecursionError):
            parsed = None
        if isinstance(parsed, dict) and isinstance(parsed.get("name"), str):
            space = parsed.get("namespace")
            return f"{space}.{parsed['name']}" if isinstance(space, str) and space else str(parsed["name"])
    return _avro_name(model.name) if part == "value" else f"{_avro_name(model.name)}_key"


def _avro_name(name: str) -> str:
    """Return a name that Avro takes."""
    text = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return text if re.match(r"[A-Za-z_]", text) else f"_{text}"


def _wrong(message: str, place: ProjectPath, hint: str | None) -> Diagnostic:
    return Diagnostic(code=Code.COMPILE_ERROR, message=message, location=place, hint=hint)
