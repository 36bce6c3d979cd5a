"""Opening a project for a command, and giving every message its place in the project's files."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from streamt.diagnostics import Diagnostic, PlacedDiagnostic, StreamtError, resolve

if TYPE_CHECKING:
    from streamt.compiler import Compilation, CompiledProject
    from streamt.project import Project


@dataclass(frozen=True, slots=True)
class Opened:
    """A project that was read and compiled.

    Attributes:
        project: what the user declared.
        compiled: what it means.
        compilation: the same, with all that is known of each model.
        warnings: what reading and compiling had to say.
    """

    project: "Project"
    compiled: "CompiledProject"
    compilation: "Compilation"
    warnings: tuple[Diagnostic, ...]

    @contextmanager
    def placing(self) -> Iterator[None]:
        """Give the errors of the enclosed step the project's positions, after the warnings that came before them."""
        with placing(self.project, self.warnings):
            yield

    def placed(self, *diagnostics: Diagnostic) -> tuple[PlacedDiagnostic, ...]:
        """Return `diagnostics` with their file, line and column."""
        return resolve(diagnostics, self.project.source_map)


def open_project(directory: Path, environment: str | None) -> Opened:
    """Read and compile the project in `directory`.

    Raises:
        StreamtError: E501, E502, E503 or E510, placed, with all that was found.
    """
    import os

    from streamt.compiler import compile_models, compile_time
    from streamt.project import load_project

    project = load_project(directory, environment, os.environ)
    with placing(project, project.warnings):
        compilation = compile_models(project, compiled_at=compile_time(os.environ))
    return Opened(project, compilation.project, compilation, (*project.warnings, *compilation.project.warnings))


@contextmanager
def placing(project: "Project", warnings: tuple[Diagnostic, ...] = ()) -> Iterator[None]:
    """Give the errors of the enclosed step the positions of `project`, after the `warnings` found before."""
    try:
        yield
    except StreamtError as error:
        raise StreamtError(*warnings, *error.diagnostics, positions=project.source_map) from error
