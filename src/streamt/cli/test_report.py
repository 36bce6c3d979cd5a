"""What `streamt test` shows of its results and of the coverage: lines for people, plain data for JSON."""

from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from streamt.cli.output import Result, counted, encode, table
from streamt.diagnostics import Diagnostic, PlacedDiagnostic
from streamt.testing.findings import diagnose, findings, is_error

if TYPE_CHECKING:
    from streamt.project.language import Document
    from streamt.testing.results import AssertionResult, TestResult
    from streamt.workspace import Workspace

_WORDS = {"passed": "PASS", "failed": "FAIL", "error": "ERROR"}


def report(workspace: "Workspace", results: "Sequence[TestResult]", undelivered: Sequence[Diagnostic]) -> Result:
    """Show what became of each test.

    Args:
        workspace: the project.
        results: one for each test that ran, in order.
        undelivered: warnings of run events that were not delivered.
    """
    problems = [problem for result in results for problem in diagnose(result)]
    return Result(
        data=encode(_data(results)),
        summary="\n".join([*_lines(workspace, results), _summary(results)]),
        warnings=workspace.placed(*workspace.warnings, *undelivered),
        errors=workspace.placed(*problems),
    )


def _lines(workspace: "Workspace", results: "Sequence[TestResult]") -> Iterator[str]:
    """Yield a line for each test, and below it one for each thing that did not pass and is no error."""
    rows = [
        (_word(result), result.name, f"{result.type} of {result.target}", _read(result), f"{result.duration:.1f} s")
        for result in results
    ]
    for result, line in zip(results, table(rows), strict=True):
        yield line
        for finding in workspace.placed(*(each for each in findings(result) if not is_error(result, each))):
            yield f"      {_place(finding)}{finding.message}"


def _word(result: "TestResult") -> str:
    """Name the end of a test; one whose failures fail nothing is a warning."""
    return _WORDS[result.status] if result.fails_the_run or result.status == "passed" else "WARN"


def _place(finding: PlacedDiagnostic) -> str:
    parts = [str(part) for part in (finding.file, finding.line, finding.column) if part is not None]
    return f"{':'.join(parts)}: " if parts else ""


def _read(result: "TestResult") -> str:
    if result.type != "sample":
        return ""
    counts = result.counts
    more = [counted(counts.tombstones, "tombstone")] if counts.tombstones else []
    more += ["time was up"] if counts.timed_out else []
    return ", ".join([counted(counts.records + counts.undecodable, "record"), *more])


def _summary(results: "Sequence[TestResult]") -> str:
    if not results:
        return "no test is selected"
    counts = _counts(results)
    words = [f"{counts[name]} {name}" for name in ("passed", "failed", "error", "warning") if counts[name]]
    return f"{counted(len(results), 'test')}: {', '.join(words)}"


def _counts(results: "Sequence[TestResult]") -> dict[str, int]:
    """Count the tests by their ends; one whose failures fail nothing is a warning and nothing else."""
    counts = {"total": len(results), "passed": 0, "failed": 0, "error": 0, "warning": 0}
    for result in results:
        counts["warning" if _word(result) == "WARN" else str(result.status)] += 1
    return counts


def _data(results: "Sequence[TestResult]") -> dict[str, Any]:
    return {"tests": [_test_data(result) for result in results], "counts": _counts(results)}


def _test_data(result: "TestResult") -> dict[str, Any]:
    counts = result.counts
    return {
        "name": result.name,
        "target": result.target,
        "type": result.type,
        "status": result.status,
        "severity": result.severity,
        "location": str(result.location),
        "message": result.message,
        "records": counts.records,
        "tombstones": counts.tombstones,
        "undecodable": counts.undecodable,
        "timed_out": counts.timed_out,
        "duration_seconds": round(result.duration, 3),
        "assertions": [_assertion_data(assertion) for assertion in result.assertions],
    }


def _assertion_data(assertion: "AssertionResult") -> dict[str, Any]:
    verdict = assertion.verdict
    place = {"partition": verdict.place.partition, "offset": verdict.place.offset} if verdict.place else None
    return {
        "kind": assertion.kind,
        "location": str(assertion.location),
        "status": verdict.status,
        "message": verdict.message,
        "failing": verdict.failing,
        "judged": verdict.judged,
        "place": place,
    }


def report_coverage(workspace: "Workspace", names: Container[str]) -> Result:
    """Show which of the sources and models `names` have which tests."""
    from streamt.testing.selection import coverage

    document: Document = workspace.project.document
    covered = [each for each in coverage(document) if each.name in names]
    rows = [["KIND", "NAME", "SCHEMA", "SAMPLE", "CONTINUOUS"]]
    rows += [
        [each.kind, each.name, *(", ".join(names) or "-" for names in (each.schema, each.sample, each.continuous))]
        for each in covered
    ]
    tested = sum(each.is_tested for each in covered)
    data = {
        "coverage": [
            {
                "kind": each.kind,
                "name": each.name,
                "tests": {"schema": each.schema, "sample": each.sample, "continuous": each.continuous},
            }
            for each in covered
        ],
        "counts": {"total": len(covered), "tested": tested},
    }
    return Result(
        text=(f"{line}\n".encode(errors="backslashreplace") for line in table(rows)),
        data=encode(data),
        summary=f"{tested} of {len(covered)} sources and models have tests",
        warnings=workspace.placed(*workspace.warnings),
    )
