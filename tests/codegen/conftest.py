"""The repository's own schemas, and copies of its layout to break and to bump."""

import shutil
from pathlib import Path

import pytest

from codegen.pins import Bundle
from codegen.sources import Sources, load_sources

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def sources() -> Sources:
    return load_sources(ROOT / "schemas")


@pytest.fixture(scope="session")
def bundle(sources: Sources) -> Bundle:
    return sources.bundle


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Copy what `python -m codegen` reads and writes."""
    root = tmp_path / "repository"
    shutil.copytree(ROOT / "schemas", root / "schemas")
    shutil.copytree(ROOT / "src/streamt/docs", root / "src/streamt/docs", ignore=shutil.ignore_patterns("__pycache__"))
    folder = Path("src/streamt/openlineage")
    (root / folder).mkdir(parents=True)
    for name in ("models.py", "received.py"):
        shutil.copy(ROOT / folder / name, root / folder / name)
    return root
