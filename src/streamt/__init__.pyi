from streamt.compiler import CompiledProject as CompiledProject
from streamt.diagnostics import Code as Code
from streamt.diagnostics import Diagnostic as Diagnostic
from streamt.diagnostics import StreamtError as StreamtError
from streamt.openlineage.static import Export as Export
from streamt.project import Project as Project
from streamt.testing.results import TestResult as TestResult
from streamt.workspace.api import compile as compile  # noqa: A004 - it is called as `streamt.compile`
from streamt.workspace.api import export as export
from streamt.workspace.api import load as load
from streamt.workspace.api import run_tests as run_tests

__version__: str
__all__: list[str]
