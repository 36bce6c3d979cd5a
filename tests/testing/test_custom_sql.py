"""custom_sql: what a query over a sample sees, gives, and cannot reach."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from streamt.compiler.artifacts import CompiledColumn
from streamt.errors import StreamtError
from streamt.testing.results import Status
from tests.testing.samples import judge

D = Decimal
RECORDS: list[dict[str, Any]] = [
    {"id": 1, "amount": D("10.50"), "at": "2026-11-30 10:00:00", "who": {"name": "a", "n": 1}, "tags": ["x", "y"]},
    {"id": 2, "amount": D("0.1"), "at": "2026-11-30 11:00:00", "who": {"name": "b"}, "tags": [], "paid": True},
    {"id": 3, "amount": D("0.2"), "at": None, "note": 'it\'s "quoted"'},
]
COLUMNS = (CompiledColumn("at", "TIMESTAMP(3)"), CompiledColumn("absent", "BIGINT"), CompiledColumn("odd", "NO TYPE"))


@pytest.mark.parametrize(
    ("sql", "expect"),
    [
        ("SELECT COUNT(*) FROM {{ model }}", 3),
        ("SELECT COUNT(*) FROM {{model}} WHERE amount > 10.5", 0),
        ('SELECT COUNT(*) FROM {{ source("orders") }} AS o', 3),
        ("SELECT COUNT(*) FROM {{ ref('orders') }}", 3),
        ("SELECT SUM(amount) FROM {{ model }} WHERE id > 1", 0.3),
        ("SELECT SUM(amount) = 10.8 FROM {{ model }}", True),
        ("SELECT COUNT(*) FROM {{ model }} WHERE who.name = 'b'", 1),
        ("SELECT MAX(`at`) > TIMESTAMP '2026-11-30 10:30:00' FROM {{ model }}", True),
        ("SELECT COUNT(absent) + COUNT(odd) FROM {{ model }}", 0),
        ("SELECT note FROM {{ model }} WHERE id = 3", 'it\'s "quoted"'),
        ("SELECT note FROM {{ model }} WHERE id = 1", None),
        ("WITH big AS (SELECT id FROM {{ model }} WHERE amount > 1) SELECT COUNT(*) FROM big", 1),
        ("SELECT COUNT(DISTINCT id) FROM {{ model }}", 3),
        ("SELECT MAX(id) / 2 FROM {{ model }}", 1),
        ("SELECT MAX(id) / 2.0 FROM {{ model }}", 1.5),
        ("SELECT COUNT(*) FROM {{ model }} WHERE paid", 1),
    ],
)
def test_a_query_that_gives_what_is_expected_passes(sql: str, expect: object) -> None:
    verdict = judge("custom_sql", {"sql": sql, "expect": expect}, RECORDS, columns=COLUMNS)
    assert verdict.status is Status.PASSED, verdict


def test_another_value_fails_without_being_told() -> None:
    verdict = judge("custom_sql", {"sql": "SELECT MAX(note) FROM {{ model }}", "expect": "other"}, RECORDS)
    assert (verdict.status, verdict.failing) == (Status.FAILED, 3)
    assert verdict.message == "the query over 3 records does not give the expected value"


@pytest.mark.parametrize("digits", ["12345678901234567890.123456789012345678", "0.1000000000000000055511151231257827"])
def test_decimals_keep_all_their_digits(digits: str) -> None:
    sql = f"SELECT COUNT(*) FROM {{{{ model }}}} WHERE amount = {digits}"
    verdict = judge("custom_sql", {"sql": sql, "expect": 1}, [{"amount": D(digits)}])
    assert verdict.status is Status.PASSED, verdict


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT nothing FROM {{ model }}", 'Referenced column "nothing" not found'),
        ("SELECT id FROM {{ model }}", "must give one row of one column"),
        ("SELECT id FROM {{ model }} WHERE id > 5", "must give one row of one column"),
        ("SELECT MIN(id), MAX(id) FROM {{ model }}", "must give one row of one column"),
        ("SELECT CAST(MAX(note) AS INT) FROM {{ model }}", "fails on this sample (ConversionException)"),
        ("SELECT CAST(MAX(amount) AS STRING) FROM {{ model }}", "CAST to STRING is judged of texts, dates,"),
        ("SELECT MAX(id) / COUNT(absent) FROM {{ model }}", "the query divides by zero"),
        ("SELECT COUNT(*) FROM elsewhere", "elsewhere does not exist"),
    ],
)
def test_a_query_that_cannot_be_answered_is_an_error(sql: str, words: str) -> None:
    verdict = judge("custom_sql", {"sql": sql}, RECORDS, columns=COLUMNS)
    assert verdict.status is Status.ERROR
    assert words in verdict.message
    assert "quoted" not in verdict.message


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("DELETE FROM t", "must be one SELECT"),
        ("SELECT 1; SELECT 2", "must be one SELECT"),
        ("-- nothing", "must be one SELECT"),
        ("SET enable_external_access = true", "must be one SELECT"),
        ("ATTACH 'x.db'", "cannot be read as Flink's SQL"),
        ("SELECT FROM WHERE", "cannot be read as Flink's SQL"),
        ("SELECT COUNT(*) FROM {{ ref('other') }}", "reads `other`, but a test sees only its own sample"),
        ("SELECT COUNT(*) FROM read_csv('/etc/hostname')", "cannot judge the function READ_CSV:"),
        ("SELECT {% if x %}1{% endif %}", "holds Jinja other than {{ model }}"),
    ],
)
def test_what_is_no_query_is_refused_before_anything_is_read(sql: str, words: str) -> None:
    with pytest.raises(StreamtError) as caught:
        judge("custom_sql", {"sql": sql}, [])
    assert words in caught.value.diagnostics[0].message


def test_a_text_that_is_not_of_its_declared_type_is_an_error() -> None:
    sql = {"sql": "SELECT COUNT(*) FROM {{ model }}"}
    verdict = judge("custom_sql", sql, [{"at": "SECRET"}], columns=COLUMNS)
    assert verdict.status is Status.ERROR
    assert "SECRET" not in verdict.message


def test_values_that_only_avro_has_keep_their_meaning() -> None:
    record = {"t": datetime(2026, 11, 30, tzinfo=UTC), "d": datetime(2026, 11, 30, tzinfo=UTC).date(), "b": b"\0\1"}
    sql = "SELECT COUNT(*) FROM {{ model }} WHERE t = d AND b = 'AAE='"
    assert judge("custom_sql", {"sql": sql, "expect": 1}, [record]).status is Status.PASSED


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ([1, 2], "BIGINT[]"),
        ([D("0.5"), 20], "DECIMAL(38,1)[]"),
        ([{"x": 1}], "STRUCT(x BIGINT)[]"),
        ([], "VARCHAR[]"),
        ({}, "VARCHAR"),
        ([1, "x"], "VARCHAR[]"),
        (10**20, "DECIMAL(38,0)"),
        (D("1e300"), "DOUBLE"),
        (float("inf"), "DOUBLE"),
        (False, "BOOLEAN"),
    ],
)
def test_columns_have_the_narrowest_exact_type(value: Any, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # What DuckDB calls its types is no part of Flink's SQL.
    monkeypatch.setattr("streamt.testing.assertions.sql.to_duckdb", lambda sql, _target: sql)
    verdict = judge("custom_sql", {"sql": "SELECT typeof(v) FROM sample", "expect": kind}, [{"v": value}])
    assert verdict.status is Status.PASSED, verdict


def test_texts_are_read_as_their_declared_decimals() -> None:
    sql = {"sql": "SELECT SUM(v) FROM {{ model }}", "expect": 0.3}
    columns = (CompiledColumn("v", "DECIMAL(10, 2)"),)
    assert judge("custom_sql", sql, [{"v": "0.1"}, {"v": "0.2"}], columns=columns).status is Status.PASSED


def test_records_without_a_column_can_be_counted() -> None:
    sql = "SELECT COUNT(*) FROM {{ model }}"
    assert judge("custom_sql", {"sql": sql, "expect": 2}, [{}, {}]).status is Status.PASSED
