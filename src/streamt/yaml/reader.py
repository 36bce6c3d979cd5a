"""Bytes of a YAML file -> plain data, strictly, or every reason why not with its place.

PyYAML's parser (libyaml's, in C, where it is there) reads the events; what they mean is decided here, by the YAML 1.2
core schema: no duplicate keys, no keys that are not strings, no merge keys, no tags but `!!str`.
"""

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from streamt.diagnostics import Code, Diagnostic, FilePlace, Location, quote
from streamt.yaml.scalars import resolve_plain, type_name_of
from streamt.yaml.syntax import TABS, SyntaxProblem, describe_parser_error, find_unreadable_byte, unreadable_character

MAX_DEPTH = 100
MAX_ALIASED = 100_000
"""How many values all aliases of a file may stand for."""

_CACHED_LENGTH = 40
_TEXT_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})
_COLLECTION_TAGS = frozenset({"!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})
_FORBIDDEN_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_TAB_INDENT = re.compile(rb"(?m)^ *\t")

Path = tuple[str | int, ...]
"""Keys and indexes from the root of a document."""

# PyYAML's types say that an event may lack its place and its tag; those of a parser never do.
Event = Any
# A place of PyYAML's: `line` and `column`, counted from 0.
Mark = Any


class ItemStart(NamedTuple):
    """Where an item of a list begins, behind its `-`.

    Attributes:
        line: how many lines stand before it.
        column: how many characters stand before it in its line.
        offset: how many characters of the file stand before it.
    """

    line: int
    column: int
    offset: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file says.

    Attributes:
        data: dictionaries with text keys, lists, text, numbers, truth values and None; None for a file without content.
        diagnostics: everything that is wrong with it; `data` is of use only without any.
        items: where the items begin of each list right below the root, by its key.
    """

    data: Any
    diagnostics: tuple[Diagnostic, ...]
    items: Mapping[str, Sequence[ItemStart]] = field(default_factory=dict, repr=False)


def read_yaml(
    content: bytes,
    file: str,
    *,
    plain: Callable[[str], Any] = resolve_plain,
    code: Code = Code.PARSE_ERROR,
    at: Callable[[FilePlace], Location] = lambda place: place,
) -> Reading:
    """Read one YAML document.

    Args:
        content: the file's bytes.
        file: its name in diagnostics.
        plain: gives the value of an unquoted scalar; by default by YAML 1.2's core schema, and `str` keeps its text.
        code: the code of what is wrong.
        at: makes the location of what is wrong from its place in the file.
    """
    builder = Builder(content, plain=plain)
    data = builder.read()

    def diagnostic(problem: SyntaxProblem) -> Diagnostic:
        place = FilePlace(file, problem.line, problem.column, problem.path)
        return Diagnostic(code=code, message=problem.message, location=at(place), hint=problem.hint)

    return Reading(data, tuple(map(diagnostic, builder.problems)), builder.items)


class _TooDeep(Exception):  # noqa: N818 - it never leaves this module
    """Stops a document that is nested too deeply."""

    def __init__(self, mark: Mark, path: Path) -> None:
        super().__init__()
        self.mark = mark
        self.path = path


_OPEN = object()


class Builder:
    """Builds plain data from the events of one file, and notes what is wrong with it.

    Attributes:
        problems: everything that is wrong.
        items: where the items begin of each list right below the root, by its key.
        nodes: for each wanted path that is there, the events of its key (of itself in a list) and of its value.
    """

    def __init__(
        self, content: bytes, *, plain: Callable[[str], Any] = resolve_plain, wanted: Set[Path] = frozenset()
    ) -> None:
        """Make ready to read `content`, noting the events of the `wanted` paths on the way."""
        self.problems: list[SyntaxProblem] = []
        self.items: dict[str, list[ItemStart]] = {}
        self.nodes: dict[Path, tuple[Event, Event]] = {}
        self._content = content
        self._resolve = plain
        self._wanted = wanted
        # Where the parser is: the key or index at each level, and None from the first level that is not open.
        self._path: list[str | int | None] = [None] * (MAX_DEPTH + 2)
        self._known: dict[str, Any] = {}
        self._anchors: dict[str, Any] = {}
        self._extents: dict[int, tuple[int, int]] = {}
        self._bombed = False
        self._aliased = 0

    def read(self) -> Any:
        """Return what the file says; None where it cannot be read to its end."""
        unreadable = find_unreadable_byte(self._content)
        if unreadable is not None:
            self.problems.append(unreadable)
            return None
        try:
            self._next_event = self._events()
            data = self._document()
        except yaml.MarkedYAMLError as error:
            self.problems.append(describe_parser_error(error, self._content, self._here()))
        except yaml.reader.ReaderError:
            self.problems.append(unreadable_character(self._content))
        except _TooDeep as error:
            self._complain(error.mark, error.path, f"nested more than {MAX_DEPTH} levels deep")
        else:
            self._complain_tabs()
            return data
        return None

    def _events(self) -> Callable[[], Event]:
        """Return the function that returns the events of the file, one by one."""
        loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
        return cast("Callable[[], Event]", loader(self._content).get_event)

    def _here(self) -> Path:
        """Return the path to where the parser is."""
        return tuple(cast("list[str | int]", self._path[: self._path.index(None)]))

    def _complain(self, mark: Mark, path: Path, message: str, hint: str | None = None) -> None:
        self.problems.append(SyntaxProblem(message, mark.line + 1, mark.column + 1, path, hint))

    def _document(self) -> Any:
        """Build the one document of the stream."""
        self._next_event()
        start = self._next_event()
        if isinstance(start, StreamEndEvent):
            return None
        root = self._next_event()
        if self._wanted:
            self.nodes[()] = root, root
        data = self._node(root, 0)
        self._next_event()
        rest = self._next_event()
        if isinstance(rest, DocumentStartEvent):
            self._complain(rest.start_mark, (), "second YAML document in one file", "keep one document, without `---`")
        return data

    def _node(self, event: Event, depth: int) -> Any:
        kind = type(event)
        if kind is ScalarEvent:
            return self._scalar(event)
        if kind is AliasEvent:
            return self._alias(event)
        if depth > MAX_DEPTH:
            raise _TooDeep(event.start_mark, self._here())
        anchor = event.anchor
        if anchor is not None:
            self._anchors[anchor] = _OPEN
        if event.tag is not None and event.tag not in _COLLECTION_TAGS:
            self._complain_tag(event)
        data: Any = self._mapping(depth) if kind is MappingStartEvent else self._sequence(depth)
        if anchor is not None:
            self._keep(anchor, data)
        return data

    def _mapping(self, depth: int) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        marks: dict[str, Mark] = {}
        path, known, next_event, wanted = self._path, self._known, self._next_event, self._wanted
        while type(event := next_event()) is not MappingEndEvent:
            key = known.get(event.value) if type(event) is ScalarEvent and event.implicit[0] else None
            if type(key) is not str or key == "<<":
                key = self._key(event, depth)
            path[depth] = key
            value_event = next_event()
            if wanted:
                self._note(event, value_event)
            value = self._node(value_event, depth + 1)
            if key in mapping:
                self._complain_duplicate(event.start_mark, marks[key], key)
            marks[key] = event.start_mark
            mapping[key] = value
        path[depth] = None
        return mapping

    def _sequence(self, depth: int) -> list[Any]:
        sequence: list[Any] = []
        path, next_event, wanted = self._path, self._next_event, self._wanted
        starts = self.items.setdefault(str(path[0]), []) if depth == 1 else None
        while type(event := next_event()) is not SequenceEndEvent:
            path[depth] = len(sequence)
            if starts is not None:
                mark = event.start_mark
                starts.append(ItemStart(mark.line, mark.column, mark.index))
            if wanted:
                self._note(event, event)
            sequence.append(self._node(event, depth + 1))
        path[depth] = None
        return sequence

    def _note(self, key: Event, value: Event) -> None:
        """Keep the events of a wanted path."""
        here = self._here()
        if here in self._wanted:
            self.nodes[here] = key, value

    def _key(self, event: Event, depth: int) -> str:
        """Read a key, and note what is wrong with it."""
        self._path[depth] = None
        key = self._node(event, depth + 1)
        if type(event) is ScalarEvent and event.implicit[0] and key == "<<":
            message = "merge key `<<` is not supported: YAML 1.2 has none"
            self._complain(event.start_mark, (*self._here(), "<<"), message, "write the keys out where they are needed")
        elif not isinstance(key, str):
            self._complain_key(event, key)
            return f"\0{event.start_mark.line}:{event.start_mark.column}"
        return str(key)

    def _scalar(self, event: Event) -> Any:
        if event.implicit[0] and event.tag is None:
            value = self._known.get(event.value, _OPEN)
            if value is _OPEN:
                value = self._plain(event)
        else:
            value = self._text(event)
        if event.anchor is not None:
            self._keep(event.anchor, value)
        return value

    def _plain(self, event: Event) -> Any:
        text = event.value
        try:
            value = self._resolve(text)
        except OverflowError:
            self._complain(event.start_mark, self._here(), "number too long", "quote it if it is text")
            return 0
        if len(text) <= _CACHED_LENGTH:
            self._known[text] = value
        return value

    def _text(self, event: Event) -> str:
        """Read a scalar that is text by its quotes, its block style or its tag."""
        text: str = event.value
        if event.tag is not None and event.tag not in _TEXT_TAGS:
            self._complain_tag(event)
        if event.style == '"' and (match := _FORBIDDEN_CHARACTERS.search(text)):
            self._complain_escape(event, ord(match[0]))
        # Unquoted, the same text may have been read before; one copy of it is enough.
        same = self._known.get(text)
        return same if isinstance(same, str) else text

    def _alias(self, event: Event) -> Any:
        value = self._anchors.get(event.anchor)
        if event.anchor not in self._anchors:
            self._complain(event.start_mark, self._here(), "alias without an anchor of its name before it")
        elif value is _OPEN:
            self._complain(event.start_mark, self._here(), f"anchor {quote('&' + event.anchor)} contains itself")
            return None
        nodes, levels = self._extents.get(id(value), (1, 0))
        if len(self._here()) + levels > MAX_DEPTH:
            raise _TooDeep(event.start_mark, self._here())
        self._aliased += nodes
        if self._aliased <= MAX_ALIASED:
            return value
        if not self._bombed:
            message = f"aliases stand for more than {MAX_ALIASED:,} values"
            self._complain(event.start_mark, self._here(), message, "write the values out, without aliases")
        self._bombed = True
        return None

    def _keep(self, anchor: str, value: Any) -> None:
        self._anchors[anchor] = value
        if isinstance(value, (dict, list, str)):
            self._extents[id(value)] = self._extent(value)

    def _extent(self, value: Any) -> tuple[int, int]:
        """Count the nodes and the levels of `value` with its aliases written out; long text counts for more."""
        if id(value) in self._extents:
            return self._extents[id(value)]
        if isinstance(value, str):
            return 1 + len(value) // 1000, 0
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        extents = [self._extent(part) for part in parts]
        return 1 + sum(nodes for nodes, _ in extents), 1 + max((levels for _, levels in extents), default=0)

    def _complain_tag(self, event: Event) -> None:
        # The tag is not repeated: it may be an unquoted password that begins with `!`.
        self._complain(event.start_mark, self._here(), "unsupported YAML tag", "remove the tag, or quote the value")

    def _complain_escape(self, event: Event, character: int) -> None:
        message, hint = f"character U+{character:04X} is not allowed in text", "remove the escape"
        if 0xD800 <= character < 0xE000:
            message = f"half of a surrogate pair, U+{character:04X}, is no character"
            hint = "write the character itself, or as one escape such as `\\U0001F600`"
        self._complain(event.start_mark, self._here(), message, hint)

    def _complain_duplicate(self, mark: Mark, first: Mark, key: str) -> None:
        message = f"duplicate key {quote(key)}; first defined at line {first.line + 1}, column {first.column + 1}"
        self._complain(mark, self._here(), message, "keep one of the two")

    def _complain_key(self, event: Event, key: Any) -> None:
        if type(event) is ScalarEvent and event.value:
            message = f"key {quote(event.value)} is {type_name_of[type(key)]}; a key must be a string"
            self._complain(event.start_mark, self._here(), message, f'quote it: "{event.value[:60]}"')
        elif key is None:
            self._complain(event.start_mark, self._here(), "missing key before `:`")
        else:
            hint = 'quote text that begins with `{` or `[`, such as "{{ x }}"'
            self._complain(event.start_mark, self._here(), "a mapping or a list cannot be a key", hint)

    def _complain_tabs(self) -> None:
        """Note what is indented with tabs between brackets, where the parser lets it pass."""
        if _TAB_INDENT.search(self._content) is None:
            return
        lines = self._content.decode("utf-8-sig").splitlines()
        next_event = self._events()
        while not isinstance(event := next_event(), StreamEndEvent):
            mark = event.start_mark
            before = lines[mark.line][: mark.column] if mark.line < len(lines) else ""
            if "\t" in before and before.isspace():
                self._complain(mark, (), *TABS)
