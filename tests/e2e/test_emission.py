"""`streamt test --emit-openlineage`: one run, told whole, that changes nothing of the test."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import Ended, streamt
from tests.e2e.broker import Broker, free_port
from tests.e2e.program import project_text, sample, started, wait_for, write

FINE = "not_null: {columns: [id]}"
JOB = ("--emit-openlineage", "--openlineage-job-namespace", "ci")


@pytest.fixture(scope="module")
def topics(broker: Broker) -> dict[str, str]:
    return {"orders": broker.topic_of([b'{"id": 1}']), "people": broker.topic_of([b'{"id": 1}']), "idle": "idle"}


def to_file(path: Path) -> dict[str, str]:
    return {"OPENLINEAGE__TRANSPORT__TYPE": "file", "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH": str(path)}


def emit(folder: Path, *options: str, **environment: str) -> tuple[Ended, list[dict[str, Any]]]:
    path = folder / "events.jsonl"
    ended = run("test", "-p", folder, *JOB, *options, **to_file(path), **environment)
    return ended, events(path)


def run(*arguments: str | Path, **environment: str) -> Ended:
    return streamt(*arguments, cwd=None, **environment)


def events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


@pytest.mark.parametrize(("most", "end", "status"), [(1, "COMPLETE", 0), (0, "FAIL", 1)])
def test_a_run_is_told_by_its_start_and_its_end(
    broker: Broker, topics: dict[str, str], tmp_path: Path, most: int, end: str, status: int
) -> None:
    write(tmp_path, project_text(broker.address, topics, sample("ids", f"range: {{column: id, max: {most}}}")))
    ended, (first, last) = emit(tmp_path)
    assert ended.status == status
    assert (first["eventType"], last["eventType"]) == ("START", end)
    for shared in ("job", "inputs"):
        assert first[shared] == last[shared]
    assert first["run"]["runId"] == last["run"]["runId"]
    assert first["job"]["name"] == "streamt/shop/commands/test"
    assert first["inputs"] == [{"namespace": f"kafka://{broker.address}", "name": topics["orders"]}]


def test_a_failure_facet_tells_no_detail(broker: Broker, topics: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path, project_text(broker.address, topics, sample("ids", "range: {column: id, max: 0}")))
    _, (_, last) = emit(tmp_path)
    assert last["run"]["facets"]["errorMessage"]["message"] == "1 of 1 tests did not pass"


def test_a_broker_that_is_down_is_a_failure(tmp_path: Path) -> None:
    tests = sample("ids", FINE, ", timeout: 1s")
    write(tmp_path, project_text(f"127.0.0.1:{free_port()}", {"orders": "o"}, tests))
    ended, told = emit(tmp_path)
    assert (ended.status, [event["eventType"] for event in told]) == (1, ["START", "FAIL"])


def test_inputs_are_the_topics_that_are_read_and_no_others(
    broker: Broker, topics: dict[str, str], tmp_path: Path
) -> None:
    key = "foreign_key: {column: id, ref_model: people, ref_key: id}"
    shape = "  - {name: shape, source: idle, type: schema, on_failure: {severity: warning}}\n"
    write(tmp_path, project_text(broker.address, topics, sample("ids", key) + shape))
    _, (first, _) = emit(tmp_path)
    assert [each["name"] for each in first["inputs"]] == sorted([topics["orders"], topics["people"]])


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_broken_off_is_aborted(tmp_path: Path, sent: signal.Signals, status: int) -> None:
    tests = sample("ids", FINE, ", timeout: 1m")
    write(tmp_path, project_text(f"127.0.0.1:{free_port()}", {"orders": "o"}, tests))
    path = tmp_path / "events.jsonl"
    with started("test", "-p", tmp_path, *JOB, **to_file(path)) as process:
        while not events(path):
            wait_for(process, 0.05)
            assert process.poll() is None
        process.send_signal(sent)
        process.communicate(timeout=20)
    assert process.returncode == status
    assert [event["eventType"] for event in events(path)] == ["START", "ABORT"]


@pytest.mark.parametrize("options", [("--coverage",), ("--type", "continuous"), ("--deploy",)])
def test_what_runs_nothing_opens_no_transport(tmp_path: Path, options: tuple[str, ...]) -> None:
    write(tmp_path, project_text("nobody:1", {"orders": "o"}, sample("ids", FINE)))
    path = tmp_path / "nowhere" / "events.jsonl"  # a folder that does not exist would be an error
    ended = run("test", "-p", tmp_path, *JOB, *options, **to_file(path))
    assert "E506" not in ended.stderr
    assert not path.exists()


def test_without_the_flag_nothing_is_told(broker: Broker, topics: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path, project_text(broker.address, topics, sample("ids", FINE)))
    path = tmp_path / "events.jsonl"
    ended = run("test", "-p", tmp_path, **to_file(path))
    assert (ended.status, path.exists()) == (0, False)


@pytest.mark.parametrize(
    ("options", "transport", "locations"),
    [
        (("--emit-openlineage",), "file", {"openlineage_job_namespace", "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH"}),
        (JOB, "console", {"OPENLINEAGE__TRANSPORT__TYPE"}),
        (
            (*JOB, "--openlineage-kafka-namespace", "kafka://x"),
            "console",
            {"openlineage_kafka_namespace", "OPENLINEAGE__TRANSPORT__TYPE"},
        ),
    ],
)
def test_all_that_is_wrong_is_found_before_a_record_is_read(
    tmp_path: Path, options: tuple[str, ...], transport: str, locations: set[str]
) -> None:
    write(tmp_path, project_text(f"127.0.0.1:{free_port()}", {"orders": "o"}, sample("ids", FINE)))
    ended = run("--output", "json", "test", "-p", tmp_path, *options, OPENLINEAGE__TRANSPORT__TYPE=transport)
    errors = ended.envelope["errors"]
    assert ended.status == 1
    assert {error["code"] for error in errors} == {"E506_OPENLINEAGE_INVALID"}
    assert {error["location"] for error in errors} == locations


def test_an_event_that_is_not_delivered_is_a_warning_and_changes_nothing(
    broker: Broker, topics: dict[str, str], tmp_path: Path
) -> None:
    write(tmp_path, project_text(broker.address, topics, sample("ids", FINE)))
    http = {
        "OPENLINEAGE__TRANSPORT__TYPE": "http",
        "OPENLINEAGE__TRANSPORT__URL": f"http://127.0.0.1:{free_port()}",
        "OPENLINEAGE__TRANSPORT__ENDPOINT": "api/v1/lineage",
    }
    ended = run("--output", "json", "test", "-p", tmp_path, *JOB, **http)
    found = ended.envelope
    assert (ended.status, found["status"], found["errors"]) == (0, "ok", [])
    assert [warning["code"] for warning in found["warnings"]] == ["W112_OPENLINEAGE_EMIT_FAILED"] * 2
