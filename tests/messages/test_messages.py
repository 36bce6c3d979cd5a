"""Every text of the program is in one file, so that a change of wording is read in review; in another stands how they
are shown.

`python -m tests.messages` writes both anew.
"""

from pathlib import Path

from tests.messages.collect import messages, texts_of
from tests.messages.shown import shown

SNAPSHOT = Path(__file__).with_name("messages.txt")
SHOWN = Path(__file__).with_name("shown.txt")


def test_every_text_of_the_program_is_in_the_snapshot() -> None:
    assert SNAPSHOT.read_text(encoding="utf-8").splitlines() == list(messages()), "python -m tests.messages"


def test_what_is_wrong_is_shown_as_it_was() -> None:
    assert SHOWN.read_text(encoding="utf-8") == "\n".join(shown()) + "\n", "python -m tests.messages"


def test_what_is_filled_in_is_cut_out_and_docstrings_are_passed_over() -> None:
    code = '''
def f(name: "a forward reference") -> None:
    """Say it."""
    raise ValueError(f"unknown name {name!r}; did you mean {f'{name} or so'}?", "x", "SELECT", "one line\\nand another")
'''
    found = ["one line\\nand another", "unknown name {...}; did you mean {...}?", "{...} or so"]
    assert sorted(texts_of(code)) == found
