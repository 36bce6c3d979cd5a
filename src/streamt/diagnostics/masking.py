"""Masking: no secret leaves in a message, whoever said it."""

import re
from collections.abc import Iterable

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
