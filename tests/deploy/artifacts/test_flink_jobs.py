"""How a model becomes a Flink job: the rules of the statements, each by what it writes and what it refuses."""

from pathlib import Path

import pytest

from streamt.diagnostics import Code, StreamtError
from tests.deploy.artifacts.project import RUNTIME, job, made, model, source, sql

UPSERT = "    advanced: {changelog: upsert}\n"
KEYED = "[{name: id, type: STRING, primary_key: true}, {name: n, type: INT}, {name: at, type: TIMESTAMP(3)}]"
COUNTED = 'SELECT id, CAST(COUNT(*) AS INT) AS n FROM {{ source("a") }} GROUP BY id'
WINDOWED = (
    'SELECT id, CAST(COUNT(*) AS INT) AS n FROM TABLE(TUMBLE(TABLE {{ source("a") }}, DESCRIPTOR(`at`),'
    " INTERVAL ''1'' MINUTE)) GROUP BY id, window_start, window_end"
)
NEWEST = (
    "SELECT id, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY `at` DESC) AS r"
    ' FROM {{ source("a") }}) WHERE r = 1'
)


def refused(folder: Path, text: str) -> str:
    with pytest.raises(StreamtError) as error:
        made(folder, RUNTIME + text)
    assert {each.code for each in error.value.diagnostics} == {Code.COMPILE_ERROR}
    return "; ".join(each.message for each in error.value.diagnostics)


def test_t1_a_table_is_called_as_its_source_or_model(tmp_path: Path) -> None:
    text = RUNTIME + source() + model('SELECT id, n FROM {{ source("a") }} AS a')
    reading, writing, insert = sql(tmp_path, text)
    assert reading.startswith("CREATE TEMPORARY TABLE `a` (")
    assert writing.startswith("CREATE TEMPORARY TABLE `m` (")
    assert "FROM `a` AS a" in insert


@pytest.mark.parametrize(
    ("columns", "words"),
    [("[]", "a Flink job needs its columns"), ("[{name: id}]", "column `id`: a Flink job needs its type")],
)
def test_t2_a_job_needs_columns_with_types(tmp_path: Path, columns: str, words: str) -> None:
    assert words in refused(tmp_path, source(columns=columns) + model('SELECT id, 1 AS n FROM {{ source("a") }}'))


def test_t3_types_stand_as_written_and_a_key_is_not_null(tmp_path: Path) -> None:
    columns = "[{name: id, type: 'varchar(9)'}, {name: n, type: INT}, {name: p, proctime: true}]"
    text = RUNTIME + source(columns=columns) + model(more="    key: id\n")
    reading, writing, _ = sql(tmp_path, text)
    assert "`id` varchar(9),\n  `n` INT,\n  `p` AS PROCTIME()" in reading
    assert "`id` STRING NOT NULL" in writing


@pytest.mark.parametrize(
    ("watermark", "interval"),
    [
        ("", "'0.001' SECOND"),
        (", watermark: {strategy: monotonously_increasing}", "'0.001' SECOND"),
        (", watermark: {max_out_of_orderness_ms: 5000}", "'5' SECOND"),
        (", watermark: {max_out_of_orderness_ms: 99999}", "'99.999' SECOND"),
        (", watermark: {max_out_of_orderness_ms: 999999}", "'999.999' SECOND(3)"),
        (", watermark: {max_out_of_orderness_ms: 3600500}", "'0 01:00:00.500' DAY TO SECOND"),
        (", watermark: {max_out_of_orderness_ms: 8640000000}", "'100 00:00:00' DAY(3) TO SECOND"),
    ],
)
def test_t4_a_watermark_waits_as_long_as_declared(tmp_path: Path, watermark: str, interval: str) -> None:
    text = RUNTIME + source(f"    event_time: {{column: at{watermark}}}\n") + model()
    assert f"WATERMARK FOR `at` AS `at` - INTERVAL {interval}\n" in sql(tmp_path, text)[0]


