"""One YAML file of a project: what it says, and where."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from streamt.cache import NO_CACHE, Cache
from streamt.diagnostics import Code, Diagnostic, FilePlace, ProjectPath, StreamtError, quote
from streamt.project.files import Folder
from streamt.project.language import secret_length, written_secrets
from streamt.yaml import ItemStart, Layout, Path, read_yaml


@dataclass(frozen=True, slots=True)
class YamlFile:
    """A file that holds a mapping.

    Attributes:
        name: its path from the project's folder, with `/`.
        layout: its bytes, and where things stand in them.
        data: what it says.
    """

    name: str
    layout: Layout
    data: dict[str, Any] = field(repr=False)

    def place(self, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return diagnostics whose paths start at this file's root, with their places in it."""
        diagnostics = tuple(diagnostics)
        paths = {each.location.parts for each in diagnostics if isinstance(each.location, ProjectPath)}
        found = self.layout.locate(paths) if paths else {}

        def placed(each: Diagnostic) -> Diagnostic:
            if not isinstance(each.location, ProjectPath):
                return each
            node = found[each.location.parts]
            line, column = node.key if each.location.at_key else node.value
            return replace(each, location=FilePlace(self.name, line, column, each.location.parts))

        return tuple(map(placed, diagnostics))

    def raw(self, paths: Sequence[Path]) -> Mapping[Path, str | None]:
        """Return values as they are written, for those that are unquoted and in one line."""
        return {path: node.raw for path, node in self.layout.locate(paths).items()}


def read_yaml_file(folder: Folder, file: str, cache: Cache = NO_CACHE) -> YamlFile:
    """Read a file that holds a mapping; an empty one holds an empty mapping.

    Args:
        folder: the project's folder.
        file: its path from there, with `/`.
        cache: what was read before.

    Raises:
        StreamtError: E501, with everything that is wrong with the file.
    """
    content = folder.read(file)
    return cache.get_or_make(
        "yaml", content, make=partial(_read, content, file), dump=_dumped, load=partial(_loaded, content, file)
    )


def _read(content: bytes, file: str) -> YamlFile:
    reading = read_yaml(content, file)
    if reading.diagnostics:
        raise StreamtError(*map(_without_secrets, reading.diagnostics))
    if reading.data is None:
        return YamlFile(file, Layout(content), {})
    if not isinstance(reading.data, dict):
        what = "a list" if isinstance(reading.data, list) else "a single value"
        message = f"{quote(file)} must be a mapping, not {what}"
        hint = "begin it with a key, such as `project:`, `sources:` or `models:`"
        place = FilePlace(file, 1, 1)
        raise StreamtError(Diagnostic(code=Code.PARSE_ERROR, message=message, location=place, hint=hint))
    return YamlFile(file, Layout(content, reading.items), reading.data)


def _dumped(file: YamlFile) -> Any:
    """Return what a file says without any secret: items of lists that hold one are read again each time."""
    unsafe: dict[str, set[int]] = {}
    for section, *rest in written_secrets(file.data):
        if not rest or not isinstance(rest[0], int):
            return None
        unsafe.setdefault(str(section), set()).add(rest[0])
    data = dict(file.data)
    for section, indexes in unsafe.items():
        again = file.layout.read_items(section, indexes)
        if again is None or any(data[section][index] != value for index, value in again.items()):
            return None
        data[section] = [None if index in indexes else value for index, value in enumerate(data[section])]
    items = {key: [number for start in starts for number in start] for key, starts in file.layout.items.items()}
    return data, items, {section: sorted(indexes) for section, indexes in unsafe.items()}


def _loaded(content: bytes, file: str, plain: Any) -> YamlFile | None:
    """Return the file of what `_dumped` gave."""
    data, numbers, unsafe = plain
    items = {key: list(map(ItemStart, *[iter(flat)] * 3)) for key, flat in numbers.items()}
    layout = Layout(content, items)
    for section, indexes in unsafe.items():
        again = layout.read_items(section, indexes)
        if again is None:
            return None
        for index, value in again.items():
            data[section][index] = value
    return YamlFile(file, layout, data)


def _without_secrets(wrong: Diagnostic) -> Diagnostic:
    """Return what is wrong without any word of a secret; keys are, in an unquoted one that begins with a brace."""
    assert isinstance(wrong.location, FilePlace)  # the reader knows no other
    parts = wrong.location.parts
    length = secret_length(parts)
    if length is None or length == len(parts):
        return wrong
    place = replace(wrong.location, parts=parts[:length])
    return replace(wrong, message="invalid YAML in a secret", location=place, hint="quote the value")
