"""JSON objects with exact numbers: integers stay integers, all other numbers become `Decimal`.

`msgspec` reads them where it is installed (the extra `fast`), and the standard library where it is not, or where
msgspec refuses: what is decoded, and what is wrong with the rest, is the same for both.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from streamt.testing.decoding.faults import DEPTH, Kind, Undecodable

Record = Mapping[str, Any]
# Each member of an object has one; a text can hold one only behind a backslash.
_MEMBER = re.compile(r'"[ \t\n\r]*:')
# More levels than allowed make any number of members negative.
_TOO_DEEP = -(1 << 62)
_CONTAINERS = frozenset({dict, list})


def decode_json(value: bytes) -> Record:
    """Decode one JSON object (RFC 8259): UTF-8, no key twice, no `NaN`, no `Infinity`.

    Raises:
        Undecodable: it is none.
    """
    if _fast is None:
        return decode_json_slowly(value)
    try:
        record = _fast(value)
    except Exception:  # noqa: BLE001 - whatever msgspec or `Decimal` says: the other decoder finds the kind of fault
        return decode_json_slowly(value)
    if type(record) is not dict:
        raise Undecodable(Kind.NO_OBJECT)
    # This runs for each record. A flat one with as many `":` as members has no key twice.
    text = value.decode()
    colons = text.count('":') if not _may_part_colons(text) else len(_MEMBER.findall(text))
    flat = "{" not in text[1:] and "[" not in text
    if colons != (len(record) if flat else _members(record)):
        return decode_json_slowly(value)  # a text can hold `":`, too
    return record


def decode_flat(values: Sequence[bytes]) -> list[Record] | None:
    """Decode many JSON objects at once, as `decode_json` does; None unless all of them are plain.

    Plain are objects that hold no other object and no list, on one line, without a key that stands twice. What is in
    doubt is not plain.
    """
    if _fast_lines is None:
        return None
    lines = b"\n".join(values)
    try:
        records = _fast_lines(lines)
        text = lines.decode()
    except Exception:  # noqa: BLE001 - one of them is broken, or needs the other decoder
        return None
    plain = (
        # As many lines as values and as many objects as lines: each line is one object.
        len(records) == len(values) == text.count("\n") + 1 == text.count("{")
        and "[" not in text
        and set(map(type, records)) == {dict}
        and not (" :" in text or "\r" in text or "\t" in text)
        and text.count('":') == sum(map(len, records))
    )
    return records if plain else None


def decode_json_slowly(value: bytes) -> Record:
    """Decode one JSON object as `decode_json` does, with the standard library alone.

    Raises:
        Undecodable: it is none.
    """
    record = decode_any(value)
    if type(record) is not dict:
        raise Undecodable(Kind.NO_OBJECT)
    return record


def decode_any(value: bytes) -> Any:
    """Decode any JSON value as exactly as an object, such as a schema.

    Raises:
        Undecodable: it is none.
    """
    try:
        text = value.decode()
        found = _DECODER.decode(text)
    except RecursionError as error:
        raise Undecodable(Kind.TOO_DEEP) from error
    except ArithmeticError as error:  # an exponent that no `Decimal` can have
        raise Undecodable(Kind.NUMBER) from error
    except (json.JSONDecodeError, UnicodeError) as error:
        raise Undecodable(Kind.NOT_JSON) from error
    except ValueError as error:  # an integer of more digits than Python reads
        raise Undecodable(Kind.NUMBER) from error
    if _members([found], DEPTH + 1) < 0:
        raise Undecodable(Kind.TOO_DEEP)
    if ("\\ud" in text or "\\uD" in text) and _has_half_pair(found):
        raise Undecodable(Kind.NOT_JSON)
    return found


def _members(container: Any, depth: int = DEPTH) -> int:
    """Count the members of all objects in an object or a list; fewer than none if it has more than `depth` levels."""
    if not depth:
        return _TOO_DEEP
    found = len(container) if type(container) is dict else 0
    for each in _inside(container):
        if type(each) in _CONTAINERS:
            found += _members(each, depth - 1)
    return found


def _inside(container: Any) -> Any:
    return container.values() if type(container) is dict else container


def _may_part_colons(text: str) -> bool:
    """Report whether white space may stand between a key and its colon."""
    return " :" in text or "\n" in text or "\r" in text or "\t" in text


def _has_half_pair(value: Any) -> bool:
    """Report whether a text holds half of a surrogate pair, which is no Unicode."""
    if type(value) is str:
        return any("\ud800" <= letter <= "\udfff" for letter in value)
    if type(value) is dict:
        return any(map(_has_half_pair, value)) or any(map(_has_half_pair, value.values()))
    return type(value) is list and any(map(_has_half_pair, value))


def _refuse_constant(_name: str) -> None:
    raise Undecodable(Kind.NOT_JSON)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Undecodable(Kind.DUPLICATE_KEY)
    return found


_DECODER = json.JSONDecoder(parse_float=Decimal, parse_constant=_refuse_constant, object_pairs_hook=_unique)


def _fast_decoders() -> tuple[Callable[[bytes], Any] | None, Callable[[bytes], list[Any]] | None]:
    """Return what decodes one value, and what decodes a value on each line, where msgspec is installed."""
    try:
        from msgspec.json import Decoder
    except ImportError:
        return None, None
    decoder = Decoder(float_hook=Decimal)
    return decoder.decode, decoder.decode_lines


_fast, _fast_lines = _fast_decoders()
