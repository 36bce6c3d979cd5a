"""From untrusted bytes to JSON objects, each with its own bytes, or what is wrong with them: limits before anything.

Source: catalog.md, "Endpoint" (the rows 400, 413, 415) and C3; lineage-ingestion, "Events Qualytics Reads".
"""

import json
import math
import re
import zlib
from dataclasses import dataclass

MAX_SENT = 10 * 1024 * 1024
MAX_UNPACKED = 64 * 1024 * 1024
MAX_LEVELS = 100
MAX_EVENTS = 10_000

_GZIP = 16 + zlib.MAX_WBITS
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', re.DOTALL)
_SUSPECT = re.compile(r"\\u(?:0000|[dD][89abAB-fF])")
_UNPAIRED = re.compile(r"[\x00\ud800-\udfff]")
_SPACE = re.compile(r"[ \t\n\r]*")


class RefusedError(Exception):
    """A body that is not taken, as a whole.

    Attributes:
        status: the HTTP status: 400, 413 or 415.
        detail: what is wrong.
    """

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Item:
    """One element of a body.

    Attributes:
        raw: its bytes as they came.
        value: what JSON makes of them.
    """

    raw: bytes
    value: object


@dataclass(frozen=True, slots=True)
class Body:
    """A body that could be read.

    Attributes:
        items: its events; or what stands in their places.
        is_array: whether it came as an array.
    """

    items: tuple[Item, ...]
    is_array: bool


def unpack(data: bytes, encoding: str, *, limit: int = MAX_UNPACKED) -> bytes:
    """Undo a content encoding, within a limit of memory.

    Args:
        data: the body as sent.
        encoding: the value of `Content-Encoding`.
        limit: the most bytes that may come out.

    Raises:
        RefusedError: 415 for an unknown encoding, 400 for damaged data, 413 for too much of it.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return data
    if name not in ("gzip", "x-gzip"):
        raise RefusedError(415, "unsupported content encoding; send the body plain or with gzip")
    out, rest = bytearray(), data
    while rest:
        rest = _member(rest, out, limit)
    if not out:
        raise RefusedError(400, "an empty body")
    return bytes(out)


def _member(data: bytes, out: bytearray, limit: int) -> bytes:
    """Unpack one member of a gzip stream; the rest of `data` is returned."""
    unpacker = zlib.decompressobj(_GZIP)
    try:
        out += unpacker.decompress(data, limit + 1 - len(out))
    except zlib.error:
        raise RefusedError(400, "damaged gzip data") from None
    if len(out) > limit:
        raise RefusedError(413, f"the body is larger than {limit} bytes when unpacked")
    if not unpacker.eof:
        raise RefusedError(400, "incomplete gzip data")
    return unpacker.unused_data


def decode(data: bytes) -> Body:
    """Read a body: one JSON object, or an array of events.

    Raises:
        RefusedError: 400 when it is not JSON as it is allowed here, 413 for too many events.
    """
    text = _text(data)
    _check_levels(text)
    start = _skip(text, 0)
    if text[start : start + 1] not in ("{", "["):
        raise RefusedError(400, "the body must be a JSON object or an array of them")
    is_array = text[start] == "["
    try:
        items = _array(text, start) if is_array else (_whole(text, start),)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, f"invalid JSON: {_reason(error)}") from None
    suspect = _SUSPECT.search(text) is not None
    if suspect and any(_has_forbidden(item.value) for item in items):
        raise RefusedError(400, "the body holds `\\u0000` or an unpaired surrogate")
    return Body(items, is_array)


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RefusedError(400, "the body is not UTF-8") from None


def _check_levels(text: str) -> None:
    """Refuse nesting beyond the limit before a parser sees it; the outermost value is level 1 (C3)."""
    if text.count("{") + text.count("[") <= MAX_LEVELS:
        return
    level = 0
    for token in _TOKENS.finditer(text):
        first = text[token.start()]
        if first in "[{":
            level += 1
            if level > MAX_LEVELS:
                raise RefusedError(400, f"JSON nested more than {MAX_LEVELS} levels")
        elif first in "]}":
            level -= 1


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("a number that overflows")
    return value


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)


def _whole(text: str, start: int) -> Item:
    value, end = _DECODER.raw_decode(text, start)
    if _skip(text, end) != len(text):
        raise ValueError("text after the end of the value")
    return Item(text[start:end].encode(), value)


def _array(text: str, start: int) -> tuple[Item, ...]:
    items: list[Item] = []
    at = _skip(text, start + 1)
    if text[at : at + 1] == "]":
        at += 1
    else:
        while True:
            value, end = _DECODER.raw_decode(text, at)
            items.append(Item(text[at:end].encode(), value))
            at = _skip(text, end)
            closing = text[at : at + 1]
            at = _skip(text, at + 1)
            if closing == "]":
                break
            if closing != ",":
                raise ValueError("`,` or `]` is missing")
    if _skip(text, at) != len(text):
        raise ValueError("text after the end of the array")
    if len(items) > MAX_EVENTS:
        raise RefusedError(413, f"an array of more than {MAX_EVENTS} events")
    return tuple(items)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} (line {error.lineno}, column {error.colno})"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "a number with too many digits" if "digits" in str(error) else str(error)


def _has_forbidden(value: object) -> bool:
    """Report whether any text in `value`, keys included, holds a NUL or half of a surrogate pair."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if _UNPAIRED.search(one):
                return True
        elif isinstance(one, dict):
            waiting += one.keys()
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return False
