"""Whether a query changes results that it has given before, as Flink tells it of inputs that only append.

The rules are those of Flink's planner; a query that is read wrongly here is found when its plan is explained.
https://nightlies.apache.org/flink/flink-docs-stable/docs/concepts/sql-table-concepts/dynamic_tables/
"""

from collections.abc import Iterator

from sqlglot import exp

from streamt.sql.dialect import AGGREGATES

_TIME_WINDOWS = ("TUMBLE", "HOP", "SESSION")
_OF_QUERIES = (exp.From, exp.Join, exp.CTE, exp.Subquery, exp.SetOperation, exp.In, exp.Exists, exp.Lateral)
_BOUNDS = {"window_start", "window_end"}


def updates(tree: exp.Expr) -> bool:
    """Report whether a query over inputs that only append gives results that it changes later."""
    return any(map(_changes, tree.walk()))


def versioned_tables(tree: exp.Expr) -> frozenset[str]:
    """Return the tables that are only looked up by time: what changes in them changes no result given before."""
    looked_up = {table.name for table in tree.find_all(exp.Table) if _is_versioned(table)}
    read = {table.name for table in tree.find_all(exp.Table) if not _is_versioned(table)}
    return frozenset(looked_up - read)


def _changes(node: exp.Expr) -> bool:
    match node:
        case exp.Select():
            return _select_changes(node)
        case exp.SetOperation():
            return not (isinstance(node, exp.Union) and node.args.get("distinct") is False)
        case exp.Join():
            return _join_changes(node)
        case exp.In():
            return node.args.get("query") is not None and isinstance(node.parent, exp.Not)
        case exp.Exists():
            return isinstance(node.parent, exp.Not)
        case exp.Query():
            return _is_scalar(node)
    return False


def _select_changes(select: exp.Select) -> bool:
    if select.args.get("distinct") is not None and not _reads_window(select):
        return True
    if select.args.get("order") and (select.args.get("limit") or select.args.get("offset")):
        return True
    group = select.args.get("group")
    if group is not None:
        return not _is_windowed(group)
    return _aggregates(select) or _ranks(select)


def _is_windowed(group: exp.Group) -> bool:
    """Report whether rows are grouped by a window, whose results are given once."""
    names = {each.name for each in group.find_all(exp.Column)}
    calls = {each.name.upper() for each in group.find_all(exp.Anonymous)}
    return names >= _BOUNDS or bool(calls & set(_TIME_WINDOWS))


def _reads_window(select: exp.Select) -> bool:
    names = {each.name for each in select.expressions if isinstance(each, exp.Column)}
    return names >= _BOUNDS


def _aggregates(select: exp.Select) -> bool:
    """Report whether a select without GROUP BY has an aggregate of its own, outside of OVER."""
    return any(_is_aggregate(node) and not isinstance(node.parent, (exp.Window, exp.Filter)) for node in _own(select))


def _is_aggregate(node: exp.Expr) -> bool:
    return isinstance(node, exp.AggFunc) or (isinstance(node, exp.Anonymous) and node.name.upper() in AGGREGATES)


def _own(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield what stands in a select's projection and HAVING, and not in a query inside of them."""
    roots = [*select.expressions, *filter(None, [select.args.get("having")])]
    for root in roots:
        yield from root.walk(prune=lambda node: isinstance(node, exp.Query))


def _ranks(select: exp.Select) -> bool:
    """Report whether a select numbers rows, as top-N and deduplication do, over more than one window of time."""
    for node in _own(select):
        if isinstance(node, exp.Window) and isinstance(node.this, (exp.RowNumber, exp.Rank, exp.DenseRank)):
            partition = {each.name for by in node.args.get("partition_by") or () for each in by.find_all(exp.Column)}
            if not partition >= _BOUNDS:
                return True
    return False


def _join_changes(join: exp.Join) -> bool:
    """Report whether a join gives rows that a later record takes back: an outer one without a bound in time."""
    if (join.side or "").upper() not in ("LEFT", "RIGHT", "FULL") or isinstance(join.this, (exp.Lateral, exp.Unnest)):
        return False
    if isinstance(join.this, exp.Table) and _is_versioned(join.this):
        return False
    condition = join.args.get("on")
    if condition is None:
        return True
    names = {each.name for each in condition.find_all(exp.Column)}
    return not (names >= _BOUNDS or condition.find(exp.Interval) is not None)


def _is_versioned(table: exp.Table) -> bool:
    return table.args.get("version") is not None


def _is_scalar(query: exp.Expr) -> bool:
    """Tell a query that stands for one value."""
    return query.parent is not None and isinstance(query, exp.Subquery) and not isinstance(query.parent, _OF_QUERIES)
