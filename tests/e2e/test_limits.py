"""A sample at its limits: no time, no package, another way in."""

import sys
from pathlib import Path

import pytest

from streamt.testing.results import Status
from tests.e2e.broker import Broker
from tests.e2e.program import project_text, run_one, sample

FINE = "not_null: {columns: [id]}"
KEY = "foreign_key: {column: id, ref_model: people, ref_key: id}"


@pytest.fixture(scope="module")
def topics(broker: Broker) -> dict[str, str]:
    return {name: broker.topic_of([b'{"id": 1}']) for name in ("orders", "people")}


@pytest.mark.parametrize(
    ("assertion", "message"),
    [
        (FINE, "no record of source `orders` could be read within 1ms"),
        (KEY, "source `people` could not be read to its end in time, so no foreign key can be judged"),
    ],
)
def test_without_time_nothing_is_judged(
    broker: Broker, topics: dict[str, str], tmp_path: Path, assertion: str, message: str
) -> None:
    result = run_one(tmp_path, project_text(broker.address, topics, sample("t", assertion, ", timeout: 1ms")))
    assert (result.status, result.message) == (Status.ERROR, message)
    assert result.problems[0].hint == "raise the test's timeout"


@pytest.mark.parametrize(
    ("module", "assertion", "message", "extra"),
    [
        ("confluent_kafka", FINE, "reading records needs the package confluent-kafka", "kafka"),
        ("duckdb", "custom_sql: {sql: SELECT 1}", "custom_sql needs the package duckdb", "sql"),
    ],
)
def test_a_package_that_is_missing_is_named_with_what_to_install(
    broker: Broker,
    topics: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    assertion: str,
    message: str,
    extra: str,
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    result = run_one(tmp_path, project_text(broker.address, topics, sample("t", assertion)))
    assert (result.status, result.message) == (Status.ERROR, message)
    assert (result.problems[0].hint or "").startswith(f"install streamt with its extra `{extra}`")


def test_a_virtual_topic_is_read_at_the_gateways_address(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic_of([b'{"id": 1}'])
    text = f"""\
runtime:
  kafka: {{bootstrap_servers: "127.0.0.1:1"}}
  conduktor: {{gateway: {{proxy_bootstrap: "{broker.address}"}}}}
sources: [{{name: raw, topic: raw}}]
models:
  - name: seen
    sql: SELECT id FROM {{{{ source("raw") }}}} WHERE id > 0
    gateway: {{virtual_topic: {topic}}}
tests: [{{name: t, model: seen, type: sample, assertions: [{FINE}]}}]
"""
    result = run_one(tmp_path, text)
    assert (result.status, result.counts.records) == (Status.PASSED, 1), result


def test_a_sample_that_is_cut_short_is_judged_on_what_was_read(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic_of([b"%d" % number for number in range(200_000)])
    for milliseconds in (250, 500, 1000, 2000):  # a busy machine may read nothing at all in the first of them
        more = f", sample_size: 200000, timeout: {milliseconds}ms"
        text = project_text(broker.address, {"orders": topic}, sample("t", FINE, more))
        result = run_one(tmp_path / str(milliseconds), text)
        if result.counts.undecodable:
            break
    assert result.counts.timed_out
    assert 0 < result.counts.undecodable < 200_000
