"""States in files of the project's folder, for one machine."""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from streamt.deploy.sealed import SealError
from streamt.deploy.state import problems
from streamt.deploy.state.document import LIMIT, StateDocument, checksum_of
from streamt.deploy.state.folder import StateFiles, network_file_system
from streamt.deploy.state.journal import JOURNAL_LIMIT, Record, split_lines
from streamt.deploy.state.operation import Operation
from streamt.deploy.state.store import Holder, Session, Snapshot, check_journal, read_snapshot
from streamt.diagnostics import FilePlace, StreamtError
from streamt.files import atomic_replace, open_file, sync_folder

KEPT = 100
"""How many earlier states, and journals of ended operations, are kept."""

_PRIVATE = 0o600
_OPEN = ".open.jsonl"


@dataclass(frozen=True, slots=True)
class LocalStore:
    """The files of one environment.

    Attributes:
        files: where they are.
        address: whose state it is.
    """

    files: StateFiles
    address: str

    @property
    def is_local(self) -> bool:
        """Report whether only this machine sees it."""
        return True

    @property
    def place(self) -> str:
        """Return where it is, for people."""
        return f"the file {self.files.shown(self.files.state)}"

    def read(self) -> Snapshot:
        """Return the state, without a lock.

        Raises:
            StreamtError: E550 or E551.
        """
        # A journal may be put away, and a new state written, between the two reads: then both are read again.
        while True:
            content = self._content()
            journal = self._journal()
            if content == self._content():
                return self._snapshot(content, journal)

    def holder(self) -> Holder | None:
        """Return who holds the lock, if somebody does.

        Raises:
            StreamtError: E551.
        """
        try:
            descriptor = os.open(self.files.lock, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise problems.file_unavailable(self.files.shown(self.files.lock), error) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _read_holder(descriptor) or Holder.unknown()
        finally:
            os.close(descriptor)
        return None

    @contextmanager
    def lock(self, holder: Holder, wait: float) -> Iterator[Session]:
        """Take the lock.

        Raises:
            StreamtError: E551 or E552; on leaving, E557.
        """
        self._refuse_network_folder()
        descriptor = self._locked(holder, wait)
        session = _LocalSession(self, descriptor)
        try:
            yield session
        finally:
            session.release()

    def _refuse_network_folder(self) -> None:
        kind = network_file_system(self.files.folder)
        if kind is not None:
            message = f"the project's folder is on a network file system ({kind}), where locks cannot be trusted"
            hint = "keep the state in PostgreSQL: `deployment_state: {backend: postgres, url: ...}`"
            raise problems.unavailable(message, FilePlace(self.files.shown(self.files.state)), hint)

    def _locked(self, holder: Holder, wait: float) -> int:
        end = time.monotonic() + wait
        while True:
            descriptor = self._open_lock()
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_still(descriptor, self.files.lock):
                    os.ftruncate(descriptor, 0)
                    os.pwrite(descriptor, f"{holder}\n".encode(), 0)
                    return descriptor
                os.close(descriptor)  # it was removed and made anew meanwhile
            except BlockingIOError:
                other = _read_holder(descriptor)
                os.close(descriptor)
                if time.monotonic() >= end:
                    raise problems.locked(other, wait) from None
                time.sleep(0.05)
            except OSError as error:
                os.close(descriptor)
                raise problems.file_unavailable(self.files.shown(self.files.lock), error) from None

    def _open_lock(self) -> int:
        try:
            self.files.operations.mkdir(parents=True, exist_ok=True, mode=0o700)
            _keep_out_of_git(self.files.folder.parent)
            return os.open(self.files.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, _PRIVATE)
        except OSError as error:
            raise problems.file_unavailable(self.files.shown(self.files.lock), error) from None

    def _content(self) -> bytes | None:
        content = self._bytes(self.files.state, LIMIT)
        if content is None and any(self.files.folder.glob(f"{_escaped(self.files.state.name)}.[0-9]*")):
            hint = "put the newest of the earlier states back in its place"
            raise self._invalid(self.files.state, SealError("is missing, though earlier ones are there"), hint)
        return content

    def _bytes(self, path: Path, limit: int) -> bytes | None:
        try:
            with open_file(path) as file:
                content = file.read(limit + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise problems.file_unavailable(self.files.shown(path), error) from None
        if len(content) > limit:
            raise self._invalid(path, SealError(f"is larger than {limit // 2**20} MiB"))
        return content

    def _snapshot(self, content: bytes | None, journal: Operation | None) -> Snapshot:
        if content is None:
            if journal is not None:
                raise self._invalid(self.files.state, SealError("is missing, though an operation is open"))
            return Snapshot()
        path = self.files.state
        try:
            snapshot = read_snapshot(content, self.address, journal)
            path = self.files.open_journal(journal.id) if journal else path
            check_journal(snapshot)
        except SealError as error:
            raise self._invalid(path, error) from None
        return snapshot

    def _journal(self) -> Operation | None:
        """Return the operation that is not put away; there is at most one, since beginning needs the lock."""
        names = sorted(each.name for each in self.files.operations.glob(f"*{_OPEN}"))
        if not names:
            return None
        operation = names[0].removesuffix(_OPEN)
        path = self.files.open_journal(operation)
        if len(names) > 1 or not _is_uuid(operation):
            raise self._invalid(path, SealError("is one too many, or not named after an operation"))
        content = self._bytes(path, JOURNAL_LIMIT)
        if content is None:
            return None
        try:
            return Operation.from_lines(split_lines(content), operation, self.address)
        except SealError as error:
            raise self._invalid(path, error) from None

    def _invalid(self, path: Path, error: SealError, hint: str = "") -> StreamtError:
        shown = self.files.shown(path)
        hint = hint or f"put back a copy of it; earlier states are {self.files.shown(self.files.state)}.SERIAL"
        return problems.invalid(f"`{shown}`", error, FilePlace(shown), hint)


class _LocalSession:
    """The files of one environment while their lock is held."""

    def __init__(self, store: LocalStore, lock: int) -> None:
        self._store = store
        self._files = store.files
        self._lock = lock
        self._journal: tuple[str, int] | None = None
        # Of the state that was read or written last: nobody else may change it while we hold the lock.
        self._checksum: str | None = None

    def read(self) -> Snapshot:
        """Return the state."""
        snapshot = self._store.read()
        self._checksum = snapshot.checksum
        if snapshot.journal is not None and snapshot.journal.end is not None:  # it only was not put away any more
            self._put_away(snapshot.journal.id)
            return replace(snapshot, journal=None)
        return snapshot

    def initialize(self, *, remember_secrets: bool) -> None:
        """Write the first, empty state."""
        if self._checksum is not None:
            raise problems.conflict("there is a state already")
        self._write(StateDocument.new(self._store.address, remember_secrets=remember_secrets))

    def begin(self, operation: str, record: Record) -> None:
        """Write the journal's first record, and its file with it, in one step."""
        self._check_lock()
        if any(self._files.operations.glob(f"*{_OPEN}")):
            raise problems.conflict("another operation is open")
        path = self._files.open_journal(operation)
        try:
            atomic_replace(path, [record.content, b"\n"], mode=_PRIVATE)
        except OSError as error:
            raise problems.file_unavailable(self._files.shown(path), error) from None

    def append(self, operation: str, *records: Record) -> None:
        """Append records, and wait until the disk has them."""
        self._check_lock()
        path = self._files.open_journal(operation)
        content = b"".join(record.content + b"\n" for record in records)
        try:
            descriptor = self._opened(operation, path)
            written = 0
            while written < len(content):
                written += os.write(descriptor, content[written:])
            os.fsync(descriptor)
        except OSError as error:
            raise problems.file_unavailable(self._files.shown(path), error) from None

    def close(self, operation: str, end: Record, document: StateDocument | None) -> None:
        """Write the state, then the last record, then put the journal away."""
        if document is not None:
            self._write(document)
        self.append(operation, end)
        self._put_away(operation)
        self._prune()

    def _put_away(self, operation: str) -> None:
        self._forget_journal()
        try:
            self._files.open_journal(operation).replace(self._files.closed_journal(operation))
        except OSError as error:
            raise problems.file_unavailable(self._files.shown(self._files.operations), error) from None
        sync_folder(self._files.operations)

    def replace(self, document: StateDocument) -> None:
        """Replace the state, keeping its serial."""
        self._write(document, keep=False)

    def release(self) -> None:
        """Give the lock back.

        Raises:
            StreamtError: E557.
        """
        self._forget_journal()
        try:
            try:
                os.ftruncate(self._lock, 0)
            finally:
                os.close(self._lock)
        except OSError as error:
            raise problems.not_released(error.strerror or type(error).__name__) from None

    def _write(self, document: StateDocument, *, keep: bool = True) -> None:
        self._check_lock()
        path = self._files.state
        try:
            content = document.to_bytes()
        except SealError as error:
            raise self._store._invalid(path, error) from None  # noqa: SLF001 - the same module
        current = self._store._content()  # noqa: SLF001 - the same module
        if (checksum_of(current) if current else None) != self._checksum:
            raise problems.conflict("the state was changed by somebody who does not hold its lock")
        try:
            if keep and current is not None:
                atomic_replace(self._files.history(document.serial - 1), [current], mode=_PRIVATE)
            atomic_replace(path, [content], mode=_PRIVATE)
        except OSError as error:
            raise problems.file_unavailable(self._files.shown(path), error) from None
        self._checksum = checksum_of(content)

    def _check_lock(self) -> None:
        """Refuse to change anything once the lock's file is not the one that we hold."""
        if not _is_still(self._lock, self._files.lock):
            raise problems.lock_lost("its file was removed or replaced")

    def _opened(self, operation: str, path: Path) -> int:
        """Return the journal, open at its end; half a record that a crash left there is cut off first."""
        if self._journal is None or self._journal[0] != operation:
            self._forget_journal()
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
            self._journal = (operation, descriptor)
            size = os.fstat(descriptor).st_size
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                os.ftruncate(descriptor, path.read_bytes().rfind(b"\n") + 1)
        return self._journal[1]

    def _forget_journal(self) -> None:
        if self._journal is not None:
            os.close(self._journal[1])
            self._journal = None

    def _prune(self) -> None:
        """Remove the oldest of what is kept; what cannot be removed stays."""
        history = self._files.folder.glob(f"{_escaped(self._files.state.name)}.[0-9]*")
        serials = sorted(int(each.suffix[1:]) for each in history if each.suffix[1:].isdecimal())
        with suppress(OSError):
            for serial in serials[:-KEPT]:
                self._files.history(serial).unlink()
            journals = sorted(self._files.operations.glob("*.jsonl"), key=lambda each: each.stat().st_mtime_ns)
            for each in journals[:-KEPT]:
                each.unlink()


def _keep_out_of_git(folder: Path) -> None:
    """Tell git that states are no sources."""
    path = folder / ".gitignore"
    if not path.exists():
        path.write_text("*\n")


def _is_still(descriptor: int, path: Path) -> bool:
    """Report whether `path` still names the file that stands open."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError as error:
        if error.errno == errno.ENOENT:
            return False
        raise


def _read_holder(descriptor: int) -> Holder | None:
    return Holder.parse(os.pread(descriptor, 4096, 0).decode(errors="replace").strip())


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def _escaped(name: str) -> str:
    """Return `name` as a pattern of itself."""
    return name.replace("[", "[[]")
