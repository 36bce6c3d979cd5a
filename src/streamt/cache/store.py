"""What was read before, by its content: one file of JSON lines for a project, in the user's own cache folder.

It saves time and decides nothing: what is wrong in any way is passed over, and made again. A line is the digest of
what was read, a space, and what came out, in JSON. The first line has the digest of the versions of all that shapes
the values, and that of the lines below it. The file is replaced as a whole, so that processes beside each other see the
one or the other.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

from streamt.files import atomic_replace, read_file

MAX_FILE_BYTES = 256 * 1024 * 1024
"""How much is kept for one project; more is not kept at all."""
MAX_FOLDER_BYTES = 1024 * 1024 * 1024
"""How much is kept for all projects; of more, what was written longest ago goes."""

_SUFFIX = ".cache"
_MAGIC = b"streamt-cache-1"
_KEY_BYTES = 16
# Less than `json.loads` does for each of very many short texts.
_DECODE = json.JSONDecoder().decode

T = TypeVar("T")


class Cache:
    """What one project's files and SQL texts were read as.

    Without a file it holds nothing and keeps nothing.
    """

    def __init__(self, path: Path | None = None, versions: Iterable[str] = ()) -> None:
        """Open the file at `path`.

        Args:
            path: it need not exist; None for a cache that is none.
            versions: those of everything that shapes the values: what was kept with others is passed over.
        """
        self._path = path
        self._versions = _digest("\0".join(versions).encode())
        self._kept: dict[bytes, bytes] = _lines(path, self._versions) if path else {}
        self._used: dict[bytes, bytes] = {}
        self._is_changed = False

    def get_or_make(
        self,
        kind: str,
        content: bytes,
        *,
        make: Callable[[], T],
        dump: Callable[[T], Any],
        load: Callable[[Any], T | None],
    ) -> T:
        """Return what `content` was read as before, else what `make` reads it as.

        Args:
            kind: what it is read as.
            content: all that the value depends on.
            make: reads it; what this raises is raised, and nothing is kept.
            dump: gives the value as plain data for JSON; None for one that must not be kept.
            load: makes the value of such data again; None if that cannot be done.
        """
        if self._path is None:
            return make()
        key = _digest(kind.encode(), content)
        line = self._used.get(key) or self._kept.get(key)
        if line is not None:
            value = _loaded(line, load)
            if value is not None:
                self._used[key] = line
                return value
        value = make()
        plain = dump(value)
        if plain is not None:
            self._used[key] = b"%b %b" % (key, json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode())
            self._is_changed = True
        return value

    def save(self) -> None:
        """Keep what was used; where that cannot be done, nothing is kept."""
        if self._path is None:
            return
        # What this run did not use, another environment may; but it must not become the greater part.
        unused = {key: line for key, line in self._kept.items() if key not in self._used}
        if not self._is_changed and len(unused) <= len(self._used):
            return
        lines = list(self._used.values())
        if len(unused) <= len(lines):
            lines += unused.values()
        if sum(map(len, lines)) > MAX_FILE_BYTES:
            return
        with suppress(OSError):
            _make_folder(self._path.parent)
            atomic_replace(self._path, _file(lines, self._versions), mode=0o600, durable=False)
            _remove_oldest(self._path.parent)


def _digest(*parts: bytes) -> bytes:
    """Return a digest of `parts` in hexadecimal digits."""
    lengths = b" ".join(b"%d" % len(part) for part in parts)
    return blake2b(b"".join((lengths, b"\n", *parts)), digest_size=_KEY_BYTES).hexdigest().encode()


def _loaded(line: bytes, load: Callable[[Any], T | None]) -> T | None:
    try:
        return load(_DECODE(line[_KEY_BYTES * 2 + 1 :].decode()))
    except (ValueError, TypeError, LookupError, RecursionError):
        return None


def _lines(path: Path, versions: bytes) -> dict[bytes, bytes]:
    """Return the lines of a file by their keys; none of one that cannot be read, is not whole, or not for us."""
    try:
        content = read_file(path, limit=MAX_FILE_BYTES + 1024)
    except OSError:
        return {}
    head, _, body = content.partition(b"\n")
    if head != _head(versions, body):
        return {}
    return {line[: _KEY_BYTES * 2]: line for line in body.split(b"\n") if line}


def _file(lines: Iterable[bytes], versions: bytes) -> Iterator[bytes]:
    body = b"\n".join(lines)
    yield _head(versions, body)
    yield b"\n"
    yield body


def _head(versions: bytes, body: bytes) -> bytes:
    return b" ".join((_MAGIC, versions, _digest(body)))


def _make_folder(folder: Path) -> None:
    """Make the folder for its owner alone."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)


def _remove_oldest(folder: Path) -> None:
    """Remove the files that were written longest ago, until the rest is small enough."""
    with os.scandir(folder) as entries:
        found = [(each.stat().st_mtime, each.stat().st_size, each.path) for each in entries if _is_ours(each)]
    size = sum(each for _, each, _ in found)
    for _, length, path in sorted(found):
        if size <= MAX_FOLDER_BYTES:
            return
        with suppress(OSError):
            Path(path).unlink()
        size -= length


def _is_ours(entry: "os.DirEntry[str]") -> bool:
    return entry.name.endswith(_SUFFIX) and entry.is_file(follow_symlinks=False)


NO_CACHE = Cache()
"""Holds nothing and keeps nothing."""
