import logging

import pytest
import sqlglot
from sqlglot import exp

from streamt.sql import ParsedQuery, Shape, read_query
from streamt.sql.dialect import Flink
from tests.sql.flink_queries import COPIES, STATEFUL, STATELESS


def shape(sql: str) -> Shape | None:
    facts = ParsedQuery(read_query(sql).text).facts
    return facts.shape if facts else None


@pytest.mark.parametrize("sql", STATEFUL.values(), ids=STATEFUL)
def test_a_query_that_remembers_records_is_stateful(sql: str) -> None:
    assert shape(sql) is Shape.STATEFUL


@pytest.mark.parametrize("sql", COPIES.values(), ids=COPIES)
def test_select_star_from_one_table_and_nothing_else_is_a_copy(sql: str) -> None:
    assert shape(sql) is Shape.COPY


@pytest.mark.parametrize("sql", STATELESS.values(), ids=STATELESS)
def test_a_query_that_maps_each_record_by_itself_is_stateless(sql: str) -> None:
    assert shape(sql) is Shape.STATELESS


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT",
        "SELECT FROM t",
        "SELECT a FROM",
        "SELECT a b c FROM t",
        "SELECT CAST(a AS ROW<x>) FROM t",
        "SELECT " + "(" * 3000 + "1" + ")" * 3000,
    ],
)
def test_what_is_no_flink_query_is_unknown(sql: str) -> None:
    assert shape(sql) is None


@pytest.mark.parametrize("name", ["MEDIAN", "ARG_MAX", "STRING_AGG", "ANY_VALUE", "mine", "db.count"])
def test_a_function_that_flink_does_not_know_is_no_aggregate(name: str) -> None:
    assert shape(f"SELECT {name}(a, b) FROM t") is Shape.STATELESS


@pytest.mark.parametrize("name", ["COUNT", "sum", "ListAgg", "`MAX`", "TUMBLE", "ML_PREDICT", "APPROX_COUNT_DISTINCT"])
def test_flinks_own_aggregates_and_windows_keep_state_in_any_spelling(name: str) -> None:
    assert shape(f"SELECT {name} (a) FROM t") is Shape.STATEFUL


def test_sqlglot_says_nothing_on_its_own(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        for sql in (*STATEFUL.values(), *STATELESS.values(), "SELECT JSON_EXTRACT(a, '$[') FROM t"):
            shape(sql)
    assert caplog.records == []


def test_a_row_type_keeps_the_names_and_types_of_its_fields() -> None:
    row = sqlglot.parse_one("SELECT CAST(a AS ROW<x INT, y ROW<z STRING>>) FROM t", dialect=Flink).find(exp.DataType)
    assert row is not None
    assert [(field.name, field.args["kind"].this) for field in row.expressions] == [
        ("x", exp.DType.INT),
        ("y", exp.DType.STRUCT),
    ]


def test_a_table_argument_is_a_table_of_the_tree() -> None:
    tree = sqlglot.parse_one("SELECT * FROM TABLE(SESSION(TABLE t PARTITION BY a, DESCRIPTOR(ts), x))", dialect=Flink)
    assert "t" in {table.name for table in tree.find_all(exp.Table)}


def test_plain_flink_sql_can_be_written_for_duckdb() -> None:
    sql = "SELECT `a`, CAST(b AS STRING) AS c FROM `t` WHERE d = 'C:\\' // the end"
    assert sqlglot.transpile(sql, read=Flink, write="duckdb", comments=False) == [
        'SELECT "a", CAST(b AS TEXT) AS c FROM "t" WHERE d = \'C:\\\''
    ]
