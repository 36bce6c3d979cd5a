"""What the Gateway's own SQL can do."""

import pytest

from streamt.sql import ParsedQuery, read_query


def obstacle(sql: str) -> str | None:
    facts = ParsedQuery(read_query(sql).text).facts
    assert facts is not None
    return facts.gateway_obstacle


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t",
        "SELECT a AS x, `b c`, d.e FROM t",
        "SELECT * FROM t WHERE a > 1",
        "SELECT a FROM t WHERE a = 'x' AND (b <> 2 AND c != 3.5) AND d < -1 AND e <= 1 AND f > 0 AND g >= TRUE",
        "SELECT a FROM t WHERE a REGEXP '^x'",
        "SELECT a FROM t WHERE REGEXP(a, '^x')",
        "SELECT a FROM `t` WHERE d.e = 1",
    ],
)
def test_columns_and_comparisons_with_literals_are_possible(sql: str) -> None:
    assert obstacle(sql) is None


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("SELECT TRY_CAST(a AS INT) FROM t", "CAST in its SELECT"),
        ("SELECT JSON_QUERY(a, '$.x') FROM t", "the function JSON_QUERY in its SELECT"),
        ("SELECT ROW(a, b) FROM t", "the function ROW in its SELECT"),
        ("SELECT FLOOR(ts TO HOUR) FROM t", "the function FLOOR in its SELECT"),
        ("SELECT PROCTIME() FROM t", "the function PROCTIME in its SELECT"),
        ("SELECT CASE WHEN a THEN 1 END FROM t", "CASE in its SELECT"),
        ("SELECT f(x => a) FROM t", "the function F in its SELECT"),
        ("SELECT a + 1 FROM t", "arithmetic in its SELECT"),
        ("SELECT 1 FROM t", "a literal in its SELECT"),
        ("SELECT t.a FROM t", "a table's name before a column in its SELECT"),
        ("SELECT a FROM t AS x", "a table with an alias, a function or a query in FROM"),
        ("SELECT a FROM (SELECT a FROM t)", "a table with an alias, a function or a query in FROM"),
        ("SELECT a FROM t TABLESAMPLE BERNOULLI (10)", "a table with an alias, a function or a query in FROM"),
        ("WITH x AS (SELECT a FROM t) SELECT a FROM x", "WITH"),
        ("SELECT a FROM t WHERE a IN (1, 2)", "IN in its WHERE"),
        ("SELECT a FROM t WHERE a = 1 OR b = 2", "OR in its WHERE"),
        ("SELECT a FROM t WHERE NOT a = 1", "NOT in its WHERE"),
        ("SELECT a FROM t WHERE a IS NOT NULL", "NOT in its WHERE"),
        ("SELECT a FROM t WHERE a LIKE 'x%'", "LIKE in its WHERE"),
        ("SELECT a FROM t WHERE a BETWEEN 1 AND 2", "BETWEEN in its WHERE"),
        ("SELECT a FROM t WHERE a = b", "a comparison of other than a column with a literal in its WHERE"),
        ("SELECT a FROM t WHERE 1 = a", "a comparison of other than a column with a literal in its WHERE"),
        ("SELECT a FROM t WHERE UPPER(a) = 'X'", "a comparison of other than a column with a literal in its WHERE"),
        ("SELECT a, COUNT(*) FROM t GROUP BY a", "GROUP BY"),
        ("SELECT DISTINCT a FROM t", "DISTINCT"),
        ("SELECT a FROM t JOIN u ON t.a = u.a", "JOIN"),
        ("SELECT a FROM t LIMIT 1", "LIMIT"),
        ("SELECT a FROM t ORDER BY a", "ORDER BY"),
        ("SELECT a FROM t UNION ALL SELECT a FROM u", "a query other than one SELECT"),
        ("VALUES (1)", "a query other than one SELECT"),
        ("SELECT a", "a SELECT without FROM"),
    ],
)
def test_what_the_gateway_cannot_do_is_named(sql: str, what: str) -> None:
    assert obstacle(sql) == what
