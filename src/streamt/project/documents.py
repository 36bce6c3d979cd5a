"""Bytes of a YAML file -> plain data, strictly, or every reason why not with its place.

PyYAML's parser (libyaml's, in C, where it is there) reads the events; what they mean is decided here, by the YAML 1.2
core schema: no duplicate keys, no keys that are not text, no merge keys, no tags but `!!str`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

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

from streamt.diagnostics import Code, Diagnostic, FilePlace
from streamt.project.scalars import resolve_plain, type_name_of

MAX_DEPTH = 100
MAX_ALIASED = 100_000
_CACHED_LENGTH = 40
_LONGEST_SHOWN = 60
_TEXT_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})
_COLLECTION_TAGS = frozenset({"!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})
_FORBIDDEN_BYTES = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2\x85|\xe2\x80[\xa8\xa9]")
_FORBIDDEN_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_TAB_INDENT = re.compile(rb"(?m)^ *\t")
_TABS = ("a tab stands where the indentation is", "indent with spaces")
_BOM = b"\xef\xbb\xbf"

Path = tuple[str | int, ...]
# PyYAML's types say that an event may lack its place and its tag; those of a parser never do.
Event = Any
# A place of PyYAML's: `line` and `column`, counted from 0.
Mark = Any


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file says.

    Attributes:
        data: dictionaries with text keys, lists, text, numbers, truth values and None; None for a file without content.
        problems: everything that is wrong with it; `data` is of use only without any.
    """

    data: Any
    problems: tuple[Diagnostic, ...]


def read_document(content: bytes, file: str, *, pure: bool = False) -> Reading:
    """Read one YAML document.

    Args:
        content: the file's bytes.
        file: its name in diagnostics.
        pure: whether to read with the parser in Python though there is one in C.
    """
    unreadable = _unreadable(content, file)
    if unreadable is not None:
        return Reading(None, (unreadable,))
    builder = _Builder(file)
    try:
        builder.next_event = event_reader(content, pure=pure)
        data = builder.document()
    except yaml.MarkedYAMLError as error:
        builder.problems.append(_syntax_problem(error, content, file, builder.here()))
    except yaml.reader.ReaderError:
        builder.problems.append(_reader_problem(content, file))
    except _TooDeep as error:
        builder.complain(error.mark, error.path, f"this is nested more than {MAX_DEPTH} levels deep")
    else:
        _complain_tabs(builder, content, pure=pure)
        return Reading(data, tuple(builder.problems))
    return Reading(None, tuple(builder.problems))


def event_reader(content: bytes, *, pure: bool = False) -> Callable[[], Event]:
    """Give the function that returns the events of a YAML stream, one by one."""
    loader = yaml.SafeLoader if pure or not yaml.__with_libyaml__ else yaml.CSafeLoader
    return cast("Callable[[], Event]", loader(content).get_event)


class _TooDeep(Exception):  # noqa: N818 - it never leaves this module
    """Stops a document that is nested too deeply."""

    def __init__(self, mark: Mark, path: Path) -> None:
        super().__init__()
        self.mark = mark
        self.path = path


_OPEN = object()


