"""What a worker process does for one job: read, decode, judge.

The sample's end is fixed before the topic of a foreign key is read, so that a record never refers to one that came
after that reading.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from streamt.clusters import ClusterError
from streamt.clusters.kafka_reading import PATIENCE_SECONDS, TopicReader
from streamt.clusters.registry_reading import SchemaRegistry
from streamt.net import Deadline
from streamt.testing.assertions.base import Accumulator, Batch, Sample
from streamt.testing.assertions.keys import ForeignKey
from streamt.testing.decoding.wire_format import Schema, ValueDecoder
from streamt.testing.results import Counts, Status, Verdict
from streamt.testing.sampling.gauge import Gauge
from streamt.testing.sampling.isolate import CallEndedError, call_isolated
from streamt.testing.sampling.job import (
    Counted,
    Entered,
    Job,
    Judged,
    Message,
    Phase,
    Progress,
    Topic,
    Trouble,
    TroubleKind,
    decode,
    encode,
)
from streamt.testing.sampling.limits import MIB

if TYPE_CHECKING:
    from confluent_kafka import Message as Record

Say = Callable[[Message], None]

JUDGING_SECONDS = 60.0
# DuckDB counts 1 GB of its own; Python, and what DuckDB does not count, come on top.
QUERY_MEMORY = 1536 * MIB
# What the registry gets when time is nearly over.
_LAST_SECONDS = 1.0
# Unknown numbers that the registry is asked for: bytes that are no wire format hold a new one each.
_MOST_MISSES = 100


class TroubleError(Exception):
    """A job cannot go on.

    Attributes:
        trouble: why.
    """

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.kind)
        self.trouble = trouble


def judge_sample(job: Job, say: Say) -> Trouble | None:
    """Do a job, and say what is found; return what kept it from being done."""
    try:
        counts, sample = _read(job, say)
    except TroubleError as error:
        return error.trouble
    say(Counted(counts))
    if counts.records:
        _judge(job, sample, say)
    return None


def _read(job: Job, say: Say) -> tuple[Counts, Sample]:
    say(Entered(Phase.CONNECTING, min(PATIENCE_SECONDS, job.seconds)))
    with _opened(job.topic, job.seconds, None) as (reader, gauge):
        started = time.monotonic()
        for index, topic in job.references.items():
            _look_up(job, index, topic, say)
        reader.extend(time.monotonic() - started)
        say(Entered(Phase.READING, reader.deadline.left))
        total = min(job.limit, sum(span.end - span.start for span in reader.spans))
        for batch in _batches(reader.newest(job.limit), reader, gauge, None):
            for judge in job.judges if batch.records else ():
                judge.add(batch)
            say(Progress(gauge.records + gauge.undecodable, total))
        counts = gauge.counts(timed_out=reader.timed_out)
    finished = frozenset(reader.finished)
    return counts, Sample(datetime.now(UTC), counts.records, finished, gauge.decode.unknown_types)


def _look_up(job: Job, index: int, topic: Topic, say: Say) -> None:
    """Read the other topic of a foreign key to its end."""
    judge = job.judges[index]
    assert isinstance(judge, ForeignKey)
    say(Entered(Phase.LOOKING_UP, min(PATIENCE_SECONDS, job.seconds) + job.seconds))
    with _opened(topic, job.seconds, index) as (reader, gauge):
        for batch in _batches(reader.everything(), reader, gauge, index):
            judge.learn(batch.records)
    counts = gauge.counts(timed_out=reader.timed_out)
    if counts.timed_out:
        raise TroubleError(Trouble(kind=TroubleKind.REFERENCE_CUT_SHORT, reference=index, counts=counts))
    if counts.undecodable:
        raise TroubleError(Trouble(kind=TroubleKind.REFERENCE_UNDECODABLE, reference=index, counts=counts))


@contextmanager
def _opened(topic: Topic, seconds: float, reference: int | None) -> Iterator[tuple[TopicReader, Gauge]]:
    with _told(TroubleKind.BROKER, reference):
        reader = TopicReader(topic.name, topic.config, seconds)
    with reader:
        decoder = ValueDecoder(has_registry=topic.registry is not None, only_avro=topic.only_avro)
        yield reader, Gauge(decoder, _fetcher(topic, reader))


def _batches(
    read: Iterator[Sequence["Record"]], reader: TopicReader, gauge: Gauge, reference: int | None
) -> Iterator[Batch]:
    """Yield the decoded records, until there are no more or the time is up."""
    while not gauge.stopped:
        with _told(TroubleKind.BROKER, reference):
            messages = next(read, None)
        if messages is None:
            return
        with _told(TroubleKind.REGISTRY, reference):
            batch = gauge.batch(messages, reader.deadline)
        yield batch


@contextmanager
def _told(kind: TroubleKind, reference: int | None) -> Iterator[None]:
    """Say of a failure which system it is about."""
    try:
        yield
    except ClusterError as error:
        raise TroubleError(Trouble(kind=kind, reference=reference, failure=error.failure)) from error


def _fetcher(topic: Topic, reader: TopicReader) -> Callable[[int], Schema | None]:
    if topic.registry is None:
        return lambda _number: None
    registry = SchemaRegistry(topic.registry.clients())
    misses = 0

    def fetch(number: int) -> Schema | None:
        nonlocal misses
        if misses >= _MOST_MISSES:
            return None
        found = registry.schema(number, Deadline(max(reader.deadline.end, Deadline.after(_LAST_SECONDS).end)))
        misses += found is None
        return Schema(found.kind, found.text, found.references) if found else None

    return fetch


def _judge(job: Job, sample: Sample, say: Say) -> None:
    """Judge what needs no query first, so that these verdicts are safe whatever a query does."""
    say(Entered(Phase.JUDGING, JUDGING_SECONDS))
    for index, judge in enumerate(job.judges):
        if not judge.isolated:
            say(Judged(index, judge.verdict(sample)))
    for index, judge in enumerate(job.judges):
        if judge.isolated:
            say(Entered(Phase.JUDGING, job.query_seconds + JUDGING_SECONDS))
            say(Judged(index, _isolated_verdict(index, judge, sample, job.query_seconds)))


def _isolated_verdict(index: int, judge: Accumulator, sample: Sample, seconds: float) -> Verdict:
    try:
        answer = call_isolated(
            lambda: encode(Judged(index, judge.verdict(sample))), seconds=seconds, memory=QUERY_MEMORY
        )
        judged = decode(answer)
    except CallEndedError as error:
        return Verdict(status=Status.ERROR, message=f"the query {error.reason}", judged=sample.records)
    except ValueError:
        return Verdict(status=Status.ERROR, message="the query gives no verdict", judged=sample.records)
    assert isinstance(judged, Judged)
    return judged.verdict
