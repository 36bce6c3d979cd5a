"""The shape of an event: all of it that a schema can look at, and nothing more."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

Json = Any
Shape = Any
"""A value that can be compared and hashed."""


def shaper(
    texts: frozenset[str],
    numbers: frozenset[str],
    formats: Mapping[str, Callable[[str], bool]] = MappingProxyType({}),
) -> Callable[[Json], Shape]:
    """Return the function that gives the shape of a parsed event.

    The names of an object stay. A text stays only under a name in `texts`, an integer or a boolean only under one in
    `numbers`; otherwise its type stands for all. Under a name in `formats` all texts of the format are one. A list
    becomes the set of its items' shapes. A number with a point stays as it is.

    Two values of one shape cannot be told apart by any keyword of the schemas that `texts` and `numbers` were derived
    from; `codegen/shapes.py` proves that when it derives them.

    Args:
        texts: the names under which a text's letters count.
        numbers: the names under which a number's or a boolean's value counts.
        formats: the names under which nothing of a text counts but its format, which the function checks: run ids and
            times, which are others in each event.
    """
    looked_at = texts | formats.keys()

    def shape(value: Json, name: str = "") -> Shape:
        kind = type(value)
        if kind is str:
            if name in formats and formats[name](value):
                return formats[name]
            return value if name in texts else str
        if kind is dict:
            # Most of an event are texts that nothing looks at, so they cost no call.
            return tuple(
                [
                    (key, str if type(item) is str and key not in looked_at else shape(item, key))
                    for key, item in value.items()
                ]
            )
        if kind is list:
            return frozenset([shape(item, name) for item in value])
        if kind is float or name in numbers:
            return kind, value  # a type beside it, since 1, 1.0 and True are equal
        return kind

    return shape
