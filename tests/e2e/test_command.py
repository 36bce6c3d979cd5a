"""`streamt test` as a user runs it, on a real broker."""

import json
import os
import pty
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import clean_environment, streamt
from tests.e2e.broker import Broker, free_port
from tests.e2e.program import project_text, sample, started, wait_until, write

GOOD = [b'{"id": 1, "who": 1}', b'{"id": 2, "who": 2}', None, b'{"id": 3, "who": 2}']
FINE = "not_null: {columns: [id]}"


@pytest.fixture(scope="module")
def topics(broker: Broker) -> dict[str, str]:
    return {
        "orders": broker.topic_of(GOOD, 2),
        "people": broker.topic_of([b'{"nr": 1}', b'{"nr": 2.0}']),
        "short": broker.topic_of([b'{"nr": 1}']),
        "empty": broker.create_topic(),
        "gone": broker.topic_of([None, None]),
        "broken": broker.topic_of([b'{"id": 1}', b"S3CRET", b'"S3CRET"']),
    }


def envelope(folder: Path, broker: Broker, topics: dict[str, str], tests: str, *options: str) -> dict[str, Any]:
    write(folder, project_text(broker.address, topics, tests))
    return streamt("--output", "json", "test", "-p", folder, *options).envelope


def test_a_passing_run_says_so_and_exits_with_0(broker: Broker, topics: dict[str, str], tmp_path: Path) -> None:
    tests = sample("ids", FINE) + "  - {name: shape, source: people, type: schema}\n".replace("people", "orders")
    write(tmp_path, project_text(broker.address, topics, tests))
    ended = streamt("test", "-p", tmp_path, "--type", "sample")
    assert (ended.status, ended.stderr) == (0, "")
    line, summary = ended.stdout.decode().splitlines()
    assert line.startswith("PASS  ids  sample of orders  3 records, 1 tombstone  ")
    assert summary == "1 test: 1 passed"


def test_json_holds_every_result(broker: Broker, topics: dict[str, str], tmp_path: Path) -> None:
    found = envelope(tmp_path, broker, topics, sample("ids", FINE))
    (test,) = found["data"]["tests"]
    assert test.pop("duration_seconds") > 0
    assert test == {
        "name": "ids",
        "target": "orders",
        "type": "sample",
        "status": "passed",
        "severity": "error",
        "location": "/tests/0",
        "message": "",
        "records": 3,
        "tombstones": 1,
        "undecodable": 0,
        "timed_out": False,
        "assertions": [
            {
                "kind": "not_null",
                "location": "/tests/0/assertions/0",
                "status": "passed",
                "message": "3 records judged",
                "failing": 0,
                "judged": 3,
                "place": None,
            }
        ],
    }
    assert (found["status"], found["command"], found["errors"]) == ("ok", "test", [])


def test_a_failing_run_holds_the_results_and_the_errors(broker: Broker, topics: dict[str, str], tmp_path: Path) -> None:
    tests = sample("ids", FINE) + sample("low", "range: {column: id, max: 2}")
    found = envelope(tmp_path, broker, topics, tests)
    assert (found["status"], found["data"]["counts"]["failed"]) == ("error", 1)
    (error,) = found["errors"]
    assert (error["code"], error["location"]) == ("E530_TEST_FAILED", "/tests/1/assertions/0")
    assert (error["file"], error["line"]) == ("stream_project.yml", 13)
    assert error["message"] == (
        "test `low` failed: range: 1 of 3 records have a value outside the range, or no number, in `id`; "
        "see partition 1, offset 1"
    )
    assert found["data"]["tests"][1]["assertions"][0]["place"] == {"partition": 1, "offset": 1}


