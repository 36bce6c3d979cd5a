"""Read the pins and the files that they stand for; nothing is parsed before its size and digest are right."""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from jsonschema import Draft202012Validator, SchemaError

DIALECT = "https://json-schema.org/draft/2020-12/schema"
CORE = "OpenLineage.json"
# The formats that both the generated models and the run-time validators enforce.
FORMATS = frozenset({"date-time", "uri", "uuid"})

Schema = dict[str, Any]


class CodegenError(Exception):
    """One clear line about what is wrong with the schemas, the pins or what was generated from them."""


@dataclass(frozen=True, slots=True)
class Pin:
    """What one published file must be.

    Attributes:
        name: the file's name.
        id: its `$id`.
        bytes: its size.
        sha256: its digest, in lower-case hexadecimal.
    """

    name: str
    id: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Bundle:
    """The verified files of one OpenLineage release.

    Attributes:
        release: the release's version, such as `1.53.0`.
        pins: the core schema's first, the facets' by name.
        raw: each file's bytes, by name.
    """

    release: str
    pins: tuple[Pin, ...]
    raw: Mapping[str, bytes]

    @cached_property
    def documents(self) -> dict[str, Schema]:
        """Each parsed document by its `$id`, in the order of the pins."""
        return {pin.id: json.loads(self.raw[pin.name]) for pin in self.pins}

    @property
    def core_id(self) -> str:
        """The `$id` of the core schema."""
        return self.pins[0].id


def load(schemas: Path) -> Bundle:
    """Read and verify the pinned release.

    Args:
        schemas: the folder that holds `pins.toml` and the release's folder.

    Raises:
        CodegenError: a pin or a file is not what it must be.
    """
    release, pins = read_pins(schemas / "pins.toml")
    bundle = Bundle(release, pins, read_folder(schemas / f"openlineage-{release}"))
    verify(bundle)
    return bundle


def measure(folder: Path, release: str) -> Bundle:
    """Pin the upstream files of `folder` as they are, and verify what does not depend on pins.

    Raises:
        CodegenError: the folder has no core schema, or a file is not a schema that the project can take.
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+", release):
        raise CodegenError(f"{release!r} is no release: write it like 1.53.0")
    raw = read_folder(folder)
    if CORE not in raw:
        raise CodegenError(f"{folder}: {CORE} is missing")
    names = sorted(raw, key=lambda name: (name != CORE, name))
    bundle = Bundle(release, tuple(measured(name, raw[name]) for name in names), raw)
    verify(bundle)
    return bundle


def read_pins(path: Path) -> tuple[str, tuple[Pin, ...]]:
    """Read `pins.toml`.

    Raises:
        CodegenError: it cannot be read, or lacks something.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        pins = tuple(Pin(**file) for file in table["file"])
        release = str(table["release"])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise CodegenError(f"{path.name}: it cannot be read as pins ({error})") from error
    if not pins or pins[0].name != CORE:
        raise CodegenError(f"{path.name}: the first file must be {CORE}")
    for names in ([pin.name for pin in pins], [pin.id for pin in pins]):
        if twice := [name for name in names if names.count(name) > 1]:
            raise CodegenError(f"{path.name}: {twice[0]} is pinned twice")
    return release, pins


def write_pins(bundle: Bundle) -> str:
    """Return the text of `pins.toml` for `bundle`."""
    head = (
        "# The OpenLineage schemas that streamt is built on, exactly as published. "
        "`python -m codegen bump` writes this file.\n"
        f'release = "{bundle.release}"\n'
    )
    files = (
        f'\n[[file]]\nname = "{pin.name}"\nid = "{pin.id}"\nbytes = {pin.bytes}\nsha256 = "{pin.sha256}"\n'
        for pin in bundle.pins
    )
    return head + "".join(files)


def verify(bundle: Bundle) -> None:
    """Hold every file against its pin, then every document against what the project can take.

    Raises:
        CodegenError: a file is missing, not pinned, or differs in size or digest (nothing is parsed before); a
            document has another `$id`, is not Draft 2020-12, has a reference that leads nowhere or a format that
            nothing checks.
    """
    pinned = {pin.name for pin in bundle.pins}
    for name in sorted(pinned ^ bundle.raw.keys()):
        raise CodegenError(f"{name}: {'the pinned file is missing' if name in pinned else 'the file is not pinned'}")
    for pin in bundle.pins:
        _verify_bytes(pin, bundle.raw[pin.name])
    for pin in bundle.pins:
        verify_document(pin, _parse(pin.name, bundle.raw[pin.name]))
    for pin in bundle.pins:
        _verify_references(pin, bundle.documents)


