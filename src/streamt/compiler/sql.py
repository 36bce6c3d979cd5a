"""What a query is: whether it keeps state, copies one table, or maps each record by itself.

This module loads sqlglot; nobody imports it who has no SQL to ask about.
"""

from enum import StrEnum

from sqlglot import ErrorLevel, exp

from streamt.compiler.flink import AGGREGATES, Flink

_FIRST_WORDS = ("SELECT", "WITH", "VALUES", "TABLE")
_STATEFUL = (
    exp.AggFunc, exp.Distinct, exp.Exists, exp.Fetch, exp.Group, exp.Having, exp.Join, exp.Lateral, exp.Limit,
    exp.MatchRecognize, exp.Offset, exp.Order, exp.Qualify, exp.SetOperation, exp.TableFromRows, exp.Unnest,
    exp.Window,
)  # fmt: skip
_WINDOWS = ("TUMBLE", "HOP", "CUMULATE", "SESSION")
_STATEFUL_FUNCTIONS = (
    AGGREGATES
    | {"ML_PREDICT", "ML_EVALUATE"}
    | {f"{window}{part}" for window in _WINDOWS for part in ("", "_START", "_END", "_ROWTIME", "_PROCTIME")}
)


class Shape(StrEnum):
    """What a query does, as far as it decides what a model becomes."""

    STATEFUL = "stateful"
    COPY = "copy"
    STATELESS = "stateless"
    UNKNOWN = "unknown"


def shape_of(query: str) -> Shape:
    """Tell the shape of `query` from its tree; `UNKNOWN` where our Flink dialect cannot read it.

    A query is stateful if Flink must remember records to answer it: GROUP BY, an aggregate, any JOIN (a comma, UNNEST
    and LATERAL too), DISTINCT, ORDER BY, OVER, a window function, a table function, a set operation,
    MATCH_RECOGNIZE, ML_PREDICT, ML_EVALUATE; and also LIMIT, OFFSET and FETCH, which count, and a query inside an
    expression (IN, EXISTS, a scalar one), which Flink runs as a join. A function that Flink does not know is the
    user's own and no aggregate.

    Args:
        query: one query without comments.
    """
    tree = _parse(query)
    if tree is None:
        return Shape.UNKNOWN
    if any(map(_is_stateful, tree.walk())):
        return Shape.STATEFUL
    return Shape.COPY if _is_copy(tree) else Shape.STATELESS


def _parse(query: str) -> exp.Expr | None:
    dialect = Flink()
    parser = dialect.parser(error_level=ErrorLevel.IMMEDIATE)
    try:
        trees = parser.parse(dialect.tokenize(query), query)
    except Exception:  # noqa: BLE001 - a parser that gave up, in whatever way, has not read the query
        return None
    tree = trees[0] if len(trees) == 1 else None
    return tree if isinstance(tree, (exp.Query, exp.Values)) and _is_flink(query, tree) else None


def _is_flink(query: str, tree: exp.Expr) -> bool:
    """Tell a query from what other databases take for one: `FROM t`, and SELECT with nothing to select."""
    starts_well = query.lstrip()[:1] == "(" or query.split(None, 1)[0].upper().startswith(_FIRST_WORDS)
    return starts_well and all(select.expressions for select in tree.find_all(exp.Select))


def _is_stateful(node: exp.Expr) -> bool:
    if isinstance(node.parent, exp.Dot):
        return False  # a function with a qualified name is the user's own
    if isinstance(node, _STATEFUL):
        return True
    if isinstance(node, exp.Func) and _stands_for_table(node):
        return True
    if isinstance(node, exp.Anonymous):
        return node.name.upper() in _STATEFUL_FUNCTIONS
    if isinstance(node, exp.In):
        return node.args.get("query") is not None
    return isinstance(node, exp.Query) and not _is_table(node)


def _stands_for_table(function: exp.Expr) -> bool:
    return isinstance(function.parent, exp.Table) and function.arg_key == "this"


def _is_table(query: exp.Expr) -> bool:
    """Tell a query that stands where a table stands, or is the whole, from one inside an expression."""
    return query.parent is None or isinstance(query.parent, (exp.From, exp.CTE, exp.Subquery, exp.SetOperation))


def _is_copy(tree: exp.Expr) -> bool:
    """Tell `SELECT * FROM one`, with nothing else."""
    while isinstance(tree, exp.Subquery) and _given(tree) == {"this"}:
        tree = tree.this
    if not isinstance(tree, exp.Select) or _given(tree) != {"expressions", "from_"}:
        return False
    columns, table = tree.expressions, tree.args["from_"].this
    is_star = len(columns) == 1 and isinstance(columns[0], exp.Star) and not _given(columns[0])
    return is_star and isinstance(table, exp.Table) and _given(table) <= {"this", "db", "catalog", "alias"}


def _given(node: exp.Expr) -> set[str]:
    return {name for name, value in node.args.items() if value}
