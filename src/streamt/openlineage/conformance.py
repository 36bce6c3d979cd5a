"""Is an event what the published schemas say? The raw core schema and each facet's own, by jsonschema's validator."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from streamt.diagnostics import pointer
from streamt.openlineage import schemas
from streamt.openlineage.shapes import Shape, shaper

Json = Mapping[str, Any]
JsonPath = tuple[str | int, ...]
"""Keys and indexes, from an event down to one of its values."""

FORMATTED = {"eventTime": "date-time", "nominalEndTime": "date-time", "nominalStartTime": "date-time", "runId": "uuid"}
"""Names under which every schema looks at a text's format and at nothing else of it; a test reads them all."""

MOST_SHAPES = 1024
"""How many shapes are remembered; then all are forgotten."""

LONGEST_LINE = 16 * 1024
"""Bytes of the longest event whose shape is remembered."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is wrong with an event.

    Attributes:
        message: what, a noun phrase; no value, since a value may be what nobody should read.
        place: where in the event, a JSON pointer.
    """

    message: str
    place: str = ""


class Conformance:
    """Judges events one after the other; the validator itself sees the first event of each shape.

    Its verdict holds for every event of that shape: see `shaper`. An event that is refused is always judged itself, so
    that what is said of it is about it.
    """

    def __init__(self) -> None:
        tables = schemas.tables()
        self._shape = shaper(tables.texts, tables.numbers, formats())
        self._good: set[Shape] = set()

    @property
    def shapes(self) -> int:
        """How many shapes are remembered at the moment."""
        return len(self._good)

    def violations(self, event: Json, length: int = 0) -> list[Violation]:
        """Return everything that the schemas refuse about `event`.

        Args:
            event: the parsed event.
            length: its length in bytes; the shape of a very long one is not remembered.
        """
        shape = self._shape(event)
        if shape in self._good:
            return []
        if found := violations(event):
            return found
        if len(self._good) >= MOST_SHAPES:
            self._good.clear()
        if length <= LONGEST_LINE:
            self._good.add(shape)
        return []


@cache
def formats() -> Mapping[str, Callable[[str], bool]]:
    """Return the checks of those texts of which nothing but their format counts, by their names."""
    checker = schemas.format_checker()
    checks = {format_: partial(_conforms, checker, format_) for format_ in set(FORMATTED.values())}
    return {name: checks[format_] for name, format_ in FORMATTED.items()}


def _conforms(checker: FormatChecker, format_: str, text: str) -> bool:
    return checker.conforms(text, format_)


def violations(event: Json) -> list[Violation]:
    """Return everything that the schemas refuse about `event`, judged by the validator itself.

    The facets are looked at only in what the core schema takes for an event.
    """
    return list(_core_violations(event)) or list(_facet_violations(event))


def _core_violations(event: Json) -> Iterator[Violation]:
    yield from _refusals(schemas.core_validator(), event, ())


def _facet_violations(event: Json) -> Iterator[Violation]:
    for path, entity in schemas.tables().places:
        for place, facets in _at(event, path):
            for key, facet in facets.items():
                yield from _of_facet(entity, key, facet, (*place, key))


def _at(value: Any, path: tuple[str, ...], place: JsonPath = ()) -> Iterator[tuple[JsonPath, Json]]:
    """Yield each object at `path`, and its place; the core schema lets anything stand where no event of ours has it."""
    match path, value:
        case (), dict():
            yield place, value
        case ("*", *rest), list():
            for index, item in enumerate(value):
                yield from _at(item, tuple(rest), (*place, index))
        case (str(key), *rest), dict() if key in value:
            yield from _at(value[key], tuple(rest), (*place, key))


def _of_facet(entity: str, key: str, facet: Any, place: JsonPath) -> Iterator[Violation]:
    known = schemas.facets().get((entity, key))
    if known is None:
        yield Violation(f"unknown {entity.removesuffix('Facet').lower()} facet `{key}`", pointer(*place))
    elif not isinstance(facet, dict) or facet.get("_schemaURL") != known.url:
        yield Violation(f"another `_schemaURL` than that of the schema of `{key}`", pointer(*place, "_schemaURL"))
    else:
        yield from _refusals(schemas.facet_validator(entity, key), facet, place)


def _refusals(validator: Draft202012Validator, instance: Json, place: JsonPath) -> Iterator[Violation]:
    for error in validator.iter_errors(instance):
        yield Violation(f"the schema's `{error.validator}` is violated", pointer(*place, *error.absolute_path))
