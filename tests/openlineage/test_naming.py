"""One row for each system and each trap, and OpenLineage's own naming module beside ours."""

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openlineage.client.naming import dataset as official

from streamt.openlineage.naming import (
    SCHEMES,
    SYSTEMS,
    NamingError,
    identify,
    join_name,
    parse_namespace,
    parts_of_relation,
    split_name,
    system_of,
)

SOURCE = Path(__file__).parents[2] / "src" / "streamt"

TABLE = {"database": "db", "schema": "s", "table": "t"}
SNOW = {"database": "DB", "schema": "S", "table": "T"}
RED = "redshift.amazonaws.com"

# system, parts, namespace, name
ROWS: dict[str, tuple[str, Mapping[str, str], str, str]] = {
    "abfss": (
        "abfss",
        {"container": "c", "account": "acct", "path": "/a/b/"},
        "abfss://c@acct.dfs.core.windows.net",
        "a/b",
    ),
    "abfss, whole account": (
        "abfss",
        {"container": "c", "account": "ACCT.blob.core.windows.net", "path": "a"},
        "abfss://c@acct.dfs.core.windows.net",
        "a",
    ),
    "athena": (
        "athena",
        {"region": "eu-west-1", "catalog": "c", "database": "d", "table": "t"},
        "awsathena://athena.eu-west-1.amazonaws.com",
        "c.d.t",
    ),
    "athena, default catalog": (
        "athena",
        {"region": "EU-west-1", "database": "d", "table": "t"},
        "awsathena://athena.eu-west-1.amazonaws.com",
        "AwsDataCatalog.d.t",
    ),
    "azurecosmos": (
        "azurecosmos",
        {"host": "acc.documents.azure.com", "database": "d", "table": "t"},
        "azurecosmos://acc.documents.azure.com/dbs/d",
        "colls/t",
    ),
    "azurekusto": (
        "azurekusto",
        {"host": "Help.kusto.windows.net", "database": "d", "table": "t"},
        "azurekusto://help.kusto.windows.net",
        "d/t",
    ),
    "bigquery": ("bigquery", {"project": "p-1", "dataset": "d", "table": "t"}, "bigquery", "p-1.d.t"),
    "bigquery, backticks": ("bigquery", {"project": "`p`", "dataset": "`d`", "table": "`t`"}, "bigquery", "p.d.t"),
    "bigquery, legacy": ("bigquery", {"dataset": "p:d", "table": "t"}, "bigquery", "p.d.t"),
    "bigquery, a domain's project": (
        "bigquery",
        {"project": "a.com:p", "dataset": "d", "table": "t"},
        "bigquery",
        "a.com:p.d.t",
    ),
    "box": (
        "box",
        {"host": "h", "port": "1", "enterprise": "e", "path": "k"},
        "box://h:1/e",
        "k",
    ),
    "cassandra": ("cassandra", {"host": "h", "keyspace": "k", "table": "t"}, "cassandra://h:9042", "k.t"),
    "clickhouse": ("clickhouse", {"host": "h", "database": "d", "table": "t"}, "clickhouse://h:8123", "d.t"),
    "crate": ("crate", {"host": "h", **TABLE}, "crate://h:4200", "db.s.t"),
    "databricks": (
        "databricks",
        {"host": "Dbc-1.cloud.databricks.com", "catalog": "main", "schema": "s", "table": "t"},
        "databricks://dbc-1.cloud.databricks.com",
        "main.s.t",
    ),
    "db2": ("db2", {"host": "h", **TABLE}, "db2://h:50000", "db.s.t"),
    "dbfs": ("dbfs", {"workspace": "w", "path": "/a"}, "dbfs://w", "/a"),
    "dremio": ("dremio", {"host": "h", **TABLE}, "dremio://h:9047", "db.s.t"),
    "duckdb": ("duckdb", {"path": "/x/shop.duckdb", **TABLE}, "duckdb:///x/shop.duckdb", "db.s.t"),
    "duckdb, database of the file": (
        "duckdb",
        {"path": "/x/./y/../shop.duckdb", "schema": "main", "table": "t"},
        "duckdb:///x/shop.duckdb",
        "shop.main.t",
    ),
    "duckdb, motherduck with a token": (
        "duckdb",
        {"path": "md:shop?motherduck_token=canary", "database": "shop", "schema": "main", "table": "t"},
        "duckdb://md:shop",
        "shop.main.t",
    ),
    "fabric": (
        "fabric-warehouse",
        {"host": "W.datawarehouse.fabric.microsoft.com", **TABLE},
        "fabric-warehouse://w.datawarehouse.fabric.microsoft.com",
        "db.s.t",
    ),
    "fabric, port": ("fabric", {"host": "w", "port": "1433", **TABLE}, "fabric-warehouse://w:1433", "db.s.t"),
    "file": ("file", {"path": "/a/./b/../c.csv"}, "file", "/a/c.csv"),
    "file, this machine": ("file", {"host": "localhost", "path": "/a"}, "file", "/a"),
    "file, another machine": ("file", {"host": "H", "path": "/a/"}, "file://h", "/a"),
    "file, Windows": ("file", {"path": "C:\\data\\a.csv"}, "file", "/C:/data/a.csv"),
    "filenet": ("filenet", {"host": "h", "port": "1", "repository": "r", "path": "k"}, "filenet://h:1/r", "k"),
    "glue": (
        "glue",
        {"region": "eu-west-1", "account": "123456789012", "database": "d", "table": "t"},
        "arn:aws:glue:eu-west-1:123456789012",
        "table/d/t",
    ),
    "gs": ("gcs", {"bucket": "b", "path": "/a/b/"}, "gs://b", "a/b"),
    "hdfs": ("hdfs", {"host": "NN", "path": "/a/b/"}, "hdfs://nn:8020", "/a/b"),
    "hive": ("hive", {"host": "h", "database": "d", "table": "t"}, "hive://h:10000", "d.t"),
    "inmemory": ("inmemory", {"table": "t"}, "inmemory://", "t"),
    "kafka": ("kafka", {"host": "b", "port": "9092", "topic": "a.b.v1"}, "kafka://b:9092", "a.b.v1"),
    "kafka, spelling kept": ("kafka", {"host": "Broker-1", "port": "9092", "topic": "t"}, "kafka://Broker-1:9092", "t"),
    "kafka, IPv6": ("kafka", {"host": "::1", "port": "9092", "topic": "t"}, "kafka://[::1]:9092", "t"),
    "milvus": ("milvus", {"host": "h", "database": "d", "collection": "c"}, "milvus://h:19530", "d.c"),
    "mssharepoint": ("mssharepoint", {"host": "h", "port": "1", "site": "s", "path": "k"}, "mssharepoint://h:1/s", "k"),
    "mssql": ("mssql", {"host": "h", **TABLE}, "mssql://h:1433", "db.s.t"),
    "mssql, named instance": ("sqlserver", {"host": "h\\I", "port": "50001", **TABLE}, "mssql://h:50001", "db.s.t"),
    "mysql": ("mysql", {"host": "h", "database": "d", "table": "t"}, "mysql://h:3306", "d.t"),
    "mysql, mariadb": (
        "mariadb",
        {"host": "h", "port": "3307", "database": "d", "table": "t"},
        "mysql://h:3307",
        "d.t",
    ),
    "oceanbase": ("oceanbase", {"host": "h", "database": "d", "table": "t"}, "oceanbase://h:2881", "d.t"),
    "oracle": (
        "oracle",
        {"host": "h", "service": "db.example.com", "schema": "S", "table": "T"},
        "oracle://h:1521",
        '"db.example.com".S.T',
    ),
    "oracle, SID": ("oracle", {"host": "h", "sid": "XE", "schema": "S", "table": "T"}, "oracle://h:1521", "XE.S.T"),
    "postgres": ("postgres", {"host": "h", **TABLE}, "postgres://h:5432", "db.s.t"),
    "postgres, case kept in names, not in hosts": (
        "postgresql",
        {"host": "DB.Example.COM.", "port": "05433", "database": "Db", "schema": "S", "table": "T"},
        "postgres://db.example.com:5433",
        "Db.S.T",
    ),
    "postgres, IPv6": ("postgres", {"host": "2001:DB8::1", **TABLE}, "postgres://[2001:db8::1]:5432", "db.s.t"),
    "postgres, IPv6 in brackets": (
        "postgres",
        {"host": "[2001:db8::1]", **TABLE},
        "postgres://[2001:db8::1]:5432",
        "db.s.t",
    ),
    "postgres, dots and quotes in names": (
        "postgres",
        {"host": "h", "database": "d", "schema": "a.b", "table": 'c".d'},
        "postgres://h:5432",
        'd."a.b"."c"".d"',
    ),
    "postgres, socket": ("postgres", {"host": "/var/run/postgresql", **TABLE}, "postgres://localhost:5432", "db.s.t"),
    "pubsub": ("pubsub", {"project": "p", "topic": "t"}, "pubsub", "topic:p:t"),
    "pubsub, subscription": ("pubsub", {"project": "p", "subscription": "s"}, "pubsub", "subscription:p:s"),
    "redshift": ("redshift", {"cluster": "C", "region": "eu-west-1", **TABLE}, "redshift://c.eu-west-1:5439", "db.s.t"),
    "redshift, host": ("redshift", {"host": f"c.x1.eu-west-1.{RED}", **TABLE}, "redshift://c.eu-west-1:5439", "db.s.t"),
    "redshift, China": (
        "redshift",
        {"host": f"c.x1.cn-north-1.{RED}.cn", **TABLE},
        "redshift://c.cn-north-1:5439",
        "db.s.t",
    ),
    "redshift, serverless": (
        "redshift",
        {"host": "wg.123456789012.eu-west-1.redshift-serverless.amazonaws.com", **TABLE},
        "redshift://wg.eu-west-1:5439",
        "db.s.t",
    ),
    "redshift, other host": (
        "redshift",
        {"host": "dw.example.com", **TABLE},
        "redshift://dw.example.com:5439",
        "db.s.t",
    ),
    "s3": ("s3", {"bucket": "b", "path": "a/b"}, "s3://b", "a/b"),
    "s3a, slashes": ("s3a", {"bucket": "b", "path": "/a/b/"}, "s3://b", "a/b"),
    "snowflake": ("snowflake", {"account": "MyOrg-Acc", **SNOW}, "snowflake://myorg-acc", "DB.S.T"),
    "snowflake, host": (
        "snowflake",
        {"host": "MyOrg-Acc.privatelink.snowflakecomputing.com", **SNOW},
        "snowflake://myorg-acc",
        "DB.S.T",
    ),
    "snowflake, locator and region": (
        "snowflake",
        {"account": "XY12345.eu-central-1", **SNOW},
        "snowflake://xy12345.eu-central-1.aws",
        "DB.S.T",
    ),
    "snowflake, locator, region, cloud": (
        "snowflake",
        {"account": "xy12345.west-europe.azure", **SNOW},
        "snowflake://xy12345.west-europe.azure",
        "DB.S.T",
    ),
    "snowflake, region beside": (
        "snowflake",
        {"account": "xy12345", "region": "us-west-2", "cloud": "aws", **SNOW},
        "snowflake://xy12345.us-west-2.aws",
        "DB.S.T",
    ),
    "spanner": ("spanner", {"project": "p", "instance": "i", **TABLE}, "spanner://p:i", "db.s.t"),
    "spark": ("spark", {"host": "h", "schema": "s", "table": "t"}, "spark://h:10001", "s.t"),
    "spark, no schema": ("spark", {"host": "h", "schema": "", "table": "t"}, "spark://h:10001", "t"),
    "sqlite": ("sqlite", {"path": "/x/a.sqlite", "table": "t"}, "sqlite:///x/a.sqlite", "main.t"),
    "synapse": ("synapse", {"host": "h", "schema": "s", "table": "t"}, "sqlserver://h:1433", "s.t"),
    "teradata": ("teradata", {"host": "h", "database": "d", "table": "t"}, "teradata://h:1025", "d.t"),
    "trino": ("trino", {"host": "h", "catalog": "c", "schema": "s", "table": "t"}, "trino://h:8080", "c.s.t"),
    "unitycatalog": (
        "unity-catalog",
        {"host": "h", "catalog": "c", "schema": "s", "table": "t"},
        "unitycatalog://h",
        "c.s.t",
    ),
    "wasbs": ("wasb", {"container": "c", "account": "a", "path": "/k"}, "wasbs://c@a.dfs.core.windows.net", "k"),
}

