"""How the datasets of each system are named: one row for each system, and the parts that rows are made of.

Source: OpenLineage's page "Naming Conventions"; what stands there for a system is followed to the letter. Systems that
the page does not list are marked `listed=False`, and follow the producer that is used most.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import AddressValueError, IPv6Address
from types import MappingProxyType
from typing import Literal

PART = re.compile(r"\{([a-z]+)\}")
"""A part's place in a template."""

Parts = dict[str, str]
Fold = Literal["lower", "upper", "keep"]


class NamingError(ValueError):
    """A dataset cannot be named from the parts that are known; the text never repeats a part's value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """How one system's datasets are named.

    Attributes:
        namespaces: templates of the namespace; the first whose parts are all known is used.
        names: templates of the name, alike.
        defaults: the value of a part that is not given.
        schemes: other schemes under which producers name this system.
        fold: what the system makes of an identifier without quotes.
        quotes: the characters that open a quoted identifier.
        style: `dotted` identifiers, one `whole` name, or a `path`.
        accepts: parts that `prepare` takes beside those of the templates.
        prepare: what is done to the parts first; it returns notes for the user.
        folds_host: whether the host is written in lower case.
        quotes_dots: whether a part with a dot is written in double quotes.
        listed: whether OpenLineage's page lists the system.
    """

    namespaces: tuple[str, ...]
    names: tuple[str, ...]
    defaults: Mapping[str, str] = field(default_factory=dict)
    schemes: tuple[str, ...] = ()
    fold: Fold = "keep"
    quotes: str = '"'
    style: Literal["dotted", "whole", "path"] = "dotted"
    accepts: tuple[str, ...] = ()
    prepare: Callable[[Parts], tuple[str, ...]] | None = None
    folds_host: bool = True
    quotes_dots: bool = True
    listed: bool = True

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of all parts that it takes."""
        own = [part for template in (*self.namespaces, *self.names) for part in PART.findall(template)]
        return tuple(dict.fromkeys((*own, *self.accepts)))


