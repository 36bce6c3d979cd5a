"""`streamt run`: the command as if there were nothing around it, and what is told of it."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import Ended, clean_environment, streamt
from tests.net.servers import server, silent, status

PYTHON = sys.executable
PARENT = "prod/nightly/019d39b5-2600-7000-8000-000000000001"


@pytest.fixture
def events(tmp_path: Path) -> Path:
    return tmp_path / "events.jsonl"


def run(*arguments: str | Path, events: Path | None = None, **environment: str) -> Ended:
    to = {"STREAMT_LINEAGE_PATH": str(events)} if events else {}
    return streamt("run", "--job", "nightly", *arguments, cwd=None, **to, **environment)


def read(events: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in events.read_bytes().splitlines()] if events.exists() else []


def types(events: Path) -> list[str]:
    return [event["eventType"] for event in read(events)]


def test_a_command_is_told_as_a_run(events: Path) -> None:
    table = "postgres:host=h,database=d,schema=s,table=t"
    interval = ("--nominal-start", "2026-01-01T00:00:00+01:00", "--nominal-end", "2026-01-02T00:00:00+01:00")
    datasets = ("--input", table, "--output-raw", "ns", "x")
    done = run("--job-namespace", "prod", *datasets, *interval, "--", "true", events=events)
    assert (done.status, done.stdout, done.stderr) == (0, b"", "")
    start, end = read(events)
    assert (start["eventType"], end["eventType"]) == ("START", "COMPLETE")
    assert start["run"]["runId"] == end["run"]["runId"]
    assert (start["job"]["namespace"], start["job"]["name"]) == ("prod", "nightly")
    assert start["job"]["facets"]["jobType"]["jobType"] == "TASK"
    assert start["inputs"] == [{"namespace": "postgres://h:5432", "name": "d.s.t"}]
    assert start["outputs"] == [{"namespace": "ns", "name": "x"}]
    assert end["run"]["facets"]["nominalTime"]["nominalStartTime"] == "2025-12-31T23:00:00Z"


def test_streams_pass_untouched(events: Path) -> None:
    script = "import sys; data = sys.stdin.buffer.read(); sys.stdout.buffer.write(data[::-1]); sys.stderr.write('err')"
    command = [PYTHON, "-m", "streamt", "run", "--job", "j", "--", PYTHON, "-c", script]
    environment = clean_environment(STREAMT_LINEAGE_PATH=str(events))
    done = subprocess.run(
        command, input=bytes(range(256)), capture_output=True, env=environment, timeout=60, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == (bytes(range(256))[::-1], b"err", 0)


@pytest.mark.parametrize("code", [1, 2, 77, 255])
def test_an_exit_status_is_kept_and_told(code: int, events: Path) -> None:
    assert run("--", "sh", "-c", f"exit {code}", events=events).status == code
    assert types(events) == ["START", "FAIL"]
    assert read(events)[1]["run"]["facets"]["errorMessage"]["message"] == f"exit status {code}"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGPIPE])
def test_a_command_that_a_signal_kills_kills_streamt_by_the_same(number: int, events: Path) -> None:
    assert run("--", "sh", "-c", f"kill -{int(number)} $$", events=events).status == -number
    assert types(events) == ["START", "FAIL"]
    assert read(events)[1]["run"]["facets"]["errorMessage"]["message"] == f"killed by {signal.Signals(number).name}"


def test_a_command_that_is_not_there(events: Path) -> None:
    done = run("--", "no-such-command-at-all", events=events)
    assert done.status == 127
    assert "command not found: no-such-command-at-all" in done.stderr
    assert types(events) == ["START", "FAIL"]


def test_a_file_that_cannot_be_executed(events: Path, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x")
    assert run("--", tmp_path / "data", events=events).status == 126
    assert types(events) == ["START", "FAIL"]


def start(events: Path, *command: str, **environment: str) -> "subprocess.Popen[bytes]":
    whole = [PYTHON, "-m", "streamt", "run", "--job", "j", "--", *command]
    return subprocess.Popen(
        whole,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(STREAMT_LINEAGE_PATH=str(events), **environment),
        start_new_session=True,
    )


CATCHES = """
import signal, sys, time
def caught(number, frame):
    print("caught", number, flush=True)
    sys.exit(5)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
    signal.signal(number, caught)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_passed_on_and_the_run_is_aborted(number: int, events: Path) -> None:
    process = start(events, PYTHON, "-c", CATCHES)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    assert (stdout, process.returncode) == (b"caught %d\n" % number, 5)
    assert stderr == b""
    assert types(events) == ["START", "ABORT"]


