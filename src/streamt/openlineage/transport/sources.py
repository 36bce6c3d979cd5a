"""From the variables and a YAML file to one table of known settings: exact texts, each with its place."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from streamt.diagnostics import Code, Diagnostic, FilePlace, StreamtError, Variable, did_you_mean
from streamt.files import FileTooLargeError, read_file
from streamt.openlineage.transport.refused import REFUSED, REFUSED_VARIABLES

PREFIX = "OPENLINEAGE__"
CONFIG = "OPENLINEAGE_CONFIG"
MAX_BYTES = 64 * 1024
MAX_PARTS = 6


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value, exactly as it was given.

    Attributes:
        text: the value; kept out of `repr`, since it may be a secret.
        place: where it stands.
        is_text: False for a JSON number, boolean or null, which cannot stand for a string.
    """

    text: str = field(repr=False)
    place: Variable
    is_text: bool = True


@dataclass(frozen=True, slots=True)
class Listing:
    """A list, which no setting of ours takes: its place is all that matters."""

    place: Variable


@dataclass(frozen=True, slots=True)
class Entry:
    """A name and what it stands for.

    Attributes:
        name: as it was written.
        label: how a message calls it; None where the name itself is part of a variable's value.
        place: where the name stands.
        node: what it stands for.
    """

    name: str
    label: str | None
    place: Variable
    node: "Node"


@dataclass(frozen=True, slots=True)
class Group:
    """Names and what they stand for, in the order in which they were written."""

    place: Variable
    entries: tuple[Entry, ...] = ()


Node = Leaf | Listing | Group


def problem(place: Variable, message: str, hint: str | None = None) -> Diagnostic:
    """Make the E506 that points to `place`; `message` and `hint` must hold no value of a setting."""
    return Diagnostic(code=Code.OPENLINEAGE_INVALID, message=message, location=place, hint=hint)


def squash(name: str) -> str:
    """Return the form in which two spellings of one name are equal: `apiKey`, `api_key` and `APIKEY`."""
    return name.replace("_", "").lower()


def read_config(path: str) -> Group:
    """Read the settings file that `OPENLINEAGE_CONFIG` names; an empty file is an empty group.

    An unquoted scalar keeps its exact text: `0123`, `1e5`, `null` and `yes` are just that.

    Raises:
        StreamtError: E506 at `OPENLINEAGE_CONFIG`, with the line and column where there is one.
    """
    from streamt.yaml import locate, read_yaml

    place = Variable(CONFIG)
    content = _content(Path(path), place)
    file = os.path.basename(path)  # noqa: PTH119 - `path` is any text, not yet a good path
    reading = read_yaml(
        content, file, plain=str, code=Code.OPENLINEAGE_INVALID, at=lambda found: Variable(CONFIG, found)
    )
    if reading.diagnostics:
        raise StreamtError(*reading.diagnostics)
    if reading.data is None or reading.data == "":  # nothing but comments, or `---`
        return Group(Variable(CONFIG, FilePlace(file)))
    positions = locate(content, _paths(reading.data))

    def at(path: tuple[str | int, ...], *, key: bool) -> Variable:
        line, column = positions[path].key if key else positions[path].value
        return Variable(CONFIG, FilePlace(file, line, column))

    def node(data: Any, path: tuple[str | int, ...]) -> Node:
        if isinstance(data, dict):
            return Group(at(path, key=False), tuple(entry(name, item, (*path, name)) for name, item in data.items()))
        return Listing(at(path, key=False)) if isinstance(data, list) else Leaf(data, at(path, key=False))

    def entry(name: str, item: Any, path: tuple[str | int, ...]) -> Entry:
        dotted = ".".join(map(str, path))
        label = f"`{dotted}`" if re.fullmatch(r"[\w.-]{1,80}", dotted) else "this key"
        return Entry(name, label, at(path, key=True), node(item, path))

    root = node(reading.data, ())
    if isinstance(root, Group):
        return root
    raise StreamtError(problem(root.place, "the file must hold keys, the first of them `transport:`"))


def _content(path: Path, place: Variable) -> bytes:
    try:
        return read_file(path, limit=MAX_BYTES)
    except FileTooLargeError as error:
        message, hint = f"the file that {CONFIG} names {error.strerror}", "name a file with `transport:` and no more"
        raise StreamtError(problem(place, message, hint)) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = (isinstance(error, OSError) and error.strerror) or "it is not a file"
        message = f"the file that {CONFIG} names cannot be read: {reason}"
        raise StreamtError(problem(place, message, "set it to the path of a YAML file")) from None


