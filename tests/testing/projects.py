"""Projects for tests, read and compiled as the program does it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from streamt.compiler import CompiledProject, compile_project
from streamt.project import Project, load_project

HEAD = "apiVersion: streamt.dev/v1alpha1\nproject: {name: shop}\n"


def load(folder: Path, text: str, environ: Mapping[str, str] | None = None) -> tuple[Project, CompiledProject]:
    """Write, load and compile a project; `text` follows the version and the name."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stream_project.yml").write_text(HEAD + text, encoding="utf-8")
    project = load_project(folder, environ=environ or {})
    return project, compile_project(project, compiled_at=datetime(2026, 11, 30, tzinfo=UTC))
