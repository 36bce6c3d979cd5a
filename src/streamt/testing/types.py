"""Flink SQL types, as far as a record's value can be held against them.

https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/types/ has the types; what JSON has for each of
them is as Flink's JSON format reads it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from streamt.testing.values import is_number

_TOKEN = re.compile(r"\s*(?:(`(?:[^`]|``)*`)|([A-Za-z_]\w*)|(\d+)|('(?:[^']|'')*')|([<>(),]))")
_INTEGERS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "INTEGER": 32, "BIGINT": 64}
_TIMES = ("TIME", "TIMESTAMP", "TIMESTAMP_LTZ")
_SYNONYMS = {
    "STRING": "VARCHAR",
    "INTEGER": "INT",
    "BYTES": "VARBINARY",
    "DEC": "DECIMAL",
    "NUMERIC": "DECIMAL",
    "DOUBLE PRECISION": "DOUBLE",
    "TIMESTAMP WITH LOCAL TIME ZONE": "TIMESTAMP_LTZ",
    "TIMESTAMP WITHOUT TIME ZONE": "TIMESTAMP",
    "TIME WITHOUT TIME ZONE": "TIME",
}
# The names of JSON Schema that Flink SQL lacks.
_JSON_NAMES = {"NUMBER", "OBJECT"}
_SIMPLE = {"BOOLEAN", "VARCHAR", "CHAR", "VARBINARY", "BINARY", "DECIMAL", "FLOAT", "DOUBLE", "DATE", "ARRAY"}
_KNOWN = _SIMPLE | _INTEGERS.keys() | set(_TIMES) | _JSON_NAMES | {"MAP", "ROW", "MULTISET"}
_NUMERIC = _INTEGERS.keys() | {"DECIMAL", "FLOAT", "DOUBLE", "NUMBER"}
# Where the Python type of a value says all: no need to look at each value.
_SETTLED: dict[str, frozenset[type]] = {
    "BOOLEAN": frozenset({bool}),
    "VARCHAR": frozenset({str, UUID}),
    "FLOAT": frozenset({int, Decimal, float}),
    "DOUBLE": frozenset({int, Decimal, float}),
    "NUMBER": frozenset({int, Decimal, float}),
}


@dataclass(frozen=True, slots=True)
class FlinkType:
    """One type.

    Attributes:
        text: as it was written.
        name: its canonical name, such as `VARCHAR` for `STRING`.
        sizes: the numbers in parentheses, such as `(10, 2)`.
        items: the types in angle brackets: one of an array, two of a map, those of a row's fields.
        fields: the names of a row's fields.
        nullable: whether a value may be missing.
    """

    text: str = field(compare=False)
    name: str
    sizes: tuple[int, ...] = ()
    items: tuple["FlinkType", ...] = ()
    fields: tuple[str, ...] = ()
    nullable: bool = True

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers."""
        return self.name in _NUMERIC

    @property
    def is_time(self) -> bool:
        """Whether its values tell a point in time, by themselves or as a number since 1970."""
        return self.name in ("TIMESTAMP", "TIMESTAMP_LTZ", "BIGINT", "VARCHAR", "DATE")

    @property
    def family(self) -> str:
        """What it can be compared with: all numbers are of one family, all texts of another."""
        if self.is_numeric:
            return "NUMBER"
        return "VARCHAR" if self.name in ("CHAR", "VARCHAR") else self.name

    def admits_types(self, types: set[type]) -> bool:
        """Tell whether values of these Python types are certainly all of this type."""
        settled = _SETTLED.get(self.name, frozenset()) if not self.sizes else frozenset[type]()
        return types - ({type(None)} if self.nullable else set()) <= settled

    def admits(self, value: Any) -> bool:
        """Tell whether `value`, as decoded from JSON or Avro, is of this type."""
        return self.nullable if value is None else _ADMITS[self.name](self, value)


def parse_type(text: str) -> FlinkType:
    """Read a type of Flink SQL; `number` and `object` of JSON Schema are known too.

    Raises:
        ValueError: it is none.
    """
    parser = _Parser(text)
    parsed = parser.type()
    parser.end()
    return parsed


def known_type(text: str | None) -> FlinkType | None:
    """Read a type; None where there is none, or one that is not known."""
    try:
        return parse_type(text) if text else None
    except ValueError:
        return None


