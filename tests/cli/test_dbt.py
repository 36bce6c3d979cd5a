"""`streamt dbt` and `streamt dbt emit`, with the artifacts that a real dbt wrote (a real dbt runs in tests/stack)."""

import json
import stat
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import Ended, streamt
from tests.emitter.dbt.capture import CAPTURED, copy_project

MANIFEST = CAPTURED / "duckdb-1.11.manifest.json"
RESULTS = CAPTURED / "duckdb-1.11.run_results.json"

# Stands where dbt stands: it writes the captured artifacts, as of now, and says what it was called with.
STAND_IN = f"""#!{sys.executable}
import json, os, pathlib, sys
from datetime import UTC, datetime
print(json.dumps([sys.argv[1:], os.environ.get("OPENLINEAGE_PARENT_ID")]))
target = pathlib.Path("target")
target.mkdir(exist_ok=True)
for source in ({str(MANIFEST)!r}, {str(RESULTS)!r}):
    content = json.loads(pathlib.Path(source).read_text())
    content["metadata"]["generated_at"] = os.environ.get("STAND_IN_TIME") or datetime.now(UTC).isoformat()
    if "args" in content:
        content["args"]["which"] = sys.argv[1]
    (target / pathlib.Path(source).name.partition(".")[2].partition(".")[2]).write_text(json.dumps(content))
sys.exit(int(os.environ.get("STAND_IN_STATUS", "0")))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = copy_project(tmp_path / "shop")
    program = folder / "dbt"
    program.write_text(STAND_IN)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return folder


def read(events: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in events.read_bytes().splitlines()] if events.exists() else []


def dbt(project: Path, *arguments: str, **environment: str) -> tuple[Ended, list[dict[str, Any]]]:
    events = project / "events.jsonl"
    done = streamt("dbt", "--dbt", "./dbt", *arguments, cwd=project, STREAMT_LINEAGE_PATH=str(events), **environment)
    return done, read(events)


def test_dbt_is_told_as_one_run_and_one_of_each_node(project: Path) -> None:
    done, events = dbt(project, "--", "build", "--select", "revenue")
    assert (done.status, done.stderr) == (0, "")
    arguments, parent = json.loads(done.stdout)
    assert arguments == ["build", "--select", "revenue"]
    first, *nodes, last = events
    assert (first["eventType"], last["eventType"]) == ("START", "COMPLETE")
    assert first["job"]["name"] == last["job"]["name"] == "dbt.shop.duckdb"
    assert first["job"]["facets"]["jobType"]["integration"] == "DBT"
    assert parent == f"default/dbt.shop.duckdb/{first['run']['runId']}"
    assert len(nodes) == 2 * len(json.loads(RESULTS.read_text())["results"])
    assert {event["run"]["facets"]["parent"]["run"]["runId"] for event in nodes} == {first["run"]["runId"]}
    revenue = next(event for event in nodes if event["job"]["name"] == "dbt.shop.duckdb.model.shop.revenue")
    assert [dataset["name"] for dataset in revenue["outputs"]] == ['shop.main."Revenue.by.customer"']
    assert revenue["outputs"][0]["namespace"] == f"duckdb://{project}/shop.duckdb"


def test_the_exit_status_is_dbts(project: Path) -> None:
    done, events = dbt(project, "--", "build", STAND_IN_STATUS="1")
    assert done.status == 1
    assert events[-1]["eventType"] == "FAIL"
    assert events[-1]["run"]["facets"]["errorMessage"]["message"] == "dbt: exit status 1"


def test_results_of_an_older_run_are_not_told(project: Path) -> None:
    old = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    _, events = dbt(project, "--", "build", STAND_IN_TIME=old)
    assert [event["eventType"] for event in events] == ["START", "COMPLETE"]


@pytest.mark.parametrize("command", ["compile", "docs", "ls", "debug"])
def test_a_command_that_runs_no_node_tells_of_none(command: str, project: Path) -> None:
    _, events = dbt(project, "--", command)
    assert len(events) == 2


def test_the_job_is_the_same_whatever_is_selected(project: Path) -> None:
    _, events = dbt(project, "--", "run", "--target", "postgres", "--select", "x")
    assert {event["job"]["name"].rpartition(".model.")[0] or event["job"]["name"] for event in events} >= {
        "dbt.shop.postgres"
    }
    named, events = dbt(project, "--job", "nightly", "--", "run")
    assert named.status == 0
    assert events[-1]["job"]["name"] == "nightly"


def test_datasets_are_told_only_where_they_are_wanted(project: Path) -> None:
    _, events = dbt(project, "--", "build", STREAMT_LINEAGE_EMIT_DBT_DATASETS="false")
    assert len(events) > 2
    assert all(event["inputs"] == event["outputs"] == [] for event in events)


def test_a_dbt_that_is_not_there(project: Path) -> None:
    (project / "dbt").unlink()
    done, events = dbt(project, "--", "run")
    assert done.status == 127
    assert [event["eventType"] for event in events] == ["START", "FAIL"]


def test_artifacts_that_cannot_be_read_are_a_warning(project: Path) -> None:
    (project / "dbt").write_text("#!/bin/sh\nmkdir -p target; echo '{' > target/run_results.json\n")
    done, events = dbt(project, "--", "run")
    assert (done.status, len(events)) == (0, 2)
    assert (
        "run_results.json: W112_OPENLINEAGE_EMIT_FAILED: the file cannot be read: cut short, or not JSON" in done.stderr
    )


def test_without_dbt_project_everything_is_passed_on(tmp_path: Path) -> None:
    done = streamt("dbt", "--dbt", "echo", "--", "hello", cwd=tmp_path)
    assert (done.status, done.stdout) == (0, b"hello\n")


def test_help_is_ours() -> None:
    assert b"streamt dbt [OPTIONS] -- run" in streamt("dbt", "--help").stdout
    assert b"Commands:" in streamt("dbt").stdout


def emit(events: Path, *arguments: str | Path, **environment: str) -> tuple[Ended, list[dict[str, Any]]]:
    done = streamt("dbt", "emit", *arguments, cwd=events.parent, STREAMT_LINEAGE_PATH=str(events), **environment)
    return done, read(events)


def test_a_run_that_was_is_told_with_its_real_times(tmp_path: Path) -> None:
    place = ("--connection", "duckdb:path=/data/shop.duckdb", "--target", "dev")
    done, events = emit(tmp_path / "e.jsonl", "--manifest", MANIFEST, "--run-results", RESULTS, *place)
    assert (done.status, done.stderr) == (0, "")
    results = json.loads(RESULTS.read_text())
    assert events[0]["job"]["name"] == "dbt.shop.dev"
    assert events[0]["eventTime"] == results["metadata"]["invocation_started_at"]
    assert events[-1]["eventTime"] == results["metadata"]["generated_at"]
    assert len(events) == 2 + 2 * len(results["results"])
    assert {dataset["namespace"] for event in events for dataset in event["outputs"]} == {"duckdb:///data/shop.duckdb"}
    assert events[0]["run"]["facets"]["processing_engine"]["version"] == results["metadata"]["dbt_version"]


def test_the_same_artifacts_are_the_same_runs(tmp_path: Path) -> None:
    arguments = ("--manifest", MANIFEST, "--run-results", RESULTS, "--connection", "duckdb:path=/x/y.duckdb")
    _, once = emit(tmp_path / "a.jsonl", *arguments)
    _, again = emit(tmp_path / "b.jsonl", *arguments)
    assert once == again


def test_a_manifest_alone_is_told_as_declared_jobs(tmp_path: Path) -> None:
    done, events = emit(tmp_path / "e.jsonl", "--manifest", MANIFEST, "--connection", "duckdb:path=/x/y.duckdb")
    assert done.status == 0
    assert all("run" not in event and event["schemaURL"].endswith("JobEvent") for event in events)
    assert "dbt.shop.default.model.shop.revenue" in {event["job"]["name"] for event in events}


def test_without_a_profile_the_runs_are_told_and_one_warning_says_what_is_left_out(tmp_path: Path) -> None:
    done, events = emit(tmp_path / "e.jsonl", "--manifest", MANIFEST, "--run-results", RESULTS)
    assert done.status == 0
    assert len(events) > 2
    assert all(event["inputs"] == [] for event in events)
    assert "without dbt's profile it is not known where they are" in done.stderr


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"nodes": 3}'])
def test_a_file_that_is_no_manifest_is_an_error(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    file.write_bytes(content)
    done, events = emit(tmp_path / "e.jsonl", "--manifest", file)
    assert done.status == 1
    assert done.stderr.startswith("error manifest.json: E506_OPENLINEAGE_INVALID")
    assert events == []


def test_events_that_do_not_arrive_fail_the_command(tmp_path: Path) -> None:
    arguments = ("--manifest", MANIFEST, "--run-results", RESULTS, "--connection", "duckdb:path=/x/y.duckdb")
    done = streamt("dbt", "emit", *arguments, "--drain", "1", STREAMT_LINEAGE_URL="http://127.0.0.1:9/x", cwd=tmp_path)
    assert done.status == 1
    assert "lineage events were not delivered" in done.stderr


def test_a_configuration_that_is_wrong_is_an_error_where_telling_is_all_there_is(tmp_path: Path) -> None:
    done = streamt("dbt", "emit", "--manifest", MANIFEST, STREAMT_LINEAGE_URL="http://h", cwd=tmp_path)
    assert done.status == 1
    assert "E506_OPENLINEAGE_INVALID: `url` has no path" in done.stderr
