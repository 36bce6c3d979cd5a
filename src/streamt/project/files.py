"""The files of a project: which there are, and their content, or why they cannot be read."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from streamt.diagnostics import Code, Diagnostic, FilePlace, Option, StreamtError, nearest, quote
from streamt.files import FileTooLargeError, NotAFileError, read_file

YAML_SUFFIXES = (".yml", ".yaml")
ROOT_NAMES = tuple(f"stream_project{suffix}" for suffix in YAML_SUFFIXES)
MACRO_SUFFIX = ".sql.j2"
SQL_SUFFIXES = (".sql", MACRO_SUFFIX)
MAX_FILE_BYTES = 16 * 1024 * 1024
_FOLDERS = {
    "sources": YAML_SUFFIXES,
    "models": YAML_SUFFIXES,
    "tests": YAML_SUFFIXES,
    "exposures": YAML_SUFFIXES,
    "environments": YAML_SUFFIXES,
    "macros": (MACRO_SUFFIX,),
}
_ANY_SUFFIX = (*YAML_SUFFIXES, *SQL_SUFFIXES)


@dataclass(frozen=True, slots=True)
class Listing:
    """The files below a folder.

    Attributes:
        files: their paths from the project's folder, with `/`, sorted.
        diagnostics: what could not be listed.
    """

    files: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Folder:
    """A project's folder."""

    root: Path

    def has(self, file: str) -> bool:
        """Report whether something stands at `file`, be it only a link to nothing."""
        return os.path.lexists(self.root / file)

    def _names(self) -> list[str]:
        """Return the names of what stands in the folder itself, sorted."""
        return sorted(each.name for each in self.root.iterdir())

    def root_file(self) -> str:
        """Return the name of the root file.

        Raises:
            StreamtError: E501; there is no such folder, no root file, or two.
        """
        try:
            names = self._names()
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise StreamtError(_bad_folder(error)) from None
        there = [name for name in ROOT_NAMES if name in names]
        if len(there) == 1:
            return there[0]
        if there:
            message, hint = "`stream_project.yml` and `stream_project.yaml` both exist", "keep one of them"
        else:
            near = nearest(ROOT_NAMES[0], [name for name in names if name.endswith(YAML_SUFFIXES)])
            message = "`stream_project.yml` does not exist"
            hint = "go to the project's folder, or give it with `--project-dir`"
            hint = f"rename {quote(near)} to `stream_project.yml`" if near else hint
        file = FilePlace(there[-1] if there else ROOT_NAMES[0])
        raise StreamtError(Diagnostic(code=Code.PARSE_ERROR, message=message, location=file, hint=hint))

    def read(self, file: str, code: Code = Code.PARSE_ERROR) -> bytes:
        """Return the content of a file.

        Args:
            file: its path from the root, with `/`.
            code: the code of what is wrong.

        Raises:
            StreamtError: `code`; it is no regular file, too large, or cannot be read.
        """
        path = self.root / file
        try:
            return read_file(path, limit=MAX_FILE_BYTES)
        except (NotAFileError, FileTooLargeError) as error:
            reason = str(error.strerror)
        except FileNotFoundError:
            reason = "is a link to nothing" if path.is_symlink() else "does not exist"
        except OSError as error:
            reason = f"cannot be read: {error.strerror or 'unknown reason'}"
        message = f"{quote(file)} {reason}"
        raise StreamtError(Diagnostic(code=code, message=message, location=FilePlace(file))) from None

    def read_text(self, file: str, code: Code = Code.PARSE_ERROR) -> str:
        """Return the text of a file in UTF-8, without a byte order mark.

        Raises:
            StreamtError: `code`; as `read`, or the file is not UTF-8.
        """
        content = self.read(file, code)
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            place = FilePlace(file, content[: error.start].count(b"\n") + 1)
            message, hint = f"{quote(file)} is not UTF-8", "save the file as UTF-8"
            raise StreamtError(Diagnostic(code=code, message=message, location=place, hint=hint)) from None

    def yaml_files(self, folder: str) -> Listing:
        """List the YAML files anywhere below `folder`; hidden ones are passed over."""
        return self.files(folder, *YAML_SUFFIXES)

    def files(self, folder: str, *suffixes: str) -> Listing:
        """List the files anywhere below `folder` that end so; hidden ones are passed over."""
        diagnostics: list[Diagnostic] = []

        def unlisted(error: OSError) -> None:
            if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
                file = Path(error.filename).relative_to(self.root).as_posix()
                diagnostics.append(_wrong(file, f"{quote(file)} cannot be listed: {error.strerror}"))

        found: list[str] = []
        for parent, folders, names in os.walk(self.root / folder, onerror=unlisted):
            folders[:] = [name for name in folders if not name.startswith(".")]
            below = Path(parent).relative_to(self.root).as_posix()
            found += (f"{below}/{name}" for name in names if name.endswith(suffixes) and not name.startswith("."))
        diagnostics += (_not_utf_8(file) for file in found if not _is_utf_8(file))
        return Listing(tuple(sorted(filter(_is_utf_8, found), key=str.encode)), tuple(diagnostics))

    def owns(self, path: Path) -> bool:
        """Report whether a file at `path`, by whatever name, would be a part of the project.

        Args:
            path: where a file is to be written; it need not exist.
        """
        target, root = Path(os.path.realpath(path)), Path(os.path.realpath(self.root))
        if target.is_relative_to(root) and _is_part(target.relative_to(root).as_posix()):
            return True
        return target.exists() and any((self.root / file).samefile(target) for file in self._present())

    def _present(self) -> Iterator[str]:
        """Yield every file that is there and may be read as a part of the project."""
        names = [name for name in self._names() if _is_part(name)]
        for file in (*names, *(file for folder in _FOLDERS for file in self.files(folder, *_ANY_SUFFIX).files)):
            if (self.root / file).exists():
                yield file

    def misplaced(self, used: frozenset[str]) -> Iterator[Diagnostic]:
        """Warn of files that look like a part of the project, and are not read.

        Args:
            used: the files of SQL that models name.
        """
        for file in self.files("models", *SQL_SUFFIXES).files:
            if file not in used:
                hint = f"name it in a model: `sql_file: {file}`"
                yield _ignored(file, f"{quote(file)} is not read", hint)
        for name in self._names():
            known = next((each for each in _FOLDERS if _is_one_letter_from(name.lower(), each)), None)
            if known is not None and not self.has(known) and self.files(name, *_ANY_SUFFIX).files:
                yield _ignored(name, f"folder {quote(name)} is not read", f"rename it to `{known}`")


