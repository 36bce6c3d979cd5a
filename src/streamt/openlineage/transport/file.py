"""Run events as JSON Lines in a local file."""

import os

from streamt.files import check_append, durable_append
from streamt.openlineage.transport.failures import DeliveryError
from streamt.openlineage.transport.settings import FileSettings


class FileTransport:
    """Appends each event as one line and waits until the disk has it.

    Args:
        settings: the file.
        lock_seconds: how long to wait for other writers.

    Raises:
        OSError: on creation, when the file cannot be appended to. Nothing was written then.
    """

    def __init__(self, settings: FileSettings, *, lock_seconds: float = 5.0) -> None:
        check_append(settings.log_file_path)
        self._path = settings.log_file_path
        self._lock_seconds = lock_seconds

    def emit(self, event: bytes) -> None:
        """Append `event` and a newline, whole or not at all.

        Raises:
            DeliveryError: the file or the disk refuses, or another process keeps the file locked.
        """
        try:
            durable_append(self._path, event, lock_seconds=self._lock_seconds)
        except OSError as error:
            raise DeliveryError(f"cannot append to the file: {why(error)}") from None

    def close(self) -> None:
        """Do nothing: between two events no file is open."""


def why(error: OSError) -> str:
    """Return, in the system's words, or in ours, what went wrong; never where."""
    if error.filename is None and error.strerror:
        return error.strerror
    return os.strerror(error.errno) if error.errno else type(error).__name__