def test_each_failed_assertion_has_a_line_of_its_own_with_its_own_place(
    broker: Broker, topics: dict[str, str], tmp_path: Path
) -> None:
    tests = """\
  - name: sqls
    source: orders
    type: sample
    assertions:
      - custom_sql: {sql: "SELECT COUNT(*) FROM {{ model }} WHERE id > 1"}
      - not_null: {columns: [id]}
      - not_null: {columns: [nope]}
      - custom_sql: {sql: "SELECT nope FROM {{ model }}"}
"""
    found = envelope(tmp_path, broker, topics, tests)
    assert [(error["line"], error["code"], error["message"]) for error in found["errors"]] == [
        (16, "E530_TEST_FAILED", "test `sqls` failed: custom_sql: the query over 3 records gives 2, not 0"),
        (18, "E530_TEST_FAILED", "test `sqls` failed: not_null: none of 3 records has a column `nope`"),
        (
            19,
            "E531_TEST_ERROR",
            "test `sqls` could not be judged: custom_sql: the query cannot be run: unknown column `nope`",
        ),
    ]


def test_a_warning_does_not_hide_that_nothing_could_be_tested(tmp_path: Path) -> None:
    mild = sample("down", FINE, ", timeout: 1s, on_failure: {severity: warning}")
    write(tmp_path, project_text(f"127.0.0.1:{free_port()}", {"orders": "o"}, mild))
    ended = streamt("--output", "json", "test", "-p", tmp_path)
    (error,) = ended.envelope["errors"]
    assert (ended.status, error["code"]) == (1, "E531_TEST_ERROR")
    assert ended.envelope["data"]["counts"]["error"] == 1


def test_a_failing_run_exits_with_1_and_says_why_on_stderr(
    broker: Broker, topics: dict[str, str], tmp_path: Path
) -> None:
    write(tmp_path, project_text(broker.address, topics, sample("low", "range: {column: id, max: 2}")))
    ended = streamt("test", "-p", tmp_path)
    assert ended.status == 1
    assert ended.stdout.decode().splitlines()[-1] == "1 test: 1 failed"
    assert "E530_TEST_FAILED: test `low` failed: range: 1 of 3 records" in ended.stderr


def test_a_warning_fails_nothing_but_is_shown(broker: Broker, topics: dict[str, str], tmp_path: Path) -> None:
    mild = sample("low", "range: {column: id, max: 2}", ", on_failure: {severity: warning}")
    write(tmp_path, project_text(broker.address, topics, mild))
    ended = streamt("test", "-p", tmp_path)
    assert (ended.status, ended.stderr) == (0, "")
    first, second, summary = ended.stdout.decode().splitlines()
    assert first.startswith("WARN  low")
    assert second.startswith("      stream_project.yml:12:60: range: 1 of 3 records have a value outside")
    assert summary == "1 test: 1 warning"


@pytest.mark.parametrize(
    ("source", "code", "words"),
    [
        ("empty", "E531_TEST_ERROR", "the topic of source `empty` holds no record, so nothing was tested"),
        ("gone", "E531_TEST_ERROR", "holds no record but 2 without a value, so nothing was tested"),
        (
            "broken",
            "E530_TEST_FAILED",
            "2 of 3 records cannot be decoded: invalid JSON (1; see partition 0, offset 1)",
        ),
    ],
)
def test_a_topic_that_shows_nothing_is_no_pass(
    broker: Broker, topics: dict[str, str], tmp_path: Path, source: str, code: str, words: str
) -> None:
    found = envelope(tmp_path, broker, topics, sample("ids", FINE).replace("orders", source))
    (error,) = found["errors"]
    assert error["code"] == code
    assert words in error["message"]
    assert "S3CRET" not in json.dumps(found)


@pytest.mark.parametrize(
    ("other", "status", "words"),
    [
        ("people", "passed", "3 records judged"),
        ("short", "failed", "2 of 3 records have a value in `who` that `short` lacks; see partition 1, offset 0"),
        ("empty", "failed", "which has no column `nr`"),
    ],
)
def test_a_foreign_key_is_looked_up_in_the_other_topic(
    broker: Broker, topics: dict[str, str], tmp_path: Path, other: str, status: str, words: str
) -> None:
    key = f"foreign_key: {{column: who, ref_model: {other}, ref_key: nr}}"
    (test,) = envelope(tmp_path, broker, topics, sample("who", key))["data"]["tests"]
    assert test["status"] == status
    assert words in test["assertions"][0]["message"]


