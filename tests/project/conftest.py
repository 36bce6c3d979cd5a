"""Projects on disk, for tests that load them."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from streamt.diagnostics import PlacedDiagnostic, StreamtError
from streamt.project import Project, load_project
from tests.builder import write_files

Files = Mapping[str, str | bytes]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Files], Path]:
    return lambda files: write_files(tmp_path, files)


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
