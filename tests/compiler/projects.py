"""Projects of one file, and what they compile to."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from streamt.compiler import CompiledProject, Node, compile_project
from streamt.diagnostics import PlacedDiagnostic, StreamtError
from streamt.project import Project, load_project
from tests.builder import write_project

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
FILE = "stream_project.yml"
GATEWAY = "runtime: {kafka: {bootstrap_servers: 'b:9092'}, conduktor: {gateway: {proxy_bootstrap: 'g:6969'}}}\n"
SOURCES = "sources:\n  - {name: raw, topic: raw.v1}\n  - {name: other, topic: other.v1}\n"


def project(
    yaml: str,
    macros: Mapping[str, str] | None = None,
    *,
    files: Mapping[str, str] | None = None,
    environment: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Project:
    """Load a project from `yaml`, which leaves out the `project` key, from macros by name, and from further files."""
    with TemporaryDirectory() as folder:
        more = {f"macros/{name}.sql.j2": text for name, text in (macros or {}).items()} | dict(files or {})
        return load_project(write_project(Path(folder), yaml, more), environment, environ or {})


def compiled(
    yaml: str,
    macros: Mapping[str, str] | None = None,
    *,
    files: Mapping[str, str] | None = None,
    environment: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> CompiledProject:
    """Compile the project of `yaml`."""
    loaded = project(yaml, macros, files=files, environment=environment, environ=environ)
    return compile_project(loaded, compiled_at=NOW)


def node(
    yaml: str,
    name: str,
    macros: Mapping[str, str] | None = None,
    *,
    files: Mapping[str, str] | None = None,
    environment: str | None = None,
) -> Node:
    """Compile the project of `yaml`, and return one of its nodes."""
    nodes = compiled(yaml, macros, files=files, environment=environment).nodes
    return next(node for node in nodes if node.name == name)


def problems(
    yaml: str,
    macros: Mapping[str, str] | None = None,
    *,
    files: Mapping[str, str] | None = None,
    environment: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> tuple[PlacedDiagnostic, ...]:
    """Return all that is wrong with the project of `yaml`."""
    loaded = project(yaml, macros, files=files, environment=environment, environ=environ)
    try:
        compile_project(loaded, compiled_at=NOW)
    except StreamtError as error:
        return error.placed()
    return ()
