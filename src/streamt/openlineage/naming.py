"""From structured parts to a namespace and a name, and back: the only place that makes an identity, for every system.

A consumer joins what two producers say of one table by comparing namespace and name, and stays silent where they
differ. So nothing else writes one: `identify` names a dataset from its system and its parts, `parse_namespace` and
`split_name` read what another producer wrote, and `parts_of_relation` reads an identifier as a database prints it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from streamt.openlineage.own_names import Identity, is_clean_text, job_segment, kafka_namespace
from streamt.openlineage.systems import PART, SYSTEMS, NamingError, Parts, System, clean_host, clean_port

__all__ = [
    "SCHEMES",
    "SYSTEMS",
    "Identified",
    "Identity",
    "Namespace",
    "NamingError",
    "as_written",
    "child_job",
    "dbt_job",
    "identify",
    "is_clean_text",
    "job_segment",
    "join_name",
    "kafka_namespace",
    "parse_namespace",
    "parts_of_relation",
    "split_name",
    "system_named",
    "system_of",
]

_QUOTED = re.compile(r'"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|\[((?:[^\]]|\]\])*)\]')
_CLOSING = {'"': '"', "`": "`", "[": "]"}
_PLAIN = re.compile(r"(?:\\\.|[^.])*")
_AUTHORITY = re.compile(r"(?:[^@/]*@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^:/;,]*)(?::(?P<port>[0-9]+))?")


@dataclass(frozen=True, slots=True)
class Identified:
    """A dataset's identity.

    Attributes:
        identity: its namespace and name.
        notes: what the user should know of how it was named.
    """

    identity: Identity
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace that somebody wrote, taken apart.

    Attributes:
        system: the system, aliases resolved: `s3a` gives `s3`.
        host: the host in lower case, an account, a bucket, or an authority.
        port: the port, if one is stated.
        path: what follows the authority, without slashes at its ends.
    """

    system: str
    host: str = ""
    port: int | None = None
    path: str = ""


SCHEMES: Mapping[str, str] = MappingProxyType(
    {"arn": "glue"}
    | {name: name for name in SYSTEMS}
    | {scheme: name for name, system in SYSTEMS.items() for scheme in system.schemes}
)
"""The system of each scheme that a producer may write."""

_SAME = {"synapse": "mssql", "unitycatalog": "databricks", "wasbs": "abfss"}
"""Systems whose datasets are those of another one under a second name."""


def identify(system: str, parts: Mapping[str, str]) -> Identified:
    """Name a dataset.

    Args:
        system: a key of `SYSTEMS`, or another scheme of it (`postgresql`).
        parts: by name, as they are: nothing is folded, and no quotes are taken off; an empty one counts as missing.

    Raises:
        NamingError: the system is unknown, a part is missing, unknown or malformed, or the dataset has no identity.
    """
    row = system_named(system)
    known: Parts = {key: value for key, value in parts.items() if value}
    for key in known.keys() - set(row.parts):
        raise NamingError(f"unknown part `{key}`" if re.fullmatch("[a-z_]{1,20}", key) else "a part is unknown")
    notes = row.prepare(known) if row.prepare else ()
    known = {**row.defaults, **known}
    namespace = _fill(row.namespaces, {key: _authority_part(row, key, value) for key, value in known.items()})
    identity = Identity(namespace, _fill(row.names, {key: _name_part(row, value) for key, value in known.items()}))
    if not all(is_clean_text(text) and text.strip() for text in (identity.namespace, identity.name)):
        raise NamingError("a part holds control characters, or the name is blank")
    return Identified(identity, notes)


def as_written(namespace: str, name: str) -> Identity:
    """Return the identity that somebody wrote down, to the letter.

    Raises:
        NamingError: it is blank, holds control characters, or a password.
    """
    if not all(is_clean_text(text) and text.strip() for text in (namespace, name)):
        raise NamingError("namespace or name is blank, or holds control characters")
    if re.search(r"//[^/@]*:[^/@]*@", namespace):
        raise NamingError("the namespace holds a password, which must never be part of an identity")
    return Identity(namespace, name)


def system_named(system: str) -> System:
    """Return the row of a system, by its key or by another scheme of it.

    Raises:
        NamingError: the system is unknown.
    """
    row = SYSTEMS.get(SCHEMES.get(system.lower(), ""))
    if row is None:
        raise NamingError("the system is unknown")
    return row


def system_of(scheme: str) -> str:
    """Return the system whose datasets a scheme, or a connection's type, names: one for all its aliases."""
    lowered = scheme.lower()
    name = SCHEMES.get(lowered, lowered)
    return _SAME.get(name, name)