def test_a_foreign_key_to_records_that_do_not_decode_is_an_error(
    broker: Broker, topics: dict[str, str], tmp_path: Path
) -> None:
    key = "foreign_key: {column: who, ref_model: broken, ref_key: id}"
    (error,) = envelope(tmp_path, broker, topics, sample("who", key))["errors"]
    assert "2 records of source `broken` cannot be decoded: invalid JSON (1; see partition 0, off" in error["message"]


def test_coverage_is_a_table_and_reads_nothing(tmp_path: Path) -> None:
    write(tmp_path, project_text("nobody:1", {"orders": "o", "people": "p"}, sample("ids", FINE)))
    ended = streamt("test", "-p", tmp_path, "--coverage")
    assert (ended.status, ended.stderr) == (0, "")
    assert [line.split() for line in ended.stdout.decode().splitlines()] == [
        ["KIND", "NAME", "SCHEMA", "SAMPLE", "CONTINUOUS"],
        ["source", "orders", "-", "ids", "-"],
        ["source", "people", "-", "-", "-"],
        ["1", "of", "2", "sources", "and", "models", "have", "tests"],
    ]


GRAPH = """\
runtime: {flink: {clusters: {main: {rest_url: "http://127.0.0.1:1"}}}}
sources: [{name: raw, topic: raw, tags: [core], columns: [{name: id, type: INT}]}]
models:
  - name: clean
    materialized: flink
    tags: [core]
    sql: SELECT id FROM {{ source("raw") }}
    columns: [{name: id, type: INT}]
  - {name: report, materialized: flink, sql: 'SELECT id FROM {{ ref("clean") }}', columns: [{name: id, type: INT}]}
tests:
  - {name: of_raw, source: raw, type: schema, assertions: [not_null: {columns: [id]}]}
  - {name: of_clean, model: clean, type: schema, assertions: [not_null: {columns: [id]}]}
  - {name: of_report, model: report, type: schema, assertions: [not_null: {columns: [id]}]}
"""


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ((), ["of_raw", "of_clean", "of_report"]),
        (("--select", "+clean"), ["of_raw", "of_clean"]),
        (("--select", "clean+"), ["of_clean", "of_report"]),
        (("--select", "tag:core"), ["of_raw", "of_clean"]),
        (("--select", "raw", "--select", "report"), ["of_raw", "of_report"]),
        (("--select", "tag:core", "--model", "clean"), ["of_clean"]),
    ],
)
def test_tests_are_selected_by_name_tag_and_graph(tmp_path: Path, options: tuple[str, ...], names: list[str]) -> None:
    write(tmp_path, GRAPH)
    ended = streamt("--output", "json", "test", "-p", tmp_path, *options)
    assert [test["name"] for test in ended.envelope["data"]["tests"]] == names


def test_coverage_in_json(tmp_path: Path) -> None:
    write(tmp_path, project_text("nobody:1", {"orders": "o"}, sample("ids", FINE)))
    found = streamt("--output", "json", "test", "-p", tmp_path, "--coverage").envelope
    tests = {"schema": [], "sample": ["ids"], "continuous": []}
    assert found["data"] == {
        "coverage": [{"kind": "source", "name": "orders", "tests": tests}],
        "counts": {"total": 1, "tested": 1},
    }


