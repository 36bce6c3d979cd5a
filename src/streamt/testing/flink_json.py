"""Which JSON values Flink's JSON format reads as a type, and reads as what stands there.

Read off the format's source (`JsonToRowDataConverters`, `JsonParserToRowDataConverters`, `TimeFormats`), and compared
with these classes of Flink 2.2.1 and with `java.time`; docs/tests.md has the same table. Flink takes more, and changes
it on the way: it cuts `1.5` to the INT 1, rounds a DECIMAL, takes the text `yes` for FALSE, 1e999 for infinity and the
30th of February for the 28th. A job that goes on with another value is no better than one that stops, so all of this
counts as not taken.
"""

import re
from calendar import isleap
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Any

from streamt.sql import FlinkType
from streamt.testing.values import is_number


class Standard(StrEnum):
    """How a table's JSON writes timestamps: its option `json.timestamp-format.standard`."""

    SQL = "SQL"
    ISO = "ISO-8601"


Take = Callable[[FlinkType, Any, Standard], bool]

_INTEGERS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
# Java's `trim` takes away what is not above a space.
_BLANK = "".join(map(chr, range(33)))
# Java takes the digits of every script where it reads whole numbers and decimals, and so does Python.
_WHOLE = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_FLOAT = re.compile(
    r"(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?|[+-]?(?:NaN|Infinity)"
    r"|[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+[fFdD]?"
)
_LARGEST = {"FLOAT": Decimal("3.4028235677973366E38"), "DOUBLE": Decimal("1.797693134862315808E308")}
_QUAD = r"[\x00-\x20]*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)"
_BASE64 = re.compile(rf"(?:{_QUAD})*[\x00-\x20]*")
# Years have four digits, or more behind a sign; `24:00:00` is the end of a day, and no time of one.
_YEAR = "(?:-?[0-9]{4}|[+-][0-9]{5,9})"
_DAY = "0[1-9]|[12][0-9]"
_DAYS = rf"(?:0[13578]|1[02])-(?:{_DAY}|3[01])|(?:0[469]|11)-(?:{_DAY}|30)|02-(?:{_DAY})"
_DATE = rf"(?!-0+-){_YEAR}-(?:{_DAYS})"
_HOUR, _SIXTY = "(?:[01][0-9]|2[0-3])", "[0-5][0-9]"
_FRACTION = r"(?:\.[0-9]{0,9})?"
_TIME = rf"{_HOUR}:{_SIXTY}:{_SIXTY}{_FRACTION}"
_MIDNIGHT = r"24:00:00(?:\.0{0,9})?"
_ISO_TIME = rf"{_HOUR}:{_SIXTY}(?::{_SIXTY}{_FRACTION})?"
_ISO_MIDNIGHT = r"24:00(?::00(?:\.0{0,9})?)?"
_TIMES: Mapping[tuple[str, Standard], re.Pattern[str]] = {
    ("TIMESTAMP", Standard.SQL): re.compile(rf"{_DATE} (?:{_TIME}|{_MIDNIGHT})"),
    ("TIMESTAMP", Standard.ISO): re.compile(rf"{_DATE}[Tt]{_ISO_TIME}"),
    ("TIMESTAMP_LTZ", Standard.SQL): re.compile(rf"{_DATE} (?:{_TIME}|{_MIDNIGHT})Z"),
    ("TIMESTAMP_LTZ", Standard.ISO): re.compile(rf"{_DATE}T(?:{_ISO_TIME}|{_ISO_MIDNIGHT})Z"),
    **{("DATE", standard): re.compile(_DATE) for standard in Standard},
    **{("TIME", standard): re.compile(rf"{_TIME}|{_MIDNIGHT}") for standard in Standard},
}
_LEAP_DAY = "-02-29"


def takes(flink: FlinkType, value: Any, standard: Standard) -> bool:
    """Report whether Flink's JSON format takes `value` for a column of this type, and for what it is.

    Args:
        flink: the type.
        value: as decoded from JSON; a number with a fraction or an exponent is a `Decimal`.
        standard: how the table's JSON writes timestamps.
    """
    if value is None:
        return flink.nullable
    take = _TAKES.get(flink.name)
    # Nobody says what a RAW or a VARIANT is in JSON.
    return take is None or take(flink, value, standard)


def takes_all(flink: FlinkType, values: list[Any], standard: Standard) -> bool:
    """Report quickly whether all `values` are taken; False where that is not clear."""
    types = set(map(type, values))
    if type(None) in types:
        if not flink.nullable:
            return False
        types.discard(type(None))
        values = [value for value in values if value is not None]
    if flink.name in _INTEGERS and types == {int}:
        bound = 1 << (_INTEGERS[flink.name] - 1)
        smallest: int = min(values)
        largest: int = max(values)
        return -bound <= smallest and largest < bound
    if types == {str} and (pattern := _TIMES.get((flink.name, standard))):
        return all(map(pattern.fullmatch, values)) and not any(_LEAP_DAY in value for value in values)
    return types <= (_SETTLED.get(flink.name, frozenset()) if not flink.sizes else frozenset[type]())


def depends_on_standard(flink: FlinkType) -> bool:
    """Report whether the type is or holds a timestamp."""
    return flink.name in ("TIMESTAMP", "TIMESTAMP_LTZ") or any(map(depends_on_standard, flink.items))


