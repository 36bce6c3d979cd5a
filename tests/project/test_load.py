"""Files put together: which are read, in which order, and what is said about those that cannot be."""

import gc
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streamt.diagnostics import (
    Code,
    Diagnostic,
    FilePosition,
    Location,
    Option,
    PlacedDiagnostic,
    ProjectPath,
    StreamtError,
    resolve,
)
from streamt.project import Project, load_project

Find = Callable[..., tuple[PlacedDiagnostic, ...]]
Load = Callable[..., Project]
HEAD = "apiVersion: streamt.dev/v1alpha1\nproject: {name: shop}\n"
ROOT = {"stream_project.yml": HEAD}


def test_lists_are_merged_by_path_after_the_root_files_own(load: Load) -> None:
    project = load(
        {
            "stream_project.yml": HEAD + "models: [{name: r1}, {name: r2}]\n",
            "models/b.yml": "models: [{name: b}]",
            "models/a/z.yaml": "apiVersion: streamt.dev/v1alpha1\nmodels: [{name: az}]",
            "models/B.yml": "models: [{name: B}]",
            "models/empty.yml": "models: []",
            "models/.hidden.yml": "models: [{name: hidden}]",
            "models/.git/x.yml": "models: [{name: hidden}]",
            "models/notes.md": "no yaml",
            "sources/s.yml": "sources: [{name: s, topic: t}]",
            "tests/t.yml": "tests: [{name: t, type: schema, model: b}]",
            "exposures/e.yml": "exposures: [{name: e, type: api, consumes: [{ref: b}]}]",
        }
    )
    document = project.document
    assert [each.name for each in document.models] == ["r1", "r2", "B", "az", "b"]
    assert (document.sources[0].name, document.tests[0].name, document.exposures[0].name) == ("s", "t", "e")


def test_places_lead_back_to_the_files(load: Load) -> None:
    project = load(
        {
            "stream_project.yml": HEAD + "models: [{name: r1}]\n",
            "models/a.yml": "models: []",
            "models/b.yml": "models:\n  - name: x\n  - {name: y, sql: z}\n",
        }
    )
    root = ProjectPath()
    paths = [root / "models" / 0 / "name", root / "models" / 1 / "name", root / "models" / 2 / "sql"]
    locations: list[Location] = [*paths, root / "project" / "name", Option("job_namespace"), root]
    diagnostics = [Diagnostic(code=Code.COMPILE_ERROR, message="m", location=each) for each in locations]
    places = [(each.location, each.file, each.line, each.column) for each in resolve(diagnostics, project.source_map)]
    assert places == [
        ("job_namespace", None, None, None),
        ("", "stream_project.yml", 1, 1),
        ("/project/name", "stream_project.yml", 2, 17),
        ("/models/0/name", "stream_project.yml", 3, 17),
        ("/models/1/name", "models/b.yml", 2, 11),
        ("/models/2/sql", "models/b.yml", 3, 20),
    ]


def test_a_line_of_another_file_leads_to_that_file(load: Load) -> None:
    place = (ProjectPath() / "project" / "name").at(4, file="macros/a.sql.j2")
    assert load(ROOT).source_map.find([place]) == {place: FilePosition("macros/a.sql.j2", 4)}


@pytest.mark.parametrize("parts", [("models", "x", "y"), ("models", 99), ("nothing", "at", "all"), ("models", -1)])
def test_a_place_that_is_not_there_is_near_its_parent(load: Load, parts: tuple[str | int, ...]) -> None:
    project = load(ROOT | {"models/b.yml": "models: [{name: x}]"})
    assert project.source_map.find([ProjectPath(parts)])[ProjectPath(parts)].line is not None


def test_macros_are_read_with_their_names(load: Load) -> None:
    project = load(ROOT | {"macros/a.sql.j2": "\ufeffSELECT é", "macros/sub/b.sql.j2": "x", "macros/c.txt": "x"})
    assert {(each.name, each.path, each.text) for each in project.macros.values()} == {
        ("a", "macros/a.sql.j2", "SELECT é"),
        ("sub/b", "macros/sub/b.sql.j2", "x"),
    }


