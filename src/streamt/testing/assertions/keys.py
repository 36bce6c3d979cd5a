"""Assertions on keys: unique_key, foreign_key."""

from bisect import bisect
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from streamt.diagnostics import quote
from streamt.testing.assertions.base import Accumulator, Batch, Column, Sample, Tally, absent
from streamt.testing.decoding.exact_json import Record
from streamt.testing.durations import seconds
from streamt.testing.results import Verdict
from streamt.testing.values import exact_number, identity

if TYPE_CHECKING:
    from streamt.project.language import ForeignKeyAssertion, UniqueKeyAssertion


class UniqueKey(Accumulator):
    """No key comes twice; a record that lacks a part of the key has none, and is not judged.

    With a `window`, two records with the same key count only if their Kafka timestamps are no further apart.
    `tolerance` is the share of the records with a key that may repeat one.
    """

    def __init__(self, assertion: "UniqueKeyAssertion") -> None:
        names = (assertion.key,) if isinstance(assertion.key, str) else assertion.key
        self._columns = [Column(name) for name in names]
        self._tolerance = exact_number(assertion.tolerance)
        self._window = None if assertion.window is None else int(seconds(assertion.window) * 1000)
        self._seen: set[Hashable] = set()
        # With a window: the timestamps of each key, one alone or a list.
        self._times: dict[Hashable, int | list[int]] = {}
        self._tally = Tally()
        self._keyed = 0

    def add(self, batch: Batch) -> None:
        """Look for keys that were seen before."""
        keys = _keys([column.values(batch.records) for column in self._columns])
        self._keyed += len(keys) - keys.count(None)
        if self._window is None:
            self._tally.add(batch, self._repeats(keys))
        else:
            self._tally.add(batch, self._repeats_in_window(batch, keys, self._window))

    def verdict(self, sample: Sample) -> Verdict:
        """Count the records that repeat a key."""
        for column in self._columns:
            if not column.seen:
                return absent(column, sample.records)
        if self._window is not None:
            # Which records repeat one depends on the order of reading; how many do by the order of time does not.
            self._tally.failing = sum(_close(times, self._window) for times in self._times.values())
        names = ", ".join(quote(column.name) for column in self._columns)
        return self._tally.verdict(f"repeat a key in {names}", allowed=int(self._tolerance * self._keyed))

    def _repeats(self, keys: Sequence[Hashable]) -> list[int]:
        seen = self._seen
        if None not in keys and seen.isdisjoint(keys) and len(set(keys)) == len(keys):
            seen.update(keys)
            return []
        repeats = []
        for index, key in enumerate(keys):
            if key in seen:
                repeats.append(index)
            elif key is not None:
                seen.add(key)
        return repeats

    def _repeats_in_window(self, batch: Batch, keys: Sequence[Hashable], window: int) -> list[int]:
        repeats = []
        for index, key in enumerate(keys):
            if key is None:
                continue
            time = batch.messages[index].timestamp()[1]
            known = self._times.get(key)
            if known is None:
                self._times[key] = time
                continue
            times = known if isinstance(known, list) else [known]
            position = bisect(times, time)
            if any(abs(time - other) <= window for other in times[max(0, position - 1) : position + 1]):
                repeats.append(index)
            times.insert(position, time)
            self._times[key] = times
        return repeats


class ForeignKey(Accumulator):
    """Every value of a column is one of another topic's; a record without a value has nothing to find.

    `match_rate` is the share of the records with a value that must find theirs.
    """

    def __init__(self, assertion: "ForeignKeyAssertion") -> None:
        self.reference = assertion.ref_model
        self._column = Column(assertion.column)
        self._reference_column = Column(assertion.ref_key)
        self._allowed = 1 - exact_number(assertion.match_rate)
        self._known: set[Hashable] = {None}
        self._tally = Tally()
        self._valued = 0

    def learn(self, records: Sequence[Record]) -> None:
        """Remember the keys of some records of the other topic."""
        self._known.update(map(identity, self._reference_column.values(records)))

    def add(self, batch: Batch) -> None:
        """Look for values that are none of the other topic's."""
        keys = _keys([self._column.values(batch.records)])
        self._valued += len(keys) - keys.count(None)
        if self._known.issuperset(keys):
            self._tally.add(batch, ())
            return
        self._tally.add(batch, [index for index, key in enumerate(keys) if key not in self._known])

    def verdict(self, sample: Sample) -> Verdict:
        """Count the records that find no match."""
        if not self._column.seen:
            return absent(self._column, sample.records)
        found = f"have a value in {quote(self._column.name)} that {quote(self.reference)} lacks"
        found += "" if self._reference_column.seen else f", which has no column {quote(self._reference_column.name)}"
        return self._tally.verdict(found, allowed=int(self._allowed * self._valued))


def _keys(columns: Sequence[list[Any]]) -> list[Hashable]:
    """Give the key of each record; None where a part of it is missing."""
    parts = [[identity(value) for value in values] for values in columns]
    if len(parts) == 1:
        return parts[0]
    return [None if None in key else key for key in zip(*parts, strict=True)]


def _close(times: int | list[int], window: int) -> int:
    """Count the times that follow another one by no more than `window` milliseconds."""
    return sum(later - earlier <= window for earlier, later in pairwise(times)) if isinstance(times, list) else 0
