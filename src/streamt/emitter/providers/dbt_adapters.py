"""How each dbt adapter's relations are named: which system it is, and what of its profile says where.

Of a profile only the keys below are ever looked at; passwords, tokens and keys are not among them.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

Profile = Mapping[str, str]

RELATION = ("database", "schema", "table")


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """How one adapter's relations are named.

    Attributes:
        system: the system's name.
        keys: the key of a profile for each part of the namespace; the first that is there counts.
        relation: what a relation's parts are in the system's words, from its database to its table.
        quotes: whether dbt quotes identifiers unless told otherwise: else the system folds them.
        derive: what else is made of the profile.
    """

    system: str
    keys: Mapping[str, tuple[str, ...]]
    relation: tuple[str, ...] = RELATION
    quotes: bool = True
    derive: Callable[[Profile], Mapping[str, str]] | None = None


_HOST = {"host": ("host",), "port": ("port",)}
_SERVER = {"host": ("server", "host"), "port": ("port",)}


def _account_of_role(profile: Profile) -> Mapping[str, str]:
    """Take the account out of `arn:aws:iam::123456789012:role/name`, where the profile names none."""
    role = re.fullmatch(r"arn:[^:]*:iam::(?P<account>[0-9]{12}):.*", profile.get("role_arn", ""))
    return {"account": role["account"]} if role and not profile.get("account_id") else {}


ADAPTERS: Mapping[str, Adapter] = MappingProxyType(
    {
        "athena": Adapter(
            system="athena", keys={"region": ("region_name",)}, relation=("catalog", "database", "table")
        ),
        "bigquery": Adapter(system="bigquery", keys={}, relation=("project", "dataset", "table")),
        "clickhouse": Adapter(system="clickhouse", keys=_HOST, relation=("database", "table")),
        "crate": Adapter(system="crate", keys=_HOST),
        "databricks": Adapter(system="databricks", keys={"host": ("host",)}, relation=("catalog", "schema", "table")),
        "dremio": Adapter(system="dremio", keys={"host": ("software_host",), "port": ("port",)}),
        "duckdb": Adapter(system="duckdb", keys={"path": ("path",)}),
        "fabric": Adapter(system="fabric", keys=_SERVER),
        "glue": Adapter(
            system="glue",
            keys={"region": ("region",), "account": ("account_id",)},
            relation=("database", "table"),
            derive=_account_of_role,
        ),
        "hive": Adapter(system="hive", keys=_HOST, relation=("database", "table")),
        "mysql": Adapter(system="mysql", keys=_SERVER, relation=("database", "table")),
        "oracle": Adapter(
            system="oracle",
            keys={**_HOST, "service": ("service", "database")},
            relation=("schema", "table"),
            quotes=False,
        ),
        "postgres": Adapter(system="postgres", keys=_HOST),
        "redshift": Adapter(system="redshift", keys=_HOST),
        "snowflake": Adapter(system="snowflake", keys={"account": ("account",)}, quotes=False),
        "spark": Adapter(system="spark", keys=_HOST, relation=("schema", "table")),
        "sqlite": Adapter(system="sqlite", keys={}, relation=("schema", "table")),
        "sqlserver": Adapter(system="mssql", keys=_SERVER),
        "synapse": Adapter(system="synapse", keys=_SERVER, relation=("schema", "table")),
        "teradata": Adapter(system="teradata", keys=_SERVER, relation=("database", "table")),
        "trino": Adapter(system="trino", keys=_HOST, relation=("catalog", "schema", "table")),
    }
)
"""One row for each adapter whose relations have a name."""

ALIASES: Mapping[str, str] = MappingProxyType(
    {"mariadb": "mysql", "mysql5": "mysql", "starburst": "trino", "mssql": "sqlserver", "cratedb": "crate"}
)
"""Adapters whose relations are those of another one."""

PROFILE_KEYS = frozenset(
    {key for adapter in ADAPTERS.values() for keys in adapter.keys.values() for key in keys}
    | {"type", "role_arn", "account_id", "database", "catalog", "schemas_and_paths", "attach"}
)
"""All that is ever taken out of a profile."""


def adapter_named(name: str) -> Adapter | None:
    """Return the row of an adapter; None where its relations have no name that is known."""
    return ADAPTERS.get(ALIASES.get(name, name))
