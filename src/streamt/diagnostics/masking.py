"""Masking: no secret leaves in a message, whoever said it.

What a variable supplied is marked where it enters, as `Supplied`, and every message writes text of the user's with
`quote`, which shows the variable and not its value. What a foreign program said goes through `redact`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streamt.diagnostics.diagnostic import Diagnostic

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


class Supplied(str):
    """Text of which a part or all came from variables: no message may show it.

    Attributes:
        template: the text as the file has it, such as `${HOST}:9092`.
        whole: whether the text is one variable and nothing else.
        unset: what is wrong if a variable that it needs is not set; the text has no meaning then.
    """

    __slots__ = ("template", "unset", "whole")
    template: str
    whole: bool
    unset: "Diagnostic | None"

    def __new__(cls, value: str, template: str, *, whole: bool = True, unset: "Diagnostic | None" = None) -> "Supplied":
        """Make the text `value`, remembering the `template` that it came from."""
        text = super().__new__(cls, value)
        text.template = template
        text.whole = whole
        text.unset = unset
        return text

    def __reduce__(self) -> tuple[Any, ...]:
        return _supplied, (str(self), self.template, self.whole, self.unset)


def _supplied(value: str, template: str, whole: bool, unset: "Diagnostic | None") -> Supplied:  # noqa: FBT001 - for pickle
    return Supplied(value, template, whole=whole, unset=unset)


def holds_supplied(value: object) -> bool:
    """Report whether `value`, or anything in it, came from a variable."""
    if isinstance(value, Mapping):
        return any(map(holds_supplied, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(holds_supplied, value))
    return isinstance(value, Supplied)


LONGEST_QUOTE = 120
"""How many characters of a text a message repeats."""


def quote(text: str) -> str:
    """Return `text` in backticks for a message: short, visible, and never what a variable supplied."""
    shown = text.template if isinstance(text, Supplied) else text
    cut = f"{shown[:LONGEST_QUOTE]}…" if len(shown) > LONGEST_QUOTE else shown
    return f"`{cut}`" if cut.isprintable() else f"`{''.join(map(_visible, cut))}`"


def _visible(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


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
