"""What the rules of generated Flink SQL rest on, tried on a real Flink: each shape is taken, its opposite refused.

The rules are those of the statements that streamt generates (T1 to T13): names, types, watermarks, connectors, formats,
positions, groups, transactions, settings, and quoting. Nothing here runs a job, and no topic need exist.
"""

from collections.abc import Iterator, Mapping

import pytest

from streamt.clusters.flink_sql import SqlGateway, SqlSession, StatementError
from streamt.net import HttpClient, parse_address
from tests.stack.fixtures import FlinkServers

COLUMNS = "`k` STRING NOT NULL, `n` INT, `ts` TIMESTAMP(3)"
READ = {"connector": "kafka", "format": "json", "scan.startup.mode": "earliest-offset"}
SHADED = "org.apache.flink.kafka.shaded.org.apache.kafka"
WINDOWED = """SELECT `k`, CAST(COUNT(*) AS INT)
FROM TABLE(TUMBLE(TABLE a, DESCRIPTOR(`ts`), INTERVAL '1' MINUTE)) GROUP BY `k`, window_start, window_end"""
UPSERT = {"connector": "upsert-kafka", "key.format": "json", "value.format": "json"}


@pytest.fixture
def session(flink: FlinkServers) -> Iterator[SqlSession]:
    with SqlGateway(HttpClient(address=parse_address(flink.gateway), timeout_s=60)).session() as opened:
        yield opened


def table(session: SqlSession, name: str, columns: str, options: Mapping[str, str]) -> None:
    common = {"topic": "t", "properties.bootstrap.servers": "localhost:1"}
    pairs = ", ".join(f"'{key}' = '{value}'" for key, value in (common | dict(options)).items())
    session.run(f"CREATE TEMPORARY TABLE {name} ({columns}) WITH ({pairs})")


def explains(session: SqlSession, insert: str, settings: Mapping[str, str] | None = None) -> bool:
    """Report whether Flink would take an INSERT."""
    try:
        return bool(session.explain(insert, settings).text)
    except StatementError:
        return False


def test_t1_any_name_stands_in_backticks(session: SqlSession) -> None:
    table(session, "`select a.b-c é`", COLUMNS, READ)
    table(session, "`order`", COLUMNS, READ)
    assert explains(session, "INSERT INTO `order` SELECT `k`, `n`, `ts` FROM `select a.b-c é`")


def test_t3_a_processing_time_is_a_computed_column(session: SqlSession) -> None:
    table(session, "a", f"{COLUMNS}, `p` AS PROCTIME()", READ)
    table(session, "b", "`k` STRING NOT NULL, `n` INT", READ)
    assert explains(session, "INSERT INTO b (`k`, `n`) SELECT `k`, `n` FROM a")


@pytest.mark.parametrize(
    "interval",
    [
        "'5' SECOND",
        "'0.001' SECOND",
        "'99.999' SECOND",
        "'999.5' SECOND(3)",
        "'0 01:00:00.500' DAY TO SECOND",
        "'100 00:00:00' DAY(3) TO SECOND",
    ],
)
def test_t4_a_watermark_is_an_interval_of_seconds(session: SqlSession, interval: str) -> None:
    explain_watermark(session, interval)


def explain_watermark(session: SqlSession, interval: str) -> None:
    table(session, "a", f"{COLUMNS}, WATERMARK FOR `ts` AS `ts` - INTERVAL {interval}", READ)
    table(session, "b", COLUMNS, READ)
    session.explain("INSERT INTO b SELECT * FROM a")


@pytest.mark.parametrize(
    ("interval", "why"),
    [
        ("'100' SECOND", "Interval field value 100 exceeds precision"),
        # Leading precision ends at 3, so 1,000 seconds and more need another unit.
        ("'3600' SECOND(4)", "precision is not supported: 4"),
    ],
)
def test_t4_seconds_above_99_need_their_precision(session: SqlSession, interval: str, why: str) -> None:
    with pytest.raises(StatementError, match=why):
        explain_watermark(session, interval)


