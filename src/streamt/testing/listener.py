"""Who hears of tests while they run; light to import, since the command line's face does."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamt.testing.results import TestResult
    from streamt.testing.selection import Selected


class Listener:
    """Hears of each test as it runs; a base that does nothing."""

    def test_started(self, selected: "Selected") -> None:
        """Hear that a test begins."""

    def records_read(self, done: int, total: int) -> None:
        """Hear how many records of the present test's sample are read, out of at most how many."""

    def test_finished(self, result: "TestResult") -> None:
        """Hear what became of a test."""

    def close(self) -> None:
        """Hear that no more tests will run."""
