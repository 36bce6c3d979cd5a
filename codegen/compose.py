"""Make one closed Draft 2020-12 document out of the pinned ones: pure data in, pure data out.

The rules hold for any OpenLineage release. A keyword that they do not know stops everything by name, because one that
is dropped in silence would make models that accept what the schema refuses.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urldefrag, urljoin

from codegen.names import class_name
from codegen.pins import DIALECT, FORMATS, CodegenError, Schema, resolve

PRODUCER = "https://github.com/conduktor/streamt"
BASE_FACET = "BaseFacet"

ANNOTATIONS = frozenset({"$comment", "default", "deprecated", "description", "example", "examples", "title"})
_ROOT = frozenset({"$defs", "$id", "$schema", "oneOf", "properties", "type"})
_OBJECT = frozenset({"$ref", "additionalProperties", "allOf", "not", "properties", "required", "type"})
_SCALARS: Mapping[str, frozenset[str]] = {
    "string": frozenset({"const", "enum", "format", "maxLength", "minLength", "type"}),
    "integer": frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "type"}),
    "number": frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "type"}),
    "boolean": frozenset({"type"}),
}


@dataclass(frozen=True, slots=True)
class Facet:
    """Where one pinned facet belongs, read from its own schema.

    Attributes:
        key: its name in the container.
        entity: the core's facet definition that it builds on, such as `JobFacet`.
        url: its `_schemaURL`, the `$id` with the exact `$defs` fragment.
    """

    key: str
    entity: str
    url: str

    @property
    def name(self) -> str:
        """The definition's name, which is also the class's."""
        return _definition(self.url)


def find_facets(documents: Mapping[str, Schema], core_id: str) -> tuple[Facet, ...]:
    """Read every facet's key, entity and URL from the facet schemas.

    Args:
        documents: the closed set, by `$id`.
        core_id: the core schema's `$id`.

    Returns:
        The facets, sorted by entity and key.

    Raises:
        CodegenError: a facet document has no facet, a facet has no or two entities, or a key is there twice.
    """
    entities = _entities(documents, core_id)
    found: dict[tuple[str, str], Facet] = {}
    for base, document in documents.items():
        if base == core_id:
            continue
        if not document.get("properties"):
            raise CodegenError(f"{base}: it names no facet in its root's properties")
        for key, schema in document["properties"].items():
            facet = _facet(documents, entities, base, key, schema)
            if (facet.entity, key) in found:
                raise CodegenError(f"{base}: the facet key {key!r} of {facet.entity} is already taken")
            found[facet.entity, key] = facet
    return tuple(found[place] for place in sorted(found))


def compose(documents: Mapping[str, Schema], core_id: str) -> Schema:
    """Make the closed document: every event, every class that an event can reach, every pinned facet.

    Objects are closed, `allOf` is flattened, properties stand sorted by their JSON names, and each `$ref` leads to
    `#/$defs/CLASS`.

    Args:
        documents: the closed set, by `$id`.
        core_id: the core schema's `$id`.

    Raises:
        CodegenError: a schema says something that these rules do not know, or that no closed object can satisfy.
    """
    for document in documents.values():
        _only(document, _ROOT, document["$id"])
    facets = find_facets(documents, core_id)
    composer = _Composer(documents, core_id, facets)
    try:
        events = [composer.definition(_absolute(core_id, event["$ref"])) for event in _events(documents[core_id])]
    except RecursionError as error:
        raise CodegenError("a definition that is no object refers to itself without end") from error
    for facet in facets:
        if facet.name not in composer.classes:
            raise CodegenError(f"{facet.url}: no event has a place for the facets of {facet.entity}")
    return {
        "$schema": DIALECT,
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in events],
        "$defs": dict(sorted(composer.classes.items())),
    }


def _events(core: Schema) -> list[Schema]:
    events = core.get("oneOf", [])
    if not events or any(set(event) != {"$ref"} for event in events):
        raise CodegenError(f"{core['$id']}: its root is not `oneOf` references to events")
    return list(events)


def _entities(documents: Mapping[str, Schema], core_id: str) -> dict[str, str]:
    """Find the core's definitions that build on its BaseFacet, by their URLs."""
    definitions = documents[core_id].get("$defs", {})
    root = f"{core_id}#/$defs/{BASE_FACET}"
    urls = {f"{core_id}#/$defs/{name}": name for name in definitions if name != BASE_FACET}
    return {url: name for url, name in urls.items() if root in _ancestors(documents, url)}


