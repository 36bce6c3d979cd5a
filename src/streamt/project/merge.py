"""Reading a project's YAML files, and putting what they say together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from streamt.cache import NO_CACHE, Cache
from streamt.diagnostics import Code, Diagnostic, ProjectPath, StreamtError, nearest, quote
from streamt.project.files import Folder
from streamt.project.language import API_VERSION, ENVIRONMENT_SECTIONS, LISTS, SECTIONS, SHARED_SECTIONS
from streamt.project.source_map import SourceMap
from streamt.project.yaml_file import YamlFile, read_yaml_file
from streamt.yaml import Layout
from streamt.yaml.scalars import type_name_of


@dataclass(slots=True)
class Merged:
    """What the files of a project say together.

    Attributes:
        data: the sections of the root file, with the lists of the other files and the environment's part; variables
            not yet replaced.
        environment: the keys of the environment's file that `data` does not take over.
        source_map: where each part stands.
        complete: whether every file could be read: if not, a name that seems to be missing may stand in the others.
        templated: the keys of `data` that may hold variables.
        diagnostics: what is wrong.
    """

    data: dict[str, Any]
    environment: dict[str, Any]
    source_map: SourceMap
    complete: bool
    templated: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]


def merge_files(folder: Folder, root_file: str, environment_file: str | None, cache: Cache = NO_CACHE) -> Merged:
    """Read the files of a project, and put them together.

    Args:
        folder: the project's folder.
        root_file: the root file's name.
        environment_file: the file of the environment, if the project has `environments/`.
        cache: what was read before.
    """
    merger = _Merger(folder, root_file, cache)
    merger.add_root()
    for name in LISTS:
        merger.add_list(name)
    if environment_file is not None:
        merger.add_environment(environment_file)
    return merger.merged()


def _sections(file: YamlFile) -> dict[str, Any]:
    """Return what a file says, without sections that have nothing in them."""
    return {key: value for key, value in file.data.items() if value is not None or key not in SECTIONS}


@dataclass(slots=True)
class _Merger:
    folder: Folder
    root_file: str
    cache: Cache
    root: YamlFile | None = None
    data: dict[str, Any] = field(default_factory=dict)
    environment: dict[str, Any] = field(default_factory=dict)
    layouts: dict[str, Layout] = field(default_factory=dict)
    lists: dict[str, tuple[list[int], list[str]]] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    complete: bool = True
    templated: set[str] = field(default_factory=set)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def merged(self) -> Merged:
        """Return what was put together."""
        source_map = SourceMap(layouts=self.layouts, root_file=self.root_file, lists=self.lists, moved=self.moved)
        templated = frozenset(self.templated & self.data.keys())
        return Merged(self.data, self.environment, source_map, self.complete, templated, tuple(self.diagnostics))

    def _read(self, file: str) -> YamlFile | None:
        """Read a file, or note what is wrong with it."""
        try:
            document = read_yaml_file(self.folder, file, self.cache)
        except StreamtError as error:
            self.complete = False
            self.diagnostics += error.diagnostics
            return None
        self.layouts[file] = document.layout
        content = document.layout.content
        if b"${" in content or b"\\" in content:  # a backslash may be an escape that hides one
            self.templated |= document.data.keys()
        return document

    def add_root(self) -> None:
        """Take what the root file says."""
        self.root = root = self._read(self.root_file)
        # What stands in for a root file that cannot be read has nothing to complain about.
        self.data = _sections(root) if root else {"project": {"name": self.root_file}}
        misplaced = [key for key in ENVIRONMENT_SECTIONS if key in self.data]
        for key in misplaced:
            del self.data[key]
        if root:
            self.diagnostics += root.place(map(_belongs_to_an_environment, misplaced))

    def add_list(self, name: str) -> None:
        """Add the entries of one list: the root file's, then each file's."""
        listing = self.folder.yaml_files(name)
        self.diagnostics += listing.diagnostics
        own = self.data.get(name)
        entries: list[Any] = list(own) if isinstance(own, list) else []
        starts, files = ([0], [self.root_file]) if entries else ([], [])
        for file in listing.files:
            if part := self._part(file, name):
                starts.append(len(entries))
                files.append(file)
                entries += part
        self.lists[name] = (starts, files)
        if listing.files and own is not None and not isinstance(own, list):
            self.diagnostics.append(_must_be_a_list(name, own))
        if listing.files:
            self.data[name] = entries

    def _part(self, file: str, name: str) -> list[Any]:
        """Return the entries of one file of a list."""
        document = self._read(file)
        if document is None:
            return []
        wrong = document.place(_list_file_problems(document.data, name))
        self.diagnostics += wrong
        self.complete = self.complete and not wrong
        part = document.data.get(name)
        return part if isinstance(part, list) else []

    def add_environment(self, file: str) -> None:
        """Let the environment's file have its say."""
        if self.root and "runtime" in self.data:
            self.diagnostics += self.root.place([_runtime_in_root()])
            del self.data["runtime"]
        document = self._read(file)
        if document is None:
            return
        self.environment = _sections(document)
        self.moved = dict.fromkeys(self.environment, file)
        for key in (*SHARED_SECTIONS, *ENVIRONMENT_SECTIONS):
            if key in self.environment:
                self.data[key] = self.environment.pop(key)


def _wrong(message: str, place: ProjectPath, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code=Code.PARSE_ERROR, message=message, location=place, hint=hint)


def _must_be_a_list(name: str, value: object) -> Diagnostic:
    what = "a mapping" if isinstance(value, dict) else type_name_of.get(type(value), "a string")
    return _wrong(f"`{name}` must be a list, not {what}", ProjectPath((name,)))


def _belongs_to_an_environment(key: str) -> Diagnostic:
    hint = "move it into a file of `environments/`"
    return _wrong(f"unknown key `{key}` in the root file", ProjectPath((key,), at_key=True), hint)


def _runtime_in_root() -> Diagnostic:
    return Diagnostic(
        code=Code.ENVIRONMENT_ERROR,
        message="`runtime` in the root file of a project with `environments/`",
        location=ProjectPath(("runtime",), at_key=True),
        hint="move `runtime` into the files of `environments/`",
    )


def _list_file_problems(data: Mapping[str, Any], name: str) -> Iterator[Diagnostic]:
    """Yield what is wrong with a file that should hold one list."""
    root = ProjectPath()
    misplaced = [key for key in data if key not in (name, "apiVersion")]
    for key in misplaced:
        home = f"`{key}/`" if key in LISTS else "`stream_project.yml`"
        meant = nearest(key, (name,))
        hint = f"did you mean `{name}`?" if meant else f"a file of `{name}/` holds `{name}` alone; move it to {home}"
        yield _wrong(f"unknown key {quote(key)} in a file of `{name}/`", (root / key).key(), hint)
    if data.get("apiVersion", API_VERSION) != API_VERSION:
        yield _wrong(f"`apiVersion` must be `{API_VERSION}`", root / "apiVersion")
    part = data.get(name)
    if part is not None and not isinstance(part, list):
        yield _must_be_a_list(name, part)
