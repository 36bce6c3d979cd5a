"""Word lists that stay readable."""


def words(text: str) -> frozenset[str]:
    """Return the words of `text`, as they stand between blanks."""
    return frozenset(text.split())
