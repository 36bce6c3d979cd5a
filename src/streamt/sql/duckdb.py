"""Flink's SQL written for DuckDB, so that DuckDB gives the answer that Flink would give."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from sqlglot import ErrorLevel, exp

from streamt.sql.duckdb_functions import (
    AS_TEXT,
    MARK,
    MILLISECONDS,
    ONE_TO_MANY,
    SAME,
    TEMPLATES,
    UNITS,
    c_format,
    filled,
    quoted,
)
from streamt.sql.pure import pure_module
from streamt.sql.words import words

if TYPE_CHECKING:
    from sqlglot.generators.duckdb import DuckDBGenerator
else:
    _generator = pure_module("generator")
    DuckDBGenerator = pure_module("generators.duckdb", generator=_generator).DuckDBGenerator

__all__ = ["MARK", "UntranslatableError", "to_duckdb"]

Arguments = Sequence[exp.Expr]

_PATH = re.compile(r"(?:lax\s+)?(\$(?:\.[A-Za-z_]\w*|\[\d+\])*)")
_EXTRACTED = UNITS | {"DOY"}
_WHOLE = words("TINYINT SMALLINT INT BIGINT")
_TEXT = words("CHAR VARCHAR TEXT")
_OTHER_TYPES = words("BOOLEAN FLOAT DOUBLE DECIMAL DATE TIME TIMESTAMP TIMESTAMPTZ TIMESTAMPLTZ")

# What sqlglot calls a function, and is none, or means the same in both.
_PASSED = (
    exp.And, exp.Array, exp.Case, exp.Count, exp.CumeDist, exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp,
    exp.DenseRank, exp.Exists, exp.If, exp.Lag, exp.Lead, exp.Localtime, exp.Localtimestamp, exp.Max,
    exp.Min, exp.Ntile, exp.Or, exp.PercentRank, exp.Rank, exp.RowNumber, exp.Stddev, exp.StddevPop, exp.StddevSamp,
    exp.Sum, exp.Unnest, exp.Variance, exp.VariancePop,
)  # fmt: skip
_REFUSED: dict[type[exp.Expr], str] = {
    exp.MatchRecognize: "MATCH_RECOGNIZE",
    exp.SimilarTo: "SIMILAR TO",
    exp.RegexpLike: "RLIKE",
    exp.IntervalSpan: "an INTERVAL of two units",
    exp.Lateral: "LATERAL",
}


class UntranslatableError(ValueError):
    """A query that DuckDB cannot answer as Flink does.

    Attributes:
        what: the part of it that DuckDB lacks.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: DuckDB, which runs the query, cannot say it as Flink does")
        self.what = what


def to_duckdb(query: exp.Expr) -> str:
    """Return `query`, as the Flink dialect has read it, in DuckDB's SQL.

    Raises:
        UntranslatableError: it uses what DuckDB lacks.
        sqlglot.errors.UnsupportedError: sqlglot cannot write a part of it for DuckDB.
    """
    for node in query.walk():
        _refuse(node)
    return FlinkToDuckDB(dialect="duckdb", unsupported_level=ErrorLevel.RAISE).generate(query)


def _refuse(node: exp.Expr) -> None:
    if type(node) in _REFUSED:
        raise UntranslatableError(_REFUSED[type(node)])
    if "skipped_clauses_of" in node.meta:
        raise UntranslatableError(f"the function {node.meta['skipped_clauses_of']} with clauses such as RETURNING")
    if isinstance(node, exp.Func) and (isinstance(node.parent, exp.Dot) or not _is_known(node)):
        raise UntranslatableError(f"the function {_name(node)}")


def _is_known(function: exp.Func) -> bool:
    if isinstance(function, exp.Anonymous):
        # What stands within TABLE( ) says better what it is.
        return _name(function) == "TABLE" or _name(function) in _KNOWN
    return isinstance(function, _PASSED) or type(function) in _OURS


def _name(function: exp.Func) -> str:
    return function.name.upper() if isinstance(function, exp.Anonymous) else function.sql_name()


# Functions by name