@pytest.mark.parametrize(
    ("event_time", "words"),
    [
        ("{column: n}", "the event time `n` is a INT"),
        ("{column: at, allowed_lateness_ms: 1}", "Flink SQL has no allowed lateness"),
        ("{allowed_lateness_ms: 1}", "`event_time` needs its `column`"),
    ],
)
def test_t4_an_event_time_that_flink_cannot_keep_is_refused(tmp_path: Path, event_time: str, words: str) -> None:
    assert words in refused(tmp_path, source(f"    event_time: {event_time}\n") + model())


def test_t5_a_documented_key_alone_changes_nothing(tmp_path: Path) -> None:
    reading = sql(tmp_path, RUNTIME + source(columns=KEYED) + model())[0]
    assert ("'connector' = 'kafka'" in reading, "PRIMARY KEY" in reading) == (True, False)


def test_t5_a_topic_whose_records_replace_each_other_is_read_by_key(tmp_path: Path) -> None:
    reading = sql(tmp_path, RUNTIME + source(UPSERT, columns=KEYED) + model(more="    key: id\n"))[0]
    assert "'connector' = 'upsert-kafka'" in reading
    assert "PRIMARY KEY (`id`) NOT ENFORCED" in reading


@pytest.mark.parametrize(
    ("query", "changelog"),
    [
        ('SELECT id, n FROM {{ source("a") }} WHERE n > 1', "append"),
        ('SELECT id, n FROM {{ source("a") }} UNION ALL SELECT id, n FROM {{ source("a") }}', "append"),
        ('SELECT id, CAST(SUM(n) OVER (PARTITION BY id ORDER BY `at`) AS INT) AS n FROM {{ source("a") }}', "append"),
        (
            WINDOWED,
            "append",
        ),
        (COUNTED, "upsert"),
        ('SELECT DISTINCT id, n FROM {{ source("a") }}', "upsert"),
        ('SELECT l.id, r.n FROM {{ source("a") }} AS l LEFT JOIN {{ source("a") }} AS r ON l.id = r.id', "upsert"),
        (
            NEWEST,
            "upsert",
        ),
    ],
)
def test_t6_the_query_decides_how_its_results_are_written(tmp_path: Path, query: str, changelog: str) -> None:
    found = job(tmp_path, RUNTIME + source() + model(query, "    key: id\n"))
    assert (found["changelog"], found["tables"][-1]["connector"]) == (
        changelog,
        {"append": "kafka", "upsert": "upsert-kafka"}[changelog],
    )


def test_t6_changes_go_on_through_a_model_that_reads_them(tmp_path: Path) -> None:
    first = (
        "  - {name: b, key: id, topic: {name: b.v1}, columns: [{name: id, type: STRING}, {name: n, type: INT}], sql: "
    )
    text = RUNTIME + source() + model('SELECT id, n FROM {{ ref("b") }}', "    key: id\n") + f"{first}'{COUNTED}'}}\n"
    assert job(tmp_path, text)["changelog"] == "upsert"


def test_t6_changes_without_a_key_are_refused(tmp_path: Path) -> None:
    assert "its records replace each other, so they need a key" in refused(tmp_path, source() + model(COUNTED))


def test_t6_what_the_query_gives_can_be_said(tmp_path: Path) -> None:
    said = "    advanced: {flink: {changelog: append}}\n"
    assert job(tmp_path, RUNTIME + source() + model(COUNTED, said))["changelog"] == "append"


@pytest.mark.parametrize(
    ("schema", "registry", "words"),
    [
        ("{format: protobuf}", "", "Flink reads and writes Protobuf only by classes of its own"),
        ("{format: json, subject: a-value}", "", "Flink has no format for JSON with the registry's framing"),
    ],
)
def test_t7_a_format_that_flink_cannot_read_is_refused(tmp_path: Path, schema: str, registry: str, words: str) -> None:
    assert words in refused(tmp_path, source(f"    schema: {schema}\n") + model())


@pytest.mark.parametrize(
    ("registry", "name"), [("", "avro"), ("  schema_registry: {url: 'http://r:1'}\n", "avro-confluent")]
)
def test_t7_avro_is_framed_where_there_is_a_registry(tmp_path: Path, registry: str, name: str) -> None:
    found = job(tmp_path, RUNTIME + registry + source("    schema: {format: avro}\n") + model())
    assert found["tables"][0]["format"] == name


