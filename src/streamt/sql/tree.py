"""The tree of a query, and what it tells: whether the query keeps state, copies one table, or maps each record.

This module loads sqlglot; nobody imports it who has no SQL to ask about (`query.ParsedQuery` does it when asked).
"""

from sqlglot import exp
from sqlglot.errors import TokenError

from streamt.sql.changelog import updates, versioned_tables
from streamt.sql.dialect import AGGREGATES, Flink, StoppedError
from streamt.sql.gateway import gateway_obstacle
from streamt.sql.lexer import SqlError
from streamt.sql.query import QueryFacts, Shape
from streamt.sql.tables import tables_of

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


def parse(query: str) -> exp.Expr:
    """Return the tree of `query`, which is one query without comments.

    Raises:
        SqlError: the Flink dialect cannot read it; with the place where it stopped, where the parser tells one.
    """
    dialect = Flink()
    try:
        trees = dialect.parser().parse(dialect.tokenize(query), query)
    except StoppedError as error:
        message = f"an unexpected `{error.text[:40]}`" if error.text else "an unexpected end"
        raise SqlError.at(query, len(query) if error.start is None else error.start, message) from None
    except TokenError:
        raise SqlError("a part that cannot be read") from None
    except RecursionError:
        raise SqlError("a query that is nested too deeply to be read") from None
    except Exception as error:  # noqa: BLE001 - a parser that gave up, in whatever way, has not read the query
        raise SqlError(f"a query that cannot be read ({type(error).__name__})") from None
    tree = trees[0] if len(trees) == 1 else None
    if not isinstance(tree, (exp.Query, exp.Values)):
        raise SqlError("a text that is no query")
    if not all(select.expressions for select in tree.find_all(exp.Select)):
        raise SqlError("a SELECT that selects nothing")
    return tree


def facts_of(tree: exp.Expr) -> QueryFacts:
    """Return what a tree tells."""
    return QueryFacts(
        shape=_shape(tree),
        tables=tables_of(tree),
        updates=updates(tree),
        versioned=versioned_tables(tree),
        gateway_obstacle=gateway_obstacle(tree),
    )


def _shape(tree: exp.Expr) -> Shape:
    """Return what the query does.

    A query is stateful if Flink must remember records to answer it: GROUP BY, an aggregate, any JOIN (a comma, UNNEST
    and LATERAL too), DISTINCT, ORDER BY, OVER, a window function, a table function, a set operation,
    MATCH_RECOGNIZE, ML_PREDICT, ML_EVALUATE; and also LIMIT, OFFSET and FETCH, which count, and a query inside an
    expression (IN, EXISTS, a scalar one), which Flink runs as a join. A function that Flink does not know is the
    user's own and no aggregate.
    """
    if any(map(_is_stateful, tree.walk())):
        return Shape.STATEFUL
    return Shape.COPY if _is_copy(tree) else Shape.STATELESS


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
    """Report whether this is `SELECT * FROM one`, with nothing else."""
    while isinstance(tree, exp.Subquery) and _given(tree) == {"this"}:
        tree = tree.this
    if not isinstance(tree, exp.Select) or _given(tree) != {"expressions", "from_"}:
        return False
    columns, table = tree.expressions, tree.args["from_"].this
    is_star = len(columns) == 1 and isinstance(columns[0], exp.Star) and not _given(columns[0])
    return is_star and isinstance(table, exp.Table) and _given(table) <= {"this", "db", "catalog", "alias"}


def _given(node: exp.Expr) -> set[str]:
    return {name for name, value in node.args.items() if value}