def _call(self: DuckDBGenerator, node: exp.Anonymous) -> str:
    """Write a function that the dialect leaves as it was written."""
    name, arguments = node.name.upper(), _split_distinct(node.expressions)
    template = TEMPLATES.get((name, len(arguments)))
    if template is not None:
        return filled(template, _written(self, arguments))
    if name in _BUILT:
        return _BUILT[name](self, arguments)
    if name not in SAME.get(len(arguments), ()) and not (name in ONE_TO_MANY and arguments):
        raise UntranslatableError(f"the function {name} with {len(arguments)} arguments")
    return f"{name}({', '.join(_written(self, arguments))})"


def _written(self: DuckDBGenerator, arguments: Arguments) -> list[str]:
    return [self.sql(each) for each in arguments]


def _split_distinct(arguments: Arguments) -> Arguments:
    """Return `DISTINCT a` and `b` for `DISTINCT a, b`, which sqlglot reads as one."""
    if len(arguments) != 1 or not isinstance(arguments[0], exp.Distinct):
        return arguments
    first, *others = arguments[0].expressions
    return [exp.Distinct(expressions=[first]), *others]


def _literal(arguments: Arguments, index: int, what: str) -> str:
    """Return the text that must stand as such in the query."""
    argument = arguments[index] if index < len(arguments) else None
    if not isinstance(argument, exp.Literal) or not argument.is_string:
        raise UntranslatableError(f"{what} that is not written out as text")
    return str(argument.this)


def _count(function: str, arguments: Arguments, *allowed: int) -> None:
    if len(arguments) not in allowed:
        raise UntranslatableError(f"the function {function} with {len(arguments)} arguments")


Build = Callable[[DuckDBGenerator, Arguments], str]


def _formatted(function: str, template: str, without: str | None = None) -> Build:
    """Make the writer of a function whose second argument is a pattern of Java's."""

    def build(self: DuckDBGenerator, arguments: Arguments) -> str:
        if without is not None and len(arguments) == 1:
            return filled(without, _written(self, arguments))
        _count(function, arguments, 2)
        pattern = _literal(arguments, 1, f"a format of {function}")
        written = c_format(pattern)
        if written is None:
            raise UntranslatableError(f"the format `{pattern}` of {function}")
        return filled(template, [self.sql(arguments[0]), quoted(written)])

    return build


def _unit(arguments: Arguments, function: str) -> str:
    _count(function, arguments, 3)
    unit = arguments[0].name.upper()
    if unit not in UNITS:
        raise UntranslatableError(f"the unit {unit} of {function}")
    return unit


def _timestamp_diff(self: DuckDBGenerator, arguments: Arguments) -> str:
    unit = _unit(arguments, "TIMESTAMPDIFF")
    return filled(f"date_sub('{unit.lower()}', <x>, <y>)", _written(self, arguments[1:]))


def _timestamp_add(self: DuckDBGenerator, arguments: Arguments) -> str:
    unit = _unit(arguments, "TIMESTAMPADD")
    count, unit = ("(<x>) * 3", "MONTH") if unit == "QUARTER" else ("<x>", unit)
    return filled(f"(<y> + to_{unit.lower()}s(CAST({count} AS INT)))", _written(self, arguments[1:]))


def _to_timestamp_ltz(self: DuckDBGenerator, arguments: Arguments) -> str:
    precision = arguments[1].name if len(arguments) == 2 and isinstance(arguments[1], exp.Literal) else None
    if precision not in {"0", "3"}:
        raise UntranslatableError("the function TO_TIMESTAMP_LTZ without a precision of 0 or 3")
    factor = 10**6 if precision == "0" else 1000
    return filled(f"make_timestamptz(CAST(<x> AS BIGINT) * {factor})", _written(self, arguments[:1]))


def _concat(self: DuckDBGenerator, arguments: Arguments) -> str:
    # DuckDB's own CONCAT passes over NULL; Flink's gives NULL.
    return "(" + " || ".join(f"CAST({each} AS TEXT)" for each in _written(self, arguments)) + ")"


def _extreme(function: str) -> Build:
    def build(self: DuckDBGenerator, arguments: Arguments) -> str:
        # DuckDB passes over NULL; Flink gives NULL.
        given = _written(self, arguments)
        unknown = " OR ".join(f"({each}) IS NULL" for each in given)
        return f"CASE WHEN {unknown} THEN NULL ELSE {function}({', '.join(given)}) END"

    return build


