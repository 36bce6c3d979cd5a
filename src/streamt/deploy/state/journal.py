"""The journal of one operation: what was intended before each call, and what came of it.

The same records stand as lines of a file and as rows of a table. Each is sealed by itself and holds the digest of the
one before it, so that no record can be changed, left out or put in another place without being noticed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from streamt.deploy.sealed import MIB, SealError, canonical, digest_of, is_cut_short, unseal
from streamt.deploy.state.wire import Time, Uuid, Wire, place_of
from streamt.deploy.times import write_time

FORMAT = "streamt.operation/1"
RECORD_LIMIT = 64 * MIB
JOURNAL_LIMIT = 256 * MIB


class Word(StrEnum):
    """What a record says."""

    BEGIN = "begin"
    INTENT = "intent"
    DONE = "done"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    APPLIED = "applied"
    COMMIT = "commit"
    FAIL = "fail"
    INTERRUPTED = "interrupted"
    ABANDONED = "abandoned"
    RECOVERED = "recovered"


ENDS = frozenset({Word.COMMIT, Word.FAIL, Word.INTERRUPTED, Word.ABANDONED, Word.RECOVERED})


@dataclass(frozen=True, slots=True)
class Record:
    """One record.

    Attributes:
        n: counted from 0 in its operation.
        at: when it was written, aware, in UTC.
        word: what it says.
        body: the rest of it, plain data.
        digest: its own digest, which the next record repeats.
        content: its bytes, one line without the newline.
    """

    n: int
    at: datetime
    word: Word
    body: Mapping[str, Any]
    digest: str
    content: bytes = field(repr=False)


def next_record(
    word: Word, body: Mapping[str, Any], *, at: datetime, operation: str, last: Record | None = None
) -> Record:
    """Return the record that follows `last`, or the first one of the operation.

    Raises:
        SealError: it is larger than a record may be.
    """
    n = last.n + 1 if last else 0
    data = {
        "format": FORMAT,
        "operation": operation,
        "n": n,
        "at": write_time(at),
        "record": word.value,
        "previous": last.digest if last else None,
        "body": body,
    }
    digest = digest_of(data)
    content = canonical({**data, "digest": digest})
    if len(content) > RECORD_LIMIT:
        raise SealError(f"is larger than {RECORD_LIMIT // MIB} MiB")
    return Record(n, at, word, body, digest, content)


def read_records(lines: Iterable[bytes], operation: str) -> tuple[Record, ...]:
    """Return the records of an operation, all of them checked, the first being `begin`.

    Args:
        lines: one record each, without newlines.
        operation: the operation's id.

    Raises:
        SealError: one of them is damaged, missing, or of another operation.
    """
    records: list[Record] = []
    for line in lines:
        try:
            records.append(_read(line, operation, records[-1] if records else None))
        except SealError as error:
            raise SealError(f"record {len(records)} {error}") from None
    return tuple(records)


def split_lines(content: bytes) -> list[bytes]:
    """Split a journal's file into records.

    A last line without its newline is what a crash in the middle of a write leaves; nothing was done on the strength of
    it, since a record counts only once it is on disk as a whole. It is left out.

    Raises:
        SealError: what follows the last newline is not the beginning of a record.
    """
    *lines, rest = content.split(b"\n")
    if rest and not is_cut_short(rest):
        raise SealError("does not end in a newline")
    return lines


def _read(line: bytes, operation: str, last: Record | None) -> Record:
    data = unseal(line, form=FORMAT, key="digest", limit=RECORD_LIMIT)
    try:
        wire = _Line.model_validate(data)
    except ValidationError as error:
        raise SealError(f"has an unexpected value at {place_of(error)}") from None
    if wire.operation != operation:
        raise SealError("belongs to another operation")
    if (wire.n, wire.previous) != ((last.n + 1, last.digest) if last else (0, None)):
        raise SealError("does not follow the one before it")
    if (wire.record is Word.BEGIN) != (last is None) or (last and last.word in ENDS):
        raise SealError("is out of place")
    try:
        _BODIES[wire.record].model_validate(wire.body)
    except ValidationError as error:
        raise SealError(f"has an unexpected value at {place_of(error)}") from None
    return Record(wire.n, wire.at, wire.record, wire.body, digest_of(data), line)


# The form of a record


class _Line(Wire):
    format: str
    operation: Uuid
    n: Annotated[int, Field(ge=0)]
    at: Time
    record: Annotated[Word, Field(strict=False)]
    previous: str | None
    body: dict[str, Any]


class _State(Wire):
    store_id: Uuid
    address: str
    serial: Annotated[int, Field(ge=0)]
    checksum: str


class _Action(Wire):
    address: str
    verb: str
    name: str
    source: str | None = None
    resource: dict[str, Any] | None
    fingerprint: str | None
    steps: Annotated[int, Field(ge=0)]


class _Begin(Wire):
    kind: str
    actor: str
    plan_digest: str | None
    state: _State
    actions: list[_Action]


class _Intent(Wire):
    action: Annotated[int, Field(ge=0)]
    step: Annotated[int, Field(ge=0)]
    do: str
    call: str
    identity: dict[str, Any]


class _Result(Wire):
    action: Annotated[int, Field(ge=0)]
    step: Annotated[int, Field(ge=0)]
    provider_id: dict[str, str | int]
    error: str | None


class _Applied(Wire):
    action: Annotated[int, Field(ge=0)]
    provider_id: dict[str, str | int]
    condition: str | None


class _End(Wire):
    serial: Annotated[int, Field(ge=0)]
    checksum: str | None
    results: list[Literal["applied", "failed", "undone", "skipped", "unknown"]]
    reason: str | None
    assumed: dict[str, Literal["done", "undone"]]
    actor: str


_BODIES: Mapping[Word, type[Wire]] = {
    Word.BEGIN: _Begin,
    Word.INTENT: _Intent,
    **dict.fromkeys((Word.DONE, Word.REFUSED, Word.UNKNOWN), _Result),
    Word.APPLIED: _Applied,
    **dict.fromkeys(ENDS, _End),
}
