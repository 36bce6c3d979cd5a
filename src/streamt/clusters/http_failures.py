"""What an outcome of HTTP means for a question to a system: the answer, or a failure."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from streamt.clusters.failure import ClusterError, Failure, FailureKind
from streamt.net import Answered, Outcome, Reason, Unknown

_KINDS: Mapping[int, FailureKind] = {
    HTTPStatus.UNAUTHORIZED: FailureKind.LOGIN,
    HTTPStatus.FORBIDDEN: FailureKind.DENIED,
    HTTPStatus.NOT_FOUND: FailureKind.ABSENT,
}


def answer_of(outcome: Outcome) -> Any:
    """Return the JSON of a question that was answered with status 200.

    Raises:
        ClusterError: there is no such answer; its code is the status, or names the reason.
    """
    if not isinstance(outcome, Answered):
        late = isinstance(outcome, Unknown) or outcome.reason is Reason.TIMED_OUT
        kind = FailureKind.UNDECIDED if late else FailureKind.UNREACHABLE
        raise ClusterError(Failure(kind, outcome.reason.name, outcome.reason.value))
    if outcome.status != HTTPStatus.OK:
        kind = _KINDS.get(outcome.status, FailureKind.REFUSED)
        raise ClusterError(Failure(kind, str(outcome.status), f"HTTP status {outcome.status}"))
    try:
        return outcome.json()
    except ValueError as error:  # its text never says what the answer holds
        raise unreadable(str(error)) from error


def unreadable(said: str) -> ClusterError:
    """Make the error of an answer that says something else than it should."""
    return ClusterError(Failure(FailureKind.UNDECIDED, "answer", said))
