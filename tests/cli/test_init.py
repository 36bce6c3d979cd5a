"""`streamt init`: what it writes works at once, and nothing is overwritten."""

from pathlib import Path

import pytest

from tests.cli.program import streamt


def test_a_new_project_is_right_and_can_be_exported_and_compiled(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    assert streamt("init", folder).status == 0
    validated = streamt("validate", "--strict", "-p", folder)
    assert (validated.status, validated.stderr) == (0, "")
    exported = streamt("docs", "openlineage", "--strict", "--job-namespace", "j", "-p", folder)
    assert (exported.status, len(exported.events)) == (0, 3)
    assert streamt("compile", "-p", folder).status == 0


def test_topics_become_sources(tmp_path: Path) -> None:
    (tmp_path / "topics.txt").write_text("# ours\nshop.orders.v1\n\n123\n")
    ended = streamt("init", tmp_path / "new", "--topic", "yes", "--topics-file", tmp_path / "topics.txt")
    assert (ended.status, streamt("validate", "--strict", "-p", tmp_path / "new").status) == (0, 0)
    rows = streamt("--output", "json", "list", "-p", tmp_path / "new").envelope["data"]["sources"]
    assert [row["name"] for row in rows] == ["yes", "shop.orders.v1", "123"]


@pytest.mark.parametrize("name", ["it's", "${HOME}", "a: b", "true", "42", "é"])
def test_a_name_stays_what_it_is(tmp_path: Path, name: str) -> None:
    assert streamt("init", tmp_path / "new", "--name", name).status == 0
    found = streamt("--output", "json", "build", "-p", tmp_path / "new", "--output-dir", tmp_path / "out")
    assert found.status == 0, found.stdout
    assert f'"project": "{name}"' in (tmp_path / "out" / "manifest.json").read_text()


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "paid_orders.yml").write_text("mine")
    ended = streamt("--output", "json", "init", tmp_path)
    assert (ended.status, ended.codes) == (1, ["E505_OUTPUT_FAILED"])
    assert [path.name for path in tmp_path.rglob("*.yml")] == ["paid_orders.yml"]


def test_a_topic_that_kafka_would_refuse_is_refused_first(tmp_path: Path) -> None:
    ended = streamt("--output", "json", "init", tmp_path / "new", "--topic", "not a topic")
    assert (ended.status, ended.codes, (tmp_path / "new").exists()) == (2, ["E500_USAGE_ERROR"], False)


def test_a_shell_completes_names_and_environments(tmp_path: Path) -> None:
    streamt("init", tmp_path)
    variables = {"_STREAMT_COMPLETE": "bash_complete", "COMP_CWORD": "3"}
    found = streamt(cwd=tmp_path, COMP_WORDS="streamt lineage --model pa", **variables)
    assert (found.status, found.stdout, found.stderr) == (0, b"plain,paid_orders\n", "")
    selected = streamt(cwd=tmp_path, COMP_WORDS="streamt list --select +or", **variables)
    assert selected.stdout == b"plain,+orders\n"
