"""What the bytes of a file or its parser say is wrong, in plain words."""

import re
from dataclasses import dataclass

import yaml

_BOM = b"\xef\xbb\xbf"
_FORBIDDEN_BYTES = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2\x85|\xe2\x80[\xa8\xa9]")
_UNREADABLE_BYTES = re.compile(b"\xc2[\x80-\x9f]|\xef\xbf[\xbe\xbf]")
_SEPARATORS = frozenset({0x85, 0x2028, 0x2029})
TABS = ("tab used as indentation", "indent with spaces")
"""Message and hint."""


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """One thing that is wrong with a file.

    Attributes:
        message: what is wrong.
        line: counted from 1.
        column: counted from 1, in characters.
        path: keys and indexes, as far as the file was read.
        hint: what to do next.
    """

    message: str
    line: int
    column: int
    path: tuple[str | int, ...] = ()
    hint: str | None = None


def find_unreadable_byte(content: bytes) -> SyntaxProblem | None:
    """Return what is wrong with the first byte that no file may hold, if there is one."""
    try:
        if not content.isascii():
            content.decode()
    except UnicodeDecodeError as error:
        return _byte_problem(content, error.start, "the file is not UTF-8 from here on", "save the file as UTF-8")
    mark = content.find(_BOM, 1)
    if mark > 0:
        message, hint = "byte order mark U+FEFF inside the file", "remove it; it is allowed at the very beginning only"
        return _byte_problem(content, mark, message, hint)
    match = _FORBIDDEN_BYTES.search(content)
    if match is None:
        return None
    character = ord(match[0].decode())
    hint = f'write it as "\\u{character:04x}" if it is meant' if character in _SEPARATORS else "remove it"
    return _byte_problem(content, match.start(), f"character U+{character:04X} is not allowed", hint)


def unreadable_character(content: bytes) -> SyntaxProblem:
    """Return what is wrong where the parser met a character that it cannot read."""
    match = _UNREADABLE_BYTES.search(content.removeprefix(_BOM))
    offset = match.start() + len(content) - len(content.removeprefix(_BOM)) if match else 0
    message = "character is not allowed"
    if match:
        message = f"character U+{ord(match[0].decode()):04X} is not allowed"
    return _byte_problem(content, offset, message, "remove it, or write it as an escape in double quotes")


def _byte_problem(content: bytes, offset: int, message: str, hint: str) -> SyntaxProblem:
    """Return a problem with the byte at `offset`."""
    before = content[:offset].removeprefix(_BOM)
    line_start = max(before.rfind(b"\n"), before.rfind(b"\r")) + 1
    line = len(re.findall(rb"\r\n|\r|\n", before)) + 1
    return SyntaxProblem(message, line, len(before[line_start:].decode(errors="replace")) + 1, hint=hint)


_IN_PLAIN_WORDS = (
    (
        "mapping values are not allowed",
        "unexpected `:`",
        "quote text that contains `: `; check the indentation",
    ),
    ("could not find expected ':'", "missing `:` after the key", None),
    ("expected key", "missing key", "check the indentation: keys of one mapping start in one column"),
    ("expected <block end>", "unexpected indentation", "keys of one mapping start in one column"),
    ("expected '-'", "missing `-`", "check the indentation: items of one list start in one column"),
    ("unexpected end of stream", "unclosed quote", None),
    (
        "escape",
        "unknown escape in double quotes",
        "use single quotes, where a backslash stands for itself",
    ),
    ("expected ',' or ']'", "missing `,` or `]`", None),
    (
        "expected ',' or '}'",
        "missing `,` or `}`",
        "between `{` and `}`, quote text with braces, such as `${NAME}`",
    ),
    ("nesting depth", "nested too deeply", None),
    ("undefined tag handle", "unsupported YAML tag", "remove the tag"),
)


def describe_parser_error(error: yaml.MarkedYAMLError, content: bytes, path: tuple[str | int, ...]) -> SyntaxProblem:
    """Return the parser's error in plain words."""
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    text = content.decode("utf-8-sig").splitlines()
    before, rest = (text[line][:column], text[line][column:]) if line < len(text) else ("", "")
    message, hint = _in_plain_words(str(error.problem), before, rest)
    return SyntaxProblem(message, line + 1, column + 1, path, hint)


def _in_plain_words(problem: str, before: str, rest: str) -> tuple[str, str | None]:
    """Return the message and the hint for the parser's `problem` between `before` and `rest`, which are one line."""
    if rest.startswith("\t") or "tab" in problem:
        return TABS
    if "start any token" in problem and rest:
        return f"unquoted text cannot begin with `{rest[0]}`", "quote it"
    if "escape" in problem and re.search(r"\\u[dD][89a-fA-F]", before[-2:] + rest[:4]):
        return (
            "half of a surrogate pair is no character",
            "write the character itself, or as one escape such as `\\U0001F600`",
        )
    for sign, message, hint in _IN_PLAIN_WORDS:
        if sign in problem:
            return message, hint
    return f"invalid YAML: {problem}", None
