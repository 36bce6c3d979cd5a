"""The run as a whole: its observer, its results, and what becomes of each of them."""

from pathlib import Path

import pytest

from streamt.diagnostics import Code, ProjectPath
from streamt.openlineage.runs import Outcome
from streamt.testing.findings import diagnose
from streamt.testing.listener import Listener
from streamt.testing.results import Status, TestResult
from streamt.testing.runner import run_observed, run_tests
from streamt.testing.selection import Selected, select_tests
from tests.testing.projects import load


class Log:
    """An observer that remembers what it heard."""

    def __init__(self) -> None:
        self.heard: list[str | tuple[Outcome, str]] = []

    def start(self) -> None:
        self.heard.append("start")

    def finish(self, outcome: Outcome, message: str = "") -> None:
        self.heard.append((outcome, message))


def result(status: Status, severity: str = "error") -> TestResult:
    return TestResult(
        name="t", target="s", type="schema", status=status, severity=severity, location=ProjectPath(("tests", 0))
    )


@pytest.mark.parametrize(
    ("results", "end"),
    [
        ([Status.PASSED, Status.PASSED], (Outcome.COMPLETE, "")),
        ([Status.PASSED, Status.FAILED], (Outcome.FAIL, "1 of 2 tests did not pass")),
        ([Status.ERROR], (Outcome.FAIL, "1 of 1 tests did not pass")),
    ],
)
def test_a_run_that_ends_is_complete_only_if_all_passed(results: list[Status], end: tuple[Outcome, str]) -> None:
    log = Log()
    run_observed(lambda: tuple(map(result, results)), log)
    assert log.heard == ["start", end]


def test_a_failed_warning_is_no_complete_run() -> None:
    log = Log()
    run_observed(lambda: (result(Status.FAILED, "warning"),), log)
    assert log.heard[1] == (Outcome.FAIL, "1 of 1 tests did not pass")


@pytest.mark.parametrize(
    ("error", "end"),
    [
        (KeyboardInterrupt(), (Outcome.ABORT, "")),
        (SystemExit(143), (Outcome.ABORT, "")),
        (ValueError("SECRET"), (Outcome.FAIL, "the tests could not be run (ValueError)")),
    ],
)
def test_a_run_that_breaks_off_has_one_end_and_keeps_its_error(error: BaseException, end: tuple[Outcome, str]) -> None:
    def run() -> tuple[TestResult, ...]:
        raise error

    log = Log()
    with pytest.raises(type(error)) as caught:
        run_observed(run, log)
    assert caught.value is error
    assert log.heard == ["start", end]


def test_without_an_observer_a_run_is_just_run() -> None:
    assert run_observed(lambda: (result(Status.PASSED),), None) == (result(Status.PASSED),)


TEXT = """\
sources:
  - {name: orders, topic: orders, columns: [{name: id, type: INT}, {name: x, nullable: true}]}
tests:
  - {name: no_cluster, source: orders, type: sample, assertions: [{not_null: {columns: [id]}}]}
  - {name: good, source: orders, type: schema, assertions: [{not_null: {columns: [id]}}]}
  - {name: bad, source: orders, type: schema, assertions: [{not_null: {columns: [x]}}, {throughput: {}}]}
  - name: mild
    source: orders
    type: schema
    assertions: [{not_null: {columns: [x]}}]
    on_failure: {severity: warning}
"""


class Heard(Listener):
    """A listener that remembers names."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def test_started(self, selected: Selected) -> None:
        self.names.append(f"{selected.test.name}?")

    def test_finished(self, result: TestResult) -> None:
        self.names.append(f"{result.name}!")


def test_every_test_has_a_result_in_declared_order(tmp_path: Path) -> None:
    project, compiled = load(tmp_path, TEXT)
    heard = Heard()
    results = run_tests(project, compiled, select_tests(project.document), heard)
    assert [(each.name, each.status.value) for each in results] == [
        ("no_cluster", "error"),
        ("good", "passed"),
        ("bad", "error"),
        ("mild", "failed"),
    ]
    assert heard.names[:4] == ["no_cluster?", "no_cluster!", "good?", "good!"]


def test_each_thing_that_is_wrong_becomes_an_error_at_its_own_place(tmp_path: Path) -> None:
    project, compiled = load(tmp_path, TEXT)
    results = run_tests(project, compiled, select_tests(project.document))
    problems = [problem for each in results for problem in diagnose(each)]
    assert [(problem.code, str(problem.location), problem.message) for problem in problems] == [
        (
            Code.TEST_ERROR,
            "/tests/0",
            "test `no_cluster` could not be judged: the project does not say where its Kafka cluster is",
        ),
        (
            Code.TEST_FAILED,
            "/tests/2/assertions/0",
            "test `bad` failed: not_null: column `x` is declared nullable",
        ),
        (
            Code.TEST_ERROR,
            "/tests/2/assertions/1",
            "test `bad` could not be judged: throughput: can only be judged on records: write `type: sample`",
        ),
    ]


def unforeseen(*_arguments: object) -> None:
    raise ZeroDivisionError("SECRET")


def terminated(*_arguments: object) -> None:
    raise SystemExit(143)


def test_what_nobody_foresaw_breaks_one_test_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, compiled = load(tmp_path, TEXT)
    monkeypatch.setattr("streamt.testing.runner.SampleTest", unforeseen)
    first, good, *_others = run_tests(project, compiled, select_tests(project.document))
    assert (first.status, good.status) == (Status.ERROR, Status.PASSED)
    (problem,) = diagnose(first)
    said = "test `no_cluster` could not be judged: something unexpected went wrong (ZeroDivisionError)"
    assert (problem.code, problem.message) == (Code.TEST_ERROR, said)


def test_a_signal_is_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, compiled = load(tmp_path, TEXT)
    monkeypatch.setattr("streamt.testing.runner.SampleTest", terminated)
    with pytest.raises(SystemExit):
        run_tests(project, compiled, select_tests(project.document))
