"""The watermark of a table, as an interval that Flink takes."""

from streamt.project.language import EventTime

# The precision of seconds ends at 3 digits; more is said in days (tried on Flink 2.2.1).
_MOST_SECONDS_MS = 999_999
_DAY_MS = 86_400_000


def watermark_of(event_time: EventTime | None) -> str | None:
    """Return how a table's watermark follows its records; None without an event time.

    Without a bound, or with one of zero, the watermark is just below the newest time, as for times that only grow: a
    record of the same time is then not late.
    """
    if event_time is None or event_time.column is None:
        return None
    column = "`" + event_time.column + "`"
    late = event_time.watermark.max_out_of_orderness_ms if event_time.watermark else None
    grows = event_time.watermark is not None and event_time.watermark.strategy == "monotonously_increasing"
    return f"{column} - INTERVAL {interval(1 if grows or not late else late)}"


def interval(milliseconds: int) -> str:
    """Return a time as an interval of Flink SQL, such as `'5' SECOND`."""
    if milliseconds <= _MOST_SECONDS_MS:
        seconds = f"{milliseconds // 1000}" + (f".{milliseconds % 1000:03}" if milliseconds % 1000 else "")
        precision = "(3)" if milliseconds >= 100_000 else ""
        return f"'{seconds}' SECOND{precision}"
    days, rest = divmod(milliseconds, _DAY_MS)
    clock = f"{rest // 3_600_000:02}:{rest // 60_000 % 60:02}:{rest // 1000 % 60:02}"
    if rest % 1000:
        clock += f".{rest % 1000:03}"
    digits = len(str(days))
    return f"'{days} {clock}' DAY{f'({digits})' if digits > 2 else ''} TO SECOND"
