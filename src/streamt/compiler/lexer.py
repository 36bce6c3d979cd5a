"""The words of a model's SQL: what stands outside comments and strings, and whether it is one query.

Flink's lexical rules (Calcite's, with Java's quoting): `''` and a doubled quote are the only escapes, a backslash is a
letter, comments are `--`, `//` and `/* */`, which do not nest, and a hint (`/*+ */`) may hold strings.
https://calcite.apache.org/docs/reference.html#lexical-structure
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from streamt.compiler.templates import Fault
from streamt.compiler.words import words

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
_NOT_NEWLINE = re.compile(r"[^\r\n]")
_OPENED = {"/*": "a comment (`/*`)", "'": "a string (`'`)", "`": "a name (`` ` ``)", '"': 'a name (`"`)'}

# What begins a statement of Flink SQL that is no query.
# https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/overview/
_OTHER_STATEMENTS = words(
    """
    ADD ALTER ANALYZE BEGIN CALL COMPILE COPY CREATE DELETE DESC DESCRIBE DROP END EXECUTE EXPLAIN GRANT INSERT LOAD
    MERGE REMOVE REPLACE RESET REVOKE SET SHOW STOP TRUNCATE UNLOAD UPDATE UPSERT USE
    """
)
_STATEMENT_SETS = (("EXECUTE", "STATEMENT", "SET"), ("BEGIN", "STATEMENT", "SET"), ("STATEMENT", "SET"))


@dataclass(frozen=True, slots=True)
class Query:
    """One query's text and what it refers to.

    Attributes:
        text: the query without comments and hints, lines and columns as they were, without a `;` at its end.
        references: numbers of the markers in it, each once, by their first place.
    """

    text: str
    references: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int


def read_query(sql: str, prefix: str) -> Query:
    """Read the one query of a model.

    Args:
        sql: the SQL as it is rendered.
        prefix: how a marker word begins; a number and an `x` follow.

    Raises:
        Fault: there is no query, more than one statement, a statement that is no query, a quote or a comment that
            does not end, or a marker that is glued to other text.
    """
    tokens = list(_tokens(sql))
    spoken = [token for token in tokens if token.kind != "comment"]
    end = _check_statement(sql, spoken)
    text = sql
    if len(spoken) != len(tokens):
        text = _TOKEN.sub(lambda match: _blank(match[0]) if match.lastgroup == "comment" else match[0], sql)
    return Query(text[:end], tuple(dict.fromkeys(_markers(sql, spoken, prefix))))


def _tokens(sql: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(sql):
        kind = match.lastgroup or ""
        if kind == "open":
            raise _fault(f"has {_OPENED[match[0]]} that does not end", sql, match.start())
        yield _Token(kind, match[0], match.start())


def _blank(comment: str) -> str:
    return _NOT_NEWLINE.sub(" ", comment)


def _check_statement(sql: str, tokens: list[_Token]) -> int:
    """Check that `tokens` are one query, and give where it ends."""
    words = tuple(token.text.upper() for token in tokens[:3])
    if any(words[: len(start)] == start for start in _STATEMENT_SETS):
        raise _fault("holds a statement set", sql, tokens[0].start, _ONE_QUERY)
    ends = [index for index, token in enumerate(tokens) if token.kind == "end"]
    first = next((token for token in tokens if token.kind != "end"), None)
    if first is None:
        raise Fault("holds no SQL statement", hint=_ONE_QUERY)
    last = max(index for index, token in enumerate(tokens) if token.kind != "end")
    inner = [index for index in ends if tokens.index(first) < index < last]
    if inner:
        second = next(token for token in tokens[inner[0] :] if token.kind != "end")
        raise _fault("holds more than one statement", sql, second.start, _ONE_QUERY)
    if first.kind == "word" and first.text.upper() in _OTHER_STATEMENTS:
        what = f"holds {_article(first.text.upper())} statement, which is no query"
        raise _fault(what, sql, first.start, _ONE_QUERY)
    return tokens[last].start + len(tokens[last].text)


_ONE_QUERY = "a model's SQL is one query (SELECT, WITH or VALUES); streamt writes the INSERT itself"


def _article(word: str) -> str:
    return f"an {word}" if word[0] in "AEIOU" else f"a {word}"


def _markers(sql: str, tokens: list[_Token], prefix: str) -> Iterator[int]:
    if prefix not in sql.lower():
        return
    marker = re.compile(re.escape(prefix) + r"(\d+)x")
    for token in tokens:
        if token.kind not in ("word", "name") or prefix not in token.text.lower():
            continue
        whole = marker.fullmatch(token.text if token.kind == "word" else token.text[1:-1])
        if whole is None:
            raise Glued(sql, token.start, marker.search(token.text))
        yield int(whole[1])


class Glued(Fault):
    """A `source` or `ref` that stands directly beside other text.

    Attributes:
        number: the marker's number, if it can still be read.
    """

    def __init__(self, sql: str, start: int, marker: re.Match[str] | None) -> None:
        super().__init__("glues other text to a name", line=_line(sql, start), in_template=False)
        self.number = int(marker[1]) if marker else None


def _fault(message: str, sql: str, start: int, hint: str | None = None) -> Fault:
    return Fault(message, line=_line(sql, start), in_template=False, hint=hint)


def _line(sql: str, start: int) -> int:
    return sql.count("\n", 0, start) + 1
