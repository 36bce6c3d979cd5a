"""What Flink's functions are in DuckDB's words, as data.

A function stands here only if DuckDB can give the same answer; every other one is refused by its name, even where
DuckDB has a namesake: `LOG(x)` is the natural logarithm in Flink, and the decimal one in DuckDB. What Flink's functions
do is told by https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/functions/systemfunctions/
"""

import re
from collections.abc import Mapping, Sequence

from streamt.sql.words import words

MARK = "streamt: "
"""How everything begins that a translated query lets DuckDB's `error` say; it speaks of types, never of values."""

# Functions that have one name and one meaning in both, by their number of arguments.
SAME = {
    0: words("PI"),
    1: words(
        "ABS ACOS ASIN ATAN CEIL COS DEGREES EXP FLOOR LN LOG10 LOG2 LOWER MD5 QUARTER RADIANS REVERSE ROUND SHA256 "
        "SIGN SIN SQRT TAN UPPER YEAR MONTH DAYOFMONTH DAYOFYEAR HOUR MINUTE SECOND WEEK"
    ),
    2: words("ATAN2 LOG NULLIF POWER REPEAT ROUND"),
    3: words("LPAD REPLACE RPAD"),
}
ONE_TO_MANY = words("COALESCE CONCAT_WS")

_WHEN = r"\d{4}-\d{1,2}-\d{1,2}( \d{1,2}:\d{1,2}:\d{1,2}(\.\d{1,9})?)?"
MILLISECONDS = (
    f"date_trunc('milliseconds', CASE WHEN regexp_full_match(<x>, '{_WHEN}') THEN TRY_CAST(<x> AS TIMESTAMP) END)"
)

# Functions whose meaning DuckDB says in other words, in its own grammar: <x>, <y>, <z> are the arguments.
_OTHERWISE = f"""
BTRIM(x)                    trim(<x>, ' ')
CARDINALITY(x)              len(<x>)
CEILING(x)                  ceil(<x>)
CHARACTER_LENGTH(x)         length(<x>)
CHAR_LENGTH(x)              length(<x>)
ARRAY_CONTAINS(x, y)        list_contains(<x>, <y>)
ARRAY_JOIN(x, y)            array_to_string(<x>, <y>)
ARRAY_MAX(x)                list_max(<x>)
ARRAY_MIN(x)                list_min(<x>)
CURRENT_ROW_TIMESTAMP()     now()
DAYOFWEEK(x)                (dayofweek(<x>) + 1)
FROM_UNIXTIME(x)            strftime(to_timestamp(<x>), '%Y-%m-%d %H:%M:%S')
IF(x, y, z)                 CASE WHEN <x> THEN <y> ELSE <z> END
IFNULL(x, y)                coalesce(<x>, <y>)
INSTR(x, y)                 strpos(<x>, <y>)
LEFT(x, y)                  "left"(<x>, greatest(<y>, 0))
LOCATE(x, y)                strpos(<y>, <x>)
LOG(x)                      ln(<x>)
LTRIM(x)                    ltrim(<x>, ' ')
MOD(x, y)                   mod(<x>, CASE WHEN (<y>) = 0 THEN error('{MARK}the query divides by zero') ELSE <y> END)
NOW()                       now()
PROCTIME()                  now()
REGEXP(x, y)                regexp_matches(<x>, <y>)
REGEXP_EXTRACT(x, y)        CASE WHEN regexp_matches(<x>, <y>) THEN regexp_extract(<x>, <y>) END
REGEXP_EXTRACT(x, y, z)     CASE WHEN regexp_matches(<x>, <y>) THEN regexp_extract(<x>, <y>, <z>) END
RIGHT(x, y)                 "right"(<x>, greatest(<y>, 0))
RTRIM(x)                    rtrim(<x>, ' ')
SPLIT_INDEX(x, y, z)        CASE WHEN (<z>) >= 0 AND length(<y>) > 0 THEN string_split(<x>, <y>)[(<z>) + 1] END
SUBSTR(x, y)                substr(<x>, CASE WHEN (<y>) = 0 THEN 1 ELSE <y> END)
SUBSTR(x, y, z)             substr(<x>, CASE WHEN (<y>) = 0 THEN 1 ELSE <y> END, greatest(<z>, 0))
TRUNCATE(x)                 trunc(<x>)
UNIX_TIMESTAMP()            CAST(epoch_ms(now()) / 1000 AS BIGINT)
UNIX_TIMESTAMP(x)           CAST(epoch_ms(strptime(<x>, '%Y-%m-%d %H:%M:%S')) / 1000 AS BIGINT)
LISTAGG(x)                  string_agg(<x>, ',')
LISTAGG(x, y)               string_agg(<x>, <y>)
"""


