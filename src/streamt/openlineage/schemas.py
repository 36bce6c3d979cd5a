"""The packed schemas, verified, and the validators made from them; nothing here can reach the network."""

import base64
import binascii
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from streamt.diagnostics import Code, Diagnostic, StreamtError
from streamt.files import read_file
from streamt.openlineage import models

if TYPE_CHECKING:
    from streamt.docs.schemas.facets import FacetSchema
    from streamt.docs.schemas.pins import Pin

__all__ = [
    "Tables",
    "core_validator",
    "documents",
    "facet_validator",
    "facets",
    "format_checker",
    "tables",
]

Schema = Mapping[str, Any]

# jsonschema's checkers let a newline at the end pass (`$` matches before it), and, in a UUID, underscores and digits of
# any script. What the standards mean has the shape beside its format, and passes the checker as well.
_SHAPES = {
    "date-time": re.compile(r"[!-~]+"),
    "uri": re.compile(r"[!-~]+"),
    "uuid": re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"),
}
_REINSTALL = "reinstall streamt: the package is damaged"
_LARGEST_RESOURCE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Tables:
    """What was generated beside the packed schemas.

    Attributes:
        release: the OpenLineage release.
        core_version: the version of the core schema in it, which counts for itself.
        pins: what each published schema must be, the core's first.
        own: what each schema of our own must be.
        facets: which facets are written, and where each belongs.
        places: where an event holds facets: the path, `*` for every item of a list, and the entity.
        texts: the names under which a schema looks at a text's letters.
        numbers: the names under which a schema looks at a number's or a boolean's value.
    """

    release: str
    core_version: str
    pins: "tuple[Pin, ...]"
    own: "tuple[Pin, ...]"
    facets: "tuple[FacetSchema, ...]"
    places: tuple[tuple[tuple[str, ...], str], ...]
    texts: frozenset[str]
    numbers: frozenset[str]


@cache
def tables() -> Tables:
    """Return the generated tables, checked against each other.

    Raises:
        StreamtError: E506, a table cannot be read, or two of them disagree.
    """
    try:
        from streamt.docs.schemas import facets, pins, shapes

        found = Tables(
            release=pins.RELEASE,
            core_version=pins.CORE_VERSION,
            pins=tuple(pins.PINS),
            own=tuple(pins.OWN),
            facets=tuple(facets.FACETS),
            places=tuple(facets.PLACES),
            texts=shapes.TEXTS,
            numbers=shapes.NUMBERS,
        )
        agree = _agree(found)
    except Exception as error:  # a module that was cut short raises whatever it stumbles over
        raise _invalid("the tables of the packed OpenLineage schemas cannot be read", _REINSTALL) from error
    if not agree:
        raise _invalid("the tables of the packed OpenLineage schemas do not belong together", _REINSTALL)
    return found


def _agree(found: Tables) -> bool:
    """Report whether the pins are those that everything else was generated from."""
    core, *others = found.pins
    defined = {facet.definition.partition("#")[0] for facet in found.facets}
    return (
        found.release == models.RELEASE
        and core.id == f"https://openlineage.io/spec/{found.core_version}/OpenLineage.json"
        and sorted(pin.id for pin in (*others, *found.own)) == sorted(defined)
    )


@cache
def documents() -> Mapping[str, Schema]:
    """Return every packed schema by its `$id`, the core schema first, then the facets', then our own.

    Raises:
        StreamtError: E506, a packed schema is missing or is not what its pin says.
    """
    packed = tables()
    published = {pin.id: _document(pin, f"openlineage-{packed.release}") for pin in packed.pins}
    return MappingProxyType(published | {pin.id: _document(pin, "own") for pin in packed.own})


@cache
def facets() -> "Mapping[tuple[str, str], FacetSchema]":
    """Return every facet that is written, by its entity and key.

    Raises:
        StreamtError: E506, as `tables` does.
    """
    return MappingProxyType({(facet.entity, facet.key): facet for facet in tables().facets})


@cache
def core_validator() -> Draft202012Validator:
    """Make the validator of whole events, by the root of the core schema.

    Raises:
        StreamtError: E506, as `documents` and `format_checker` do.
    """
    return _validator(tables().pins[0].id)


@cache
def facet_validator(entity: str, key: str) -> Draft202012Validator:
    """Make the validator of one facet, by its own `$defs` schema: the pinned one, or ours where none is pinned.

    Args:
        entity: the core's definition, such as `JobFacet`.
        key: the facet's name in that entity's facets.

    Raises:
        KeyError: no such facet is written.
        StreamtError: E506, as `documents` and `format_checker` do.
    """
    return _validator(facets()[entity, key].definition)


