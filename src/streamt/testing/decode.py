"""What the bytes of a record say.

Numbers are exact: integers stay integers, all others become `Decimal`. A value that cannot be read is no record, and
nothing of it is ever shown.
"""

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Protocol, TypeGuard

Record = Mapping[str, Any]
# Levels of objects and lists within each other; deeper ones would exhaust the stack of what looks at them.
DEPTH = 100


class Undecodable(Exception):  # noqa: N818 - a verdict on a record, not on us
    """A value is not what it should be; it says nothing of the content."""


class Decoder(Protocol):
    """Turns the value of one record into its columns."""

    def __call__(self, value: bytes, /) -> Record:
        """Decode `value`.

        Raises:
            Undecodable: it is not in this decoder's format.
        """


def _refuse_constant(_name: str) -> None:
    raise Undecodable


_DECODER = json.JSONDecoder(parse_float=Decimal, parse_constant=_refuse_constant)
_scan: Callable[[str, int], tuple[Any, int]] = _DECODER.scan_once  # type: ignore[attr-defined] # typeshed lacks it


def decode_json(value: bytes) -> Record:
    """Decode one JSON object (RFC 8259): UTF-8, without `NaN` and `Infinity`.

    Raises:
        Undecodable: it is none.
    """
    try:
        text = value.decode()
        # The scanner alone is a third faster than the decoder, which looks for white space on both sides.
        record, end = _scan(text, 0) if text.startswith("{") else (None, 0)
        if end != len(text):
            record = _DECODER.decode(text)
    except (ValueError, ArithmeticError, RecursionError, StopIteration) as error:
        # Of arithmetic: an exponent that no `Decimal` can have.
        raise Undecodable from error
    if not is_record(record) or (_may_be_odd(text) and not _is_sound(record, DEPTH)):
        raise Undecodable
    return record


def _may_be_odd(text: str) -> bool:
    """Tell quickly whether a text may hold a lone surrogate, or be too deep."""
    return "\\ud" in text or "\\uD" in text or text.count("{") + text.count("[") > DEPTH


def _is_sound(value: Any, depth: int) -> bool:
    """Tell whether all texts in `value` are Unicode, and it has no more than `depth` levels."""
    match value:
        case str():
            return not any("\ud800" <= letter <= "\udfff" for letter in value)
        case dict():
            return depth > 0 and all(_is_sound(key, 0) and _is_sound(each, depth - 1) for key, each in value.items())
        case list():
            return depth > 0 and all(_is_sound(each, depth - 1) for each in value)
        case _:
            return True


def is_record(value: object) -> TypeGuard[Record]:
    """Tell whether a decoded value has columns."""
    return isinstance(value, dict)


def exact(value: Any, depth: int = DEPTH) -> Any:
    """Give `value` with every finite float in it as the decimal that it is written as.

    Raises:
        Undecodable: it has more than `depth` levels.
    """
    if depth < 0:
        raise Undecodable
    match value:
        case float():
            number = Decimal(repr(value))
            return number if number.is_finite() else value
        case dict():
            return {key: exact(each, depth - 1) for key, each in value.items()}
        case list() | tuple():
            return [exact(each, depth - 1) for each in value]
        case _:
            return value