def _is_part(file: str) -> bool:
    """Report whether a file of that path from the root is read as a part of the project."""
    folder, slash, _ = file.partition("/")
    if not slash:
        return file in ROOT_NAMES or file == ".env" or file.startswith(".env.")
    suffixes = (*_FOLDERS.get(folder, ()), *(SQL_SUFFIXES if folder == "models" else ()))
    return bool(suffixes) and file.endswith(suffixes)


def _bad_folder(error: OSError | ValueError) -> Diagnostic:
    """Say why there is no project's folder."""
    if isinstance(error, FileNotFoundError):
        reason = "does not exist"
    elif isinstance(error, NotADirectoryError):
        reason = "is not a folder"
    else:
        reason = f"cannot be listed: {error.strerror if isinstance(error, OSError) else 'its name holds a NUL'}"
    hint = "give the project's folder with `--project-dir`"
    message = f"the project's folder {reason}"
    return Diagnostic(code=Code.PARSE_ERROR, message=message, location=Option("project_dir"), hint=hint)


def _wrong(file: str, message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code=Code.PARSE_ERROR, message=message, location=FilePlace(file), hint=hint)


def _ignored(file: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code=Code.FILE_IGNORED, message=message, location=FilePlace(file), hint=hint)


def _not_utf_8(file: str) -> Diagnostic:
    readable = os.fsencode(file).decode(errors="replace")
    return _wrong(readable, f"the name of {quote(readable)} is not UTF-8", "rename the file")


def _is_utf_8(file: str) -> bool:
    try:
        file.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_one_letter_from(word: str, known: str) -> bool:
    """Report whether one letter more, less, other or exchanged with its neighbour makes `known` of `word`."""
    if word == known or abs(len(word) - len(known)) > 1:
        return False
    one, other = word, known
    while one[:1] == other[:1]:
        one, other = one[1:], other[1:]
    return other in (one[1:], one[1:2] + one[:1] + one[2:]) or one == other[1:] or one[1:] == other[1:]
