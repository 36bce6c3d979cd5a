"""What Flink means by the stack trace that it answers with: one message, and the place in the statement.

The answer of a failed statement is Java's stack trace. The user's message is the last `Caused by:` with the lines after
it; the place is in a `CalciteContextException` above it, or in the message of a parse error; some causes stand on the
lines of no `Caused by:` at all, and are searched for.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from streamt.diagnostics import redact

_CAUSE = "Caused by: "
_CLASS = re.compile(r"^(?:[A-Za-z_$][\w$]*\.)+[A-Za-z_$][\w$]*(?:: |$)")
_CONTEXT = re.compile(r"CalciteContextException: (?:SQL validation failed\. )?From line (\d+), column (\d+)")
_PARSED = re.compile(r"at line (\d+), column (\d+)")
# What follows these lines is a list that is longer than the message: every option, every word that could have come.
_LISTS = ("Was expecting", "Supported options:", "Table options are:")
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class FlinkError:
    """Why a statement failed.

    Attributes:
        message: Flink's own words, masked.
        line: counted from 1 in the statement as it was sent; None if Flink does not say.
        column: counted from 1; None if Flink does not say.
        is_duplicate_job: whether a job of the wanted id is there already, in whatever state.
        is_restore_failure: whether the job was refused because a savepoint's state does not fit.
    """

    message: str
    line: int | None = None
    column: int | None = None
    is_duplicate_job: bool = False
    is_restore_failure: bool = False


def flink_error(errors: Sequence[str], secrets: Iterable[str] = ()) -> FlinkError:
    """Return what the `errors` of an answer mean.

    Args:
        errors: the texts of the answer, stack traces among them.
        secrets: values that must not appear.
    """
    text = "\n".join(errors)
    place = _CONTEXT.search(text) or _PARSED.search(_message(text))
    return FlinkError(
        message=redact(_message(text), secrets),
        line=int(place[1]) if place else None,
        column=int(place[2]) if place else None,
        is_duplicate_job="DuplicateJobSubmissionException" in text,
        is_restore_failure="Failed to rollback to checkpoint/savepoint" in text,
    )


def _message(text: str) -> str:
    """Return the innermost cause, its class and the lists behind it cut off."""
    lines = text.splitlines()
    starts = [index for index, line in enumerate(lines) if line.startswith(_CAUSE)]
    kept: list[str] = []
    for line in lines[starts[-1] if starts else 0 :]:
        if line.lstrip().startswith("at ") or line.startswith(("\t", *_LISTS, "End of exception")):
            break
        kept.append(line.removeprefix(_CAUSE))
    first = _CLASS.sub("", kept[0]) if kept else ""
    words = [first, *(line.strip() for line in kept[1:] if line.strip())]
    return " ".join(filter(None, words))[:_LONGEST] or "Flink gives no reason"
