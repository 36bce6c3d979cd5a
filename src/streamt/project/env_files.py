"""`.env` files: lines of `NAME=value`, read without interpolation."""

import re
from collections.abc import Iterator, Mapping

from streamt.diagnostics import Code, Diagnostic, FilePlace, StreamtError
from streamt.project.files import Folder

_NAME = re.compile(r"(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_.-]*)\s*=")
_QUOTED = re.compile(r"'(?P<single>(?:[^'\\]|\\.)*)'|\"(?P<double>(?:[^\"\\]|\\.)*)\"", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def read_variables(
    folder: Folder, environment: str, environ: Mapping[str, str]
) -> tuple[dict[str, str], tuple[Diagnostic, ...]]:
    """Collect the variables of a project: `.env`, then `.env.ENVIRONMENT`, then the process's own.

    Args:
        folder: the project's folder.
        environment: the environment's name.
        environ: the process's variables.

    Returns:
        The variables by name, and what is wrong with the files.
    """
    variables: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    for file in (".env", f".env.{environment}"):
        if not folder.has(file):
            continue
        try:
            text = folder.read_text(file, Code.ENV_VAR_ERROR)
        except StreamtError as error:
            diagnostics += error.diagnostics
            continue
        for each in read_lines(text, file):
            if isinstance(each, Diagnostic):
                diagnostics.append(each)
            else:
                variables[each[0]] = each[1]
    return variables | dict(environ), tuple(diagnostics)


def read_lines(text: str, file: str) -> Iterator[tuple[str, str] | Diagnostic]:
    r"""Yield the names with their values, and what is malformed.

    A value is unquoted and ends at ` #` or the line's end, or stands in single quotes (only `\'` and `\\` are
    escapes) or double quotes (`\n` and its like are, too), and may then have several lines.

    Args:
        text: the file's text.
        file: its name in diagnostics.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    start, line = 0, 1
    while start < len(text):
        found, end = _read_line(text, start)
        if found is None:
            hint = "write NAME=value, and close every quote"
            place = FilePlace(file, line, 1)
            yield Diagnostic(code=Code.ENV_VAR_ERROR, message="invalid `.env` line", location=place, hint=hint)
        elif found:
            yield found
        line += text.count("\n", start, end + 1)
        start = end + 1


def _read_line(text: str, start: int) -> tuple[tuple[str, str] | tuple[()] | None, int]:
    """Return what the line says (nothing, if it is blank or a comment; None, if it is malformed), and where it ends."""
    end = _line_end(text, start)
    content = text[start:end].lstrip()
    if not content or content.startswith("#"):
        return (), end
    name = _NAME.match(text, end - len(content), end)
    if name is None:
        return None, end
    raw = text[name.end() : end]
    quoted = _QUOTED.match(text, end - len(raw.lstrip()))
    if quoted is None:
        return None if raw.lstrip()[:1] in ("'", '"') else (name["name"], _without_comment(raw)), end
    end = _line_end(text, quoted.end())
    rest = text[quoted.end() : end].strip()
    return None if rest and not rest.startswith("#") else (name["name"], _unquoted(quoted)), end


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _without_comment(raw: str) -> str:
    """Return an unquoted value without the space around it and the comment behind it."""
    cut = min((at for at in (raw.find(" #"), raw.find("\t#")) if at >= 0), default=len(raw))
    return raw[:cut].strip()


def _unquoted(quoted: re.Match[str]) -> str:
    if quoted["single"] is not None:
        return _ESCAPE.sub(lambda escape: escape[1] if escape[1] in "'\\" else escape[0], quoted["single"])
    return _ESCAPE.sub(lambda escape: _escaped(escape[1], escape[0]), quoted["double"])


def _escaped(character: str, written: str) -> str:
    return character if character in "\"\\'" else _ESCAPES.get(character, written)
