"""Pack the pinned bytes as package resources: the same input gives the same output on any machine, on any day."""

import base64
import re
from pathlib import PurePosixPath

import zopfli.gzip  # type: ignore[import-untyped]  # it has no types

from codegen.pins import Bundle, CodegenError

SUFFIX = ".gz.b64"


def resources(bundle: Bundle) -> dict[PurePosixPath, bytes]:
    """Give every file of the packed bundle.

    The compressor is zopfli, pinned, because what zlib writes differs from build to build; its gzip header holds no
    name and no time.

    Args:
        bundle: the verified release.

    Returns:
        The files by their paths under `streamt/docs/schemas/`: the packed schemas and `pins.py`.
    """
    folder = PurePosixPath(f"openlineage-{bundle.release}")
    packed = {folder / f"{name}{SUFFIX}": pack(raw) for name, raw in bundle.raw.items()}
    return packed | {PurePosixPath("pins.py"): _pins(bundle).encode()}


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

PINS = (
'''


def _pins(bundle: Bundle) -> str:
    entries = (
        f'    Pin(\n        "{pin.name}",\n        "{pin.id}",\n        {pin.bytes},\n        "{pin.sha256}",\n    ),\n'
        for pin in bundle.pins
    )
    head = _HEAD.format(release=bundle.release, core=core_version(bundle.core_id))
    return f'{head}{"".join(entries)})\n"""The core schema first, then the facets by name."""\n'
