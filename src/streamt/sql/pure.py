"""Modules of sqlglot as classes that Python code can build on.

`sqlglot[c]` replaces modules of sqlglot by compiled ones, and a compiled class takes no subclass. The sources are still
there, and work with the compiled rest, so where somebody has installed that, a module's source is loaded as one of
ours; sqlglot itself stays as it is for everybody else.
"""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import sqlglot

_PREFIX = "streamt.sql._pure_"


def pure_module(name: str, **given: ModuleType) -> ModuleType:
    """Return the module `sqlglot.NAME`, in Python.

    Args:
        name: the module's name without `sqlglot.`, such as `parser` or `generators.duckdb`.
        given: what the module shall find under these names of the package `sqlglot` while it is loaded.

    Raises:
        ImportError: sqlglot is compiled, and the source of the module is not there.
    """
    module = import_module(f"sqlglot.{name}")
    if (module.__file__ or "").endswith(".py"):
        return module
    source = Path(sqlglot.__file__).parent.joinpath(*name.split(".")).with_suffix(".py")
    spec = spec_from_file_location(_PREFIX + name.replace(".", "_"), source)
    if spec is None or spec.loader is None or not source.is_file():
        raise ImportError(f"sqlglot is compiled and has no source of its {name}; install sqlglot without [c]")
    pure = sys.modules[spec.name] = module_from_spec(spec)
    before = {key: getattr(sqlglot, key) for key in given}
    try:
        for key, value in given.items():
            setattr(sqlglot, key, value)
        spec.loader.exec_module(pure)
    finally:
        for key, value in before.items():
            setattr(sqlglot, key, value)
    return pure
