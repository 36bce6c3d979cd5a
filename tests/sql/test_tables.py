"""Which tables a query reads that it does not make itself."""

import pytest

from streamt.sql import ParsedQuery, read_query


def tables(sql: str) -> list[str]:
    facts = ParsedQuery(read_query(sql).text).facts
    assert facts is not None
    return [table.name for table in facts.tables]


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT * FROM t", ["t"]),
        ("SELECT * FROM `a b`", ["a b"]),
        ("SELECT a, b FROM my_catalog.my_db.ext", ["my_catalog.my_db.ext"]),
        ("SELECT x.a FROM t x JOIN u AS y ON x.a = y.a, v", ["t", "u", "v"]),
        ("SELECT a FROM t WHERE a IN (SELECT b FROM u) AND EXISTS (SELECT 1 FROM v)", ["t", "u", "v"]),
        ("SELECT a FROM (SELECT a FROM t) AS s UNION ALL SELECT a FROM u", ["t", "u"]),
        ("SELECT * FROM t AS o JOIN r FOR SYSTEM_TIME AS OF o.ts AS r ON o.a = r.a", ["t", "r"]),
        ("SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE))", ["t"]),
        ("SELECT * FROM my_function(TABLE t)", ["t"]),
        ("TABLE t", ["t"]),
    ],
)
def test_tables_that_come_from_outside_are_found(sql: str, names: list[str]) -> None:
    assert tables(sql) == names


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("WITH c AS (SELECT a FROM t) SELECT * FROM c", ["t"]),
        ("WITH c AS (SELECT a FROM t), d AS (SELECT a FROM c) SELECT * FROM d JOIN c ON d.a = c.a", ["t"]),
        # Only what stands before sees it: the first reads a table of that name.
        ("WITH d AS (SELECT a FROM c), c AS (SELECT a FROM t) SELECT * FROM d, c", ["c", "t"]),
        # A name of its own hides the table only from the outside in.
        ("WITH t AS (SELECT a FROM t) SELECT * FROM t", ["t"]),
        ("WITH RECURSIVE r AS (SELECT a FROM t UNION ALL SELECT a FROM r) SELECT * FROM r", ["t"]),
        ("SELECT * FROM (WITH c AS (SELECT a FROM t) SELECT * FROM c) AS s JOIN c ON s.a = c.a", ["t", "c"]),
        ("WITH c AS (SELECT a FROM t) SELECT * FROM u WHERE a IN (SELECT a FROM c)", ["t", "u"]),
        ("WITH c AS (WITH c AS (SELECT a FROM t) SELECT a FROM c) SELECT a FROM c", ["t"]),
        ("WITH c AS (SELECT a FROM t) SELECT * FROM C", ["t", "C"]),
        ("WITH c AS (SELECT a FROM t) SELECT * FROM db.c", ["t", "db.c"]),
    ],
)
def test_a_common_table_expression_is_none_where_it_can_be_seen(sql: str, names: list[str]) -> None:
    assert sorted(tables(sql)) == sorted(names)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT x.tag FROM t CROSS JOIN UNNEST(t.tags) AS x (tag)",
        "SELECT x.w FROM t, LATERAL TABLE(split(a)) AS x (w)",
        "SELECT x.w FROM t LEFT JOIN LATERAL TABLE(split(a)) AS x (w) ON TRUE",
        "SELECT * FROM t, LATERAL (SELECT a FROM t) AS s",
        "SELECT SUM(a) OVER w FROM t WINDOW w AS (PARTITION BY b ORDER BY ts)",
        "SELECT o.a, f.b FROM t AS o, t AS f",
        "SELECT * FROM ML_PREDICT(TABLE t, MODEL m, DESCRIPTOR(a))",
        "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES A.x AS x PATTERN (A B) DEFINE A AS TRUE)",
        "SELECT v.a FROM t, (VALUES (1), (2)) AS v (a)",
        "SELECT t.a FROM t /* FROM u */ WHERE b = 'FROM v'",
    ],
)
def test_what_a_query_makes_itself_is_no_table_from_outside(sql: str) -> None:
    assert tables(sql) == ["t"]


def test_a_table_knows_its_place() -> None:
    facts = ParsedQuery("SELECT a\nFROM db.t").facts
    assert facts is not None
    assert facts.tables[0].start == 14
