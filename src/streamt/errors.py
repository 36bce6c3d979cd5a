"""What can go wrong, as values: a code, a place, what is wrong, and what to do next.

A problem is made once, where it is found, and never rewritten on its way up: the command line alone turns it into
text or JSON and into an exit status.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """The stable codes of errors (E) and warnings (W)."""

    USAGE_ERROR = "E500_USAGE_ERROR"
    PARSE_ERROR = "E501_PARSE_ERROR"
    ENV_VAR_ERROR = "E502_ENV_VAR_ERROR"
    ENVIRONMENT_ERROR = "E503_ENVIRONMENT_ERROR"
    OPENLINEAGE_INVALID = "E506_OPENLINEAGE_INVALID"
    COMPILE_ERROR = "E510_COMPILE_ERROR"
    RULE_VIOLATED = "E520_RULE_VIOLATED"
    TEST_FAILED = "E530_TEST_FAILED"
    TEST_ERROR = "E531_TEST_ERROR"
    INTERNAL_ERROR = "E599_INTERNAL_ERROR"
    API_VERSION_MISSING = "W101_API_VERSION_MISSING"
    TOPIC_NAME_COLLISION = "W102_TOPIC_NAME_COLLISION"
    SQL_NOT_PARSED = "W103_SQL_NOT_PARSED"
    TOPIC_CONFIG_UNKNOWN = "W104_TOPIC_CONFIG_UNKNOWN"
    SCHEMA_INCOMPLETE = "W110_OPENLINEAGE_SCHEMA_INCOMPLETE"
    SINK_OUTPUT_OMITTED = "W111_OPENLINEAGE_SINK_OUTPUT_OMITTED"
    EMIT_FAILED = "W112_OPENLINEAGE_EMIT_FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One error or warning.

    Attributes:
        code: what kind it is.
        message: what is wrong, in one sentence; never a secret, never a value that a variable supplied.
        location: a JSON pointer into the project (`/models/3/sql`), or an option's name (`job_namespace`).
        file: the project's file that holds the cause, relative to the project's folder, with `/`.
        line: one-based line in `file`.
        column: one-based column in `file`, in characters.
        hint: what to do next.
    """

    code: Code
    message: str
    location: str = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    hint: str | None = None

    @property
    def is_error(self) -> bool:
        """Tell an error from a warning."""
        return self.code.value.startswith("E")

    def as_dict(self) -> dict[str, str | int]:
        """Give the object of the JSON envelope: `file`, `line`, `column` and `hint` only where they are known."""
        always: dict[str, str | int] = {
            "code": self.code.value,
            "message": self.message,
            "location": self.location,
        }
        known = {"file": self.file, "line": self.line, "column": self.column, "hint": self.hint}
        return always | {key: value for key, value in known.items() if value is not None}

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        head = f"{place}: " if place else ""
        where = f" [{self.location}]" if self.location else ""
        hint = f"\n    hint: {self.hint}" if self.hint else ""
        return f"{head}{self.code.value}: {self.message}{where}{hint}"


class StreamtError(Exception):
    """Carries every problem that one step found, never only the first."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics = diagnostics


def pointer(*parts: str | int) -> str:
    """Join `parts` to a JSON pointer (RFC 6901); no part at all gives the whole document, `""`."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def pointer_parts(location: str) -> tuple[str, ...]:
    """Split a JSON pointer into its unescaped parts; what is no pointer (an option's name) gives no part."""
    if not location.startswith("/"):
        return ()
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in location[1:].split("/"))


MASK = "***"

_CREDENTIALS = (
    # user:password@host, with or without a scheme before it
    (re.compile(r"(?<=://)[^\s@]*@|(?<![^\s\"'=,(])[^\s/@\"'=,(]+:(?!//)[^\s@\"']+@"), f"{MASK}@"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]+"), rf"\1 {MASK}"),
    (
        re.compile(
            r"(?i)\b([\w.-]*(?:password|passwd|pwd|secret|token|api[_-]?key|credential)s?)(\"?\s*[:=]\s*)"
            r"(\"[^\"]*\"|'[^']*'|[^\s,;&}]+)"
        ),
        rf"\1\2{MASK}",
    ),
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Mask credentials in `text`: every one of `secrets` to the letter, and what looks like one.

    Args:
        text: what a foreign program or library said.
        secrets: values that must not appear; empty ones are passed over.
    """
    for secret in sorted({secret for secret in secrets if secret}, key=len, reverse=True):
        text = text.replace(secret, MASK)
    for pattern, replacement in _CREDENTIALS:
        text = pattern.sub(replacement, text)
    return text
