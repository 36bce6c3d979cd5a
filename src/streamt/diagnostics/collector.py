"""Telling all at once what several steps find wrong."""

from collections.abc import Callable
from typing import TypeVar

from streamt.diagnostics.diagnostic import Diagnostic
from streamt.diagnostics.error import StreamtError

T = TypeVar("T")


class Collector:
    """Lets steps fail one by one, and keeps what is wrong.

    Attributes:
        diagnostics: what is wrong, so far.
    """

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []

    def attempt(self, step: Callable[[], T]) -> T | None:
        """Return what `step` returns; None, if it raises a `StreamtError`, whose diagnostics are kept."""
        try:
            return step()
        except StreamtError as error:
            self.diagnostics += error.diagnostics
            return None

    def check(self) -> None:
        """Go on only if nothing is wrong.

        Raises:
            StreamtError: everything that the steps found.
        """
        if self.diagnostics:
            raise StreamtError(*self.diagnostics)
