"""Schema tests: declarations held against assertions, without a broker."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from streamt.testing.results import Status, TestResult
from streamt.testing.runner import run_tests
from streamt.testing.selection import select_tests
from tests.testing.projects import load

SOURCE = """\
sources:
  - name: orders
    topic: orders.v1
    columns:
      - {name: id, type: BIGINT, primary_key: true}
      - {name: line, type: INT, primary_key: true}
      - {name: amount, type: "DECIMAL(10, 2)", nullable: true}
      - {name: status, type: STRING}
      - {name: at, type: TIMESTAMP(3)}
      - {name: paid, type: BOOLEAN}
      - {name: who, type: "ROW<name STRING, age INT>"}
      - {name: plain}
  - name: customers
    topic: customers.v1
    columns: [{name: nr, type: INT}, {name: code, type: STRING}]
  - {name: bare, topic: bare}
"""


def run(folder: Path, assertions: list[dict[str, Any]], *, target: str = "orders", text: str = SOURCE) -> TestResult:
    kind = "source" if f"- name: {target}" in text.split("models:")[0] or f"{{name: {target}," in text else "model"
    tests = [{"name": "t", kind: target, "type": "schema", "assertions": assertions}]
    project, compiled = load(folder, text + yaml.safe_dump({"tests": tests}))
    (result,) = run_tests(project, compiled, select_tests(project.document))
    return result


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("not_null", {"columns": ["id", "plain", "who.age"]}),
        ("unique_key", {"key": ["id", "line"]}),
        ("accepted_values", {"column": "status", "values": ["NEW", "PAID"]}),
        ("accepted_values", {"column": "amount", "values": [1, 0.5]}),
        ("accepted_types", {"types": {"id": "bigint", "amount": "DECIMAL(10,2)", "who.name": "VARCHAR"}}),
        ("range", {"column": "amount", "min": 0}),
        ("range", {"column": "plain", "min": 0}),
        ("distribution", {"column": "line", "buckets": [{"expected_ratio": 1}]}),
        ("max_lag", {"column": "at", "max_seconds": 5}),
        ("foreign_key", {"column": "id", "ref_model": "customers", "ref_key": "nr"}),
    ],
)
def test_what_the_declarations_can_keep_passes(tmp_path: Path, kind: str, body: dict[str, Any]) -> None:
    result = run(tmp_path, [{kind: body}])
    assert [assertion.kind for assertion in result.assertions] == ["columns", kind]
    assert result.status is Status.PASSED, result


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        ("not_null", {"columns": ["amount"]}, "column `amount` is declared nullable"),
        ("not_null", {"columns": ["who.shoe"]}, "column `who` of `orders` has no field for `who.shoe`"),
        ("unique_key", {"key": "status"}, "the key does not hold all columns of the declared primary key"),
        (
            "accepted_values",
            {"column": "paid", "values": ["yes", True]},
            "not every accepted value is of the type of column `paid`",
        ),
        ("accepted_types", {"types": {"id": "INT"}}, "column `id` is declared with another type"),
        ("accepted_types", {"types": {"plain": "INT"}}, "column `plain` has no declared type"),
        ("range", {"column": "status", "min": 0}, "column `status` is declared with a type that is no number"),
        ("max_lag", {"column": "paid", "max_seconds": 1}, "column `paid` is declared with a type that tells no time"),
        (
            "foreign_key",
            {"column": "id", "ref_model": "customers", "ref_key": "code"},
            "columns `id` and `code` are declared with types that cannot be equal",
        ),
        (
            "foreign_key",
            {"column": "id", "ref_model": "bare", "ref_key": "x"},
            "`bare` declares no column `x`",
        ),
    ],
)
def test_what_they_cannot_keep_fails(tmp_path: Path, kind: str, body: dict[str, Any], message: str) -> None:
    result = run(tmp_path, [{kind: body}])
    assertion = result.assertions[-1]
    assert (result.status, assertion.verdict.message) == (Status.FAILED, message)
    assert str(assertion.location) == "/tests/0/assertions/0"


@pytest.mark.parametrize(("kind", "body"), [("throughput", {"min_per_second": 1}), ("custom_sql", {"sql": "SELECT 1"})])
def test_what_only_records_can_show_is_an_error(tmp_path: Path, kind: str, body: dict[str, Any]) -> None:
    result = run(tmp_path, [{kind: body}])
    assert result.status is Status.ERROR
    assert result.assertions[-1].verdict.message == "can only be judged on records: write `type: sample`"


def test_a_source_that_declares_nothing_fails(tmp_path: Path) -> None:
    result = run(tmp_path, [], target="bare")
    assert [assertion.verdict.message for assertion in result.assertions] == ["`bare` declares no columns"]


def test_a_column_of_a_source_that_declares_none_fails(tmp_path: Path) -> None:
    result = run(tmp_path, [{"not_null": {"columns": ["gone"]}}], target="bare")
    assert result.assertions[-1].verdict.message == "`bare` declares no column `gone`"


MODEL = """\
sources: [{name: s, topic: s}]
models:
  - name: m
    sql: SELECT * FROM {{ source("s") }}
    columns: [{name: id, type: INT}, {name: note, type: STRING, nullable: true}]
    contract:
      enforced: true
      columns: [CONTRACT]
tests: [{name: t, model: m, type: schema}]
"""


@pytest.mark.parametrize(
    ("promised", "message"),
    [
        ("{name: id, type: INTEGER}", "as declared"),
        ("{name: id, type: BIGINT}", "the contract promises another type of column `id` than the model declares"),
        (
            "{name: note, nullable: false}",
            "the contract promises that column `note` has a value, but the model declares it nullable",
        ),
    ],
)
def test_a_contract_is_held_against_the_columns(tmp_path: Path, promised: str, message: str) -> None:
    project, compiled = load(tmp_path, MODEL.replace("CONTRACT", promised))
    (result,) = run_tests(project, compiled, select_tests(project.document))
    contract = result.assertions[1]
    assert (contract.kind, str(contract.location), contract.verdict.message) == (
        "contract",
        "/models/0/contract",
        message,
    )
