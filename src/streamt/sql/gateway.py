"""What the Gateway's own SQL can do: columns of one topic, and conditions that compare a column with a literal.

https://docs.conduktor.io/gateway/interceptors/data-transformation/virtual-sql-topics/ is its documentation: a
projection, and in WHERE the operators = <> != < <= > >= and REGEXP, joined by AND.
"""

import re

from sqlglot import exp

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_OPERATORS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.RegexpLike: "REGEXP",
}  # fmt: skip
_PARTS = {
    "with_": "WITH", "joins": "JOIN", "laterals": "LATERAL", "group": "GROUP BY", "having": "HAVING",
    "order": "ORDER BY", "limit": "LIMIT", "offset": "OFFSET", "distinct": "DISTINCT", "windows": "WINDOW",
    "qualify": "QUALIFY", "match": "MATCH_RECOGNIZE",
}  # fmt: skip


def gateway_obstacle(tree: exp.Expr) -> str | None:
    """Return the part of a query that the Gateway's SQL cannot do, in words; None if it can do all."""
    if not isinstance(tree, exp.Select):
        return "a query other than one SELECT"
    for key in tree.args:
        if tree.args[key] and key not in ("expressions", "from_", "where"):
            return _PARTS.get(key, key.replace("_", " ").strip().upper())
    source = tree.args.get("from_")
    if source is None:
        return "a SELECT without FROM"
    if not _is_plain_table(source.this):
        return "a table with an alias, a function or a query in FROM"
    table = source.this.name
    obstacles = [_projection_obstacle(each, table) for each in tree.expressions]
    where = tree.args.get("where")
    obstacles += _condition_obstacles(where.this, table) if where is not None else []
    return next((each for each in obstacles if each), None)


def _is_plain_table(node: exp.Expr) -> bool:
    given = {key for key, value in node.args.items() if value}
    return isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier) and given <= {"this"}


def _projection_obstacle(node: exp.Expr, table: str) -> str | None:
    column = node.this if isinstance(node, exp.Alias) else node
    if isinstance(column, exp.Star) and not any(column.args.values()):
        return None
    return None if _is_column(column, table) else f"{_named(column)} in its SELECT"


def _condition_obstacles(condition: exp.Expr, table: str) -> list[str | None]:
    found: list[str | None] = []
    left = [condition]
    while left:
        each = left.pop()
        if isinstance(each, exp.Paren):
            left.append(each.this)
        elif isinstance(each, exp.And):
            left += [each.expression, each.this]
        elif not _is_comparison(each, table):
            found.append(f"{_named(each)} in its WHERE")
    return found


def _is_comparison(node: exp.Expr, table: str) -> bool:
    if isinstance(node, exp.Anonymous) and node.name.upper() == "REGEXP" and len(node.expressions) == 2:
        column, literal = node.expressions
    elif isinstance(node, (*_COMPARISONS, exp.RegexpLike)):
        column, literal = node.this, node.expression
    else:
        return False
    return _is_column(column, table) and _is_literal(literal)


def _is_column(node: exp.Expr, table: str) -> bool:
    """Report whether a node is a column, or a field in one; the Gateway knows no names of tables before it."""
    while isinstance(node, exp.Dot):
        node = node.this
    return isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier) and node.parts[0].name != table


def _is_literal(node: exp.Expr) -> bool:
    return isinstance(node.this if isinstance(node, exp.Neg) else node, (exp.Literal, exp.Boolean))


_WORDS: tuple[tuple[tuple[type[exp.Expr], ...], str], ...] = (
    ((exp.Column,), "a table's name before a column"),
    ((exp.Star,), "`*` with a change"),
    ((exp.Literal, exp.Boolean, exp.Null), "a literal"),
    ((*_COMPARISONS, exp.RegexpLike), "a comparison of other than a column with a literal"),
    ((exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.DPipe), "arithmetic"),
    ((exp.Cast,), "CAST"),
    ((exp.Case, exp.Or), ""),
)


def _named(node: exp.Expr) -> str:
    """Return what a part of a query is, in words."""
    words = next((words for kinds, words in _WORDS if isinstance(node, kinds)), None)
    if words is None and isinstance(node, exp.Func):
        return f"the function {node.name.upper() if isinstance(node, exp.Anonymous) else node.sql_name()}"
    return words or node.key.upper()


def gateway_statement(query: str, topic: str) -> str:
    """Return a query that the Gateway can do, in the Gateway's own words, over a topic.

    Args:
        query: one query without comments, in which `gateway_obstacle` finds nothing.
        topic: the topic's name.
    """
    from streamt.sql.tree import parse

    tree = parse(query)
    where = tree.args.get("where")
    columns = ", ".join(_projected(each) for each in tree.expressions)
    condition = f" WHERE {' AND '.join(_conditions(where.this))}" if where is not None else ""
    return f"SELECT {columns} FROM {_quoted(topic)}{condition}"  # noqa: S608 - every part of it is quoted


def _projected(node: exp.Expr) -> str:
    if isinstance(node, exp.Alias):
        return f"{_column(node.this)} AS {_identifier(node.alias)}"
    return "*" if isinstance(node, exp.Star) else _column(node)


def _conditions(node: exp.Expr) -> list[str]:
    if isinstance(node, exp.Paren):
        return _conditions(node.this)
    if isinstance(node, exp.And):
        return [*_conditions(node.this), *_conditions(node.expression)]
    if isinstance(node, exp.Anonymous):
        column, literal = node.expressions
        return [f"{_column(column)} REGEXP {_literal(literal)}"]
    return [f"{_column(node.this)} {_OPERATORS[type(node)]} {_literal(node.expression)}"]


def _column(node: exp.Expr) -> str:
    if isinstance(node, exp.Dot):
        return f"{_column(node.this)}.{_identifier(node.name)}"
    assert isinstance(node, exp.Column)
    return ".".join(_identifier(part.name) for part in node.parts)


def _literal(node: exp.Expr) -> str:
    if isinstance(node, exp.Neg):
        return f"-{_literal(node.this)}"
    if isinstance(node, exp.Boolean):
        return str(node.this).upper()
    return "'" + node.name.replace("'", "''") + "'" if node.is_string else node.name


def _identifier(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) else _quoted(name)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
