"""The repository's own schemas, and copies of its layout to break and to bump."""

import shutil
from pathlib import Path

import pytest

from codegen.pins import Bundle, load

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def bundle() -> Bundle:
    return load(ROOT / "schemas")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Copy what `python -m codegen` reads and writes."""
    root = tmp_path / "repository"
    shutil.copytree(ROOT / "schemas", root / "schemas")
    shutil.copytree(ROOT / "src/streamt/docs", root / "src/streamt/docs", ignore=shutil.ignore_patterns("__pycache__"))
    models = Path("src/streamt/openlineage/models.py")
    (root / models).parent.mkdir(parents=True)
    shutil.copy(ROOT / models, root / models)
    return root
