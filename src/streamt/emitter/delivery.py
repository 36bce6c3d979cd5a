"""Where events go: an HTTP endpoint, a file, or stderr. Each delivery ends, and says why where it failed."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from streamt.emitter.config import LineageConfig, TransportKind

RETRIED = frozenset({408, 429, 502, 503, 504})
"""Answers after which a second try may end differently (E11)."""


@dataclass(frozen=True, slots=True)
class Failed:
    """Why an event was not delivered.

    Attributes:
        reason: in words of ours, without an address, a header or anything of an answer.
        may_retry: whether a second try may end differently.
        pause: seconds after which the server wants to be asked again, if it said.
    """

    reason: str
    may_retry: bool = False
    pause: float | None = None


class Sink(Protocol):
    """Takes events to where they are read. Only the worker's thread uses it."""

    most: int
    """How many events it takes at once."""

    def deliver(self, lines: Sequence[bytes]) -> Failed | None:
        """Deliver events, each one JSON object on one line, all or none.

        Returns:
            Why it failed; None where it did not.
        """

    def close(self) -> None:
        """Let go of everything that is held open."""


class FileSink:
    """Appends events to a file, each batch whole or not at all."""

    most = 500

    def __init__(self, path: Path) -> None:
        self._path = path

    def deliver(self, lines: Sequence[bytes]) -> Failed | None:
        """Append `lines` and wait until the disk has them."""
        from streamt.files import append_lines

        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            append_lines(self._path, lines)
        except OSError as error:
            return Failed(f"cannot append to the file: {error.strerror or type(error).__name__}")
        return None

    def close(self) -> None:
        """Do nothing: between two batches no file is open."""


class ConsoleSink:
    """Writes events to stderr: stdout belongs to whatever runs."""

    most = 500

    def deliver(self, lines: Sequence[bytes]) -> Failed | None:
        """Write `lines`, each with a newline."""
        try:
            stream = sys.stderr.buffer
            stream.write(b"".join(line + b"\n" for line in lines))
            stream.flush()
        except (OSError, ValueError, AttributeError):
            return Failed("stderr cannot be written")
        return None

    def close(self) -> None:
        """Do nothing."""


def open_sink(config: LineageConfig) -> Sink:
    """Make the sink of a configuration; nothing is sent or written yet."""
    if config.transport is TransportKind.CONSOLE:
        return ConsoleSink()
    if config.transport is TransportKind.FILE:
        assert config.path is not None  # the configuration was checked
        return FileSink(config.path)
    from streamt.emitter.http import HttpSink

    assert config.address is not None  # the configuration was checked
    return HttpSink(config.address, config.api_key, config.timeout)
