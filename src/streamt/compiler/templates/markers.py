"""The marker words that stand for tables in rendered SQL: which of them a query reads, and what replaces them."""

import re
from collections.abc import Callable, Iterator

from streamt.compiler.templates.render import PREFIX, Reference, Rendered
from streamt.sql import Query, SqlError, Token, position

_MARKER = re.compile(PREFIX + r"(\d+)x")
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


def with_names(query: Query, rendered: Rendered, name_of: Callable[[Reference], str]) -> str:
    """Return the query with `name_of(reference)` in the place of each table, and the name itself inside of texts."""
    pieces, end = [], 0
    for token in query.tokens:
        if PREFIX not in token.text:
            continue
        if token.kind == "string":
            text = _MARKER.sub(lambda match: _reference(rendered, match).name.replace("'", "''"), token.text)
        else:
            text = _MARKER.sub(lambda match: name_of(_reference(rendered, match)), token.text.strip('`"'))
        pieces += [query.text[end : token.start], text]
        end = token.start + len(token.text)
    return "".join([*pieces, query.text[end:]])


def _reference(rendered: Rendered, marker: re.Match[str]) -> Reference:
    return rendered.references[int(marker[1])]


def readable(text: str, rendered: Rendered) -> str:
    """Return a text of a message with the names of tables in it."""
    return _MARKER.sub(lambda match: _reference(rendered, match).name, text)


def length(rendered: Rendered) -> int:
    """Return how many characters the SQL has with the names in it."""
    return len(_MARKER.sub(lambda match: _reference(rendered, match).name, rendered.sql))