@pytest.mark.parametrize("kind", ["TIMESTAMP(6)", "STRING", "BIGINT"])
def test_t4_a_watermark_needs_a_timestamp_of_milliseconds(session: SqlSession, kind: str) -> None:
    with pytest.raises(StatementError):
        table(session, "a", f"`ts` {kind}, WATERMARK FOR `ts` AS `ts` - INTERVAL '5' SECOND", READ)


def test_t5_a_plain_topic_takes_no_key_with_json(session: SqlSession) -> None:
    table(session, "a", f"{COLUMNS}, PRIMARY KEY (`k`) NOT ENFORCED", READ)
    table(session, "b", COLUMNS, READ)
    assert not explains(session, "INSERT INTO b SELECT * FROM a")


def test_t5_an_upsert_topic_is_read_as_a_changelog(session: SqlSession) -> None:
    table(session, "a", f"{COLUMNS}, PRIMARY KEY (`k`) NOT ENFORCED", UPSERT)
    table(session, "b", f"{COLUMNS}, PRIMARY KEY (`k`) NOT ENFORCED", UPSERT)
    table(session, "c", COLUMNS, READ)
    assert session.explain("INSERT INTO b SELECT * FROM a").changelogs[0] != "I"
    assert not explains(session, "INSERT INTO c SELECT * FROM a")


@pytest.mark.parametrize(
    ("query", "appends"),
    [
        ("SELECT `k`, `n` FROM a WHERE `n` > 1", True),
        ("SELECT `k`, `n` FROM a UNION ALL SELECT `k`, `n` FROM a", True),
        (WINDOWED, True),
        ("SELECT `k`, SUM(`n`) OVER (PARTITION BY `k` ORDER BY `ts`) FROM a", True),
        ("SELECT x.`k`, y.`n` FROM a x JOIN a y ON x.`k` = y.`k` AND x.`ts` = y.`ts`", True),
        ("SELECT `k`, CAST(COUNT(*) AS INT) FROM a GROUP BY `k`", False),
        ("SELECT DISTINCT `k`, `n` FROM a", False),
        ("SELECT x.`k`, y.`n` FROM a x JOIN a y ON x.`k` = y.`k`", True),
        ("SELECT x.`k`, y.`n` FROM a x LEFT JOIN a y ON x.`k` = y.`k`", False),
    ],
)
def test_t6_the_query_decides_between_append_and_upsert(session: SqlSession, query: str, appends: bool) -> None:
    table(session, "a", f"{COLUMNS}, WATERMARK FOR `ts` AS `ts` - INTERVAL '5' SECOND", READ)
    table(session, "plain", "`k` STRING, `n` INT", READ | {"key.format": "json", "key.fields": "k"})
    table(session, "keyed", "`k` STRING NOT NULL, `n` INT, PRIMARY KEY (`k`) NOT ENFORCED", UPSERT)
    assert explains(session, f"INSERT INTO plain {query}") is appends
    assert explains(session, f"INSERT INTO keyed {query}")


@pytest.mark.parametrize("nullable", [False, True])
def test_t7_an_avro_schema_must_say_what_the_columns_say(session: SqlSession, nullable: bool) -> None:
    kind = '["null","int"],"default":null' if nullable else '"int"'
    avro = f'{{"type":"record","name":"R","namespace":"x","fields":[{{"name":"n","type":{kind}}}]}}'
    options = {
        "connector": "kafka",
        "format": "avro-confluent",
        "avro-confluent.url": "http://localhost:1",
        "avro-confluent.subject": "t-value",
        "avro-confluent.schema": avro,
        "scan.startup.mode": "earliest-offset",
    }
    table(session, "a", "`n` INT", READ)
    table(session, "b", "`n` INT", options)
    assert explains(session, "INSERT INTO b SELECT `n` FROM a") is nullable


def test_t7_a_timestamp_with_local_time_zone_has_no_avro_form(session: SqlSession) -> None:
    options = {"connector": "kafka", "format": "avro-confluent", "avro-confluent.url": "http://localhost:1"}
    table(session, "a", "`at` TIMESTAMP_LTZ(3)", READ)
    table(session, "b", "`at` TIMESTAMP_LTZ(3)", options | {"avro-confluent.subject": "t-value"})
    with pytest.raises(StatementError, match="Unsupported to derive Schema"):
        session.explain("INSERT INTO b SELECT `at` FROM a")


