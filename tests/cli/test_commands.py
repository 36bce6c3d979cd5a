"""`validate`, `list`, `envs` and `schema`, as a user runs them."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.cli.program import MINIMAL, Ended, export, streamt, write_project

CHAIN = (
    MINIMAL
    + """\
  - name: 'say "hi"'
    topic: {name: hi}
    sql: SELECT COUNT(*) FROM {{ ref("paid") }}
    columns: [{name: id}]
  - name: lonely
    topic: {name: lonely}
    columns: [{name: id}]
"""
)


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    return write_project(tmp_path, CHAIN)


def json_of(*arguments: str | Path, **environment: str) -> Ended:
    return streamt("--output", "json", *arguments, cwd=None, **environment)


# validate


def test_validate_says_that_all_is_well(chain: Path) -> None:
    ended = streamt("validate", "-p", chain)
    assert (ended.status, ended.stdout, ended.stderr) == (
        0, b"default: all well (1 source, 3 models, 0 tests, 0 exposures)\n", "",
    )  # fmt: skip


def test_validate_in_the_project_s_own_folder(chain: Path) -> None:
    assert streamt("validate", cwd=chain).status == 0


def test_strict_turns_warnings_into_failure(tmp_path: Path) -> None:
    folder = write_project(tmp_path, MINIMAL.replace("apiVersion: streamt.dev/v1alpha1\n", ""))
    assert streamt("validate", "-p", folder).status == 0
    ended = json_of("validate", "--strict", "-p", folder)
    assert (ended.status, [each["code"] for each in ended.envelope["warnings"]]) == (1, ["W101_API_VERSION_MISSING"])


def test_a_broken_rule_is_an_error_at_its_place(tmp_path: Path) -> None:
    rules = (
        "rules:\n  models: {require_owner: true, max_dependencies: 0}\n  topics: {naming_pattern: '[a-z]+\\.v[0-9]+'}\n"
    )
    ended = json_of("validate", "-p", write_project(tmp_path, MINIMAL + rules))
    assert (ended.status, set(ended.codes)) == (1, {"E520_RULE_VIOLATED"})
    assert {(error["location"], error["file"]) for error in ended.envelope["errors"]} == {
        ("/models/0", "stream_project.yml")
    }


ENVIRONMENT = (
    "environment: {{name: {0}}}\nruntime: {{kafka: {{bootstrap_servers: '{0}:9092', sasl_password: hunter2}}}}\n"
)


@pytest.fixture
def two_environments(tmp_path: Path) -> Path:
    text = MINIMAL.replace("runtime:\n  kafka:\n    bootstrap_servers: b:9092\n", "")
    files = {f"environments__{name}.yml": ENVIRONMENT.format(name) for name in ("dev", "prod")}
    return write_project(tmp_path, text, **files)


def test_all_environments_are_checked(two_environments: Path) -> None:
    data = json_of("validate", "--all-envs", "-p", two_environments).envelope["data"]
    assert [each["environment"] for each in data["environments"]] == ["dev", "prod"]


def test_what_environments_share_is_said_once(two_environments: Path) -> None:
    root = two_environments / "stream_project.yml"
    root.write_text(root.read_text().replace("topic: orders.v1", "topc: orders.v1"))
    (two_environments / "environments" / "prod.yml").write_text("environment: {name: prod}\nruntime: {kafkaa: {}}\n")
    places = [
        (error["file"], error["line"])
        for error in json_of("validate", "--all-envs", "-p", two_environments).envelope["errors"]
    ]
    assert len(places) == len(set(places))
    assert {file for file, _ in places} == {"stream_project.yml", "environments/prod.yml"}


def test_what_is_wrong_in_one_environment_only_names_it(two_environments: Path) -> None:
    root = two_environments / "stream_project.yml"
    root.write_text(root.read_text().replace("  - name: paid\n", "  - name: paid\n    materialized: virtual_topic\n"))
    gateway = ENVIRONMENT.format("prod").rstrip("}\n") + "}, conduktor: {gateway: {proxy_bootstrap: 'g:1'}}}\n"
    (two_environments / "environments" / "prod.yml").write_text(gateway)
    (error,) = json_of("validate", "--all-envs", "-p", two_environments).envelope["errors"]
    assert error["message"].endswith("(environment: dev)")


def test_one_bad_environment_hides_no_good_one(two_environments: Path) -> None:
    (two_environments / "environments" / "prod.yml").write_text("runtime: {kafkaa: {}}\n")
    ended = streamt("validate", "--all-envs", "-p", two_environments)
    assert ended.status == 1
    assert ended.stdout.startswith(b"dev: all well (")
    assert b"prod" not in ended.stdout


def test_all_is_well_only_without_a_warning(tmp_path: Path) -> None:
    folder = write_project(tmp_path, MINIMAL.replace("apiVersion: streamt.dev/v1alpha1\n", ""))
    assert streamt("validate", "-p", folder).stdout.startswith(b"default: valid, with 1 warning (1 source, ")


def test_a_project_of_nothing_is_not_called_well(tmp_path: Path) -> None:
    folder = write_project(tmp_path, "apiVersion: streamt.dev/v1alpha1\nproject: {name: x}\n")
    assert streamt("validate", "-p", folder).stdout.startswith(b"default: nothing is declared (")


def test_an_environment_is_shown_by_name_or_by_option(two_environments: Path) -> None:
    by_name = streamt("envs", "show", "dev", "-p", two_environments)
    assert by_name.stdout == streamt("envs", "show", "--env", "dev", "-p", two_environments).stdout != b""
    assert streamt("envs", "show", "dev", "--env", "prod", "-p", two_environments).status == 2


def test_a_list_of_environments_masks_what_a_variable_supplies(two_environments: Path) -> None:
    (two_environments / "environments" / "prod.yml").write_text("environment: {description: '${TOKEN}'}\n")
    ended = streamt("envs", "list", "-p", two_environments, TOKEN="hunter2")
    assert (ended.status, b"***" in ended.stdout, b"hunter2" in ended.stdout) == (0, True, False)


def test_a_secret_is_needed_only_where_it_is_used(two_environments: Path) -> None:
    text = ENVIRONMENT.format("prod").replace("hunter2", "'${NOT_SET}'")
    (two_environments / "environments" / "prod.yml").write_text(text)
    assert streamt("validate", "--all-envs", "--strict", "-p", two_environments).status == 0
    assert export(two_environments, "--env", "prod").status == 0


def test_an_environment_must_be_named_where_there_are_several(two_environments: Path) -> None:
    ended = json_of("validate", "-p", two_environments)
    assert ended.codes == ["E503_ENVIRONMENT_ERROR"]
    assert "dev" in str(ended.envelope)
    assert "prod" in str(ended.envelope)
    assert json_of("validate", "-p", two_environments, "--env", "dev").status == 0
    assert json_of("validate", "-p", two_environments, STREAMT_ENV="prod").status == 0


# envs


def test_environments_are_listed(two_environments: Path) -> None:
    data = json_of("envs", "list", "-p", two_environments).envelope["data"]
    assert [each["name"] for each in data["environments"]] == ["dev", "prod"]


@pytest.mark.parametrize("mode", ["text", "json"])
def test_an_environment_is_shown_with_its_secrets_masked(two_environments: Path, mode: str) -> None:
    ended = streamt("--output", mode, "envs", "show", "prod", "-p", two_environments)
    assert ended.status == 0
    assert "prod:9092" in ended.stdout.decode()
    assert "hunter2" not in ended.stdout.decode()


# list


def test_list_shows_what_is_declared(chain: Path) -> None:
    data = json_of("list", "-p", chain).envelope["data"]
    assert {kind: [each["name"] for each in rows] for kind, rows in data.items()} == {
        "sources": ["orders"],
        "models": ["paid", 'say "hi"', "lonely"],
        "tests": [],
        "exposures": [],
    }


def test_list_can_be_narrowed(chain: Path) -> None:
    assert streamt("list", "--type", "sources", "-p", chain).stdout == b"sources (1)\n  orders  orders.v1  -\n"


# schema


def test_the_schema_is_a_valid_json_schema_that_takes_the_project() -> None:
    schema = json.loads(streamt("schema").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(yaml.safe_load(CHAIN))
    assert not jsonschema.Draft202012Validator(schema).is_valid({"project": {"nam": "x"}})


def test_the_schema_needs_no_project(tmp_path: Path) -> None:
    assert streamt("schema", cwd=tmp_path).status == 0


@pytest.mark.parametrize(
    "secret",
    [
        "sasl_passwrd: hunter2",
        "sasl_password: {hunter2: x}",
        "sasl_password: {x: hunter2}",
        "foo: {token: hunter2}",
        "bootstrap_servers_internal: 'user:a/hunter2@b:1'",
    ],
)
def test_envs_show_masks_what_it_does_not_know(tmp_path: Path, secret: str) -> None:
    folder = write_project(tmp_path, MINIMAL.replace("b:9092\n", f"b:9092\n    {secret}\n"))
    ended = streamt("envs", "show", "-p", folder)
    assert "hunter2" not in ended.stdout.decode() + ended.stderr


@pytest.mark.parametrize("value", ["!hunter2", "*hunter2", "!!hunter2"])
def test_an_unquoted_password_is_not_repeated(tmp_path: Path, value: str) -> None:
    folder = write_project(tmp_path, MINIMAL.replace("b:9092\n", f"b:9092\n    sasl_password: {value}\n"))
    ended = streamt("validate", "-p", folder)
    assert ended.status == 1
    assert "hunter2" not in ended.stdout.decode() + ended.stderr
