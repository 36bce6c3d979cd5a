"""Which files are read, which are refused, and which are passed over with a word."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from streamt.diagnostics import Code, FilePosition, PlacedDiagnostic, ProjectPath, StreamtError, resolve
from streamt.project import Project, load_project
from streamt.project.files import MAX_FILE_BYTES

Find = Callable[..., tuple[PlacedDiagnostic, ...]]
Load = Callable[..., Project]
ROOT = {"stream_project.yml": "apiVersion: streamt.dev/v1alpha1\nproject: {name: shop}\n"}


def warnings(project: Project) -> list[tuple[Code, str | None, str | None]]:
    return [(each.code, each.file, each.hint) for each in resolve(project.warnings, project.source_map)]


@pytest.mark.parametrize(
    ("file", "hint"),
    [
        ("models/b.sql", "name it in a model: `sql_file: models/b.sql`"),
        ("models/deep/b.sql.j2", "name it in a model: `sql_file: models/deep/b.sql.j2`"),
        ("model/a.yml", "rename it to `models`"),
        ("macro/x.sql.j2", "rename it to `macros`"),
        ("Test/a.yaml", "rename it to `tests`"),
        ("enviroments/dev.yml", "rename it to `environments`"),
        ("soruces/a.yml", "rename it to `sources`"),
    ],
)
def test_a_file_in_the_wrong_place_is_a_warning(load: Load, file: str, hint: str) -> None:
    place = file if file.startswith("models/") else file.partition("/")[0]
    assert warnings(load(ROOT | {file: ""})) == [(Code.FILE_IGNORED, place, hint)]


@pytest.mark.parametrize("file", ["modules/a.yml", "model/test_a.py", "src/a.yml", "mode/x/.hidden.yml", "a.sql"])
def test_other_files_are_nobody_s_business(load: Load, file: str) -> None:
    assert warnings(load(ROOT | {file: ""})) == []


@pytest.mark.parametrize("file", ["stream_project.yml", ".env", "models/a.yml", "macros/m.sql.j2"])
@pytest.mark.parametrize("kind", ["pipe", "device", "large"])
def test_no_file_makes_a_command_wait_or_fill_its_memory(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, file: str, kind: str
) -> None:
    root = write({name: text for name, text in ROOT.items() if name != file} | {f"{file}.parent": ""})
    if kind == "pipe":
        os.mkfifo(root / file)
    elif kind == "device":
        (root / file).symlink_to("/dev/zero")
    else:
        with (root / file).open("wb") as sparse:
            sparse.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(StreamtError) as caught:
        load_project(root)
    reason = "is larger than 16 MiB" if kind == "large" else "is not a regular file"
    code = Code.ENV_VAR_ERROR if file == ".env" else Code.PARSE_ERROR
    assert [(each.code, each.message, each.file) for each in caught.value.placed()] == [
        (code, f"`{file}` {reason}", file)
    ]


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b"])
def test_a_folder_that_no_system_can_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(StreamtError) as caught:
        load_project(tmp_path / name)
    assert caught.value.diagnostics[0].message.startswith("the project's folder cannot be listed: ")


def test_a_mistyped_root_file_is_named(problems: Find) -> None:
    (problem,) = problems({"streamt_project.yml": ROOT["stream_project.yml"]})
    assert problem.hint == "rename `streamt_project.yml` to `stream_project.yml`"


SQL_MODEL = ROOT | {"models/m.yml": "models: [{name: m, sql_file: sql/m.sql}]"}


def test_sql_may_stand_in_a_file_of_its_own(load: Load) -> None:
    project = load(SQL_MODEL | {"sql/m.sql": "\ufeffSELECT 1\nFROM t"})
    assert project.document.models[0].sql == "SELECT 1\nFROM t"
    sql = ProjectPath(("models", 0, "sql"))
    places = [sql, sql.at(2, 6)]
    assert project.source_map.find(places) == {
        sql: FilePosition("sql/m.sql"),
        sql.at(2, 6): FilePosition("sql/m.sql", 2, 6),
    }


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("sql/n.sql", "`sql/n.sql` does not exist"),
        ("../m.sql", "`sql_file` must be inside the project"),
        ("/etc/passwd", "`sql_file` must be inside the project"),
        ("sql/m.txt", "`sql_file` must end in `.sql` or `.sql.j2`"),
        ("sql", "`sql_file` must end in `.sql` or `.sql.j2`"),
    ],
)
def test_an_sql_file_that_cannot_be_meant_is_refused(problems: Find, file: str, message: str) -> None:
    text = f"models:\n  - name: m\n    sql_file: {file}\n"
    (problem,) = problems(ROOT | {"models/m.yml": text, "sql/m.txt": "SELECT 1"})
    assert (problem.code, problem.message) == (Code.PARSE_ERROR, message)
    assert (problem.file, problem.line, problem.location) == ("models/m.yml", 3, "/models/0/sql_file")


@pytest.mark.parametrize("file", ["sql/m.sql", "macros/x.sql.j2"])
@pytest.mark.parametrize("character", ["\0", "\x1b", "\x07"])
def test_sql_holds_no_control_characters(problems: Find, file: str, character: str) -> None:
    (problem,) = problems(SQL_MODEL | {"sql/m.sql": "SELECT 1"} | {file: f"SELECT 1\n  {character}"})
    assert (problem.file, problem.line, problem.column) == (file, 2, 3)


@pytest.mark.parametrize(
    "name",
    [
        "stream_project.yml", "stream_project.yaml", ".env", ".env.new", "models/a.yml", "models/new.yml",
        "models/deep/new.yaml", "models/new.sql", "macros/k.sql.j2", "environments/new.yml", "link.yml", "hard.yml",
        "sql/m.sql", "models/../stream_project.yml",
    ],
)  # fmt: skip
def test_the_project_s_own_files_are_known_by_any_name(load: Load, name: str) -> None:
    project = load(SQL_MODEL | {"sql/m.sql": "SELECT 1", "macros/k.sql.j2": "SELECT 1", "models/a.yml": ""})
    (project.root / "link.yml").symlink_to("stream_project.yml")
    (project.root / "hard.yml").hardlink_to(project.root / "models" / "a.yml")
    assert project.owns(project.root / name)


@pytest.mark.parametrize(
    "name", ["events.jsonl", "models/events.jsonl", "out/stream_project.yml", "../stream_project.yml"]
)
def test_other_files_are_not_the_project_s(load: Load, name: str) -> None:
    assert not load(ROOT).owns(load(ROOT).root / name)
