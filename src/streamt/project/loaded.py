"""A project as it was declared, and where each part of it stands in its files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from streamt.diagnostics import Diagnostic, holds_supplied
from streamt.project.files import Folder
from streamt.project.language import Document, Safety
from streamt.project.source_map import SourceMap


@dataclass(frozen=True, slots=True)
class Macro:
    """A SQL template.

    Attributes:
        name: what models call it.
        path: its file, relative to the project's folder, with `/`.
        text: the template.
    """

    name: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Project:
    """A whole project, checked.

    Attributes:
        root: the project's folder.
        environment: the name of the environment that it was loaded for; `default` without `environments/`.
        document: everything that its files declare.
        macros: the SQL templates, by name.
        protected: whether a change of the environment needs more care.
        safety: what a deployment to the environment asks for first.
        warnings: what loading had to say.
        source_map: where each part of `document` stands.
        files: every file that was read, from the project's folder, with `/`.
    """

    root: Path
    environment: str
    document: Document
    macros: Mapping[str, Macro]
    protected: bool
    safety: Safety
    warnings: tuple[Diagnostic, ...]
    source_map: SourceMap = field(repr=False)
    files: tuple[str, ...] = field(default=(), repr=False)

    def is_supplied(self, value: str | Sequence[str] | None) -> bool:
        """Report whether `value`, or an entry of it, holds what a variable supplied."""
        return holds_supplied(value)

    def owns(self, path: Path) -> bool:
        """Report whether a file at `path`, by whatever name, is or would be a part of the project.

        Args:
            path: where a file is to be written; it need not exist.
        """
        read = (self.root / file for file in self.files)
        return Folder(self.root).owns(path) or (path.exists() and any(each.samefile(path) for each in read))