def _regexp_replace(self: DuckDBGenerator, arguments: Arguments) -> str:
    _count("REGEXP_REPLACE", arguments, 3)
    if set(_literal(arguments, 2, "a replacement of REGEXP_REPLACE")) & {"$", "\\"}:
        raise UntranslatableError("a replacement of REGEXP_REPLACE with `$` or `\\`")
    return filled("regexp_replace(<x>, <y>, <z>, 'g')", _written(self, arguments))


_BUILT: dict[str, Build] = {
    "CONCAT": _concat,
    "DATE_FORMAT": _formatted("DATE_FORMAT", "strftime(CAST(<x> AS TIMESTAMP), <y>)"),
    "FROM_UNIXTIME": _formatted("FROM_UNIXTIME", "strftime(to_timestamp(<x>), <y>)"),
    "GREATEST": _extreme("greatest"),
    "LEAST": _extreme("least"),
    "REGEXP_REPLACE": _regexp_replace,
    "TIMESTAMPADD": _timestamp_add,
    "TIMESTAMPDIFF": _timestamp_diff,
    "TO_DATE": _formatted("TO_DATE", "CAST(try_strptime(<x>, <y>) AS DATE)", f"CAST({MILLISECONDS} AS DATE)"),
    "TO_TIMESTAMP": _formatted("TO_TIMESTAMP", "try_strptime(<x>, <y>)", MILLISECONDS),
    "TO_TIMESTAMP_LTZ": _to_timestamp_ltz,
    "UNIX_TIMESTAMP": _formatted("UNIX_TIMESTAMP", "CAST(epoch_ms(strptime(<x>, <y>)) / 1000 AS BIGINT)"),
}
_KNOWN = frozenset({name for name, _count in TEMPLATES}.union(_BUILT, ONE_TO_MANY, *SAME.values()))


# Functions with a grammar of their own, and operators


def _json_value(self: DuckDBGenerator, node: exp.JSONValue) -> str:
    path = node.args["path"]
    match = _PATH.fullmatch(path.name.strip()) if isinstance(path, exp.Literal) else None
    if match is None:
        raise UntranslatableError("a path of JSON_VALUE other than one like '$.a.b[0]'")
    is_scalar = "json_valid(<x>) AND NOT json_type(<x>, <y>) IN ('OBJECT', 'ARRAY')"
    said = f"CASE WHEN {is_scalar} THEN json_extract_string(<x>, <y>) END"
    return filled(said, [self.sql(node.this), quoted(match[1])])


def _aggregate(self: DuckDBGenerator, node: exp.Avg | exp.Filter | exp.Window) -> str:
    """Divide the sum by the count: so the average of whole numbers is one, as in Flink."""
    average = node
    while isinstance(average, (exp.Filter, exp.Window)):
        average = average.this
    if not isinstance(average, exp.Avg):
        return self.filter_sql(node) if isinstance(node, exp.Filter) else self.window_sql(node)
    total, count = (self.sql(_with_aggregate(node, kind)) for kind in (exp.Sum, exp.Count))
    return f"({total} / nullif({count}, 0))"


def _with_aggregate(whole: exp.Expr, kind: type[exp.Expr]) -> exp.Expr:
    """Copy an average with its FILTER and OVER, as another aggregate."""
    if isinstance(whole, exp.Avg):
        return kind(this=whole.this.copy())
    copied = whole.copy()
    average = copied.find(exp.Avg)
    assert average is not None
    average.replace(kind(this=average.this))
    return copied


def _divide(operator: str) -> Callable[[DuckDBGenerator, exp.Binary], str]:
    def write(self: DuckDBGenerator, node: exp.Binary) -> str:
        divisor = self.sql(node, "expression")
        if not isinstance(node.expression, exp.Literal) or not float(node.expression.name):
            zero = f"error('{MARK}the query divides by zero')"
            divisor = f"CASE WHEN ({divisor}) = 0 THEN {zero} ELSE {divisor} END"
        return f"{self.sql(node, 'this')} {operator} {divisor}"

    return write