def resolve(documents: Mapping[str, Schema], base: str, reference: str) -> tuple[str, Schema]:
    """Follow a `$ref`.

    Args:
        documents: the closed set, by `$id`.
        base: the `$id` of the document that holds the reference.
        reference: the `$ref` as written.

    Returns:
        The absolute URL that it names, and the schema there.

    Raises:
        CodegenError: it leads out of the set, or to nothing.
    """
    url = urljoin(base, reference)
    document, fragment = urldefrag(url)
    if document not in documents:
        raise CodegenError(f"{_name(base)}: $ref {reference!r} leads out of the pinned set")
    target: Any = documents[document]
    for part in fragment.split("/")[1:] if fragment.startswith("/") else [fragment] if fragment else []:
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        target = target.get(key) if isinstance(target, dict) else None
    if not isinstance(target, dict):
        raise CodegenError(f"{_name(base)}: $ref {reference!r} leads to nothing")
    return url, target


def subschemas(schema: object) -> Iterator[Schema]:
    """Walk through `schema` and every schema in it; values that only look like schemas (`const`) are not entered."""
    if not isinstance(schema, dict):
        return
    yield schema
    for keyword, value in schema.items():
        if keyword in _SCHEMA_MAPS and isinstance(value, dict):
            children = list(value.values())
        elif keyword in _SCHEMA_LISTS and isinstance(value, list):
            children = value
        elif keyword in _SCHEMAS:
            children = [value]
        else:
            continue
        for child in children:
            yield from subschemas(child)


_SCHEMA_MAPS = {"$defs", "definitions", "properties", "patternProperties", "dependentSchemas"}
_SCHEMA_LISTS = {"allOf", "anyOf", "oneOf", "prefixItems"}
_SCHEMAS = {
    "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties",
}  # fmt: skip


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the bytes of each file in `folder`, by name, sorted.

    Raises:
        CodegenError: the folder or a file cannot be read.
    """
    try:
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    except OSError as error:
        raise CodegenError(f"{folder.name}: {error.strerror}") from error


def measured(name: str, raw: bytes) -> Pin:
    """Return the pin of a file as it is.

    Raises:
        CodegenError: it is not a JSON object.
    """
    document = _parse(name, raw)
    return Pin(name, str(document.get("$id", "")), len(raw), hashlib.sha256(raw).hexdigest())


def _verify_bytes(pin: Pin, raw: bytes) -> None:
    if len(raw) != pin.bytes:
        raise CodegenError(f"{pin.name}: it has {len(raw)} bytes, its pin says {pin.bytes}")
    digest = hashlib.sha256(raw).hexdigest()
    if digest != pin.sha256:
        raise CodegenError(f"{pin.name}: its SHA-256 is {digest}, its pin says {pin.sha256}")


def _parse(name: str, raw: bytes) -> Schema:
    try:
        document = json.loads(raw.decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise CodegenError(f"{name}: it is not JSON ({error})") from error
    if not isinstance(document, dict):
        raise CodegenError(f"{name}: it is not a JSON object")
    return document


def verify_document(pin: Pin, document: Schema) -> None:
    """Hold one document against what the project can take.

    Raises:
        CodegenError: it has another `$id`, is not valid Draft 2020-12, or has a format that nothing checks.
    """
    if document.get("$schema") != DIALECT:
        raise CodegenError(f"{pin.name}: its $schema is {document.get('$schema')!r}, not Draft 2020-12 ({DIALECT})")
    if document.get("$id") != pin.id:
        raise CodegenError(f"{pin.name}: its $id is {document.get('$id')!r}, its pin says {pin.id!r}")
    if not re.fullmatch(r"https://[\w./-]+", pin.id, re.ASCII) or not pin.id.endswith(f"/{pin.name}"):
        raise CodegenError(f"{pin.name}: its $id {pin.id!r} is not an https URL that ends with the file's name")
    try:
        Draft202012Validator.check_schema(document)
    except SchemaError as error:
        place = "/".join(map(str, error.absolute_path))
        raise CodegenError(f"{pin.name}: it is not valid Draft 2020-12 at /{place}: {error.message}") from error
    for schema in subschemas(document):
        if schema is not document and "$id" in schema:
            raise CodegenError(f"{pin.name}: a $id inside the document ({schema['$id']!r}) is not supported")
        name = schema.get("format")
        if name is not None and name not in FORMATS:
            raise CodegenError(f"{pin.name}: nothing checks the format {name!r}")


def _verify_references(pin: Pin, documents: Mapping[str, Schema]) -> None:
    for schema in subschemas(documents[pin.id]):
        for keyword in ("$ref", "$dynamicRef"):
            if keyword in schema:
                resolve(documents, pin.id, schema[keyword])


def _name(url: str) -> str:
    return url.rsplit("/", 1)[-1]
