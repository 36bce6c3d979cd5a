"""Word lists that stay readable."""


def words(text: str) -> frozenset[str]:
    """Give the words of `text`, as they stand between blanks."""
    return frozenset(text.split())