def _boolean(_flink: FlinkType, value: Any, _standard: Standard) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and value.strip(_BLANK).lower() in ("true", "false"))


def _text(flink: FlinkType, value: Any, _standard: Standard) -> bool:
    if not flink.sizes or isinstance(value, str):
        return not flink.sizes or len(value) <= flink.sizes[0]
    return not isinstance(value, dict | list) and len(str(value)) <= flink.sizes[0]


def _binary(_flink: FlinkType, value: Any, _standard: Standard) -> bool:
    return isinstance(value, str) and _BASE64.fullmatch(value) is not None


def _integer(flink: FlinkType, value: Any, _standard: Standard) -> bool:
    if isinstance(value, str):
        text = value.strip(_BLANK)
        # More digits than any of them has, and than Python likes to read.
        number = int(text) if _WHOLE.fullmatch(text) and len(text) < 1000 else None
    elif isinstance(value, Decimal):
        number = _whole(value) if flink.name in ("INT", "BIGINT") else None
    else:
        number = value if type(value) is int else None
    bound = 1 << (_INTEGERS[flink.name] - 1)
    return number is not None and -bound <= number < bound


def _whole(value: Decimal) -> int | None:
    """Return the whole number that a number with a fraction or an exponent is; it is read as a double first."""
    if not -(1 << 63) <= value < 1 << 63 or value != value.to_integral_value():
        return None
    return int(value) if Decimal(float(value)) == value else None


def _floating(flink: FlinkType, value: Any, _standard: Standard) -> bool:
    if isinstance(value, str):
        match = _FLOAT.fullmatch(value.strip(_BLANK))
        if match is None:
            return False
        value = Decimal(match["number"]) if match["number"] and len(match["number"]) < 1000 else 0
    return is_number(value) and -_LARGEST[flink.name] < value < _LARGEST[flink.name]


def _decimal(flink: FlinkType, value: Any, _standard: Standard) -> bool:
    if isinstance(value, str):
        text = value.strip(_BLANK)
        value = Decimal(text) if _DECIMAL.fullmatch(text) and len(text) < 1000 else None
    if not is_number(value):
        return False
    precision, scale = flink.sizes
    _sign, digits, exponent = Decimal(value).as_tuple()
    text = "".join(map(str, digits))
    significant = text.rstrip("0")
    decimals = -(int(exponent) + len(text) - len(significant)) if significant else 0
    whole = len(significant) - decimals if significant else 0
    return decimals <= scale and whole <= precision - scale


def _time(flink: FlinkType, value: Any, standard: Standard) -> bool:
    if not isinstance(value, str) or not _TIMES[flink.name, standard].fullmatch(value):
        return False
    year, leap_day, _rest = value.partition(_LEAP_DAY)
    # Leap years come again every 400 years, also before the year 1.
    return not leap_day or isleap(int(year) % 400 + 400)


def _array(flink: FlinkType, value: Any, standard: Standard) -> bool:
    return isinstance(value, list) and all(takes(item, each, standard) for item in flink.items for each in value)


def _map(flink: FlinkType, value: Any, standard: Standard) -> bool:
    if not isinstance(value, dict):
        return False
    if not flink.items:
        return True
    # The keys of a map are texts, or the format does not take the table at all.
    return flink.items[0].name in ("CHAR", "VARCHAR") and all(
        takes(flink.items[-1], each, standard) for each in value.values()
    )


def _multiset(flink: FlinkType, value: Any, standard: Standard) -> bool:
    counted = FlinkType("INT")
    texts = not flink.items or flink.items[0].name in ("CHAR", "VARCHAR")
    return texts and isinstance(value, dict) and all(takes(counted, each, standard) for each in value.values())


def _row(flink: FlinkType, value: Any, standard: Standard) -> bool:
    if not isinstance(value, dict):
        return False
    return all(takes(item, value.get(name), standard) for name, item in zip(flink.fields, flink.items, strict=True))


def _object(_flink: FlinkType, value: Any, _standard: Standard) -> bool:
    return isinstance(value, dict)


def _number(_flink: FlinkType, value: Any, _standard: Standard) -> bool:
    return is_number(value)


_TAKES: Mapping[str, Take] = {
    "BOOLEAN": _boolean,
    "CHAR": _text,
    "VARCHAR": _text,
    "BINARY": _binary,
    "VARBINARY": _binary,
    **dict.fromkeys(_INTEGERS, _integer),
    "DECIMAL": _decimal,
    "FLOAT": _floating,
    "DOUBLE": _floating,
    "DATE": _time,
    "TIME": _time,
    "TIMESTAMP": _time,
    "TIMESTAMP_LTZ": _time,
    "ARRAY": _array,
    "MAP": _map,
    "MULTISET": _multiset,
    "ROW": _row,
    "STRUCTURED": _row,
    # The names of JSON Schema that Flink SQL lacks.
    "NUMBER": _number,
    "OBJECT": _object,
}
# Where the types of the values say all.
_SETTLED: Mapping[str, frozenset[type]] = {
    "BOOLEAN": frozenset({bool}),
    "VARCHAR": frozenset({str, bool, int, Decimal, dict, list}),
    "NUMBER": frozenset({int, Decimal}),
    "OBJECT": frozenset({dict}),
}