def _ancestors(documents: Mapping[str, Schema], url: str, seen: tuple[str, ...] = ()) -> tuple[str, ...]:
    """List the URLs that the definition at `url` builds on, by `$ref` and `allOf`."""
    if url in seen:
        raise CodegenError(f"{url}: it builds on itself")
    base = urldefrag(url).url
    schema = resolve(documents, base, url)[1]
    parents = [_absolute(base, branch["$ref"]) for branch in (schema, *schema.get("allOf", ())) if "$ref" in branch]
    return tuple(up for parent in parents for up in (parent, *_ancestors(documents, parent, (*seen, url))))


def _facet(documents: Mapping[str, Schema], entities: Mapping[str, str], base: str, key: str, schema: Schema) -> Facet:
    if not set(schema) <= {"$ref"} | ANNOTATIONS or "$ref" not in schema:
        raise CodegenError(f"{base}: the facet {key!r} is not a reference to a definition")
    url = _absolute(base, schema["$ref"])
    found = sorted({entities[up] for up in _ancestors(documents, url) if up in entities})
    if len(found) != 1:
        raise CodegenError(f"{url}: it builds on {' and '.join(found) or 'no facet of the core schema'}")
    return Facet(key, found[0], url)


def _absolute(base: str, reference: str) -> str:
    url = urljoin(base, reference)
    if not urldefrag(url).fragment.startswith("/$defs/") or url.count("/", url.index("#")) != 2:
        raise CodegenError(f"{base}: $ref {reference!r} does not lead to a definition")
    return url


def _definition(url: str) -> str:
    return url.rsplit("/", 1)[-1]


@dataclass
class _Merged:
    """What the branches of one object say together."""

    properties: dict[str, Schema] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    forbidden: list[list[str]] = field(default_factory=list)
    description: str = ""


