"""What went wrong at a provider, in the provider's words: a value that callers turn into their own."""

from dataclasses import dataclass
from enum import StrEnum


class FailureKind(StrEnum):
    """What a failure means for the caller.

    ABSENT: what was named is not there. EXISTS: it is there already. DENIED: the user may not. REFUSED: a clear no
    for another reason. LOGIN: the credentials were not accepted. UNREACHABLE: no connection. UNSUPPORTED: the provider
    does not know the request. UNDECIDED: no answer, or one that does not tell whether the request was carried out.
    """

    ABSENT = "absent"
    EXISTS = "exists"
    DENIED = "denied"
    REFUSED = "refused"
    LOGIN = "login"
    UNREACHABLE = "unreachable"
    UNSUPPORTED = "unsupported"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure of a request.

    Attributes:
        kind: what it means.
        code: the provider's own word or number for it: `TOPIC_ALREADY_EXISTS`, `40401`.
        message: the provider's words, masked.
    """

    kind: FailureKind
    code: str
    message: str

    @property
    def is_final(self) -> bool:
        """Report whether the request was certainly not carried out."""
        return self.kind is not FailureKind.UNDECIDED

    def __str__(self) -> str:
        return f"{self.message} ({self.code})" if self.code else self.message


class ClusterError(Exception):
    """A request failed as a whole.

    Attributes:
        failure: why.
    """

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure
