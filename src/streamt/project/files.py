"""The files of a project: which there are, and their bytes, or why they cannot be read."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from streamt.diagnostics import Code, Diagnostic, FilePlace

YAML_SUFFIXES = (".yml", ".yaml")


@dataclass(slots=True)
class Folder:
    """A project's folder, and everything that was found wrong in it while reading.

    Attributes:
        root: the folder.
        problems: what could not be read.
    """

    root: Path
    problems: list[Diagnostic] = field(default_factory=list)

    def complain(self, file: str, message: str, hint: str | None = None, code: Code = Code.PARSE_ERROR) -> None:
        """Write a problem with a file down."""
        self.problems.append(Diagnostic(code=code, message=message, location=FilePlace(file), hint=hint))

    def read(self, file: str) -> bytes | None:
        """Read a regular file; None, with a problem written down, if that cannot be.

        Args:
            file: its path from the root, with `/`.
        """
        path = self.root / file
        try:
            kind = path.stat().st_mode
            if stat.S_ISDIR(kind):
                self.complain(file, f"`{file}` is a folder, and should be a file")
            elif not stat.S_ISREG(kind):
                self.complain(file, f"`{file}` is no regular file")
            else:
                return path.read_bytes()
        except FileNotFoundError:
            self.complain(file, f"`{file}` is a link to nothing" if path.is_symlink() else f"`{file}` is missing")
        except OSError as error:
            self.complain(file, f"`{file}` cannot be read: {error.strerror or 'unknown reason'}")
        return None

    def yaml_files(self, folder: str) -> list[str]:
        """List the YAML files anywhere below `folder`, sorted by path; hidden ones are passed over."""
        return self.files(folder, *YAML_SUFFIXES)

    def files(self, folder: str, *suffixes: str) -> list[str]:
        """List the files anywhere below `folder` that end so, sorted by path; hidden ones are passed over."""
        return sorted((file for file in self._walk(folder) if file.endswith(suffixes)), key=str.encode)

    def _walk(self, folder: str) -> Iterator[str]:
        for parent, folders, names in os.walk(self.root / folder, onerror=self._unlisted):
            folders[:] = [name for name in folders if not name.startswith(".")]
            below = Path(parent).relative_to(self.root).as_posix()
            for name in names:
                if not name.startswith("."):
                    yield from self._if_text(f"{below}/{name}")

    def _unlisted(self, error: OSError) -> None:
        """Write down a folder that cannot be listed; one that is not there is no problem."""
        if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
            file = Path(error.filename).relative_to(self.root).as_posix()
            self.complain(file, f"`{file}` cannot be listed: {error.strerror}")

    def _if_text(self, file: str) -> Iterator[str]:
        """Pass over, with a problem, a file whose name is not UTF-8: nothing could name it."""
        try:
            file.encode()
        except UnicodeEncodeError:
            readable = os.fsencode(file).decode(errors="replace")
            self.complain(readable, f"the name of `{readable}` is not UTF-8", "rename the file")
        else:
            yield file
