"""One row for each rule and each system of "How a Dataset Is Matched to a Container"."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt.catalog.matching import (
    RULES,
    ConnectedDatastore,
    candidates,
    choose,
    container_key,
    fold,
    split_name,
    tail,
)

PG = ConnectedDatastore(1, "postgres", "warehouse.example.com", 5432, "analytics", "public")


def keys(namespace: str, name: str, *places: ConnectedDatastore) -> list[tuple[int, str]]:
    return [(found.datastore, found.key) for found in candidates(namespace, name, places)]


S3 = ConnectedDatastore(1, "s3", "lake", None, root="warehouse")
MATCHES = {
    "host, port, database, schema, table": ("postgres://warehouse.example.com:5432", "analytics.public.orders", PG),
    "host in any case": ("postgres://WAREHOUSE.example.com:5432", "analytics.public.orders", PG),
    "a scheme's alias": ("postgresql://warehouse.example.com", "analytics.public.orders", PG),
    "names in any case": ("postgres://warehouse.example.com", "ANALYTICS.Public.ORDERS", PG),
    "no port in the namespace": ("postgres://warehouse.example.com", "analytics.public.orders", PG),
    "no port on the connection": (
        "postgres://h:1",
        "analytics.public.orders",
        ConnectedDatastore(1, "postgres", "h", None, "analytics", "public"),
    ),
    "user information is no part of a host": (
        "postgres://me:secret@warehouse.example.com:5432",
        "analytics.public.orders",
        PG,
    ),
    "double quotes": ("postgres://warehouse.example.com", 'analytics."public"."orders"', PG),
    "backticks": ("postgres://warehouse.example.com", "`analytics`.public.`orders`", PG),
    "brackets": ("mssql://h:1433", "[d].[dbo].[orders]", ConnectedDatastore(1, "mssql", "h", 1433, "d", "dbo")),
    "mysql has no schema": ("mysql://h:3306", "shop.orders", ConnectedDatastore(1, "mysql", "h", 3306, "shop")),
    "mariadb is mysql": ("mariadb://h:3306", "shop.orders", ConnectedDatastore(1, "mysql", "h", 3306, "shop")),
    "snowflake by account": (
        "snowflake://myorg-myaccount",
        "db.s.orders",
        ConnectedDatastore(1, "snowflake", "myorg-myaccount.snowflakecomputing.com", 443, "DB", "S"),
    ),
    "snowflake by account, whole host": (
        "snowflake://acc",
        "db.s.orders",
        ConnectedDatastore(1, "snowflake", "acc", None, "db", "s"),
    ),
    "snowflake by locator, region and cloud": (
        "snowflake://xy12345.us-east-1.aws",
        "db.s.orders",
        ConnectedDatastore(1, "snowflake", "xy12345.us-east-1.snowflakecomputing.com", None, "db", "s"),
    ),
    "snowflake, underscore as dash": (
        "snowflake://MYORG-my_account",
        "db.s.orders",
        ConnectedDatastore(1, "snowflake", "myorg-my-account.snowflakecomputing.com", None, "db", "s"),
    ),
    "redshift by cluster and region": (
        "redshift://c1.eu-west-1:5439",
        "dev.public.orders",
        ConnectedDatastore(1, "redshift", "c1.abc123.eu-west-1.redshift.amazonaws.com", 5439, "dev", "public"),
    ),
    "redshift by its whole host": (
        "redshift://c1.abc.eu-west-1.redshift.amazonaws.com:5439",
        "dev.public.orders",
        ConnectedDatastore(1, "redshift", "c1.abc.eu-west-1.redshift.amazonaws.com", 5439, "dev", "public"),
    ),
    "bigquery has no host": (
        "bigquery",
        "proj.ds.orders",
        ConnectedDatastore(1, "bigquery", "any", None, "proj", "ds"),
    ),
    "bigquery, a project of a domain": (
        "bigquery",
        "example.com:proj.ds.orders",
        ConnectedDatastore(1, "bigquery", "", None, "example.com:proj", "ds"),
    ),
    "hive ignores the port": ("hive://h:9083", "sales.orders", ConnectedDatastore(1, "hive", "h", 10000, "sales")),
    "trino": ("trino://h:8080", "hive.sales.orders", ConnectedDatastore(1, "trino", "h", 8080, "hive", "sales")),
    "oracle": ("oracle://h:1521", "xe.sales.orders", ConnectedDatastore(1, "oracle", "h", 1521, "XE", "SALES")),
    "databricks, unity catalog": (
        "unitycatalog://h",
        "main.sales.orders",
        ConnectedDatastore(1, "databricks", "h", 443, "main", "sales"),
    ),
    "athena": ("awsathena://h", "cat.db.orders", ConnectedDatastore(1, "athena", "h", None, "cat", "db")),
    "kafka topic": ("kafka://broker:9092", "orders", ConnectedDatastore(1, "kafka", "broker", 9092)),
    "IPv6 host": ("kafka://[::1]:9092", "orders", ConnectedDatastore(1, "kafka", "[::1]", 9092)),
    "s3, directory": ("s3://lake", "warehouse/orders", S3),
    "s3a is s3": ("s3a://lake", "warehouse/orders", S3),
    "slashes at the ends of a path": ("s3n://lake/", "/warehouse/orders/", S3),
    "root at the bucket": ("s3://lake", "orders", ConnectedDatastore(1, "s3", "lake")),
    "root with slashes": (
        "s3://lake",
        "warehouse/orders",
        ConnectedDatastore(1, "s3", "lake", None, root="/warehouse/"),
    ),
    "gcs is gs": ("gcs://lake", "orders", ConnectedDatastore(1, "gs", "lake")),
    "abfss": (
        "abfss://c@acc.dfs.core.windows.net",
        "orders",
        ConnectedDatastore(1, "abfss", "c@acc.dfs.core.windows.net"),
    ),
    "wasbs is the same account": (
        "wasbs://c@acc.blob.core.windows.net",
        "orders",
        ConnectedDatastore(1, "abfss", "c@acc.dfs.core.windows.net"),
    ),
    "hdfs": ("hdfs://nn:8020", "/data/orders", ConnectedDatastore(1, "hdfs", "nn", 8020, root="/data")),
    "file": ("file", "/data/orders", ConnectedDatastore(1, "file", "", None, root="/data")),
    "file with an authority": ("file://h", "/data/orders", ConnectedDatastore(1, "file", "h", None, root="/data")),
}
MISSES = {
    "another system": ("mysql://warehouse.example.com:5432", "analytics.public.orders", PG),
    "another host": ("postgres://warehouse.example.org:5432", "analytics.public.orders", PG),
    "another port": ("postgres://warehouse.example.com:5433", "analytics.public.orders", PG),
    "another database": ("postgres://warehouse.example.com", "other.public.orders", PG),
    "another schema": ("postgres://warehouse.example.com", "analytics.private.orders", PG),
    "no database": ("postgres://warehouse.example.com", "public.orders", PG),
    "dots in quotes are no separators": ("postgres://warehouse.example.com", '"analytics.public".orders', PG),
    "another snowflake account with the same beginning": (
        "snowflake://acc",
        "db.s.orders",
        ConnectedDatastore(1, "snowflake", "acc2.snowflakecomputing.com", None, "db", "s"),
    ),
    "another region": (
        "redshift://c1.eu-west-2:5439",
        "dev.public.orders",
        ConnectedDatastore(1, "redshift", "c1.abc.eu-west-1.redshift.amazonaws.com", 5439, "dev", "public"),
    ),
    "another cluster": (
        "redshift://c2.eu-west-1",
        "dev.public.orders",
        ConnectedDatastore(1, "redshift", "c1.abc.eu-west-1.redshift.amazonaws.com", 5439, "dev", "public"),
    ),
    "another project": ("bigquery", "other.ds.orders", ConnectedDatastore(1, "bigquery", "", None, "proj", "ds")),
    "another bucket": ("s3://other", "warehouse/orders", S3),
    "a path in another case": ("s3://lake", "Warehouse/orders", S3),
    "a path that only begins like the root": ("s3://lake", "warehouse2/orders", S3),
    "the root itself": ("s3://lake", "warehouse", S3),
    "an unknown scheme": ("ftp://warehouse.example.com", "analytics.public.orders", PG),
    "nothing": ("", "", PG),
}


@pytest.mark.parametrize("case", MATCHES)
def test_a_dataset_matches(case: str) -> None:
    namespace, name, place = MATCHES[case]
    assert keys(namespace, name, place) == [(1, "orders")]


@pytest.mark.parametrize("case", MISSES)
def test_a_dataset_does_not_match(case: str) -> None:
    namespace, name, place = MISSES[case]
    assert keys(namespace, name, place) == []


def test_a_quoted_part_is_one_part_dots_included() -> None:
    assert split_name('a."b.c"."d""e"') == ("a", "b.c", 'd"e')
    assert keys("postgres://warehouse.example.com", 'analytics.public."or.ders"', PG) == [(1, "or.ders")]


def test_a_topics_dots_are_letters() -> None:
    assert keys("kafka://b:1", "shop.orders.v1", ConnectedDatastore(1, "kafka", "b", 1)) == [(1, "shop.orders.v1")]


def test_a_name_matches_in_every_datastore_that_fits() -> None:
    copy = ConnectedDatastore(2, "postgres", "warehouse.example.com", None, "analytics", "public")
    assert [store for store, _ in keys("postgres://warehouse.example.com", "analytics.public.orders", PG, copy)] == [
        1,
        2,
    ]


def test_a_single_file_matches_with_its_extension() -> None:
    assert keys("s3://lake", "warehouse/2026/a.csv", S3) == [(1, "2026/a.csv")]


def test_paths_keep_their_case() -> None:
    assert keys("s3://lake", "warehouse/Orders", S3) == [(1, "Orders")]


@dataclass(frozen=True)
class Table:
    name: str


def test_of_tables_that_differ_in_case_the_one_spelled_exactly_matches() -> None:
    tables = [Table("Orders"), Table("orders")]
    assert choose("orders", tables) == Table("orders")
    assert choose("ORDERS", tables) is None


def test_one_table_matches_in_any_case() -> None:
    assert choose("ORDERS", [Table("orders")]) == Table("orders")
    assert choose("x", []) is None


def test_folding_composes_before_and_after_casefold() -> None:
    assert fold("STRASSE") == fold("straße")
    assert fold("Ü") == fold("u\u0308")


@pytest.mark.parametrize("system", RULES)
def test_the_tail_of_a_name_is_the_tail_of_the_container_it_means(system: str) -> None:
    place = ConnectedDatastore(1, system, "h", None, *(("", "") if system in ("kafka", "s3") else ("d", "s")))
    path = RULES[system].style == "path"
    whole = RULES[system].style == "whole"
    name = "x/y/t.csv" if path else "t.v1" if whole else 'd.s."T"'
    (found,) = candidates(f"{system}://h", name, [place])
    assert tail(system, name) == tail(system, found.name)
    assert container_key(system, found.name) == found.key


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_text_is_too_odd_to_be_compared(namespace: str, name: str) -> None:
    assert candidates(namespace, name, [PG, S3]) is not None
    assert ".".join(split_name(name)) is not None
