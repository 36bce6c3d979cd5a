"""Which columns records have, and which type of DuckDB holds all values of each of them exactly."""

from collections.abc import Callable, Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from streamt.diagnostics import quote
from streamt.sql import FlinkType

# The digits of DuckDB's widest decimal: https://duckdb.org/docs/stable/sql/data_types/numeric
_DIGITS = 38
_DECLARED = {"TIMESTAMP": "TIMESTAMP", "TIMESTAMP_LTZ": "TIMESTAMPTZ", "DATE": "DATE", "TIME": "TIME"}
_PLAIN = {name: name for name in ("BOOLEAN", "TINYINT", "SMALLINT", "BIGINT", "FLOAT", "DOUBLE")} | {"INT": "INTEGER"}
# Fields at all levels. DuckDB takes seconds to make a table of so many, and minutes for ten times as many.
MOST_FIELDS = 2_000
# DuckDB takes names for equal that differ in the case of these letters alone.
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


class TooManyFieldsError(Exception):
    """The values have more different fields than a table should have columns."""


class _Room:
    """How many more fields there may be."""

    def __init__(self, left: int) -> None:
        self._left = left

    def take(self) -> None:
        """Take the room of one field.

        Raises:
            TooManyFieldsError: there is none left.
        """
        if not self._left:
            raise TooManyFieldsError
        self._left -= 1


class Shape:
    """What was seen of one value's place: its kinds, and the shapes within it.

    Attributes:
        fields: the shapes of an object's fields, by name.
    """

    def __init__(self, room: _Room | None = None) -> None:
        self._room = room or _Room(MOST_FIELDS)
        self._kinds: set[str] = set()
        self._whole = 1
        self._scale = 0
        self.fields: dict[str, Shape] = {}
        self._items: Shape | None = None

    def see(self, value: Any) -> None:
        """Take one value into account.

        Raises:
            TooManyFieldsError: it has fields that were not seen before, and there is no room for them.
        """
        match value:
            case None:
                return
            case bool():
                self._kinds.add("BOOLEAN")
            case int() | Decimal():
                self._see_number(value)
            case dict():
                self._kinds.add("OBJECT")
                for name, each in value.items():
                    self._field(name).see(each)
            case list():
                self._kinds.add("LIST")
                self._items = self._items or Shape(self._room)
                for each in value:
                    self._items.see(each)
            case _:
                self._kinds.add(_scalar_kind(value))

    def _field(self, name: str) -> "Shape":
        found = self.fields.get(name)
        if found is None:
            self._room.take()
            found = self.fields[name] = Shape(self._room)
        return found

    def _see_number(self, value: int | Decimal) -> None:
        self._kinds.add("NUMBER")
        _sign, digits, exponent = Decimal(value).as_tuple()
        exponent = int(exponent)
        self._whole = max(self._whole, len(digits) + exponent)
        self._scale = max(self._scale, -exponent)

    @property
    def is_empty(self) -> bool:
        """Whether no value was seen."""
        return not self._kinds

    @property
    def is_text(self) -> bool:
        """Whether all values seen are texts, so that a declared type may say what they mean."""
        return self._kinds == {"VARCHAR"}

    def structure(self, is_meant: Callable[[str], bool]) -> Any:
        """Give the type in the form that DuckDB's `from_json` takes.

        Args:
            is_meant: tells whether a name is meant as it is spelled; see `distinct`.

        Raises:
            ValueError: names that are meant differ only in case.
        """
        if self._kinds == {"OBJECT"} and (names := distinct(self.fields, is_meant)):
            return {name: self.fields[name].structure(is_meant) for name in names}
        if self._kinds == {"LIST"} and self._items is not None:
            return [self._items.structure(is_meant)]
        if self._kinds == {"NUMBER"}:
            return self._number()
        if self._kinds == {"NUMBER", "DOUBLE"}:
            return "DOUBLE"
        simple = len(self._kinds) == 1 and not self._kinds & {"OBJECT", "LIST"}
        return next(iter(self._kinds)) if simple else "VARCHAR"

    def _number(self) -> str:
        if self._whole + self._scale > _DIGITS:
            return "DOUBLE"
        return f"DECIMAL({_DIGITS},{self._scale})" if self._scale else self._integer()

    def _integer(self) -> str:
        return "BIGINT" if self._whole <= 18 else f"DECIMAL({_DIGITS},0)"


def fold(name: str) -> str:
    """Return what is equal for names that DuckDB takes for one."""
    return name.translate(_LOWER)


def distinct(names: Iterable[str], is_meant: Callable[[str], bool]) -> list[str]:
    """Give the names that can be columns side by side in DuckDB.

    Of names that differ only in case, it is the one that is meant, or else the first. Names that DuckDB cannot have,
    as they are empty or hold a zero, are left out.

    Args:
        names: all names, in order.
        is_meant: tells whether the declared columns or the query have a name as it is spelled.

    Raises:
        ValueError: two names that are meant differ only in case; in words for the user.
    """
    alike: dict[str, list[str]] = {}
    for name in names:
        if name and "\0" not in name:
            alike.setdefault(fold(name), []).append(name)
    return [group[0] if len(group) == 1 else _meant(group, is_meant) for group in alike.values()]


def _meant(names: list[str], is_meant: Callable[[str], bool]) -> str:
    meant = [name for name in names if is_meant(name)]
    if len(meant) > 1:
        told = " and ".join(quote(name) for name in meant)
        raise ValueError(f"custom_sql cannot tell {told} apart: DuckDB, which runs the query, ignores case in names")
    return (meant or names)[0]


def empty_type(declared: FlinkType | None) -> str:
    """Give the type of DuckDB for a column of type `declared` in which no value was seen."""
    return declared_type(declared) or _PLAIN.get(declared.name if declared else "", "VARCHAR")


def declared_type(declared: FlinkType | None) -> str | None:
    """Give the type of DuckDB for texts of a column of type `declared`; None if they are to stay texts."""
    if declared is None:
        return None
    if declared.name == "DECIMAL":
        return f"DECIMAL({','.join(map(str, declared.sizes))})"
    return _DECLARED.get(declared.name)


def _scalar_kind(value: object) -> str:
    """Name the DuckDB type of a value that is neither a number nor holds others."""
    match value:
        case datetime():
            return "TIMESTAMPTZ" if value.tzinfo else "TIMESTAMP"
        case date():
            return "DATE"
        case float():
            return "DOUBLE"
        case _:
            return "VARCHAR"
