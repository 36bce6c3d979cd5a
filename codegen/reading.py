"""Make the open document: what streamt reads of other people's events, from reading schemas of its own."""

from collections.abc import Mapping

from codegen.compose import NULL, Composer
from codegen.objects import Merged, absolute, only
from codegen.pins import CodegenError, Schema

WITHDRAWN = "WithdrawnFacet"
"""The class of a facet that is taken back: the first branch of each union that knows it."""

_ROOT = frozenset({"$defs", "$id", "$schema", "anyOf"})


def compose_reading(documents: Mapping[str, Schema]) -> Schema:
    """Make the document of all that is read, by what the one schema with a root names.

    Objects stay open: a property that no schema names is kept as it came. Every optional property may be null, which
    counts as absent.

    Args:
        documents: the reading schemas, by `$id`; the root of one of them is `anyOf` references to the events.

    Raises:
        CodegenError: a schema says something that the rules do not know.
    """
    for document in documents.values():
        only(document, _ROOT, document["$id"])
    roots = [absolute(uri, each["$ref"]) for uri, document in documents.items() for each in document.get("anyOf", ())]
    if not roots:
        raise CodegenError("no reading schema has a root that names the events")
    composer = _Open(documents)
    names = composer.all_of(roots)
    for uri, document in documents.items():
        for name in sorted(document["$defs"].keys() - composer.classes.keys()):
            raise CodegenError(f"{uri}: no event holds a {name}")
    return composer.document("anyOf", names)


class _Open(Composer):
    """Composes what is read: open objects, in which absent and null are the same."""

    def finish(self, origin: str, merged: Merged, properties: dict[str, Schema]) -> Schema:
        """Return the open schema of the object at `origin`.

        Raises:
            CodegenError: a property has no schema, or an optional one may not be null.
        """
        for key in sorted(merged.required - properties.keys()):
            raise CodegenError(f"{origin}: it needs {key!r}, which it does not declare")
        if merged.dependent or merged.forbidden:
            raise CodegenError(f"{origin}: `dependentRequired` and `not` are not supported in what is read")
        for key, value in properties.items():
            if (NULL in value.get("anyOf", ())) == (key in merged.required):
                raise CodegenError(f"{origin} {key!r}: it must be required, or allow null, and not both")
        return {
            "$comment": origin,
            "type": "object",
            "description": merged.description,
            "properties": properties,
            "required": sorted(merged.required),
            "additionalProperties": True,
        }

    def allow_null(self, place: str) -> None:
        """Allow it: absent and null are the same."""

    def container(self, schema: Schema, place: str) -> None:
        """Know no such way: reading schemas name the facets of each entity themselves."""
