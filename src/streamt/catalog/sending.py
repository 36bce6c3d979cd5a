"""Send a file of events to a catalog: in batches, with progress, and on from where an earlier try ended."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streamt.catalog.remote import Remote, understood
from streamt.files import atomic_replace, open_file, read_file
from streamt.net import Body

BATCH = 500
BATCH_BYTES = 4 * 1024 * 1024
_HEAD = 4096
_LARGEST_NOTE = 4096


@dataclass
class Report:
    """What became of a file.

    Attributes:
        sent: how many events were taken.
        skipped: how many an earlier try had sent already.
        refused: line and reason of each that was not taken.
    """

    sent: int = 0
    skipped: int = 0
    refused: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True)
class _Position:
    """How far a file was sent: bytes and lines."""

    offset: int = 0
    line: int = 0


def send_file(
    remote: Remote, path: Path, memory: Path, progress: Callable[[int, int], None], *, from_start: bool = False
) -> Report:
    """Send the events of a JSON Lines file.

    Args:
        remote: the catalog.
        path: the file.
        memory: a folder in which it is remembered how far each file was sent.
        progress: is told the bytes sent and the bytes there are.
        from_start: whether to begin anew; that changes nothing in the catalog.

    Raises:
        StreamtError: the catalog cannot be reached, or refuses altogether; the next try goes on from there.
        OSError: the file cannot be read.
    """
    note = memory / f"{_identity(remote, path)}.json"
    begin = _Position() if from_start else _remembered(note, path.stat().st_size)
    report = Report(skipped=begin.line)
    size = path.stat().st_size
    for lines, end in _batches(path, begin):
        _send(remote, lines, report)
        memory.mkdir(parents=True, exist_ok=True)
        atomic_replace(note, [json.dumps({"offset": end.offset, "line": end.line}).encode()])
        progress(end.offset, size)
    return report


def _send(remote: Remote, lines: list[tuple[int, bytes]], report: Report) -> None:
    good = []
    for number, line in lines:
        try:
            json.loads(line)
        except ValueError as error:
            report.refused.append((number, f"invalid JSON: {error}"))
        else:
            good.append((number, line))
    if not good:
        return
    body = Body(b"[" + b",".join(line for _, line in good) + b"]", {"Content-Type": "application/json"})
    answer: dict[str, Any] = remote.ask("POST", "lineage/batch", raw=body)
    with understood():
        failed = [(good[one["index"]][0], str(one["reason"])) for one in answer["failed_events"]]
    report.sent += len(good) - len(failed)
    report.refused += failed


def _batches(path: Path, begin: _Position) -> Iterator[tuple[list[tuple[int, bytes]], _Position]]:
    with open_file(path) as file:
        file.seek(begin.offset)
        lines: list[tuple[int, bytes]] = []
        size, at = 0, begin.line
        while line := file.readline():
            at += 1
            if line.strip():
                lines.append((at, line.strip()))
                size += len(line)
            if len(lines) >= BATCH or size >= BATCH_BYTES:
                yield lines, _Position(file.tell(), at)
                lines, size = [], 0
        if lines:
            yield lines, _Position(file.tell(), at)


def _identity(remote: Remote, path: Path) -> str:
    """Return what tells this file, sent to this catalog, from others: its place and how it begins."""
    with open_file(path) as file:
        head = file.readline(_HEAD)
    address = remote.http.address
    text = f"{address.host}:{address.port}{address.path}\n{os.path.realpath(path)}\n"
    return hashlib.sha256(text.encode(errors="surrogateescape") + head).hexdigest()[:32]


def _remembered(note: Path, size: int) -> _Position:
    try:
        data = json.loads(read_file(note, limit=_LARGEST_NOTE))
        position = _Position(int(data["offset"]), int(data["line"]))
    except (OSError, ValueError, KeyError, TypeError):
        return _Position()
    return position if 0 <= position.offset <= size else _Position()