def parse_namespace(namespace: str) -> Namespace:
    """Take a namespace apart, leniently; one without a scheme names a system alone (`bigquery`, `file`)."""
    scheme, separator, rest = namespace.partition("://")
    if not separator:
        return Namespace(system_of(namespace.partition(":")[0].rstrip("/")))
    system = system_of(scheme)
    authority, _, path = rest.partition("/")
    row = SYSTEMS.get(system)
    if row is not None and row.style == "path" and "port" not in row.parts:
        return Namespace(system, authority.lower() if "@" in authority else authority, None, path.strip("/"))
    match = _AUTHORITY.match(authority)
    assert match is not None  # every part of the pattern may be empty
    port = int(match["port"][:6]) if match["port"] else None
    return Namespace(system, match["host"].lower().rstrip("."), port, path.strip("/"))


def split_name(name: str) -> tuple[str, ...]:
    """Split a dotted name; a part in identifier quotes is one part, dots included, without its quotes.

    A dot behind a backslash belongs to its part, too: newer clients of OpenLineage write it so.
    """
    parts: list[str] = []
    at = 0
    while at <= len(name):
        quoted = _QUOTED.match(name, at)
        if quoted and (quoted.end() == len(name) or name[quoted.end()] == "."):
            parts.append(_unquoted(quoted))
            at = quoted.end() + 1
            continue
        plain = _PLAIN.match(name, at)
        assert plain is not None  # it may be empty
        parts.append(plain[0].replace("\\.", "."))
        at = plain.end() + 1
    return tuple(parts)


def join_name(parts: tuple[str, ...]) -> str:
    """Join the parts of a dotted name; `split_name` gives them back."""
    return ".".join(map(_identifier, parts))


def parts_of_relation(system: str, text: str) -> tuple[str, ...]:
    """Read an identifier as a database or a tool prints it, such as `"db"."Schema".table`.

    Quoted parts stay as they are; the others are folded as the system folds them.

    Args:
        system: a key of `SYSTEMS`, or another scheme of it.
        text: the identifier.

    Raises:
        NamingError: the system is unknown, a quote is not closed, or a part is empty.
    """
    row = system_named(system)
    found: list[str] = []
    at = 0
    while at <= len(text):
        part, at = _relation_part(row, text, at)
        found.append(part)
    if row is SYSTEMS["bigquery"] and len(found) == 1:  # one pair of backticks around all of it
        found = found[0].split(".")
    if not all(found):
        raise NamingError("a part of the relation's name is empty")
    return tuple(found)


def dbt_job(project: str, target: str) -> str:
    """Name the job of a dbt project's invocations."""
    return f"dbt.{project}.{target}"


def child_job(parent: str, name: str) -> str:
    """Name the job of a task within the job of its run."""
    return f"{parent}.{name}"


def _fill(templates: tuple[str, ...], parts: Mapping[str, str]) -> str:
    for template in templates:
        if all(parts.get(part) for part in PART.findall(template)):
            return template.format_map(parts)
    missing = [part for part in PART.findall(templates[-1]) if not parts.get(part)]
    raise NamingError(f"missing: {', '.join(missing)}")


def _authority_part(row: System, key: str, value: str) -> str:
    """Return a part as it stands in a namespace; one that stands in names alone passes."""
    if key == "path" or not any(f"{{{key}}}" in template for template in row.namespaces):
        return value
    if key == "port":
        return clean_port(value)
    if key == "host":
        host = clean_host(value)
        return host if row.folds_host or host.startswith("[") else value
    if re.search(r"[@/\\\s?#]", value):
        raise NamingError(f"the {key} holds a character that no {key} holds")
    return value


def _name_part(row: System, value: str) -> str:
    return _identifier(value) if row.style == "dotted" and row.quotes_dots else value


def _identifier(part: str) -> str:
    """Write one part of a dotted name; in double quotes where it could be read as several, or as quoted."""
    if "." in part or "\\" in part or part[:1] in ('"', "`", "["):
        return '"' + part.replace('"', '""') + '"'
    return part


def _relation_part(row: System, text: str, at: int) -> tuple[str, int]:
    opening = text[at : at + 1]
    if opening and opening in row.quotes:
        quoted = _QUOTED.match(text, at)
        if quoted is None or (quoted.end() < len(text) and text[quoted.end()] != "."):
            raise NamingError("a quote in the relation's name is not closed")
        return _unquoted(quoted), quoted.end() + 1
    dot = text.find(".", at)
    end = len(text) if dot < 0 else dot
    part = text[at:end]
    return {"lower": part.lower(), "upper": part.upper(), "keep": part}[row.fold], end + 1


def _unquoted(quoted: re.Match[str]) -> str:
    text = next(group for group in quoted.groups() if group is not None)
    closing = _CLOSING[quoted[0][0]]
    return text.replace(closing * 2, closing)