REFUSED: dict[str, tuple[str, Mapping[str, str]]] = {
    "unknown system": ("oracel", {"host": "h", **TABLE}),
    "unknown part": ("postgres", {"host": "h", "tabel": "t", **TABLE}),
    "missing part": ("postgres", {"host": "h", "database": "d", "table": "t"}),
    "no host": ("postgres", TABLE),
    "user information": ("postgres", {"host": "me:canary@h", **TABLE}),
    "several hosts": ("postgres", {"host": "h1,h2", **TABLE}),
    "a URL for a host": ("postgres", {"host": "http://canary", **TABLE}),
    "port 0": ("postgres", {"host": "h", "port": "0", **TABLE}),
    "port out of range": ("postgres", {"host": "h", "port": "65536", **TABLE}),
    "a word for a port": ("postgres", {"host": "h", "port": "canary", **TABLE}),
    "not IPv6": ("postgres", {"host": "canary::x", **TABLE}),
    "control characters": ("postgres", {"host": "h", "database": "d", "schema": "s", "table": "canary\n"}),
    "blank": ("kafka", {"host": "h", "port": "1", "topic": "  "}),
    "kafka without a port": ("kafka", {"host": "canary", "topic": "t"}),
    "a list of brokers": ("kafka", {"host": "canary1:9092,canary2", "port": "9092", "topic": "t"}),
    "named instance without a port": ("mssql", {"host": "canary\\I", **TABLE}),
    "bare snowflake locator": ("snowflake", {"account": "canary", **SNOW}),
    "no snowflake account": ("snowflake", {"account": "canary canary", **SNOW}),
    "database in memory": ("duckdb", {"path": ":memory:", **TABLE}),
    "database without a path": ("duckdb", TABLE),
    "relative database": ("duckdb", {"path": "canary.duckdb", **TABLE}),
    "relative file": ("file", {"path": "./canary"}),
    "relative path on hdfs": ("hdfs", {"host": "h", "path": "canary"}),
    "a bucket with a path": ("s3", {"bucket": "canary/x", "path": "k"}),
}


