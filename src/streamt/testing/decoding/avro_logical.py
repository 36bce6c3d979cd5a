"""What Avro's logical types make of the values that they stand on.

https://avro.apache.org/docs/1.12.0/specification/#logical-types
"""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Self
from uuid import UUID

from streamt.testing.decoding.faults import Kind, Undecodable

Convert = Callable[[Any], Any]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_SECONDS = 86_400


class NanosecondTime(datetime):
    """A point in time whose text has nine decimals of a second; to everything else it has six.

    Attributes:
        below: the nanoseconds below the last whole microsecond.
    """

    below: int

    @classmethod
    def of(cls, moment: datetime, below: int) -> Self:
        """Return `moment` with `below` nanoseconds more, from 0 to 999."""
        found = cls.combine(moment.date(), moment.timetz())
        found.below = below
        return found

    def isoformat(self, sep: str = "T", timespec: str = "auto") -> str:  # noqa: ARG002 - as the class above has it
        """Return the text."""
        text = super().isoformat(sep, "microseconds")
        return f"{text[:26]}{self.below:03}{text[26:]}"

    def __str__(self) -> str:
        return self.isoformat(" ")


def logical(base: str, name: str, schema: Mapping[str, Any]) -> Convert | None:
    """Return what the logical type `name` makes of values of the type `base`; None for one that is not known.

    As the specification demands, a logical type that does not fit its base is no logical type.
    """
    if name == "decimal" and base in ("bytes", "fixed"):
        return _decimal(schema)
    if (base, name) == ("fixed", "uuid"):
        return _uuid_of_bytes if schema.get("size") == 16 else None
    return _PLAIN.get((base, name))


def _decimal(schema: Mapping[str, Any]) -> Convert | None:
    precision, scale = schema.get("precision"), schema.get("scale", 0)
    if type(precision) is not int or type(scale) is not int or not 0 <= scale <= precision:
        return None

    def convert(value: bytes) -> Decimal:
        number = int.from_bytes(value, signed=True)
        try:
            return Decimal(f"{number}E-{scale}")
        except ValueError as error:  # more digits than Python writes
            raise Undecodable(Kind.NUMBER) from error

    return convert


def _in_range(convert: Convert) -> Convert:
    def converted(value: int) -> Any:
        try:
            return convert(value)
        except (OverflowError, ValueError) as error:
            raise Undecodable(Kind.TIME_RANGE) from error

    return converted


def _date(days: int) -> date:
    return date.fromordinal(_EPOCH.toordinal() + days)


def _time(per_second: int) -> Convert:
    def convert(value: int) -> time:
        seconds, rest = divmod(value, per_second)
        if not 0 <= seconds < _DAY_SECONDS:
            raise ValueError
        return time(seconds // 3600, seconds // 60 % 60, seconds % 60, rest * (1_000_000 // per_second))

    return convert


def _timestamp(per_second: int, *, local: bool) -> Convert:
    epoch = _EPOCH.replace(tzinfo=None) if local else _EPOCH

    def convert(value: int) -> datetime:
        seconds, rest = divmod(value, per_second)
        if per_second <= 1_000_000:
            return epoch + timedelta(seconds=seconds, microseconds=rest * (1_000_000 // per_second))
        return NanosecondTime.of(epoch + timedelta(seconds=seconds, microseconds=rest // 1000), rest % 1000)

    return convert


def _uuid(value: str) -> UUID:
    try:
        return UUID(value)
    except ValueError as error:
        raise Undecodable(Kind.NOT_AVRO) from error


def _uuid_of_bytes(value: bytes) -> UUID:
    return UUID(bytes=value)


_PLAIN: Mapping[tuple[str, str], Convert] = {
    ("int", "date"): _in_range(_date),
    ("int", "time-millis"): _in_range(_time(1_000)),
    ("long", "time-micros"): _in_range(_time(1_000_000)),
    ("string", "uuid"): _uuid,
    **{
        ("long", f"{prefix}timestamp-{unit}"): _in_range(_timestamp(per_second, local=bool(prefix)))
        for prefix in ("", "local-")
        for unit, per_second in (("millis", 10**3), ("micros", 10**6), ("nanos", 10**9))
    },
}