@cache
def format_checker() -> FormatChecker:
    """Make a checker that really enforces every format of the packed schemas.

    Raises:
        StreamtError: E506, jsonschema has no checker for one of them (it drops those whose packages are missing, and
            would then let anything pass), or a schema uses a format that is not enforced here.
    """
    for name in sorted({name for document in documents().values() for name in _formats(document)} - _SHAPES.keys()):
        raise _invalid(f"nothing enforces the format `{name}` of the packed OpenLineage schemas", _REINSTALL)
    checker = FormatChecker(formats=())
    for name, shape in _SHAPES.items():
        if name not in FormatChecker.checkers:
            raise _invalid(
                f"jsonschema has no checker for the format `{name}`",
                "install what streamt needs: pip install rfc3339-validator rfc3986-validator",
            )
        function, raises = FormatChecker.checkers[name]
        checker.checkers[name] = (_exact(function, shape), raises)
    return checker


def _exact(check: Callable[[object], bool], shape: re.Pattern[str]) -> Callable[[object], bool]:
    """Refuse what the checker lets through by accident; what is no text is no concern of a format."""
    return lambda value: not isinstance(value, str) or (shape.fullmatch(value) is not None and check(value))


def _formats(schema: object) -> set[str]:
    """Collect every `format` in `schema`; a property of that name holds a schema, and so is no text."""
    if isinstance(schema, list):
        return {name for item in schema for name in _formats(item)}
    if not isinstance(schema, dict):
        return set()
    own = {schema["format"]} if isinstance(schema.get("format"), str) else set()
    return own.union(*(_formats(value) for value in schema.values()))


@cache
def _registry() -> Registry[Any]:
    """Make the closed registry. It has no way to retrieve, so a reference that leads out of it is an error."""
    resources = [(uri, DRAFT202012.create_resource(document)) for uri, document in documents().items()]
    # Our own schemas name the core schema as a file beside them, whichever release is pinned.
    resources += [(urljoin(pin.id, tables().pins[0].name), resources[0][1]) for pin in tables().own[:1]]
    registry: Registry[Any] = Registry().with_resources(resources)
    return registry.crawl()


def _validator(url: str) -> Draft202012Validator:
    # `check_schema` is left to the build and the tests: it takes longer than a small project's whole export, and the
    # digests pin the very bytes that passed it there.
    return Draft202012Validator({"$ref": url}, registry=_registry(), format_checker=format_checker())


def _document(pin: "Pin", folder: str) -> Schema:
    """Unpack one schema; not a byte of it is parsed before its size and digest are right."""
    try:
        packed = _resource(folder, f"{pin.name}.gz.b64")
        compressed = base64.b64decode(b"".join(packed.split()), validate=True)
        raw = _inflate(compressed, pin.size)
    except (OSError, ValueError, binascii.Error, zlib.error) as error:
        raise _invalid(f"the packed schema `{pin.name}` cannot be read", _REINSTALL) from error
    if base64.encodebytes(compressed) != packed:
        raise _invalid(f"the packed schema `{pin.name}` is not packed as it was", _REINSTALL)
    if len(raw) != pin.size:
        raise _invalid(f"the packed schema `{pin.name}` has not the {pin.size} bytes of its pin", _REINSTALL)
    if hashlib.sha256(raw).hexdigest() != pin.sha256:
        raise _invalid(f"the packed schema `{pin.name}` has not the SHA-256 of its pin", _REINSTALL)
    document: Schema = json.loads(raw)
    if document["$id"] != pin.id:
        raise _invalid(f"the packed schema `{pin.name}` has not the `$id` of its pin", _REINSTALL)
    return document


def _resource(folder: str, name: str) -> bytes:
    """Read a packed file; where the package is in a folder, a pipe in its place must not make us wait."""
    resource = files("streamt.docs.schemas").joinpath(folder, name)
    return read_file(resource, limit=_LARGEST_RESOURCE) if isinstance(resource, Path) else resource.read_bytes()


def _inflate(compressed: bytes, size: int) -> bytes:
    """Decompress one gzip member, and never more than one byte beyond `size`."""
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    raw = stream.decompress(compressed, size + 1)
    if len(raw) <= size and (not stream.eof or stream.unused_data):
        raise zlib.error("the stream is cut off, or more follows it")
    return raw


def _invalid(message: str, hint: str) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.OPENLINEAGE_INVALID, message=message, hint=hint))
