"""Opening a project for a command, and giving every message its place in the project's files."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from streamt.errors import Diagnostic, StreamtError

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
        warnings: placed; what reading and compiling had to say.
    """

    project: "Project"
    compiled: "CompiledProject"
    facts: "Mapping[str, ModelFacts]"
    warnings: tuple[Diagnostic, ...]

    @contextmanager
    def placing(self) -> Iterator[None]:
        """Give the errors of the enclosed step their places, and keep the warnings that came before them."""
        with placing(self.project, self.warnings):
            yield


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
    return Opened(project, compiled, facts, (*project.warnings, *placed(project, compiled.warnings)))


@contextmanager
def placing(project: "Project", warnings: tuple[Diagnostic, ...] = ()) -> Iterator[None]:
    """Give the errors of the enclosed step their places in `project`, after the `warnings` found before."""
    try:
        yield
    except StreamtError as error:
        raise StreamtError(*warnings, *placed(project, error.diagnostics)) from error


def placed(project: "Project", diagnostics: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Give `diagnostics` their file, line and column, as far as their locations are in the project."""
    # The command line's contract writes `runtime.kafka...` with dots; the place is that of the same path as a pointer.
    asked = (replace(each, location=_pointer(each.location)) for each in diagnostics)
    found = project.place_all(asked)
    return tuple(replace(each, location=given.location) for each, given in zip(found, diagnostics, strict=True))


def _pointer(location: str) -> str:
    return "/" + location.replace(".", "/") if location.startswith("runtime.") else location
