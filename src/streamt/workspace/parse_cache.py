"""Where what was read before is kept, and the versions that it depends on."""

import os
import sys
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

import yaml

import streamt
from streamt.cache import Cache

_SHAPING = ("yaml", "sql", "compiler", "compiler/templates", "project")
"""The packages whose code shapes what is kept."""


def project_cache(directory: Path, environ: Mapping[str, str]) -> Cache:
    """Open the cache of the project in `directory`.

    It stands in the user's cache folder and never in the project's, whose files may be anybody's.

    Args:
        directory: the project's folder.
        environ: the variables: `STREAMT_CACHE_DIR` names the folder, else `XDG_CACHE_HOME` the one around it.
    """
    folder = _folder(environ)
    if folder is None:
        return Cache()
    name = blake2b(os.fsencode(os.path.realpath(directory)), digest_size=16).hexdigest()
    try:
        return Cache(folder / f"{name}.cache", _versions())
    except OSError:  # the program is no folder of files: it runs from an archive
        return Cache()


def _folder(environ: Mapping[str, str]) -> Path | None:
    """Return the folder of all caches; None where there is no home."""
    if own := environ.get("STREAMT_CACHE_DIR"):
        return Path(own)
    try:
        return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "streamt"
    except RuntimeError:
        return None


def _versions() -> Iterator[str]:
    """Yield what the values depend on: our code and Python's, YAML's parser, and two that are not imported for it."""
    yield streamt.__version__
    yield sys.version
    yield f"{yaml.__version__} {yaml.__with_libyaml__}"
    yield from _distributions("sqlglot")
    yield from _distributions("jinja2")
    package = Path(streamt.__file__).parent
    for each in _SHAPING:
        with os.scandir(package / each) as entries:
            files = sorted((entry.name, entry.stat().st_size, entry.stat().st_mtime_ns) for entry in entries)
        yield from (f"{each}/{name} {size} {time}" for name, size, time in files if name.endswith(".py"))


def _distributions(package: str) -> Iterator[str]:
    """Yield the names, with their versions, of the distributions that begin as a package does."""
    spec = find_spec(package)
    if spec is not None and spec.origin is not None:
        found = Path(spec.origin).parent.parent.glob("*-info")
        yield from sorted(each.name for each in found if each.name.lower().startswith(package))
