"""Environments: which one is meant, what is wrong with one, and what may be shown of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from streamt.diagnostics import Code, FilePosition, PlacedDiagnostic, ProjectPath, StreamtError
from streamt.project import EnvironmentSummary, Project, environment_view, list_environments

Find = Callable[..., tuple[PlacedDiagnostic, ...]]
Load = Callable[..., Project]
ROOT = {"stream_project.yml": "apiVersion: streamt.dev/v1alpha1\nproject: {name: shop}\n"}
DEV = {"environments/dev.yml": "runtime: {kafka: {bootstrap_servers: 'dev:1'}}\n"}
PROD = {
    "environments/prod.yaml": """\
environment: {name: prod, description: live, protected: true}
safety: {confirm_apply: true}
"""
}


def test_a_project_without_environments_has_the_default_one(load: Load) -> None:
    assert load(ROOT).environment == "default"
    assert load(ROOT, "default", {"STREAMT_ENV": "prod"}).environment == "default"


@pytest.mark.parametrize(
    ("files", "wanted", "environ", "name"),
    [
        (DEV | PROD, "prod", {"STREAMT_ENV": "dev"}, "prod"),
        (DEV | PROD, None, {"STREAMT_ENV": "dev"}, "dev"),
        (DEV, None, {}, "dev"),
        (PROD, None, {"STREAMT_ENV": ""}, "prod"),
    ],
)
def test_an_environment_is_named_or_the_only_one(
    load: Load, files: dict[str, str], wanted: str | None, environ: dict[str, str], name: str
) -> None:
    assert load(ROOT | files, wanted, environ).environment == name


@pytest.mark.parametrize(
    ("files", "wanted", "message", "hint"),
    [
        (
            DEV | PROD,
            None,
            "the project has several environments, and none is named",
            "name one with `--env NAME` or STREAMT_ENV; environments: `dev`, `prod`",
        ),
        (DEV | PROD, "prd", "unknown environment `prd`", "did you mean `prod`? environments: `dev`, `prod`"),
        (DEV, "../dev", "unknown environment `../dev`", None),
        (DEV, "", "unknown environment ``", "environments: `dev`"),
        ({}, "prod", "unknown environment `prod`: the project has no `environments/`", None),
        ({"environments/notes.txt": ""}, None, "`environments/` has no environment", None),
        ({"environments": "x"}, None, "`environments` must be a folder, not a file", None),
    ],
)
def test_an_unknown_or_unclear_environment_is_refused(
    problems: Find, files: dict[str, str], wanted: str | None, message: str, hint: str | None
) -> None:
    (problem,) = problems(ROOT | files, wanted)
    assert (problem.code, problem.message) == (Code.ENVIRONMENT_ERROR, message)
    assert hint is None or problem.hint == hint


def test_the_environments_runtime_is_the_projects(load: Load) -> None:
    project = load(ROOT | DEV)
    assert project.document.runtime is not None
    assert project.document.runtime.kafka is not None
    assert project.document.runtime.kafka.bootstrap_servers == "dev:1"
    place = ProjectPath(("runtime", "kafka", "bootstrap_servers"))
    assert project.source_map.find([place])[place] == FilePosition("environments/dev.yml", 1, 38)


def test_the_environments_safety_is_kept(load: Load) -> None:
    assert load(ROOT | PROD).safety.confirm_apply is True


def test_a_runtime_in_both_places_is_refused(problems: Find) -> None:
    root = {"stream_project.yml": ROOT["stream_project.yml"] + "runtime: {}\n"}
    (problem,) = problems(root | DEV)
    assert (problem.code, problem.file, problem.line) == (Code.ENVIRONMENT_ERROR, "stream_project.yml", 3)


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "message"),
    [
        (
            "environment: {name: prod}",
            Code.ENVIRONMENT_ERROR,
            1,
            21,
            "`environment.name` differs from the name of its file",
        ),
        ("safty: {}", Code.PARSE_ERROR, 1, 1, "unknown key `safty`"),
        ("models: []", Code.PARSE_ERROR, 1, 1, "unknown key `models`"),
        ("- a", Code.PARSE_ERROR, 1, 1, "`environments/dev.yml` must be a mapping, not a list"),
        (
            "environment: {protected: yes}",
            Code.PARSE_ERROR,
            1,
            26,
            "`protected` must be `true` or `false`, not a string",
        ),
        ("runtime: {kafka: {bootstrap_servers: '${B}'}}", Code.ENV_VAR_ERROR, 1, 38, "variable `B` is not set"),
        (
            "a: 1\na: 2",
            Code.PARSE_ERROR,
            2,
            1,
            "duplicate key `a`; first defined at line 1, column 1",
        ),
    ],
)
def test_what_is_wrong_with_an_environment_is_told_at_its_place(
    problems: Find, text: str, code: Code, line: int, column: int, message: str
) -> None:
    (problem,) = problems(ROOT | {"environments/dev.yml": text})
    assert (problem.file, problem.line, problem.column) == ("environments/dev.yml", line, column)
    assert (problem.code, problem.message) == (code, message)


def test_problems_of_the_project_and_of_its_environment_come_together(problems: Find) -> None:
    root = {"stream_project.yml": ROOT["stream_project.yml"] + "a: 1\n"}
    found = problems(root | {"environments/dev.yml": "b: 1"})
    assert [each.file for each in found] == ["stream_project.yml", "environments/dev.yml"]


def test_two_files_of_one_environment_are_refused(problems: Find) -> None:
    (problem,) = problems(ROOT | DEV | {"environments/dev.yaml": "runtime: {}"})
    assert problem.code == Code.ENVIRONMENT_ERROR


def test_environments_are_listed_without_their_secrets_being_set(write: Callable[..., Path]) -> None:
    root = write(ROOT | PROD | {"environments/dev.yml": "runtime: {kafka: {bootstrap_servers: '${UNSET}'}}"})
    assert list_environments(root) == (
        EnvironmentSummary("dev", "environments/dev.yml", None, protected=False),
        EnvironmentSummary("prod", "environments/prod.yaml", "live", protected=True),
    )


def test_a_project_without_environments_lists_the_default_one(write: Callable[..., Path]) -> None:
    assert list_environments(write(ROOT)) == (EnvironmentSummary("default", None),)


def test_every_broken_environment_of_a_list_is_told(write: Callable[..., Path]) -> None:
    root = write(ROOT | {"environments/a.yml": "environment: {name: b}", "environments/c.yml": "- x"})
    with pytest.raises(StreamtError) as caught:
        list_environments(root)
    assert [each.file for each in caught.value.placed()] == ["environments/a.yml", "environments/c.yml"]


def test_a_view_masks_secrets_and_variables(write: Callable[..., Path]) -> None:
    text = """\
