"""Small samples: records with places, judged by one assertion as the runner does it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from streamt.compiler.artifacts import CompiledColumn, Node, NodeKind
from streamt.diagnostics import ProjectPath
from streamt.project.language import Assertion
from streamt.testing.assertions import Batch, Sample
from streamt.testing.assertions.factory import accumulator_of
from streamt.testing.assertions.keys import ForeignKey
from streamt.testing.results import Verdict

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class At:
    """A record's place and Kafka timestamp."""

    at_offset: int
    at_partition: int = 0
    milliseconds: int = int(NOW.timestamp() * 1000)
    kind: int = 1

    def partition(self) -> int:
        return self.at_partition

    def offset(self) -> int:
        return self.at_offset

    def timestamp(self) -> tuple[int, int]:
        return self.kind, self.milliseconds


def judge(
    kind: str,
    body: Mapping[str, Any],
    records: Sequence[Mapping[str, Any]],
    *,
    places: Sequence[At] | None = None,
    columns: Sequence[CompiledColumn] = (),
    reference: Sequence[Mapping[str, Any]] = (),
    batch_size: int = 3,
    finished: frozenset[int] = frozenset({0}),
) -> Verdict:
    """Stream `records` through one assertion, in batches; offsets count from 100."""
    assertion = Assertion.model_validate({kind: body})
    node = Node(kind=NodeKind.SOURCE, name="orders", location=ProjectPath(("sources", 0)), columns=tuple(columns))
    judge = accumulator_of(assertion, node, ProjectPath(("tests", 0, "assertions", 0)))
    if isinstance(judge, ForeignKey):
        judge.learn(reference)
    at = places or [At(100 + index) for index in range(len(records))]
    for start in range(0, len(records), batch_size):
        end = start + batch_size
        judge.add(Batch(records[start:end], at[start:end]))
    return judge.verdict(Sample(NOW, len(records), finished))
