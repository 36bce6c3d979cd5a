"""Times in plans, states and journals: RFC 3339, in UTC, to the microsecond."""

import re
from datetime import UTC, datetime

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")


def utc_now() -> datetime:
    """Return the time, aware, in UTC."""
    return datetime.now(UTC)


def write_time(time: datetime) -> str:
    """Return `time` as text: `2026-12-01T09:30:00.000000Z`."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def read_time(text: str) -> datetime:
    """Return the time that `write_time` wrote.

    Raises:
        ValueError: it is not written so, or no such time exists.
    """
    if not _TIME.fullmatch(text):
        raise ValueError("a time must be written as 2026-12-01T09:30:00.000000Z")
    return datetime.fromisoformat(text)
