"""From written trees to one table of known settings; all that does not fit is a problem, with what to write."""

from collections.abc import Iterable, Iterator, Mapping

from streamt.diagnostics import Diagnostic, StreamtError
from streamt.openlineage.transport import yaml_source
from streamt.openlineage.transport.environ_source import PREFIX, read_json, read_variables
from streamt.openlineage.transport.tree import Branch, Entry, Leaf, Node, Place, squash
from streamt.openlineage.transport.vocabulary import KEYS, REFUSED, REFUSED_VARIABLES, find, nearest

Settings = dict[str, Leaf | None]
"""By dotted name below `transport` (`url`, `auth.apiKey`). None: something is there, and was reported."""

_DEPTHS = {"": 1, "transport": 2, "retry": 3, "auth": 3}
"""How many parts a variable's name has before the key of each group: the prefix is the first."""


def merged_settings(environ: Mapping[str, str], problems: list[Diagnostic]) -> Settings:
    """Read the file and the variables; a variable wins over the file's same key by being there.

    Args:
        environ: the whole environment.
        problems: receives an E506 for all that is unknown, refused, twice or in the wrong shape.
    """
    problems += _refused_variables(environ)
    settings: Settings = {}
    if path := environ.get(yaml_source.VARIABLE):
        try:
            settings |= _flatten(yaml_source.read_yaml(path), "", problems)
        except StreamtError as error:
            problems += error.diagnostics
            settings["type"] = None
    return settings | _flatten(read_variables(environ, problems), "", problems)


def _refused_variables(environ: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Find the variables of the official client that are not for us, and names that are nearly ours."""
    for name in sorted(environ):
        rest = name.removeprefix("OPENLINEAGE_")
        if rest == name or name.startswith(PREFIX) or not environ[name]:
            continue
        if name in REFUSED_VARIABLES:
            yield Place(name).problem(f"the variable {name} is not supported", REFUSED_VARIABLES[name])
        elif name == "OPENLINEAGE_DISABLED":
            yield from _disabled(environ[name])
        elif squash(rest).startswith("transport"):
            hint = f"did you mean OPENLINEAGE__TRANSPORT{rest[9:]}?"
            yield Place(name).problem(f"the variable {name} is unknown", hint)
        elif name != yaml_source.VARIABLE and (meant := nearest(rest, ("CONFIG", "DISABLED"), cutoff=0.8)):
            hint = f"did you mean OPENLINEAGE_{meant}?"
            yield Place(name).problem(f"the variable {name} is unknown", hint)


def _disabled(value: str) -> Iterator[Diagnostic]:
    place = Place("OPENLINEAGE_DISABLED")
    match value.strip().lower():
        case "" | "false":
            return
        case "true":
            message = "OPENLINEAGE_DISABLED=true forbids what --emit-openlineage asks for"
            yield place.problem(message, "unset the variable, or leave out --emit-openlineage")
        case _:
            yield place.problem("OPENLINEAGE_DISABLED must be `true` or `false`", "unset it to send events")


def _flatten(branch: Branch, group: str, problems: list[Diagnostic]) -> Settings:
    settings: Settings = {}
    seen: set[str] = set()
    for entry in branch.entries:
        key = find(entry.name, KEYS[group])
        if key is None:
            settings |= _unfit(entry, group, problems)
        elif key in seen:
            message = f"{entry.label or 'a key in this value'} gives `{key}` a second time"
            problems.append(entry.place.problem(message, "keep one of the two"))
        else:
            seen.add(key)
            settings |= _fit(entry.node, key, group, problems)
    return settings


def _fit(node: Node, key: str, group: str, problems: list[Diagnostic]) -> Settings:
    name = key if group in {"", "transport"} else f"{group}.{key}"
    if key not in KEYS:
        if isinstance(node, Leaf):
            return {name: node}
        problems.append(node.place.problem(f"`{name}` must be one value, not a group or a list"))
        return {name: None}
    inner = read_json(node) if isinstance(node, Leaf) and node.place.file is None else node
    if isinstance(inner, Branch):
        return _flatten(inner, key, problems)
    keys = ", ".join(f"`{inner_key}`" for inner_key in KEYS[key])
    what = "a JSON object" if inner is None else "a group"
    problems.append(node.place.problem(f"`{key}` must be {what} with keys", f"its keys are {keys}"))
    return {f"{key}.{inner_key}" if key != "transport" else inner_key: None for inner_key in KEYS[key]}


def _unfit(entry: Entry, group: str, problems: list[Diagnostic]) -> Settings:
    """Report a key that is not ours; where it was probably meant to be one, that one is not missing."""
    refused = find(entry.name, REFUSED[group])
    meant = None if refused else nearest(entry.name, KEYS[group])
    for place, label in _occurrences(entry):
        if refused:
            problems.append(place.problem(f"{label or f'`{refused}`'} is not supported", REFUSED[group][refused]))
        else:
            problems.append(place.problem(f"{label or 'a key in this value'} is unknown", _hint(place, group, meant)))
    prefix = "" if group in {"", "transport"} else f"{group}."
    return {f"{prefix}{meant}": None} if meant else {}


def _occurrences(entry: Entry) -> Iterable[tuple[Place, str | None]]:
    """Give the places to report: each variable below `entry`, or the one place in a file or in a value."""
    if entry.label is None or entry.place.file is not None:
        return [(entry.place, entry.label)]
    return [(place, f"the variable {place.variable}") for place in _leaf_places(entry.node)]


def _leaf_places(node: Node) -> Iterator[Place]:
    if isinstance(node, Branch):
        for entry in node.entries:
            yield from _leaf_places(entry.node)
    else:
        yield node.place


def _hint(place: Place, group: str, meant: str | None) -> str:
    if meant is None:
        return "its place takes " + ", ".join(f"`{key}`" for key in KEYS[group])
    if place.file is not None or len(parts := place.variable.split("__")) <= _DEPTHS[group]:
        return f"did you mean `{meant}`?"
    depth = _DEPTHS[group]
    spelled = "API_KEY" if meant == "apiKey" else meant.upper()
    return "did you mean " + "__".join([*parts[:depth], spelled, *parts[depth + 1 :]]) + "?"