@pytest.mark.parametrize("case", ROWS)
def test_a_dataset_is_named(case: str) -> None:
    system, parts, namespace, name = ROWS[case]
    identity = identify(system, parts).identity
    assert (identity.namespace, identity.name) == (namespace, name)


@pytest.mark.parametrize("case", REFUSED)
def test_what_names_no_dataset_is_refused_without_repeating_it(case: str) -> None:
    system, parts = REFUSED[case]
    with pytest.raises(NamingError) as caught:
        identify(system, parts)
    assert "canary" not in str(caught.value)


def test_every_system_has_a_row_of_the_table() -> None:
    assert {SCHEMES[system] for system, *_ in ROWS.values()} == set(SYSTEMS)


def test_what_the_user_should_know_is_noted() -> None:
    assert "localhost" in identify("postgres", {"host": "/tmp", **TABLE}).notes[0]
    assert identify("redshift", {"host": "dw.example.com", **TABLE}).notes
    assert identify("postgres", {"host": "h", **TABLE}).notes == ()


RELATIONS = {
    "postgres folds to lower": ("postgres", 'Db."Sales".ORDERS', ("db", "Sales", "orders")),
    "redshift folds to lower": ("redshift", '"Db"."s"."T"', ("Db", "s", "T")),
    "snowflake folds to upper": ("snowflake", 'db.s."Orders"', ("DB", "S", "Orders")),
    "oracle folds to upper": ("oracle", "s.t", ("S", "T")),
    "bigquery keeps": ("bigquery", "`P-1`.`D`.`t`", ("P-1", "D", "t")),
    "bigquery, one pair of backticks": ("bigquery", "`p-1.d.t`", ("p-1", "d", "t")),
    "databricks": ("databricks", "`main`.`s`.`t`", ("main", "s", "t")),
    "brackets": ("mssql", '[d].[a]]b]."c"', ("d", "a]b", "c")),
    "dots and doubled quotes": ("postgres", '"d"."a.b"."c""d"', ("d", "a.b", 'c"d')),
    "a foreign quote is a letter": ("postgres", "`a`.b", ("`a`", "b")),
}