@pytest.mark.parametrize(
    ("options", "status", "code", "words"),
    [
        (("--deploy",), 2, "E500_USAGE_ERROR", "--deploy is not implemented"),
        (("--select", "+order"), 2, "E500_USAGE_ERROR", "unknown name `order`"),
        (("--model", "order"), 2, "E500_USAGE_ERROR", "unknown model or source `order`"),
        (("--type", "nightly"), 2, "E500_USAGE_ERROR", "'nightly' is not one of"),
    ],
)
def test_what_cannot_be_done_says_so(
    tmp_path: Path, options: tuple[str, ...], status: int, code: str, words: str
) -> None:
    write(tmp_path, project_text("nobody:1", {"orders": "o"}, sample("ids", FINE)))
    ended = streamt("--output", "json", "test", "-p", tmp_path, *options)
    (error,) = ended.envelope["errors"]
    assert (ended.status, error["code"]) == (status, code)
    assert words in error["message"]


def test_an_empty_selection_is_no_failure(tmp_path: Path) -> None:
    write(tmp_path, project_text("nobody:1", {"orders": "o"}, sample("ids", FINE)))
    ended = streamt("test", "-p", tmp_path, "--type", "schema")
    assert (ended.status, ended.stdout) == (0, b"no test is selected\n")


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_reading_ends_it(tmp_path: Path, sent: signal.Signals, status: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        write(tmp_path, project_text(address, {"orders": "o"}, sample("ids", FINE, ", timeout: 1m")))
        with started("--output", "json", "test", "-p", tmp_path) as process:
            silent.settimeout(60)
            connection, _ = silent.accept()
            process.send_signal(sent)
            stdout, stderr = process.communicate(timeout=60)
            connection.close()
    assert (process.returncode, stderr) == (status, b"")
    assert json.loads(stdout)["status"] == "error"


def descendants(pid: int) -> list[int]:
    """Give the processes that a process started, and those that they started."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return []
    return [each for child in map(int, children) for each in (child, *descendants(child))]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not list the children of a process")
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_a_query_runs_ends_it_and_all_that_it_started(
    broker: Broker, tmp_path: Path, sent: signal.Signals, status: int
) -> None:
    topic = broker.topic_of([b'{"id": %d}' % number for number in range(300)])
    tables = ", ".join(f"{{{{ model }}}} AS t{number}" for number in range(5))
    sql = f"SELECT MAX(t0.id + t1.id + t2.id + t3.id + t4.id) FROM {tables}"
    write(tmp_path, project_text(broker.address, {"orders": topic}, sample("t", f'custom_sql: {{sql: "{sql}"}}')))
    with started("--output", "json", "test", "-p", tmp_path) as process:
        wait_until(lambda: len(descendants(process.pid)) == 2)  # the worker, and its copy that asks the query
        below = descendants(process.pid)
        process.send_signal(sent)
        process.communicate(timeout=50)
    assert process.returncode == status
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below))


def test_no_secret_is_in_what_is_said(broker: Broker, tmp_path: Path) -> None:
    text = project_text(f"127.0.0.1:{free_port()}", {"orders": "o"}, sample("ids", FINE, ", timeout: 1s"))
    login = "security_protocol: SASL_PLAINTEXT, sasl_mechanism: PLAIN, sasl_username: '${WHO}', sasl_password: '${PW}'"
    write(tmp_path, text.replace("bootstrap_servers:", f"{login}, bootstrap_servers:"))
    ended = streamt("test", "-p", tmp_path, WHO="U5ER-NAME", PW="S3CRET-PASSWORD", STREAMT_DEBUG="1")
    output = ended.stdout.decode() + ended.stderr
    assert ended.status == 1
    assert "E531_TEST_ERROR: test `ids` could not be judged: the topic of source `orders` cannot be read" in output
    assert "S3CRET" not in output
    assert "U5ER" not in output


def test_the_progress_bar_is_on_a_terminals_stderr_alone(
    broker: Broker, topics: dict[str, str], tmp_path: Path
) -> None:
    write(tmp_path, project_text(broker.address, topics, sample("ids", FINE)))
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "streamt", "test", "-p", str(tmp_path)]
    done = subprocess.run(
        command, env=clean_environment(), stdout=subprocess.PIPE, stderr=theirs, timeout=60, check=True
    )
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "ids [" in shown
    assert "of 4 records" in shown
    assert shown.endswith("\r")
    assert b"[" not in done.stdout
