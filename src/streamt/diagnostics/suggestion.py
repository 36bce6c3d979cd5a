"""The hint for a mistyped word."""

from collections.abc import Iterable
from difflib import get_close_matches

from streamt.diagnostics.masking import Supplied, quote


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the one of the `known` words that `word` was probably meant to be, if one is near; case does not count.

    Args:
        word: what was written.
        known: what could have been meant; what a variable supplied is never suggested.
    """
    by_lower = {each.lower(): each for each in known if not isinstance(each, Supplied)}
    near = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[near[0]] if near else None


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """Return the hint for a mistyped `word`, if one of the `known` words is near, as `nearest` says."""
    near = nearest(word, known)
    return None if near is None else f"did you mean {quote(near)}?"
