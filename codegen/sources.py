"""Read the schemas of our own: `own/` for what is written beyond the pinned facets, `reading/` for what is read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from codegen.pins import (
    CORE,
    Bundle,
    CodegenError,
    Pin,
    Schema,
    load,
    measured,
    read_folder,
    resolve,
    subschemas,
    verify_document,
)

HOME = "https://github.com/conduktor/streamt/schemas"
"""What each `$id` of our own begins with; in `own/`, the file name `OpenLineage.json` means the pinned core schema."""


@dataclass(frozen=True)
class Sources:
    """All that is generated from.

    Attributes:
        bundle: the pinned release.
        own: the bytes of our own schemas for facets that are written, by file name.
        reading: the bytes of our reading schemas, by file name.
    """

    bundle: Bundle
    own: Mapping[str, bytes]
    reading: Mapping[str, bytes]

    @property
    def core_id(self) -> str:
        """The `$id` of the pinned core schema."""
        return self.bundle.core_id

    @cached_property
    def written(self) -> dict[str, Schema]:
        """Each document of what is written, by its `$id`: the pinned ones, then our own, which name the same core."""
        ours = (_renamed(json.loads(raw), self.core_id) for raw in self.own.values())
        return self.bundle.documents | {document["$id"]: document for document in ours}

    @cached_property
    def read(self) -> dict[str, Schema]:
        """Each document of what is read, by its `$id`."""
        return {document["$id"]: document for document in map(json.loads, self.reading.values())}

    @property
    def own_pins(self) -> tuple[Pin, ...]:
        """What each file of our own must be once it is packed."""
        return tuple(measured(name, raw) for name, raw in self.own.items())


def load_sources(schemas: Path) -> Sources:
    """Read and verify everything in the folder `schemas`; `own/` and `reading/` need not be there.

    Raises:
        CodegenError: a pin or a file is not what it must be.
    """
    return with_own(load(schemas), schemas)


def with_own(bundle: Bundle, schemas: Path) -> Sources:
    """Put our own schemas, from the folder `schemas`, beside a release that is verified already.

    Raises:
        CodegenError: one of them is not what it must be.
    """
    sources = Sources(bundle, _folder(schemas / "own"), _folder(schemas / "reading"))
    for name, raw in sources.own.items():
        _verify("own", name, raw, sources.written)
    for name, raw in sources.reading.items():
        _verify("reading", name, raw, sources.read)
    return sources


def _folder(path: Path) -> dict[str, bytes]:
    return read_folder(path) if path.exists() else {}


def _verify(folder: str, name: str, raw: bytes, documents: Mapping[str, Schema]) -> None:
    pin = measured(name, raw)
    if pin.id != f"{HOME}/{folder}/{name}":
        raise CodegenError(f"{folder}/{name}: its $id is {pin.id!r}, not '{HOME}/{folder}/{name}'")
    verify_document(pin, json.loads(raw))
    for schema in subschemas(documents[pin.id]):
        if "$ref" in schema:
            resolve(documents, pin.id, schema["$ref"])


def _renamed(value: Any, core_id: str) -> Any:
    """Let what names the core schema by its file name the pinned one."""
    if isinstance(value, list):
        return [_renamed(item, core_id) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: core_id + item.removeprefix(CORE)
        if key == "$ref" and isinstance(item, str) and item.startswith(f"{CORE}#")
        else _renamed(item, core_id)
        for key, item in value.items()
    }
