"""custom_sql: what a query over a sample sees, gives, and cannot reach."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from streamt.compiler.artifacts import CompiledColumn
from streamt.diagnostics import StreamtError
from streamt.testing.assertions import query
from streamt.testing.assertions.query import Query
from streamt.testing.results import Status
from tests.testing.samples import judge

D = Decimal


def plain(sql: str, _target: str) -> Query:
    """Take a query of DuckDB's as it is."""
    return Query(sql, frozenset({"v"}), is_count=False, mark="custom_sql: ")


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


@pytest.mark.parametrize(
    ("sql", "expect", "told"),
    [
        ("SELECT COUNT(*) FROM {{ model }}", 0, "3, not 0"),
        ("SELECT COUNT(*) * 100 / COUNT(note) FROM {{ model }} WHERE id > 0", 5, "300, not 5"),
        ("SELECT COUNT(*) FILTER (WHERE id > 1) FROM {{ model }}", 0.5, "2, not 0.5"),
        ("SELECT SUM(CASE WHEN amount > 1 THEN 1 ELSE 0 END) FROM {{ model }}", 0, "1, not 0"),
        ("SELECT COUNT(DISTINCT note) AS n FROM {{ model }}", "x", '1, not "x"'),
        ("SELECT MAX(note) FROM {{ model }}", "other", "another value than expected"),
        ("SELECT MAX(id) FROM {{ model }}", 0, "another value than expected"),
        ("SELECT AVG(amount) FROM {{ model }}", 0, "another value than expected"),
        ("SELECT COUNT(*) + MAX(id) FROM {{ model }}", 0, "another value than expected"),
        ("SELECT SUM(CASE WHEN id > 1 THEN amount ELSE 0 END) FROM {{ model }}", 0, "another value than expected"),
        ("SELECT note FROM {{ model }} WHERE id = 1", "x", 'NULL, not "x"'),
    ],
)
def test_a_failure_tells_the_number_only_if_it_is_a_count(sql: str, expect: object, told: str) -> None:
    verdict = judge("custom_sql", {"sql": sql, "expect": expect}, RECORDS)
    assert (verdict.status, verdict.failing) == (Status.FAILED, 3)
    assert verdict.message == f"the query over 3 records gives {told}"


@pytest.mark.parametrize("digits", ["12345678901234567890.123456789012345678", "0.1000000000000000055511151231257827"])
def test_decimals_keep_all_their_digits(digits: str) -> None:
    sql = f"SELECT COUNT(*) FROM {{{{ model }}}} WHERE amount = {digits}"
    verdict = judge("custom_sql", {"sql": sql, "expect": 1}, [{"amount": D(digits)}])
    assert verdict.status is Status.PASSED, verdict


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT nothing FROM {{ model }}", "the query cannot be run: unknown column `nothing`"),
        ("SELECT MAX(who.age) FROM {{ model }}", "the query cannot be run: unknown field `age`"),
        ("SELECT MAX(who + 1) FROM {{ model }}", "its columns and functions do not fit together on this sample"),
        ("SELECT id FROM {{ model }}", "must give one row of one column"),
        ("SELECT id FROM {{ model }} WHERE id > 5", "must give one row of one column"),
        ("SELECT MIN(id), MAX(id) FROM {{ model }}", "must give one row of one column"),
        ("SELECT CAST(MAX(note) AS INT) FROM {{ model }}", "fails on this sample (ConversionException)"),
        ("SELECT CAST(MAX(amount) AS STRING) FROM {{ model }}", "CAST to STRING is judged of texts, dates,"),
        ("SELECT MAX(id) / COUNT(absent) FROM {{ model }}", "the query divides by zero"),
        ("SELECT COUNT(*) FROM elsewhere", "the query cannot be run: unknown table `elsewhere`"),
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
    sql = {"sql": "SELECT COUNT(`at`) FROM {{ model }}"}
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
    monkeypatch.setattr(query, "read_query", plain)
    verdict = judge("custom_sql", {"sql": "SELECT typeof(v) FROM sample", "expect": kind}, [{"v": value}])
    assert verdict.status is Status.PASSED, verdict


def test_texts_are_read_as_their_declared_decimals() -> None:
    sql = {"sql": "SELECT SUM(v) FROM {{ model }}", "expect": 0.3}
    columns = (CompiledColumn("v", "DECIMAL(10, 2)"),)
    assert judge("custom_sql", sql, [{"v": "0.1"}, {"v": "0.2"}], columns=columns).status is Status.PASSED


def test_records_without_a_column_can_be_counted() -> None:
    sql = "SELECT COUNT(*) FROM {{ model }}"
    assert judge("custom_sql", {"sql": sql, "expect": 2}, [{}, {}]).status is Status.PASSED


