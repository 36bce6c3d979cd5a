"""Whose description, owners and tags are shown: pure, from everything that was ever reported.

Source: lineage-ingestion, "Which Value Is Shown" and "Withdrawing Metadata"; catalog.md, C10.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from streamt.catalog.values import Moment

USER = "user"
OPENLINEAGE = "openlineage"


@dataclass(frozen=True, slots=True)
class Report:
    """What a source said of one attribute at one time.

    Attributes:
        moment: when, by the event's own time.
        value: what it said; None withdraws.
        event: the number of the event, for reports of events.
    """

    moment: Moment
    value: str | None
    event: int = 0


@dataclass(frozen=True, slots=True)
class Value:
    """A source's present value.

    Attributes:
        value: the value; None when the source has withdrawn it.
        changed_at: when it became so, in nanoseconds: a repeated report is no change.
        reported_at: when it was said last.
        event: the event of the last report.
    """

    value: str | None
    changed_at: int
    reported_at: int
    event: int = 0


def present(reports: Iterable[Report]) -> Value | None:
    """Return a source's value, derived in the order of time from all of its reports (C10)."""
    value: Value | None = None
    for report in sorted(reports, key=lambda one: one.moment):
        time = report.moment.time
        changed = time if value is None or value.value != report.value else value.changed_at
        value = Value(report.value, changed, time, report.event)
    return value


def shown(values: Mapping[str, Value]) -> str | None:
    """Return the source whose value is shown: a user's edit, else what changed most recently.

    Args:
        values: by source; one whose value is None or empty has nothing to show.
    """
    telling = {source: value for source, value in values.items() if value.value}
    if USER in telling:
        return USER
    return max(telling, key=lambda source: (telling[source].changed_at, source), default=None)


Tag = tuple[str, str]
"""A tag's key and value."""


@dataclass(frozen=True, slots=True)
class TagReport:
    """The whole set of tags that OpenLineage sent at one time; an empty one after `_deleted`."""

    moment: Moment
    tags: frozenset[Tag]


@dataclass(frozen=True, slots=True)
class TagEdit:
    """That a person added or removed a tag."""

    time: int
    tag: Tag
    added: bool


def shown_tags(reports: Iterable[TagReport], edits: Sequence[TagEdit]) -> dict[Tag, str]:
    """Return the tags to show, with who is behind each: `user` or `openlineage`.

    A tag that a producer starts sending is added, and goes when it stops; one that a person removed stays away as long
    as the producer keeps sending it; one that a person added is never removed by a producer.
    """
    since = _sent_since(reports)
    tags = {tag: OPENLINEAGE for tag, started in since.items() if not _removed_after(edits, tag, started)}
    for tag in {edit.tag for edit in edits}:
        latest = max((edit for edit in edits if edit.tag == tag), key=lambda edit: edit.time)
        if latest.added:
            tags[tag] = USER
    return tags


def _sent_since(reports: Iterable[TagReport]) -> dict[Tag, int]:
    """Return the tags sent at present, with when the producer started to send them without a break."""
    since: dict[Tag, int] = {}
    for report in sorted(reports, key=lambda one: one.moment):
        since = {tag: since.get(tag, report.moment.time) for tag in report.tags}
    return since


def _removed_after(edits: Iterable[TagEdit], tag: Tag, started: int) -> bool:
    return any(edit.tag == tag and not edit.added and edit.time >= started for edit in edits)


def description_of(transformations: Iterable[tuple[str, str]]) -> str:
    """Write the description of a field edge that nobody described, from its transformations.

    Args:
        transformations: type and subtype, such as `DIRECT` and `IDENTITY`.
    """
    kinds = dict.fromkeys("/".join(part for part in pair if part) for pair in transformations)
    return ", ".join(kind for kind in kinds if kind)
