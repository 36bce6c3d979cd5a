"""Make one Draft 2020-12 document out of many, each object a class: pure data in, pure data out.

The rules hold for any OpenLineage release. A keyword that they do not know stops everything by name, because one that
is dropped in silence would make models that accept what the schema refuses.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from urllib.parse import urldefrag

from codegen.facets import Facet, entities, find_facets
from codegen.names import class_name
from codegen.objects import (
    ANNOTATIONS,
    Merged,
    absolute,
    annotations,
    both,
    definition_name,
    merge,
    only,
    rebased,
)
from codegen.pins import DIALECT, FORMATS, CodegenError, Schema, resolve

PRODUCER = "https://github.com/conduktor/streamt"

_ROOT = frozenset({"$defs", "$id", "$schema", "oneOf", "properties", "type"})
_SCALARS: Mapping[str, frozenset[str]] = {
    "string": frozenset({"const", "enum", "format", "maxLength", "minLength", "type"}),
    "integer": frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "type"}),
    "number": frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "type"}),
    "boolean": frozenset({"const", "type"}),
}
_LIMITS = frozenset({"exclusiveMaximum", "exclusiveMinimum", "maxLength", "maximum", "minLength", "minimum"})
_UNIONS = ("anyOf", "oneOf")
NULL = {"type": "null"}


def compose(documents: Mapping[str, Schema], core_id: str) -> Schema:
    """Make the closed document: every event, every class that an event can reach, every facet.

    Objects are closed, `allOf` is flattened, properties stand sorted by their JSON names, and each `$ref` leads to
    `#/$defs/CLASS`.

    Args:
        documents: the closed set, by `$id`.
        core_id: the core schema's `$id`.

    Raises:
        CodegenError: a schema says something that these rules do not know, or that no closed object can satisfy.
    """
    for document in documents.values():
        only(document, _ROOT, document["$id"])
    facets = find_facets(documents, core_id)
    composer = _Closed(documents, core_id, facets)
    events = composer.all_of(_events(documents[core_id]))
    for facet in facets:
        if facet.name not in composer.classes:
            raise CodegenError(f"{facet.definition}: no event has a place for the facets of {facet.entity}")
    return composer.document("oneOf", events)


def _events(core: Schema) -> list[str]:
    events = core.get("oneOf", [])
    if not events or any(set(event) != {"$ref"} for event in events):
        raise CodegenError(f"{core['$id']}: its root is not `oneOf` references to events")
    return [absolute(core["$id"], event["$ref"]) for event in events]


class Composer(ABC):
    """Collects the classes while it walks from the definitions that are asked for to all that they hold."""

    def __init__(self, documents: Mapping[str, Schema]) -> None:
        self.documents = documents
        self.classes: dict[str, Schema] = {}
        self._origins: dict[str, str] = {}
        self._unions: list[tuple[str, Schema]] = []

    def all_of(self, urls: list[str]) -> list[str]:
        """Make the classes of the definitions at `urls` and of all that they hold; return the names of the former.

        Raises:
            CodegenError: a schema says something that the rules do not know.
        """
        try:
            names = [self.definition(url) for url in urls]
        except RecursionError as error:
            raise CodegenError("a definition that is no object refers to itself without end") from error
        for place, union in self._unions:
            self._check_union(place, union)
        return names

    def document(self, keyword: str, roots: list[str]) -> Schema:
        """Return the whole document, whose root is `keyword` over references to `roots`."""
        return {
            "$schema": DIALECT,
            keyword: [{"$ref": f"#/$defs/{name}"} for name in roots],
            "$defs": dict(sorted(self.classes.items())),
        }

    def definition(self, url: str) -> str:
        """Make the class of the object definition at `url` and return its name."""
        name = definition_name(url)
        return self._class(name, url, urldefrag(url).url, {"$ref": url})

    @abstractmethod
    def finish(self, origin: str, merged: Merged, properties: dict[str, Schema]) -> Schema:
        """Return the schema of the class of the object at `origin`; its properties are composed already."""

    @abstractmethod
    def container(self, schema: Schema, place: str) -> str | None:
        """Return the class that `schema` means in a way of its own, if it does."""

    def constants(self, origin: str, merged: Merged) -> dict[str, Schema]:  # noqa: ARG002 - for subclasses
        """Return the properties of the object at `origin` that have one value, whatever its schema says."""
        return {}

    @abstractmethod
    def allow_null(self, place: str) -> None:
        """Take note that the value at `place` may be null.

        Raises:
            CodegenError: this document has no room for it.
        """

    def _class(self, name: str, origin: str, base: str, schema: Schema) -> str:
        if not self.claim(name, origin):
            return name
        self.classes[name] = {}  # so that a definition that holds itself ends here
        merged = merge(self.documents, base, schema, origin)
        constants = self.constants(origin, merged)
        properties = {
            key: constants[key] | annotations(value) if key in constants else self._property(name, key, origin, value)
            for key, value in sorted(merged.properties.items())
        }
        self.classes[name] = self.finish(origin, merged, properties)
        return name

    def claim(self, name: str, origin: str) -> bool:
        """Report whether the class `name` of `origin` is still to be made.

        Raises:
            CodegenError: it is the name of another origin's class.
        """
        if self._origins.setdefault(name, origin) != origin:
            raise CodegenError(f"{origin}: the class {name} is already that of {self._origins[name]}")
        return name not in self.classes

    def _property(self, owner: str, key: str, origin: str, schema: Schema) -> Schema:
        """Compose the schema of the property `key`; an object in it becomes a class of its own."""
        place = f"{origin} {key!r}"
        described = annotations(schema)
        schema, nullable = _without_null(schema)
        if nullable:
            self.allow_null(place)
            inner = self._property(owner, key, origin, schema)
            branches = inner["anyOf"] if "anyOf" in inner else [_bare(inner)]
            return {"anyOf": [*branches, NULL]} | described
        if (container := self.container(schema, place)) is not None:
            return {"$ref": f"#/$defs/{container}"} | described
        for keyword in _UNIONS:
            if keyword in schema and not self._is_object(schema):
                return self._union(owner, key, origin, schema, keyword) | described
        if "$ref" in schema and not self._is_object(schema):
            rest = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
            return self._property(owner, key, origin, both(self._target(schema["$ref"]), rest, place))
        if self._is_object(schema):
            return self._map_or_class(owner, key, origin, schema) | described
        if schema.get("type") == "array":
            return self._array(owner, key, origin, schema) | described
        return _scalar(schema, place) | described

    def _union(self, owner: str, key: str, origin: str, schema: Schema, keyword: str) -> Schema:
        place = f"{origin} {key!r}"
        only(schema, {keyword}, place)
        union = {keyword: [_bare(self._inner(owner, key, origin, branch)) for branch in schema[keyword]]}
        if keyword == "oneOf":
            self._unions.append((place, union))
        return union

    def _check_union(self, place: str, union: Schema) -> None:
        """Refuse a `oneOf` whose branches could both fit: a class can be told by a property that has its own values."""
        marks = [self._marks(branch) for branch in union["oneOf"]]
        for index, first in enumerate(marks):
            for second in marks[index + 1 :]:
                if not any(first[key].isdisjoint(second[key]) for key in first.keys() & second.keys()):
                    raise CodegenError(f"{place}: no required `enum` or `const` tells the branches of `oneOf` apart")

    def _marks(self, branch: Schema) -> dict[str, set[str]]:
        """Return the values that tell a branch: its type's, and those of each required property that has few."""
        if "$ref" not in branch:
            return {"": {"number" if branch["type"] == "integer" else branch["type"]}}
        schema = self.classes[definition_name(branch["$ref"])]
        properties = {key: schema["properties"][key] for key in schema.get("required", ())}
        few = {key: value.get("enum") or [value.get("const")] for key, value in properties.items()}
        return {"": {"object"}} | {key: set(values) for key, values in few.items() if values != [None]}

    def _map_or_class(self, owner: str, key: str, origin: str, schema: Schema) -> Schema:
        merged = merge(self.documents, "", schema, f"{origin} {key!r}")
        if merged.values is None:
            return {"$ref": f"#/$defs/{self._object(owner, key, origin, schema)}"}
        if merged.properties or merged.required or merged.dependent or merged.forbidden:
            raise CodegenError(f"{origin} {key!r}: `additionalProperties` with a schema beside more is not supported")
        return {"type": "object", "additionalProperties": self._inner(owner, key, origin, merged.values)}

    def _array(self, owner: str, key: str, origin: str, schema: Schema) -> Schema:
        place = f"{origin} {key!r}"
        only(schema, {"items", "type"}, place)
        if not isinstance(schema.get("items"), dict):
            raise CodegenError(f"{place}: an array without `items` is not supported")
        return {"type": "array", "items": self._inner(owner, key, origin, schema["items"])}

    def _inner(self, owner: str, key: str, origin: str, schema: Schema) -> Schema:
        """Compose a schema that stands inside another, where the generated type has no room for a limit."""
        inner = self._property(owner, key, origin, schema)
        if inner.keys() & _LIMITS:
            raise CodegenError(f"{origin} {key!r}: limits inside an array, a map or a union are not supported")
        return inner

    def _is_object(self, schema: Schema) -> bool:
        if schema.get("type") == "object" or "properties" in schema:
            return True
        if "$ref" in schema and self._is_object(self._target(schema["$ref"])):
            return True
        return any(self._is_object(branch) for branch in schema.get("allOf", ()))

    def _target(self, url: str) -> Schema:
        """Return the definition at `url` with references that mean the same anywhere."""
        target: Schema = rebased(urldefrag(url).url, resolve(self.documents, "", url)[1])
        return target

    def _object(self, owner: str, key: str, origin: str, schema: Schema) -> str:
        if "$ref" in schema and set(schema) <= {"$ref"} | ANNOTATIONS:
            return self.definition(schema["$ref"])
        return self._class(class_name(owner, key), f"{origin}/properties/{key}", "", schema)