class _Parser:
    """Reads one type, token by token."""

    def __init__(self, text: str) -> None:
        self._text = text.strip()
        self._tokens: list[str] = []
        self._next = 0
        position = 0
        while position < len(self._text):
            match = _TOKEN.match(self._text, position)
            if match is None:
                raise self.error()
            self._tokens.append(match[match.lastindex or 0])
            position = match.end()

    def error(self) -> ValueError:
        return ValueError(f"`{self._text}` is no type of Flink SQL")

    def end(self) -> None:
        if self._next < len(self._tokens):
            raise self.error()

    def type(self) -> FlinkType:
        start = self._next
        name = self._name()
        sizes = self._sizes()
        name = self._zone(name)
        items, fields = self._items(name)
        nullable = self._nullable()
        if name not in _KNOWN or (name == "ARRAY" and len(items) > 1) or (name == "MAP" and len(items) not in (0, 2)):
            raise self.error()
        text = self._text if start == 0 else name
        return FlinkType(text, name, sizes, items, fields, nullable)

    def _name(self) -> str:
        name = self._take().upper()
        if name == "DOUBLE" and self._accept("PRECISION"):
            name = "DOUBLE"
        return _SYNONYMS.get(name, name)

    def _zone(self, name: str) -> str:
        """Read `WITH LOCAL TIME ZONE`, which stands behind the precision."""
        for words in ("WITH LOCAL TIME ZONE", "WITHOUT TIME ZONE"):
            if self._peek() == words.split()[0] and name in _TIMES:
                for word in words.split():
                    self._expect(word)
                return _SYNONYMS[f"{name} {words}"]
        return name

    def _sizes(self) -> tuple[int, ...]:
        sizes: list[int] = []
        if self._peek() == "(" and self._peek(1).isdigit():
            self._take()
            while not sizes or self._accept(","):
                sizes.append(int(self._take()) if self._peek().isdigit() else self._fail())
            self._expect(")")
        return tuple(sizes)

    def _items(self, name: str) -> tuple[tuple[FlinkType, ...], tuple[str, ...]]:
        closing = {"<": ">", "(": ")"}.get(self._peek())
        if name not in ("ARRAY", "MAP", "MULTISET", "ROW") or closing is None:
            return (), ()
        self._take()
        items: list[FlinkType] = []
        fields: list[str] = []
        while not items or self._accept(","):
            if name == "ROW":
                fields.append(self._take().strip("`").replace("``", "`"))
            items.append(self.type())
            if self._peek().startswith("'"):
                self._take()  # a field's comment
        self._expect(closing)
        return tuple(items), tuple(fields)

    def _nullable(self) -> bool:
        if self._accept("NOT"):
            self._expect("NULL")
            return False
        self._accept("NULL")
        return True

    def _peek(self, ahead: int = 0) -> str:
        position = self._next + ahead
        return self._tokens[position].upper() if position < len(self._tokens) else ""

    def _take(self) -> str:
        if self._next >= len(self._tokens):
            raise self.error()
        self._next += 1
        return self._tokens[self._next - 1]

    def _accept(self, token: str) -> bool:
        if self._peek() != token:
            return False
        self._next += 1
        return True

    def _expect(self, token: str) -> None:
        if not self._accept(token):
            raise self.error()

    def _fail(self) -> int:
        raise self.error()


def _boolean(_type: FlinkType, value: Any) -> bool:
    return isinstance(value, bool)


def _text(flink: FlinkType, value: Any) -> bool:
    if isinstance(value, UUID):
        return True
    return isinstance(value, str) and (not flink.sizes or len(value) <= flink.sizes[0])


def _binary(_type: FlinkType, value: Any) -> bool:
    return isinstance(value, bytes | str)  # JSON has base64


def _integer(flink: FlinkType, value: Any) -> bool:
    bound = 1 << (_INTEGERS[flink.name] - 1)
    return is_number(value) and -bound <= value < bound and value == round(value)


def _decimal(flink: FlinkType, value: Any) -> bool:
    if not is_number(value):
        return False
    precision, scale = (*flink.sizes, 10, 0)[:2] if len(flink.sizes) != 1 else (flink.sizes[0], 0)
    _sign, digits, exponent = Decimal(value).as_tuple()
    text = "".join(map(str, digits))
    significant = text.rstrip("0")
    decimals = -(int(exponent) + len(text) - len(significant)) if significant else 0
    whole = len(significant) - decimals if significant else 0
    return decimals <= scale and whole <= precision - scale


def _number(_type: FlinkType, value: Any) -> bool:
    return is_number(value) or isinstance(value, float)


def _date(_type: FlinkType, value: Any) -> bool:
    if isinstance(value, str):
        return _reads(date.fromisoformat, value)
    return isinstance(value, date) and not isinstance(value, datetime)


def _time(_type: FlinkType, value: Any) -> bool:
    return _reads(time.fromisoformat, value) if isinstance(value, str) else isinstance(value, time)


def _timestamp(_type: FlinkType, value: Any) -> bool:
    if isinstance(value, str):
        return len(value) > len("2026-11-30") and _reads(datetime.fromisoformat, value)
    return isinstance(value, datetime)


def _reads(read: Callable[[str], object], value: str) -> bool:
    try:
        read(value)
    except ValueError:
        return False
    return True


def _array(flink: FlinkType, value: Any) -> bool:
    return isinstance(value, list) and all(item.admits(each) for item in flink.items for each in value)


def _map(flink: FlinkType, value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return not flink.items or all(flink.items[-1].admits(each) for each in value.values())


def _multiset(_type: FlinkType, value: Any) -> bool:
    return isinstance(value, dict) and all(map(is_number, value.values()))


def _row(flink: FlinkType, value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return all(item.admits(value.get(name)) for name, item in zip(flink.fields, flink.items, strict=True))


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
    **dict.fromkeys(_INTEGERS, _integer),
}
