"""The variables `OPENLINEAGE__TRANSPORT__...`: one tree, nested by `__`."""

import json
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from streamt.diagnostics import Diagnostic
from streamt.openlineage.transport.tree import Branch, Entry, Leaf, Listing, Node, Place, squash

PREFIX = "OPENLINEAGE__"
MAX_PARTS = 6


class _Variable(NamedTuple):
    parts: tuple[str, ...]
    name: str
    value: str


def read_variables(environ: Mapping[str, str], problems: list[Diagnostic]) -> Branch:
    """Make one tree of all variables whose name begins with `OPENLINEAGE__`.

    Names that differ only in case and single underscores are one name. A variable beside its own children
    (`OPENLINEAGE__TRANSPORT` beside `OPENLINEAGE__TRANSPORT__URL`) and one name in two spellings are conflicts.

    Args:
        environ: the whole environment.
        problems: receives an E506 for each variable that does not fit.
    """
    variables = []
    for name in sorted(environ):
        if not name.startswith(PREFIX):
            continue
        parts = tuple(name.removeprefix(PREFIX).split("__"))
        if len(parts) > MAX_PARTS or not all(map(squash, parts)):
            problems.append(Place(name).problem(f"the variable {name} is unknown", "unset it"))
        else:
            variables.append(_Variable(parts, name, environ[name]))
    return Branch(Place(PREFIX), tuple(_entries(variables, 0, problems)))


def _entries(variables: list[_Variable], depth: int, problems: list[Diagnostic]) -> Iterable[Entry]:
    def part(variable: _Variable) -> str:
        return squash(variable.parts[depth])

    for _, group in groupby(sorted(variables, key=part), part):
        same = list(group)
        ends = [variable for variable in same if len(variable.parts) == depth + 1]
        deeper = [variable for variable in same if len(variable.parts) > depth + 1]
        problems += _conflicts(ends, deeper)
        first = (deeper or ends)[0]  # beside its own parts, a whole is already reported
        place = Place(first.name)
        parts = tuple(_entries(deeper, depth + 1, problems))
        node: Node = Branch(place, parts) if deeper else Leaf(first.value, place)
        yield Entry(first.parts[depth], f"the variable {first.name}", place, node)


def _conflicts(ends: list[_Variable], deeper: list[_Variable]) -> Iterable[Diagnostic]:
    for other in ends[1:]:
        message = f"the variables {ends[0].name} and {other.name} are two spellings of one setting"
        yield Place(other.name).problem(message, "unset one of them")
    if ends and deeper:
        message = f"the variable {ends[0].name} stands beside {deeper[0].name}, which is a part of it"
        yield Place(ends[0].name).problem(message, f"unset {ends[0].name}, or all that begin with it")


def read_json(leaf: Leaf) -> Branch | None:
    """Read a variable's value as a JSON object, strictly; None when it is something else.

    Numbers keep their exact text. No name in the object is part of a message, for it is part of a value.

    Args:
        leaf: a variable that stands for a whole group, such as `OPENLINEAGE__TRANSPORT`.
    """
    try:
        value = json.loads(
            leaf.text, object_pairs_hook=_Pairs, parse_int=_Raw, parse_float=_Raw, parse_constant=_refuse
        )
        node = _node(value, leaf.place)
    except (ValueError, RecursionError):
        return None
    return node if isinstance(node, Branch) else None


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as it was written, a name that stands twice included."""


class _Raw(str):
    """A JSON number as it was written."""

    __slots__ = ()


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _node(value: object, place: Place) -> Node:
    match value:
        case _Pairs():
            return Branch(place, tuple(Entry(name, None, place, _node(item, place)) for name, item in value))
        case list():
            return Listing(place)
        case _Raw():
            return Leaf(str(value), place, is_text=False)
        case str():
            return Leaf(value, place)
        case _:
            return Leaf(json.dumps(value), place, is_text=False)
