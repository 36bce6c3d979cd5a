"""Avro schemas in one form and in one spelling.

`canonical` brings schemas that say the same into the same form: full names, and no trace of how they were written.
`java_text` prints a schema as Java's Avro library does, which is how Flink registers it: a registry that compares texts
then sees no new version. Names, types, order, defaults and docs all count in both; so a changed doc is a change.

https://avro.apache.org/docs/1.12.0/specification/
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from streamt.deploy.artifact import Content

PRIMITIVES = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
_NAMED = {"record": "fields", "error": "fields", "enum": "symbols", "fixed": "size"}
_COMPLEX = {"array": "items", "map": "values"}
# What Java's library writes by itself, in its order; all other properties follow, as they came.
_OF_TYPES = frozenset({"type", "name", "namespace", "doc", "fields", "symbols", "size", "items", "values", "aliases"})
_OF_FIELDS = frozenset({"name", "type", "doc", "default", "order", "aliases"})


class AvroError(ValueError):
    """A text or a structure that is no Avro schema; the message quotes nothing of it."""


def parse(text: str) -> Content:
    """Return the schema that a text holds, in canonical form.

    Raises:
        AvroError: it is no schema.
    """
    try:
        return canonical(json.loads(text))
    except (json.JSONDecodeError, RecursionError):
        raise AvroError("invalid JSON") from None


def canonical(schema: Content) -> Content:
    """Return `schema` with full names, with short forms for what has one, and without default attributes.

    Raises:
        AvroError: it is no schema.
    """
    try:
        return _canonical(schema, "")
    except RecursionError:
        raise AvroError("too deep a schema") from None


def java_text(schema: Content) -> str:
    """Return `schema` as Java's Avro library prints it: one line without spaces, namespaces where they change.

    Raises:
        AvroError: it is no schema.
    """
    return json.dumps(_ordered(canonical(schema), ""), separators=(",", ":"), ensure_ascii=False)


def _canonical(schema: Content, space: str) -> Content:
    if isinstance(schema, str):
        return schema if schema in PRIMITIVES else _full(schema, space)
    if isinstance(schema, Mapping):
        return _canonical_object(schema, space)
    if isinstance(schema, Sequence):
        return [_canonical(branch, space) for branch in schema]
    raise AvroError("neither a name nor an object nor a union")


def _canonical_object(schema: Mapping[str, Content], space: str) -> Content:
    kind = schema.get("type")
    if isinstance(kind, (Mapping, Sequence)) and not isinstance(kind, str):
        return _canonical(kind, space)  # {"type": {"type": ...}} says nothing of its own
    if not isinstance(kind, str):
        raise AvroError("an object without a type")
    others = {key: value for key, value in schema.items() if key not in _OF_TYPES}
    if kind in _COMPLEX:
        inner = _COMPLEX[kind]
        return {"type": kind, inner: _canonical(_required(schema, inner), space), **others}
    if kind not in _NAMED:
        plain = kind if kind in PRIMITIVES else _full(kind, space)
        return {"type": plain, **others} if others else plain
    return _canonical_named(kind, schema, space, others)


def _canonical_named(
    kind: str, schema: Mapping[str, Content], space: str, others: Mapping[str, Content]
) -> Mapping[str, Content]:
    name = schema.get("name")
    if not isinstance(name, str):
        raise AvroError(f"a nameless {kind}")
    given = schema.get("namespace")
    full = _full(name, given if isinstance(given, str) else space)
    inner = full.rpartition(".")[0]
    found: dict[str, Content] = {"type": kind, "name": full}
    found |= {"doc": schema["doc"]} if schema.get("doc") is not None else {}
    content = _required(schema, _NAMED[kind])
    if _NAMED[kind] == "fields":
        if not isinstance(content, Sequence) or isinstance(content, str):
            raise AvroError("a record without a list of fields")
        content = [_canonical_field(field, inner) for field in content]
    aliases = _names(schema.get("aliases"), inner)
    return {**found, _NAMED[kind]: content, **others, **({"aliases": aliases} if aliases else {})}


def _canonical_field(field: Content, space: str) -> Content:
    if not isinstance(field, Mapping) or not isinstance(field.get("name"), str):
        raise AvroError("a nameless field")
    found: dict[str, Content] = {"name": field["name"], "type": _canonical(_required(field, "type"), space)}
    found |= {"doc": field["doc"]} if field.get("doc") is not None else {}
    found |= {"default": field["default"]} if "default" in field else {}
    found |= {"order": field["order"]} if field.get("order") not in (None, "ascending") else {}
    found |= {"aliases": field["aliases"]} if field.get("aliases") else {}
    return {**found, **{key: value for key, value in field.items() if key not in _OF_FIELDS}}


def _required(schema: Mapping[str, Content], key: str) -> Content:
    if key not in schema:
        raise AvroError(f"an object without {key}")
    return schema[key]


def _names(aliases: Content, space: str) -> list[Content]:
    listed = aliases if isinstance(aliases, Sequence) and not isinstance(aliases, str) else []
    return [_full(alias, space) for alias in listed if isinstance(alias, str)]


def _full(name: str, space: str) -> str:
    return name if "." in name or not space else f"{space}.{name}"


def _ordered(schema: Content, space: str) -> Any:
    """Return a canonical schema as plain data in the order in which it is printed."""
    if isinstance(schema, str):
        return _short(schema, space)
    if isinstance(schema, Mapping):
        return _ordered_object(schema, space)
    assert isinstance(schema, Sequence)
    return [_ordered(branch, space) for branch in schema]


def _ordered_object(schema: Mapping[str, Content], space: str) -> Any:
    kind = str(schema["type"])
    others = {key: value for key, value in schema.items() if key not in _OF_TYPES}
    if kind in _COMPLEX:
        inner = _COMPLEX[kind]
        return {"type": kind, inner: _ordered(schema[inner], space), **others}
    if kind not in _NAMED:
        return {"type": _short(kind, space), **others}
    own, _, name = str(schema["name"]).rpartition(".")
    found: dict[str, Any] = {"type": kind, "name": name}
    found |= {"namespace": own} if own != space else {}
    found |= {"doc": schema["doc"]} if "doc" in schema else {}
    content = schema[_NAMED[kind]]
    if _NAMED[kind] == "fields":
        assert isinstance(content, Sequence)
        content = [_ordered_field(field, own) for field in content if isinstance(field, Mapping)]
    aliases = [_short(str(alias), own) for alias in _names(schema.get("aliases"), own)]
    return {**found, _NAMED[kind]: content, **others, **({"aliases": aliases} if aliases else {})}


def _ordered_field(field: Mapping[str, Content], space: str) -> Any:
    found = {"name": field["name"], "type": _ordered(field["type"], space)}
    found |= {key: field[key] for key in ("doc", "default", "order", "aliases") if key in field}
    return found | {key: value for key, value in field.items() if key not in _OF_FIELDS}


def _short(name: str, space: str) -> str:
    own, _, last = name.rpartition(".")
    return last if own and own == space and last not in PRIMITIVES else name
