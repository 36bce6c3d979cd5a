"""What a task's declared connection says of a system: SQLAlchemy URLs, Airflow connection URIs, JDBC URLs.

Only the parts that name a system are taken out; user names, passwords, tokens and all other parameters are never kept,
so they cannot reach a name, a message or an event.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import parse_qsl, unquote, urlsplit

from streamt.emitter.datasets import Column, DatasetRef
from streamt.openlineage.naming import SCHEMES, system_named

_ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "google-cloud-platform": "bigquery",
        "gcpbigquery": "bigquery",
        "aws-athena": "athena",
        "hiveserver2": "hive",
        "hive-cli": "hive",
        "mssql-odbc": "mssql",
        "cockroachdb": "postgres",
        "clickhousedb": "clickhouse",
        "ch": "clickhouse",
    }
)
"""Names of connection types that no scheme of a system has."""

_DATABASE_FIRST: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "trino": ("catalog", "schema"),
        "databricks": ("catalog", "schema"),
        "bigquery": ("dataset",),
        "oracle": ("service",),
        "cassandra": ("keyspace",),
        "snowflake": ("database", "schema"),
        "spark": ("schema",),
    }
)
"""What the segments of a URL's path are; `database` and `schema` where nothing else is said."""

_PARAMETERS: Mapping[str, str] = MappingProxyType(
    {
        "databasename": "database",
        "database": "database",
        "db": "database",
        "schema": "schema",
        "currentschema": "schema",
        "account": "account",
        "region": "region",
        "region_name": "region",
        "catalog": "catalog",
        "conncatalog": "catalog",
        "connschema": "schema",
        "service_name": "service",
        "projectid": "project",
        "project": "project",
        "dataset": "dataset",
        "defaultdataset": "dataset",
        "host": "host",
        "port": "port",
        "portnumber": "port",
    }
)
"""The only parameters of a URL that are looked at, by their names in lower case."""


@dataclass(frozen=True, slots=True)
class Connection:
    """What is known of a system by a connection to it.

    Attributes:
        system: such as `postgres`; empty where the kind of connection is unknown.
        parts: the parts of a dataset's identity that the connection gives.
    """

    system: str
    parts: Mapping[str, str]

    def dataset(self, parts: Mapping[str, str], columns: tuple[Column, ...] = ()) -> DatasetRef | None:
        """Return a dataset on this system; what is given wins over what the connection says.

        Args:
            parts: what the connection does not say: `schema`, `table`, `path`, `topic`.
            columns: the dataset's columns, where they are known.

        Returns:
            The dataset, or None where the system is unknown.
        """
        if not self.system:
            return None
        known = {**self.parts, **parts}
        taken = {key: value for key, value in known.items() if key in system_named(self.system).parts}
        return DatasetRef(self.system, tuple(sorted(taken.items())), columns)


def read_connection(url: str) -> Connection:
    """Read a connection's URL; of one that cannot be read nothing is known, and nothing is said."""
    text = url.strip()
    if text.lower().startswith("jdbc:"):
        return _jdbc(text[5:])
    return _url(text)


def _url(text: str) -> Connection:
    scheme, separator, rest = text.partition("://")
    system = _system(scheme.partition("+")[0])
    if not separator or not system:
        return Connection("", {})
    if system in ("duckdb", "sqlite"):
        # SQLAlchemy writes three slashes before a relative path, and four before an absolute one.
        return Connection(system, _embedded(rest.removeprefix("/")))
    if system in ("s3", "gs"):
        return Connection(system, _present({"bucket": rest.rpartition("@")[2].partition("/")[0].partition("?")[0]}))
    return Connection(system, _parts(system, rest))


def _jdbc(text: str) -> Connection:
    kind, _, rest = re.sub(r"\{[^}]*\}", "", text).partition(":")  # SQL Server quotes passwords in braces
    system = _system(kind)
    if system == "oracle":
        return Connection(system, _oracle(rest))
    if system in ("duckdb", "sqlite"):
        return Connection(system, _embedded(rest))
    if system == "bigquery":
        return Connection(system, _parameters(rest.partition(";")[2].replace(";", "&")))
    address, _, properties = rest.removeprefix("//").partition(";")
    parts = _parts(system, address) if system else {}
    return Connection(system, {**parts, **_parameters(properties.replace(";", "&"))})


def _parts(system: str, rest: str) -> dict[str, str]:
    """Return the parts of `user:password@host:port/path?parameters`, without the first two.

    A password may hold any letter, escaped or not: what counts begins behind the last `@`. Where one stands behind a
    `?`, nobody can tell the password's end, and so nothing is known.
    """
    address, _, query = rest.partition("?")
    if "@" in query:
        return {}
    address = address.rpartition("@")[2]
    try:
        split = urlsplit(f"//{address}")
        host, port = split.hostname or "", split.port
    except ValueError:
        return {}
    names = _DATABASE_FIRST.get(system, ("database", "schema"))
    segments = [unquote(segment) for segment in split.path.split("/") if segment]
    place = {"account" if system == "snowflake" else "project" if system == "bigquery" else "host": host}
    own = {**place, "port": str(port or ""), **dict(zip(names, segments, strict=False))}
    stated = _parameters(query)
    if system == "snowflake" and len(segments) == 1 and "database" in stated:  # as Airflow writes it
        own["schema"] = segments[0]
    return {**_present(own), **stated}


def _parameters(query: str) -> dict[str, str]:
    pairs = parse_qsl(query.partition("#")[0], keep_blank_values=False)
    found = {_PARAMETERS[key.lower()]: value for key, value in pairs if key.lower() in _PARAMETERS}
    return _present(found)


def _oracle(rest: str) -> dict[str, str]:
    """Read `thin:@//host:port/service` and `thin:@host:port:sid`."""
    address = rest.rpartition("@")[2].partition("?")[0]
    service = re.fullmatch(r"//(?P<host>[^:/]+)(?::(?P<port>[0-9]+))?/(?P<service>[\w.$#-]+)", address)
    sid = re.fullmatch(r"(?P<host>[^:/]+):(?P<port>[0-9]+):(?P<sid>[\w.$#-]+)", address)
    match = service or sid
    return _present(match.groupdict()) if match else {}


def _embedded(rest: str) -> dict[str, str]:
    return _present({"path": unquote(rest.partition("?")[0].rpartition("@")[2])})


def _system(scheme: str) -> str:
    lowered = scheme.lower().replace("_", "-")
    return _ALIASES.get(lowered, "") or SCHEMES.get(lowered, "")


def _present(parts: Mapping[str, str | None]) -> dict[str, str]:
    return {key: value for key, value in parts.items() if value}
