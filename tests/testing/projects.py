"""Projects for tests, read and compiled as the program does it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from streamt.compiler import CompiledProject, compile_project
from streamt.project import Project, load_project
from tests.builder import write_project


def load(folder: Path, text: str, environ: Mapping[str, str] | None = None) -> tuple[Project, CompiledProject]:
    """Write, load and compile a project; `text` follows the version and the name."""
    project = load_project(write_project(folder, text), environ=environ or {})
    return project, compile_project(project, compiled_at=datetime(2026, 11, 30, tzinfo=UTC))
