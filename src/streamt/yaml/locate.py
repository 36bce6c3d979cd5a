"""Where things stand in a YAML file: from a path of keys and indexes, or a line of a text, to a line and a column.

Next to nothing is remembered while a file is read, so that reading stays fast. Only when there is something to say
about a place is the file read once more, for all the paths that are wanted in it at once; of its lists only the items
that hold such a path.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from yaml.events import ScalarEvent

from streamt.yaml.reader import Builder, Event, ItemStart, Mark, Path

LONGEST_RAW = 60
"""How many characters of a value a message repeats as it was written."""

LineColumn = tuple[int, int]
"""A line and a column of a file, both counted from 1."""


@dataclass(frozen=True, slots=True)
class NodePosition:
    """Where a key and its value stand in a file.

    Attributes:
        key: of the key; of the value where there is no key.
        value: of the value; of the key where the value is empty.
        raw: the value to the letter, if it is unquoted and in one line.
        text: the value, if it is text.
        source: what stands between the beginning and the end of the value's text.
        style: how the text is written: `'`, `"`, `|`, `>`, or nothing.
    """

    key: LineColumn
    value: LineColumn
    raw: str | None = None
    text: str | None = None
    source: str = ""
    style: str | None = None

    def within(self, line: int, column: int | None = None) -> LineColumn | None:
        """Return where a line and column of the value's own text stand in the file; None where that is not sure.

        Args:
            line: of the text, counted from 1.
            column: in that line, counted from 1; by default, of its first character that is no space.
        """
        if self.text is None:
            return None
        # Indentation, folding and escapes change the space of a text and nothing else, so what is no space is counted.
        solid = [index for index, character in enumerate(self.text) if not character.isspace()]
        written = list(_solid_characters(self.source, self.style, self.value))[: len(solid)]
        if not solid or [character for character, _ in written] != [self.text[index] for index in solid]:
            return None
        offset = _offset(self.text, line, column)
        after = bisect_left(solid, offset)
        if after and (after == len(solid) or "\n" in self.text[offset : solid[after]]):  # it is the end of a line
            found_line, found_column = written[after - 1][1]
            return found_line, found_column + 1
        return written[after][1]


@dataclass(frozen=True, slots=True)
class Layout:
    """One YAML file, to ask where things stand in it.

    Attributes:
        content: a file that `read_yaml` has read without a problem.
        items: where the items of its lists begin, as `read_yaml` says; without it, the whole file is read again.
    """

    content: bytes = field(repr=False)
    items: Mapping[str, Sequence[ItemStart]] = field(default_factory=dict, repr=False)

    def locate(self, paths: Iterable[Path]) -> dict[Path, NodePosition]:
        """Return where `paths` stand; a path that is not there stands where its nearest parent does.

        Args:
            paths: keys and indexes from the root.
        """
        found: dict[Path, NodePosition] = {}
        text = self.content.decode("utf-8-sig", errors="replace")
        elsewhere: list[Path] = []
        for head, inside in _by_item(paths, self.items).items():
            start, part = _item(text, self.items, head)
            if part is None:
                elsewhere += inside
            else:
                positions = _located(part.encode(), {(0, *path[2:]) for path in inside}, start)
                found |= {path: positions[0, *path[2:]] for path in inside}
        return found | (_located(self.content, elsewhere) if elsewhere else {})

    def read_items(self, key: str, indexes: Iterable[int]) -> dict[int, Any] | None:
        """Read items of a list right below the root again; None where one cannot be read by itself.

        Args:
            key: the list's.
            indexes: which of its items.
        """
        text = self.content.decode("utf-8-sig", errors="replace")
        found = {}
        for index in indexes:
            _, part = _item(text, self.items, (key, index))
            builder = Builder(part.encode()) if part is not None else None
            value = builder.read() if builder else None
            if builder is None or builder.problems or not isinstance(value, list) or len(value) != 1:
                return None
            found[index] = value[0]
        return found


def locate(content: bytes, paths: Iterable[Path]) -> dict[Path, NodePosition]:
    """Return where `paths` stand in a YAML file that `read_yaml` has read without a problem: see `Layout`."""
    return Layout(content).locate(paths)


def _by_item(paths: Iterable[Path], items: Mapping[str, Sequence[ItemStart]]) -> dict[Path, list[Path]]:
    """Return the paths of each item that is known to `items`, and all others under the path of the root."""
    groups: dict[Path, list[Path]] = {}
    for path in paths:
        known = items.get(str(path[0]), ()) if path else ()
        is_item = len(path) > 1 and isinstance(path[1], int) and path[1] < len(known)
        groups.setdefault(path[:2] if is_item else (), []).append(path)
    return groups


def _item(text: str, items: Mapping[str, Sequence[ItemStart]], head: Path) -> tuple[int, str | None]:
    """Return how many lines stand before an item, and its own lines; None where they cannot be read by themselves."""
    if not head:
        return 0, None
    starts, index = items[str(head[0])], int(head[1])
    line, column, start = starts[index]
    begin = start - column
    if text[begin - 1 : begin] not in ("\n", "\r") or text[begin:start].strip(" ") != "-":
        return 0, None
    following = starts[index + 1] if index + 1 < len(starts) else None
    return line, text[begin : following.offset - following.column if following else len(text)]


def _located(content: bytes, paths: Iterable[Path], line: int = 0) -> dict[Path, NodePosition]:
    """Return where paths stand in `content`, which begins after `line` lines of its file."""
    paths = tuple(paths)
    wanted = {path[:length] for path in paths for length in range(len(path) + 1)}
    builder = Builder(content, wanted=wanted)
    builder.read()
    lines = content.decode("utf-8-sig", errors="replace").splitlines()
    found = {path: _position(key, value, lines, line) for path, (key, value) in builder.nodes.items()}
    return {path: _nearest(found, path) for path in paths}


def _nearest(found: dict[Path, NodePosition], path: Path) -> NodePosition:
    """Return the place of `path`, or of its nearest parent that is there."""
    for length in range(len(path), -1, -1):
        if path[:length] in found:
            position = found[path[:length]]
            # A missing key is missing in the mapping, not in the mapping's own key or in its text.
            return position if length == len(path) else replace(position, raw=None, text=None)
    return NodePosition((1, 1), (1, 1))


def _position(key: Event, value: Event, lines: list[str], before: int) -> NodePosition:
    """Return where the events of a key and of its value stand in `lines`, which has so many lines before it."""
    key_place = _line_column(key, before)
    if not isinstance(value, ScalarEvent):
        return NodePosition(key_place, _line_column(value, before))
    plain = bool(value.implicit[0])
    empty = plain and not value.value
    return NodePosition(
        key=key_place,
        value=key_place if empty else _line_column(value, before),
        raw=value.value if plain else None,
        text=value.value,
        source=_between(lines, value.start_mark, value.end_mark),
        style=value.style,
    )


def _line_column(event: Event, before: int) -> LineColumn:
    return event.start_mark.line + before + 1, event.start_mark.column + 1


def _between(lines: list[str], start: Mark, end: Mark) -> str:
    """Return what stands between two marks."""
    if start.line >= len(lines):
        return ""
    if start.line == end.line:
        line: str = lines[start.line]
        return line[start.column : end.column]
    middle = lines[start.line + 1 : end.line]
    last = [lines[end.line][: end.column]] if end.line < len(lines) else []
    return "\n".join([lines[start.line][start.column :], *middle, *last])


def _offset(text: str, line: int, column: int | None) -> int:
    """Return the index in `text` of a line and column, or of the line's beginning."""
    start = 0
    for _ in range(line - 1):
        end = text.find("\n", start)
        if end < 0:
            return len(text)
        start = end + 1
    return start + (column or 1) - 1


