"""Where things stand: from a path of keys and indexes to a line and a column.

Nothing is remembered while a project is read, so that reading stays fast. Only when there is something to say about a
place is the file gone through once more, for all the paths that are wanted in it at once.
"""

import functools
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from yaml.events import (
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from streamt.diagnostics import FilePosition, ProjectPath
from streamt.project.documents import Event, Path, event_reader


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a key and its value stand in a file.

    Attributes:
        key: line and column of the key, counted from 1; of the value where there is no key.
        value: line and column of the value; of the key where the value is empty.
        raw: the value to the letter, if it is unquoted and in one line.
    """

    key: tuple[int, int]
    value: tuple[int, int]
    raw: str | None = None


_LANGUAGE_WORDS = frozenset({"true", "false", "topic", "virtual_topic", "flink", "sink", "default"})
_Trie = dict[Any, Any]


def locate(content: bytes, paths: Iterable[Path]) -> dict[Path, Spot]:
    """Find where `paths` stand in a YAML file; a path that is not there stands where its nearest parent does.

    Args:
        content: a file that `read_document` has read without a problem.
        paths: keys and indexes from the root; an index may also come as text.
    """
    wanted = {path: tuple(map(str, path)) for path in paths}
    finder = _Finder(content)
    finder.find(_trie(wanted.values()))
    return {path: finder.nearest(as_text) for path, as_text in wanted.items()}


def _trie(paths: Iterable[tuple[str, ...]]) -> _Trie:
    """Arrange paths by their common beginnings."""
    root: _Trie = {}
    for path in paths:
        node = root
        for part in path:
            node = node.setdefault(part, {})
    return root


class _Finder:
    """Goes through the events of a file and notes the wanted places."""

    def __init__(self, content: bytes) -> None:
        self._next = event_reader(content)
        self._spots: dict[tuple[str, ...], Spot] = {}
        self._anchors: dict[str, dict[tuple[str, ...], Spot]] = {}

    def find(self, wanted: _Trie) -> None:
        """Note the place of everything in `wanted` that is there."""
        self._next()
        if isinstance(self._next(), StreamEndEvent):
            return
        event = self._next()
        self._spots[()] = Spot(_place(event), _place(event))
        self._walk(event, wanted, ())

    def nearest(self, path: tuple[str, ...]) -> Spot:
        """Give the place of `path`, or of its nearest parent that is there."""
        for length in range(len(path), -1, -1):
            if path[:length] in self._spots:
                spot = self._spots[path[:length]]
                # A missing key is missing in the mapping, not in the mapping's own key or in its text.
                return spot if length == len(path) else replace(spot, raw=None)
        return Spot((1, 1), (1, 1))

    def _walk(self, event: Event, wanted: _Trie, path: tuple[str, ...]) -> None:
        if isinstance(event, MappingStartEvent):
            while not isinstance(key := self._next(), MappingEndEvent):
                self._child(key, str(getattr(key, "value", "")), self._next(), wanted, path)
        elif isinstance(event, SequenceStartEvent):
            index = 0
            while not isinstance(item := self._next(), SequenceEndEvent):
                self._child(item, str(index), item, wanted, path)
                index += 1

    def _child(self, key: Event, name: str, value: Event, wanted: _Trie, path: tuple[str, ...]) -> None:
        below = wanted.get(name)
        if below is None:
            self._skip(value)
            return
        here = (*path, name)
        self._spots[here] = _spot(key, value)
        self._walk(value, below, here)

    def _skip(self, event: Event) -> None:
        """Pass over a node that nobody asks for."""
        depth = int(isinstance(event, (MappingStartEvent, SequenceStartEvent)))
        next_event = self._next
        while depth:
            kind = type(next_event())
            if kind is MappingStartEvent or kind is SequenceStartEvent:
                depth += 1
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                depth -= 1


def _place(event: Event) -> tuple[int, int]:
    """Give where an event begins, counted from 1."""
    return event.start_mark.line + 1, event.start_mark.column + 1


def _spot(key: Event, value: Event) -> Spot:
    if not isinstance(value, ScalarEvent) or not value.implicit[0]:
        return Spot(_place(key), _place(value))
    empty = not value.value
    return Spot(_place(key), _place(key) if empty else _place(value), value.value)


@dataclass(frozen=True, slots=True)
class Place:
    """A line and a column of a project's file, counted from 1."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, kw_only=True)
class SourceMap:
    """Where the parts of a merged project stand in its files.

    Attributes:
        contents: the bytes of each file that declares something, by its name.
        root_file: the file of the keys that stand nowhere else.
        lists: for each list, the index in the merged list of each file's first entry, and the files, in order.
        moved: the files of keys of the top level that do not come from the root file.
        supplied: the values that variables supplied, each with its template.
    """

    contents: Mapping[str, bytes] = field(repr=False)
    root_file: str
    lists: Mapping[str, tuple[Sequence[int], Sequence[str]]]
    moved: Mapping[str, str]
    supplied: Mapping[str, str] = field(repr=False)

    def resolve(self, path: Path) -> tuple[str, Path]:
        """Give the file that holds a path of the merged project, and the path in that file."""
        name = str(path[0]) if path else ""
        starts, files = self.lists.get(name, ((), ()))
        if not files or len(path) == 1 or not str(path[1]).isdecimal():
            return self.moved.get(name, self.root_file), path
        index = int(path[1])
        at = max(bisect_right(starts, index) - 1, 0)
        return files[at], (name, index - starts[at], *path[2:])

    def spots(self, paths: Iterable[Path]) -> dict[Path, tuple[str, Spot]]:
        """Find many paths of the merged project, going through each file once."""
        by_file: dict[str, dict[Path, Path]] = {}
        for path in paths:
            file, inside = self.resolve(path)
            by_file.setdefault(file, {})[path] = inside
        found: dict[Path, tuple[str, Spot]] = {}
        for file, insides in by_file.items():
            spots = locate(self.contents.get(file, b""), insides.values())
            found |= {path: (file, spots[inside]) for path, inside in insides.items()}
        return found

    def find(self, paths: Iterable[ProjectPath]) -> dict[ProjectPath, FilePosition]:
        """Return the position of each path, going through each file once."""
        paths = tuple(paths)
        spots = self.spots({path.parts for path in paths if path.parts})
        return {path: self._position(path, *spots[path.parts]) for path in paths if path.parts}

    def _position(self, path: ProjectPath, file: str, spot: Spot) -> FilePosition:
        line, column = spot.key if path.at_key else spot.value
        if path.text is None:
            return FilePosition(file, line, column)
        if path.text.file is not None:
            return FilePosition(path.text.file, path.text.line, path.text.column)
        header = self.contents[file].splitlines()[line - 1].decode(errors="replace")[column - 1 :]
        # The first line of a literal block is the one after its header, even if it is blank.
        return FilePosition(file, line + path.text.line) if header.startswith("|") else FilePosition(file, line, column)

    def mask(self, text: str) -> str:
        """Write `${NAME}` for each whole word of `text` that a variable supplied."""
        words = self._words
        return words.sub(lambda match: self.supplied[match[0]], text) if words else text

    @functools.cached_property
    def _words(self) -> re.Pattern[str] | None:
        # A value of one to three characters is a number or a word like any other; hiding it would hide nothing.
        values = (value for value in self.supplied if len(value) > 3 and value not in _LANGUAGE_WORDS)
        words = sorted(map(re.escape, values), key=len, reverse=True)
        return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)") if words else None