class _Closed(Composer):
    """Composes what is written: closed objects, closed containers of facets, constants for who wrote it by what."""

    def __init__(self, documents: Mapping[str, Schema], core_id: str, facets: tuple[Facet, ...]) -> None:
        super().__init__(documents)
        self._facets = {facet.definition: facet for facet in facets}
        self._entities = entities(documents, core_id)
        self._events = set(_events(documents[core_id]))

    def finish(self, origin: str, merged: Merged, properties: dict[str, Schema]) -> Schema:
        """Return the closed schema of the object at `origin`.

        Raises:
            CodegenError: no closed object can keep what the schema demands.
        """
        required = merged.required | self.constants(origin, merged).keys()
        dependents = {name: names for name, names in merged.dependent.items() if name in properties}
        for key in sorted(required.union(*dependents.values()) - properties.keys()):
            raise CodegenError(f"{origin}: it needs {key!r}, which it does not declare")
        for names in merged.forbidden:
            if properties.keys() >= set(names):
                raise CodegenError(f"{origin}: `not: {{required: {names}}}` cannot be kept by closing the object")
        composed = {
            "$comment": origin,
            "type": "object",
            "description": merged.description,
            "properties": properties,
            "required": sorted(required),
            "additionalProperties": False,
        }
        return composed | ({"dependentRequired": dict(sorted(dependents.items()))} if dependents else {})

    def constants(self, origin: str, merged: Merged) -> dict[str, Schema]:
        """Return who wrote it and by what schema, for a facet and for an event.

        Raises:
            CodegenError: the schema says something else of these properties.
        """
        if origin in self._facets:
            prefix, url = "_", self._facets[origin].url
        elif origin in self._events:
            prefix, url = "", origin
        else:
            return {}
        values = {f"{prefix}producer": PRODUCER, f"{prefix}schemaURL": url}
        for key, value in values.items():
            if key not in merged.properties:
                raise CodegenError(f"{origin}: it needs {key!r}, which it does not declare")
            only(merged.properties[key], {"type", "format"} | self._own(origin, key, value), f"{origin} {key!r}")
        return {key: {"type": "string", "const": value} for key, value in values.items()}

    def _own(self, origin: str, key: str, value: str) -> set[str]:
        """Let a schema of our own, and no published one, say which `_schemaURL` it stands for."""
        return {"const"} if key == "_schemaURL" and value != origin and origin.startswith(PRODUCER) else set()

    def allow_null(self, place: str) -> None:
        """Refuse it: what is absent is not written, and so a null never is."""
        raise CodegenError(f"{place}: a value that may be null is not supported")

    def container(self, schema: Schema, place: str) -> str | None:
        """Return the class that holds an entity's facets, if `schema` is the core's way to say `facets`."""
        if "anyOf" not in schema or not self._is_object(schema):
            return None
        match schema:
            case {"type": "object", "anyOf": [{"type": "object", "additionalProperties": {"$ref": str(url)}, **rest}]}:
                if url in self._entities and not rest and set(schema) <= {"type", "anyOf"} | ANNOTATIONS:
                    return self._container(self._entities[url], schema.get("description", ""))
        raise CodegenError(f"{place}: `anyOf` is only known as the core's facets")

    def _container(self, entity: str, description: str) -> str:
        name = f"{entity}s"
        if self.claim(name, f"the facets of {entity}"):
            self.classes[name] = {}  # a facet may hold facets, too
            found = {facet.key: facet for facet in self._facets.values() if facet.entity == entity}
            self.classes[name] = {
                "$comment": f"every pinned facet that builds on {entity}",
                "type": "object",
                "description": description,
                "properties": {
                    key: {"$ref": f"#/$defs/{self.definition(found[key].definition)}"} for key in sorted(found)
                },
                "required": [],
                "additionalProperties": False,
            }
        return name


