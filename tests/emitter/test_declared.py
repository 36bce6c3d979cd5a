"""Datasets that an author declares, and what a connection says."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt.emitter import DatasetRef
from streamt.emitter.lifecycle import identity_of
from streamt.emitter.providers import DeclarationError, read_connection, read_declared
from streamt.openlineage.naming import NamingError

TABLE = "postgres:host=h,port=5433,database=d,schema=s,table=t"


def name(reference: DatasetRef) -> tuple[str, str]:
    identity = identity_of(reference)
    return identity.namespace, identity.name


@pytest.mark.parametrize(
    ("declared", "namespace", "dataset"),
    [
        (TABLE, "postgres://h:5433", "d.s.t"),
        ("PostgreSQL:host=::1,database=d,schema=s,table=t", "postgres://[::1]:5432", "d.s.t"),
        ('postgres:host=h,database=d,schema=s,table="a,b ""c"""', "postgres://h:5432", 'd.s.a,b "c"'),
        ("kafka:host=b,port=9092,topic=a.b", "kafka://b:9092", "a.b"),
        ("file:path=C:\\x\\y.csv", "file", "/C:/x/y.csv"),
        ({"system": "s3", "bucket": "b", "path": "a/b"}, "s3://b", "a/b"),
        ({"system": "mysql", "host": "h", "port": 3307, "database": "d", "table": "t"}, "mysql://h:3307", "d.t"),
        ({"namespace": "postgresql://h/d", "name": "T"}, "postgresql://h/d", "T"),
    ],
)
def test_a_declared_dataset_has_a_name(declared: Any, namespace: str, dataset: str) -> None:
    assert name(read_declared(declared)) == (namespace, dataset)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("canary", "SYSTEM:key=value"),
        ("postgrse:host=h", "the system is unknown"),
        ("postgres:canary", "key=value"),
        ("postgres:host=h,host=canary", "stands twice"),
        ("postgres:host=h,database=d,schema=s", "missing: table"),
        ("postgres:hots=canary,database=d,schema=s,table=t", "unknown part `hots`"),
        ("postgres:host=u:canary@h,database=d,schema=s,table=t", "user information"),
        ({"host": "canary"}, "needs `system`"),
        ({"system": "canary"}, "the system is unknown"),
        ({"system": "s3", "bucket": ["canary"]}, "a text or a number"),
        ({"namespace": "postgres://u:canary@h", "name": "t"}, "a password"),
        ({"namespace": "", "name": "canary"}, "blank"),
    ],
)
def test_a_declaration_that_names_nothing_is_refused_without_repeating_it(declared: Any, message: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        read_declared(declared)
    assert message in str(caught.value)
    assert "canary" not in f"{caught.value} {caught.value.hint}"


def test_a_refusal_says_which_parts_there_are() -> None:
    with pytest.raises(DeclarationError) as caught:
        read_declared("redshift:database=d,schema=s,table=t")
    assert caught.value.hint == "the parts of redshift are cluster, region, port, host, database, schema, table"
    with pytest.raises(DeclarationError) as caught:
        read_declared("postgrse:host=h")
    assert caught.value.hint == "did you mean `postgres`?"


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    for declared in (text, f"postgres:{text}"):
        try:
            read_declared(declared)
        except DeclarationError:
            continue


T = {"schema": "s", "table": "t"}
# url, further parts, namespace, name
CONNECTIONS: dict[str, tuple[str, dict[str, str], str, str]] = {
    "SQLAlchemy postgres": ("postgresql+psycopg2://u:canary@H:5433/d", T, "postgres://h:5433", "d.s.t"),
    "Airflow postgres": ("postgres://u:canary@h/d?sslmode=require", T, "postgres://h:5432", "d.s.t"),
    "IPv6": ("postgresql://u:canary@[::1]/d", T, "postgres://[::1]:5432", "d.s.t"),
    "JDBC postgres": ("jdbc:postgresql://h:5433/d?user=u&password=canary", T, "postgres://h:5433", "d.s.t"),
    "MySQL": ("mysql+pymysql://u:canary@h/d?charset=utf8", {"table": "t"}, "mysql://h:3306", "d.t"),
    "JDBC MySQL": ("jdbc:mysql://h:3307/d?password=canary", {"table": "t"}, "mysql://h:3307", "d.t"),
    "SQL Server": ("mssql+pyodbc://u:canary@h/d?driver=ODBC", T, "mssql://h:1433", "d.s.t"),
    "JDBC SQL Server": (
        "jdbc:sqlserver://h:1434;databaseName=d;user=u;password={canary;database=canary}",
        T,
        "mssql://h:1434",
        "d.s.t",
    ),
    "Oracle": ("oracle+oracledb://u:canary@h:1522/svc", T, "oracle://h:1522", "svc.s.t"),
    "Oracle service name": ("oracle://u:canary@h/?service_name=svc", T, "oracle://h:1521", "svc.s.t"),
    "JDBC Oracle": ("jdbc:oracle:thin:u/canary@//h:1521/svc", T, "oracle://h:1521", "svc.s.t"),
    "JDBC Oracle, SID": ("jdbc:oracle:thin:@h:1521:XE", T, "oracle://h:1521", "XE.s.t"),
    "Redshift": (
        "redshift+redshift_connector://u:canary@c.x.eu-west-1.redshift.amazonaws.com/d",
        T,
        "redshift://c.eu-west-1:5439",
        "d.s.t",
    ),
    "Snowflake": (
        "snowflake://u:canary@MyOrg-Acc/D/S?warehouse=w&token=canary",
        {"table": "T"},
        "snowflake://myorg-acc",
        "D.S.T",
    ),
    "Airflow Snowflake": (
        "snowflake://u:canary@/S?account=xy12345&region=eu-central-1&database=D",
        {"table": "T"},
        "snowflake://xy12345.eu-central-1.aws",
        "D.S.T",
    ),
    "JDBC Snowflake": (
        "jdbc:snowflake://myorg-acc.snowflakecomputing.com/?db=D&schema=S&password=canary",
        {"table": "T"},
        "snowflake://myorg-acc",
        "D.S.T",
    ),
    "BigQuery": ("bigquery://p/ds?credentials_path=canary", {"table": "t"}, "bigquery", "p.ds.t"),
    "Airflow BigQuery": (
        "google-cloud-platform://?project=p&keyfile_dict=canary",
        {"dataset": "ds", "table": "t"},
        "bigquery",
        "p.ds.t",
    ),
    "JDBC BigQuery": (
        "jdbc:bigquery://https://x:443;ProjectId=p;DefaultDataset=ds;OAuthPvtKey=canary",
        {"table": "t"},
        "bigquery",
        "p.ds.t",
    ),
    "Trino": ("trino://u:canary@h:8443/cat/s", {"table": "t"}, "trino://h:8443", "cat.s.t"),
    "JDBC Trino": ("jdbc:trino://h/cat/s?password=canary", {"table": "t"}, "trino://h:8080", "cat.s.t"),
    "Databricks": (
        "databricks://token:canary@h?catalog=c&schema=s&http_path=x",
        {"table": "t"},
        "databricks://h",
        "c.s.t",
    ),
    "JDBC Databricks": (
        "jdbc:databricks://h:443;ConnCatalog=c;ConnSchema=s;PWD=canary",
        {"table": "t"},
        "databricks://h",
        "c.s.t",
    ),
    "Hive": ("hive://u:canary@h/d", {"table": "t"}, "hive://h:10000", "d.t"),
    "JDBC Hive": ("jdbc:hive2://h:10001/d;user=u;password=canary", {"table": "t"}, "hive://h:10001", "d.t"),
    "ClickHouse": ("clickhouse+native://u:canary@h:9000/d", {"table": "t"}, "clickhouse://h:9000", "d.t"),
    "SQLite": ("sqlite:////x/a.db", {"table": "t"}, "sqlite:///x/a.db", "main.t"),
    "JDBC SQLite": ("jdbc:sqlite:/x/a.db", {"table": "t"}, "sqlite:///x/a.db", "main.t"),
    "DuckDB": (
        "duckdb:////x/a.duckdb?motherduck_token=canary",
        {"schema": "main", "table": "t"},
        "duckdb:///x/a.duckdb",
        "a.main.t",
    ),
    "Cassandra": ("cassandra://u:canary@h/ks", {"table": "t"}, "cassandra://h:9042", "ks.t"),
    "S3": ("s3://canary:canary@bucket/?region=x", {"path": "a/b"}, "s3://bucket", "a/b"),
    "a password with @": ("postgresql://u:can@ry@h/d", T, "postgres://h:5432", "d.s.t"),
    "a password with a slash": ("postgresql://u:can/ary@h/d", T, "postgres://h:5432", "d.s.t"),
    "a password with a hash": ("postgresql://u:can#ary@h/d", T, "postgres://h:5432", "d.s.t"),
    "a secret in every parameter": (
        "postgresql://canary:canary@h/d?password=canary&sslkey=canary&token=canary#canary",
        T,
        "postgres://h:5432",
        "d.s.t",
    ),
}


@pytest.mark.parametrize("case", CONNECTIONS)
def test_a_connection_says_where_and_nothing_else(case: str) -> None:
    url, parts, namespace, dataset = CONNECTIONS[case]
    connection = read_connection(url)
    reference = connection.dataset(parts)
    assert reference is not None
    assert name(reference) == (namespace, dataset)
    assert "can" not in json.dumps([dict(connection.parts), connection.system])


@pytest.mark.parametrize(
    "url", ["", "canary", "redis://h/0", "http://u:canary@h", "postgresql://u:12?4canary@h/d", "jdbc:", "jdbc:x:y"]
)
def test_of_what_cannot_be_read_nothing_is_known(url: str) -> None:
    connection = read_connection(url)
    assert connection.parts == {}
    reference = connection.dataset({"schema": "s", "table": "t"})
    if reference is not None:
        with pytest.raises(NamingError):
            identity_of(reference)


@given(
    st.text(max_size=40),
    st.sampled_from(["postgresql://u:{}@h/d", "{}", "jdbc:{}", "snowflake://{}", "jdbc:oracle:{}"]),
)
def test_no_url_is_too_odd(text: str, form: str) -> None:
    connection = read_connection(form.format(text))
    assert all(isinstance(value, str) for value in connection.parts.values())


@given(st.text("abcdefgh123@:/#?&;=%[]", min_size=1, max_size=12))
def test_no_password_becomes_a_part(password: str) -> None:
    """Whatever letters a password holds: where it ends is known, or nothing is."""
    secret = f"Zq{password}Qz"
    connection = read_connection(f"postgresql://user:{secret}@host.example.com/shop")
    text = json.dumps(dict(connection.parts))
    assert "Zq" not in text
    assert "Qz" not in text
