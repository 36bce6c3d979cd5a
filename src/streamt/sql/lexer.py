"""The words of Flink SQL: what stands outside comments and strings, and whether it is one query.

Flink's lexical rules (Calcite's, with Java's quoting): `''` and a doubled quote are the only escapes, a backslash is a
letter, comments are `--`, `//` and `/* */`, which do not nest, and a hint (`/*+ */`) may hold strings.
https://calcite.apache.org/docs/reference.html#lexical-structure
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from streamt.diagnostics import did_you_mean
from streamt.sql.words import words

_TOKEN = re.compile(
    r"""
    (?P<comment> --[^\r\n]* | //[^\r\n]* | /\*\+(?:'[^']*'|(?!\*/)[^'])*\*/ | /\*.*?\*/ )
  | (?P<string>  '[^']*(?:''[^']*)*' )
  | (?P<name>    `[^`]*(?:``[^`]*)*` | "[^"]*(?:""[^"]*)*" )
  | (?P<word>    \w[\w$]* )
  | (?P<end>     ; )
  | (?P<open>    /\* | ['"`] )
  | (?P<other>   [^\s\w;'"`] )
    """,
    re.VERBOSE | re.DOTALL,
)
HINT = "/*+"
"""What a hint begins with."""
_NOT_NEWLINE = re.compile(r"[^\r\n]")
_OPENED = {"/*": "comment (`/*`)", "'": "string (`'`)", "`": "name (`` ` ``)", '"': 'name (`"`)'}

# https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/queries/overview/
_FIRST_WORDS = words("SELECT WITH VALUES TABLE (")
_CLOSING = {"(": ")", "[": "]"}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_STATEMENT_SETS = (("EXECUTE", "STATEMENT", "SET"), ("BEGIN", "STATEMENT", "SET"), ("STATEMENT", "SET"))
_ONE_QUERY = "write one query (SELECT, WITH, VALUES or TABLE); streamt adds the INSERT itself"


class Token(NamedTuple):
    """One word or sign.

    Attributes:
        kind: `comment`, `string`, `name` (in quotes), `word`, `end` (`;`) or `other`.
        text: as it stands, with its quotes.
        start: how many characters stand before it.
    """

    kind: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Query:
    """One query's text, checked as far as its words tell.

    Attributes:
        text: the query without comments and hints, lines and columns as they were, without a `;` at its end.
        tokens: its words, without comments.
        has_hints: whether hints (`/*+ */`) stand in it, which tell Flink how to run it.
    """

    text: str
    tokens: tuple[Token, ...]
    has_hints: bool = False


class SqlError(ValueError):
    """What is wrong with a SQL text.

    Attributes:
        message: a noun phrase.
        line: counted from 1, if it is known.
        column: counted from 1, in characters, if it is known.
        hint: what to do next.
    """

    def __init__(
        self, message: str, *, line: int | None = None, column: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.hint = hint

    @classmethod
    def at(cls, sql: str, start: int, message: str, hint: str | None = None) -> "SqlError":
        """Return an error at the character `start` of `sql`."""
        line, column = position(sql, start)
        return cls(message, line=line, column=column, hint=hint)


def position(sql: str, start: int) -> tuple[int, int]:
    """Return line and column, both counted from 1, of the character `start` of `sql`."""
    return sql.count("\n", 0, start) + 1, start - sql.rfind("\n", 0, start)


def read_query(sql: str, *, with_hints: bool = False) -> Query:
    """Return the one query of `sql`.

    Args:
        sql: the SQL.
        with_hints: whether hints (`/*+ */`) stay in the query's text; comments never do.

    Raises:
        SqlError: there is no query, more than one statement, a statement that is no query, a quote, a comment or a
            parenthesis that does not end, or a control character.
    """
    if control := _CONTROL.search(sql):
        raise SqlError.at(sql, control.start(), f"control character U+{ord(control[0]):04X}", "remove it")
    tokens = list(_tokens(sql))
    spoken = tuple(token for token in tokens if token.kind != "comment")
    start, end = _statement(sql, spoken)
    _check_parentheses(sql, spoken)
    text = sql
    if len(spoken) != len(tokens):
        kept = HINT if with_hints else None
        text = _TOKEN.sub(lambda match: match[0] if _stays(match, kept) else _blank(match[0]), sql)
    length = spoken[end].start + len(spoken[end].text)
    has_hints = any(token.kind == "comment" and token.text.startswith(HINT) for token in tokens)
    return Query(text[:length], spoken[start : end + 1], has_hints)


def _tokens(sql: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(sql):
        kind = match.lastgroup or ""
        if kind == "open":
            raise SqlError.at(sql, match.start(), f"unclosed {_OPENED[match[0]]}")
        yield Token(kind, match[0], match.start())


def _stays(match: re.Match[str], kept: str | None) -> bool:
    return match.lastgroup != "comment" or (kept is not None and match[0].startswith(kept))


def _blank(comment: str) -> str:
    return _NOT_NEWLINE.sub(" ", comment)


def _statement(sql: str, tokens: tuple[Token, ...]) -> tuple[int, int]:
    """Check that `tokens` are one query, and return its first and its last token."""
    there = [index for index, token in enumerate(tokens) if token.kind != "end"]
    if not there:
        raise SqlError("no SQL statement", hint=_ONE_QUERY)
    start, end = there[0], there[-1]
    first = tuple(token.text.upper() for token in tokens[start : start + 3])
    if any(first[: len(begin)] == begin for begin in _STATEMENT_SETS):
        raise SqlError.at(sql, tokens[start].start, "a statement set instead of one query", _ONE_QUERY)
    second = next((at for before, at in pairwise(there) if at != before + 1), None)
    if second is not None:
        raise SqlError.at(sql, tokens[second].start, "more than one statement", _ONE_QUERY)
    if first[0] not in _FIRST_WORDS:
        hint = did_you_mean(first[0], sorted(_FIRST_WORDS - {"("})) or _ONE_QUERY
        raise SqlError.at(sql, tokens[start].start, "the SQL does not begin as a query", hint)
    return start, end


def _check_parentheses(sql: str, tokens: tuple[Token, ...]) -> None:
    """Check that every parenthesis and bracket has its other half."""
    opened: list[Token] = []
    for token in tokens:
        if token.text in _CLOSING:
            opened.append(token)
        elif token.text in _CLOSING.values() and not (opened and _CLOSING[opened.pop().text] == token.text):
            raise SqlError.at(sql, token.start, f"unexpected `{token.text}`")
    if opened:
        raise SqlError.at(sql, opened[-1].start, f"unclosed `{opened[-1].text}`")
