"""The time of a compile."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from streamt.diagnostics import Code, Diagnostic, StreamtError, Variable

VARIABLE = "SOURCE_DATE_EPOCH"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = int((datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC) - _EPOCH).total_seconds())


def compile_time(environ: Mapping[str, str]) -> datetime:
    """Return the time of a compile, aware and in UTC: `SOURCE_DATE_EPOCH` if it is set, else now.

    Args:
        environ: the process's environment; a variable without text counts as not set.

    Raises:
        StreamtError: E502, if the variable is not whole seconds from 1970 to 9999
            (https://reproducible-builds.org/specs/source-date-epoch/).
    """
    text = environ.get(VARIABLE, "")
    if not text:
        return datetime.now(UTC)
    if not re.fullmatch(r"[0-9]{1,12}", text) or int(text) > _LAST:
        raise StreamtError(
            Diagnostic(
                code=Code.ENV_VAR_ERROR,
                message=f"the variable {VARIABLE} is not a time in whole seconds since 1970",
                location=Variable(VARIABLE),
                hint=f'set it to digits alone, as `export {VARIABLE}="$(date +%s)"` does, or unset it',
            )
        )
    return _EPOCH + timedelta(seconds=int(text))
