"""Writing a command's result to a file that the user named."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from streamt.diagnostics import Code, Diagnostic, Option, StreamtError

if TYPE_CHECKING:
    from streamt.project import Project

_OPTION = "output_file"


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

    refuse_part(path, project, code, _OPTION)
    try:
        atomic_replace(path, chunks)
    except (OSError, ValueError) as error:
        raise _cannot_be_written(error, code, _OPTION) from error


def refuse_part(path: Path, project: "Project", code: Code, option: str) -> None:
    """Refuse to write a file that, by whatever name, is or would be a part of the project.

    Args:
        path: where it is to be written.
        project: the project.
        code: the code of what is wrong.
        option: the option that named the file.

    Raises:
        StreamtError: `code`.
    """
    try:
        is_part = project.owns(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise _cannot_be_written(error, code, option) from error
    if is_part:
        message, hint = "the output file is a part of the project", "choose another file"
        raise StreamtError(Diagnostic(code=code, message=message, location=Option(option), hint=hint))


def _cannot_be_written(error: OSError | ValueError, code: Code, option: str) -> StreamtError:
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    message = f"the file cannot be written: {reason}; it was left unchanged"
    return StreamtError(Diagnostic(code=code, message=message, location=Option(option)))
