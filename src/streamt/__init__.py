"""Declare streaming pipelines in YAML and SQL; tell the catalogs what they are, in OpenLineage.

    import streamt

    project = streamt.load("examples/payments")
    for line in streamt.export(project, job_namespace="payments").lines:
        print(line.decode())

What is wrong is a `StreamtError` with a `Diagnostic` for each thing. Nothing is loaded before it is used; the types are
in `__init__.pyi`.
"""

from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Code": "streamt.diagnostics",
    "CompiledProject": "streamt.compiler",
    "Diagnostic": "streamt.diagnostics",
    "Export": "streamt.openlineage.static",
    "Project": "streamt.project",
    "StreamtError": "streamt.diagnostics",
    "TestResult": "streamt.testing.results",
    "compile": "streamt.workspace.api",
    "export": "streamt.workspace.api",
    "load": "streamt.workspace.api",
    "run_tests": "streamt.workspace.api",
}

__all__ = [
    "Code",
    "CompiledProject",
    "Diagnostic",
    "Export",
    "Project",
    "StreamtError",
    "TestResult",
    "__version__",
    "compile",
    "export",
    "load",
    "run_tests",
]


def __getattr__(name: str) -> Any:
    """Load what is asked for, and nothing else: `import streamt` costs next to nothing."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return [*__all__]
