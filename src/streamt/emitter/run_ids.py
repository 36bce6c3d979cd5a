"""Run ids: UUIDs of version 7 that every process makes alike, from what never changes for the run.

Source: E2. The first 48 bits are an instant of the run (its logical start, else its creation), the others a digest of
everything that tells one run from another, so that a retry has an id of its own and a restarted scheduler the same one.
"""

import hashlib
import secrets
from datetime import UTC, datetime
from uuid import UUID

from streamt.emitter.values import Run, Task

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class RunIdError(ValueError):
    """No run id can be made that would be the same in every process."""


def run_uuid(run: Run, namespace: str) -> UUID:
    """Return the run id of `run`.

    Args:
        run: the run.
        namespace: the namespace of its job.

    Raises:
        RunIdError: it has neither a logical start nor a time of creation, or the time is naive or before 1970.
    """
    if isinstance(run.run_id, UUID):
        return run.run_id
    parts = (run.namespace or namespace, run.job, run.run_id, str(run.attempt), str(run.restart))
    return uuid7_of(_instant(run), parts)


def task_uuid(task: Task, namespace: str) -> UUID:
    """Return the run id of one attempt at a task.

    Raises:
        RunIdError: as `run_uuid`.
    """
    if task.run_id is not None:
        return task.run_id
    run = task.run
    own = (run.namespace or namespace, run.job, str(run.run_id), str(run.attempt), str(run.restart))
    instant = run.logical_start or run.created_at
    if instant is None and isinstance(run.run_id, UUID) and run.run_id.version == 7:
        instant_ms = run.run_id.int >> 80
    else:
        instant_ms = _milliseconds(_instant(run))
    return _uuid7(instant_ms, (*own, task.name, str(task.attempt), str(task.cleared)))


def uuid7_of(instant: datetime, parts: tuple[str, ...]) -> UUID:
    """Return the UUID of version 7 of an instant and a digest of `parts`, each with its length before it.

    Raises:
        RunIdError: the instant is naive, or before 1970.
    """
    return _uuid7(_milliseconds(instant), parts)


def new_uuid7(now: datetime) -> UUID:
    """Return a UUID of version 7 for something that begins now and that no other process has to name."""
    return _assembled(_milliseconds(now), secrets.randbits(74))


def _instant(run: Run) -> datetime:
    instant = run.logical_start or run.created_at
    if instant is None:
        raise RunIdError("a run whose id is a text needs `logical_start` or `created_at`")
    return instant


def _milliseconds(instant: datetime) -> int:
    if instant.utcoffset() is None:
        raise RunIdError("a time without an offset means another instant on each machine")
    since = instant - _EPOCH
    milliseconds = (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000
    if milliseconds < 0:
        raise RunIdError("a time before 1970 has no place in a UUID of version 7")
    return milliseconds


def _uuid7(milliseconds: int, parts: tuple[str, ...]) -> UUID:
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8) + raw)
    return _assembled(milliseconds, int.from_bytes(digest.digest()[:10]) >> 6)


def _assembled(milliseconds: int, random_bits: int) -> UUID:
    high, low = random_bits >> 62, random_bits & ((1 << 62) - 1)
    return UUID(int=(milliseconds & ((1 << 48) - 1)) << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low)
