"""Who reads topics: consumer groups with members or committed offsets, within bounds of time and number.

Whatever is skipped or refused is said, so that "nobody reads this" is never concluded from not having looked.
"""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from streamt.clusters.failure import ClusterError, Failure, FailureKind
from streamt.clusters.kafka_client import KafkaClient

GROUP_SECONDS = 15.0
GROUP_LIMIT = 500
_ANNOUNCED = 3
"""Groups that a message names before it counts the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicGroup:
    """A consumer group that reads one topic.

    Attributes:
        id: its name.
        state: as the broker says it: `STABLE`, `EMPTY`; None if it was not seen.
        members: how many it has; None if that was not seen.
        lag: records of the topic that it has not read; None if that was not seen, or nothing is committed.
    """

    id: str
    state: str | None = None
    members: int | None = None
    lag: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupEvidence:
    """What was seen of consumer groups.

    Attributes:
        groups: by topic; a topic that nobody was seen to read is left out.
        seen: whether anything could be seen at all.
        why: what was skipped or refused, in words; empty if everything was seen.
    """

    groups: Mapping[str, tuple[TopicGroup, ...]] = field(default_factory=dict)
    seen: bool = True
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Described:
    """A group, what its members read, and what is committed: topic to partition to offset."""

    group: TopicGroup
    assigned: frozenset[str] = frozenset()
    committed: Mapping[str, Mapping[int, int]] = field(default_factory=dict)


class KafkaGroups(KafkaClient):
    """Sees who reads topics, and changes nothing."""

    def groups(
        self, topics: Collection[str], *, within: float = GROUP_SECONDS, limit: int = GROUP_LIMIT
    ) -> GroupEvidence:
        """Return the groups that have members reading `topics` or offsets committed of them.

        Args:
            topics: physical names.
            within: seconds for everything.
            limit: how many groups are looked at, those with members first.
        """
        until = time.monotonic() + within
        try:
            ids, why = self._list(until)
            why = (*self._hidden(until), *why)
        except ClusterError as error:
            return GroupEvidence(seen=False, why=(f"groups cannot be listed: {error.failure}",))
        if len(ids) > limit:
            why = (*why, f"{len(ids) - limit} of {len(ids)} groups were not looked at")
        try:
            described, more = self._describe(ids[:limit], until)
            committed, most = self._commits(described, frozenset(topics), until)
        except ClusterError as error:
            return GroupEvidence(seen=False, why=(*why, f"groups cannot be described: {error.failure}"))
        ends = self._ends(committed, until)
        found = {topic: tuple(_readers(topic, committed, ends)) for topic in sorted(topics)}
        return GroupEvidence(groups={topic: each for topic, each in found.items() if each}, why=(*why, *more, *most))

    def _list(self, until: float) -> tuple[list[str], tuple[str, ...]]:
        asked = {"": self.client.list_consumer_groups(**self._limits(until))}
        answer = self.each(asked, lambda result: result, within=_left(until))[""]
        if isinstance(answer, Failure):
            raise ClusterError(answer)
        listed = sorted(
            answer.valid, key=lambda each: (each.state is not None and each.state.name == "EMPTY", each.group_id)
        )
        why = tuple(f"a broker does not list its groups: {error}" for error in answer.errors)
        return [each.group_id for each in listed], why

    def _hidden(self, until: float) -> tuple[str, ...]:
        """Say it if the broker leaves groups out of its list without a word: a user without DESCRIBE on the cluster."""
        asked = self.client.describe_cluster(include_authorized_operations=True, **self._limits(until))
        answer = self.each({"": asked}, lambda result: result.authorized_operations, within=_left(until))[""]
        if isinstance(answer, Failure):
            raise ClusterError(answer)
        allowed = {each.name for each in answer or ()} & {"DESCRIBE", "ALL"}
        return () if allowed else ("the user may not describe the cluster, so not all groups are listed",)

    def _describe(self, ids: Sequence[str], until: float) -> tuple[list[_Described], tuple[str, ...]]:
        if not ids:
            return [], ()
        asked = self.client.describe_consumer_groups(list(ids), **self._limits(until))
        answers = self.each(asked, _described, within=_left(until))
        gone = {group for group, answer in answers.items() if _is(answer, FailureKind.ABSENT)}
        failed = {group: answer for group, answer in answers.items() if isinstance(answer, Failure)}
        found = [
            _Described(TopicGroup(id=group)) if group in failed else answers[group]
            for group in ids
            if group not in gone
        ]
        why = _skipped("not described", {group: each for group, each in failed.items() if group not in gone})
        return [each for each in found if isinstance(each, _Described)], why

    def _commits(
        self, described: Sequence[_Described], topics: frozenset[str], until: float
    ) -> tuple[list[_Described], tuple[str, ...]]:
        """Add what the groups have committed of `topics`; the client asks for one group at a time."""
        from confluent_kafka import ConsumerGroupTopicPartitions

        asked: dict[str, Future[Any]] = {}
        for each in described:
            request = [ConsumerGroupTopicPartitions(each.group.id)]
            asked |= self.client.list_consumer_group_offsets(request, **self._limits(until))
        answers = self.each(asked, lambda result: _offsets(result, topics), within=_left(until))
        failed = {group: answer for group, answer in answers.items() if isinstance(answer, Failure)}
        found = []
        for each in described:
            answer = answers[each.group.id]
            found.append(each if isinstance(answer, Failure) else replace(each, committed=answer))
        return found, _skipped("without their offsets", failed)

    def _ends(self, described: Iterable[_Described], until: float) -> Mapping[tuple[str, int], int]:
        """Return the end offsets of all partitions of which something is committed; what is not seen is left out."""
        from confluent_kafka import TopicPartition
        from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined] # its stubs forget this one

        wanted = {
            (topic, number) for each in described for topic, offsets in each.committed.items() for number in offsets
        }
        if not wanted:
            return {}
        latest = OffsetSpec.latest()  # type: ignore[no-untyped-call] # the client's own
        places = {TopicPartition(topic, number): latest for topic, number in sorted(wanted)}
        asked = self.client.list_offsets(places, **self._limits(until))
        futures = {(place.topic, place.partition): future for place, future in asked.items()}
        try:
            answers = self.each(futures, lambda result: int(result.offset), within=_left(until))
        except ClusterError:
            return {}
        return {place: answer for place, answer in answers.items() if not isinstance(answer, Failure)}

    def _limits(self, until: float) -> dict[str, Any]:
        return {"request_timeout": max(0.1, min(self._seconds, _left(until)))}


def _left(until: float) -> float:
    return max(0.0, until - time.monotonic())


def _is(answer: object, kind: FailureKind) -> bool:
    return isinstance(answer, Failure) and answer.kind is kind


def _described(result: Any) -> _Described:
    assigned = (place.topic for member in result.members for place in member.assignment.topic_partitions)
    group = TopicGroup(id=result.group_id, state=result.state.name, members=len(result.members))
    return _Described(group, frozenset(assigned))


def _offsets(result: Any, topics: frozenset[str]) -> Mapping[str, Mapping[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for place in result.topic_partitions:
        if place.topic in topics and place.offset >= 0:
            found.setdefault(place.topic, {})[place.partition] = place.offset
    return found


def _readers(topic: str, described: Iterable[_Described], ends: Mapping[tuple[str, int], int]) -> Iterable[TopicGroup]:
    for each in described:
        offsets = each.committed.get(topic)
        if offsets is None:
            if topic in each.assigned:
                yield each.group
            continue
        known = [ends[topic, number] - offset for number, offset in offsets.items() if (topic, number) in ends]
        yield replace(each.group, lag=sum(max(0, lag) for lag in known) if len(known) == len(offsets) else None)


def _skipped(what: str, failed: Mapping[str, Failure]) -> tuple[str, ...]:
    """Say which groups were not seen: the first by name, with the reason of each, and how many more."""
    named = [f"group `{group}` {what}: {failed[group]}" for group in sorted(failed)[:_ANNOUNCED]]
    more = len(failed) - len(named)
    return (*named, *([f"{more} more groups {what}"] if more else []))
