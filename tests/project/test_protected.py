"""What a protected environment implies."""

from pathlib import Path

import pytest

from streamt.diagnostics import Code, StreamtError
from streamt.project import load_project

ROOT = "apiVersion: streamt.dev/v1alpha1\nproject: {name: p}\n"


def write(folder: Path, safety: str) -> None:
    (folder / "stream_project.yml").write_text(ROOT)
    (folder / "environments").mkdir()
    (folder / "environments/prod.yml").write_text(f"environment: {{protected: true}}\nsafety: {safety}\n")


@pytest.mark.parametrize("key", ["require_reviewed_plan", "confirm_apply"])
def test_a_protected_environment_cannot_be_weakened(tmp_path: Path, key: str) -> None:
    write(tmp_path, f"{{{key}: false}}")
    with pytest.raises(StreamtError) as error:
        load_project(tmp_path)
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.code, key in diagnostic.message) == (Code.ENVIRONMENT_ERROR, True)


def test_a_protected_environment_is_known_as_one(tmp_path: Path) -> None:
    write(tmp_path, "{plan_max_age: 1h, deletable: [topic], require_remote_state: true}")
    project = load_project(tmp_path)
    assert (project.protected, project.safety.deletable, project.safety.plan_max_age) == (True, ("topic",), "1h")
