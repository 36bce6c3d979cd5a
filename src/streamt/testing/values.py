"""What the values of records are to assertions: numbers, times, and things to be equal or not."""

import hashlib
from collections.abc import Hashable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, TypeGuard
from uuid import UUID

# Longer texts and numbers are kept as digests, so that a key takes the same memory whatever it says.
_SHORT = 16
_INT64 = 1 << 63
_NUMBERS = frozenset({int, Decimal})
# Epoch times: what is below the first is in seconds, then milliseconds, then microseconds, then nanoseconds.
_EPOCH_UNITS = ((10**11, 1), (10**14, 10**3), (10**17, 10**6), (10**20, 10**9))


def is_number(value: object) -> TypeGuard[int | Decimal]:
    """Tell whether `value` is a number; a truth value is none."""
    return type(value) in _NUMBERS


def are_numbers(values: list[Any]) -> bool:
    """Tell whether all of `values` are numbers."""
    return set(map(type, values)) <= _NUMBERS


def exact(value: Any) -> Any:
    """Return `value` with every finite float in it as the shortest decimal that stands for it."""
    match value:
        case float():
            number = Decimal(repr(value))
            return number if number.is_finite() else value
        case dict():
            return {key: exact(each) for key, each in value.items()}
        case list() | tuple():
            return [exact(each) for each in value]
        case _:
            return value


def exact_number(value: float) -> Decimal:
    """Give a number of the project file as the decimal that was written there."""
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def identity(value: Any) -> Hashable:
    """Give what is equal for equal values and for no others, in constant memory.

    `1`, `1.0` and `1.00` are one value; `1`, `true` and `"1"` are three.
    """
    match value:
        case str():
            return value if len(value) <= _SHORT else _digest("text", value)
        case bool():
            return ("bool", value)
        case int() | Decimal():
            whole = int(value) if -_INT64 <= value < _INT64 else None
            return whole if whole == value else _digest("number", _canonical(value))
        case None:
            return None
        case _:
            return _other_identity(value)


def _other_identity(value: object) -> Hashable:
    """Give the identity of a value that is neither text nor a number; a time, date or UUID is the text of it."""
    match value:
        case date() | time():
            return identity(value.isoformat())
        case UUID():
            return identity(str(value))
        case dict():
            return _digest("object", repr(sorted((key, identity(each)) for key, each in value.items())))
        case list():
            return _digest("list", repr([identity(each) for each in value]))
        case _:
            return _digest("other", repr(value))


def _canonical(number: int | Decimal) -> str:
    """Write a number so that equal ones are written alike, without rounding."""
    sign, digits, exponent = Decimal(number).as_tuple()
    text = "".join(map(str, digits))
    stripped = text.rstrip("0")
    if not stripped or not isinstance(exponent, int):
        return "0" if not stripped else str(exponent)
    return f"{'-' * sign}{stripped}E{exponent + len(text) - len(stripped)}"


def _digest(kind: str, text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, person=kind.encode()).digest()


def epoch_seconds(value: Any) -> Decimal | None:
    """Read a point in time.

    Args:
        value: an aware or naive (then UTC) datetime, ISO 8601 or SQL text, or a number since 1970: seconds,
            milliseconds, microseconds or nanoseconds, whichever puts it between 1973 and 5138.

    Returns:
        Seconds since 1970, or None if it is no time.
    """
    if is_number(value):
        number = Decimal(value)
        # Not `abs`: it overflows where a comparison does not.
        return next((number / unit for limit, unit in _EPOCH_UNITS if -limit < number < limit), None)
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    return Decimal(repr(aware.timestamp()))