@pytest.mark.parametrize(
    ("files", "file", "line", "message"),
    [
        ({"stream_project.yml": ""}, "stream_project.yml", 1, "missing key `project`"),
        (
            {"stream_project.yml": "- a"},
            "stream_project.yml",
            1,
            "`stream_project.yml` must be a mapping, not a list",
        ),
        (
            {"stream_project.yml": "a"},
            "stream_project.yml",
            1,
            "`stream_project.yml` must be a mapping, not a single value",
        ),
        ({"stream_project.yml": b"\x89PNG\r\n"}, "stream_project.yml", 1, "the file is not UTF-8 from here on"),
        (
            {"stream_project.yml/x": ""},
            "stream_project.yml",
            None,
            "`stream_project.yml` is a folder",
        ),
        ({"x.yml": ""}, "stream_project.yml", None, "`stream_project.yml` does not exist"),
        (
            ROOT | {"stream_project.yaml": HEAD},
            "stream_project.yaml",
            None,
            "`stream_project.yml` and `stream_project.yaml` both exist",
        ),
        (
            ROOT | {"models/a.yml": "- {name: a}"},
            "models/a.yml",
            1,
            "`models/a.yml` must be a mapping, not a list",
        ),
        (ROOT | {"models/a.yml": "models: {name: a}"}, "models/a.yml", 1, "`models` must be a list, not a mapping"),
        (
            ROOT | {"models/a.yml": "models: []\nversion: 2"},
            "models/a.yml",
            2,
            "unknown key `version` in a file of `models/`",
        ),
        (
            ROOT | {"models/a.yml": "apiVersion: v2\nmodels: []"},
            "models/a.yml",
            1,
            "`apiVersion` must be `streamt.dev/v1alpha1`",
        ),
        (ROOT | {"macros/a.sql.j2": b"a\nb\xff"}, "macros/a.sql.j2", 2, "the file is not UTF-8 from here on"),
    ],
)
def test_a_file_that_does_not_belong_is_refused(
    problems: Find, files: dict[str, str | bytes], file: str, line: int | None, message: str
) -> None:
    (problem,) = problems(files)
    assert (problem.code, problem.file, problem.line, problem.message) == (Code.PARSE_ERROR, file, line, message)


def problems_of(root: Path) -> tuple[PlacedDiagnostic, ...]:
    try:
        load_project(root, environ={"A": "1"})
    except StreamtError as error:
        return error.placed()
    return ()


def message_of(root: Path) -> str:
    (problem,) = problems_of(root)
    assert problem.code == Code.PARSE_ERROR
    return problem.message


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    assert message_of(tmp_path / "none") == "the project's folder does not exist"


def test_a_file_in_place_of_the_folder_is_refused(write: Callable[..., Path]) -> None:
    assert message_of(write({"a": ""}) / "a") == "the project's folder is not a folder"


def test_a_link_that_loops_is_refused(tmp_path: Path) -> None:
    (tmp_path / "stream_project.yml").symlink_to("stream_project.yml")
    assert "cannot be read: Too many levels of symbolic links" in message_of(tmp_path)


def test_a_link_to_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "stream_project.yml").symlink_to("nowhere")
    assert message_of(tmp_path) == "`stream_project.yml` is a link to nothing"


def test_a_folder_that_links_to_itself_is_refused(write: Callable[..., Path]) -> None:
    root = write(ROOT)
    (root / "models").symlink_to("models")
    assert message_of(root) == "`models` cannot be listed: Too many levels of symbolic links"


def test_a_macro_that_links_to_nothing_is_refused(write: Callable[..., Path]) -> None:
    root = write(ROOT | {"macros/a.sql.j2": "x"})
    (root / "macros" / "b.sql.j2").symlink_to("nowhere")
    assert message_of(root) == "`macros/b.sql.j2` is a link to nothing"


def test_a_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / "stream_project.yml").symlink_to("/dev/zero")
    assert message_of(tmp_path) == "`stream_project.yml` is not a regular file"


def test_a_file_that_gives_no_bytes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "stream_project.yml").symlink_to("/proc/self/mem")
    assert message_of(tmp_path).startswith("`stream_project.yml` cannot be read")


def test_a_file_name_that_is_not_utf_8_is_refused(write: Callable[..., Path]) -> None:
    root = write(ROOT | {"models/a.yml": "models: []"})
    Path(os.fsdecode(os.fsencode(root) + b"/models/\xff.yml")).write_text("models: []")
    assert "is not UTF-8" in message_of(root)