class _Composer:
    """Collects the classes while it walks from the events to all that they hold."""

    def __init__(self, documents: Mapping[str, Schema], core_id: str, facets: Iterable[Facet]) -> None:
        self.documents = documents
        self.facets = {facet.url: facet for facet in facets}
        self.entities = _entities(documents, core_id)
        self.events = {
            _absolute(core_id, event["$ref"]): _definition(event["$ref"]) for event in _events(documents[core_id])
        }
        self.classes: dict[str, Schema] = {}
        self._origins: dict[str, str] = {}

    def definition(self, url: str) -> str:
        """Make the class of the object definition at `url` and give its name."""
        name = _definition(url)
        return self._class(name, url, urldefrag(url).url, {"$ref": url})

    def _class(self, name: str, origin: str, base: str, schema: Schema) -> str:
        if self._origins.setdefault(name, origin) != origin:
            raise CodegenError(f"{origin}: the class {name} is already that of {self._origins[name]}")
        if name in self.classes:
            return name
        self.classes[name] = {}  # so that a definition that holds itself ends here
        merged = self._merge(base, schema, origin, _Merged(), ())
        constants = self._constants(origin)
        self._check(origin, merged, constants)
        properties = {
            key: constants[key] | _annotations(value) if key in constants else self._property(name, key, origin, value)
            for key, value in sorted(merged.properties.items())
        }
        self.classes[name] = {
            "$comment": origin,
            "type": "object",
            "description": merged.description,
            "properties": properties,
            "required": sorted(merged.required | constants.keys()),
            "additionalProperties": False,
        }
        return name

    def _constants(self, url: str) -> dict[str, Schema]:
        if url in self.facets:
            prefix = "_"
        elif url in self.events:
            prefix = ""
        else:
            return {}
        values = {f"{prefix}producer": PRODUCER, f"{prefix}schemaURL": url}
        return {key: {"type": "string", "const": value} for key, value in values.items()}

    def _check(self, origin: str, merged: _Merged, constants: Mapping[str, Schema]) -> None:
        for key in sorted((merged.required | constants.keys()) - merged.properties.keys()):
            raise CodegenError(f"{origin}: it needs {key!r}, which it does not declare")
        for names in merged.forbidden:
            if merged.properties.keys() >= set(names):
                raise CodegenError(f"{origin}: `not: {{required: {names}}}` cannot be kept by closing the object")
        for key in constants:
            _only(merged.properties[key], {"type", "format"}, f"{origin} {key!r}")

    def _merge(self, base: str, schema: Schema, place: str, into: _Merged, seen: tuple[str, ...]) -> _Merged:
        """Add to `into` what `schema` and all that it builds on say of one object."""
        _only(schema, _OBJECT, place)
        if schema.get("type", "object") != "object":
            raise CodegenError(f"{place}: an object builds on the type {schema['type']!r}")
        if not isinstance(schema.get("additionalProperties", True), bool):
            raise CodegenError(f"{place}: `additionalProperties` with a schema is only known for the core's facets")
        into.description = into.description or schema.get("description", "")
        if "$ref" in schema:
            url = _absolute(base, schema["$ref"])
            if url in seen:
                raise CodegenError(f"{url}: it builds on itself")
            target = resolve(self.documents, base, url)[1]
            self._merge(urldefrag(url).url, target, url, into, (*seen, url))
        for branch in schema.get("allOf", ()):
            self._merge(base, branch, place, into, seen)
        for key, value in schema.get("properties", {}).items():
            known = into.properties.get(key, {})
            into.properties[key] = _both(known, _rebased(base, value, place), f"{place} {key!r}")
        into.required.update(schema.get("required", ()))
        if "not" in schema:
            into.forbidden.append(_forbidden(schema["not"], place))
        return into

    def _property(self, owner: str, key: str, origin: str, schema: Schema) -> Schema:
        """Compose the schema of the property `key`; an object in it becomes a class of its own."""
        place = f"{origin} {key!r}"
        annotations = _annotations(schema)
        if (entity := self._container(schema, place)) is not None:
            name = self._container_class(entity, annotations.get("description", ""))
            return {"$ref": f"#/$defs/{name}"} | annotations
        if "$ref" in schema and not self._is_object(schema):
            rest = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
            return self._property(owner, key, origin, _both(self._target(schema["$ref"]), rest, place))
        if self._is_object(schema):
            return {"$ref": f"#/$defs/{self._object(owner, key, origin, schema)}"} | annotations
        if schema.get("type") == "array":
            _only(schema, {"items", "type"}, place)
            if not isinstance(schema.get("items"), dict):
                raise CodegenError(f"{place}: an array without `items` is not supported")
            items = self._property(owner, key, origin, schema["items"])
            if set(items) - ANNOTATIONS - {"$ref", "const", "enum", "format", "items", "type"}:
                raise CodegenError(f"{place}: limits on the items of an array are not supported")
            return {"type": "array", "items": items} | annotations
        return _scalar(schema, place) | annotations

    def _is_object(self, schema: Schema) -> bool:
        if schema.get("type") == "object" or "properties" in schema:
            return True
        if "$ref" in schema and self._is_object(self._target(schema["$ref"])):
            return True
        return any(self._is_object(branch) for branch in schema.get("allOf", ()))

    def _target(self, url: str) -> Schema:
        """Give the definition at `url` with references that mean the same anywhere."""
        target: Schema = _rebased(urldefrag(url).url, resolve(self.documents, "", url)[1], url)
        return target

    def _object(self, owner: str, key: str, origin: str, schema: Schema) -> str:
        if "$ref" in schema and set(schema) <= {"$ref"} | ANNOTATIONS:
            return self.definition(schema["$ref"])
        return self._class(class_name(owner, key), f"{origin}/properties/{key}", "", schema)

    def _container(self, schema: Schema, place: str) -> str | None:
        """Tell whose facets `schema` holds, if it is the core's way to say `facets`."""
        if "anyOf" not in schema:
            return None
        match schema:
            case {"type": "object", "anyOf": [{"type": "object", "additionalProperties": {"$ref": str(url)}, **rest}]}:
                if url in self.entities and not rest and set(schema) <= {"type", "anyOf"} | ANNOTATIONS:
                    return self.entities[url]
        raise CodegenError(f"{place}: `anyOf` is only known as the core's facets")

    def _container_class(self, entity: str, description: str) -> str:
        name = f"{entity}s"
        if self._origins.setdefault(name, name) != name:
            raise CodegenError(f"{self._origins[name]}: the class {name} is already that of the facets of {entity}")
        if name not in self.classes:
            keys = {facet.key: facet.url for facet in self.facets.values() if facet.entity == entity}
            self.classes[name] = {
                "$comment": f"every pinned facet that builds on {entity}",
                "type": "object",
                "description": description,
                "properties": {key: {"$ref": f"#/$defs/{self.definition(keys[key])}"} for key in sorted(keys)},
                "required": [],
                "additionalProperties": False,
            }
        return name


