"""What a transport is, and how it says that it failed."""

from typing import Protocol

MAX_REASON = 200
"""Characters that the text of a `DeliveryError` may have."""


class DeliveryError(Exception):
    """An event was not delivered, or nobody confirmed that it was.

    Its text is for a warning as it stands: short, on one line, and made of our own words. It never holds what a
    server answered, what a library said, an address or a setting.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason[:MAX_REASON])


class Transport(Protocol):
    """Takes run events, one at a time, to where they are read."""

    def emit(self, event: bytes) -> None:
        """Deliver one event and return when that has ended.

        Args:
            event: one JSON object in UTF-8, on one line, without a newline at its end.

        Raises:
            DeliveryError: it failed; another event may still be tried.
        """

    def close(self) -> None:
        """Let go of everything that is held open."""