def test_problems_of_all_files_come_together_in_order(problems: Find) -> None:
    found = problems(
        {
            "stream_project.yml": HEAD + "b: 1\na: 1\n",
            "models/z.yml": "models: [{name: a, x: 1, y: 1}]",
            "models/c.yml": "models: [",
            "models/b.yml": "models: [{name: b, sql: 1}]\nmodels: []",
            "sources/s.yml": "sources: [{name: a, topic: '${T}'}]",
        }
    )
    assert [(each.file, each.line) for each in found] == [
        ("stream_project.yml", 3),
        ("stream_project.yml", 4),
        ("models/b.yml", 2),
        ("models/c.yml", 2),
        ("models/z.yml", 1),
        ("models/z.yml", 1),
        ("models/z.yml", 1),
        ("sources/s.yml", 1),
    ]


def test_names_in_files_that_do_not_parse_are_not_called_missing(problems: Find) -> None:
    text = HEAD + "tests: [{name: t, type: schema, model: m}]\n"
    (problem,) = problems({"stream_project.yml": text, "models/a.yml": "models: ["})
    assert problem.file == "models/a.yml"


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "models:\n", "apiVersion: streamt.dev/v1alpha1\n"])
def test_an_empty_file_or_section_is_nothing(load: Load, text: str) -> None:
    root = {"stream_project.yml": HEAD + "sources:\ndefaults:\nrules:\nexposures:\n"}
    assert load(root | {"models/a.yml": text, "environments/dev.yml": ""}).document.models == ()


def test_a_wrong_root_list_hides_no_problem_of_the_files(problems: Find) -> None:
    root = {"stream_project.yml": HEAD + "models: {name: a}\n"}
    found = problems(root | {"models/a.yml": "models: [{name: b, x: 1}]"})
    assert [(each.file, each.message) for each in found] == [
        ("stream_project.yml", "`models` must be a list, not a mapping"),
        ("models/a.yml", "unknown key `x`"),
    ]


def test_a_project_of_no_models_is_loaded(load: Load) -> None:
    assert load(ROOT).document.models == ()


def test_a_huge_description_is_loaded(load: Load) -> None:
    text = "x" * 5_000_000
    assert (
        load({"stream_project.yml": f"{HEAD}models: [{{name: a, description: {text}}}]"}).document.models[0].description
        == text
    )


def test_loading_leaves_the_garbage_collector_as_it_was(load: Load, problems: Find) -> None:
    load(ROOT)
    problems({"stream_project.yml": ""})
    assert gc.isenabled()


KEYS = st.sampled_from(
    [
        "name",
        "topic",
        "sql",
        "from",
        "ref",
        "source",
        "columns",
        "type",
        "advanced",
        "event_time",
        "gateway",
        "virtual_topic",
        "sink",
        "connector",
        "config",
        "contract",
        "assertions",
        "not_null",
        "range",
        "model",
        "consumes",
        "kafka",
        "topics",
        "naming_pattern",
        "pii_column_patterns",
        "security",
        "\u00e9",
    ]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats()
    | st.sampled_from(["", "a", "x y", "${A}", "$${", "topic", "30s"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "project",
                "sources",
                "models",
                "tests",
                "exposures",
                "runtime",
                "rules",
                "defaults",
                "apiVersion",
                "deployment_state",
            ]
        ),
        VALUES | st.lists(st.dictionaries(KEYS, VALUES, max_size=4), max_size=3),
    )
)
def test_no_document_gives_anything_but_a_project_or_its_problems(tmp_path: Path, data: dict[str, object]) -> None:
    (tmp_path / "stream_project.yml").write_text(yaml.safe_dump(data, allow_unicode=True))
    for each in problems_of(tmp_path):
        assert each.file == "stream_project.yml"
        assert each.line
        assert each.column
        assert not re.search("pydantic|Input should", each.message)


def test_a_type_cut_at_its_comma_says_to_quote_it(tmp_path: Path) -> None:
    (tmp_path / "stream_project.yml").write_text(
        "project: {name: x}\nsources: [{name: a, topic: a, columns: [{name: b, type: DECIMAL(10, 2)}]}]\n"
    )
    with pytest.raises(StreamtError) as caught:
        load_project(tmp_path)
    assert 'type: "DECIMAL(10, 2)"' in (caught.value.diagnostics[0].hint or "")