class _Builder:
    """Builds plain data from events, and writes down what is wrong."""

    next_event: Callable[[], Event]

    def __init__(self, file: str) -> None:
        self.problems: list[Diagnostic] = []
        self._file = file
        # Where the parser is: the key or index at each level, and None from the first level that is not open.
        self._path: list[str | int | None] = [None] * (MAX_DEPTH + 2)
        self._known: dict[str, Any] = {}
        self._anchors: dict[str, Any] = {}
        self._extents: dict[int, tuple[int, int]] = {}
        self._bombed = False
        self._aliased = 0

    def here(self) -> Path:
        """Give the path to where the parser is."""
        return tuple(cast("list[str | int]", self._path[: self._path.index(None)]))

    def complain(self, mark: Mark, path: Path, message: str, hint: str | None = None) -> None:
        """Write a problem down."""
        self.problems.append(
            Diagnostic(
                code=Code.PARSE_ERROR,
                message=message,
                location=FilePlace(self._file, mark.line + 1, mark.column + 1, path),
                hint=hint,
            )
        )

    def document(self) -> Any:
        """Build the one document of the stream."""
        self.next_event()
        start = self.next_event()
        if isinstance(start, StreamEndEvent):
            return None
        data = self._node(self.next_event(), 0)
        self.next_event()
        rest = self.next_event()
        if isinstance(rest, DocumentStartEvent):
            self.complain(
                rest.start_mark, (), "a second document begins here", "keep one document in a file, and no `---` in it"
            )
        return data

    def _node(self, event: Event, depth: int) -> Any:
        kind = type(event)
        if kind is ScalarEvent:
            return self._scalar(event)
        if kind is AliasEvent:
            return self._alias(event)
        if depth > MAX_DEPTH:
            raise _TooDeep(event.start_mark, self.here())
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
        path, known, next_event = self._path, self._known, self.next_event
        while type(event := next_event()) is not MappingEndEvent:
            key = known.get(event.value) if type(event) is ScalarEvent and event.implicit[0] else None
            if type(key) is not str or key == "<<":
                key = self._key(event, depth)
            path[depth] = key
            value = self._node(next_event(), depth + 1)
            if key in mapping:
                self._complain_duplicate(event.start_mark, marks[key], key)
            marks[key] = event.start_mark
            mapping[key] = value
        path[depth] = None
        return mapping

    def _sequence(self, depth: int) -> list[Any]:
        sequence: list[Any] = []
        path, next_event = self._path, self.next_event
        while type(event := next_event()) is not SequenceEndEvent:
            path[depth] = len(sequence)
            sequence.append(self._node(event, depth + 1))
        path[depth] = None
        return sequence

    def _key(self, event: Event, depth: int) -> str:
        """Read a key, and write down what is wrong with it."""
        self._path[depth] = None
        key = self._node(event, depth + 1)
        if type(event) is ScalarEvent and event.implicit[0] and key == "<<":
            hint = "write the keys out where they are needed"
            self.complain(event.start_mark, (*self.here(), "<<"), "merge keys (`<<`) are not part of YAML 1.2", hint)
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
            value = resolve_plain(text)
        except OverflowError:
            self.complain(event.start_mark, self.here(), "the number is too long", "put it in quotes if it is text")
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
            what = f"the text holds the character U+{ord(match[0]):04X}, which no text here may hold"
            self.complain(event.start_mark, self.here(), what, "take the escape out")
        # Unquoted, the same text may have been read before; one copy of it is enough.
        same = self._known.get(text)
        return same if isinstance(same, str) else text

    def _alias(self, event: Event) -> Any:
        value = self._anchors.get(event.anchor)
        if event.anchor not in self._anchors:
            self.complain(
                event.start_mark,
                self.here(),
                "there is no anchor of this name before this alias",
            )
        elif value is _OPEN:
            self.complain(event.start_mark, self.here(), f"the anchor `&{event.anchor[:_LONGEST_SHOWN]}` holds itself")
            return None
        nodes, levels = self._extents.get(id(value), (1, 0))
        if len(self.here()) + levels > MAX_DEPTH:
            raise _TooDeep(event.start_mark, self.here())
        self._aliased += nodes
        if self._aliased <= MAX_ALIASED:
            return value
        if not self._bombed:
            hint = "write out what is meant, without aliases"
            self.complain(event.start_mark, self.here(), "the aliases repeat too much", hint)
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
        self.complain(
            event.start_mark,
            self.here(),
            "a tag like this is not used here",
            "write the value without it, or in quotes",
        )

    def _complain_duplicate(self, mark: Mark, first: Mark, key: str) -> None:
        what = f"the key `{key[:_LONGEST_SHOWN]}` stands here a second time; the first is in line {first.line + 1}"
        self.complain(mark, self.here(), f"{what}, column {first.column + 1}", "keep one of the two")

    def _complain_key(self, event: Event, key: Any) -> None:
        if type(event) is ScalarEvent and event.value:
            word = event.value[:_LONGEST_SHOWN]
            what = f"the key `{word}` is {type_name_of[type(key)]}, and keys are text"
            self.complain(event.start_mark, self.here(), what, f'put it in quotes: "{word}"')
        elif key is None:
            self.complain(event.start_mark, self.here(), "a key is missing before this `:`")
        else:
            hint = 'put text that begins with `{` or `[` in quotes, such as "{{ x }}"'
            self.complain(event.start_mark, self.here(), "a mapping or a list is no key", hint)


