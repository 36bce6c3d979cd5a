"""What the commands of deploying share: opening an environment, colours, and how lines become bytes."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamt.cli.options import open_project
from streamt.cli.output import Mode, Session
from streamt.diagnostics import Diagnostic, PlacedDiagnostic, StreamtError, resolve

if TYPE_CHECKING:
    from streamt.cli.plan_text import Paint
    from streamt.workspace import Workspace
    from streamt.workspace.deployment import Deployment


class OpenedDeployment:
    """An environment that was read and compiled, for a command."""

    def __init__(self, opened: "Workspace", deployment: "Deployment") -> None:
        self.opened = opened
        self.deployment = deployment

    @contextmanager
    def placing(self) -> Iterator[None]:
        """Give the errors of the enclosed step their places in the project."""
        try:
            yield
        except StreamtError as error:
            found = (*self.opened.warnings, *map(self.deployment.in_project, error.diagnostics))
            raise StreamtError(*found, positions=self.deployment.project.source_map) from error

    def placed(self, *diagnostics: Diagnostic) -> tuple[PlacedDiagnostic, ...]:
        """Return diagnostics with their places, after the warnings of reading the project."""
        found = (*self.opened.warnings, *map(self.deployment.in_project, diagnostics))
        return resolve(found, self.deployment.project.source_map)


def open_deployment(directory: Path, environment: str | None) -> OpenedDeployment:
    """Read and compile an environment of a project.

    Raises:
        StreamtError: E501, E502, E503 or E510.
    """
    from streamt.workspace.deployment import Deployment

    opened = open_project(directory, environment)
    return OpenedDeployment(opened, Deployment(opened.project, opened.compilation))


def session_of() -> Session:
    """Return how this run talks to its user."""
    session = click.get_current_context().find_object(Session)
    assert session is not None  # the group made it
    return session


def paint() -> "Paint":
    """Return the colours of stdout: none where it is no terminal."""
    from streamt.cli.plan_text import Paint

    session = session_of()
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return Paint(session.color and terminal and session.mode is Mode.TEXT)


def as_bytes(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield each line with its newline."""
    for line in lines:
        yield f"{line}\n".encode(errors="backslashreplace")
