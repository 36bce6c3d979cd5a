"""Whatever file or folder a command is given: it ends, says what is wrong with it, and writes over nothing."""

import os
from pathlib import Path

import pytest

from tests.cli.program import MINIMAL, Ended, streamt, write_project

TYPED = MINIMAL.replace("- name: id", "- {name: id, type: INT}")
TOKEN = {"STREAMT_CATALOG_TOKEN": "t"}
AT = ("--url", "http://127.0.0.1:1")
# Each command that reads or replaces a file which its caller names; `@` is that file, `%` a project.
GIVEN_A_FILE = {
    "apply": ["apply", "@", "-p", "%"],
    "catalog send": ["catalog", "send", "@", *AT],
    "catalog sync dbt": ["catalog", "sync", "dbt", "@", "--host", "h", *AT],
    "init": ["init", "%/new", "--topics-file", "@"],
    "plan": ["plan", "--offline", "-p", "%", "--out", "@"],
    "show-plan": ["show-plan", "@"],
}
GIVEN_A_NEW_PATH = {
    "build": ["build", "-p", "%", "--output-dir", "@"],
    "compile": ["compile", "-p", "%", "--output-dir", "@"],
    "init": ["init", "@", "--name", "shop"],
    "plan": ["plan", "--offline", "-p", "%", "--out", "@"],
}


def run(arguments: list[str], project: Path, named: Path | str, **environment: str) -> Ended:
    filled = [str(named) if each == "@" else each.replace("%", str(project)) for each in arguments]
    return streamt("--output", "json", *filled, cwd=project, **TOKEN, **environment)


@pytest.mark.parametrize("command", GIVEN_A_FILE)
def test_no_command_waits_for_a_pipe(tmp_path: Path, command: str) -> None:
    write_project(tmp_path, TYPED)
    os.mkfifo(tmp_path / "pipe")
    ended = run(GIVEN_A_FILE[command], tmp_path, tmp_path / "pipe")
    assert ended.status in (1, 2)
    assert "is not a regular file" in ended.envelope["errors"][0]["message"]


@pytest.mark.parametrize("command", GIVEN_A_NEW_PATH)
def test_a_path_that_no_system_can_name_is_no_fault_of_the_program(tmp_path: Path, command: str) -> None:
    ended = run(GIVEN_A_NEW_PATH[command], write_project(tmp_path, TYPED), "x" * 5000)
    assert (ended.status, ended.codes) in [(1, ["E505_OUTPUT_FAILED"]), (1, ["E540_PLAN_INVALID"])]
    assert ended.envelope["errors"][0]["message"].endswith(("File name too long", "; it was left unchanged"))


@pytest.mark.parametrize("command", ["build", "compile"])
@pytest.mark.parametrize("name", ["models", "models/x", "environments/../tests/x"])
def test_artifacts_never_become_a_part_of_the_project(tmp_path: Path, command: str, name: str) -> None:
    write_project(tmp_path, TYPED)
    (tmp_path / "models").mkdir()
    ended = run(GIVEN_A_NEW_PATH[command], tmp_path, tmp_path / name)
    assert (ended.status, ended.codes) == (1, ["E505_OUTPUT_FAILED"])
    assert ended.envelope["errors"][0]["message"] == "the project is read from this folder"
    assert list((tmp_path / "models").iterdir()) == []


@pytest.mark.parametrize("name", ["stream_project.yml", "models/plan.yml", "link"])
def test_a_plan_never_becomes_a_part_of_the_project(tmp_path: Path, name: str) -> None:
    write_project(tmp_path, TYPED)
    (tmp_path / "models").mkdir()
    (tmp_path / "link").symlink_to("stream_project.yml")
    before = (tmp_path / "stream_project.yml").read_bytes()
    ended = run(GIVEN_A_NEW_PATH["plan"], tmp_path, tmp_path / name)
    assert (ended.status, ended.codes) == (1, ["E540_PLAN_INVALID"])
    assert ended.envelope["errors"][0]["message"] == "the output file is a part of the project"
    assert (tmp_path / "stream_project.yml").read_bytes() == before
    assert not (tmp_path / "models" / "plan.yml").exists()


def test_a_list_of_topics_may_come_from_stdin_which_may_be_empty(tmp_path: Path) -> None:
    assert streamt("init", tmp_path / "new", "--topics-file", "-").status == 0


def test_a_file_without_certificates_is_named(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text("{}\n")
    (tmp_path / "ca.pem").write_text("nothing")
    arguments = ["catalog", "send", "@", "--url", "https://127.0.0.1:1"]
    ended = run(arguments, tmp_path, tmp_path / "events.jsonl", SSL_CERT_FILE=str(tmp_path / "ca.pem"))
    assert ended.envelope["errors"][0]["message"] == "SSL_CERT_FILE does not name a PEM file with certificates"
