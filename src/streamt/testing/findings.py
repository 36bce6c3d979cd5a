"""From results to errors of the command: one for each thing that is wrong, each at its own place."""

from collections.abc import Iterator
from dataclasses import replace

from streamt.diagnostics import Code, Diagnostic, quote
from streamt.testing.results import AssertionResult, Status, TestResult


def diagnose(result: TestResult) -> tuple[Diagnostic, ...]:
    """Return as errors what is wrong with a test: each failed assertion, and what could not be judged, at its place."""
    return tuple(_named(result, finding) for finding in findings(result) if is_error(result, finding))


def is_error(result: TestResult, finding: Diagnostic) -> bool:
    """Report whether a finding fails the command: severity is for failures, never for what could not be judged."""
    return finding.code is not Code.TEST_FAILED or result.severity == "error"


def findings(result: TestResult) -> Iterator[Diagnostic]:
    """Yield everything that is wrong with a test, whatever its severity, without the test's name."""
    for problem in result.problems:
        yield replace(problem, location=problem.location or result.location)
    if result.undecodable:
        yield Diagnostic(code=Code.TEST_FAILED, message=result.undecodable, location=result.location)
    for assertion in result.assertions:
        if assertion.verdict.status is not Status.PASSED:
            yield _finding(assertion)


def _finding(assertion: AssertionResult) -> Diagnostic:
    code = Code.TEST_FAILED if assertion.verdict.status is Status.FAILED else Code.TEST_ERROR
    message = f"{assertion.kind}: {assertion.verdict.message}"
    return Diagnostic(code=code, message=message, location=assertion.location)


def _named(result: TestResult, finding: Diagnostic) -> Diagnostic:
    ended = "failed" if finding.code is Code.TEST_FAILED else "could not be judged"
    return replace(finding, message=f"test {quote(result.name)} {ended}: {finding.message}")