def clean_host(text: str) -> str:
    """Return a host in lower case, an IPv6 address in brackets, without a dot at its end.

    Raises:
        NamingError: it holds user information, several hosts, a port, or is no host.
    """
    if "@" in text:
        raise NamingError("the host holds user information, which must never be part of an identity")
    bare = text.strip().removeprefix("[").removesuffix("]")
    if ":" in bare and "," not in bare:
        return f"[{_ipv6(bare)}]"
    host = bare.lower().removesuffix(".")
    if not re.fullmatch(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?", host):
        raise NamingError("the host is not one host name or address")
    return host


def clean_port(text: str) -> str:
    """Return a port without leading zeros.

    Raises:
        NamingError: it is not a number from 1 to 65535.
    """
    digits = text.strip()
    if not re.fullmatch(r"0*[0-9]{1,5}", digits) or not 1 <= int(digits) <= 65535:
        raise NamingError("the port is not a number from 1 to 65535")
    return str(int(digits))


def _ipv6(text: str) -> str:
    try:
        return str(IPv6Address(text.partition("%")[0]))
    except AddressValueError:
        raise NamingError("the host is not one host name or address") from None


def _kafka(parts: Parts) -> tuple[str, ...]:
    """Keep one broker's spelling, as everywhere in streamt; a list names no single cluster."""
    if re.search(r"[,;\s]", parts.get("host", "")):
        raise NamingError("several brokers name no single cluster")
    return ()


def _socket(parts: Parts) -> tuple[str, ...]:
    if parts.get("host", "").startswith(("/", "@", "%2F", "%2f")):
        parts["host"] = "localhost"
        return (
            "a connection by a Unix socket is named as the host `localhost`, which no other machine can tell apart",
        )
    return ()


def _named_instance(parts: Parts) -> tuple[str, ...]:
    host, separator, _instance = parts.get("host", "").partition("\\")
    if separator and "port" not in parts:
        raise NamingError("a named instance of SQL Server has no fixed port: the port must be given")
    parts["host"] = host
    return ()


_PROVISIONED = re.compile(
    r"(?P<cluster>[^.]+)\.[^.]+\.(?P<region>[^.]+)\.redshift\.amazonaws\.com(?:\.cn)?", re.IGNORECASE
)
_SERVERLESS = re.compile(
    r"(?P<cluster>[^.]+)\.[^.]+\.(?P<region>[^.]+)\.redshift-serverless\.amazonaws\.com(?:\.cn)?", re.IGNORECASE
)


def _redshift(parts: Parts) -> tuple[str, ...]:
    """Take cluster (or serverless workgroup) and region from the host."""
    host = parts.pop("host", "").strip().removesuffix(".")
    known = _PROVISIONED.fullmatch(host) or _SERVERLESS.fullmatch(host)
    if known:
        parts |= {"cluster": known["cluster"], "region": known["region"]}
    elif "cluster" not in parts and host:
        parts["host"] = host
        return ("the host names no Redshift cluster and region, so it stands in the namespace as it is",)
    for key in ("cluster", "region"):
        if key in parts:
            parts[key] = parts[key].lower()
    return ()


def _snowflake(parts: Parts) -> tuple[str, ...]:
    """Make one account of every spelling; of a bare locator without its region nothing is guessed."""
    account = (parts.pop("account", None) or parts.pop("host", "")).strip().lower()
    parts.pop("host", None)
    for suffix in (".snowflakecomputing.com", ".snowflakecomputing.cn", ".privatelink", ".global"):
        account = account.removesuffix(suffix)
    if parts.get("region") and "." not in account:
        account = ".".join(filter(None, (account, parts["region"].lower(), parts.get("cloud", "").lower())))
    locator, *rest = account.split(".")
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", locator) or len(rest) > 3:
        raise NamingError("the account is not a Snowflake account identifier")
    if not rest and "-" not in locator:
        raise NamingError("a bare Snowflake locator has no region: write ORGANIZATION-ACCOUNT or LOCATOR.REGION.CLOUD")
    if rest and rest[-1] not in ("aws", "azure", "gcp"):
        rest.append("aws")  # an identifier without a cloud is one of AWS
    parts["account"] = ".".join((locator, *rest))
    return ()


def _bigquery(parts: Parts) -> tuple[str, ...]:
    """Strip backticks, and read the legacy spelling `project:dataset`; a domain's project keeps dot and colon."""
    for key in ("project", "dataset", "table"):
        if key in parts:
            parts[key] = parts[key].strip("`")
    project, colon, dataset = parts.get("dataset", "").rpartition(":")
    if colon:
        parts["dataset"] = dataset
        parts.setdefault("project", project)
    return ()


def _athena(parts: Parts) -> tuple[str, ...]:
    parts["region"] = parts.get("region", "").lower()
    return ()


def _embedded(parts: Parts) -> tuple[str, ...]:
    """Check the file of an embedded database, which a relative path does not name."""
    path = parts.get("path", "").partition("?")[0]
    if path in ("", ":memory:") or path.startswith(":memory:"):
        raise NamingError("a database in memory ends with its process, so its tables are no datasets")
    if path.startswith(("md:", "motherduck:")):
        parts["path"] = "md:" + path.partition(":")[2]
        return ()
    parts["path"] = _absolute(path)
    parts.setdefault("database", re.split(r"[\\/]", path)[-1].partition(".")[0])
    return ()


def _absolute(path: str) -> str:
    """Return an absolute path with `/`, without a slash at its end: `/C:/x` for a drive of Windows.

    Raises:
        NamingError: the path is relative.
    """
    slashed = path.replace("\\", "/") if re.match(r"[A-Za-z]:[\\/]|\\\\", path) else path
    if re.match(r"[A-Za-z]:/", slashed):
        slashed = "/" + slashed
    if not slashed.startswith("/"):
        raise NamingError("a relative path names no file: give the absolute path")
    kept: list[str] = []
    for segment in slashed.split("/"):
        if segment == "..":
            kept[-1:] = []
        elif segment not in ("", "."):
            kept.append(segment)
    return "/" + "/".join(kept)


def _file(parts: Parts) -> tuple[str, ...]:
    if parts.get("host") in ("", "localhost"):
        del parts["host"]
    parts["path"] = _absolute(parts.get("path", ""))
    return ()


def _hdfs(parts: Parts) -> tuple[str, ...]:
    parts["path"] = _absolute(parts.get("path", ""))
    return ()


def _object(parts: Parts) -> tuple[str, ...]:
    parts["path"] = parts.get("path", "").strip("/")
    return ()


_STORAGE = re.compile(r"(?P<account>[a-z0-9-]+)\.(?:dfs|blob)\.core\.windows\.net", re.IGNORECASE)


def _azure_storage(parts: Parts) -> tuple[str, ...]:
    known = _STORAGE.fullmatch(parts.get("account", ""))
    parts["account"] = (known["account"] if known else parts.get("account", "")).lower()
    return _object(parts)


def _kusto(parts: Parts) -> tuple[str, ...]:
    parts["host"] = parts.get("host", "").lower().removesuffix(".kusto.windows.net")
    return ()


def _server(scheme: str, port: int, *names: str, **more: object) -> System:
    """Return the row of a server with a host and a port."""
    return System(
        namespaces=(f"{scheme}://{{host}}:{{port}}",),
        names=names or ("{database}.{schema}.{table}",),
        defaults={"port": str(port)},
        **more,  # type: ignore[arg-type]  # the rows below are checked where they are written
    )


def _store(namespace: str, **more: object) -> System:
    """Return the row of a file system or an object store."""
    return System(namespaces=(namespace,), names=("{path}",), style="path", **more)  # type: ignore[arg-type]


SYSTEMS: Mapping[str, System] = MappingProxyType(
    {
        "abfss": _store(
            "abfss://{container}@{account}.dfs.core.windows.net", schemes=("abfs", "adl"), prepare=_azure_storage
        ),
        "athena": System(
            namespaces=("awsathena://athena.{region}.amazonaws.com",),
            names=("{catalog}.{database}.{table}",),
            defaults={"catalog": "AwsDataCatalog"},
            schemes=("awsathena",),
            fold="lower",
            quotes='"`',
            prepare=_athena,
        ),
        "azurecosmos": System(
            namespaces=("azurecosmos://{host}/dbs/{database}",), names=("colls/{table}",), style="whole"
        ),
        "azurekusto": System(
            namespaces=("azurekusto://{host}.kusto.windows.net",),
            names=("{database}/{table}",),
            style="whole",
            prepare=_kusto,
        ),
        "bigquery": System(
            namespaces=("bigquery",),
            names=("{project}.{dataset}.{table}",),
            quotes="`",
            quotes_dots=False,
            prepare=_bigquery,
        ),
        "box": System(namespaces=("box://{host}:{port}/{enterprise}",), names=("{path}",), style="path"),
        "cassandra": _server("cassandra", 9042, "{keyspace}.{table}", fold="lower"),
        "clickhouse": _server(
            "clickhouse", 8123, "{database}.{table}", quotes='`"', schemes=("clickhousedb",), listed=False
        ),
        "crate": _server("crate", 4200, fold="lower"),
        "databricks": System(
            namespaces=("databricks://{host}",), names=("{catalog}.{schema}.{table}",), quotes="`", listed=False
        ),
        "db2": _server("db2", 50000, fold="upper"),
        "dbfs": _store("dbfs://{workspace}"),
        "dremio": _server("dremio", 9047, listed=False),
        "duckdb": System(
            namespaces=("duckdb://{path}",), names=("{database}.{schema}.{table}",), prepare=_embedded, listed=False
        ),
        "fabric": System(
            namespaces=("fabric-warehouse://{host}:{port}", "fabric-warehouse://{host}"),
            names=("{database}.{schema}.{table}",),
            schemes=("fabric-warehouse",),
            quotes='"[',
        ),
        "file": System(namespaces=("file://{host}", "file"), names=("{path}",), style="path", prepare=_file),
        "filenet": System(namespaces=("filenet://{host}:{port}/{repository}",), names=("{path}",), style="path"),
        "glue": System(
            namespaces=("arn:aws:glue:{region}:{account}",), names=("table/{database}/{table}",), style="whole"
        ),
        "gs": _store("gs://{bucket}", schemes=("gcs",), prepare=_object),
        "hdfs": System(
            namespaces=("hdfs://{host}:{port}",),
            names=("{path}",),
            defaults={"port": "8020"},
            style="path",
            prepare=_hdfs,
        ),
        "hive": _server("hive", 10000, "{database}.{table}", fold="lower", quotes="`", schemes=("hive2",)),
        "inmemory": System(namespaces=("inmemory://",), names=("{table}",), style="whole"),
        "kafka": System(
            namespaces=("kafka://{host}:{port}",), names=("{topic}",), style="whole", folds_host=False, prepare=_kafka
        ),
        "milvus": _server("milvus", 19530, "{database}.{collection}"),
        "mssharepoint": System(namespaces=("mssharepoint://{host}:{port}/{site}",), names=("{path}",), style="path"),
        "mssql": _server("mssql", 1433, quotes='"[', schemes=("sqlserver",), prepare=_named_instance),
        "mysql": _server("mysql", 3306, "{database}.{table}", quotes="`", schemes=("mariadb",)),
        "oceanbase": _server("oceanbase", 2881, "{database}.{table}", quotes="`"),
        "oracle": _server("oracle", 1521, "{service}.{schema}.{table}", "{sid}.{schema}.{table}", fold="upper"),
        "postgres": _server("postgres", 5432, fold="lower", schemes=("postgresql",), prepare=_socket),
        "pubsub": System(
            namespaces=("pubsub",),
            names=("topic:{project}:{topic}", "subscription:{project}:{subscription}"),
            style="whole",
        ),
        "redshift": System(
            namespaces=("redshift://{cluster}.{region}:{port}", "redshift://{host}:{port}"),
            names=("{database}.{schema}.{table}",),
            defaults={"port": "5439"},
            fold="lower",
            prepare=_redshift,
        ),
        "s3": _store("s3://{bucket}", schemes=("s3a", "s3n"), prepare=_object),
        "snowflake": System(
            namespaces=("snowflake://{account}",),
            names=("{database}.{schema}.{table}",),
            fold="upper",
            accepts=("host", "region", "cloud"),
            prepare=_snowflake,
        ),
        "spanner": System(namespaces=("spanner://{project}:{instance}",), names=("{database}.{schema}.{table}",)),
        "spark": _server("spark", 10001, "{schema}.{table}", "{table}", quotes="`", fold="lower", listed=False),
        "sqlite": System(
            namespaces=("sqlite://{path}",),
            names=("{schema}.{table}",),
            defaults={"schema": "main"},
            quotes='"`[',
            accepts=("database",),
            prepare=_embedded,
            listed=False,
        ),
        "synapse": _server("sqlserver", 1433, "{schema}.{table}", quotes='"['),
        "teradata": _server("teradata", 1025, "{database}.{table}"),
        "trino": _server("trino", 8080, "{catalog}.{schema}.{table}", fold="lower", schemes=("presto",)),
        "unitycatalog": System(
            namespaces=("unitycatalog://{host}:{port}", "unitycatalog://{host}"),
            names=("{catalog}.{schema}.{table}",),
            schemes=("unity-catalog",),
            quotes="`",
        ),
        "wasbs": _store(
            "wasbs://{container}@{account}.dfs.core.windows.net", schemes=("wasb",), prepare=_azure_storage
        ),
    }
)
"""One row for each system."""
