"""Flink SQL types, as far as values are held against them: those of Avro, and those that a project declares.

What Flink's JSON format makes of JSON is in `flink_json`.
"""

from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from streamt.sql import FlinkType, parse_type
from streamt.testing.flink_json import Standard, takes
from streamt.testing.values import is_number

_INTEGERS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
# The names of JSON Schema that Flink SQL lacks, or that say less there.
_JSON_NAMES = {"number": "NUMBER", "object": "OBJECT", "array": "ARRAY"}
_TIMES = ("TIMESTAMP", "TIMESTAMP_LTZ", "BIGINT", "VARCHAR", "DATE")


def accepted_type(text: str) -> FlinkType:
    """Return the type that `text` names: one of Flink SQL, or `number`, `object` and `array` of JSON Schema.

    Raises:
        ValueError: it is none; in words for the user.
    """
    name = _JSON_NAMES.get(text.strip().lower())
    return FlinkType(name) if name else parse_type(text)


def known_accepted_type(text: str) -> FlinkType | None:
    """Return what `accepted_type` does; None where that is an error."""
    try:
        return accepted_type(text)
    except ValueError:
        return None


def tells_time(flink: FlinkType) -> bool:
    """Report whether values tell a point in time, by themselves or as a number since 1970."""
    return flink.name in _TIMES


def family(flink: FlinkType) -> str:
    """Return what a type can be compared with: all numbers are of one family, all texts of another."""
    if flink.is_numeric or flink.name == "NUMBER":
        return "NUMBER"
    return "VARCHAR" if flink.name in ("CHAR", "VARCHAR") else flink.name


def admits(flink: FlinkType, value: Any) -> bool:
    """Report whether `value`, as decoded from Avro or declared in the project, is of this type."""
    return flink.nullable if value is None else _ADMITS.get(flink.name, _anything)(flink, value)


def _anything(_flink: FlinkType, _value: Any) -> bool:
    # A VARIANT may be anything, and nobody says what a RAW or an INTERVAL is in JSON.
    return True


def _boolean(_flink: FlinkType, value: Any) -> bool:
    return isinstance(value, bool)


def _text(flink: FlinkType, value: Any) -> bool:
    if isinstance(value, UUID):
        return True
    return isinstance(value, str) and (not flink.sizes or len(value) <= flink.sizes[0])


def _binary(_flink: FlinkType, value: Any) -> bool:
    return isinstance(value, bytes | str)  # JSON has base64


def _integer(flink: FlinkType, value: Any) -> bool:
    bound = 1 << (_INTEGERS[flink.name] - 1)
    return is_number(value) and -bound <= value < bound and value == round(value)


def _decimal(flink: FlinkType, value: Any) -> bool:
    if not is_number(value):
        return False
    precision, scale = flink.sizes
    _sign, digits, exponent = Decimal(value).as_tuple()
    text = "".join(map(str, digits))
    significant = text.rstrip("0")
    decimals = -(int(exponent) + len(text) - len(significant)) if significant else 0
    whole = len(significant) - decimals if significant else 0
    return decimals <= scale and whole <= precision - scale


def _number(_flink: FlinkType, value: Any) -> bool:
    return is_number(value) or isinstance(value, float)


def _date(flink: FlinkType, value: Any) -> bool:
    return _is_written(flink, value) or (isinstance(value, date) and not isinstance(value, datetime))


def _time(flink: FlinkType, value: Any) -> bool:
    return _is_written(flink, value) or isinstance(value, time)


def _timestamp(flink: FlinkType, value: Any) -> bool:
    return _is_written(flink, value) or isinstance(value, datetime)


def _is_written(flink: FlinkType, value: Any) -> bool:
    """Report whether a text is a time as Flink's JSON writes it, by either standard."""
    return isinstance(value, str) and any(takes(flink, value, standard) for standard in Standard)


def _array(flink: FlinkType, value: Any) -> bool:
    return isinstance(value, list) and all(admits(item, each) for item in flink.items for each in value)


def _map(flink: FlinkType, value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return not flink.items or all(admits(flink.items[-1], each) for each in value.values())


def _multiset(_flink: FlinkType, value: Any) -> bool:
    return isinstance(value, dict) and all(map(is_number, value.values()))


def _row(flink: FlinkType, value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return all(admits(item, value.get(name)) for name, item in zip(flink.fields, flink.items, strict=True))


_ADMITS: dict[str, Callable[[FlinkType, Any], bool]] = {
    "BOOLEAN": _boolean,
    "VARCHAR": _text,
    "CHAR": _text,
    "VARBINARY": _binary,
    "BINARY": _binary,
    "DECIMAL": _decimal,
    "FLOAT": _number,
    "DOUBLE": _number,
    "NUMBER": _number,
    "DATE": _date,
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "TIMESTAMP_LTZ": _timestamp,
    "ARRAY": _array,
    "MAP": _map,
    "OBJECT": _map,
    "MULTISET": _multiset,
    "ROW": _row,
    "STRUCTURED": _row,
    **dict.fromkeys(_INTEGERS, _integer),
}
