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
from streamt.cli.commands import COMMANDS
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


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [(["vaildate"], "validate"), (["LINEAGE"], "lineage"), (["docs", "openlinage"], "openlineage")],
)
def test_a_mistyped_command_is_recognised(arguments: list[str], meant: str) -> None:
    ended = streamt(*arguments)
    assert (ended.status, ended.stdout) == (2, b"")
    assert f"Did you mean '{meant}'?" in ended.stderr


def test_help_says_all_of_each_command() -> None:
    shown = " ".join(streamt("--help").stdout.decode().split())
    assert [name for name, entry in COMMANDS.items() if " ".join(f"{name} {entry.help}".split()) not in shown] == []


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
    for command in ("docs openlineage --job-namespace jobs", "list", "validate", "--output json list"):
        line = f"{sys.executable} -m streamt {command} -p {tmp_path} >&-"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
        found = "error E505_OUTPUT_FAILED: stdout cannot be written: it is closed\n"
        assert (done.returncode, done.stderr) == (1, found), command


STOPPED = [(signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGQUIT, 131), (signal.SIGTERM, 143)]
READY = """\
import sys
from streamt.cli.app import run
print("ready", file=sys.stderr, flush=True)
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize(("number", "status"), STOPPED)
def test_an_interrupt_leaves_no_traceback_and_no_file(tmp_path: Path, number: signal.Signals, status: int) -> None:
    many = "".join(f"  - name: s{index}\n    topic: t{index}\n" for index in range(20_000))
    folder = write_project(tmp_path / "project", MINIMAL.partition("models:")[0] + many)
    target = tmp_path / "out" / "events.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-c", READY, "docs", "openlineage", "-p", folder, "--job-namespace", "j",
         "--output-file", target, "--output", "json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment(), text=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline() == "ready\n"
    time.sleep(0.2)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, json.loads(stdout)["errors"][0]["code"]) == (status, "E598_STOPPED")
    assert "Traceback" not in stderr
    assert not target.parent.exists()


def test_a_bug_shows_no_traceback_unless_asked(tmp_path: Path) -> None:
    code = (
        "import sys, streamt.cli.docs, streamt.workspace as p\n"
        "def broken(*_): raise RuntimeError('password=hunter2')\n"
        "p.open_workspace = broken\n"
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


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["validate", "--help"], [], ["envs"], ["schema"]])
def test_a_full_stdout_is_told_whoever_writes(arguments: list[str], unbuffered: str) -> None:
    done = ended_with("> /dev/full", *arguments, PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 1
    assert done.stderr == "error E505_OUTPUT_FAILED: stdout cannot be written: No space left on device\n"


@pytest.mark.parametrize(
    ("redirection", "arguments", "status"),
    [
        ("> /dev/full 2> /dev/full", ["--help"], 1),
        ("> /dev/full 2> /dev/full", ["schema"], 1),
        ("2> /dev/full", ["--nonsense"], 2),
        ("2> /dev/full", ["validate", "-p", "/nowhere"], 1),
        ("2>&-", ["validate", "-p", "/nowhere"], 1),
    ],
)
def test_a_full_stderr_changes_no_status(redirection: str, arguments: list[str], status: int) -> None:
    assert ended_with(redirection, *arguments).returncode == status


def ended_with(redirection: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = f"{sys.executable} -m streamt {' '.join(arguments)} {redirection}"
    environ = clean_environment(**environment)
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=environ)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--output", "json", "validate"],
        ["validate", "--output", "json"],
        ["validate", "--output=json"],
        ["docs", "--output", "json", "openlineage", "--job-namespace", "j"],
        ["docs", "openlineage", "--job-namespace", "j", "--output", "json"],
    ],
)
def test_global_options_stand_before_or_behind_the_command(tmp_path: Path, arguments: list[str]) -> None:
    ended = streamt(*arguments, cwd=write_project(tmp_path))
    assert (ended.status, ended.envelope["status"], ended.stderr) == (0, "ok", "")


def test_quiet_stands_behind_the_command_too(tmp_path: Path) -> None:
    ended = streamt("validate", "-q", "--no-color", cwd=write_project(tmp_path))
    assert (ended.status, ended.stdout, ended.stderr) == (0, b"", "")


def test_many_errors_are_cut_and_counted(tmp_path: Path) -> None:
    entries = "".join(f"  - {{name: a{index}, topic: t{index}, x: 1}}\n" for index in range(12_000))
    folder = write_project(tmp_path, MINIMAL.partition("sources:")[0] + "sources:\n" + entries)
    ended = streamt("validate", "-p", folder)
    assert ended.stderr.count("E501_PARSE_ERROR") == 100
    assert ended.stderr.endswith("error 11,900 more errors; `--output json` lists up to 10,000\n")
    envelope = streamt("validate", "-p", folder, "--output", "json").envelope
    assert (len(envelope["errors"]), envelope["omitted"]) == (10_000, {"warnings": 0, "errors": 2_000})


def test_libraries_write_nothing_to_stderr() -> None:
    code = (
        "import sys, logging, streamt.cli.schema\n"
        "import streamt.project.language as module\n"
        "def noisy(): logging.getLogger('a.library').warning('hunter2'); return {}\n"
        "module.language_schema = noisy\n"
        "from streamt.cli.app import run\n"
        "sys.exit(run(['schema']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("{}\n", "")


def test_warnings_that_say_the_same_are_summed_up(tmp_path: Path) -> None:
    sources = "".join(f"  - {{name: s{number}, topic: t{number}}}\n" for number in range(16))
    head = "apiVersion: streamt.dev/v1alpha1\nproject: {name: shop}\nruntime: {kafka: {bootstrap_servers: 'b:1'}}\n"
    folder = write_project(tmp_path, f"{head}sources:\n{sources}")
    ended = streamt("docs", "openlineage", "--job-namespace", "j", "-p", folder)
    assert (ended.status, ended.stderr.count("declares no columns")) == (0, 3)
    assert "W110_OPENLINEAGE_SCHEMA_INCOMPLETE: 13 more like these; `--output json` lists them" in ended.stderr