def _paths(data: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of everything that keys lead to; what is in a list has no place of its own."""
    yield path
    for name, item in data.items() if isinstance(data, dict) else ():
        yield from _paths(item, (*path, name))


class _Variable(NamedTuple):
    parts: tuple[str, ...]
    name: str
    value: str


def read_variables(environ: Mapping[str, str], problems: list[Diagnostic]) -> Group:
    """Make one tree of all variables whose name begins with `OPENLINEAGE__`, nested by `__`.

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
            problems.append(problem(Variable(name), f"unknown variable `{name}`", "unset it"))
        else:
            variables.append(_Variable(parts, name, environ[name]))
    return Group(Variable(PREFIX), tuple(_entries(variables, 0, problems)))


def _entries(variables: list[_Variable], depth: int, problems: list[Diagnostic]) -> Iterator[Entry]:
    def part(variable: _Variable) -> str:
        return squash(variable.parts[depth])

    for _, group in groupby(sorted(variables, key=part), part):
        same = list(group)
        ends = [variable for variable in same if len(variable.parts) == depth + 1]
        deeper = [variable for variable in same if len(variable.parts) > depth + 1]
        problems += _conflicts(ends, deeper)
        first = (deeper or ends)[0]  # beside its own parts, a whole is already reported
        place = Variable(first.name)
        parts = tuple(_entries(deeper, depth + 1, problems))
        node: Node = Group(place, parts) if deeper else Leaf(first.value, place)
        yield Entry(first.parts[depth], f"variable `{first.name}`", place, node)


def _conflicts(ends: list[_Variable], deeper: list[_Variable]) -> Iterator[Diagnostic]:
    for other in ends[1:]:
        message = f"the variables `{ends[0].name}` and `{other.name}` are two spellings of one setting"
        yield problem(Variable(other.name), message, "unset one of them")
    if ends and deeper:
        message = f"the variable `{ends[0].name}` stands beside `{deeper[0].name}`, which is a part of it"
        yield problem(Variable(ends[0].name), message, f"unset {ends[0].name}, or all that begin with it")


def read_json(leaf: Leaf) -> Group | None:
    """Read a variable's value as a JSON object, strictly; None when it is something else.

    Numbers keep their exact text. No name in the object is part of a message, for it is part of a value.

    Args:
        leaf: a variable that stands for a whole group, such as `OPENLINEAGE__TRANSPORT`.
    """
    try:
        hooks: dict[str, Any] = {"parse_int": _Raw, "parse_float": _Raw, "parse_constant": _refuse}
        node = _json_node(json.loads(leaf.text, object_pairs_hook=_Pairs, **hooks), leaf.place)
    except (ValueError, RecursionError):
        return None
    return node if isinstance(node, Group) else None


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as it was written, a name that stands twice included."""


class _Raw(str):
    """A JSON number as it was written."""

    __slots__ = ()


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _json_node(value: object, place: Variable) -> Node:
    match value:
        case _Pairs():
            return Group(place, tuple(Entry(name, None, place, _json_node(item, place)) for name, item in value))
        case list():
            return Listing(place)
        case _Raw():
            return Leaf(str(value), place, is_text=False)
        case str():
            return Leaf(value, place)
        case _:
            return Leaf(json.dumps(value), place, is_text=False)


Table = dict[str, Leaf | None]
"""By dotted name below `transport` (`url`, `auth.apiKey`). None: something is there, and was reported."""

Keys = Mapping[str, tuple[str, ...]]
"""The keys of each group, `""` for the root; a key that is a group itself is a key of this mapping, too."""


class Reader:
    """Reads the file and the variables into one table.

    Args:
        keys: what each group may hold.
        problems: receives an E506 for all that is unknown, refused, twice or in the wrong shape.
    """

    def __init__(self, keys: Keys, problems: list[Diagnostic]) -> None:
        self._keys = keys
        self._problems = problems

    def read(self, environ: Mapping[str, str]) -> Table:
        """Return the table; a variable wins over the file's same key by being there."""
        self._problems += _refused_variables(environ)
        table: Table = {}
        if path := environ.get(CONFIG):
            try:
                table |= self._flat(read_config(path), "")
            except StreamtError as error:
                self._problems += error.diagnostics
                table["type"] = None
        return table | self._flat(read_variables(environ, self._problems), "")

    def _flat(self, group: Group, name: str) -> Table:
        table: Table = {}
        seen: set[str] = set()
        for entry in group.entries:
            key = find(entry.name, self._keys[name])
            if key is None:
                table |= self._unknown(entry, name)
            elif key in seen:
                message = f"{entry.label or 'a key in this value'} gives `{key}` a second time"
                self._complain(entry.place, message, "keep one of the two")
            else:
                seen.add(key)
                table |= self._known(entry.node, key, name)
        return table

    def _known(self, node: Node, key: str, group: str) -> Table:
        name = key if group in {"", "transport"} else f"{group}.{key}"
        if key not in self._keys:
            if isinstance(node, Leaf):
                return {name: node}
            self._complain(node.place, f"`{name}` must be one value, not a group or a list")
            return {name: None}
        inner = read_json(node) if isinstance(node, Leaf) and node.place.place is None else node
        if isinstance(inner, Group):
            return self._flat(inner, key)
        keys = ", ".join(f"`{inner_key}`" for inner_key in self._keys[key])
        what = "a JSON object" if inner is None else "a group"
        self._complain(node.place, f"`{key}` must be {what} with keys", f"its keys are {keys}")
        return {f"{key}.{inner_key}" if key != "transport" else inner_key: None for inner_key in self._keys[key]}

    def _unknown(self, entry: Entry, group: str) -> Table:
        """Report a key that is not ours; where it was probably meant to be one, that one is not missing."""
        refused = find(entry.name, REFUSED[group])
        meant = None if refused else nearest(entry.name, self._keys[group])
        for place, label in _occurrences(entry):
            if refused:
                what = f"the {label}" if label and place.place is None else label or f"`{refused}`"
                self._complain(place, f"{what} is not supported", REFUSED[group][refused])
            else:
                self._complain(place, f"unknown {_noun(label)}", self._hint(place, group, meant))
        prefix = "" if group in {"", "transport"} else f"{group}."
        return {f"{prefix}{meant}": None} if meant else {}

    def _hint(self, place: Variable, group: str, meant: str | None) -> str:
        if meant is None:
            return "allowed here: " + ", ".join(f"`{key}`" for key in self._keys[group])
        depth = _DEPTHS[group]
        if place.place is not None or len(parts := place.name.split("__")) <= depth:
            return f"did you mean `{meant}`?"
        return f"did you mean `{'__'.join([*parts[:depth], spelled(meant), *parts[depth + 1 :]])}`?"

    def _complain(self, place: Variable, message: str, hint: str | None = None) -> None:
        self._problems.append(problem(place, message, hint))


def _noun(label: str | None) -> str:
    """Return how a message calls an unknown key."""
    if label is None:
        return "key in this value"
    return label if label.startswith("variable") else "key" if label == "this key" else f"key {label}"


_DEPTHS = {"": 1, "transport": 2, "retry": 3, "auth": 3}
"""How many parts a variable's name has before the key of each group: the prefix is the first."""


def find(name: str, known: Iterable[str]) -> str | None:
    """Return the one of `known` that `name` spells in any case and with or without underscores."""
    return next((key for key in known if squash(key) == squash(name)), None)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the one of `known` that `name` was probably meant to be."""
    by_squashed = {squash(key): key for key in known}
    hint = did_you_mean(squash(name)[:80], by_squashed)
    return by_squashed[hint.split("`")[1]] if hint else None


def spelled(key: str) -> str:
    """Return how a variable spells a dotted name: `AUTH__API_KEY`."""
    return key.replace("apiKey", "api_key").replace(".", "__").upper()


def _refused_variables(environ: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Find the variables of the official client that are not for us, and names that are nearly ours."""
    for name in sorted(environ):
        rest = name.removeprefix("OPENLINEAGE_")
        if rest == name or name.startswith(PREFIX) or not environ[name]:
            continue
        if name in REFUSED_VARIABLES:
            yield problem(Variable(name), f"the variable `{name}` is not supported", REFUSED_VARIABLES[name])
        elif name == "OPENLINEAGE_DISABLED":
            yield from _disabled(environ[name])
        elif squash(rest).startswith("transport"):
            hint = f"did you mean `OPENLINEAGE__TRANSPORT{rest[9:]}`?"
            yield problem(Variable(name), f"unknown variable `{name}`", hint)
        elif name not in _OTHERS and (meant := nearest(rest, ("CONFIG", "DISABLED"))):
            yield problem(Variable(name), f"unknown variable `{name}`", f"did you mean `OPENLINEAGE_{meant}`?")


_OTHERS = frozenset({CONFIG, "OPENLINEAGE_NAMESPACE", "OPENLINEAGE_CONTEXT", "OPENLINEAGE_PARENT_ID"})
"""Variables that have nothing to do with a transport, and one that has."""


def _disabled(value: str) -> Iterator[Diagnostic]:
    place = Variable("OPENLINEAGE_DISABLED")
    match value.strip().lower():
        case "" | "false":
            return
        case "true":
            message = "`OPENLINEAGE_DISABLED=true` forbids what --emit-openlineage asks for"
            yield problem(place, message, "unset the variable, or leave out --emit-openlineage")
        case _:
            yield problem(place, "`OPENLINEAGE_DISABLED` must be `true` or `false`", "unset it to send events")


def _occurrences(entry: Entry) -> list[tuple[Variable, str | None]]:
    """Return the places to report: each variable below `entry`, or the one place in a file or in a value."""
    if entry.label is None or entry.place.place is not None:
        return [(entry.place, entry.label)]
    return [(place, f"variable `{place.name}`") for place in _leaf_places(entry.node)]


def _leaf_places(node: Node) -> Iterator[Variable]:
    if isinstance(node, Group):
        for entry in node.entries:
            yield from _leaf_places(entry.node)
    else:
        yield node.place
