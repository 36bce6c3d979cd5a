"""From a dataset's namespace and name to the containers that it means: pure, one table of rules per system.

Source: lineage-ingestion, "How a Dataset Is Matched to a Container" and "File and Object Store Datasets"; C13, C15.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from streamt.openlineage.naming import SYSTEMS, Namespace, parse_namespace, split_name, system_of

__all__ = [
    "RULES",
    "Candidate",
    "ConnectedDatastore",
    "Namespace",
    "Rule",
    "Spelled",
    "candidates",
    "choose",
    "container_key",
    "fold",
    "parse_namespace",
    "split_name",
    "system_of",
    "tail",
]


def fold(text: str) -> str:
    """Return the form in which names are compared without regard to case: NFC, then casefold (C15)."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


@dataclass(frozen=True, slots=True)
class ConnectedDatastore:
    """A datastore and the connection that it is on.

    Attributes:
        datastore: its number.
        system: the connection's type.
        host: the connection's host, bucket or authority.
        port: the connection's port, if it states one.
        database: the datastore's database, catalog or project; empty where the system has none.
        schema: its schema or dataset.
        root: the root path of a file or object store.
    """

    datastore: int
    system: str
    host: str = ""
    port: int | None = None
    database: str = ""
    schema: str = ""
    root: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A container that a name would mean, if the datastore holds it.

    Attributes:
        datastore: the datastore's number.
        name: the container's name as the event spells it.
        key: the form in which it is compared.
    """

    datastore: int
    name: str
    key: str


def _same_host(stated: str, connection: str) -> bool:
    return stated == connection.lower().rstrip(".")


def _same_account(stated: str, connection: str) -> bool:
    """Report whether a Snowflake host begins with the account, then a dot or its end; `_` and `-` alike (C13).

    AWS is the cloud that no host names: `locator.region.aws` is `locator.region.snowflakecomputing.com`.
    """
    account, host = (text.lower().replace("_", "-") for text in (stated.removesuffix(".aws"), connection))
    return bool(account) and (host == account or host.startswith(account + "."))


def _same_cluster(stated: str, connection: str) -> bool:
    """Report whether a Redshift host is the named cluster's in the named region, compared part by part."""
    if _same_host(stated, connection):
        return True
    parts, labels = stated.split("."), connection.lower().split(".")
    return len(parts) == 2 and len(labels) > 2 and (labels[0], labels[2]) == (parts[0], parts[1])


def _any_host(_stated: str, _connection: str) -> bool:
    return True


def _same_storage(stated: str, connection: str) -> bool:
    """Compare the authorities of an Azure account; its blob and its file system endpoint hold the same data."""
    mine, theirs = (text.lower().replace(".blob.core.", ".dfs.core.") for text in (stated, connection))
    return mine == theirs


@dataclass(frozen=True, slots=True)
class Rule:
    """How one system's names are compared.

    Attributes:
        style: `dotted` for identifiers, `whole` for one name, `path` for paths.
        host: compares the namespace's host with the connection's.
        port: whether ports have to agree where both are stated.
    """

    style: str = "dotted"
    host: Callable[[str, str], bool] = _same_host
    port: bool = True


_SPECIAL: dict[str, Rule] = {
    "abfss": Rule(style="path", host=_same_storage),
    "bigquery": Rule(host=_any_host, port=False),
    "hive": Rule(port=False),
    "redshift": Rule(host=_same_cluster),
    "snowflake": Rule(host=_same_account, port=False),
}

RULES: dict[str, Rule] = {
    name: _SPECIAL.get(name, Rule(style=system.style)) for name, system in SYSTEMS.items() if system_of(name) == name
}
"""One row for each type of system that a connection can have; those that are not special compare host and port."""


def container_key(system: str, name: str) -> str:
    """Return the form in which a container's name is stored and looked up: a path as written, else folded."""
    return name.strip("/") if _style(system) == "path" else fold(name)


def tail(system: str, name: str) -> str:
    """Return a key that a name shares with every container it could mean; it narrows the search for replay."""
    if _style(system) == "path":
        return name.strip("/").rpartition("/")[2]
    bare = re.sub(r'["`\[\]]', "", name)
    return fold(bare if _style(system) == "whole" else bare.rpartition(".")[2])


def candidates(namespace: str, name: str, places: Iterable[ConnectedDatastore]) -> tuple[Candidate, ...]:
    """Return the containers that a dataset would mean, at most one for each datastore.

    Args:
        namespace: the dataset's namespace; it selects the connections.
        name: the dataset's name; it selects the container.
        places: the datastores that are known.
    """
    parsed = parse_namespace(namespace)
    if parsed.system not in RULES:
        return ()
    named = (_named(parsed, name, place) for place in places if _selects(parsed, place))
    return tuple(found for found in named if found is not None)


def _style(system: str) -> str:
    return RULES.get(system, Rule()).style


def _selects(namespace: Namespace, place: ConnectedDatastore) -> bool:
    rule = RULES[namespace.system]
    if system_of(place.system) != namespace.system or not rule.host(namespace.host, place.host):
        return False
    both = rule.port and namespace.port is not None and place.port is not None
    return not both or namespace.port == place.port


def _named(namespace: Namespace, name: str, place: ConnectedDatastore) -> Candidate | None:
    style = _style(namespace.system)
    if style == "whole":
        return Candidate(place.datastore, name, fold(name)) if name else None
    if style == "path":
        return _path_below(namespace, name, place)
    return _table_in(name, place)


def _path_below(namespace: Namespace, name: str, place: ConnectedDatastore) -> Candidate | None:
    whole = "/".join(part for part in (namespace.path, name.strip("/")) if part)
    root = place.root.strip("/")
    if root and not whole.startswith(root + "/"):
        return None
    relative = whole[len(root) :].strip("/")
    return Candidate(place.datastore, relative, relative) if relative else None


def _table_in(name: str, place: ConnectedDatastore) -> Candidate | None:
    """Match `database.schema.table`; parts beyond the schema are the table's own name, dots included."""
    parts = split_name(name)
    prefix = tuple(part for whole in (place.database, place.schema) if whole for part in split_name(whole))
    rest = parts[len(prefix) :]
    if not rest or [fold(part) for part in parts[: len(prefix)]] != [fold(part) for part in prefix]:
        return None
    table = ".".join(rest)
    return Candidate(place.datastore, table, fold(table)) if table else None


class Spelled(Protocol):
    """Something with a name that is compared without regard to case."""

    @property
    def name(self) -> str:
        """The name as it was registered."""
        ...


S = TypeVar("S", bound=Spelled)


def choose(spelled: str, found: Sequence[S]) -> S | None:
    """Return the one of `found`, equal but for case, that `spelled` means.

    Of several, only the one that is spelled exactly so; if none is, nothing matches (C15).
    """
    if len(found) == 1:
        return found[0]
    return next((one for one in found if one.name == spelled), None)
