"""Where the parts of a merged project stand in its files."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from streamt.diagnostics import FilePosition, ProjectPath
from streamt.yaml import Layout, NodePosition, Path

_EMPTY = Layout(b"")


@dataclass(frozen=True, kw_only=True)
class SourceMap:
    """Where the parts of a merged project stand in its files.

    Attributes:
        layouts: each file that declares something, by its name.
        root_file: the file of the keys that stand nowhere else.
        lists: for each list, the index in the merged list of each file's first entry, and the files, in order.
        moved: the files of keys of the top level that do not come from the root file.
        sql_files: the file that holds a model's SQL, by the model's index, where the SQL has a file of its own.
    """

    layouts: Mapping[str, Layout] = field(repr=False)
    root_file: str
    lists: Mapping[str, tuple[Sequence[int], Sequence[str]]]
    moved: Mapping[str, str]
    sql_files: Mapping[int, str] = field(default_factory=dict)

    def origin(self, path: Path) -> tuple[str, Path]:
        """Return the file that holds a path of the merged project, and the path in that file."""
        name = str(path[0]) if path else ""
        starts, files = self.lists.get(name, ((), ()))
        if not files or len(path) == 1 or not isinstance(path[1], int):
            return self.moved.get(name, self.root_file), path
        at = max(bisect_right(starts, path[1]) - 1, 0)
        return files[at], (name, path[1] - starts[at], *path[2:])

    def positions(self, paths: Iterable[Path]) -> dict[Path, tuple[str, NodePosition]]:
        """Return where many paths of the merged project stand, reading each file once."""
        by_file: dict[str, dict[Path, Path]] = {}
        for path in paths:
            file, inside = self.origin(path)
            by_file.setdefault(file, {})[path] = inside
        found: dict[Path, tuple[str, NodePosition]] = {}
        for file, insides in by_file.items():
            positions = self.layouts.get(file, _EMPTY).locate(insides.values())
            found |= {path: (file, positions[inside]) for path, inside in insides.items()}
        return found

    def find(self, paths: Iterable[ProjectPath]) -> dict[ProjectPath, FilePosition]:
        """Return the position of each path, reading each file once."""
        paths = tuple(paths)
        found = self.positions({path.parts for path in paths})
        return {path: self._position(path, *found[path.parts]) for path in paths}

    def raw(self, paths: Iterable[Path]) -> dict[Path, str | None]:
        """Return values as they are written, for those that are unquoted and in one line."""
        return {path: node.raw for path, (_, node) in self.positions(paths).items()}

    def _position(self, path: ProjectPath, file: str, node: NodePosition) -> FilePosition:
        line, column = node.key if path.at_key else node.value
        text, parts = path.text, path.parts
        sql_file = self.sql_files.get(int(parts[1])) if parts[:1] == ("models",) and parts[2:3] == ("sql",) else None
        if text is None:
            return FilePosition(sql_file) if sql_file else FilePosition(file, line, column)
        if text.file or sql_file:
            return FilePosition(str(text.file or sql_file), text.line, text.column)
        return FilePosition(file, *(node.within(text.line, text.column) or (line, column)))
