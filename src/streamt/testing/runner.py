"""Run tests one after the other, in declared order, and tell what became of each."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from streamt.compiler.artifacts import CompiledProject, Node
from streamt.diagnostics import StreamtError
from streamt.project.loaded import Project
from streamt.testing.continuous import judge_job
from streamt.testing.listener import Listener
from streamt.testing.problems import cannot_run, undecodable
from streamt.testing.results import AssertionResult, Status, TestResult, worst
from streamt.testing.sample import Judged, Progress, SampleTest
from streamt.testing.sampling.process import Worker
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
    with Worker() as worker:
        for each in selected:
            listener.test_started(each)
            started = time.monotonic()
            result = _run(project, nodes, each, worker, listener.records_read)
            results.append(replace(result, duration=time.monotonic() - started))
            listener.test_finished(results[-1])
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


def _run(
    project: Project, nodes: Mapping[str, Node], selected: Selected, worker: Worker, progress: Progress
) -> TestResult:
    try:
        match selected.test.type:
            case "schema":
                return _result(selected, Judged(judge_schema(project.document, nodes, selected)))
            case "continuous":
                verdict = judge_job(project.document, selected)
                return _result(selected, Judged((AssertionResult("job", selected.location, verdict),)))
            case _:
                return _result(selected, SampleTest(project, nodes, selected).run(worker, progress))
    except StreamtError as error:
        return _result(selected, Judged(problems=error.diagnostics))
    except Exception as error:  # noqa: BLE001 - the other tests still run; the text of what we did not foresee may hold values
        message = f"something unexpected went wrong ({type(error).__name__})"
        return _result(selected, Judged(problems=cannot_run(message, selected.location).diagnostics))


def _result(selected: Selected, judged: Judged) -> TestResult:
    lost = undecodable(judged.counts)
    statuses = [assertion.verdict.status for assertion in judged.assertions]
    statuses += [Status.FAILED] if lost else []
    statuses += [Status.ERROR] if judged.problems else []
    return TestResult(
        name=selected.test.name,
        target=selected.target,
        type=selected.test.type,
        status=worst(statuses),
        severity=selected.test.on_failure.severity,
        location=selected.location,
        message="; ".join([*(problem.message for problem in judged.problems), *([lost] if lost else [])]),
        undecodable=lost,
        assertions=judged.assertions,
        counts=judged.counts,
        problems=judged.problems,
    )
