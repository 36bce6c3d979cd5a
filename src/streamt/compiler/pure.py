"""sqlglot's parser as a class that Python code can build on.

`sqlglot[c]` replaces modules of sqlglot by compiled ones, and a compiled class takes no subclass. The source of its
parser is still there, and works with the compiled rest, so where somebody has installed that, the source is loaded as
a module of ours; sqlglot itself stays as it is for everybody else.
"""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import sqlglot
import sqlglot.parser

_NAME = "streamt.compiler._sqlglot_parser"


def pure_parser() -> ModuleType:
    """Give the module `sqlglot.parser`, in Python.

    Raises:
        ImportError: sqlglot is compiled, and the source of its parser is not there.
    """
    if (sqlglot.parser.__file__ or "").endswith(".py"):
        return sqlglot.parser
    source = Path(sqlglot.__file__).with_name("parser.py")
    spec = spec_from_file_location(_NAME, source)
    if spec is None or spec.loader is None or not source.is_file():
        raise ImportError("sqlglot is compiled and has no source of its parser; install sqlglot without [c]")
    module = sys.modules[_NAME] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