_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\n|.))|''", re.DOTALL)
_SOLID_ESCAPES = {'"': '"', "/": "/", "\\": "\\"}


def _solid_characters(source: str, style: str | None, start: LineColumn) -> Iterator[tuple[str, LineColumn]]:
    """Yield each character of a text that is no space, with the place where it is written."""
    line, column = start
    if style in ("|", ">"):  # the first line is the header
        _header, _, source = source.partition("\n")
        line, column, style = line + 1, 1, None
    elif style in ("'", '"'):
        source, column = source[1:-1], column + 1
    index = 0
    while index < len(source):
        escape = _ESCAPE.match(source, index) if (style, source[index]) in (("'", "'"), ('"', "\\")) else None
        written = escape[0] if escape else source[index]
        character = _unescaped(escape) if escape else written
        if character and not character.isspace():
            yield character, (line, column)
        newlines = written.count("\n")
        line += newlines
        column = 1 if newlines else column + len(written)
        index += len(written)


def _unescaped(escape: re.Match[str]) -> str:
    """Return the character of an escape, or nothing for one that stands for space."""
    if escape[0] == "''":
        return "'"
    digits = escape[1] or escape[2] or escape[3]
    return chr(int(digits, 16)) if digits else _SOLID_ESCAPES.get(escape[4], "")