@pytest.mark.parametrize("case", RELATIONS)
def test_a_relation_is_read_as_its_system_reads_it(case: str) -> None:
    system, text, parts = RELATIONS[case]
    assert parts_of_relation(system, text) == parts


@pytest.mark.parametrize("text", ['"a', '"a"b', "a..b", "", '""', "a."])
def test_a_malformed_relation_is_refused(text: str) -> None:
    with pytest.raises(NamingError):
        parts_of_relation("postgres", text)


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_a_dotted_name_splits_into_what_it_was_joined_of(parts: list[str]) -> None:
    assert split_name(join_name(tuple(parts))) == tuple(parts)


def test_dots_behind_a_backslash_belong_to_their_part() -> None:
    assert split_name(r"mydb\.example\.com.S.T") == ("mydb.example.com", "S", "T")


@pytest.mark.parametrize("case", ROWS)
def test_a_namespace_is_read_as_the_system_that_wrote_it(case: str) -> None:
    system, _, namespace, _ = ROWS[case]
    assert parse_namespace(namespace).system == system_of("sqlserver" if system == "synapse" else system)


@given(st.text(max_size=60))
def test_no_namespace_is_too_odd_to_be_read(text: str) -> None:
    assert parse_namespace(text) is not None


# What the official module gives for the same parts. `None`: the same as ours; else its answer, and why ours differs.
SERVER = {"host": "h", "port": "1234"}
OFFICIAL: dict[str, tuple[str, Mapping[str, str], Any, tuple[str, str, str] | None]] = {
    "athena": (
        "athena",
        {"region": "r", "catalog": "c", "database": "d", "table": "t"},
        official.Athena("r", "c", "d", "t"),
        None,
    ),
    "glue": (
        "glue",
        {"region": "r", "account": "1", "database": "d", "table": "t"},
        official.AWSGlue("r", "1", "d", "t"),
        None,
    ),
    "azurecosmos": (
        "azurecosmos",
        {"host": "h", "database": "d", "table": "t"},
        official.AzureCosmosDB("h", "d", "t"),
        None,
    ),
    "azurekusto": (
        "azurekusto",
        {"host": "h", "database": "d", "table": "t"},
        official.AzureDataExplorer("h", "d", "t"),
        None,
    ),
    "synapse": (
        "synapse",
        {**SERVER, "schema": "s", "table": "t"},
        official.AzureSynapse("h", "1234", "s", "t"),
        None,
    ),
    "bigquery": (
        "bigquery",
        {"project": "p", "dataset": "d", "table": "t"},
        official.BigQuery("p", "d", "t"),
        None,
    ),
    "cassandra": (
        "cassandra",
        {**SERVER, "keyspace": "k", "table": "t"},
        official.Cassandra("h", "1234", "k", "t"),
        None,
    ),
    "mysql": ("mysql", {**SERVER, "database": "d", "table": "t"}, official.MySQL("h", "1234", "d", "t"), None),
    "crate": ("crate", {**SERVER, **TABLE}, official.CrateDB("h", "1234", "db", "s", "t"), None),
    "db2": ("db2", {**SERVER, **TABLE}, official.DB2("h", "1234", "db", "s", "t"), None),
    "oceanbase": (
        "oceanbase",
        {**SERVER, "database": "d", "table": "t"},
        official.OceanBase("h", "1234", "d", "t"),
        None,
    ),
    "oracle": (
        "oracle",
        {**SERVER, "service": "x", "schema": "s", "table": "t"},
        official.Oracle("h", "1234", "x", "s", "t"),
        None,
    ),
    "oracle, a service with dots": (
        "oracle",
        {**SERVER, "service": "x.y", "schema": "s", "table": "t"},
        official.Oracle("h", "1234", "x.y", "s", "t"),
        ("oracle://h:1234", "x.y.s.t", "its name cannot be split again"),
    ),
    "postgres": ("postgres", {**SERVER, **TABLE}, official.Postgres("h", "1234", "db", "s", "t"), None),
    "postgres, IPv6": (
        "postgres",
        {"host": "2001:db8::1", "port": "5432", **TABLE},
        official.Postgres("2001:db8::1", "5432", "db", "s", "t"),
        ("postgres://2001:db8::1:5432", "db.s.t", "host and port cannot be told apart without brackets"),
    ),
    "postgres, host in upper case": (
        "postgres",
        {"host": "H", "port": "1234", **TABLE},
        official.Postgres("H", "1234", "db", "s", "t"),
        ("postgres://H:1234", "db.s.t", "host names have no case, and two spellings would be two systems"),
    ),
    "teradata": (
        "teradata",
        {**SERVER, "database": "d", "table": "t"},
        official.Teradata("h", "1234", "d", "t"),
        None,
    ),
    "redshift": (
        "redshift",
        {"cluster": "c", "region": "r", "port": "1234", **TABLE},
        official.Redshift("c", "r", "1234", "db", "s", "t"),
        None,
    ),
    "snowflake": ("snowflake", {"account": "o-a", **SNOW}, official.Snowflake("o", "a", "DB", "S", "T"), None),
    "trino": (
        "trino",
        {**SERVER, "catalog": "c", "schema": "s", "table": "t"},
        official.Trino("h", "1234", "c", "s", "t"),
        None,
    ),
    "abfss": ("abfss", {"container": "c", "account": "a", "path": "k"}, official.ABFSS("c", "a", "k"), None),
    "dbfs": ("dbfs", {"workspace": "w", "path": "/k"}, official.DBFS("w", "/k"), None),
    "gs": ("gs", {"bucket": "b", "path": "k"}, official.GCS("b", "k"), None),
    "hdfs": ("hdfs", {**SERVER, "path": "/k"}, official.HDFS("h", "1234", "/k"), None),
    "hive": ("hive", {**SERVER, "database": "d", "table": "t"}, official.Hive("h", "1234", "d", "t"), None),
    "kafka": ("kafka", {**SERVER, "topic": "t"}, official.Kafka("h", "1234", "t"), None),
    "file": ("file", {"path": "/k"}, official.LocalFileSystem("/k"), None),
    "file, Windows": (
        "file",
        {"path": "C:\\k"},
        official.LocalFileSystem("C:\\k"),
        ("file", "C:\\k", "a path has slashes, as in a file URI"),
    ),
    "file, another machine": ("file", {"host": "h", "path": "/k"}, official.RemoteFileSystem("h", "/k"), None),
    "s3": ("s3", {"bucket": "b", "path": "k"}, official.S3("b", "k"), None),
    "s3, slashes": (
        "s3",
        {"bucket": "b", "path": "/a/b/"},
        official.S3("b", "/a/b/"),
        ("s3://b", "/a/b/", "a slash at an end makes a second name of one dataset"),
    ),
    "wasbs": ("wasbs", {"container": "c", "account": "a", "path": "k"}, official.WASBS("c", "a", "k"), None),
    "pubsub": (
        "pubsub",
        {"project": "p", "topic": "t"},
        official.PubSubNaming(official.PubSubResourceType.TOPIC, "p", "t"),
        None,
    ),
}