def test_another_signal_is_only_passed_on(events: Path) -> None:
    process = start(events, PYTHON, "-c", CATCHES)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGUSR1)
    process.communicate(timeout=60)
    assert process.returncode == 5
    assert types(events) == ["START", "FAIL"]


def test_ctrl_c_at_a_terminal_reaches_the_command_once(events: Path) -> None:
    counts = (
        "import signal, time\n"
        "seen = []\n"
        "signal.signal(signal.SIGINT, lambda *_: seen.append(1))\n"
        "print('ready', flush=True)\n"
        "end = time.monotonic() + 60\n"
        "while not seen and time.monotonic() < end: time.sleep(0.01)\n"
        "time.sleep(1)\n"
        "print('seen', len(seen), flush=True)\n"
    )
    command = [PYTHON, "-m", "streamt", "run", "--job", "j", "--", PYTHON, "-c", counts]
    process, descriptor = pty.fork()
    if process == 0:
        os.execve(PYTHON, command, clean_environment(STREAMT_LINEAGE_PATH=str(events)))
    shown = b""
    while b"ready" not in shown:
        shown += os.read(descriptor, 1000)
    os.write(descriptor, b"\x03")
    while b"seen 1" not in shown:
        shown += os.read(descriptor, 1000)
        assert b"seen 2" not in shown
    os.waitpid(process, 0)
    os.close(descriptor)
    assert types(events) == ["START", "ABORT"]


def test_sigkill_of_streamt_leaves_the_command_alone(events: Path, tmp_path: Path) -> None:
    done = tmp_path / "done"
    process = start(events, "sh", "-c", f"echo ready; sleep 1; echo x > {done}")
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.kill()
    process.communicate(timeout=60)
    _until(done.exists)


def test_the_command_gets_the_run_as_its_parent(events: Path) -> None:
    done = run("--job-namespace", "prod", "--", "env", events=events)
    variables = dict(line.split("=", 1) for line in done.stdout.decode().splitlines() if "=" in line)
    run_id = read(events)[0]["run"]["runId"]
    assert variables["OPENLINEAGE_PARENT_ID"] == variables["OPENLINEAGE_ROOT_PARENT_ID"] == f"prod/nightly/{run_id}"
    assert json.loads(variables["OPENLINEAGE_CONTEXT"])["parent"]["run"]["runId"] == run_id


def test_runs_within_runs_know_their_root(events: Path) -> None:
    inner = [PYTHON, "-m", "streamt", "run", "--job", "inner", "--", "true"]
    run("--", *inner, events=events, OPENLINEAGE_PARENT_ID=PARENT)
    by_job = {event["job"]["name"]: event["run"] for event in read(events) if event["eventType"] == "START"}
    assert by_job["nightly"]["facets"]["parent"]["run"]["runId"] == PARENT.rpartition("/")[2]
    assert by_job["inner"]["facets"]["parent"]["run"]["runId"] == by_job["nightly"]["runId"]
    assert by_job["inner"]["facets"]["parent"]["root"]["run"]["runId"] == PARENT.rpartition("/")[2]


def test_an_option_names_the_parent(events: Path) -> None:
    run("--parent", PARENT, "--", "true", events=events)
    assert read(events)[0]["run"]["facets"]["parent"]["job"] == {"namespace": "prod", "name": "nightly"}


def test_two_runs_of_a_job_have_two_ids(events: Path) -> None:
    for _ in range(2):
        run("--", "true", events=events)
    assert len({event["run"]["runId"] for event in read(events)}) == 2
    assert {event["job"]["name"] for event in read(events)} == {"nightly"}


