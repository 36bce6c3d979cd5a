"""Every statement that streamt generates is taken by a real Flink: the examples', and one for each rule."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streamt.clusters.flink_sql import SqlGateway, SqlSession, StatementError
from streamt.deploy.artifacts import statements
from streamt.net import HttpClient, parse_address
from tests.deploy.artifacts.project import RUNTIME, job, model, source
from tests.deploy.artifacts.test_flink_jobs import COUNTED, KEYED, NEWEST, UPSERT, WINDOWED
from tests.stack.fixtures import FlinkServers
from tests.update_golden import GOLDEN

JOBS = sorted((GOLDEN / "artifacts").glob("*/flink/*.json"))
# The example calls a function that its user has installed; Flink says that it is the only thing missing.
MISSING_FUNCTION = {"machine_errors": "SPLIT_CODES"}
FLINK = "    advanced: {flink: {%s}}\n"
JOINED = 'SELECT l.id, r.n FROM {{ source("a") }} AS l LEFT JOIN {{ source("a") }} AS r ON l.id = r.id'
WATERMARK = "    event_time: {column: at, watermark: {max_out_of_orderness_ms: %d}}\n"
AVRO = "  schema_registry: {url: 'http://localhost:1'}\n"
# A project for each rule, beside the examples.
RULES = {
    "t3": RUNTIME + source(columns=KEYED.replace("n, type: INT", "n, type: 'DECIMAL(4, 0)'")) + model(
        'SELECT id, CAST(n AS INT) AS n FROM {{ source("a") }}', "    key: id\n"
    ),
    "t4 short": RUNTIME + source(WATERMARK % 99_999) + model(),
    "t4 long": RUNTIME + source(WATERMARK % 8_640_000_500) + model(),
    "t5": RUNTIME + source(UPSERT, columns=KEYED) + model(more="    key: id\n"),
    "t6 window": RUNTIME + source("    event_time: {column: at}\n") + model(WINDOWED),
    "t6 count": RUNTIME + source() + model(COUNTED, "    key: id\n"),
    "t6 newest": RUNTIME + source() + model(NEWEST, "    key: id\n"),
    "t6 join": RUNTIME + source() + model(JOINED, "    key: id\n"),
    "t7 avro": RUNTIME + source("    schema: {format: avro}\n") + model(),
    "t7 framed": RUNTIME + AVRO + source("    schema: {format: avro}\n") + model(more="    schema: {format: avro}\n"),
    "t9 latest": RUNTIME + source() + model(more=FLINK % "start: latest"),
    "t9 committed": RUNTIME + source() + model(more=FLINK % "start: committed"),
    "t9 time": RUNTIME + source() + model(more=FLINK % "start: '2026-01-01T00:00:00Z'"),
    "t10": RUNTIME + source() + model(more=FLINK % "delivery: exactly_once, checkpoint_interval_ms: 1000"),
}  # fmt: skip


@pytest.fixture
def session(flink: FlinkServers) -> Iterator[SqlSession]:
    with SqlGateway(HttpClient(address=parse_address(flink.gateway), timeout_s=60)).session() as opened:
        yield opened


def explain(session: SqlSession, content: dict[str, Any]) -> str:
    """Return what Flink says that a job's query gives; a secret becomes an address that nothing listens at."""
    *tables, insert = statements(content, lambda _: "localhost:1")
    for each in tables:
        session.run(each)
    (changelog,) = session.explain(insert, content["settings"]).changelogs
    return "append" if changelog == "I" else "upsert"


@pytest.mark.parametrize("path", JOBS, ids=lambda path: f"{path.parts[-3]}/{path.stem}")
def test_flink_takes_every_job_of_the_examples(session: SqlSession, path: Path) -> None:
    content = json.loads(path.read_bytes())
    missing = MISSING_FUNCTION.get(path.stem)
    if missing is None:
        assert explain(session, content) == content["changelog"]
    else:
        with pytest.raises(StatementError, match=f"No match found for function signature {missing}"):
            explain(session, content)


@pytest.mark.parametrize("text", RULES.values(), ids=RULES)
def test_flink_takes_what_each_rule_writes_and_sees_the_same_changes(
    session: SqlSession, text: str, tmp_path: Path
) -> None:
    content = job(tmp_path, text)
    assert explain(session, content) == content["changelog"]
