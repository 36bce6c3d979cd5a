"""The file that `OPENLINEAGE_CONFIG` names: a small part of YAML, read as texts and nothing else."""

import os
import re
import stat
from typing import Any

from streamt.diagnostics import StreamtError
from streamt.openlineage.transport.tree import Branch, Entry, Leaf, Listing, Node, Place

VARIABLE = "OPENLINEAGE_CONFIG"
MAX_BYTES = 64 * 1024
MAX_DEPTH = 10


def read_yaml(path: str) -> Branch:
    """Read the settings file at `path`; an empty file is an empty branch.

    A scalar keeps its exact text, quoted or not: `0123`, `1e5`, `null` and `yes` are just that. Anchors, aliases,
    tags, a second document, a key twice, more than `MAX_BYTES` or `MAX_DEPTH` are errors.

    Args:
        path: what `OPENLINEAGE_CONFIG` holds.

    Raises:
        StreamtError: E506 at `OPENLINEAGE_CONFIG`, with the line and column where there is one.
    """
    text = _text(path)
    return _Reader(os.path.basename(path)).read(text)  # noqa: PTH119 - `path` is any text, not yet a good path


def _text(path: str) -> str:
    place = Place(VARIABLE)
    try:
        data = _bytes(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "it is no file"
        message = f"the file that {VARIABLE} names cannot be read: {reason}"
        raise StreamtError(place.problem(message, "set it to the path of a YAML file")) from None
    if len(data) > MAX_BYTES:
        message = f"the file that {VARIABLE} names is larger than {MAX_BYTES // 1024} KiB"
        raise StreamtError(place.problem(message, "set it to a file that holds `transport:` and nothing else"))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        message = f"the file that {VARIABLE} names is not UTF-8 text"
        raise StreamtError(place.problem(message, "save it as UTF-8")) from None


def _bytes(path: str) -> bytes:
    """Read at most one byte more than allowed from a regular file; a pipe must not make us wait."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - it is a descriptor
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError
        return file.read(MAX_BYTES + 1)


class _Reader:
    """Turns the events of one YAML stream into a tree."""

    def __init__(self, file: str) -> None:
        self._file = file

    def read(self, text: str) -> Branch:
        import yaml

        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # a PyYAML without libyaml lacks it
        try:
            self._events = yaml.parse(text, Loader=loader)
            return self._stream()
        except yaml.MarkedYAMLError as error:  # its text quotes the file, so it is not passed on
            raise self._error(error.problem_mark or error.context_mark, "this is not valid YAML") from None
        except yaml.YAMLError:
            raise self._error(None, "the file holds a character that YAML does not allow") from None

    def _stream(self) -> Branch:
        import yaml

        root: Node = Branch(self._place(None))
        documents = 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self._error(event.start_mark, "the file holds more than one YAML document")
            elif isinstance(event, yaml.NodeEvent):
                root = self._node(event, 1, "")
        if isinstance(root, Branch):
            return root
        if isinstance(root, Leaf) and not root.text:  # nothing but comments, or `---`
            return Branch(root.place)
        raise StreamtError(root.place.problem("the file must hold keys, the first of them `transport:`"))

    def _node(self, event: Any, depth: int, path: str) -> Node:
        import yaml

        self._refuse_extras(event, depth)
        place = self._place(event.start_mark)
        if isinstance(event, yaml.ScalarEvent):
            return Leaf(event.value, place)
        if isinstance(event, yaml.SequenceStartEvent):
            while not isinstance(item := next(self._events), yaml.SequenceEndEvent):
                self._node(item, depth + 1, path)
            return Listing(place)
        return Branch(place, tuple(self._entries(depth, path)))

    def _entries(self, depth: int, path: str) -> "list[Entry]":
        import yaml

        entries: dict[str, Entry] = {}
        while not isinstance(key := next(self._events), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                raise self._error(key.start_mark, "a key must be a plain name")
            self._refuse_extras(key, depth)
            if key.value in entries:
                raise self._error(key.start_mark, "this key stands twice", "keep one of the two")
            where = f"{path}.{key.value}" if path else key.value
            node = self._node(next(self._events), depth + 1, where)
            label = f"`{where}`" if re.fullmatch(r"[\w.-]{1,80}", where) else "this key"
            entries[key.value] = Entry(key.value, label, self._place(key.start_mark), node)
        return list(entries.values())

    def _refuse_extras(self, event: Any, depth: int) -> None:
        if event.anchor is not None:  # an alias has one too
            raise self._error(event.start_mark, "anchors and aliases are not allowed", "write the value out")
        if getattr(event, "tag", None) is not None:
            raise self._error(event.start_mark, "tags (`!...`) are not allowed", "leave the tag out")
        if depth > MAX_DEPTH:
            raise self._error(event.start_mark, f"the file nests deeper than {MAX_DEPTH} levels")

    def _place(self, mark: Any) -> Place:
        if mark is None:
            return Place(VARIABLE, self._file)
        return Place(VARIABLE, self._file, mark.line + 1, mark.column + 1)

    def _error(self, mark: Any, message: str, hint: str | None = None) -> StreamtError:
        return StreamtError(self._place(mark).problem(message, hint))