def _bare(schema: Schema) -> Schema:
    return {keyword: value for keyword, value in schema.items() if keyword not in ANNOTATIONS}


def _without_null(schema: Schema) -> tuple[Schema, bool]:
    """Tell `schema` without null apart, and whether it allows null."""
    match schema:
        case {"type": [str(kind), "null"]}:
            values = {"enum": [value for value in schema["enum"] if value is not None]} if "enum" in schema else {}
            return schema | {"type": kind} | values, True
        case {"anyOf": [*branches]} if NULL in branches:
            left = [branch for branch in branches if branch != NULL]
            rest = {keyword: value for keyword, value in schema.items() if keyword != "anyOf"}
            return rest | (left[0] if len(left) == 1 else {"anyOf": left}), True
    return schema, False


def _scalar(schema: Schema, place: str) -> Schema:
    kind = schema.get("type", _implied_type(schema))
    if not isinstance(kind, str) or kind not in _SCALARS:
        raise CodegenError(f"{place}: the type {kind!r} is not supported")
    only(schema, _SCALARS[kind], place)
    values = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
    if kind == "string" and not all(isinstance(value, str) for value in values):
        raise CodegenError(f"{place}: an `enum` or a `const` that is not a string is not supported")
    if values and (("enum" in schema and "const" in schema) or schema.keys() & {"format", "maxLength", "minLength"}):
        raise CodegenError(f"{place}: `enum` or `const` beside another limit is not supported")
    if schema.get("format", "uri") not in FORMATS:
        raise CodegenError(f"{place}: the format {schema['format']!r} is not supported")
    if "format" in schema and schema.keys() & {"maxLength", "minLength"}:
        raise CodegenError(f"{place}: `format` beside a limit of length is not supported")
    return {"type": kind} | {keyword: schema[keyword] for keyword in sorted(schema.keys() - ANNOTATIONS)}


def _implied_type(schema: Schema) -> str | None:
    if isinstance(schema.get("const"), bool):
        return "boolean"
    return "string" if "enum" in schema or "const" in schema else None
