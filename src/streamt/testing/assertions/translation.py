"""What Flink's functions are in DuckDB, for custom_sql.

A function stands here only if DuckDB can give the same answer; every other one is refused by its name, even where
DuckDB has a namesake: `LOG(x)` is the natural logarithm in Flink, and the decimal one in
DuckDB. What Flink's functions do is told by
https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/functions/systemfunctions/
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, reduce

import sqlglot
from sqlglot import exp

from streamt.compiler.flink import Flink
from streamt.compiler.words import words

# What our own use of DuckDB's `error` says begins so; it speaks of types, never of values.
MARK = "custom_sql: "

Arguments = Sequence[exp.Expr]

# Functions that have one name and one meaning in both, by their number of arguments.
_SAME = {
    0: words("PI"),
    1: words(
        "ABS ACOS ASIN ATAN CEIL COS DEGREES EXP FLOOR LN LOG10 LOG2 LOWER MD5 QUARTER RADIANS REVERSE ROUND SHA256 "
        "SIGN SIN SQRT TAN UPPER YEAR MONTH DAYOFMONTH DAYOFYEAR HOUR MINUTE SECOND WEEK"
    ),
    2: words("ATAN2 LOG NULLIF POWER REPEAT ROUND"),
    3: words("LPAD REPLACE RPAD"),
}
_ONE_TO_MANY = words("COALESCE CONCAT_WS")

_WHEN = r"\d{4}-\d{1,2}-\d{1,2}( \d{1,2}:\d{1,2}:\d{1,2}(\.\d{1,9})?)?"
_MILLISECONDS = (
    f"date_trunc('milliseconds', CASE WHEN regexp_full_match(x, '{_WHEN}') THEN TRY_CAST(x AS TIMESTAMP) END)"
)

# Functions whose meaning DuckDB says in other words: x, y, z are the arguments. Written in Flink's grammar.
_OTHERWISE = """
BTRIM(x)                    trim(x, ' ')
CARDINALITY(x)              len(x)
CEILING(x)                  ceil(x)
CHARACTER_LENGTH(x)         length(x)
CHAR_LENGTH(x)              length(x)
ARRAY_CONTAINS(x, y)        list_contains(x, y)
ARRAY_JOIN(x, y)            array_to_string(x, y)
ARRAY_MAX(x)                list_max(x)
ARRAY_MIN(x)                list_min(x)
CURRENT_ROW_TIMESTAMP()     now()
DAYOFWEEK(x)                dayofweek(x) + 1
FROM_UNIXTIME(x)            strftime(to_timestamp(x), '%Y-%m-%d %H:%M:%S')
IFNULL(x, y)                coalesce(x, y)
INSTR(x, y)                 strpos(x, y)
LEFT(x, y)                  "left"(x, greatest(y, 0))
LOCATE(x, y)                strpos(y, x)
LOG(x)                      ln(x)
LTRIM(x)                    ltrim(x, ' ')
MOD(x, y)                   mod(x, CASE WHEN y = 0 THEN error('custom_sql: the query divides by zero') ELSE y END)
NOW()                       now()
PROCTIME()                  now()
REGEXP(x, y)                regexp_matches(x, y)
REGEXP_EXTRACT(x, y)        CASE WHEN regexp_matches(x, y) THEN regexp_extract(x, y) END
RIGHT(x, y)                 "right"(x, greatest(y, 0))
RTRIM(x)                    rtrim(x, ' ')
SPLIT_INDEX(x, y, z)        CASE WHEN z >= 0 AND length(y) > 0 THEN string_split(x, y)[z + 1] END
SUBSTR(x, y)                substr(x, CASE WHEN y = 0 THEN 1 ELSE y END)
SUBSTR(x, y, z)             substr(x, CASE WHEN y = 0 THEN 1 ELSE y END, greatest(z, 0))
TRUNCATE(x)                 trunc(x)
UNIX_TIMESTAMP()            CAST(epoch_ms(now()) / 1000 AS BIGINT)
UNIX_TIMESTAMP(x)           CAST(epoch_ms(strptime(x, '%Y-%m-%d %H:%M:%S')) / 1000 AS BIGINT)
LISTAGG(x)                  string_agg(x, ',')
LISTAGG(x, y)               string_agg(x, y)
"""

# The numbers of time units that TIMESTAMPADD adds and TIMESTAMPDIFF counts.
_UNITS = words("SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR")
_EXTRACTED = _UNITS | {"DOY"}

# https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/time/format/DateTimeFormatter.html, and
# https://duckdb.org/docs/stable/sql/functions/dateformat
_FORMATS = {
    "yyyy": "%Y", "yy": "%y", "MM": "%m", "M": "%-m", "MMM": "%b", "MMMM": "%B", "dd": "%d", "d": "%-d", "DDD": "%j",
    "HH": "%H", "H": "%-H", "hh": "%I", "h": "%-I", "mm": "%M", "m": "%-M", "ss": "%S", "s": "%-S", "SSS": "%g",
    "SSSSSS": "%f", "a": "%p", "EEE": "%a", "E": "%a", "EEEE": "%A",
}  # fmt: skip
_FORMAT_PART = re.compile(r"'(?P<quoted>(?:[^']|'')*)'|(?P<letters>([A-Za-z])\3*)|(?P<other>[^A-Za-z'\[\]{}#])")
_PATH = re.compile(r"(?:lax\s+)?(\$(?:\.[A-Za-z_]\w*|\[\d+\])*)")

_WHOLE = words("TINYINT SMALLINT INT BIGINT")
_TEXT = words("CHAR VARCHAR TEXT")
_OTHER_TYPES = words("BOOLEAN FLOAT DOUBLE DECIMAL DATE TIME TIMESTAMP TIMESTAMPTZ TIMESTAMPLTZ")
_LONG_TEXT = 2**31 - 1

# What sqlglot calls a function, and is none, or means the same in both.
_PASSED = (
    exp.And, exp.Array, exp.Case, exp.Count, exp.CumeDist, exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp,
    exp.DenseRank, exp.Exists, exp.If, exp.Lag, exp.Lead, exp.Localtime, exp.Localtimestamp, exp.Max,
    exp.Min, exp.Ntile, exp.Or, exp.PercentRank, exp.Rank, exp.RowNumber, exp.Stddev, exp.StddevPop, exp.StddevSamp,
    exp.StrPosition, exp.Sum, exp.Unnest, exp.Variance, exp.VariancePop,
)  # fmt: skip
_REFUSED: Mapping[type[exp.Expr], str] = {
    exp.MatchRecognize: "MATCH_RECOGNIZE",
    exp.SimilarTo: "SIMILAR TO",
    exp.RegexpLike: "RLIKE",
    exp.IntervalSpan: "an INTERVAL of two units",
    exp.Lateral: "LATERAL",
}


class UntranslatableError(ValueError):
    """A query that DuckDB cannot answer as Flink does; in words for the user."""

    def __init__(self, what: str) -> None:
        super().__init__(f"custom_sql cannot judge {what}: DuckDB, which runs the query, cannot say it as Flink does")


def for_duckdb(query: exp.Expr) -> None:
    """Replace in the tree of a query what DuckDB says in other words than Flink.

    Args:
        query: as the Flink dialect has read it.

    Raises:
        UntranslatableError: it uses what DuckDB lacks.
    """
    nodes = list(query.walk())
    for node in nodes:
        _refuse(node)
    # Arguments come before the functions that hold them.
    for node in reversed(nodes):
        translate = _translation(node)
        if translate is not None:
            translate(node)


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
        return _name(function) == "TABLE" or _name(function) in _known_names()
    return isinstance(function, _PASSED) or _translation(function) is not None


def _translation(node: exp.Expr) -> Callable[[exp.Expr], None] | None:
    return next((_TYPED[kind] for kind in type(node).__mro__ if kind in _TYPED), None)


def _name(function: exp.Func) -> str:
    return function.name.upper() if isinstance(function, exp.Anonymous) else function.sql_name()


# Functions by name


def _call(node: exp.Expr) -> None:
    """Replace a function that the dialect leaves as it was written."""
    assert isinstance(node, exp.Anonymous)
    name, arguments = node.name.upper(), _split_distinct(node.expressions)
    template = _templates().get((name, len(arguments)))
    if template is not None:
        node.replace(_filled(template, arguments))
    elif name in _BUILT:
        node.replace(_BUILT[name](arguments))
    elif name not in _SAME.get(len(arguments), ()) and not (name in _ONE_TO_MANY and arguments):
        raise UntranslatableError(f"the function {name} with {len(arguments)} arguments")


def _split_distinct(arguments: Arguments) -> Arguments:
    """Give `DISTINCT a` and `b` for `DISTINCT a, b`, which sqlglot reads as one."""
    if len(arguments) != 1 or not isinstance(arguments[0], exp.Distinct):
        return arguments
    first, *others = arguments[0].expressions
    return [exp.Distinct(expressions=[first]), *others]


@cache
def _known_names() -> frozenset[str]:
    return frozenset({name for name, _count in _templates()}.union(_BUILT, _ONE_TO_MANY, *_SAME.values()))


@cache
def _templates() -> Mapping[tuple[str, int], exp.Expr]:
    found = {}
    for line in _OTHERWISE.strip().splitlines():
        call, said = re.split(r"(?<=\)) +", line, maxsplit=1)
        name, arguments = call.split("(")
        found[name, len(re.findall(r"[xyz]", arguments))] = _parsed(said)
    return found


@cache
def _parsed(template: str) -> exp.Expr:
    return sqlglot.parse_one(template, dialect=Flink)


def _filled(template: exp.Expr | str, arguments: Arguments) -> exp.Expr:
    """Put the arguments in the places of x, y and z."""
    given = dict(zip("xyz", arguments, strict=False))
    whole = exp.Paren(this=(_parsed(template) if isinstance(template, str) else template).copy())
    for column in list(whole.find_all(exp.Column)):
        column.replace(given[column.name].copy())
    return whole.this if isinstance(whole.this, (exp.Func, exp.Cast)) else whole


def _text(arguments: Arguments, index: int, what: str) -> str:
    """Give the text that must stand as such in the query."""
    argument = arguments[index] if index < len(arguments) else None
    if not isinstance(argument, exp.Literal) or not argument.is_string:
        raise UntranslatableError(f"{what} that is not written out as text")
    return str(argument.this)


def _format(arguments: Arguments, function: str) -> exp.Expr:
    """Write a pattern of Java's as one of C's."""
    pattern, parts, place = _text(arguments, 1, f"a format of {function}"), [], 0
    while place < len(pattern):
        part = _FORMAT_PART.match(pattern, place)
        letters = part["letters"] if part else None
        if part is None or (letters and letters not in _FORMATS):
            raise UntranslatableError(f"the format `{pattern}` of {function}")
        quoted = part["quoted"]
        literal = part["other"] if quoted is None else quoted.replace("''", "'") or "'"
        parts.append(_FORMATS[letters] if letters else literal.replace("%", "%%"))
        place = part.end()
    return exp.Literal.string("".join(parts))


def _formatted(function: str, template: str, without: str | None = None) -> Callable[[Arguments], exp.Expr]:
    def build(arguments: Arguments) -> exp.Expr:
        if without is not None and len(arguments) == 1:
            return _filled(without, arguments)
        _count(function, arguments, 2)
        return _filled(template, [arguments[0], _format(arguments, function)])

    return build


def _count(function: str, arguments: Arguments, *allowed: int) -> None:
    if len(arguments) not in allowed:
        raise UntranslatableError(f"the function {function} with {len(arguments)} arguments")


def _unit(arguments: Arguments, function: str) -> str:
    _count(function, arguments, 3)
    unit = arguments[0].name.upper()
    if unit not in _UNITS:
        raise UntranslatableError(f"the unit {unit} of {function}")
    return unit


def _timestamp_diff(arguments: Arguments) -> exp.Expr:
    unit = _unit(arguments, "TIMESTAMPDIFF")
    return _filled(f"date_sub('{unit.lower()}', x, y)", arguments[1:])


def _timestamp_add(arguments: Arguments) -> exp.Expr:
    unit = _unit(arguments, "TIMESTAMPADD")
    count, unit = ("x * 3", "MONTH") if unit == "QUARTER" else ("x", unit)
    return _filled(f"y + to_{unit.lower()}s(CAST({count} AS INT))", arguments[1:])


def _to_timestamp_ltz(arguments: Arguments) -> exp.Expr:
    precision = arguments[1].name if len(arguments) == 2 and isinstance(arguments[1], exp.Literal) else None
    if precision not in {"0", "3"}:
        raise UntranslatableError("the function TO_TIMESTAMP_LTZ without a precision of 0 or 3")
    return _filled(f"make_timestamptz(CAST(x AS BIGINT) * {10**6 if precision == '0' else 1000})", arguments)


def _concat(arguments: Arguments) -> exp.Expr:
    # DuckDB's own CONCAT passes over NULL; Flink's gives NULL.
    texts: list[exp.Expr] = [exp.cast(each.copy(), "TEXT") for each in arguments]
    return exp.Paren(this=reduce(lambda left, right: exp.DPipe(this=left, expression=right), texts))


def _extreme(function: str) -> Callable[[Arguments], exp.Expr]:
    def build(arguments: Arguments) -> exp.Expr:
        # DuckDB passes over NULL; Flink gives NULL.
        unknown = exp.or_(*(exp.Is(this=each.copy(), expression=exp.Null()) for each in arguments))
        found = exp.Anonymous(this=function, expressions=[each.copy() for each in arguments])
        return exp.Case(ifs=[exp.If(this=unknown, true=exp.Null())], default=found)

    return build


def _regexp_extract(arguments: Arguments) -> exp.Expr:
    _count("REGEXP_EXTRACT", arguments, 3)
    return _filled("CASE WHEN regexp_matches(x, y) THEN regexp_extract(x, y, z) END", arguments)


def _regexp_replace(arguments: Arguments) -> exp.Expr:
    _count("REGEXP_REPLACE", arguments, 3)
    if set(_text(arguments, 2, "a replacement of REGEXP_REPLACE")) & {"$", "\\"}:
        raise UntranslatableError("a replacement of REGEXP_REPLACE with `$` or `\\`")
    return _filled("regexp_replace(x, y, z, 'g')", arguments)


def _condition(arguments: Arguments) -> exp.Expr:
    _count("IF", arguments, 3)
    return _filled("CASE WHEN x THEN y ELSE z END", arguments)


def _json_value(node: exp.Expr) -> None:
    arguments = [node.this, node.args["path"]]
    match = _PATH.fullmatch(arguments[1].name.strip()) if isinstance(arguments[1], exp.Literal) else None
    if match is None:
        raise UntranslatableError("a path of JSON_VALUE other than one like '$.a.b[0]'")
    is_scalar = "json_valid(x) AND NOT json_type(x, y) IN ('OBJECT', 'ARRAY')"
    said = f"CASE WHEN {is_scalar} THEN json_extract_string(x, y) END"
    node.replace(_filled(said, [arguments[0], exp.Literal.string(match[1])]))


_BUILT: Mapping[str, Callable[[Arguments], exp.Expr]] = {
    "CONCAT": _concat,
    "DATE_FORMAT": _formatted("DATE_FORMAT", "strftime(CAST(x AS TIMESTAMP), y)"),
    "FROM_UNIXTIME": _formatted("FROM_UNIXTIME", "strftime(to_timestamp(x), y)"),
    "GREATEST": _extreme("greatest"),
    "IF": _condition,
    "LEAST": _extreme("least"),
    "REGEXP_EXTRACT": _regexp_extract,
    "REGEXP_REPLACE": _regexp_replace,
    "TIMESTAMPADD": _timestamp_add,
    "TIMESTAMPDIFF": _timestamp_diff,
    "TO_DATE": _formatted("TO_DATE", "CAST(try_strptime(x, y) AS DATE)", f"CAST({_MILLISECONDS} AS DATE)"),
    "TO_TIMESTAMP": _formatted("TO_TIMESTAMP", "try_strptime(x, y)", _MILLISECONDS),
    "TO_TIMESTAMP_LTZ": _to_timestamp_ltz,
    "UNIX_TIMESTAMP": _formatted("UNIX_TIMESTAMP", "CAST(epoch_ms(strptime(x, y)) / 1000 AS BIGINT)"),
}


# Functions with a grammar of their own, and operators


def _average(node: exp.Expr) -> None:
    """Divide the sum by the count: so the average of whole numbers is one, as in Flink."""
    whole = node
    while isinstance(whole.parent, (exp.Filter, exp.Window)) and whole.arg_key == "this":
        whole = whole.parent
    total, count = (_with_aggregate(whole, kind) for kind in (exp.Sum, exp.Count))
    whole.replace(exp.Paren(this=exp.Div(this=total, expression=exp.func("nullif", count, exp.Literal.number(0)))))


def _with_aggregate(whole: exp.Expr, kind: type[exp.Expr]) -> exp.Expr:
    """Copy an average with its FILTER and OVER, as another aggregate."""
    copied = whole.copy()
    average = copied
    while not isinstance(average, exp.Avg):
        average = average.this
    aggregate = kind(this=average.this)
    if average is copied:
        return aggregate
    average.replace(aggregate)
    return copied


def _divide(node: exp.Expr) -> None:
    divisor = node.args["expression"]
    if not isinstance(divisor, exp.Literal) or not float(divisor.name):
        divisor.replace(_filled(f"CASE WHEN x = 0 THEN error('{MARK}the query divides by zero') ELSE x END", [divisor]))


def _cast(node: exp.Expr) -> None:
    """Let numbers be cut, not rounded, on their way to a whole number, and texts be what Flink writes."""
    value, kind = node.this, node.args["to"]
    name = kind.this.value if isinstance(kind, exp.DataType) and isinstance(kind.this, exp.DType) else "INTERVAL"
    if name in _WHOLE and not (isinstance(value, exp.Literal) and value.is_int):
        cast = "TRY_CAST" if isinstance(node, exp.TryCast) else "CAST"
        value.replace(_filled(f"trunc({cast}(x AS DECIMAL(38, 18)))", [value]))
    elif name in _TEXT:
        _cast_to_text(node, value, kind)
    elif name == "DECIMAL" and not kind.expressions:
        kind.replace(exp.DataType.build("DECIMAL(10, 0)"))
    elif name not in _WHOLE | _OTHER_TYPES:
        raise UntranslatableError(f"CAST to {name}")


def _cast_to_text(node: exp.Expr, value: exp.Expr, kind: exp.Expr) -> None:
    plain: exp.Expr = exp.cast(value.copy(), "TEXT")
    if not isinstance(value, exp.Literal) and not _is_decimal(value):
        plain = _filled(_AS_TEXT, [value])
    size = int(kind.expressions[0].name) if kind.expressions else (1 if kind.this == exp.DType.CHAR else _LONG_TEXT)
    if size < _LONG_TEXT:
        pad = "rpad(\"left\"(x, y), y, ' ')" if kind.this == exp.DType.CHAR else '"left"(x, y)'
        plain = _filled(pad, [plain, exp.Literal.number(size)])
    node.replace(plain)


def _is_decimal(value: exp.Expr) -> bool:
    return isinstance(value, exp.Cast) and value.to.is_type("decimal")


# A sample's numbers have the digits that its records have, and its times all that they have: Flink writes those of the
# declared type, which is not known here.
_AS_TEXT = f"""
CASE WHEN typeof(x) = 'BOOLEAN' THEN upper(CAST(x AS VARCHAR))
WHEN typeof(x) IN ('VARCHAR', 'DATE', 'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', '"NULL"', 'NULL')
OR typeof(x) LIKE 'DECIMAL(%,0)' THEN CAST(x AS VARCHAR)
ELSE error('{MARK}CAST to STRING is judged of texts, dates, truth values, whole numbers and CAST(... AS DECIMAL(p, s))')
END
"""


def _extract(node: exp.Expr) -> None:
    unit = node.name.upper()
    if unit == "EPOCH":
        node.replace(_filled("CAST(floor(epoch(x)) AS BIGINT)", [node.args["expression"]]))
    elif unit not in _EXTRACTED:
        raise UntranslatableError(f"EXTRACT({unit} FROM ...)")


def _trim(node: exp.Expr) -> None:
    side = str(node.args.get("position") or "BOTH").upper()
    name = {"LEADING": "ltrim", "TRAILING": "rtrim", "BOTH": "trim"}[side]
    node.replace(_filled(f"{name}(x, y)", [node.this, node.args.get("expression") or exp.Literal.string(" ")]))


def _substring(node: exp.Expr) -> None:
    arguments = [each for each in (node.this, node.args.get("start"), node.args.get("length")) if each is not None]
    node.replace(_filled(_templates()["SUBSTR", len(arguments)], arguments))


def _round_to(node: exp.Expr) -> None:
    unit = node.args.get("to")
    if unit is not None and isinstance(node, exp.Ceil):
        raise UntranslatableError("CEIL(... TO ...)")
    if unit is not None:
        if unit.name.upper() not in _UNITS:
            raise UntranslatableError(f"FLOOR(... TO {unit.name})")
        node.replace(_filled(f"CAST(date_trunc('{unit.name.lower()}', x) AS TIMESTAMP)", [node.this]))


_TYPED: Mapping[type, Callable[[exp.Expr], None]] = {
    exp.Anonymous: _call,
    exp.Avg: _average,
    exp.Cast: _cast,
    exp.Ceil: _round_to,
    exp.Div: _divide,
    exp.Extract: _extract,
    exp.Floor: _round_to,
    exp.JSONValue: _json_value,
    exp.Mod: _divide,
    exp.Substring: _substring,
    exp.Trim: _trim,
}
