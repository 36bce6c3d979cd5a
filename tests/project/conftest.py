"""Projects on disk, for tests that load them."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from streamt.diagnostics import PlacedDiagnostic, StreamtError
from streamt.project import Project, load_project

Files = Mapping[str, str | bytes]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Files], Path]:
    def write_files(files: Files) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write_files


@pytest.fixture
def load(write: Callable[[Files], Path]) -> Callable[..., Project]:
    def load_files(files: Files, environment: str | None = None, environ: Mapping[str, str] | None = None) -> Project:
        return load_project(write(files), environment, environ)

    return load_files


@pytest.fixture
def problems(load: Callable[..., Project]) -> Callable[..., tuple[PlacedDiagnostic, ...]]:
    def find(files: Files, environment: str | None = None, environ: Mapping[str, str] | None = None) -> object:
        with pytest.raises(StreamtError) as caught:
            load(files, environment, environ)
        return caught.value.placed()

    return find  # type: ignore[return-value]  # pytest.raises leaves no other way out