def _templates() -> Mapping[tuple[str, int], str]:
    found = {}
    for line in _OTHERWISE.strip().splitlines():
        call, said = re.split(r"(?<=\)) +", line, maxsplit=1)
        name, arguments = call.split("(")
        found[name, len(re.findall(r"[xyz]", arguments))] = said
    return found


TEMPLATES = _templates()

# A sample's numbers have the digits that its records have, and its times all that they have: Flink writes those of the
# declared type, which is not known here.
AS_TEXT = (
    "CASE WHEN typeof(<x>) = 'BOOLEAN' THEN upper(CAST(<x> AS VARCHAR)) "
    "WHEN typeof(<x>) IN ('VARCHAR', 'DATE', 'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', '\"NULL\"', "
    "'NULL') OR typeof(<x>) LIKE 'DECIMAL(%,0)' THEN CAST(<x> AS VARCHAR) "
    f"ELSE error('{MARK}CAST to STRING is judged of texts, dates, truth values, whole numbers and "
    "CAST(... AS DECIMAL(p, s))') END"
)

# The units of time that TIMESTAMPADD adds and TIMESTAMPDIFF counts.
UNITS = words("SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR")

# https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/time/format/DateTimeFormatter.html, and
# https://duckdb.org/docs/stable/sql/functions/dateformat
_FORMATS = {
    "yyyy": "%Y", "yy": "%y", "MM": "%m", "M": "%-m", "MMM": "%b", "MMMM": "%B", "dd": "%d", "d": "%-d", "DDD": "%j",
    "HH": "%H", "H": "%-H", "hh": "%I", "h": "%-I", "mm": "%M", "m": "%-M", "ss": "%S", "s": "%-S", "SSS": "%g",
    "SSSSSS": "%f", "a": "%p", "EEE": "%a", "E": "%a", "EEEE": "%A",
}  # fmt: skip
_FORMAT_PART = re.compile(r"'(?P<quoted>(?:[^']|'')*)'|(?P<letters>([A-Za-z])\3*)|(?P<other>[^A-Za-z'\[\]{}#])")


def c_format(pattern: str) -> str | None:
    """Return a pattern of Java's dates as one of C's; None if it has a part that C lacks."""
    parts, place = [], 0
    while place < len(pattern):
        part = _FORMAT_PART.match(pattern, place)
        letters = part["letters"] if part else None
        if part is None or (letters and letters not in _FORMATS):
            return None
        quoted = part["quoted"]
        literal = part["other"] if quoted is None else quoted.replace("''", "'") or "'"
        parts.append(_FORMATS[letters] if letters else literal.replace("%", "%%"))
        place = part.end()
    return "".join(parts)


def filled(template: str, arguments: Sequence[str]) -> str:
    """Put `arguments`, as they are written in DuckDB, in the places of <x>, <y> and <z>."""
    given = dict(zip("xyz", arguments, strict=False))
    return re.sub(r"<([xyz])>", lambda match: given[match[1]], template)


def quoted(text: str) -> str:
    """Return `text` as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"
