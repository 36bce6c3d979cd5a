"""From locations to files, lines and columns: once, at the border, for everything that is to be shown."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from streamt.diagnostics.diagnostic import Diagnostic, PlacedDiagnostic
from streamt.diagnostics.location import FilePlace, Location, ProjectPath, Variable


@dataclass(frozen=True, slots=True)
class FilePosition:
    """A place in a file.

    Attributes:
        file: its path, relative to the project's folder, with `/`.
        line: counted from 1, if it is known.
        column: counted from 1, in characters, if it is known.
    """

    file: str
    line: int | None = None
    column: int | None = None


class Positions(Protocol):
    """Knows where the parts of a project stand in its files."""

    def find(self, paths: Iterable[ProjectPath]) -> Mapping[ProjectPath, FilePosition]:
        """Return the position of each path, going through each file once."""
        ...


def resolve(diagnostics: Iterable[Diagnostic], positions: Positions | None = None) -> tuple[PlacedDiagnostic, ...]:
    """Return the diagnostics as they are shown, each once, with its file, line and column where that is known.

    They stand in the order of the files, those of the project's own folder first; what stands in no file comes before.
    """
    diagnostics = tuple(diagnostics)
    paths = {each.location for each in diagnostics if isinstance(each.location, ProjectPath)}
    found = positions.find(paths) if positions and paths else {}
    placed = (_placed(each, _position(each.location, found)) for each in diagnostics)
    return tuple(sorted(dict.fromkeys(placed), key=_order))


def _order(placed: PlacedDiagnostic) -> tuple[bool, str, int, int]:
    file = placed.file or ""
    return "/" in file, file, placed.line or 0, placed.column or 0


def _position(location: Location | None, found: Mapping[ProjectPath, FilePosition]) -> FilePosition | None:
    if isinstance(location, Variable):
        location = location.place
    if isinstance(location, FilePlace):
        return FilePosition(location.file, location.line, location.column)
    return found.get(location) if isinstance(location, ProjectPath) else None


def _placed(diagnostic: Diagnostic, position: FilePosition | None) -> PlacedDiagnostic:
    return PlacedDiagnostic(
        code=diagnostic.code,
        message=diagnostic.message,
        location="" if diagnostic.location is None else str(diagnostic.location),
        file=position.file if position else None,
        line=position.line if position else None,
        column=position.column if position else None,
        hint=diagnostic.hint,
    )
