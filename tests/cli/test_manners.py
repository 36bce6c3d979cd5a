"""What holds for every command: streams, statuses, envelopes, and what is imported."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from streamt import __version__
from tests.cli.program import MINIMAL, clean_environment, export, export_json, streamt, write_project


def test_version_is_one_line() -> None:
    assert streamt("--version").stdout.decode() == f"streamt {__version__}\n"


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["docs", "openlineage", "--help"], ["test", "--help"]]
)
def test_version_and_help_import_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from streamt.cli.app import run; status = run(sys.argv[1:])\n"
        "heavy = {'pydantic', 'jsonschema', 'sqlglot', 'yaml', 'jinja2', 'confluent_kafka', 'urllib3', 'duckdb'}\n"
        "print(status, sorted(heavy & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert done.stderr == "0 []\n"


def test_help_lists_the_commands() -> None:
    text = streamt("--help").stdout.decode()
    assert all(name in text for name in ("docs", "envs", "lineage", "list", "schema", "test", "validate"))


@pytest.mark.parametrize("arguments", [[], ["docs"], ["envs"]])
def test_a_group_without_a_command_shows_its_help(arguments: list[str]) -> None:
    ended = streamt(*arguments)
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.stdout.startswith(b"Usage: streamt")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["docs"],
        ["nonsense"],
        ["--nonsense"],
        ["validate", "--nonsense"],
        ["lineage", "--format", "xml"],
        ["lineage", "--upstream"],
    ],
)
def test_wrong_usage_is_status_2_with_an_envelope(arguments: list[str]) -> None:
    ended = streamt("--output", "json", *arguments)
    assert (ended.status, ended.envelope["status"], ended.envelope["data"], ended.stderr) == (2, "error", None, "")
    assert ended.codes == ["E500_USAGE_ERROR"]


def test_wrong_usage_in_text_says_what_and_where_to_look() -> None:
    ended = streamt("validate", "--nonsense")
    assert (ended.status, ended.stdout) == (2, b"")
    assert "--nonsense" in ended.stderr
    assert "validate --help" in ended.stderr


def test_the_envelope_names_the_command(tmp_path: Path) -> None:
    ended = export_json(write_project(tmp_path))
    assert (ended.status, ended.envelope["command"], ended.stderr) == (0, "docs openlineage", "")
    assert list(ended.envelope) == ["status", "command", "data", "warnings", "errors"]


def test_an_error_envelope_has_no_data(tmp_path: Path) -> None:
    ended = export_json(tmp_path)
    assert (ended.status, ended.envelope["status"], ended.envelope["data"], ended.stderr) == (1, "error", None, "")
    assert ended.codes == ["E501_PARSE_ERROR"]


def test_text_warnings_go_to_stderr(tmp_path: Path) -> None:
    ended = export(write_project(tmp_path, MINIMAL.replace("apiVersion: streamt.dev/v1alpha1\n", "")))
    assert "W101_API_VERSION_MISSING" in ended.stderr
    assert len(ended.events) == 3


def test_quiet_drops_warnings_and_keeps_the_bytes(tmp_path: Path) -> None:
    folder = write_project(tmp_path, MINIMAL.replace("apiVersion: streamt.dev/v1alpha1\n", ""))
    ended = streamt("-q", "docs", "openlineage", "-p", folder, "--job-namespace", "jobs")
    assert (ended.stderr, len(ended.events)) == ("", 3)


def test_quiet_keeps_errors(tmp_path: Path) -> None:
    assert "E501_PARSE_ERROR" in streamt("-q", "validate", "-p", tmp_path).stderr


def test_no_escape_codes_without_a_terminal(tmp_path: Path) -> None:
    assert "\x1b" not in export(tmp_path).stderr


def test_a_reader_that_has_gone_is_no_error(tmp_path: Path) -> None:
    write_project(tmp_path)
    command = f"{sys.executable} -m streamt docs openlineage -p {tmp_path} --job-namespace jobs | true"
    done = subprocess.run(
        ["bash", "-c", command + '; echo "${PIPESTATUS[0]}"'], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert done.stdout.strip() in {"0", "141"}


def test_a_full_stdout_is_an_error_without_a_traceback(tmp_path: Path) -> None:
    write_project(tmp_path)
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device, opened as a shell does
        done = subprocess.run(
            [sys.executable, "-m", "streamt", "docs", "openlineage", "-p", tmp_path, "--job-namespace", "jobs"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=clean_environment(),
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_stdout_is_an_error_without_a_traceback(tmp_path: Path) -> None:
    write_project(tmp_path)
    command = f"{sys.executable} -m streamt docs openlineage -p {tmp_path} --job-namespace jobs >&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "stdout" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_leaves_no_traceback_and_no_file(tmp_path: Path, number: signal.Signals, status: int) -> None:
    many = "".join(f"  - name: s{index}\n    topic: t{index}\n" for index in range(20_000))
    folder = write_project(tmp_path / "project", MINIMAL.partition("models:")[0] + many)
    target = tmp_path / "out" / "events.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-m", "streamt", "docs", "openlineage", "-p", folder, "--job-namespace", "j",
         "--output-file", target],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment(), text=True,
    )  # fmt: skip
    time.sleep(1.5)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (status, "")
    assert "Traceback" not in stderr
    assert not target.parent.exists()


def test_a_bug_shows_no_traceback_unless_asked(tmp_path: Path) -> None:
    code = (
        "import sys, streamt.cli.docs, streamt.cli.projects as p\n"
        "def broken(*_): raise RuntimeError('password=hunter2')\n"
        "p.open_project = broken\n"
        "from streamt.cli.app import run\n"
        "sys.exit(run(['docs', 'openlineage']))"
    )

    def broken(**environment: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=clean_environment(**environment),
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    status, quiet = broken()
    assert (status, "Traceback" in quiet, "E599_INTERNAL_ERROR" in quiet) == (1, False, True)
    status, loud = broken(STREAMT_DEBUG="1")
    assert (status, "Traceback" in loud, "hunter2" in loud) == (1, True, False)


def test_output_is_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    folder = write_project(tmp_path, MINIMAL.replace("name: shop", "name: 支付"))
    ended = export(folder, LC_ALL="C", PYTHONIOENCODING="ascii")
    assert "%E6%94%AF%E4%BB%98" in ended.stdout.decode()
    assert json.loads(export_json(folder, LC_ALL="C", PYTHONIOENCODING="ascii").stdout)["status"] == "ok"


def test_python_m_and_the_console_script_are_one_program() -> None:
    script = Path(sys.executable).with_name("streamt")
    assert os.access(script, os.X_OK)
    assert subprocess.run([script, "--version"], capture_output=True, check=True).stdout == streamt("--version").stdout
