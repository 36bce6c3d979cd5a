"""Sample tests: read records, and let the assertions judge them as they stream by."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from streamt.compiler.artifacts import Node
from streamt.diagnostics import Diagnostic, ProjectPath, StreamtError
from streamt.project import Project
from streamt.testing.assertions import Accumulator, Batch, Sample, accumulator_of
from streamt.testing.assertions.base import place_of, records
from streamt.testing.assertions.keys import ForeignKey
from streamt.testing.connection import Access, access_to
from streamt.testing.decode import Decoder, Record, Undecodable
from streamt.testing.durations import seconds
from streamt.testing.problems import cannot_run
from streamt.testing.reader import Deadline, TopicReader
from streamt.testing.registry import decoding
from streamt.testing.results import AssertionResult, Counts, Place
from streamt.testing.selection import Selected

if TYPE_CHECKING:
    from confluent_kafka import Message

# Takes how many records were read, and how many are to be.
Progress = Callable[[int, int], None]


class Gauge:
    """Counts what is read of one topic, and decodes it."""

    def __init__(self, decode: Decoder) -> None:
        self._decode = decode
        self.records = 0
        self.tombstones = 0
        self.undecodable = 0
        self.undecodable_place: Place | None = None

    def batch(self, messages: Sequence["Message"]) -> Batch:
        """Decode `messages`, without those that have no value or cannot be decoded."""
        records: list[Record] = []
        kept: list[Message] = []
        for message in messages:
            value = message.value()
            if value is None:
                self.tombstones += 1
                continue
            try:
                # A value is bytes: no deserializer is set on the client.
                records.append(self._decode(value))
            except Undecodable:
                self.undecodable += 1
                self.undecodable_place = self.undecodable_place or place_of(message)
                continue
            kept.append(message)
        self.records += len(records)
        return Batch(records, kept)

    def counts(self, *, timed_out: bool) -> Counts:
        """Give what was counted."""
        return Counts(
            records=self.records,
            tombstones=self.tombstones,
            undecodable=self.undecodable,
            undecodable_place=self.undecodable_place,
            timed_out=timed_out,
        )


class SampleTest:
    """One sample test, checked and ready to run: making it reads no record and asks no server."""

    def __init__(self, project: Project, nodes: Mapping[str, Node], selected: Selected) -> None:
        """Find what the test needs.

        Raises:
            StreamtError: E531, with everything that is wrong with it.
        """
        self._project = project
        self._nodes = nodes
        self._selected = selected
        self._limit = project.document.sample_size(selected.test)
        self._timeout = float(seconds(selected.test.timeout))
        problems: list[Diagnostic] = []
        self._access = self._find(selected.target, problems)
        self._judges = self._accumulators(problems)
        self._references = [
            (judge, self._find(judge.reference, problems))
            for _kind, _location, judge in self._judges
            if isinstance(judge, ForeignKey)
        ]
        if not selected.test.assertions:
            message = "the test has no assertion, so there is nothing that records could show"
            problems.extend(self._error(message).diagnostics)
        if problems:
            raise StreamtError(*problems)

    def run(self, progress: Progress) -> tuple[tuple[AssertionResult, ...], Counts]:
        """Read the sample and judge it.

        The sample's end is fixed before the topic of a foreign key is read, so that a record never refers to one
        that came after that reading.

        Raises:
            StreamtError: E531; a topic cannot be read, or holds no record.
        """
        assert self._access is not None  # the test would not have been made
        location = self._selected.location
        deadline = Deadline(self._timeout)
        with (
            self._decoding(self._selected.target, self._access, deadline) as decode,
            TopicReader(self._access, self._timeout, location) as reader,
        ):
            gauge = Gauge(decode)
            started = time.monotonic()
            for judge, access in self._references:
                self._learn(judge, access)
            for each in (reader, deadline):
                each.extend(time.monotonic() - started)
            total = min(self._limit, sum(span.end - span.start for span in reader.spans))
            for messages in reader.newest(self._limit):
                batch = gauge.batch(messages)
                if batch.records:
                    self._add(batch)
                progress(gauge.records + gauge.undecodable, total)
        counts = gauge.counts(timed_out=reader.timed_out)
        if not counts.records + counts.undecodable:
            raise self._nothing_read(counts)
        sample = Sample(datetime.now(UTC), counts.records, frozenset(reader.finished))
        return self._verdicts(sample), counts

    def _find(self, name: str, problems: list[Diagnostic]) -> Access | None:
        try:
            # The language has checked that the name is declared.
            return access_to(self._project, self._nodes[name], self._selected.location)
        except StreamtError as error:
            problems.extend(error.diagnostics)
            return None

    def _accumulators(self, problems: list[Diagnostic]) -> list[tuple[str, ProjectPath, Accumulator]]:
        node = self._nodes[self._selected.target]
        made = []
        for index, assertion in enumerate(self._selected.test.assertions):
            location = self._selected.location / "assertions" / index
            try:
                made.append((assertion.kind, location, accumulator_of(assertion, node, location)))
            except StreamtError as error:
                problems.extend(error.diagnostics)
        return made

    def _decoding(self, name: str, access: Access, deadline: Deadline) -> AbstractContextManager[Decoder]:
        return decoding(self._project, access.topic, name, self._selected.location, deadline)

    def _learn(self, judge: ForeignKey, access: Access | None) -> None:
        """Read the other topic of a foreign key to its end."""
        assert access is not None  # the test would not have been made
        location = self._selected.location
        with (
            self._decoding(judge.reference, access, Deadline(self._timeout)) as decode,
            TopicReader(access, self._timeout, location) as reader,
        ):
            gauge = Gauge(decode)
            for messages in reader.everything():
                judge.learn(gauge.batch(messages).records)
        if reader.timed_out:
            message = f"{access.target} could not be read to its end in time, so no foreign key can be judged"
            raise self._error(message, "raise the test's timeout")
        if gauge.undecodable:
            count = records(gauge.undecodable)
            message = f"{count} of {access.target} cannot be decoded; see {gauge.undecodable_place}"
            raise self._error(message)

    def _add(self, batch: Batch) -> None:
        for _kind, _location, judge in self._judges:
            judge.add(batch)

    def _verdicts(self, sample: Sample) -> tuple[AssertionResult, ...]:
        if not sample.records:
            return ()
        return tuple(AssertionResult(kind, location, judge.verdict(sample)) for kind, location, judge in self._judges)

    def _nothing_read(self, counts: Counts) -> StreamtError:
        target = self._access.target if self._access else self._selected.target
        if counts.timed_out:
            message = f"no record of {target} could be read within {self._selected.test.timeout}"
            return self._error(message, "raise the test's timeout")
        also = f" but {counts.tombstones} without a value" if counts.tombstones else ""
        return self._error(f"the topic of {target} holds no record{also}, so nothing was tested")

    def _error(self, message: str, hint: str | None = None) -> StreamtError:
        return cannot_run(message, self._selected.location, hint)
