"""Which tables a query reads that it does not make itself."""

from collections.abc import Iterator

from sqlglot import exp

from streamt.sql.query import TableName


def tables_of(tree: exp.Expr) -> tuple[TableName, ...]:
    """Return the tables that come from outside of the query, each name once, by its first place.

    A common table expression is none where it can be seen: by those after it, by what it stands before, and by itself
    if it is recursive. Table functions, UNNEST, LATERAL, VALUES, aliases, windows and models of ML_PREDICT are none.
    """
    names: dict[str, TableName] = {}
    for table in tree.find_all(exp.Table):
        if not isinstance(table.this, exp.Identifier) or _is_model(table):
            continue
        parts = [part.name for part in table.parts]
        if len(parts) == 1 and parts[0] in _common_tables(table):
            continue
        start = table.parts[0].meta.get("start")
        found = TableName(".".join(parts), start if isinstance(start, int) else None)
        known = names.get(found.name)
        if known is None or (found.start or 0) < (known.start or 0):
            names[found.name] = found
    return tuple(sorted(names.values(), key=lambda each: each.start or 0))


def _is_model(table: exp.Table) -> bool:
    return isinstance(table.parent, exp.Anonymous) and table.parent.name.upper() == "MODEL"


def _common_tables(node: exp.Expr) -> Iterator[str]:
    """Yield the common table expressions that `node` can see."""
    inner: exp.Expr = node
    outer = node.parent
    while outer is not None:
        if isinstance(outer, exp.With):
            before = outer.expressions.index(inner) + (1 if outer.args.get("recursive") else 0)
            yield from (each.alias for each in outer.expressions[:before])
        elif not isinstance(inner, exp.With) and outer.args.get("with_") is not None:
            yield from (each.alias for each in outer.args["with_"].expressions)
        inner, outer = outer, outer.parent
