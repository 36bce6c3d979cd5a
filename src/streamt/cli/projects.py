"""Opening a project for a command, and giving every message its place in the project's files."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from streamt.diagnostics import Diagnostic, PlacedDiagnostic, StreamtError, resolve

if TYPE_CHECKING:
    from streamt.compiler.artifacts import CompiledProject
    from streamt.project import Project
    from streamt.project.rules import ModelFacts


@dataclass(frozen=True, slots=True)
class Opened:
    """A project that was read and compiled.

    Attributes:
        project: what the user declared.
        compiled: what it means.
        facts: what governance rules ask about each model, by its name.
        warnings: what reading and compiling had to say.
    """

    project: "Project"
    compiled: "CompiledProject"
    facts: "Mapping[str, ModelFacts]"
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

    from streamt.compiler import compile_time, compile_with_facts
    from streamt.project import load_project

    project = load_project(directory, environment, os.environ)
    with placing(project, project.warnings):
        compiled, facts = compile_with_facts(project, compiled_at=compile_time(os.environ))
    return Opened(project, compiled, facts, (*project.warnings, *compiled.warnings))


@contextmanager
def placing(project: "Project", warnings: tuple[Diagnostic, ...] = ()) -> Iterator[None]:
    """Give the errors of the enclosed step the positions of `project`, after the `warnings` found before."""
    try:
        yield
    except StreamtError as error:
        raise StreamtError(*warnings, *error.diagnostics, positions=project.source_map) from error
