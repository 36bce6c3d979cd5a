"""The marker words that stand for tables in rendered SQL: which of them a query reads, and what replaces them."""

import re
from collections.abc import Callable, Iterator

from streamt.compiler.templates.render import PREFIX, Reference, Rendered
from streamt.sql import Query, SqlError, Token, position

_MARKER = re.compile(PREFIX + r"(\d+)x")
# What a marker may stand in, or must be told from: a hint, a text, a name in quotes.
_PLACES = re.compile(
    r"""/\*\+(?:'[^']*'|(?!\*/)[^'])*\*/|'[^']*(?:''[^']*)*'|`[^`]*(?:``[^`]*)*`|"[^"]*(?:""[^"]*)*"|"""
    + _MARKER.pattern
)
_HINT = "put the whole name into the call: a table is read by the name of its source or model"


class GluedError(SqlError):
    """A `source` or `ref` that is a part of another word.

    Attributes:
        reference: which one, if that can still be read.
    """

    def __init__(self, query: Query, token: Token, reference: Reference | None) -> None:
        what = f"`{reference}`" if reference else "`source` or `ref`"
        line, column = position(query.text, token.start)
        super().__init__(f"{what} must stand alone as a table name", line=line, column=column, hint=_HINT)
        self.reference = reference


def references_of(query: Query, rendered: Rendered) -> tuple[Reference, ...]:
    """Return what `query` reads, each once, by its first place.

    Raises:
        GluedError: a marker is a part of another word.
    """
    return tuple(dict.fromkeys(reference for _, reference in _found(query, rendered)))


def _found(query: Query, rendered: Rendered) -> Iterator[tuple[Token, Reference]]:
    if not rendered.references or PREFIX not in query.text.lower():
        return
    for token in query.tokens:
        if token.kind not in ("word", "name") or PREFIX not in token.text.lower():
            continue
        whole = _MARKER.fullmatch(token.text if token.kind == "word" else token.text[1:-1])
        known = whole or _MARKER.search(token.text)
        number = int(known[1]) if known else -1
        reference = rendered.references[number] if 0 <= number < len(rendered.references) else None
        if whole is None or reference is None:
            raise GluedError(query, token, reference)
        yield token, reference


def with_names(text: str, rendered: Rendered, name_of: Callable[[Reference], str]) -> str:
    """Return a query with `name_of(reference)` in the place of each table, and the name itself inside of texts.

    Args:
        text: of a query that `references_of` has checked, without comments; its hints stay as they are.
        rendered: what the query was rendered to.
        name_of: gives what stands for a table.
    """

    def replaced(match: re.Match[str]) -> str:
        found = match[0]
        if PREFIX not in found or found.startswith("/"):
            return found
        if found.startswith("'"):
            return _MARKER.sub(lambda marker: _reference(rendered, marker).name.replace("'", "''"), found)
        return _MARKER.sub(lambda marker: name_of(_reference(rendered, marker)), found.strip('`"'))

    return _PLACES.sub(replaced, text)


def _reference(rendered: Rendered, marker: re.Match[str]) -> Reference:
    return rendered.references[int(marker[1])]


def readable(text: str, rendered: Rendered) -> str:
    """Return a text of a message with the names of tables in it."""
    return _MARKER.sub(lambda match: _reference(rendered, match).name, text)


def length(rendered: Rendered) -> int:
    """Return how many characters the SQL has with the names in it."""
    return len(_MARKER.sub(lambda match: _reference(rendered, match).name, rendered.sql))
