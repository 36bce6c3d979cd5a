"""Which tests are run, which topics they read, and what is tested by what."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from streamt.diagnostics import Code, Diagnostic, Option, ProjectPath, StreamtError, did_you_mean, quote
from streamt.project.language import Document, ForeignKeyAssertion, Test


@dataclass(frozen=True, slots=True)
class Selected:
    """One test that is to run.

    Attributes:
        index: its position among the project's tests.
        test: what it says.
    """

    index: int
    test: Test

    @property
    def target(self) -> str:
        """The logical name of the model or source that is tested."""
        return self.test.model or self.test.source or ""

    @property
    def location(self) -> ProjectPath:
        """Where the test stands."""
        return ProjectPath(("tests", self.index))


@dataclass(frozen=True, slots=True)
class Covered:
    """One source or model, and the tests of it.

    Attributes:
        kind: `source` or `model`.
        name: its logical name.
        tests: the names of its tests, in declaration order, by type.
    """

    kind: str
    name: str
    schema: tuple[str, ...]
    sample: tuple[str, ...]
    continuous: tuple[str, ...]

    @property
    def is_tested(self) -> bool:
        """Whether it has any test."""
        return bool(self.schema or self.sample or self.continuous)


def select_tests(
    document: Document,
    *,
    targets: Container[str] | None = None,
    model: str | None = None,
    name: str | None = None,
    kind: str | None = None,
) -> tuple[Selected, ...]:
    """Choose tests, in declaration order; each restriction that is given must hold.

    Args:
        document: the project.
        targets: logical names of models and sources, whose tests are meant.
        model: logical name of the tested model or source.
        name: the test's name.
        kind: the test's type.

    Raises:
        StreamtError: E500; no model, source or test has that name.
    """
    names = [*(source.name for source in document.sources), *(model.name for model in document.models)]
    problems = [
        *_unknown("model", "model or source", model, names),
        *_unknown("name", "test", name, [test.name for test in document.tests]),
    ]
    if problems:
        raise StreamtError(*problems)
    every = (Selected(index, test) for index, test in enumerate(document.tests))
    return tuple(
        each
        for each in every
        if (targets is None or each.target in targets)
        and model in (None, each.target)
        and name in (None, each.test.name)
        and kind in (None, each.test.type)
    )


def consumed_topics(selected: Iterable[Selected]) -> tuple[str, ...]:
    """Name the sources and models (by logical name) whose topics running `selected` reads.

    Only samples read topics: the tested one's, and the one that a foreign key points to.

    Returns:
        Each name once, sorted.
    """
    samples = [each for each in selected if each.test.type == "sample"]
    own = {each.target for each in samples}
    others = {
        assertion.body.ref_model
        for each in samples
        for assertion in each.test.assertions
        if isinstance(assertion.body, ForeignKeyAssertion)
    }
    return tuple(sorted(own | others))


def coverage(document: Document) -> tuple[Covered, ...]:
    """Tell for each source, then each model, in declaration order, which tests it has."""
    nodes = chain(
        (("source", source.name) for source in document.sources),
        (("model", model.name) for model in document.models),
    )
    tests: dict[tuple[str, str], list[str]] = {}
    for test in document.tests:
        tests.setdefault((test.model or test.source or "", test.type), []).append(test.name)
    return tuple(
        Covered(kind, name, *(tuple(tests.get((name, each), ())) for each in ("schema", "sample", "continuous")))
        for kind, name in nodes
    )


def _unknown(option: str, what: str, wanted: str | None, known: Sequence[str]) -> list[Diagnostic]:
    if wanted is None or wanted in known:
        return []
    message, hint = f"unknown {what} {quote(wanted)}", did_you_mean(wanted, known)
    return [Diagnostic(code=Code.USAGE_ERROR, message=message, location=Option(option), hint=hint)]
