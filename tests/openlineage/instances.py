"""Instances of composed schemas for hypothesis: right ones, and ones that are bent in one place."""

import copy
from datetime import datetime, timedelta, timezone
from typing import Any

from hypothesis import strategies as st

Json = Any

texts = st.text(max_size=6)
date_times = st.one_of(
    # Years that UTC can write, whatever the offset: a model refuses the others, which the schema lets pass.
    st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.timezones()).map(lambda time: time.isoformat()),
    st.from_regex(
        r"20[0-9]{2}-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{1,9})?([Zz]|[+-]\d\d:\d\d)?"
    ),
    st.sampled_from(["1700000000", "2026-01-02", "2026-01-02T12:00:00Z", "2026-01-02T12:00:00Z\n"]),
)
uuids = st.one_of(
    st.uuids().map(str),
    st.uuids().map(lambda value: str(value).upper()),
    st.uuids().map(lambda value: value.hex),
    st.uuids().map(lambda value: value.urn),
    st.builds(
        lambda value, place, other: str(value)[:place] + other + str(value)[place + 1 :],
        st.uuids(),
        st.integers(0, 35),
        st.characters(codec="utf-8"),
    ),
    texts,
)
uris = st.sampled_from(["https://example.org/a?b#c", "urn:x", "not a uri", "/relative", "https://example.org/\n", ""])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
_MOSTLY_RIGHT = {"date-time": date_times, "uuid": uuids, "uri": uris}
_RIGHT = {
    "date-time": st.builds(
        lambda time, minutes: time.replace(tzinfo=timezone(timedelta(minutes=minutes))).isoformat(),
        st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1)),
        st.integers(-720, 720),
    ),
    "uuid": st.uuids().map(str),
    "uri": st.sampled_from(["https://example.org/a?b#c", "urn:x:y", "HTTPS://EXAMPLE.org:443/%7e/"]),
}
NAMES = ("event_time", "job_type", "run", "schema", "_deleted", "facets", "fields")
"""Names that a bent instance may hold where its schema does not declare them."""


class Instances:
    """Makes instances of the definitions of one composed document.

    Args:
        document: the composed document.
        valid_formats: whether every text is right by its `format`, too, and not only mostly.
    """

    def __init__(self, document: dict[str, Any], *, valid_formats: bool = False) -> None:
        self._definitions = document["$defs"]
        self._formats = _RIGHT if valid_formats else _MOSTLY_RIGHT

    def objects(self, name: str, depth: int = 5) -> st.SearchStrategy[dict[str, Json]]:
        """Make instances of the definition `name` that are right but for their formats."""
        schema = self._definitions[name]
        known = {key: self._later(value, depth) for key, value in schema["properties"].items()}
        required = {key: known[key] for key in schema["required"]}
        optional = {key: known[key] for key in known.keys() - required.keys()} if depth > 0 else {}
        made = st.fixed_dictionaries(required, optional={key: optional[key] for key in sorted(optional)})
        dependents = schema.get("dependentRequired")
        return made.map(lambda value: _without_loners(value, dependents)) if dependents else made

    def mutated(self, name: str) -> st.SearchStrategy[Json]:
        """Bend one place of a right instance: drop, add, null, another type, another text, another name."""
        return _mutated(self.objects(name))

    def _later(self, schema: dict[str, Any], depth: int) -> st.SearchStrategy[Json]:
        return st.deferred(lambda: self._values(schema, depth))

    def _values(self, schema: dict[str, Any], depth: int) -> st.SearchStrategy[Json]:
        match schema:
            case {"$ref": reference}:
                return self.objects(reference.rsplit("/", 1)[-1], depth - 1)
            case {"anyOf": branches} | {"oneOf": branches}:
                return st.one_of([self._later(branch, depth) for branch in branches])
            case {"const": value}:
                return st.just(value)
            case {"enum": values}:
                return st.sampled_from(values)
            case {"type": "array", "items": items}:
                return st.lists(self._later(items, depth), max_size=2) if depth > 0 else st.just([])
            case {"type": "object", "additionalProperties": values}:
                return st.dictionaries(texts, self._later(values, depth), max_size=2) if depth > 0 else st.just({})
            case {"type": "integer"}:
                return st.one_of(st.integers(schema.get("minimum", -5)), st.integers(1, 9).map(float))
            case {"type": "boolean"}:
                return st.booleans()
            case {"type": "null"}:
                return st.none()
        return self._formats.get(schema.get("format", ""), texts)


@st.composite
def _mutated(draw: st.DrawFn, made: st.SearchStrategy[Json]) -> Json:
    value = copy.deepcopy(draw(made))
    place = draw(st.sampled_from(places(value)))
    key = draw(st.sampled_from(sorted(place))) if place else "facets"
    match draw(st.sampled_from(["drop", "add", "null", "change", "rename", "keep"])):
        case "drop":
            place.pop(key, None)
        case "add":
            place[draw(texts | st.sampled_from(NAMES))] = draw(anything)
        case "null":
            place[key] = None
        case "change":
            place[key] = draw(anything)
        case "rename":
            place[key.upper()] = place.pop(key, 1)
        case _:
            pass
    return value


def _without_loners(value: dict[str, Json], dependents: dict[str, list[str]]) -> dict[str, Json]:
    """Take out each name that needs another beside it which is not there."""
    while lone := [key for key, others in dependents.items() if key in value and not value.keys() >= set(others)]:
        value = {key: item for key, item in value.items() if key not in lone}
    return value


def places(value: Json) -> list[dict[str, Json]]:
    """List every object in `value`."""
    if isinstance(value, list):
        return [place for item in value for place in places(item)]
    if not isinstance(value, dict):
        return []
    return [value, *(place for item in value.values() for place in places(item))]
