"""What a test found, as frozen values."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from streamt.diagnostics import Diagnostic, ProjectPath
from streamt.testing.decoding.faults import Fault


class Status(StrEnum):
    """How a test or an assertion ended: it held, it did not, or it could not be judged."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class RecordPosition:
    """One record to look at."""

    partition: int
    offset: int

    def __str__(self) -> str:
        return f"partition {self.partition}, offset {self.offset}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of one assertion.

    Attributes:
        status: how it ended.
        message: what was found, in one sentence; counts and names of columns, never a value of a record.
        failing: how many records speak against it.
        judged: how many records it looked at; tombstones and what does not decode are not among them.
        place: the first record read that speaks against it.
    """

    status: Status
    message: str
    failing: int = 0
    judged: int = 0
    place: RecordPosition | None = None


@dataclass(frozen=True, slots=True)
class AssertionResult:
    """One assertion of a test, with its verdict.

    Attributes:
        kind: its key in the project file, such as `not_null`.
        location: the place of it.
        verdict: what became of it.
    """

    kind: str
    location: ProjectPath
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Cause:
    """Why some records of a sample could not be decoded.

    Attributes:
        fault: what they have in common.
        count: how many they are.
        place: the first of them that was read.
    """

    fault: Fault
    count: int
    place: RecordPosition


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many records a sample had, and of what kind.

    Attributes:
        records: those that were judged.
        tombstones: those without a value, skipped.
        causes: why others could not be decoded, in the order in which they came.
        timed_out: whether the time was up before the sample was whole.
    """

    records: int = 0
    tombstones: int = 0
    causes: tuple[Cause, ...] = ()
    timed_out: bool = False

    @property
    def undecodable(self) -> int:
        """How many values could not be decoded."""
        return sum(cause.count for cause in self.causes)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """One test, run.

    Attributes:
        name: the test's name.
        target: logical name of the model or source.
        type: `schema`, `sample` or `continuous`.
        status: how it ended.
        severity: what `on_failure` says: `error`, or `warning` for a test whose failures fail nothing.
        location: the place of the test.
        message: what there is to say of the test as a whole; empty when all went well.
        undecodable: why records that are no fault of a set-up cannot be decoded, with counts; empty if all can.
        assertions: one result for each assertion that was judged, in declaration order.
        counts: what was read; all zero but for a sample.
        duration: seconds that the test took.
        problems: what kept the test from being judged, with code, place and hint.
    """

    __test__ = False  # pytest must not take it for one of its own

    name: str
    target: str
    type: str
    status: Status
    severity: str
    location: ProjectPath
    message: str = ""
    undecodable: str = ""
    assertions: tuple[AssertionResult, ...] = ()
    counts: Counts = Counts()
    duration: float = 0.0
    problems: tuple[Diagnostic, ...] = ()

    @property
    def fails_the_run(self) -> bool:
        """Whether the command fails because of this test: severity is for failures, never for what could not run."""
        return self.status is Status.ERROR or (self.status is Status.FAILED and self.severity == "error")


def worst(statuses: Sequence[Status]) -> Status:
    """Give the worst of `statuses`: an error before a failure before a pass."""
    return next((each for each in (Status.ERROR, Status.FAILED) if each in statuses), Status.PASSED)
