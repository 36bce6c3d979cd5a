"""The SQL Gateway, real."""

from collections.abc import Iterator

import pytest

from streamt.clusters import ClusterError, FailureKind
from streamt.clusters.flink_sql import DescribedColumn, SqlGateway, SqlSession, StatementError
from streamt.net import HttpClient, parse_address
from tests.stack.fixtures import FlinkServers

PLACE = "'topic' = 't', 'properties.bootstrap.servers' = 'localhost:1'"
PLAIN = f"'connector' = 'kafka', {PLACE}, 'format' = 'json', 'scan.startup.mode' = 'earliest-offset'"
UPSERT = f"'connector' = 'upsert-kafka', {PLACE}, 'key.format' = 'json', 'value.format' = 'json'"
TABLES = (
    f"CREATE TEMPORARY TABLE a (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ({PLAIN})",
    f"CREATE TEMPORARY TABLE b (k STRING, n BIGINT) WITH ({PLAIN})",
    f"CREATE TEMPORARY TABLE u (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ({UPSERT})",
)
BOTH = "STATEMENT SET BEGIN INSERT INTO b SELECT k, v FROM a; INSERT INTO u SELECT k, COUNT(*) FROM a GROUP BY k; END"


def gateway_at(url: str) -> SqlGateway:
    return SqlGateway(HttpClient(address=parse_address(url), timeout_s=60))


@pytest.fixture
def session(flink: FlinkServers) -> Iterator[SqlSession]:
    with gateway_at(flink.gateway).session() as opened:
        for statement in TABLES:
            opened.run(statement)
        yield opened


def test_rows_are_read_to_the_last_page(session: SqlSession) -> None:
    values = ", ".join(f"({number})" for number in range(300))
    found = session.run(f"SELECT * FROM (VALUES {values}) AS t (n)", {"execution.runtime-mode": "batch"}, seconds=120)
    assert found.columns == ("n",)
    assert sorted(row[0] for row in found.rows) == list(range(300))


def test_a_setting_is_one_statements_alone(session: SqlSession) -> None:
    with pytest.raises(StatementError):
        session.explain("INSERT INTO b SELECT k, v FROM a", {"execution.runtime-mode": "sideways"})
    assert session.explain("INSERT INTO b SELECT k, v FROM a").nodes


@pytest.mark.parametrize(
    ("insert", "changelogs"),
    [
        ("INSERT INTO b SELECT k, v FROM a", ("I",)),
        ("INSERT INTO u SELECT k, COUNT(*) FROM a GROUP BY k", ("I,UA",)),
        (BOTH, ("I", "I,UA")),
    ],
)
def test_an_explanation_says_what_a_query_emits(session: SqlSession, insert: str, changelogs: tuple[str, ...]) -> None:
    found = session.explain(insert)
    assert found.changelogs == changelogs
    assert {"id", "type", "contents"} <= set(found.nodes[0])


def test_a_wrong_column_is_named_with_its_place(session: SqlSession) -> None:
    with pytest.raises(StatementError) as caught:
        session.explain("INSERT INTO b\nSELECT k,\n  nope FROM a")
    error = caught.value.error
    assert (error.message, error.line, error.column) == ("Column 'nope' not found in any table", 3, 3)


def test_updates_into_a_plain_topic_are_refused(session: SqlSession) -> None:
    with pytest.raises(StatementError, match="doesn't support consuming update changes"):
        session.explain("INSERT INTO b SELECT k, COUNT(*) FROM a GROUP BY k")


def test_columns_are_described_without_marks(session: SqlSession) -> None:
    session.run("CREATE TEMPORARY VIEW `q` AS SELECT k, COUNT(*) AS n, MAX(v) AS m FROM a GROUP BY k")
    assert session.describe("q") == (
        DescribedColumn("k", "STRING", nullable=True),
        DescribedColumn("n", "BIGINT", nullable=False),
        DescribedColumn("m", "INT", nullable=True),
    )
    assert session.describe("a")[2] == DescribedColumn("ts", "TIMESTAMP(3)", nullable=True)


def test_a_session_ends_with_its_block(flink: FlinkServers) -> None:
    with gateway_at(flink.gateway).session() as opened:
        opened.run("SHOW TABLES")
    with pytest.raises(StatementError, match="does not exist"):
        opened.run("SHOW TABLES")


def test_the_version_is_known(flink: FlinkServers) -> None:
    assert gateway_at(flink.gateway).flink_version().startswith("2.2")


def test_a_statement_that_takes_too_long_is_undecided(session: SqlSession) -> None:
    with pytest.raises(ClusterError) as caught:
        session.run("SELECT * FROM (VALUES (1)) AS t (n)", {"execution.runtime-mode": "batch"}, seconds=0.01)
    assert caught.value.failure.kind in {FailureKind.UNDECIDED, FailureKind.UNREACHABLE}


def test_a_gateway_that_is_away_is_unreachable() -> None:
    with pytest.raises(ClusterError) as caught:
        gateway_at("http://127.0.0.1:9").flink_version()
    assert caught.value.failure.kind is FailureKind.UNREACHABLE
