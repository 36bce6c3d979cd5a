"""Files of SQL: macros, and those that a model names with `sql_file`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from streamt.diagnostics import Code, Diagnostic, FilePlace, ProjectPath, StreamtError, quote
from streamt.project.check import entries
from streamt.project.files import MACRO_SUFFIX, SQL_SUFFIXES, Folder
from streamt.project.loaded import Macro
from streamt.yaml.syntax import find_unreadable_byte


@dataclass(frozen=True, slots=True)
class SqlFiles:
    """The SQL that models keep in files of their own.

    Attributes:
        by_model: the file, by the model's index.
        texts: its text, by the model's index.
        diagnostics: what is wrong.
    """

    by_model: Mapping[int, str]
    texts: Mapping[int, str]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Macros:
    """The macros of a project.

    Attributes:
        macros: by name.
        diagnostics: what is wrong.
    """

    macros: Mapping[str, Macro]
    diagnostics: tuple[Diagnostic, ...]


def read_sql_files(folder: Folder, data: Mapping[str, Any]) -> SqlFiles:
    """Read the files that models name.

    Args:
        folder: the project's folder.
        data: the merged project.
    """
    by_model: dict[int, str] = {}
    texts: dict[int, str] = {}
    diagnostics: list[Diagnostic] = []
    for index, model in entries(data, "models"):
        file = model.get("sql_file")
        if not isinstance(file, str):
            continue
        try:
            file = _inside(file, ProjectPath(("models", index, "sql_file")), folder)
            texts[index] = read_sql(folder, file)
        except StreamtError as error:
            diagnostics += error.diagnostics
        else:
            by_model[index] = file
    return SqlFiles(by_model, texts, tuple(diagnostics))


def _inside(file: str, place: ProjectPath, folder: Folder) -> str:
    """Return the path of an `sql_file` from the project's folder.

    Raises:
        StreamtError: E501; it is not inside of the project, has another suffix, or does not exist.
    """
    path = PurePosixPath(file)
    hint = None
    if path.is_absolute() or ".." in path.parts:
        message, hint = "`sql_file` must be inside the project", "write its path from the project's folder"
    elif not file.endswith(SQL_SUFFIXES):
        message = "`sql_file` must end in `.sql` or `.sql.j2`"
    elif not folder.has(str(path)):
        message, hint = f"{quote(file)} does not exist", "write its path from the project's folder"
    else:
        return str(path)
    raise StreamtError(Diagnostic(code=Code.PARSE_ERROR, message=message, location=place, hint=hint))


def read_macros(folder: Folder) -> Macros:
    """Read the SQL templates below `macros/`."""
    listing = folder.files("macros", MACRO_SUFFIX)
    macros: dict[str, Macro] = {}
    diagnostics = list(listing.diagnostics)
    for file in listing.files:
        name = file.removeprefix("macros/").removesuffix(MACRO_SUFFIX)
        try:
            macros[name] = Macro(name, file, read_sql(folder, file))
        except StreamtError as error:
            diagnostics += error.diagnostics
    return Macros(macros, tuple(diagnostics))


def read_sql(folder: Folder, file: str) -> str:
    """Return the text of a file of SQL.

    Raises:
        StreamtError: E501; it cannot be read, is not UTF-8, or holds a control character.
    """
    content = folder.read(file)
    wrong = find_unreadable_byte(content)
    if wrong is not None:
        place = FilePlace(file, wrong.line, wrong.column)
        raise StreamtError(Diagnostic(code=Code.PARSE_ERROR, message=wrong.message, location=place, hint=wrong.hint))
    return content.decode("utf-8-sig")
