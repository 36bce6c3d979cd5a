"""What a query of custom_sql gives in DuckDB is what Flink gives; what cannot be is refused by name."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from streamt.testing.assertions.query import read_query
from streamt.testing.assertions.sql import _database

D = Decimal
TABLE = """
CREATE TABLE sample AS SELECT * FROM (VALUES
  (1, TIMESTAMP '2026-01-31 10:00:00.123', ['x', 'y'], 'abc', '{"a": {"b": [10, "z"]}, "n": null, "t": true}',
   1.5, true),
  (2, TIMESTAMP '2026-03-01 09:59:59', [], ' d ', 'no JSON', 2.5, false),
  (4, NULL, NULL, NULL, NULL, NULL, NULL)
) AS t(i, ts, l, s, j, d, b)
"""


def ask(sql: str) -> list[Any]:
    with _database() as connection:
        connection.execute(TABLE)
        rows = connection.execute(read_query(sql, "orders").text).fetchall()
    return [row[0] for row in rows]


FIRST = [
    # arrays and texts
    ("l[1]", "x"),
    ("l[2]", "y"),
    ("ARRAY[7, 8, 9][2]", 8),
    ("ARRAY[7, 8, 9][i]", 7),
    ("ARRAY[7, 8, 9][MOD(i, 2) + 1]", 8),
    ("ARRAY[ARRAY[1, 2], ARRAY[3, 4]][2][1]", 3),
    ("CARDINALITY(l)", 2),
    ("ARRAY_CONTAINS(l, 'y')", True),
    ("ARRAY_JOIN(l, '-')", "x-y"),
    ("s || '-' || s", "abc-abc"),
    ("CONCAT(s, '-', s)", "abc-abc"),
    ("CONCAT(s, CAST(NULL AS STRING))", None),
    ("CONCAT_WS('-', s, CAST(NULL AS STRING), s)", "abc-abc"),
    ("CHAR_LENGTH('äöü')", 3),
    ("CHARACTER_LENGTH(s)", 3),
    ("POSITION('c' IN s)", 3),
    ("LOCATE('c', s)", 3),
    ("INSTR(s, 'c')", 3),
    ("SUBSTRING(s FROM 2 FOR 1)", "b"),
    ("SUBSTRING(s, 2)", "bc"),
    ("SUBSTR(s, 0, 2)", "ab"),
    ("SUBSTR(s, -2)", "bc"),
    ("TRIM(' x ')", "x"),
    ("TRIM(LEADING 'a' FROM s)", "bc"),
    ("LEFT(s, -1)", ""),
    ("RIGHT(s, 2)", "bc"),
    ("LPAD('7', 3, '0')", "007"),
    ("REPLACE(s, 'b', 'x')", "axc"),
    ("SPLIT_INDEX('a,b', ',', 1)", "b"),
    ("SPLIT_INDEX('a,b', ',', 2)", None),
    ("SPLIT_INDEX('a,b', ',', -2)", None),
    ("REGEXP_EXTRACT('foothebar', 'foo(.*?)(bar)', 2)", "bar"),
    ("REGEXP_EXTRACT(s, 'b.')", "bc"),
    ("REGEXP_EXTRACT(s, 'z')", None),
    ("REGEXP_REPLACE('a1b22', '[0-9]+', '-')", "a-b-"),
    ("REGEXP(s, 'b')", True),
    ("s LIKE 'a%'", True),
    ("MD5('a')", "0cc175b9c0f1b6a831c399e269772661"),
    # values that may lack
    ("IFNULL(CAST(NULL AS STRING), 'x')", "x"),
    ("COALESCE(NULL, s)", "abc"),
    ("NULLIF(i, 1)", None),
    ("IF(b, 'yes', 'no')", "yes"),
    ("GREATEST(i, 5)", 5),
    ("GREATEST(i, CAST(NULL AS INT))", None),
    ("LEAST(i, 5)", 1),
    ("CASE WHEN b THEN 1 ELSE 2 END", 1),
    # numbers
    ("7 / 2", 3),
    ("-7 / 2", -3),
    ("7 / 2.0", D("3.5")),
    ("MOD(-7, 3)", -1),
    ("-7 % 3", -1),
    ("CAST(1.7 AS INT)", 1),
    ("CAST(-1.7 AS BIGINT)", -1),
    ("CAST(d AS INT)", 1),
    ("CAST(' 1.7' AS INT)", 1),
    ("CAST(9007199254740993 AS BIGINT)", 9007199254740993),
    ("CAST('9007199254740993' AS BIGINT)", 9007199254740993),
    ("CAST(b AS INT)", 1),
    ("TRY_CAST(s AS INT)", None),
    ("CAST('1.239' AS DECIMAL(10, 2))", D("1.24")),
    ("CAST('1.239' AS DECIMAL)", D("1")),
    ("ROUND(2.5)", 3),
    ("ROUND(-2.55, 1)", D("-2.6")),
    ("CEIL(1.2)", 2),
    ("CEILING(1.2)", 2),
    ("FLOOR(-1.2)", -2),
    ("ROUND(LOG(EXP(1)), 6)", 1),
    ("LOG(2, 8)", 3),
    ("POWER(2, 3)", 8),
    ("ABS(-i)", 1),
    # texts of values
    ("CAST(i AS STRING)", "1"),
    ("CAST(b AS STRING)", "TRUE"),
    ("CAST(CAST(1.5 AS DECIMAL(10, 2)) AS STRING)", "1.50"),
    ("CAST(s AS VARCHAR(2))", "ab"),
    ("CAST('x' AS CHAR(3))", "x  "),
    ("CAST(DATE '2026-01-02' AS STRING)", "2026-01-02"),
    # times
    ("TIMESTAMPDIFF(DAY, TIMESTAMP '2026-01-01 00:00:00', TIMESTAMP '2026-01-03 00:00:00')", 2),
    ("TIMESTAMPDIFF(DAY, TIMESTAMP '2026-01-03 00:00:00', TIMESTAMP '2026-01-01 00:00:01')", -1),
    ("TIMESTAMPDIFF(HOUR, TIMESTAMP '2026-01-01 00:59:00', TIMESTAMP '2026-01-01 02:00:00')", 1),
    ("TIMESTAMPDIFF(SECOND, ts, ts + INTERVAL '1' MINUTE)", 60),
    ("TIMESTAMPDIFF(MONTH, DATE '2026-01-31', DATE '2026-03-30')", 1),
    ("TIMESTAMPDIFF(YEAR, DATE '2024-03-01', DATE '2026-02-28')", 1),
    ("TIMESTAMPADD(DAY, 1, ts)", datetime(2026, 2, 1, 10, 0, 0, 123000)),
    ("TIMESTAMPADD(MONTH, 1, ts)", datetime(2026, 2, 28, 10, 0, 0, 123000)),
    ("TIMESTAMPADD(QUARTER, -1, ts)", datetime(2025, 10, 31, 10, 0, 0, 123000)),
    ("DATE_FORMAT(ts, 'yyyy-MM-dd HH:mm:ss.SSS')", "2026-01-31 10:00:00.123"),
    ("DATE_FORMAT('2026-11-03 04:05:06', 'd/M/yy''T''H')", "3/11/26T4"),
    ("DATE_FORMAT(ts, 'yyyy''%d''')", "2026%d"),
    ("UNIX_TIMESTAMP('1970-01-02 00:00:01')", 86401),
    ("UNIX_TIMESTAMP('02.01.1970', 'dd.MM.yyyy')", 86400),
    ("UNIX_TIMESTAMP() > 1700000000", True),
    ("FROM_UNIXTIME(86401)", "1970-01-02 00:00:01"),
    ("FROM_UNIXTIME(86401, 'yyyyMMdd')", "19700102"),
    ("TO_TIMESTAMP('2026-01-02 03:04:05.6789')", datetime(2026, 1, 2, 3, 4, 5, 678000)),
    ("TO_TIMESTAMP('2026-01-02')", datetime(2026, 1, 2)),
    ("TO_TIMESTAMP('2026-01-02T03:04:05')", None),
    ("TO_TIMESTAMP('02.01.2026 03', 'dd.MM.yyyy HH')", datetime(2026, 1, 2, 3)),
    ("TO_TIMESTAMP('x', 'dd.MM.yyyy HH')", None),
    ("TO_DATE('2026-01-02')", date(2026, 1, 2)),
    ("TO_DATE('02.01.2026', 'dd.MM.yyyy')", date(2026, 1, 2)),
    ("TO_TIMESTAMP_LTZ(1500, 3) = CAST('1970-01-01 00:00:01.5' AS TIMESTAMP)", True),
    ("TO_TIMESTAMP_LTZ(86400, 0) = CAST('1970-01-02 00:00:00' AS TIMESTAMP)", True),
    ("EXTRACT(YEAR FROM ts)", 2026),
    ("EXTRACT(EPOCH FROM ts)", 1769853600),
    ("YEAR(ts)", 2026),
    ("DAYOFWEEK(DATE '2026-11-29')", 1),
    ("FLOOR(ts TO DAY)", datetime(2026, 1, 31)),
    ("CURRENT_TIMESTAMP > ts", True),
    ("NOW() > ts", True),
    # JSON
    ("JSON_VALUE(j, '$.a.b[0]')", "10"),
    ("JSON_VALUE(j, 'lax $.a.b[1]')", "z"),
    ("JSON_VALUE(j, '$.a')", None),
    ("JSON_VALUE(j, '$.n')", None),
    ("JSON_VALUE(j, '$.t')", "true"),
    ("JSON_VALUE(j, '$.none')", None),
    ("JSON_VALUE('no JSON', '$.a')", None),
]


@pytest.mark.parametrize(("expression", "expected"), FIRST)
def test_an_expression_gives_what_flink_gives(expression: str, expected: object) -> None:
    found = ask(f"SELECT {expression} FROM {{{{ model }}}} WHERE i = 1")
    assert [(type(each) is bool, each) for each in found] == [(type(expected) is bool, expected)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT AVG(i) FROM {{ model }}", [2]),
        ("SELECT AVG(d) FROM {{ model }}", [2]),
        ("SELECT AVG(i) FROM {{ model }} WHERE i > 5", [None]),
        ("SELECT AVG(DISTINCT i) FILTER (WHERE i < 3) FROM {{ model }}", [1]),
        ("SELECT AVG(i) OVER (ORDER BY i) FROM {{ model }} ORDER BY i", [1, 1, 2]),
        ("SELECT AVG(CAST(d AS INT)) FROM {{ model }}", [1]),
        ("SELECT LISTAGG(s) FROM {{ model }}", ["abc, d "]),
        ("SELECT LISTAGG(DISTINCT s, ';') FROM {{ model }} WHERE i = 1", ["abc"]),
        ("SELECT LISTAGG(s) FILTER (WHERE i = 1) FROM {{ model }}", ["abc"]),
        ("SELECT COUNT(ts) FROM {{ model }}", [2]),
        ("SELECT i FROM {{ model }} ORDER BY d LIMIT 1", [4]),
        ("SELECT i FROM {{ model }} ORDER BY d DESC", [2, 1, 4]),
        ("SELECT tag FROM {{ model }} CROSS JOIN UNNEST(l) AS t(tag) ORDER BY tag", ["x", "y"]),
        ("SELECT ROW_NUMBER() OVER (ORDER BY i DESC) FROM {{ model }} ORDER BY i", [3, 2, 1]),
        ("SELECT i FROM {{ model }} WHERE EXISTS (SELECT 1) AND i IN (SELECT MAX(i) FROM {{ model }})", [4]),
        ("SELECT SUM(i) / COUNT(*) FROM {{ model }}", [2]),
        ("SELECT i FROM {{ model }} WHERE ts BETWEEN TIMESTAMP '2026-01-01 00:00:00' AND ts AND i = 1", [1]),
    ],
)
def test_a_query_gives_what_flink_gives(query: str, expected: list[object]) -> None:
    assert ask(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "SELECT i / (i - 1) FROM {{ model }}",
        "SELECT MOD(i, i - 1) FROM {{ model }}",
        "SELECT i % 0 FROM {{ model }}",
        "SELECT CAST(s AS INT) FROM {{ model }}",
        "SELECT CAST(ts AS STRING) FROM {{ model }}",
        "SELECT CAST(d AS STRING) FROM {{ model }}",
    ],
)
def test_what_fails_in_flink_or_is_not_told_apart_here_gives_no_value(query: str) -> None:
    import duckdb

    with pytest.raises(duckdb.Error):
        ask(query)


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("MY_FUNCTION(i)", "the function MY_FUNCTION:"),
        ("db.ABS(i)", "the function ABS:"),
        ("read_text('x')", "the function READ_TEXT:"),
        ("TYPEOF(i)", "the function TYPEOF:"),
        ("RAND()", "the function RAND:"),
        ("COLLECT(i)", "the function COLLECT:"),
        ("FIRST_VALUE(i)", "the function FIRST_VALUE:"),
        ("TRUNCATE(d, 1)", "the function TRUNCATE with 2 arguments:"),
        ("TO_TIMESTAMP_LTZ(i)", "TO_TIMESTAMP_LTZ without a precision of 0 or 3:"),
        ("DATE_FORMAT(ts, s)", "a format of DATE_FORMAT that is not written out as text:"),
        ("DATE_FORMAT(ts, 'yyyy-ww')", "the format `yyyy-ww` of DATE_FORMAT:"),
        ("TIMESTAMPDIFF(CENTURY, ts, ts)", "the unit CENTURY of TIMESTAMPDIFF:"),
        ("JSON_VALUE(j, '$.a' RETURNING INT)", "the function JSON_VALUE with clauses such as RETURNING:"),
        ("JSON_VALUE(j, '$.a[*]')", "a path of JSON_VALUE other than one like"),
        ("JSON_EXISTS(j, '$.a')", "the function JSON_EXISTS:"),
        ("s SIMILAR TO 'a|b'", "SIMILAR TO:"),
        ("CEIL(ts TO DAY)", "CEIL(... TO ...):"),
        ("EXTRACT(DOW FROM ts)", "EXTRACT(DOW FROM ...):"),
        ("CAST(l AS ARRAY<INT>)", "CAST to ARRAY:"),
        ("REGEXP_REPLACE(s, '(a)', '$1')", "a replacement of REGEXP_REPLACE"),
    ],
)
def test_what_duckdb_cannot_say_is_refused_by_name(expression: str, name: str) -> None:
    with pytest.raises(ValueError, match="custom_sql cannot judge ") as caught:
        read_query(f"SELECT {expression} FROM {{{{ model }}}}", "orders")
    assert name in str(caught.value)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE))", "TUMBLE"),
        ("t MATCH_RECOGNIZE (ORDER BY ts MEASURES A.x AS x PATTERN (A) DEFINE A AS TRUE)", "MATCH_RECOGNIZE"),
        ("t, LATERAL TABLE(split(s)) AS x(y)", "LATERAL"),
        ("read_csv('/etc/hostname')", "READ_CSV"),
    ],
)
def test_tables_that_duckdb_lacks_are_refused_by_name(source: str, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        read_query(f"SELECT COUNT(*) FROM {source}", "orders")


@pytest.mark.parametrize("query", ["SELECT * FROM read_text('/etc/hostname')", "INSTALL httpfs", "SET threads = 1"])
def test_the_database_reaches_nothing(query: str) -> None:
    import duckdb

    with _database() as connection, pytest.raises(duckdb.Error, match=r"disabled|locked"):
        connection.execute(query)
