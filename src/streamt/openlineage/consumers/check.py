"""Before anything is sent: what a consumer will refuse, ignore or lose of these events, and why."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from streamt.openlineage.consumers.rules import Change, Consumer, Event, Rule, Verdict, datasets_of


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule, and how many events it speaks of.

    Attributes:
        verdict: what becomes of them.
        message: what, and why.
        events: how many.
        change: the change of form that mends it.
        hint: what else to do.
    """

    verdict: Verdict
    message: str
    events: int
    change: Change | None = None
    hint: str | None = None

    def text(self, consumer: Consumer) -> str:
        """Return the sentence for a person."""
        number = f" ({self.events} events)" if self.events > 1 else ""
        return f"{consumer.title} {consumer.version} {self.verdict} {self.message}{number}"

    def advice(self, consumer: Consumer) -> str | None:
        """Return what to do next, if there is anything."""
        mended = f"give --for {consumer.name}" if self.change is not None else None
        return "; ".join(filter(None, (mended, self.hint))) or None


def check_events(consumer: Consumer, lines: Iterable[bytes]) -> list[Finding]:
    """Return what the consumer does not take of events, in the order in which they would be sent.

    Args:
        consumer: the consumer.
        lines: each event's JSON.
    """
    counts: dict[Rule, int] = {}
    parsed: list[Event] = []
    for line in lines:
        event = json.loads(line)
        parsed.append(event)
        for rule in check_line(consumer, event, len(line)):
            counts[rule] = counts.get(rule, 0) + 1
    found = [
        Finding(rule.verdict, rule.message, counts[rule], rule.change, rule.hint)
        for rule in consumer.rules
        if rule in counts
    ]
    lost = _descriptions_lost(parsed) if consumer.loses_descriptions else 0
    if lost:
        message = "a dataset's description as soon as a later event names the dataset without it"
        found.append(Finding(Verdict.LOSES, message, lost, Change.DATASETS_LAST))
    return found


def check_line(consumer: Consumer, event: Event, length: int) -> Sequence[Rule]:
    """Return the rules that speak of one event."""
    return [rule for rule in consumer.rules if rule.applies(event, length)]


def _descriptions_lost(events: Sequence[Event]) -> int:
    described: set[tuple[str, str]] = set()
    lost: set[tuple[str, str]] = set()
    for event in events:
        for dataset in datasets_of(event):
            identity = (dataset["namespace"], dataset["name"])
            if "documentation" in dataset.get("facets", {}):
                described.add(identity)
                lost.discard(identity)
            elif identity in described:
                lost.add(identity)
    return len(lost)
