"""A real dbt, run by `streamt dbt`: with DuckDB, and with PostgreSQL."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from streamt.emitter.providers.dbt_manifest import read_manifest
from tests.cli.program import clean_environment
from tests.deploy.postgres_server import PASSWORD, USER, postgres_server
from tests.emitter.dbt.capture import copy_project
from tests.extras import EXTRAS

pytestmark = pytest.mark.extras
DBT = EXTRAS / "dbt" / "bin" / "dbt"

DATASETS = {
    "seed.shop.raw_orders": (set(), {"raw_orders"}),
    "seed.shop.raw_customers": (set(), {"raw_customers"}),
    "model.shop.stg_orders": ({"raw_orders"}, {"stg_orders"}),
    "model.shop.revenue": ({"stg_orders", "raw_customers"}, {'"Revenue.by.customer"'}),
    "model.shop.daily": ({'"Revenue.by.customer"'}, {"daily"}),
    "snapshot.shop.orders_snapshot": ({"raw_orders"}, {"orders_snapshot"}),
    "test.shop.no_negative_revenue": ({'"Revenue.by.customer"'}, set()),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_project(tmp_path / "shop")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "streamt", "dbt", "--dbt", str(DBT), *arguments]


def environment(project: Path, **more: str) -> dict[str, str]:
    return clean_environment(
        STREAMT_LINEAGE_PATH=str(project / "events.jsonl"), DBT_SEND_ANONYMOUS_USAGE_STATS="false", **more
    )


def dbt(project: Path, *arguments: str, **more: str) -> tuple[int, list[dict[str, Any]]]:
    events = project / "events.jsonl"
    events.unlink(missing_ok=True)
    done = subprocess.run(
        command("--", *arguments),
        cwd=project,
        env=environment(project, **more),
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert b"warning" not in done.stderr, done.stderr
    return done.returncode, [json.loads(line) for line in events.read_bytes().splitlines()]


def datasets(events: list[dict[str, Any]], prefix: str) -> dict[str, tuple[set[str], set[str]]]:
    found = {}
    for event in events:
        node = event["job"]["name"].partition(".shop.")[2].partition(".")[2]
        sides = (event["inputs"], event["outputs"])
        names = tuple({dataset["name"].removeprefix(prefix) for dataset in side} for side in sides)
        if event["eventType"] == "COMPLETE" and node in DATASETS:
            found[node] = (names[0], names[1])
    return found


def test_duckdb(project: Path) -> None:
    status, events = dbt(project, "build")
    assert status == 0
    assert datasets(events, "shop.main.") == DATASETS
    assert {event["eventType"] for event in events} == {"START", "COMPLETE"}
    namespaces = {dataset["namespace"] for event in events for dataset in (*event["inputs"], *event["outputs"])}
    assert namespaces == {f"duckdb://{project}/shop.duckdb"}
    assert {event["run"]["facets"]["processing_engine"]["name"] for event in events} == {"dbt"}


def test_postgres(project: Path, tmp_path: Path) -> None:
    place = tmp_path / "server"
    place.mkdir()
    with postgres_server(place) as server:
        server.make_database("shop")
        connection = {
            "PGHOST": "127.0.0.1",
            "PGPORT": str(server.port),
            "PGUSER": USER,
            "PGPASSWORD": PASSWORD,
            "PGDATABASE": "shop",
        }
        status, events = dbt(project, "build", "--target", "postgres", **connection)
        assert status == 0
        assert datasets(events, "shop.public.") == DATASETS
        namespaces = {dataset["namespace"] for event in events for dataset in (*event["inputs"], *event["outputs"])}
        assert namespaces == {f"postgres://127.0.0.1:{server.port}"}
        tables = {
            name for (name,) in server.execute("select tablename from pg_tables where schemaname = 'public'", "shop")
        }
        told = {
            dataset["name"].removeprefix("shop.public.").strip('"') for event in events for dataset in event["outputs"]
        }
        assert tables <= told
        assert PASSWORD not in json.dumps(events)


def test_a_node_that_fails_is_told_so(project: Path) -> None:
    (project / "models" / "stg_orders.sql").write_text("select nothing_of_that_name from {{ ref('raw_orders') }}\n")
    status, events = dbt(project, "build")
    assert status == 1
    ends = {
        event["job"]["name"].partition(".shop.duckdb.")[2]: event for event in events if event["eventType"] != "START"
    }
    assert ends["model.shop.stg_orders"]["eventType"] == "FAIL"
    assert "nothing_of_that_name" in ends["model.shop.stg_orders"]["run"]["facets"]["errorMessage"]["message"]
    assert "model.shop.revenue" not in ends  # it was skipped
    assert ends["seed.shop.raw_orders"]["eventType"] == "COMPLETE"
    assert events[-1]["eventType"] == "FAIL"


def test_a_later_command_does_not_tell_of_an_earlier_ones_nodes(project: Path) -> None:
    dbt(project, "build")
    _, events = dbt(project, "compile")
    assert len(events) == 2
    _, events = dbt(project, "run", "--select", "daily")
    assert len(events) == 4


def test_a_deferred_parent_is_another_environments_table(project: Path) -> None:
    dbt(project, "build")
    (project / "target").rename(project / "state")
    profiles = (project / "profiles.yml").read_text()
    (project / "profiles.yml").write_text(profiles.replace("schema: main, threads", "schema: other, threads"))
    _, events = dbt(project, "run", "--select", "daily", "--defer", "--state", "state")
    daily = next(event for event in events if event["job"]["name"].endswith("model.shop.daily"))
    assert [dataset["name"] for dataset in daily["inputs"]] == ['shop.main."Revenue.by.customer"']
    assert [dataset["name"] for dataset in daily["outputs"]] == ["shop.other.daily"]


def test_an_interrupted_dbt_is_told_as_aborted(project: Path) -> None:
    (project / "models" / "stg_orders.sql").write_text("select count(*) as n from range(100000000000) a\n")
    process = subprocess.Popen(
        command("--", "run", "--select", "stg_orders"), cwd=project, env=environment(project), stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    while b"START sql" not in process.stdout.readline():
        assert process.poll() is None
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=120)
    events = [json.loads(line) for line in (project / "events.jsonl").read_bytes().splitlines()]
    assert events[-1]["eventType"] == "ABORT"
    assert process.returncode != 0


def test_a_manifest_of_200_mb_is_read(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    nodes = {
        f"model.x.m{number}": {
            "resource_type": "model",
            "relation_name": f'"d"."s"."m{number}"',
            "depends_on": {"nodes": [f"model.x.m{number - 1}"]},
            "compiled_code": "x" * 40_000,
        }
        for number in range(5_200)
    }
    file.write_text(json.dumps({"metadata": {"adapter_type": "postgres"}, "nodes": nodes, "sources": {}}))
    assert file.stat().st_size > 200_000_000
    manifest = read_manifest(file)
    assert [each.unique_id for each in manifest.inputs(manifest.nodes["model.x.m7"])] == ["model.x.m6"]
