"""Assertions that look at one value at a time: not_null, accepted_values, range."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from streamt.diagnostics import quote
from streamt.testing.assertions.base import Accumulator, Batch, Column, Sample, Tally, absent
from streamt.testing.results import Verdict
from streamt.testing.values import are_numbers, exact_number, identity, is_number

if TYPE_CHECKING:
    from streamt.project.language import (
        AcceptedValuesAssertion,
        NotNullAssertion,
        RangeAssertion,
    )


class Check(ABC):
    """What must hold for each value of one column.

    Attributes:
        found: what records do for which it does not hold.
    """

    found: str

    def failing(self, values: list[Any]) -> list[int]:
        """Give the indexes of the values for which it does not hold."""
        if self.holds_for_all(values):
            return []
        return [index for index, value in enumerate(values) if not self.holds(value)]

    @abstractmethod
    def holds_for_all(self, values: list[Any]) -> bool:
        """Tell quickly, for a batch, whether it certainly holds for every value."""

    @abstractmethod
    def holds(self, value: Any) -> bool:
        """Tell whether it holds for one value."""


class EachValue(Accumulator):
    """Applies one check to each of some columns."""

    def __init__(self, checks: Sequence[tuple[Column, Check]]) -> None:
        self._checks = [(column, check, Tally()) for column, check in checks]
        self._records = Tally()

    def add(self, batch: Batch) -> None:
        """Check each column's values."""
        failing: set[int] = set()
        for column, check, tally in self._checks:
            indexes = check.failing(column.values(batch.records))
            tally.add(batch, indexes)
            failing.update(indexes)
        self._records.add(batch, sorted(failing))

    def verdict(self, sample: Sample) -> Verdict:
        """Count the records that fail in any column, and say what fails in which."""
        for column, _check, _tally in self._checks:
            if not column.seen:
                return absent(column, sample.records)
        found = [f"{check.found} {quote(column.name)}" for column, check, tally in self._checks if tally.failing]
        return self._records.verdict(", or ".join(found))


class NotNull(Check):
    """There is a value."""

    found = "lack a value in"

    def holds_for_all(self, values: list[Any]) -> bool:
        """Look for None."""
        return None not in values

    def holds(self, value: Any) -> bool:
        """Tell whether there is a value."""
        return value is not None


class AcceptedValues(Check):
    """The value is one of a list; no value counts only if `null` is in it."""

    found = "have a value that is not accepted in"

    def __init__(self, values: Sequence[str | float | None]) -> None:
        exact = [exact_number(value) if isinstance(value, float) else value for value in values]
        self._accepted = frozenset(map(identity, exact))
        # Python takes True for 1, so truth values go the slow way.
        self._plain = frozenset(value for value in exact if not isinstance(value, bool))
        self._types = frozenset({str, int, Decimal, type(None)})

    def holds_for_all(self, values: list[Any]) -> bool:
        """Compare the set of values."""
        return set(map(type, values)) <= self._types and self._plain.issuperset(values)

    def holds(self, value: Any) -> bool:
        """Tell whether the value is in the list."""
        return identity(value) in self._accepted


class Range(Check):
    """The value is a number between two bounds, both included; no value is fine."""

    found = "have a value outside the range, or no number, in"

    def __init__(self, smallest: float | None, largest: float | None) -> None:
        self._smallest = None if smallest is None else exact_number(smallest)
        self._largest = None if largest is None else exact_number(largest)

    def holds_for_all(self, values: list[Any]) -> bool:
        """Compare the smallest and the largest value."""
        return bool(values) and are_numbers(values) and self.holds(min(values)) and self.holds(max(values))

    def holds(self, value: Any) -> bool:
        """Tell whether the value lies between the bounds."""
        if value is None:
            return True
        if not is_number(value):
            return False
        above = self._smallest is None or value >= self._smallest
        return above and (self._largest is None or value <= self._largest)


def not_null(assertion: "NotNullAssertion") -> Accumulator:
    """Judge `not_null`."""
    return EachValue([(Column(name), NotNull()) for name in assertion.columns])


def accepted_values(assertion: "AcceptedValuesAssertion") -> Accumulator:
    """Judge `accepted_values`."""
    return EachValue([(Column(assertion.column), AcceptedValues(assertion.values))])


def value_range(assertion: "RangeAssertion") -> Accumulator:
    """Judge `range`."""
    return EachValue([(Column(assertion.column), Range(assertion.min, assertion.max))])
