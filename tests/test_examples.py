"""Every example project is right, works on a fresh clone, and is exported as its golden file says."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from streamt.yaml import read_yaml
from tests.update_golden import ARTIFACTS, EXAMPLES, EXPORTS, GOLDEN, ROOT, run_streamt

# An example with environments, once for each of them.
PROJECTS = {
    "payments": ("--project-dir", "examples/payments"),
    "ecommerce dev": ("--project-dir", "examples/ecommerce", "--env", "dev"),
    "ecommerce prod": ("--project-dir", "examples/ecommerce", "--env", "prod"),
    "iot": ("--project-dir", "examples/iot"),
}
each_project = pytest.mark.parametrize("options", PROJECTS.values(), ids=PROJECTS)


def test_every_example_has_a_golden_export() -> None:
    exported = {arguments[arguments.index("--project-dir") + 1] for arguments in EXPORTS.values()}
    projects = {path.parent.relative_to(ROOT).as_posix() for path in EXAMPLES.glob("*/stream_project.yml")}
    assert exported == projects


def test_there_is_no_golden_file_that_nothing_is_compared_with() -> None:
    assert {path.name for path in GOLDEN.iterdir() if path.is_file()} == set(EXPORTS)


@pytest.mark.parametrize(("name", "arguments"), EXPORTS.items(), ids=EXPORTS)
def test_an_export_equals_its_golden_file(name: str, arguments: tuple[str, ...]) -> None:
    result = run_streamt(arguments)
    assert (result.returncode, result.stdout) == (0, (GOLDEN / name).read_bytes())


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("name", "arguments"), ARTIFACTS.items(), ids=ARTIFACTS)
def test_the_artifacts_of_an_example_equal_their_golden_files(
    name: str, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    result = run_streamt([*arguments, "--output-dir", str(tmp_path / "built")])
    assert result.returncode == 0, result.stderr
    assert contents(tmp_path / "built") == contents(GOLDEN / "artifacts" / name)


def test_there_is_no_golden_folder_that_nothing_is_compared_with() -> None:
    assert {path.name for path in (GOLDEN / "artifacts").iterdir()} == set(ARTIFACTS)


@pytest.mark.parametrize(
    ("name", "warnings"),
    [
        ("payments.jsonl", ["W111_OPENLINEAGE_SINK_OUTPUT_OMITTED"]),
        ("ecommerce-dev.jsonl", ["W111_OPENLINEAGE_SINK_OUTPUT_OMITTED"]),
        ("ecommerce-prod.jsonl", ["W111_OPENLINEAGE_SINK_OUTPUT_OMITTED"]),
        ("iot.jsonl", []),
    ],
)
def test_an_export_warns_of_what_the_example_leaves_open_on_purpose(name: str, warnings: list[str]) -> None:
    envelope = json.loads(run_streamt(["--output", "json", *EXPORTS[name]]).stdout)
    assert [warning["code"] for warning in envelope["warnings"]] == warnings


@each_project
def test_an_example_is_valid_without_a_warning(options: tuple[str, ...]) -> None:
    result = run_streamt(["validate", "--strict", *options])
    assert (result.returncode, result.stderr) == (0, b"")


def test_an_example_is_valid_in_all_its_environments() -> None:
    result = run_streamt(["validate", "--strict", "--all-envs", "--project-dir", "examples/ecommerce"])
    assert (result.returncode, result.stderr) == (0, b"")


@each_project
@pytest.mark.parametrize("graph_format", ["text", "dot", "mermaid", "json"])
def test_the_lineage_of_an_example_is_drawn_in_every_format(options: tuple[str, ...], graph_format: str) -> None:
    result = run_streamt(["lineage", "--format", graph_format, *options])
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.count(b"\n") > 5


@pytest.fixture(scope="module")
def language() -> jsonschema.Draft202012Validator:
    schema = json.loads(run_streamt(["schema"]).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def _project_files() -> Iterator[Path]:
    for path in EXAMPLES.rglob("*.yml"):
        if "dbt-shop" not in path.parts:  # it is dbt's
            yield path.relative_to(EXAMPLES)


@pytest.mark.parametrize("path", sorted(_project_files()), ids=str)
def test_an_editor_accepts_every_file_of_an_example(path: Path, language: jsonschema.Draft202012Validator) -> None:
    document: Any = read_yaml((EXAMPLES / path).read_bytes(), str(path)).data
    assert [error.message for error in language.iter_errors(document)] == []


def test_what_differs_between_environments_is_the_gateway() -> None:
    kinds = {}
    for environment in ("dev", "prod"):
        result = run_streamt(["--output", "json", "list", "--type", "models", *PROJECTS[f"ecommerce {environment}"]])
        models = json.loads(result.stdout)["data"]["models"]
        kinds[environment] = {model["name"]: model["materialization"] for model in models}
    changed = {name: (kinds["dev"][name], kind) for name, kind in kinds["prod"].items() if kind != kinds["dev"][name]}
    assert changed == dict.fromkeys(("paid_orders", "customer_profiles"), ("flink", "virtual_topic"))


def test_the_demonstration_passes_and_emits_its_run() -> None:
    command = [sys.executable, "-m", "examples.demo_test"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "3 tests: 3 passed" in result.stdout
    assert re.findall(r'"eventType": "(\w+)"', result.stdout) == ["START", "COMPLETE"]
