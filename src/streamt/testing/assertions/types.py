"""The assertion that holds values against Flink SQL types: accepted_types.

A table's JSON writes timestamps by one standard or the other, so values are held against both, and the one that fits
better counts for all columns together. Values of Avro have types of their own, and are held against those.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from streamt.sql import FlinkType
from streamt.testing.assertions.base import Accumulator, Batch, Column, Sample, Tally, absent
from streamt.testing.flink_json import Standard, depends_on_standard, takes, takes_all
from streamt.testing.results import Verdict
from streamt.testing.types import accepted_type, admits

if TYPE_CHECKING:
    from streamt.project.language import AcceptedTypesAssertion


class AcceptedTypes(Accumulator):
    """Every value of a column is of its type; no value is fine, unless the type is NOT NULL."""

    def __init__(self, types: Mapping[str, FlinkType]) -> None:
        self._columns = [(Column(name), flink) for name, flink in types.items()]
        self._records = {standard: Tally() for standard in Standard}
        self._failing: dict[Standard, set[str]] = {standard: set() for standard in Standard}

    def add(self, batch: Batch) -> None:
        """Hold each column's values against its type."""
        failing: dict[Standard, set[int]] = {standard: set() for standard in Standard}
        for column, flink in self._columns:
            values = column.values(batch.records)
            if batch.is_json and takes_all(flink, values):
                continue
            for standard, indexes in _failing(flink, values, is_json=batch.is_json).items():
                failing[standard].update(indexes)
                if indexes:
                    self._failing[standard].add(column.name)
        for standard, tally in self._records.items():
            tally.add(batch, sorted(failing[standard]))

    def verdict(self, sample: Sample) -> Verdict:
        """Count the records that fail in any column by the standard that fits better, and say what fails in which."""
        for column, _flink in self._columns:
            if not column.seen:
                return absent(column, sample.records)
        standard = min(Standard, key=lambda each: self._records[each].failing)
        found = [
            f"have a value that is no {flink} in `{column.name}`{_note(column.name, sample)}"
            for column, flink in self._columns
            if column.name in self._failing[standard]
        ]
        matters = any(depends_on_standard(flink) for _column, flink in self._columns)
        suffix = f", with timestamps as {standard}" if matters else ""
        return self._records[standard].verdict(", or ".join(found) + suffix)


def accepted_types(assertion: "AcceptedTypesAssertion") -> Accumulator:
    """Judge `accepted_types`.

    Raises:
        ValueError: a type is none of Flink SQL.
    """
    return AcceptedTypes({name: accepted_type(text) for name, text in assertion.types.items()})


def _failing(flink: FlinkType, values: list[Any], *, is_json: bool) -> Mapping[Standard, list[int]]:
    """Return, for each standard, the indexes of the values that are not of the type."""
    if not is_json:
        bad = [index for index, value in enumerate(values) if not admits(flink, value)]
        return dict.fromkeys(Standard, bad)
    if not depends_on_standard(flink):
        bad = [index for index, value in enumerate(values) if not takes(flink, value, Standard.SQL)]
        return dict.fromkeys(Standard, bad)
    return {
        standard: [index for index, value in enumerate(values) if not takes(flink, value, standard)]
        for standard in Standard
    }


def _note(name: str, sample: Sample) -> str:
    """Name the logical type of Avro that a column's values have, where it is not known here."""
    unknown = sample.unknown_types.get(name)
    return f" (its Avro type `{unknown}` is not known)" if unknown else ""
