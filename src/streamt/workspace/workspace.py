"""Opening a project: everything that was read and compiled, and where each part of it stands."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from streamt.cache import NO_CACHE, Cache
from streamt.diagnostics import Diagnostic, PlacedDiagnostic, StreamtError, resolve

if TYPE_CHECKING:
    from streamt.compiler import Compilation, CompiledProject, Lineage
    from streamt.project import Project


@dataclass(frozen=True, slots=True)
class Workspace:
    """A project that was read and compiled.

    Attributes:
        project: what the user declared.
        compiled: what it means.
        compilation: the same, with all that is known of each model.
        environ: the variables that it was opened with.
    """

    project: "Project"
    compiled: "CompiledProject"
    compilation: "Compilation"
    environ: Mapping[str, str] = field(repr=False)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What reading and compiling warn of."""
        return (*self.project.warnings, *self.compiled.warnings)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Give the errors of the enclosed step the project's positions, and the warnings that came before them."""
        try:
            yield
        except StreamtError as error:
            raise self.error(*error.diagnostics) from error

    def error(self, *diagnostics: Diagnostic) -> StreamtError:
        """Return an error with the project's positions, and with the warnings that came before it."""
        return StreamtError(*self.warnings, *diagnostics, positions=self.project.source_map)

    @property
    def lineage(self) -> "Lineage":
        """What feeds what, with the exposures, in the order of flow."""
        from streamt.compiler import Lineage

        return Lineage.of(self.project.document, self.compiled.nodes)

    def select(self, selectors: Iterable[str]) -> frozenset[str]:
        """Return the ids of the sources, models and exposures that the selectors mean; without any, all of them.

        Raises:
            StreamtError: E500 for each selector that means nothing.
        """
        from streamt.compiler import select, tags_of

        with self.located():
            return select(selectors, self.lineage.graph, tags_of(self.project.document))

    def placed(self, *diagnostics: Diagnostic) -> tuple[PlacedDiagnostic, ...]:
        """Return `diagnostics` as they are shown, with their file, line and column."""
        return resolve(diagnostics, self.project.source_map)


def open_workspace(
    directory: Path, environment: str | None, environ: Mapping[str, str], cache: Cache = NO_CACHE
) -> Workspace:
    """Read and compile the project in `directory`.

    Args:
        directory: the project's folder.
        environment: the environment's name; by default `STREAMT_ENV`, or the only one there is.
        environ: the process's variables.
        cache: what was read before; what was read now is kept in it, if nothing is wrong with the project.

    Raises:
        StreamtError: E501, E502, E503 or E510, with all that was found.
    """
    from streamt.project import load_project

    workspace = compile_workspace(load_project(directory, environment, environ, cache), environ, cache)
    cache.save()
    return workspace


def compile_workspace(project: "Project", environ: Mapping[str, str], cache: Cache = NO_CACHE) -> Workspace:
    """Compile a project that was read.

    Raises:
        StreamtError: E502 or E510, with all that was found.
    """
    from streamt.compiler import compile_models, compile_time

    try:
        compilation = compile_models(project, compiled_at=compile_time(environ), cache=cache)
    except StreamtError as error:
        raise StreamtError(*project.warnings, *error.diagnostics, positions=project.source_map) from error
    return Workspace(project, compilation.project, compilation, environ)
