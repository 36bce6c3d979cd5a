"""What the branches of one object schema say together: pure data in, pure data out."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urldefrag, urljoin

from codegen.pins import CodegenError, Schema, resolve

ANNOTATIONS = frozenset(
    {"$comment", "default", "deprecated", "description", "documentation", "example", "examples", "title"}
)
"""Keywords that change nothing about what a schema accepts; `documentation` is none, but published schemas use it."""

_OBJECT = frozenset(
    {"$ref", "additionalProperties", "allOf", "dependentRequired", "not", "properties", "required", "type"}
)


@dataclass
class Merged:
    """What the branches of one object say together.

    Attributes:
        properties: each property's schema, with absolute references.
        required: the names that must be there.
        forbidden: groups of names that must not all be there.
        dependent: for a name, the names that must be there beside it.
        values: the schema of every property that is not declared; None where the object says nothing of them.
        description: the outermost branch's that has one.
    """

    properties: dict[str, Schema] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    forbidden: list[list[str]] = field(default_factory=list)
    dependent: dict[str, list[str]] = field(default_factory=dict)
    values: Schema | None = None
    description: str = ""


def merge(documents: Mapping[str, Schema], base: str, schema: Schema, place: str) -> Merged:
    """Flatten `$ref` and `allOf` of one object schema.

    Args:
        documents: the closed set, by `$id`.
        base: the `$id` of the document that holds `schema`.
        schema: an object schema.
        place: what it is, for messages.

    Raises:
        CodegenError: a branch says something that is not known of objects, or two contradict each other.
    """
    into = Merged()
    for branch in _branches(documents, base, schema, place, ()):
        _add(branch, into)
    return into


class _Branch(NamedTuple):
    """One object schema, for what it says itself and not for what it builds on."""

    place: str
    base: str
    schema: Schema


def _branches(
    documents: Mapping[str, Schema], base: str, schema: Schema, place: str, seen: tuple[str, ...]
) -> Iterator[_Branch]:
    """Yield all that `schema` builds on, and then itself."""
    only(schema, _OBJECT, place)
    if "$ref" in schema:
        url = absolute(base, schema["$ref"])
        if url in seen:
            raise CodegenError(f"{url}: it builds on itself")
        yield from _branches(documents, urldefrag(url).url, resolve(documents, base, url)[1], url, (*seen, url))
    for branch in schema.get("allOf", ()):
        yield from _branches(documents, base, branch, place, seen)
    yield _Branch(place, base, schema)


def _add(branch: _Branch, into: Merged) -> None:
    place, base, schema = branch
    if schema.get("type", "object") != "object":
        raise CodegenError(f"{place}: an object builds on the type {schema['type']!r}")
    into.description = schema.get("description", "") or into.description
    for key, value in schema.get("properties", {}).items():
        known = into.properties.get(key, {})
        into.properties[key] = both(known, rebased(base, value), f"{place} {key!r}")
    into.required.update(schema.get("required", ()))
    for name, names in schema.get("dependentRequired", {}).items():
        into.dependent[name] = sorted({*into.dependent.get(name, ()), *names})
    if "not" in schema:
        into.forbidden.append(_forbidden(schema["not"], place))
    if isinstance(schema.get("additionalProperties"), dict):
        into.values = both(into.values or {}, rebased(base, schema["additionalProperties"]), place)


def _forbidden(schema: Schema, place: str) -> list[str]:
    if set(schema) != {"required"}:
        raise CodegenError(f"{place}: `not` is only known with `required`")
    return list(schema["required"])


def both(first: Schema, second: Schema, place: str) -> Schema:
    """Join two schemas of one value.

    Raises:
        CodegenError: they put a keyword differently; which one would hold cannot be told.
    """
    for keyword in sorted(first.keys() & second.keys() - ANNOTATIONS):
        if first[keyword] != second[keyword]:
            raise CodegenError(f"{place}: two branches put `{keyword}` differently")
    return first | second


def only(schema: Schema, known: Iterable[str], place: str) -> None:
    """Refuse every keyword that is not `known`, by its name.

    Raises:
        CodegenError: there is one.
    """
    for keyword in sorted(schema.keys() - ANNOTATIONS - set(known)):
        raise CodegenError(f"{place}: the keyword `{keyword}` is not supported here")


def annotations(schema: Schema) -> Schema:
    """Return what a composed property keeps of the annotations: a description."""
    return {"description": schema["description"]} if schema.get("description") else {}


def absolute(base: str, reference: str) -> str:
    """Return the URL of the definition that `reference` names.

    Raises:
        CodegenError: it names something else than a definition.
    """
    url = urljoin(base, reference)
    if not urldefrag(url).fragment.startswith("/$defs/") or url.count("/", url.index("#")) != 2:
        raise CodegenError(f"{base}: $ref {reference!r} does not lead to a definition")
    return url


def definition_name(url: str) -> str:
    """Return the name of the definition at `url`, which is also its class's."""
    return url.rsplit("/", 1)[-1]


def rebased(base: str, schema: Any) -> Any:
    """Copy `schema` with every `$ref` made absolute, so that it means the same anywhere.

    Raises:
        CodegenError: a `$ref` names something else than a definition.
    """
    if isinstance(schema, list):
        return [rebased(base, item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: absolute(base, value) if key == "$ref" and isinstance(value, str) else rebased(base, value)
        for key, value in schema.items()
    }
