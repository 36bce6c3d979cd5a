"""What a plain word means: the YAML 1.2 core schema.

YAML 1.1, which PyYAML speaks, turns `no`, `22:22` and `0123` into something else in silence. The core schema
of YAML 1.2.2 does not. See https://yaml.org/spec/1.2.2/#103-core-schema.
"""

import re

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITY = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_NOT_A_NUMBER = frozenset({".nan", ".NaN", ".NAN"})
# Only a word that begins like this can be anything but text, so most words are settled by one look-up.
_SPECIAL_START = frozenset("~nNtTfF0123456789+-.")
# Python reads no longer number without being asked to, and nobody writes one.
_LONGEST_NUMBER = 4000

type_name_of = {str: "a string", bool: "a boolean", int: "a number", float: "a number", type(None): "empty"}


def resolve_plain(text: str) -> str | int | float | bool | None:
    """Return the value of an unquoted scalar.

    Raises:
        OverflowError: it is a number of thousands of digits.
    """
    if text and text[0] not in _SPECIAL_START:
        return text
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    number = read_number(text)
    return text if number is None else number


def read_integer(text: str) -> int | None:
    """Read `text` as the core schema's integer (decimal, `0o17` or `0x1F`); None if it is none.

    Raises:
        OverflowError: it has thousands of digits.
    """
    for pattern, base in ((_INTEGER, 10), (_OCTAL, 8), (_HEXADECIMAL, 16)):
        if pattern.fullmatch(text):
            if len(text) > _LONGEST_NUMBER:
                raise OverflowError
            return int(text, base) if base == 10 else int(text[2:], base)
    return None


def read_number(text: str) -> int | float | None:
    """Read `text` as the core schema's integer or float; None if it is neither.

    Raises:
        OverflowError: it has thousands of digits.
    """
    integer = read_integer(text)
    if integer is not None:
        return integer
    if _FLOAT.fullmatch(text):
        return float(text)
    if infinity := _INFINITY.fullmatch(text):
        return float(f"{infinity[1]}inf")
    return float("nan") if text in _NOT_A_NUMBER else None


def read_boolean(text: str) -> bool | None:
    """Read `text` as the core schema's boolean; None if it is none."""
    return _BOOLEANS.get(text)