def _cast(self: DuckDBGenerator, node: exp.Cast) -> str:
    """Let numbers be cut, not rounded, on their way to a whole number, and texts be what Flink writes."""
    value, kind = node.this, node.to
    name = kind.this.value if isinstance(kind.this, exp.DType) else "INTERVAL"
    cast, written = ("TRY_CAST" if isinstance(node, exp.TryCast) else "CAST"), self.sql(value)
    if name in _WHOLE and not (isinstance(value, exp.Literal) and value.is_int):
        return f"{cast}(trunc({cast}({written} AS DECIMAL(38, 18))) AS {name})"
    if name in _TEXT:
        return _cast_to_text(node, written)
    if name not in _WHOLE | _OTHER_TYPES:
        raise UntranslatableError(f"CAST to {name}")
    # DuckDB's times have a precision of their own.
    target = kind if name == "DECIMAL" else exp.DataType(this=kind.this)
    return f"{cast}({written} AS {self.sql(target)})"


def _cast_to_text(node: exp.Cast, written: str) -> str:
    value, kind = node.this, node.to
    is_told = isinstance(value, exp.Literal) or (isinstance(value, exp.Cast) and value.to.is_type("decimal"))
    plain = f"CAST({written} AS TEXT)" if is_told else filled(AS_TEXT, [written])
    if not kind.expressions:
        return plain
    pad = "rpad(\"left\"(<x>, <y>), <y>, ' ')" if kind.this == exp.DType.CHAR else '"left"(<x>, <y>)'
    return filled(pad, [plain, kind.expressions[0].name])


def _extract(self: DuckDBGenerator, node: exp.Extract) -> str:
    unit = node.name.upper()
    if unit == "EPOCH":
        return filled("CAST(floor(epoch(<x>)) AS BIGINT)", [self.sql(node, "expression")])
    if unit not in _EXTRACTED:
        raise UntranslatableError(f"EXTRACT({unit} FROM ...)")
    return f"EXTRACT({unit} FROM {self.sql(node, 'expression')})"


def _position(self: DuckDBGenerator, node: exp.StrPosition) -> str:
    return f"strpos({self.sql(node, 'this')}, {self.sql(node, 'substr')})"


def _trim(self: DuckDBGenerator, node: exp.Trim) -> str:
    side = str(node.args.get("position") or "BOTH").upper()
    name = {"LEADING": "ltrim", "TRAILING": "rtrim", "BOTH": "trim"}[side]
    return f"{name}({self.sql(node, 'this')}, {self.sql(node, 'expression') or quoted(' ')})"


def _substring(self: DuckDBGenerator, node: exp.Substring) -> str:
    arguments = [each for each in (node.this, node.args.get("start"), node.args.get("length")) if each is not None]
    return filled(TEMPLATES["SUBSTR", len(arguments)], _written(self, arguments))


def _round_to(self: DuckDBGenerator, node: exp.Ceil | exp.Floor) -> str:
    unit = node.args.get("to")
    if unit is None:
        return f"{'ceil' if isinstance(node, exp.Ceil) else 'floor'}({self.sql(node, 'this')})"
    if isinstance(node, exp.Ceil):
        raise UntranslatableError("CEIL(... TO ...)")
    if unit.name.upper() not in UNITS:
        raise UntranslatableError(f"FLOOR(... TO {unit.name})")
    return filled(f"CAST(date_trunc('{unit.name.lower()}', <x>) AS TIMESTAMP)", [self.sql(node, "this")])


_OURS: dict[type[exp.Expr], Callable[..., str]] = {
    exp.Anonymous: _call,
    exp.Avg: _aggregate,
    exp.Cast: _cast,
    exp.Ceil: _round_to,
    exp.Div: _divide("/"),
    exp.Extract: _extract,
    exp.Filter: _aggregate,
    exp.Floor: _round_to,
    exp.JSONValue: _json_value,
    exp.Mod: _divide("%"),
    exp.StrPosition: _position,
    exp.Substring: _substring,
    exp.Trim: _trim,
    exp.TryCast: _cast,
    exp.Window: _aggregate,
}


class FlinkToDuckDB(DuckDBGenerator):
    """Writes a tree of Flink's SQL for DuckDB."""

    TRANSFORMS: ClassVar[dict[type[exp.Expr], Callable[..., str]]] = {**DuckDBGenerator.TRANSFORMS, **_OURS}
