"""Load a project: every file, variable and environment put together and checked, and every problem told at once."""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from streamt.diagnostics import Code, Diagnostic, FilePlace, Option, StreamtError, did_you_mean
from streamt.project import check
from streamt.project.environments import Loaded, choose_environment, load_environment
from streamt.project.files import YAML_SUFFIXES, Folder
from streamt.project.language import API_VERSION, LISTS, Document, Safety, document_schema
from streamt.project.loaded import Macro, Project
from streamt.project.problems import Problem, from_pydantic, placed
from streamt.project.source_map import SourceMap
from streamt.project.variables import Substitution, read_variables, substitute
from streamt.yaml import read_yaml

_ROOT_NAMES = tuple(f"stream_project{suffix}" for suffix in YAML_SUFFIXES)
_MACRO_SUFFIX = ".sql.j2"


def load_project(
    directory: FilePath, environment: str | None = None, environ: Mapping[str, str] | None = None
) -> Project:
    """Load the project in `directory`.

    Args:
        directory: the project's folder.
        environment: the environment's name; by default `STREAMT_ENV`, or the only one there is.
        environ: the process's variables; none by default.

    Returns:
        The project, checked as far as that goes without its SQL.

    Raises:
        StreamtError: E501, E502 or E503, with everything that is wrong, sorted by file and line.
    """
    with _collector_paused():
        return _Loader(directory, environ or {}).load(environment)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector from going again and again through data that only grows."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Loader:
    """Puts one project together."""

    def __init__(self, directory: FilePath, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._folder = Folder(directory)
        self._problems = self._folder.problems
        self._contents: dict[str, bytes] = {}
        self._has_variables = False
        # Whether every file could be read: if not, a name that seems to be missing may stand in the others.
        self._complete = True

    def load(self, wanted: str | None) -> Project:
        root_file = self._root_file()
        name, environment_file = choose_environment(self._folder, wanted, self._environ)
        variables, problems = read_variables(self._folder.root, name, self._environ)
        self._problems += problems
        data, source_map = self._merged(root_file)
        environment = self._environment(name, environment_file, variables, data, source_map)
        substituted = substitute(data, variables) if self._has_variables else Substitution(data, (), {})
        supplied = dict(substituted.supplied) | (dict(environment.supplied) if environment else {})
        source_map = self._with_environment(data, environment, replace(source_map, supplied=supplied))
        document, refused = _validated(data)
        checked = check.check_document(data, source_map, complete=self._complete)
        unset = {problem.path for problem in substituted.problems}
        others = (problem for problem in (*refused, *checked) if problem.path not in unset)
        self._problems += placed([*substituted.problems, *others], source_map)
        macros = self._macros()
        if self._problems or document is None:
            raise StreamtError(*_in_order(self._problems))
        warnings = [*filter(None, (check.api_version_warning(data),)), *check.topic_config_warnings(data)]
        return Project(
            root=self._folder.root,
            environment=name,
            document=document,
            macros=macros,
            safety=(environment.model.safety if environment and environment.model else None) or Safety(),
            warnings=_in_order(placed(warnings, source_map)),
            source_map=source_map,
        )

    def _root_file(self) -> str:
        """Find the root file."""
        root = self._folder.root
        if not root.is_dir():
            what = "is no folder" if root.exists() else "does not exist"
            hint = "give the project's folder with `--project-dir`"
            message = f"the project's folder {what}"
            place = Option("project_dir")
            raise StreamtError(Diagnostic(code=Code.PARSE_ERROR, message=message, location=place, hint=hint))
        there = [name for name in _ROOT_NAMES if (root / name).exists() or (root / name).is_symlink()]
        if len(there) == 2:
            self._folder.complain(
                there[1], "`stream_project.yml` and `stream_project.yaml` both exist", "keep one of them"
            )
        elif not there:
            hint = "go to the project's folder, or give it with `--project-dir`"
            message = "there is no `stream_project.yml` here"
            file = FilePlace(_ROOT_NAMES[0])
            raise StreamtError(Diagnostic(code=Code.PARSE_ERROR, message=message, location=file, hint=hint))
        return there[0]

    def _merged(self, root_file: str) -> tuple[dict[str, Any], SourceMap]:
        """Read the root file and the files of the lists, and put them together."""
        root = self._read(root_file)
        # What stands in for a root file that cannot be read has nothing to complain about.
        data: dict[str, Any] = {"project": {"name": root_file}} if root is None else dict(root)
        lists = {}
        for name in LISTS:
            own = data.get(name)
            starts, files = ([0], [root_file]) if own else ([], [])
            merged = list(own) if isinstance(own, list) else []
            found = self._folder.yaml_files(name)
            for file in found:
                part = self._list_file(file, name)
                if part:
                    starts.append(len(merged))
                    files.append(file)
                    merged += part
            if found and isinstance(data.get(name, []), list):
                data[name] = merged
            lists[name] = (starts, files)
        contents = self._contents
        return data, SourceMap(contents=contents, root_file=root_file, lists=lists, moved={}, supplied={})

    def _read(self, file: str) -> dict[str, Any] | None:
        """Read a file that holds a mapping."""
        content = self._folder.read(file)
        if content is None:
            self._complete = False
            return None
        reading = read_yaml(content, file)
        self._problems += reading.diagnostics
        if reading.diagnostics:
            self._complete = False
            return None
        self._contents[file] = content
        self._has_variables = self._has_variables or b"${" in content or b"\\" in content
        if isinstance(reading.data, dict):
            return reading.data
        self._complete = False
        self._problems.append(_no_mapping(file, reading.data))
        return None

    def _list_file(self, file: str, name: str) -> list[Any]:
        """Read a file that holds one list."""
        data = self._read(file)
        if data is None:
            return []
        problems = [_misplaced(key, name) for key in data if key not in (name, "apiVersion")]
        if data.get("apiVersion", API_VERSION) != API_VERSION:
            message = f"`apiVersion` is `{API_VERSION}` and nothing else"
            problems.append(Problem(path=("apiVersion",), message=message))
        part = data.get(name)
        if not isinstance(part, list) and (name in data or not problems):
            what = f"`{name}` is a list" if name in data else f"missing key `{name}`"
            problems.append(
                Problem(path=(name,), message=what, hint=f"begin the file with `{name}:` and a list below it")
            )
        alone = SourceMap(contents=self._contents, root_file=file, lists={}, moved={}, supplied={})
        self._problems += placed(problems, alone)
        self._complete = self._complete and not problems
        return part if isinstance(part, list) else []

    def _environment(
        self,
        name: str,
        file: str | None,
        variables: Mapping[str, str],
        data: Mapping[str, Any],
        source_map: SourceMap,
    ) -> Loaded | None:
        """Read the environment's file, if the project has one."""
        if file is None:
            return None
        if "runtime" in data:
            message = "`runtime` stands here, and the project has `environments/`"
            hint = "move `runtime` into the files of `environments/`"
            problem = Problem(path=("runtime",), message=message, hint=hint, at_key=True, code=Code.ENVIRONMENT_ERROR)
            self._problems += placed([problem], source_map)
        loaded = load_environment(self._folder, name, file, variables)
        if loaded is not None:
            self._problems += loaded.problems
        return loaded

    def _with_environment(self, data: dict[str, Any], environment: Loaded | None, source_map: SourceMap) -> SourceMap:
        """Take the environment's `runtime` and `deployment_state` into the merged project."""
        if environment is None:
            return source_map
        data.pop("runtime", None)
        if environment.model is None:
            return source_map
        self._contents[environment.file] = environment.content
        moved = [key for key in ("runtime", "deployment_state") if key in environment.data]
        data |= {key: environment.data[key] for key in moved}
        return replace(source_map, moved=dict.fromkeys(moved, environment.file))

    def _macros(self) -> dict[str, Macro]:
        """Read the SQL templates."""
        macros: dict[str, Macro] = {}
        for file in self._folder.files("macros", _MACRO_SUFFIX):
            content = self._folder.read(file)
            name = file.removeprefix("macros/").removesuffix(_MACRO_SUFFIX)
            if content is None:
                continue
            try:
                macros[name] = Macro(name, file, content.decode("utf-8-sig"))
            except UnicodeDecodeError as error:
                line = content[: error.start].count(b"\n") + 1
                self._problems.append(
                    Diagnostic(
                        code=Code.PARSE_ERROR,
                        message="the file is not UTF-8 from here on",
                        location=FilePlace(file, line),
                        hint="save the file as UTF-8",
                    )
                )
        return macros


def _no_mapping(file: str, data: object) -> Diagnostic:
    """Say that a file is empty, a list or a single word."""
    what = {type(None): "is empty", list: "is a list"}.get(type(data), "is a single value")
    hint = "begin it with a key, such as `project:`, `sources:` or `models:`"
    return Diagnostic(
        code=Code.PARSE_ERROR,
        message=f"`{file}` {what}, and should be a mapping",
        location=FilePlace(file, 1, 1),
        hint=hint,
    )


def _misplaced(key: str, name: str) -> Problem:
    """Say that a file of a list holds another key."""
    near = did_you_mean(key, (name,))
    home = f"{key}/" if key in LISTS else "stream_project.yml"
    hint = near or (f"a file of `{name}/` holds `{name}` alone; move `{key}` to {home}")
    return Problem(path=(key,), message=f"unknown key `{key}` in a file of `{name}/`", hint=hint, at_key=True)


def _validated(data: Mapping[str, Any]) -> tuple[Document | None, list[Problem]]:
    """Make the models, or say why not."""
    try:
        return Document.model_validate(data), []
    except ValidationError as error:
        schema = document_schema()
        problems = [from_pydantic(each, schema, data) for each in error.errors(include_url=False)]
        return None, problems


def _in_order(diagnostics: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort by file, the root file first, then by line and column; say each thing once."""

    def place(each: Diagnostic) -> tuple[bool, str, int, int]:
        at = each.location
        if not isinstance(at, FilePlace):
            return True, "", 0, 0
        return at.file not in _ROOT_NAMES, at.file, at.line or 0, at.column or 0

    return tuple(sorted(dict.fromkeys(diagnostics), key=place))
