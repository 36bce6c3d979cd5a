"""Writing a command's result to a file that the user named."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from streamt.diagnostics import Code, Diagnostic, Option, StreamtError

if TYPE_CHECKING:
    from streamt.project import Project


def replace_file(path: Path, chunks: Iterable[bytes], project: "Project", code: Code) -> None:
    """Replace the file at `path`, whole or not at all.

    Args:
        path: as given by `--output-file`.
        chunks: what it will hold.
        project: the project, no file of which is replaced.
        code: the code of what is wrong.

    Raises:
        StreamtError: `code`; it belongs to the project, or cannot be written.
    """
    from streamt.files import atomic_replace

    place = Option("output_file")
    try:
        if project.owns(path):
            message, hint = "the output file is a part of the project", "choose another file"
            raise StreamtError(Diagnostic(code=code, message=message, location=place, hint=hint))
        atomic_replace(path, chunks)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        message = f"the file cannot be written: {reason}; it was left unchanged"
        raise StreamtError(Diagnostic(code=code, message=message, location=place)) from error