@pytest.mark.parametrize("case", OFFICIAL)
def test_the_official_module_agrees_or_differs_for_a_reason(case: str) -> None:
    system, parts, theirs, difference = OFFICIAL[case]
    identity = identify(system, parts).identity
    given = (theirs.get_namespace(), theirs.get_name())
    if difference is None:
        assert given == (identity.namespace, identity.name)
    else:
        assert given == difference[:2] != (identity.namespace, identity.name)


def test_every_class_of_the_official_module_is_compared() -> None:
    classes = {
        name
        for name, value in vars(official).items()
        if isinstance(value, type) and hasattr(value, "get_namespace") and name != "DatasetNaming"
    }
    assert classes == {type(theirs).__name__ for _, _, theirs, _ in OFFICIAL.values()}


NAMERS = {"openlineage/naming.py", "openlineage/own_names.py", "openlineage/systems.py"}


def test_nothing_else_makes_a_namespace() -> None:
    """No other module writes the scheme of a system: a namespace or a name is never built beside `naming`."""
    # SQLAlchemy's URL of the catalog's own store is no namespace.
    schemes = (*(f"{scheme}://" for scheme in SCHEMES if scheme != "sqlite"), "arn:aws:glue:")
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).as_posix() not in NAMERS and "received" not in path.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(schemes)
        if "{" not in node.value and "HOST" not in node.value
    ]
    assert found == []