def _annotations(schema: Schema) -> Schema:
    return {"description": schema["description"]} if schema.get("description") else {}


def _only(schema: Schema, known: Iterable[str], place: str) -> None:
    for keyword in sorted(schema.keys() - ANNOTATIONS - set(known)):
        raise CodegenError(f"{place}: the keyword `{keyword}` is not supported here")


def _forbidden(schema: Schema, place: str) -> list[str]:
    if set(schema) != {"required"}:
        raise CodegenError(f"{place}: `not` is only known with `required`")
    return list(schema["required"])


def _scalar(schema: Schema, place: str) -> Schema:
    kind = schema.get("type", "string" if "enum" in schema or "const" in schema else None)
    if not isinstance(kind, str) or kind not in _SCALARS:
        raise CodegenError(f"{place}: the type {kind!r} is not supported")
    _only(schema, _SCALARS[kind], place)
    values = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
    if not all(isinstance(value, str) for value in values):
        raise CodegenError(f"{place}: an `enum` or a `const` that is not a string is not supported")
    if values and (("enum" in schema and "const" in schema) or schema.keys() & {"format", "maxLength", "minLength"}):
        raise CodegenError(f"{place}: `enum` or `const` beside another limit is not supported")
    if schema.get("format", "uri") not in FORMATS:
        raise CodegenError(f"{place}: the format {schema['format']!r} is not supported")
    if "format" in schema and schema.keys() & {"maxLength", "minLength"}:
        raise CodegenError(f"{place}: `format` beside a limit of length is not supported")
    return {"type": kind} | {keyword: schema[keyword] for keyword in sorted(schema.keys() - ANNOTATIONS)}


def _both(first: Schema, second: Schema, place: str) -> Schema:
    """Join two schemas of one property; both hold, so a keyword that they put differently is refused."""
    for keyword in sorted(first.keys() & second.keys() - ANNOTATIONS):
        if first[keyword] != second[keyword]:
            raise CodegenError(f"{place}: two branches put `{keyword}` differently")
    return first | second


def _rebased(base: str, schema: Any, place: str) -> Any:
    """Copy `schema` with every `$ref` made absolute, so that it means the same anywhere."""
    if isinstance(schema, list):
        return [_rebased(base, item, place) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _absolute(base, value) if key == "$ref" and isinstance(value, str) else _rebased(base, value, place)
        for key, value in schema.items()
    }
