"""Flink SQL types: the one parser of them, and the type as a value.

The grammar is Flink's own (https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/types/), with the
spellings that its SQL parser takes besides: `CHARACTER VARYING(3)`, `ROW(a INT)`, `INT ARRAY`. The defaults are those
of Flink SQL, where `VARCHAR` alone is as long as `STRING`.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from streamt.diagnostics import did_you_mean
from streamt.sql.reserved import RESERVED
from streamt.sql.words import words

_BLANK = r"(?: \s | --[^\r\n]* | /\*.*?\*/ )*+"
_TOKEN = re.compile(
    rf"""{_BLANK} (?:
    (?P<name>  `(?:[^`]|``)*` )
  | (?P<word>  [A-Za-z_]\w* )
  | (?P<number>\d+ )
  | (?P<text>  '(?:[^']|'')*' )
  | (?P<mark>  <>|[<>(),] )
    )""",
    re.VERBOSE | re.DOTALL,
)
_END = re.compile(rf"{_BLANK}\Z", re.VERBOSE | re.DOTALL)
_LONGEST = 2**31 - 1
# Deeper types have no use, and would end the program instead of the check.
_DEEPEST = 50


class _Size(NamedTuple):
    """What the number in parentheses may be."""

    what: str
    low: int
    high: int
    default: int


_LENGTH, _WHOLE_LENGTH = _Size("length", 1, _LONGEST, 1), _Size("length", 1, _LONGEST, _LONGEST)
_FRACTION = _Size("precision", 0, 9, 6)
_SIZES: dict[str, tuple[_Size, ...]] = {
    "CHAR": (_LENGTH,),
    "VARCHAR": (_WHOLE_LENGTH,),
    "BINARY": (_LENGTH,),
    "VARBINARY": (_WHOLE_LENGTH,),
    "DECIMAL": (_Size("precision", 1, 38, 10), _Size("scale", 0, 38, 0)),
    "TIME": (_Size("precision", 0, 9, 0),),
    "TIMESTAMP": (_FRACTION,),
    "TIMESTAMP_LTZ": (_FRACTION,),
}
_LONG = ("VARCHAR", "VARBINARY")
_UNBOUND = {"STRING": "VARCHAR", "BYTES": "VARBINARY"}
_PLAIN = words("BOOLEAN TINYINT SMALLINT INT BIGINT FLOAT DOUBLE DATE VARIANT") | _UNBOUND.keys()
_SYNONYMS = {"CHARACTER": "CHAR", "INTEGER": "INT", "DEC": "DECIMAL", "NUMERIC": "DECIMAL"}
_CONTAINERS = frozenset({"ARRAY", "MAP", "MULTISET", "ROW", "STRUCTURED"})
_KNOWN = _PLAIN | _SIZES.keys() | _SYNONYMS.keys() | _CONTAINERS | {"INTERVAL", "RAW"}
_NUMERIC = frozenset({"TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL", "FLOAT", "DOUBLE"})
# The units of an interval, from the coarsest on, and to which of them each may go.
_INTERVALS = {
    "YEAR": ("MONTH",),
    "QUARTER": (),
    "MONTH": (),
    "WEEK": (),
    "DAY": ("HOUR", "MINUTE", "SECOND"),
    "HOUR": ("MINUTE", "SECOND"),
    "MINUTE": ("SECOND",),
    "SECOND": (),
}
_CLOSING = {"<": ">", "(": ")"}
_LEADING = _Size("precision", 1, 6, 2)


class InvalidTypeError(ValueError):
    """A text that is no type of Flink SQL.

    Attributes:
        text: the text.
        hint: what to do next, if that can be said.
    """

    def __init__(self, text: str, reason: str | None = None, hint: str | None = None) -> None:
        super().__init__(f"invalid Flink SQL type `{text}`" + (f": {reason}" if reason else ""))
        self.text = text
        self.hint = hint


@dataclass(frozen=True, slots=True)
class FlinkType:
    """One type; two spellings of one type are equal.

    Attributes:
        name: its root in one spelling: `VARCHAR` for `STRING`, `INTERVAL DAY TO SECOND` for an interval.
        sizes: the length, precision or scale, defaults filled in; none for a length without bound.
        items: the types inside: one of an array or multiset, two of a map, those of a row's fields.
        fields: the names of a row's fields.
        nullable: whether a value may be missing.
    """

    name: str
    sizes: tuple[int, ...] = ()
    items: tuple["FlinkType", ...] = ()
    fields: tuple[str, ...] = ()
    nullable: bool = True

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers."""
        return self.name in _NUMERIC

    def __str__(self) -> str:
        """Return the type as Flink itself writes it."""
        return _spelled(self) + ("" if self.nullable else " NOT NULL")


@lru_cache(maxsize=10_000)
def parse_type(text: str) -> FlinkType:
    """Return the Flink SQL type that `text` is.

    Raises:
        InvalidTypeError: it is none.
    """
    parser = _Parser(text, 0)
    parsed = parser.type()
    parser.end()
    return parsed


def known_type(text: str | None) -> FlinkType | None:
    """Return the type that `text` is; None where there is no text, or it is no type."""
    try:
        return parse_type(text) if text else None
    except InvalidTypeError:
        return None


def read_type(sql: str, start: int) -> tuple[FlinkType, int]:
    """Return the type that stands in `sql` from `start` on, and where it ends.

    Raises:
        InvalidTypeError: no type stands there.
    """
    parser = _Parser(sql, start)
    return parser.type(), parser.position


class _Token(NamedTuple):
    kind: str
    text: str
    end: int


_NOTHING = _Token("", "", 0)


class _Parser:
    """Reads one type, token by token, each only when it is asked for."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._start = start
        self.position = start
        self._depth = 0
        self._ahead = self._read(start)

    def type(self) -> FlinkType:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error(f"nested more than {_DEEPEST} levels deep")
        found = self._nullability(self._root())
        while self._is_word("ARRAY", "MULTISET"):
            found = self._nullability(FlinkType(self._take().text.upper(), items=(found,)))
        self._depth -= 1
        return found

    def end(self) -> None:
        if not _END.match(self._text, self.position):
            raise self._error()

    def _root(self) -> FlinkType:
        name = self._word()
        match name:
            case "INTERVAL":
                return self._interval()
            case "ROW":
                return self._row()
            case "STRUCTURED":
                return self._structured()
            case "RAW":
                return self._raw()
            case "ARRAY" | "MULTISET" | "MAP":
                return self._collection(name)
        if name in ("CHAR", "CHARACTER", "BINARY") and self._accept("VARYING"):
            name = "VARBINARY" if name == "BINARY" else "VARCHAR"
        if name == "DOUBLE":
            self._accept("PRECISION")
        if name not in _UNBOUND:
            name = _SYNONYMS.get(name, name)
        if name not in _PLAIN and name not in _SIZES:
            raise self._error(hint=did_you_mean(name, sorted(_KNOWN)))
        sizes = self._sizes(name)
        return FlinkType(self._zone(_UNBOUND.get(name, name)), sizes)

    def _zone(self, name: str) -> str:
        """Read `WITH LOCAL TIME ZONE`, which stands behind the precision."""
        if name in ("TIME", "TIMESTAMP") and self._accept("WITHOUT"):
            self._expect("TIME", "ZONE")
        elif name == "TIMESTAMP" and self._accept("WITH"):
            self._expect("LOCAL", "TIME", "ZONE")
            return "TIMESTAMP_LTZ"
        return name

    def _sizes(self, name: str) -> tuple[int, ...]:
        allowed = _SIZES.get(name, ())
        given = self._given(*allowed)
        sizes = given + tuple(size.default for size in allowed[len(given) :])
        if name == "DECIMAL" and sizes[1] > sizes[0]:
            raise self._error("the scale is larger than the precision")
        return () if name in _LONG and sizes == (_LONGEST,) else sizes

    def _given(self, *allowed: _Size) -> tuple[int, ...]:
        """Read the numbers in parentheses, if there are any."""
        if not allowed or not self._accept("("):
            return ()
        numbers = [self._number(allowed[0])]
        while len(numbers) < len(allowed) and self._accept(","):
            numbers.append(self._number(allowed[len(numbers)]))
        self._expect(")")
        return tuple(numbers)

    def _number(self, size: _Size) -> int:
        if self._ahead.kind != "number":
            raise self._error()
        text = self._take().text
        if len(text) > 10 or not size.low <= int(text) <= size.high:
            raise self._error(f"{size.what} must be {size.low} to {size.high}")
        return int(text)

    def _collection(self, name: str) -> FlinkType:
        self._expect("<")
        items = [self.type()]
        if name == "MAP":
            self._expect(",")
            items.append(self.type())
        self._expect(">")
        return FlinkType(name, items=tuple(items))

    def _row(self) -> FlinkType:
        if self._accept("<>"):
            return FlinkType("ROW")
        if self._ahead.text not in _CLOSING:
            raise self._error()
        return self._fields("ROW", _CLOSING[self._take().text])

    def _structured(self) -> FlinkType:
        """Read `STRUCTURED<'class', a INT>`; its class is nothing that a record shows."""
        self._expect("<")
        self._text_literal()
        if self._accept(">"):
            return FlinkType("STRUCTURED")
        self._expect(",")
        return self._fields("STRUCTURED", ">")

    def _fields(self, name: str, closing: str) -> FlinkType:
        names: list[str] = []
        items: list[FlinkType] = []
        while not self._accept(closing):
            if names:
                self._expect(",")
            names.append(self._field())
            if names[-1] in names[:-1]:
                raise self._error(f"duplicate field `{names[-1]}`")
            items.append(self.type())
            if self._ahead.kind == "text":
                self._take()  # a field's comment
        return FlinkType(name, items=tuple(items), fields=tuple(names))

    def _field(self) -> str:
        if self._ahead.kind == "name":
            return self._take().text[1:-1].replace("``", "`")
        name = self._ahead.text
        if self._word() in RESERVED:
            raise self._error(f"the field name `{name}` is a reserved word", f"write it in backticks: `` `{name}` ``")
        return name

    def _raw(self) -> FlinkType:
        """Read `RAW('class', 'serializer')`, whose texts nothing here asks for."""
        for mark in ("(", ","):
            self._expect(mark)
            self._text_literal()
        self._expect(")")
        return FlinkType("RAW")

    def _interval(self) -> FlinkType:
        unit = self._word()
        if unit not in _INTERVALS:
            raise self._error(hint=did_you_mean(unit, _INTERVALS))
        sizes = self._given(_LEADING, _FRACTION) if unit == "SECOND" else self._given(_LEADING)
        if not self._accept("TO"):
            return FlinkType(f"INTERVAL {unit}", sizes)
        last = self._word()
        if last not in _INTERVALS[unit]:
            raise self._error(f"an interval does not go from {unit} to {last}")
        return FlinkType(f"INTERVAL {unit} TO {last}", (*sizes, *(self._given(_FRACTION) if last == "SECOND" else ())))

    def _nullability(self, found: FlinkType) -> FlinkType:
        if self._accept("NOT"):
            self._expect("NULL")
            return FlinkType(found.name, found.sizes, found.items, found.fields, nullable=False)
        self._accept("NULL")
        return found

    # Tokens

    def _read(self, start: int) -> _Token:
        match = _TOKEN.match(self._text, start)
        return _Token(match.lastgroup or "", match[match.lastgroup or 0], match.end()) if match else _NOTHING

    def _take(self) -> _Token:
        taken = self._ahead
        if not taken.kind:
            raise self._error()
        self.position = taken.end
        self._ahead = self._read(taken.end)
        return taken

    def _word(self) -> str:
        if self._ahead.kind != "word":
            raise self._error()
        return self._take().text.upper()

    def _text_literal(self) -> None:
        if self._ahead.kind != "text":
            raise self._error()
        self._take()

    def _is_word(self, *words: str) -> bool:
        return self._ahead.kind == "word" and self._ahead.text.upper() in words

    def _accept(self, text: str) -> bool:
        if self._ahead.kind in ("word", "mark") and self._ahead.text.upper() == text:
            self._take()
            return True
        return False

    def _expect(self, *texts: str) -> None:
        for text in texts:
            if not self._accept(text):
                raise self._error()

    def _error(self, reason: str | None = None, hint: str | None = None) -> InvalidTypeError:
        text = self._text[self._start :] if self._start == 0 else self._text[self._start : self._ahead.end or None]
        return InvalidTypeError(text.strip(), reason, hint)


def _spelled(flink: FlinkType) -> str:
    if flink.name in _LONG and not flink.sizes:
        return "STRING" if flink.name == "VARCHAR" else "BYTES"
    if flink.name in ("ROW", "STRUCTURED"):
        names = (name.replace("`", "``") for name in flink.fields)
        fields = ", ".join(f"`{name}` {item}" for name, item in zip(names, flink.items, strict=True))
        return f"{flink.name}<{fields}>"
    if flink.items:
        return f"{flink.name}<{', '.join(map(str, flink.items))}>"
    return flink.name + (f"({', '.join(map(str, flink.sizes))})" if flink.sizes else "")
