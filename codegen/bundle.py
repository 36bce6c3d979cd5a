"""Pack the pinned bytes as package resources: the same input gives the same output on any machine, on any day."""

import base64
import json
import re
from collections.abc import Iterable
from pathlib import PurePosixPath

import zopfli.gzip  # type: ignore[import-untyped]  # it has no types

from codegen.compose import compose
from codegen.facets import facet_places, find_facets
from codegen.pins import CodegenError, Pin
from codegen.shapes import looked_at
from codegen.sources import Sources

SUFFIX = ".gz.b64"


def resources(sources: Sources) -> dict[PurePosixPath, bytes]:
    """Return every file of the packed bundle.

    The compressor is zopfli, pinned, because what zlib writes differs from build to build; its gzip header holds no
    name and no time.

    Args:
        sources: the verified release, and our own schemas.

    Returns:
        The files by their paths under `streamt/docs/schemas/`: the packed schemas and the tables that belong to them.
    """
    folders = {f"openlineage-{sources.bundle.release}": sources.bundle.raw, "own": sources.own}
    packed = {
        PurePosixPath(folder, f"{name}{SUFFIX}"): pack(raw)
        for folder, raws in folders.items()
        for name, raw in raws.items()
    }
    tables = {"pins.py": _pins(sources), "facets.py": _facets(sources), "shapes.py": _shapes(sources)}
    return packed | {PurePosixPath(name): text.encode() for name, text in tables.items()}


def pack(raw: bytes) -> bytes:
    """Compress with gzip and write in base64, in lines of 76."""
    return base64.encodebytes(zopfli.gzip.compress(raw))


def core_version(core_id: str) -> str:
    """Read the core schema's version, such as `2-0-2`, from its `$id`.

    Raises:
        CodegenError: the `$id` has none.
    """
    match = re.fullmatch(r"https://openlineage\.io/spec/(\d+-\d+-\d+)/OpenLineage\.json", core_id)
    if match is None:
        raise CodegenError(
            f"{core_id}: it is not the $id of a core schema (https://openlineage.io/spec/VERSION/OpenLineage.json)"
        )
    return match[1]


_HEAD = '''# GENERATED, DO NOT EDIT.
# command:   python -m codegen generate
# release:   OpenLineage {release}
"""What the packed schemas must be, once decoded."""

from typing import NamedTuple


class Pin(NamedTuple):
    """One pinned schema: its file's name, its `$id`, its size in bytes, its SHA-256 in lower-case hexadecimal."""

    name: str
    id: str
    size: int
    sha256: str


RELEASE = "{release}"
"""The OpenLineage release."""

CORE_VERSION = "{core}"
"""The version of the core schema in it, which counts for itself."""

'''


def _pins(sources: Sources) -> str:
    head = _HEAD.format(release=sources.bundle.release, core=core_version(sources.core_id))
    published = f'PINS = (\n{_entries(sources.bundle.pins)})\n"""The core schema first, then the facets by name."""\n'
    own = f'OWN = (\n{_entries(sources.own_pins)})\n"""Our own schemas of facets that are not pinned, by name."""\n'
    return f"{head}{published}\n{own}"


def _entries(pins: Iterable[Pin]) -> str:
    return "".join(
        f'    Pin(\n        "{pin.name}",\n        "{pin.id}",\n        {pin.bytes},\n        "{pin.sha256}",\n    ),\n'
        for pin in pins
    )


_FACETS_HEAD = '''# GENERATED, DO NOT EDIT.
# command:   python -m codegen generate
# release:   OpenLineage {release}
"""Which facets are written, and where each belongs, as the schemas say."""

from typing import NamedTuple


class FacetSchema(NamedTuple):
    """Where one facet belongs.

    Attributes:
        entity: the core's definition that it builds on: `DatasetFacet`, `JobFacet`, `RunFacet`, `InputDatasetFacet`
            or `OutputDatasetFacet`.
        key: its name in that entity's facets.
        url: its exact `_schemaURL`.
        definition: where its packed schema is: the URL of a definition, which is `url` unless the schema is our own.
        model: the name of its class in `streamt.openlineage.models`.
    """

    entity: str
    key: str
    url: str
    definition: str
    model: str


FACETS = (
'''


def _facets(sources: Sources) -> str:
    facets = find_facets(sources.written, sources.core_id)
    entries = (
        f'    FacetSchema(\n        "{facet.entity}",\n        "{facet.key}",\n        "{facet.url}",\n'
        f'        "{facet.definition}",\n        "{facet.name}",\n    ),\n'
        for facet in facets
    )
    head = _FACETS_HEAD.format(release=sources.bundle.release)
    places = facet_places(compose(sources.written, sources.core_id), facets)
    paths = "".join(f"    ({path!r}, {entity!r}),\n" for path, entity in places).replace("'", '"')
    return (
        f'{head}{"".join(entries)})\n"""Sorted by entity and key."""\n\n'
        f"PLACES = (\n{paths})\n"
        '"""Where an event holds facets: the path, `*` for every item of a list, and the entity of the facets."""\n'
    )


_SHAPES_HEAD = '''# GENERATED, DO NOT EDIT.
# command:   python -m codegen generate
# release:   OpenLineage {release}
"""What the schemas look at in a value; proved when this file is generated."""

'''


def _shapes(sources: Sources) -> str:
    looked = looked_at(sources.written)
    return (
        _SHAPES_HEAD.format(release=sources.bundle.release)
        + f'TEXTS = {_names(looked.texts)}\n"""The names under which a text\'s letters count."""\n\n'
        + f'NUMBERS = {_names(looked.numbers)}\n"""The names under which a number\'s or a boolean\'s value counts."""\n'
    )


def _names(names: Iterable[str]) -> str:
    return f"frozenset(\n    {{\n{''.join(f'        {json.dumps(name)},{chr(10)}' for name in sorted(names))}    }}\n)"
