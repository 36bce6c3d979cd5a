"""`--check`, `--for` and `--openlineage-parent` on the commands."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import MINIMAL, export, streamt, write_project

PARENT = "prod/nightly/019d39b5-2600-7000-8000-000000000001"
DESCRIBED = MINIMAL.replace("    topic: orders.v1\n", "    topic: orders.v1\n    description: All orders\n")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    tests = "tests:\n  - {name: declared, type: schema, model: paid}\n"
    return write_project(tmp_path / "shop", DESCRIBED, **{"tests__all.yml": tests})


def test_an_export_is_checked_without_being_changed(project: Path) -> None:
    environment = {"SOURCE_DATE_EPOCH": "1767225600"}
    plain = export(project, **environment)
    checked = export(project, "--check", "marquez", **environment)
    assert plain.status == checked.status == 0
    assert plain.stdout == checked.stdout
    assert "W113_OPENLINEAGE_CONSUMER: Marquez main of 2025-03-27 loses a dataset's description" in checked.stderr
    assert "give --for marquez" in checked.stderr


def test_a_form_keeps_every_event_and_changes_their_order(project: Path) -> None:
    environment = {"SOURCE_DATE_EPOCH": "1767225600"}
    plain = export(project, **environment).stdout.splitlines()
    formed = export(project, "--for", "marquez", "--check", "marquez", **environment)
    assert sorted(formed.stdout.splitlines()) == sorted(plain)
    assert "dataset" in formed.events[-1]
    assert "description" not in formed.stderr


def test_an_unknown_consumer_is_wrong_usage(project: Path) -> None:
    done = export(project, "--check", "marqez")
    assert done.status == 2
    assert "'marqez' is not one of" in done.stderr


def test_a_check_of_runs_comes_before_they_are_sent(project: Path) -> None:
    emitted = run_tests(project, "--check", "data-rentgen")
    assert "refuses a run id that is not a UUID of version 7 (4 events)" in emitted[1]
    assert emitted[0][0]["run"]["runId"][14] == "4"


def test_the_events_of_a_test_take_a_form(project: Path) -> None:
    events, stderr = run_tests(project, "--for", "data-rentgen", "--check", "data-rentgen")
    assert "W113" not in stderr
    assert {event["run"]["runId"][14] for event in events} == {"7"}
    assert len({event["run"]["runId"] for event in events}) == 1


def test_a_parent_is_named_only_where_it_is_asked_for(project: Path) -> None:
    events, _ = run_tests(project, OPENLINEAGE_PARENT_ID=PARENT)
    assert all("facets" not in event["run"] for event in events)
    events, _ = run_tests(project, "--openlineage-parent", OPENLINEAGE_PARENT_ID=PARENT)
    assert [event["run"]["facets"]["parent"]["job"]["name"] for event in events] == ["nightly", "nightly"]
    assert events[0]["run"]["facets"]["parent"]["root"]["run"]["runId"] == PARENT.rpartition("/")[2]
    events, _ = run_tests(project, "--openlineage-parent")
    assert all("facets" not in event["run"] for event in events)


def run_tests(project: Path, *arguments: str, **environment: str) -> tuple[list[dict[str, Any]], str]:
    file = project / "events.jsonl"
    file.unlink(missing_ok=True)
    done = streamt(
        "test",
        "-p",
        project,
        "--emit-openlineage",
        "--openlineage-job-namespace",
        "jobs",
        *arguments,
        cwd=None,
        OPENLINEAGE__TRANSPORT__TYPE="file",
        OPENLINEAGE__TRANSPORT__LOG_FILE_PATH=str(file),
        **environment,
    )
    assert done.status == 0, done.stderr
    return [json.loads(line) for line in file.read_bytes().splitlines()], done.stderr
