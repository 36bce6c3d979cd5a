"""What every place for states can do: be read without a lock, and be changed by the one who holds it."""

import os
import socket
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Protocol, Self
from uuid import uuid4

from streamt.deploy.artifact import Address
from streamt.deploy.backend import Applied
from streamt.deploy.sealed import SealError
from streamt.deploy.state.document import StateDocument, StateVersion, checksum_of
from streamt.deploy.state.journal import Record
from streamt.deploy.state.operation import Operation
from streamt.deploy.times import read_time, utc_now, write_time


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock, for people; the lock itself is the kernel's or the database's.

    Attributes:
        lock_id: drawn for each lock.
        command: what it is held for: `apply`.
        host: the machine.
        pid: the process.
        started_at: since when.
    """

    lock_id: str
    command: str
    host: str
    pid: int
    started_at: datetime

    @classmethod
    def here(cls, command: str) -> Self:
        """Return this process as a holder."""
        return cls(uuid4().hex[:12], command, socket.gethostname(), os.getpid(), utc_now())

    @classmethod
    def unknown(cls) -> Self:
        """Return the holder of a lock that does not say who it is."""
        return cls("unknown", "unknown", "unknown", 0, datetime.min.replace(tzinfo=UTC))

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the holder that `str` wrote; None if it is none."""
        try:
            lock_id, command, place, started_at = text.split()
            host, _, pid = place.rpartition(":")
            return cls(lock_id, command, host, int(pid), read_time(started_at))
        except ValueError:
            return None

    def __str__(self) -> str:
        return f"{self.lock_id} {self.command} {self.host}:{self.pid} {write_time(self.started_at)}"

    @property
    def description(self) -> str:
        """The holder in words."""
        return (
            f"`{self.command}` of process {self.pid} on {self.host} since {self.started_at:%Y-%m-%d %H:%M:%S} UTC "
            f"(lock {self.lock_id})"
        )


@dataclass(frozen=True)
class Snapshot:
    """A state as it was at one moment.

    Attributes:
        document: the last committed state; None if there is none yet.
        checksum: its checksum.
        journal: the operation that was not put away yet, if there is one.
    """

    document: StateDocument | None = None
    checksum: str | None = None
    journal: Operation | None = field(default=None, repr=False)

    @property
    def version(self) -> StateVersion | None:
        """Which state this is."""
        if self.document is None or self.checksum is None:
            return None
        return StateVersion(self.document.store_id, self.document.address, self.document.serial, self.checksum)

    @property
    def is_written(self) -> bool:
        """Report whether the journal's operation has written its state, and was stopped before it closed."""
        return self.journal is not None and self.document is not None and self.document.operation == self.journal.id

    @property
    def open_operation(self) -> Operation | None:
        """The operation that is not closed, if there is one."""
        if self.journal is None or self.journal.end is not None or self.is_written:
            return None
        return self.journal

    @property
    def unrecovered(self) -> Operation | None:
        """The open operation, if it called a provider or finished an action: only recovery may close it."""
        operation = self.open_operation
        return operation if operation is not None and operation.has_called else None

    @cached_property
    def resources(self) -> Mapping[Address, Applied]:
        """What is ours, with what the open operation has finished so far."""
        committed = self.document.resources if self.document else {}
        return self.open_operation.overlay(committed) if self.open_operation else committed


def read_snapshot(content: bytes, address: str, journal: Operation | None) -> Snapshot:
    """Return the snapshot of a state's bytes and the operation beside it.

    Raises:
        SealError: the state is damaged, or not of this address.
    """
    return Snapshot(StateDocument.from_bytes(content, address), checksum_of(content), journal)


def check_journal(snapshot: Snapshot) -> None:
    """Check that an open operation began with this very state, and that its records make sense.

    Raises:
        SealError: it did not, or they do not.
    """
    operation = snapshot.open_operation
    if operation is not None and operation.state != snapshot.version:
        raise SealError("began with another state than the one that is there")
    if operation is not None:
        _ = snapshot.resources, operation.steps


class Session(Protocol):
    """The store of one environment while its lock is held."""

    def read(self) -> Snapshot:
        """Return the state."""
        ...

    def initialize(self, *, remember_secrets: bool) -> None:
        """Write the first, empty state.

        Raises:
            StreamtError: E551 or E554, it cannot be written, or there is one.
        """
        ...

    def begin(self, operation: str, record: Record) -> None:
        """Make an operation durable by its `begin`.

        Raises:
            StreamtError: E551, E553 or E554; the operation does not exist then.
        """
        ...

    def append(self, operation: str, *records: Record) -> None:
        """Make records durable, all of them or a beginning of them.

        Raises:
            StreamtError: E551 or E553; nothing may be called any more.
        """
        ...

    def close(self, operation: str, end: Record, document: StateDocument | None) -> None:
        """Write the new state, if there is one, then the operation's last record, and put its journal away.

        Raises:
            StreamtError: E551, E553, E554 or E556.
        """
        ...

    def replace(self, document: StateDocument) -> None:
        """Replace the state outside any operation, keeping the serial: to mark it as migrated.

        Raises:
            StreamtError: E551, E553 or E554.
        """
        ...


class Store(Protocol):
    """Where the state of one environment is kept."""

    @property
    def is_local(self) -> bool:
        """Report whether only this machine sees it."""
        ...

    @property
    def place(self) -> str:
        """Return where it is, for people; no address that holds a secret."""
        ...

    @property
    def address(self) -> str:
        """Return whose state it is."""
        ...

    def read(self) -> Snapshot:
        """Return the state, without a lock.

        Raises:
            StreamtError: E550 or E551.
        """
        ...

    def holder(self) -> Holder | None:
        """Return who holds the lock, if somebody does.

        Raises:
            StreamtError: E551.
        """
        ...

    def lock(self, holder: Holder, wait: float) -> AbstractContextManager[Session]:
        """Take the lock.

        Args:
            holder: who takes it.
            wait: seconds to wait for somebody else.

        Raises:
            StreamtError: E551 or E552; on leaving, E557, when it cannot be given back.
        """
        ...
