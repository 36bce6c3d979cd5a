"""Projects with one job, as the tests of artifacts declare them."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from streamt.compiler import compile_models
from streamt.deploy import DeployProject
from streamt.deploy.artifact import ResourceKind
from streamt.deploy.artifacts import deploy_project, statements
from streamt.project import load_project
from tests.builder import write_project

RUNTIME = "runtime:\n  kafka: {bootstrap_servers: 'b:1'}\n"
COLUMNS = "[{name: id, type: STRING}, {name: n, type: INT}, {name: at, type: TIMESTAMP(3)}]"


def source(more: str = "", columns: str = COLUMNS) -> str:
    """Return the source `a`, with more keys."""
    return f"sources:\n  - name: a\n    topic: a.v1\n    columns: {columns}\n{more}"


def model(sql: str = 'SELECT id, n FROM {{ source("a") }}', more: str = "", columns: str = "") -> str:
    """Return the model `m` that reads `a`, with more keys."""
    shown = columns or "[{name: id, type: STRING}, {name: n, type: INT}]"
    return f"models:\n  - name: m\n    topic: {{name: m.v1}}\n    sql: '{sql}'\n    columns: {shown}\n{more}"


def made(folder: Path, text: str, environ: dict[str, str] | None = None) -> DeployProject:
    """Return what a project makes.

    Raises:
        StreamtError: E501 or E510.
    """
    project = load_project(write_project(folder, text), environ=environ or {})
    return deploy_project(project, compile_models(project, compiled_at=datetime(2026, 1, 1, tzinfo=UTC)))


def job(folder: Path, text: str) -> dict[str, Any]:
    """Return the content of the job of `m`."""
    (found,) = (each for each in made(folder, text).of_kind(ResourceKind.FLINK_JOB) if each.declaration.name == "m")
    return dict(found.content)


def sql(folder: Path, text: str) -> list[str]:
    """Return the statements of the job of `m`."""
    return [*statements(job(folder, text))]
