"""Spans of time as the language writes them: `500ms`, `30s`, `2m`."""

import re
from decimal import Decimal

_UNITS = {"ms": "0.001", "millisecond": "0.001", "s": "1", "second": "1", "m": "60", "minute": "60"}
_UNITS |= {"h": "3600", "hour": "3600", "d": "86400", "day": "86400"}
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([a-z]+)")


def seconds(text: str) -> Decimal:
    """Give the seconds of `text`, which the language has checked to be a duration.

    Raises:
        ValueError: it is none.
    """
    match = _DURATION.fullmatch(text)
    unit = match and (_UNITS.get(match[2]) or _UNITS.get(match[2].removesuffix("s")))
    if not match or not unit:
        raise ValueError("not a duration such as 500ms, 30s or 2m")
    return Decimal(match[1]) * Decimal(unit)
