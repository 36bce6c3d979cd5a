"""The assertion that holds values against Flink SQL types: accepted_types.

A table's JSON writes timestamps by one standard or the other, so values are held against both, until one alone has
fitted all records so far; that one counts, for all columns together. Values of Avro have types of their own, and are
held against those.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from streamt.diagnostics import quote
from streamt.sql import FlinkType
from streamt.testing.assertions.base import Accumulator, Batch, Column, Sample, Tally, absent
from streamt.testing.flink_json import Standard, depends_on_standard, takes, takes_all
from streamt.testing.results import Verdict
from streamt.testing.types import accepted_type, admits

if TYPE_CHECKING:
    from streamt.project.language import AcceptedTypesAssertion


class _Found:
    """What fails by one standard: which records, and in which columns."""

    def __init__(self) -> None:
        self.records = Tally()
        self.columns: set[str] = set()


class AcceptedTypes(Accumulator):
    """Every value of a column is of its type; no value is fine, unless the type is NOT NULL."""

    def __init__(self, types: Mapping[str, FlinkType]) -> None:
        self._columns = [(Column(name), flink) for name, flink in types.items()]
        self._matters = any(map(depends_on_standard, types.values()))
        # What was found by each standard that may still be the table's.
        self._found = {standard: _Found() for standard in (Standard if self._matters else [Standard.SQL])}

    def add(self, batch: Batch) -> None:
        """Hold each column's values against its type."""
        values = [column.values(batch.records) for column, _flink in self._columns]
        for standard, found in self._found.items():
            failing: set[int] = set()
            for (column, flink), each in zip(self._columns, values, strict=True):
                indexes = _failing(flink, each, standard, is_json=batch.is_json)
                failing.update(indexes)
                if indexes:
                    found.columns.add(column.name)
            found.records.add(batch, sorted(failing))
        fitting = {standard: found for standard, found in self._found.items() if not found.records.failing}
        self._found = fitting or self._found

    def verdict(self, sample: Sample) -> Verdict:
        """Count the records that fail in any column by the standard that fits better, and say what fails in which."""
        for column, _flink in self._columns:
            if not column.seen:
                return absent(column, sample.records)
        standard = min(self._found, key=lambda each: self._found[each].records.failing)
        found = self._found[standard]
        said = [
            f"have a value that is no {flink} in {quote(column.name)}{_note(column.name, sample)}"
            for column, flink in self._columns
            if column.name in found.columns
        ]
        suffix = f", with timestamps as {standard}" if self._matters else ""
        return found.records.verdict(", or ".join(said) + suffix)


def accepted_types(assertion: "AcceptedTypesAssertion") -> Accumulator:
    """Judge `accepted_types`.

    Raises:
        ValueError: a type is none of Flink SQL.
    """
    return AcceptedTypes({name: accepted_type(text) for name, text in assertion.types.items()})


def _failing(flink: FlinkType, values: list[Any], standard: Standard, *, is_json: bool) -> list[int]:
    """Return the indexes of the values that are not of the type."""
    if not is_json:
        return [index for index, value in enumerate(values) if not admits(flink, value)]
    if takes_all(flink, values, standard):
        return []
    return [index for index, value in enumerate(values) if not takes(flink, value, standard)]


def _note(name: str, sample: Sample) -> str:
    """Name the logical type of Avro that a column's values have, where it is not known here."""
    unknown = sample.unknown_types.get(name)
    return f" (its Avro type {quote(unknown)} is not known)" if unknown else ""
