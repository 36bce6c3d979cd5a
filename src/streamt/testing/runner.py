"""Run tests one after the other, in declared order, and tell what became of each."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from streamt.compiler.artifacts import CompiledProject, Node
from streamt.diagnostics import Code, Diagnostic, ProjectPath, StreamtError
from streamt.project import Project
from streamt.testing.continuous import judge_job
from streamt.testing.listener import Listener
from streamt.testing.problems import cannot_run
from streamt.testing.results import AssertionResult, Counts, Status, TestResult, worst
from streamt.testing.sample import Progress, SampleTest
from streamt.testing.schema_tests import judge_schema
from streamt.testing.selection import Selected

if TYPE_CHECKING:
    from streamt.openlineage.runs import Outcome


class RunObserver(Protocol):
    """Hears of a run's life: of its beginning, and of exactly one end; `RunEmitter` is one."""

    def start(self) -> None:
        """Hear that the first test is about to run; everything that could be checked before is checked."""

    def finish(self, outcome: "Outcome", message: str = "") -> None:
        """Hear how the run ended.

        Args:
            outcome: COMPLETE only if every test passed; ABORT after an interrupt or SIGTERM.
            message: for a run that failed, what happened; nothing of an assertion or a record.
        """


def run_tests(
    project: Project, compiled: CompiledProject, selected: Sequence[Selected], listener: Listener | None = None
) -> tuple[TestResult, ...]:
    """Run the selected tests.

    A test that cannot run is a result, too, so that the others still run.

    Args:
        project: the project.
        compiled: what it means.
        selected: the tests, in the order in which they run.
        listener: hears of each test.
    """
    listener = listener or Listener()
    nodes = {node.name: node for node in compiled.nodes}
    results = []
    for each in selected:
        listener.test_started(each)
        started = time.monotonic()
        result = replace(_run(project, nodes, each, listener.records_read), duration=time.monotonic() - started)
        results.append(result)
        listener.test_finished(result)
    return tuple(results)


def run_observed(run: Callable[[], tuple[TestResult, ...]], observer: RunObserver | None) -> tuple[TestResult, ...]:
    """Run tests between an observer's two calls.

    Args:
        run: runs the tests.
        observer: hears that they start, and how they end, whatever happens.
    """
    if observer is None:
        return run()
    from streamt.openlineage.runs import Outcome

    try:
        observer.start()
        results = run()
    except (KeyboardInterrupt, SystemExit):  # SIGINT and SIGTERM
        observer.finish(Outcome.ABORT)
        raise
    except BaseException as error:
        observer.finish(Outcome.FAIL, f"the tests could not be run ({type(error).__name__})")
        raise
    bad = sum(result.status is not Status.PASSED for result in results)
    if bad:
        observer.finish(Outcome.FAIL, f"{bad} of {len(results)} tests did not pass")
    else:
        observer.finish(Outcome.COMPLETE)
    return results


def _run(project: Project, nodes: Mapping[str, Node], selected: Selected, progress: Progress) -> TestResult:
    try:
        match selected.test.type:
            case "schema":
                return _result(selected, judge_schema(project.document, nodes, selected))
            case "continuous":
                verdict = judge_job(project.document, selected)
                return _result(selected, (AssertionResult("job", selected.location, verdict),))
            case _:
                return _result(selected, *SampleTest(project, nodes, selected).run(progress))
    except StreamtError as error:
        return _broken(selected, error.diagnostics)
    except Exception as error:  # noqa: BLE001 - the other tests still run; the text of what we did not foresee may hold values
        message = f"something unexpected went wrong ({type(error).__name__})"
        return _broken(selected, cannot_run(message, selected.location).diagnostics)


def _result(selected: Selected, assertions: tuple[AssertionResult, ...], counts: Counts | None = None) -> TestResult:
    counts = counts or Counts()
    statuses = [assertion.verdict.status for assertion in assertions]
    message = ""
    if counts.undecodable:
        statuses.append(Status.FAILED)
        total = counts.records + counts.undecodable
        message = f"{counts.undecodable} of {total} records cannot be decoded; see {counts.undecodable_place}"
    return replace(_named(selected), status=worst(statuses), message=message, assertions=assertions, counts=counts)


def _broken(selected: Selected, problems: tuple[Diagnostic, ...]) -> TestResult:
    message = "; ".join(problem.message for problem in problems)
    return replace(_named(selected), status=Status.ERROR, message=message, problems=problems)


def _named(selected: Selected) -> TestResult:
    return TestResult(
        name=selected.test.name,
        target=selected.target,
        type=selected.test.type,
        status=Status.PASSED,
        severity=selected.test.on_failure.severity,
        location=selected.location,
    )


def diagnose(result: TestResult) -> tuple[Diagnostic, ...]:
    """Say as errors of the command what is wrong with a test; nothing for one that fails nothing.

    Each stands at the test, or at a place within it.
    """
    if not result.fails_the_run:
        return ()
    if result.problems:
        return tuple(_within(result, problem) for problem in result.problems)
    code = Code.TEST_FAILED if result.status is Status.FAILED else Code.TEST_ERROR
    ended = "failed" if result.status is Status.FAILED else "could not be judged"
    message = f"test `{result.name}` {ended}: {describe(result)}"
    return (Diagnostic(code=code, message=message, location=result.location),)


def describe(result: TestResult) -> str:
    """Say in words what did not pass."""
    parts = [result.message] if result.message else []
    parts += [
        f"{assertion.kind}: {assertion.verdict.message}"
        for assertion in result.assertions
        if assertion.verdict.status is not Status.PASSED
    ]
    return "; ".join(parts)


def _within(result: TestResult, problem: Diagnostic) -> Diagnostic:
    inside = isinstance(problem.location, ProjectPath) and problem.location.is_within(result.location)
    message = f"test `{result.name}` could not run: {problem.message}"
    return replace(problem, message=message, location=problem.location if inside else result.location)
