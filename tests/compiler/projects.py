"""Projects of one file, and what they compile to."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from streamt.compiler import CompiledProject, Node, compile_project
from streamt.diagnostics import PlacedDiagnostic, StreamtError
from streamt.project import Project, load_project

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
FILE = "stream_project.yml"
GATEWAY = "runtime: {kafka: {bootstrap_servers: 'b:9092'}, conduktor: {gateway: {proxy_bootstrap: 'g:6969'}}}\n"
SOURCES = "sources:\n  - {name: raw, topic: raw.v1}\n  - {name: other, topic: other.v1}\n"


def project(yaml: str, macros: Mapping[str, str] | None = None) -> Project:
    """Load a project from `yaml`, which leaves out the `project` key, and from macros by name."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / FILE).write_text(f"apiVersion: streamt.dev/v1alpha1\nproject: {{name: shop}}\n{yaml}")
        (root / "macros").mkdir()
        for name, text in (macros or {}).items():
            (root / "macros" / f"{name}.sql.j2").write_text(text)
        return load_project(root, environ={})


def compiled(yaml: str, macros: Mapping[str, str] | None = None) -> CompiledProject:
    """Compile the project of `yaml`."""
    return compile_project(project(yaml, macros), compiled_at=NOW)


def node(yaml: str, name: str, macros: Mapping[str, str] | None = None) -> Node:
    """Compile the project of `yaml`, and give one of its nodes."""
    return next(node for node in compiled(yaml, macros).nodes if node.name == name)


def problems(yaml: str, macros: Mapping[str, str] | None = None) -> tuple[PlacedDiagnostic, ...]:
    """Give all that is wrong with the project of `yaml`."""
    loaded = project(yaml, macros)
    try:
        compile_project(loaded, compiled_at=NOW)
    except StreamtError as error:
        return error.placed()
    return ()