def _complain_tabs(builder: _Builder, content: bytes, *, pure: bool) -> None:
    """Write down what is indented with tabs between brackets, where the parser lets it pass."""
    if _TAB_INDENT.search(content) is None:
        return
    lines = content.removeprefix(_BOM).decode().splitlines()
    next_event = event_reader(content, pure=pure)
    while not isinstance(event := next_event(), StreamEndEvent):
        mark = event.start_mark
        before = lines[mark.line][: mark.column] if mark.line < len(lines) else ""
        if "\t" in before and before.isspace():
            builder.complain(mark, (), *_TABS)


def _unreadable(content: bytes, file: str) -> Diagnostic | None:
    """Find the first byte that no file may hold."""
    try:
        if not content.isascii():
            content.decode()
    except UnicodeDecodeError as error:
        hint = "save the file as UTF-8"
        return _byte_problem(content, error.start, file, "the file is not UTF-8 from here on", hint)
    match = _FORBIDDEN_BYTES.search(content)
    if match is None:
        return None
    character = ord(match[0].decode())
    hint = f'if it is meant, write it as "\\u{character:04x}"' if character in {0x85, 0x2028, 0x2029} else "take it out"
    return _byte_problem(
        content, match.start(), file, f"the character U+{character:04X} may not stand in a YAML file", hint
    )


def _byte_problem(content: bytes, offset: int, file: str, message: str, hint: str) -> Diagnostic:
    """Make a problem with the byte at `offset`."""
    before = content[:offset].removeprefix(_BOM)
    line_start = max(before.rfind(b"\n"), before.rfind(b"\r")) + 1
    line = len(re.findall(rb"\r\n|\r|\n", before)) + 1
    column = len(before[line_start:].decode(errors="replace")) + 1
    return Diagnostic(
        code=Code.PARSE_ERROR,
        message=message,
        location=FilePlace(file, line, column),
        hint=hint,
    )


def _reader_problem(content: bytes, file: str) -> Diagnostic:
    """Put a character that the parser cannot read into words."""
    hint = "take it out, or write it as an escape in double quotes"
    match = re.search(b"\xc2[\x80-\x9f]|\xef\xbf[\xbe\xbf]|\xef\xbb\xbf", content.removeprefix(_BOM))
    offset = match.start() + len(content) - len(content.removeprefix(_BOM)) if match else 0
    return _byte_problem(content, offset, file, "a character here may not stand in a YAML file", hint)


_SAID_BETTER = (
    (
        "mapping values are not allowed",
        "a `:` is not expected here",
        "put text that holds `: ` in quotes; check the indentation",
    ),
    ("could not find expected ':'", "a `:` is missing after the key", None),
    ("expected key", "a key is expected here", "check the indentation: keys of one mapping stand in one column"),
    (
        "expected <block end>",
        "the indentation does not fit what stands above",
        "keys of one mapping stand in one column",
    ),
    ("expected '-'", "a `-` is expected here", "check the indentation: items of one list stand in one column"),
    ("unexpected end of stream", "a quote is not closed", None),
    ("escape", "this escape is unknown in double quotes", "in single quotes a backslash is just a backslash"),
    ("expected ',' or ']'", "a `,` or a `]` is missing", None),
    (
        "expected ',' or '}'",
        "a `,` or a `}` is missing",
        "between `{` and `}`, put text with braces, such as `${NAME}`, in quotes",
    ),
    ("nesting depth", f"this is nested more than {MAX_DEPTH} levels deep", None),
    ("undefined tag handle", "the tag is unknown", "write the value without it"),
)


def _syntax_problem(error: yaml.MarkedYAMLError, content: bytes, file: str, path: Path) -> Diagnostic:
    """Put the parser's complaint into words."""
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    message, hint = _in_words(str(error.problem), _character_at(content, line, column))
    return Diagnostic(
        code=Code.PARSE_ERROR,
        message=message,
        location=FilePlace(file, line + 1, column + 1, path),
        hint=hint,
    )


def _in_words(problem: str, character: str) -> tuple[str, str | None]:
    """Give the message and the hint for a parser's complaint about `character`."""
    if character == "\t" or "tab" in problem:
        return _TABS
    if "start any token" in problem and character:
        return f"no unquoted text begins with `{character}`", "put it in quotes"
    for sign, message, hint in _SAID_BETTER:
        if sign in problem:
            return message, hint
    return f"this is no YAML: {problem}", None


def _character_at(content: bytes, line: int, column: int) -> str:
    """Give the character at a place, or nothing at the end of a line."""
    lines = content.removeprefix(_BOM).decode().splitlines()
    return lines[line][column : column + 1] if line < len(lines) else ""
