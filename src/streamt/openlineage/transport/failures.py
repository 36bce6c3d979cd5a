"""How a transport says that it failed."""

from typing import NamedTuple, Protocol

from streamt.net import Answered, NotSent, Outcome, Reason, Unknown

MAX_REASON = 200
"""Characters that the text of a `DeliveryError` may have."""

_MAY_PASS = frozenset({Reason.UNRESOLVED, Reason.REFUSED, Reason.UNREACHABLE, Reason.BROKEN})


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


class Failure(NamedTuple):
    """Why one try failed, and whether a second one could end differently."""

    reason: str
    may_pass: bool


def failure_of(outcome: Outcome, timeout_s: float) -> Failure | None:
    """Return why a request delivered nothing; None where it delivered.

    Args:
        outcome: what became of the request. Any final status of 2xx is a delivery, whatever became of the body.
        timeout_s: how long it was given, for the message.
    """
    match outcome:
        case Answered(status=status):
            if outcome.is_success:
                return None
            note = "; redirects are not followed" if 300 <= status < 400 else ""
            return Failure(f"HTTP {status}{note}", may_pass=status == 429 or status >= 500)
        case NotSent(reason) | Unknown(reason):
            text = f"timed out after {timeout_s:g} s" if reason is Reason.TIMED_OUT else reason.value
            return Failure(text, reason in _MAY_PASS)
