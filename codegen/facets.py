"""Which facets there are, and where each belongs: read from the facets' own schemas."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urldefrag

from codegen.objects import ANNOTATIONS, absolute, definition_name
from codegen.pins import CodegenError, Schema, resolve

BASE_FACET = "BaseFacet"


@dataclass(frozen=True, slots=True)
class Facet:
    """Where one facet belongs, read from its own schema.

    Attributes:
        key: its name in the container.
        entity: the core's facet definition that it builds on, such as `JobFacet`.
        definition: the URL of its schema, with the exact `$defs` fragment.
        url: its `_schemaURL`: the constant that its schema gives, else `definition`.
    """

    key: str
    entity: str
    definition: str
    url: str

    @property
    def name(self) -> str:
        """The definition's name, which is also the class's."""
        return definition_name(self.definition)


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
    known = entities(documents, core_id)
    found: dict[tuple[str, str], Facet] = {}
    for base, document in documents.items():
        if base == core_id:
            continue
        for facet in _facets(documents, known, base, document):
            if (facet.entity, facet.key) in found:
                raise CodegenError(f"{base}: the facet key {facet.key!r} of {facet.entity} is already taken")
            found[facet.entity, facet.key] = facet
    return tuple(found[place] for place in sorted(found))


def facet_places(document: Schema, facets: Iterable[Facet]) -> tuple[tuple[tuple[str, ...], str], ...]:
    """Find where an event holds facets.

    Args:
        document: the composed document of all events.
        facets: those that are written.

    Returns:
        Each path from an event, `*` for every item of a list, and the entity whose facets stand there, sorted.
    """
    containers = {f"{facet.entity}s": facet.entity for facet in facets}
    found: set[tuple[tuple[str, ...], str]] = set()
    waiting: list[tuple[tuple[str, ...], Schema]] = [((), event) for event in document["oneOf"]]
    while waiting:
        path, schema = waiting.pop()
        name = definition_name(schema.get("$ref", ""))
        if name in containers:
            found.add((path, containers[name]))
        elif name:
            waiting += [((*path, key), value) for key, value in document["$defs"][name]["properties"].items()]
        elif "items" in schema:
            waiting.append(((*path, "*"), schema["items"]))
    return tuple(sorted(found))


def entities(documents: Mapping[str, Schema], core_id: str) -> dict[str, str]:
    """Return the names of the core's definitions that build on its BaseFacet, by their URLs."""
    definitions = documents[core_id].get("$defs", {})
    root = f"{core_id}#/$defs/{BASE_FACET}"
    urls = {f"{core_id}#/$defs/{name}": name for name in definitions if name != BASE_FACET}
    return {url: name for url, name in urls.items() if root in _ancestors(documents, url)}


def _facets(documents: Mapping[str, Schema], known: Mapping[str, str], base: str, document: Schema) -> Iterator[Facet]:
    if not document.get("properties"):
        raise CodegenError(f"{base}: it names no facet in its root's properties")
    for key, schema in document["properties"].items():
        for branch in schema["anyOf"] if set(schema) - ANNOTATIONS == {"anyOf"} else [schema]:
            if not set(branch) <= {"$ref"} | ANNOTATIONS or "$ref" not in branch:
                raise CodegenError(f"{base}: the facet {key!r} is not a reference to a definition")
            yield _facet(documents, known, key, absolute(base, branch["$ref"]))


def _facet(documents: Mapping[str, Schema], known: Mapping[str, str], key: str, url: str) -> Facet:
    found = sorted({known[up] for up in _ancestors(documents, url) if up in known})
    if len(found) != 1:
        raise CodegenError(f"{url}: it builds on {' and '.join(found) or 'no facet of the core schema'}")
    return Facet(key, found[0], url, _schema_url(documents, url) or url)


def _schema_url(documents: Mapping[str, Schema], url: str) -> str | None:
    """Return the `_schemaURL` that the definition at `url` gives as a constant, as a schema of our own does."""
    definition = resolve(documents, "", url)[1]
    branches = (definition, *definition.get("allOf", ()))
    constants = (branch.get("properties", {}).get("_schemaURL", {}).get("const") for branch in branches)
    return next((str(constant) for constant in constants if constant is not None), None)


def _ancestors(documents: Mapping[str, Schema], url: str, seen: tuple[str, ...] = ()) -> tuple[str, ...]:
    """List the URLs that the definition at `url` builds on, by `$ref` and `allOf`."""
    if url in seen:
        raise CodegenError(f"{url}: it builds on itself")
    base = urldefrag(url).url
    schema = resolve(documents, base, url)[1]
    parents = [absolute(base, branch["$ref"]) for branch in (schema, *schema.get("allOf", ())) if "$ref" in branch]
    return tuple(up for parent in parents for up in (parent, *_ancestors(documents, parent, (*seen, url))))