def test_t8_columns_are_written_by_name(tmp_path: Path) -> None:
    insert = sql(tmp_path, RUNTIME + source() + model('SELECT n, id FROM {{ source("a") }}'))[-1]
    assert insert.startswith("INSERT INTO `m` (`id`, `n`)\nSELECT `id`, `n` FROM (\n")


@pytest.mark.parametrize(
    ("start", "option"),
    [
        ("earliest", "'scan.startup.mode' = 'earliest-offset'"),
        ("latest", "'scan.startup.mode' = 'latest-offset'"),
        ("committed", "'scan.startup.mode' = 'group-offsets'"),
        ("2026-01-01T00:00:00Z", "'scan.startup.timestamp-millis' = '1767225600000'"),
    ],
)
def test_t9_a_job_begins_where_it_is_said_in_a_group_of_its_own(tmp_path: Path, start: str, option: str) -> None:
    reading = sql(tmp_path, RUNTIME + source() + model(more=f"    advanced: {{flink: {{start: '{start}'}}}}\n"))[0]
    assert option in reading
    assert "'properties.group.id' = 'streamt.shop.default.m'" in reading


def test_t10_exactly_once_has_a_prefix_that_never_changes(tmp_path: Path) -> None:
    flink = "    advanced: {flink: {delivery: exactly_once, checkpoint_interval_ms: 1000}}\n"
    writing = sql(tmp_path, RUNTIME + source() + model(more=flink))[1]
    assert "'sink.delivery-guarantee' = 'exactly-once'" in writing
    assert "'sink.transactional-id-prefix' = 'streamt.shop.default.m'" in writing


def test_t10_exactly_once_needs_checkpoints(tmp_path: Path) -> None:
    flink = "    advanced: {flink: {delivery: exactly_once}}\n"
    assert "delivery exactly once needs checkpoints" in refused(tmp_path, source() + model(more=flink))


def test_t11_settings_are_no_text_of_the_statements(tmp_path: Path) -> None:
    flink = (
        "    advanced: {flink: {parallelism: 4, state_ttl_ms: 60000, options: {table.exec.mini-batch.enabled: true}}}\n"
    )
    text = RUNTIME + source() + model(more=flink)
    assert job(tmp_path, text)["settings"] == {
        "execution.runtime-mode": "streaming",
        "parallelism.default": "4",
        "pipeline.name": "streamt/shop/default/models/m",
        "table.dml-sync": "false",
        "table.exec.mini-batch.enabled": "true",
        "table.exec.state.ttl": "60000 ms",
    }
    assert not any("SET " in each for each in sql(tmp_path, text))


def test_t11_a_setting_of_streamts_own_is_refused(tmp_path: Path) -> None:
    flink = "    advanced: {flink: {options: {pipeline.name: x}}}\n"
    assert "the Flink setting `pipeline.name` is streamt's own" in refused(tmp_path, source() + model(more=flink))


def test_t12_flink_takes_the_internal_address_and_credentials_are_pointers(tmp_path: Path) -> None:
    servers = "bootstrap_servers: 'b:1', bootstrap_servers_internal: 'inside:1'"
    login = "security_protocol: SASL_SSL, sasl_mechanism: PLAIN, sasl_username: streamt, sasl_password: s3cret-canary"
    kafka = f"runtime:\n  kafka: {{{servers}, {login}}}\n"
    reading = sql(tmp_path, kafka + source() + model())[0]
    assert "'properties.bootstrap.servers' = 'inside:1'" in reading
    assert "s3cret-canary" not in reading
    assert ":secret(" in reading


def test_t13_a_quote_in_an_option_is_doubled(tmp_path: Path) -> None:
    flink = '  flink: {clusters: {main: {type: rest, kafka_properties: {client.rack: "it\'s"}}}}\n'
    reading = sql(tmp_path, RUNTIME + flink + source() + model())[0]
    assert "'properties.client.rack' = 'it''s'" in reading


def test_t13_a_backtick_in_a_name_is_refused(tmp_path: Path) -> None:
    columns = "[{name: 'i`d', type: STRING}]"
    words = refused(tmp_path, source(columns=columns) + model('SELECT n, n AS id FROM {{ source("a") }}'))
    assert "a name with a backtick cannot be a column's" in words
