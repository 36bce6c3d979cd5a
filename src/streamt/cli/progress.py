"""A progress bar on a terminal's stderr."""

import sys
import time
from typing import TYPE_CHECKING

from streamt.testing.listener import Listener

if TYPE_CHECKING:
    from streamt.testing.results import TestResult
    from streamt.testing.selection import Selected


class Bar(Listener):
    """Shows on a terminal's stderr how far the reading of a sample is."""

    WIDTH = 30
    # Seconds between two paintings.
    PACE = 0.1

    def __init__(self) -> None:
        self._name = ""
        self._painted = 0
        self._next = 0.0

    def test_started(self, selected: "Selected") -> None:
        """Take the test's name."""
        self._name = selected.test.name

    def records_read(self, done: int, total: int) -> None:
        """Paint the bar, unless that was just done."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self.PACE
        filled = self.WIDTH * min(done, total) // max(1, total)
        bar = f"{self._name} [{'#' * filled}{'-' * (self.WIDTH - filled)}] {done} of {total} records"
        self._paint(bar)

    def test_finished(self, result: "TestResult") -> None:  # noqa: ARG002 - whatever it says
        """Wipe the bar away."""
        self.close()

    def close(self) -> None:
        """Wipe the bar away."""
        if self._painted:
            self._paint("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def _paint(self, text: str) -> None:
        sys.stderr.write(f"\r{text}{' ' * max(0, self._painted - len(text))}")
        sys.stderr.flush()
        self._painted = len(text)
