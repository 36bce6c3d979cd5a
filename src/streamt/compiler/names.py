"""Names of Kafka topics: which are legal, and which Kafka's metrics merge."""

import re
from collections.abc import Iterable, Iterator

from streamt.project.language import KAFKA_NAME, KAFKA_NAME_LENGTH


def is_topic_name(name: str) -> bool:
    """Tell whether Kafka takes `name` for a topic: 1 to 249 of `[a-zA-Z0-9._-]`, and not `.` or `..`."""
    return len(name) <= KAFKA_NAME_LENGTH and re.fullmatch(KAFKA_NAME, name) is not None


def colliding(names: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Find names that differ only in `.` and `_`.

    Args:
        names: topic names, in declaration order.

    Yields:
        The index of a name, and the index of the first earlier one that Kafka's metrics merge it with; a name that
        stands twice is no collision.
    """
    first: dict[str, dict[str, int]] = {}
    for index, name in enumerate(names):
        spelled = first.setdefault(name.replace(".", "_"), {})
        if name not in spelled:
            if spelled:
                yield index, next(iter(spelled.values()))
            spelled[name] = index
