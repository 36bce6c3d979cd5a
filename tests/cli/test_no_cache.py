"""`--no-cache`, and the variable of its name: nothing that was kept is used, and nothing is kept."""

from pathlib import Path

import pytest

from tests.cli.program import MINIMAL, streamt, write_project


def files_below(folder: Path) -> list[str]:
    return [each.suffix for each in folder.rglob("*") if each.is_file()]


def test_a_command_keeps_what_it_read_outside_of_the_project(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p")
    before = files_below(project)
    assert streamt("validate", "-p", project, STREAMT_CACHE_DIR=str(tmp_path / "c")).status == 0
    assert (files_below(tmp_path / "c"), files_below(project)) == ([".cache"], before)


@pytest.mark.parametrize(("option", "variable"), [(["--no-cache"], ""), ([], "1")])
def test_nothing_is_kept_where_it_is_not_wanted(tmp_path: Path, option: list[str], variable: str) -> None:
    project, folder = write_project(tmp_path / "p"), str(tmp_path / "c")
    done = streamt("validate", "-p", project, *option, STREAMT_CACHE_DIR=folder, STREAMT_NO_CACHE=variable)
    assert (done.status, files_below(tmp_path / "c")) == (0, [])


def test_a_project_that_was_read_before_needs_no_parser_of_templates_or_sql(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p", MINIMAL.replace("WHERE id > 1", "WHERE id > {{ 1 }}"))
    imported = []
    for _ in range(2):
        done = streamt("validate", "-p", project, STREAMT_CACHE_DIR=str(tmp_path / "c"), PYTHONPROFILEIMPORTTIME="1")
        imported.append([name for name in ("jinja2", "sqlglot") if name in done.stderr])
    assert imported == [["jinja2", "sqlglot"], []]


def test_a_home_that_nobody_may_write_to_changes_nothing(tmp_path: Path) -> None:
    project = write_project(tmp_path / "p")
    (tmp_path / "file").write_text("")
    done = streamt("validate", "-p", project, STREAMT_CACHE_DIR=str(tmp_path / "file" / "c"))
    assert (done.status, done.stderr) == (0, "")
