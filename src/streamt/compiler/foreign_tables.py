"""Tables that a query reads and nobody declared: they are in no lineage, so that must be said."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from streamt.compiler.model import Draft
from streamt.compiler.queries import sql_place
from streamt.compiler.templates import PREFIX
from streamt.diagnostics import Code, Diagnostic, nearest, quote
from streamt.sql import position

if TYPE_CHECKING:
    from streamt.project import Macro


def check_tables(draft: Draft, calls: Mapping[str, str], macros: "Mapping[str, Macro]") -> Iterator[Diagnostic]:
    """Warn of each table that neither `source` nor `ref` gave.

    Args:
        draft: the model.
        calls: for each declared name, and each topic's, the call that reads it: `source("orders")`.
        macros: the project's macros, by name.
    """
    query = draft.query
    if query is None or query.facts is None or all(PREFIX in table.name for table in query.facts.tables):
        return
    facts = query.parsed().facts
    for table in facts.tables if facts else ():
        if PREFIX in table.name:
            continue
        line, column = position(query.text, table.start) if table.start is not None else (None, None)
        place, suffix = sql_place(draft, line, column, query.rendered, macros.get(draft.model.macro or ""))
        yield Diagnostic(
            code=Code.TABLE_NOT_DECLARED,
            message=f"model {quote(draft.model.name)}: table {draft.shown(table.name)} is not declared{suffix}",
            location=place,
            hint=_hint(table.name, calls) if not draft.hides else _DECLARE,
        )


_DECLARE = "declare it under `sources`, and read it with `source`; else the lineage lacks it"


def _hint(name: str, calls: Mapping[str, str]) -> str:
    if name in calls:
        return f"write `{{{{ {calls[name]} }}}}`"
    meant = nearest(name, calls)
    return f"did you mean `{{{{ {calls[meant]} }}}}`?" if meant else _DECLARE
