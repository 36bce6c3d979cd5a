"""The pinned OpenLineage schemas, verified, and the validators made from them; nothing here can reach the network."""

import base64
import binascii
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any
from urllib.parse import urljoin

from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from streamt.diagnostics import Code, Diagnostic, StreamtError
from streamt.docs.schemas.facets import FACETS, FacetSchema
from streamt.docs.schemas.pins import CORE_VERSION, OWN, PINS, RELEASE, Pin

__all__ = [
    "CORE_VERSION",
    "PINS",
    "RELEASE",
    "FacetSchema",
    "core_validator",
    "documents",
    "facet_validator",
    "facets",
    "format_checker",
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


@cache
def documents() -> Mapping[str, Schema]:
    """Return every pinned schema by its `$id`, the core schema first, then the facets', then our own.

    Raises:
        StreamtError: E506, a packed schema is missing or is not what its pin says.
    """
    published = {pin.id: _document(pin, f"openlineage-{RELEASE}") for pin in PINS}
    return MappingProxyType(published | {pin.id: _document(pin, "own") for pin in OWN})


@cache
def facets() -> Mapping[tuple[str, str], FacetSchema]:
    """Return every facet that is written, by its entity and key."""
    return MappingProxyType({(facet.entity, facet.key): facet for facet in FACETS})


@cache
def core_validator() -> Draft202012Validator:
    """Make the validator of whole events, by the root of the core schema.

    Raises:
        StreamtError: E506, as `documents` and `format_checker` do.
    """
    return _validator(PINS[0].id)


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
    """Make a checker that really enforces every format of the pinned schemas.

    Raises:
        StreamtError: E506, jsonschema has no checker for one of them (it drops those whose packages are missing, and
            would then let anything pass), or a schema uses a format that is not enforced here.
    """
    for name in sorted({name for document in documents().values() for name in _formats(document)} - _SHAPES.keys()):
        raise _invalid(f"nothing enforces the format {name!r} of the pinned OpenLineage schemas", _REINSTALL)
    checker = FormatChecker(formats=())
    for name, shape in _SHAPES.items():
        if name not in FormatChecker.checkers:
            raise _invalid(
                f"jsonschema has no checker for the format {name!r}",
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
    resources += [(urljoin(pin.id, PINS[0].name), resources[0][1]) for pin in OWN[:1]]
    registry: Registry[Any] = Registry().with_resources(resources)
    return registry.crawl()


def _validator(url: str) -> Draft202012Validator:
    # `check_schema` is left to the build and the tests: it takes longer than a small project's whole export, and the
    # digests pin the very bytes that passed it there.
    return Draft202012Validator({"$ref": url}, registry=_registry(), format_checker=format_checker())


def _document(pin: Pin, folder: str) -> Schema:
    """Unpack one schema; not a byte of it is parsed before its size and digest are right."""
    try:
        packed = files("streamt.docs.schemas").joinpath(folder, f"{pin.name}.gz.b64").read_bytes()
        raw = _inflate(base64.b64decode(b"".join(packed.split()), validate=True), pin.size)
    except (OSError, binascii.Error, zlib.error) as error:
        raise _invalid(f"the packed schema {pin.name} cannot be read", _REINSTALL) from error
    if len(raw) != pin.size:
        raise _invalid(f"the packed schema {pin.name} has not the {pin.size} bytes of its pin", _REINSTALL)
    if hashlib.sha256(raw).hexdigest() != pin.sha256:
        raise _invalid(f"the packed schema {pin.name} has not the SHA-256 of its pin", _REINSTALL)
    document: Schema = json.loads(raw)
    if document["$id"] != pin.id:
        raise _invalid(f"the packed schema {pin.name} has not the $id of its pin", _REINSTALL)
    return document


def _inflate(compressed: bytes, size: int) -> bytes:
    """Decompress one gzip member, and never more than one byte beyond `size`."""
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    raw = stream.decompress(compressed, size + 1)
    if len(raw) <= size and (not stream.eof or stream.unused_data):
        raise zlib.error("the stream is cut off, or more follows it")
    return raw


def _invalid(message: str, hint: str) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.OPENLINEAGE_INVALID, message=message, hint=hint))