environment: {description: d, protected: "${P}"}
runtime:
  kafka: {bootstrap_servers: ["${B}", "b:1"], sasl_username: me, sasl_password: hunter2}
  schema_registry: {url: "http://u:hunter2@r"}
  flink: {clusters: {f: {api_key: hunter2, api_secret: "x${Y}"}}}
deployment_state: {backend: postgres, url: "postgres://u:hunter2@h/d"}
"""
    root = write(ROOT | {"environments/dev.yml": text})
    assert environment_view(root, None, {}) == {
        "environment": {"name": "dev", "description": "d", "protected": "***"},
        "runtime": {
            "kafka": {"bootstrap_servers": ["***", "b:1"], "sasl_username": "***", "sasl_password": "***"},
            "schema_registry": {"url": "http://***@r"},
            "flink": {"clusters": {"f": {"api_key": "***", "api_secret": "***"}}},
        },
        "deployment_state": {"backend": "postgres", "url": "***"},
    }


def test_a_view_without_environments_shows_the_root_files_runtime(write: Callable[..., Path]) -> None:
    root = write({"stream_project.yml": ROOT["stream_project.yml"] + "runtime: {kafka: {bootstrap_servers: 'b:1'}}"})
    assert environment_view(root, None, {}) == {
        "environment": {"name": "default"},
        "runtime": {"kafka": {"bootstrap_servers": "b:1"}},
    }


def test_an_environment_below_a_subfolder_is_refused(problems: Find) -> None:
    (problem,) = problems(ROOT | DEV | {"environments/eu/prod.yml": "runtime: {}"})
    assert (problem.code, problem.file) == (Code.ENVIRONMENT_ERROR, "environments/eu/prod.yml")


@pytest.mark.parametrize("text", ["- a", "a: 1\na: 2"])
def test_a_view_of_a_broken_environment_is_refused(write: Callable[..., Path], text: str) -> None:
    root = write(ROOT | {"environments/dev.yml": text})
    with pytest.raises(StreamtError, match=r"environments/dev\.yml"):
        environment_view(root, "dev", {})


def test_a_link_to_nothing_is_told_wherever_an_environment_is_read(write: Callable[..., Path], load: Load) -> None:
    root = write(ROOT)
    (root / "environments").mkdir()
    (root / "environments" / "dev.yml").symlink_to("nowhere")
    for read in (lambda: load(ROOT), lambda: list_environments(root), lambda: environment_view(root, "dev", {})):
        with pytest.raises(StreamtError, match=r"`environments/dev\.yml` is a link to nothing"):
            read()


def test_a_list_tells_what_is_wrong_with_an_environments_part(write: Callable[..., Path]) -> None:
    with pytest.raises(StreamtError, match="`protected` must be"):
        list_environments(write(ROOT | {"environments/dev.yml": "environment: {protected: yes}"}))