@pytest.mark.parametrize(
    ("records", "sql", "expect"),
    [
        ([{"": 1, "v": 2}], "SELECT MAX(v) FROM {{ model }}", 2),
        ([{"v": {"": 1, "x": 2}}], "SELECT MAX(v.x) FROM {{ model }}", 2),
        ([{"v": {"": 1}}], "SELECT COUNT(v) FROM {{ model }}", 1),
        ([{"\0": 1, "v": 2}], "SELECT MAX(v) FROM {{ model }}", 2),
        ([{"At": 1, "at": "2026-11-30 10:00:00"}], "SELECT COUNT(`at`) FROM {{ model }}", 1),
        ([{"ABSENT": 1}], "SELECT COUNT(absent) FROM {{ model }}", 0),
        ([{"V": 1}, {"v": 2}], "SELECT MIN(v) FROM {{ model }}", 2),
        ([{"o": {"V": 1, "v": 2}}], "SELECT MIN(o.v) FROM {{ model }}", 2),
        ([{"V": 1, "v": 2, "x": 3}], "SELECT MIN(x) FROM {{ model }}", 3),
        ([{"\xc9": 1, "\xe9": 2}], "SELECT MIN(`\xc9`) + MIN(`\xe9`) FROM {{ model }}", 3),
    ],
)
def test_names_that_duckdb_cannot_tell_apart_are_those_that_are_meant(
    records: list[dict[str, Any]], sql: str, expect: object
) -> None:
    verdict = judge("custom_sql", {"sql": sql, "expect": expect}, records, columns=COLUMNS)
    assert verdict.status is Status.PASSED, verdict


def test_a_query_that_means_both_of_two_such_names_is_an_error() -> None:
    sql = {"sql": "SELECT MIN(v) + MIN(V) FROM {{ model }}"}
    verdict = judge("custom_sql", sql, [{"V": "SECRET", "v": 2}])
    assert verdict.status is Status.ERROR
    assert verdict.message.startswith("custom_sql cannot tell `V` and `v` apart")


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        ("INT", "INTEGER"),
        ("BIGINT", "BIGINT"),
        ("SMALLINT", "SMALLINT"),
        ("TINYINT", "TINYINT"),
        ("STRING", "VARCHAR"),
        ("BOOLEAN", "BOOLEAN"),
        ("DOUBLE PRECISION", "DOUBLE"),
        ("FLOAT", "FLOAT"),
        ("DECIMAL(10, 2)", "DECIMAL(10,2)"),
        ("DATE", "DATE"),
        (None, "VARCHAR"),
    ],
)
@pytest.mark.parametrize("record", [{}, {"v": None}], ids=["absent", "null"])
def test_a_column_without_values_has_its_declared_type(
    record: dict[str, Any], declared: str | None, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query, "read_query", plain)
    body = {"sql": "SELECT typeof(v) FROM sample", "expect": kind}
    verdict = judge("custom_sql", body, [record], columns=(CompiledColumn("v", declared),))
    assert verdict.status is Status.PASSED, verdict


@pytest.mark.parametrize("value", [None, 7])
def test_numbers_can_be_compared_whether_there_are_any_or_not(value: int | None) -> None:
    body = {"sql": "SELECT COUNT(*) FROM {{ model }} WHERE v > 5", "expect": int(value is not None)}
    verdict = judge("custom_sql", body, [{"v": value}], columns=(CompiledColumn("v", "INT"),))
    assert verdict.status is Status.PASSED, verdict


@pytest.mark.parametrize("value", [D("1e9999999"), D("1e-9999999"), "a\0b", "x" * 100_000])
def test_odd_values_do_not_break_what_does_not_look_at_them(value: Any) -> None:
    verdict = judge("custom_sql", {"sql": "SELECT COUNT(*) FROM {{ model }}", "expect": 1}, [{"v": value}])
    assert verdict.status in (Status.PASSED, Status.ERROR), verdict


CANARIES = {f"CANARY{number}": "x" for number in range(3)}


@pytest.mark.parametrize("sql", ["MAX(a + 1)", "MAX(ABS(a))", "MAX(a.nope)", "MAX(a.`canary`)", "MAX(a['x'])"])
def test_what_duckdb_says_of_names_inside_of_records_is_never_passed_on(sql: str) -> None:
    verdict = judge("custom_sql", {"sql": f"SELECT {sql} FROM {{{{ model }}}}"}, [{"a": CANARIES}])
    assert verdict.status is Status.ERROR
    assert "CANARY" not in verdict.message


WIDE = {f"k{number}": number for number in range(60_000)}


@pytest.mark.parametrize(
    ("sql", "status", "words"),
    [
        ("SELECT COUNT(*) FROM {{ model }}", Status.FAILED, "gives 40, not 0"),
        ("SELECT COUNT(k5) FROM {{ model }}", Status.FAILED, "gives 40, not 0"),
        ("SELECT COUNT(*) FROM (SELECT * FROM {{ model }})", Status.ERROR, "too many different columns and fields"),
    ],
)
def test_columns_that_the_query_does_not_mean_cost_nothing(sql: str, status: Status, words: str) -> None:
    verdict = judge("custom_sql", {"sql": sql}, [WIDE] * 40)
    assert verdict.status is status
    assert words in verdict.message


def test_a_map_of_a_million_names_is_no_table() -> None:
    records = [{"a": {f"{start}-{number}": 1 for number in range(2_000)}} for start in range(40)]
    verdict = judge("custom_sql", {"sql": "SELECT COUNT(a) FROM {{ model }}"}, records)
    assert verdict.message == "the records have too many different columns and fields for a table"


def test_a_deep_record_can_be_queried() -> None:
    record: dict[str, Any] = {"v": 1}
    for _level in range(99):
        record = {"v": record}
    verdict = judge("custom_sql", {"sql": "SELECT COUNT(*) FROM {{ model }}", "expect": 1}, [record])
    assert verdict.status is Status.PASSED, verdict