def test_t8_columns_are_named_because_flink_maps_by_position(session: SqlSession) -> None:
    table(session, "a", "`x` STRING, `y` STRING", READ)
    table(session, "b", "`y` STRING, `x` STRING", READ)
    by_name = session.explain("INSERT INTO b (`y`, `x`) SELECT `y`, `x` FROM (SELECT * FROM a) AS q")
    by_place = session.explain("INSERT INTO b SELECT * FROM a")
    assert "Calc(select=[y, x])" in by_name.text
    assert "Calc" not in by_place.text


@pytest.mark.parametrize(
    ("mode", "taken"),
    [
        ({"scan.startup.mode": "earliest-offset"}, True),
        ({"scan.startup.mode": "latest-offset"}, True),
        ({"scan.startup.mode": "group-offsets"}, True),
        ({"scan.startup.mode": "timestamp", "scan.startup.timestamp-millis": "1767225600000"}, True),
        ({"scan.startup.mode": "timestamp"}, False),
        ({"scan.startup.mode": "committed"}, False),
    ],
)
def test_t9_where_a_job_starts(session: SqlSession, mode: dict[str, str], taken: bool) -> None:
    table(session, "a", COLUMNS, READ | {"properties.group.id": "streamt.shop.prod.m"} | mode)
    table(session, "b", COLUMNS, READ)
    assert explains(session, "INSERT INTO b SELECT * FROM a") is taken


@pytest.mark.parametrize("prefix", [False, True])
def test_t10_exactly_once_needs_a_prefix(session: SqlSession, prefix: bool) -> None:
    once = {"sink.delivery-guarantee": "exactly-once"} | ({"sink.transactional-id-prefix": "p"} if prefix else {})
    table(session, "a", COLUMNS, READ)
    table(session, "b", COLUMNS, READ | once)
    assert explains(session, "INSERT INTO b SELECT * FROM a") is prefix


@pytest.mark.parametrize(
    ("settings", "taken"),
    [
        (
            {
                "pipeline.name": "streamt/shop/prod/models/o'clock",
                "parallelism.default": "2",
                "execution.checkpointing.interval": "10 s",
                "table.exec.state.ttl": "1 d",
                "execution.runtime-mode": "streaming",
                "table.dml-sync": "false",
            },
            True,
        ),
        ({"table.exec.state.ttl": "soon"}, False),
        ({"execution.checkpointing.interval": "often"}, False),
        ({"parallelism.default": "many"}, False),
        ({"execution.runtime-mode": "batch"}, False),
    ],
)
def test_t11_settings_go_with_the_statement(session: SqlSession, settings: dict[str, str], taken: bool) -> None:
    table(session, "a", COLUMNS, READ)
    table(session, "b", COLUMNS, READ)
    table(session, "u", "`k` STRING NOT NULL, `n` BIGINT, PRIMARY KEY (`k`) NOT ENFORCED", UPSERT)
    insert = (
        "INSERT INTO u SELECT `k`, COUNT(*) FROM a GROUP BY `k`"  # a time to live is looked at where there is state
    )
    assert explains(session, insert, settings) is taken
    assert explains(session, insert)


def test_t12_a_placeholder_can_stand_for_a_credential(session: SqlSession) -> None:
    providers = {
        "properties.config.providers": "file",
        "properties.config.providers.file.class": f"{SHADED}.common.config.provider.FileConfigProvider",
        "properties.sasl.jaas.config": "${file:/run/secrets/kafka:jaas}",
    }
    table(session, "a", COLUMNS, READ | providers)
    table(session, "b", COLUMNS, READ)
    found = session.explain("INSERT INTO b SELECT * FROM a")
    assert "/run/secrets" not in found.text


def test_t13_a_quote_is_doubled(session: SqlSession) -> None:
    table(session, "a", COLUMNS, READ | {"topic": "it''s'' OR ''1"})
    table(session, "b", COLUMNS, READ)
    assert explains(session, "INSERT INTO b SELECT * FROM a WHERE `k` <> 'it''s'")