WRONG = {
    "no command": (["--job", "x"], "Missing argument"),
    "no job": (["--", "true"], "Missing option '--job'"),
    "a dataset that is none": (["--job", "x", "--input", "postgres:host=canary", "--", "true"], "missing: database"),
    "a system that is none": (["--job", "x", "--output", "canary:x=1", "--", "true"], "the system is unknown"),
    "a time that is none": (["--job", "x", "--nominal-start", "canary", "--", "true"], "not a time with an offset"),
    "a naive time": (
        ["--job", "x", "--nominal-start", "2026-01-01T00:00:00", "--", "true"],
        "not a time with an offset",
    ),
    "an end alone": (["--job", "x", "--nominal-end", "2026-01-01T00:00:00Z", "--", "true"], "an end without a start"),
    "a parent that is none": (["--job", "x", "--parent", "canary", "--", "true"], "not NAMESPACE/JOB/RUN-ID"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_usage_is_an_error_before_anything_runs(case: str, events: Path) -> None:
    arguments, message = WRONG[case]
    done = streamt("run", *arguments, STREAMT_LINEAGE_PATH=str(events))
    assert done.status == 2
    assert message in done.stderr
    assert "canary" not in done.stderr
    assert not events.exists()


def test_stdout_is_the_commands_so_there_is_no_json(events: Path) -> None:
    done = streamt("--output", "json", "run", "--job", "x", "--", "true", STREAMT_LINEAGE_PATH=str(events))
    assert done.status == 2
    assert done.codes == ["E500_USAGE_ERROR"]


def test_a_configuration_that_is_wrong_stops_nothing(tmp_path: Path) -> None:
    file = tmp_path / "lineage.yml"
    file.write_text("lineage:\n  urll: http://u:canary@h/x\n")
    done = run("--config", file, "--", "sh", "-c", "echo out; exit 3")
    assert (done.status, done.stdout) == (3, b"out\n")
    assert "lineage.yml:2:3: W112_OPENLINEAGE_EMIT_FAILED: unknown key `urll` in `lineage`" in done.stderr
    assert "canary" not in done.stderr


@pytest.mark.parametrize("off", [{"OPENLINEAGE_DISABLED": "true"}, {"STREAMT_LINEAGE_ENABLED": "false"}], ids=str)
def test_off_is_off(off: dict[str, str], events: Path) -> None:
    done = run("--", "env", events=events, **off)
    assert (done.status, done.stderr) == (0, "")
    assert b"OPENLINEAGE_PARENT_ID" not in done.stdout
    assert not events.exists()


def test_who_forgot_to_set_it_up_is_told_so() -> None:
    done = run("--", "true")
    assert done.status == 0
    assert "lineage is not set up" in done.stderr
    assert streamt("-q", "run", "--job", "x", "--", "true").stderr == ""


def test_events_reach_a_catalog_by_the_official_variables() -> None:
    with server(status(201)) as running:
        done = run("--", "true", OPENLINEAGE_URL=running.url, OPENLINEAGE_API_KEY="key", OPENLINEAGE_NAMESPACE="ns")
    assert (done.status, done.stderr) == (0, "")
    assert [json.loads(request.body)["eventType"] for request in running.requests] == ["START", "COMPLETE"]
    assert {request.line for request in running.requests} == {"POST /api/v1/lineage HTTP/1.1"}
    assert running.requests[0].headers["authorization"] == "Bearer key"


def test_a_catalog_that_hangs_costs_what_drain_allows() -> None:
    with server(silent) as running:
        done = run("--drain", "0.2", "--", "echo", "out", STREAMT_LINEAGE_URL=f"{running.url}/x")
    assert (done.status, done.stdout) == (0, b"out\n")
    assert "2 of 2 lineage events were not delivered" in done.stderr


def test_a_catalog_that_refuses_is_a_warning() -> None:
    with server(status(401)) as running:
        done = run("--", "true", STREAMT_LINEAGE_URL=f"{running.url}/x", STREAMT_LINEAGE_API_KEY="canary")
    assert done.status == 0
    assert "2 of 2 lineage events were not delivered: HTTP 401" in done.stderr
    assert "canary" not in done.stderr


def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)
