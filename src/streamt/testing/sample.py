"""Sample tests: what is read and judged in a worker process, and what its outcome means for the test."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from streamt.compiler.artifacts import Node
from streamt.diagnostics import Diagnostic, StreamtError
from streamt.project.language import Assertion
from streamt.project.loaded import Project
from streamt.testing import problems
from streamt.testing.access import Access, access_to
from streamt.testing.assertions.base import Accumulator, records
from streamt.testing.assertions.factory import accumulator_of
from streamt.testing.assertions.keys import ForeignKey
from streamt.testing.durations import seconds
from streamt.testing.results import AssertionResult, Counts
from streamt.testing.sampling.job import Job, Phase, Trouble, TroubleKind
from streamt.testing.sampling.limits import MEMORY_GIB
from streamt.testing.sampling.process import Death, Worker
from streamt.testing.selection import Selected

T = TypeVar("T")
# Takes how many records were read, and how many are to be.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a test found.

    Attributes:
        assertions: one result for each assertion that was judged, in declaration order.
        counts: what was read.
        problems: what kept the test, or a part of it, from being judged.
    """

    assertions: tuple[AssertionResult, ...] = ()
    counts: Counts = field(default_factory=Counts)
    problems: tuple[Diagnostic, ...] = ()


class SampleTest:
    """One sample test, checked and ready to run: making it reads no record and asks no server."""

    def __init__(self, project: Project, nodes: Mapping[str, Node], selected: Selected) -> None:
        """Find what the test needs.

        Raises:
            StreamtError: E531, with everything that is wrong with it.
        """
        self._selected = selected
        found: list[Diagnostic] = []

        def access(name: str) -> Access | None:
            # The language has checked that the name is declared.
            return _kept(found, lambda: access_to(project, nodes[name], selected.location))

        def judge(index: int, assertion: Assertion) -> Accumulator | None:
            location = selected.location / "assertions" / index
            return _kept(found, lambda: accumulator_of(assertion, nodes[selected.target], location))

        own = access(selected.target)
        judges = [judge(index, assertion) for index, assertion in enumerate(selected.test.assertions)]
        others = {index: access(judge.reference) for index, judge in enumerate(judges) if isinstance(judge, ForeignKey)}
        if not judges:
            message = "the test has no assertion, so there is nothing that records could show"
            found.extend(problems.cannot_run(message, selected.location).diagnostics)
        if found:
            raise StreamtError(*dict.fromkeys(found))
        every: list[tuple[int | None, Access | None]] = [(None, own), *others.items()]
        self._access = {index: each for index, each in every if each}
        self._job = Job(
            topic=self._access[None].topic,
            limit=project.document.sample_size(selected.test),
            seconds=float(seconds(selected.test.timeout)),
            judges=tuple(judge for judge in judges if judge),
            references={index: each.topic for index, each in self._access.items() if index is not None},
        )

    def run(self, worker: Worker, progress: Progress) -> Judged:
        """Read the sample and judge it, in a process of its own."""
        outcome = worker.run(self._job, progress)
        counts = outcome.counts or Counts()
        found: list[Diagnostic] = []
        if outcome.trouble is not None:
            found += self._trouble(outcome.trouble).diagnostics
        elif outcome.death is not None:
            found += self._death(outcome.death).diagnostics
        elif not counts.records + counts.undecodable:
            found += self._nothing_read(counts).diagnostics
        found += problems.setup_problems(counts, self._selected.location)
        results = tuple(
            AssertionResult(assertion.kind, self._selected.location / "assertions" / index, outcome.verdicts[index])
            for index, assertion in enumerate(self._selected.test.assertions)
            if index in outcome.verdicts
        )
        return Judged(results, counts, tuple(found))

    def _trouble(self, trouble: Trouble) -> StreamtError:
        access, location = self._access[trouble.reference], self._selected.location
        match trouble.kind:
            case TroubleKind.BROKER if trouble.failure:
                return problems.broker_problem(trouble.failure, access.target, access.broker, location)
            case TroubleKind.REGISTRY if trouble.failure:
                return problems.registry_problem(trouble.failure, location)
            case TroubleKind.REFERENCE_CUT_SHORT:
                message = f"{access.target} could not be read to its end in time, so no foreign key can be judged"
                return self._error(message, "raise the test's timeout")
            case TroubleKind.REFERENCE_UNDECODABLE if trouble.counts:
                count = records(trouble.counts.undecodable)
                why = problems.causes_in_words(trouble.counts.causes)
                return self._error(f"{count} of {access.target} cannot be decoded: {why}")
            case TroubleKind.MEMORY:
                return self._error(f"the sample needs more than {MEMORY_GIB} GiB of memory", "lower sample_size")
            case _:
                return self._error(f"something unexpected went wrong ({trouble.name or trouble.kind})")

    def _death(self, death: Death) -> StreamtError:
        if death.signal is None:
            hint = "raise the test's timeout" if death.phase is Phase.READING else None
            return self._error(f"{death.phase} took too long, and was stopped", hint)
        message = f"{death.phase} crashed the process that did it ({death.signal})"
        return self._error(message, "find what is at fault with a smaller sample_size, or with fewer assertions")

    def _nothing_read(self, counts: Counts) -> StreamtError:
        target = self._access[None].target
        if counts.timed_out:
            message = f"no record of {target} could be read within {self._selected.test.timeout}"
            return self._error(message, "raise the test's timeout")
        also = f" but {counts.tombstones} without a value" if counts.tombstones else ""
        return self._error(f"the topic of {target} holds no record{also}, so nothing was tested")

    def _error(self, message: str, hint: str | None = None) -> StreamtError:
        return problems.cannot_run(message, self._selected.location, hint)


def _kept(found: list[Diagnostic], make: Callable[[], T]) -> T | None:
    """Return what `make` gives, and keep what is wrong with it."""
    try:
        return make()
    except StreamtError as error:
        found.extend(error.diagnostics)
        return None
