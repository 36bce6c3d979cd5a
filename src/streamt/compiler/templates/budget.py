"""What one rendering may cost.

The threat: a template is text of a stranger as soon as a project is checked before it is trusted, in the CI of a pull
request, say. Such a text must neither hang the program nor fill its memory nor reach anything beside its parameters.
So every step of an evaluation pays before it is done, by what it is about to make or to look through, and no step is
there that could cost more than it pays. No thread, signal, tracer or clock is needed, and the verdict on a template is
the same on every machine.
"""

from collections.abc import Iterable, Mapping
from typing import Any

STEPS = 500_000
CHARACTERS = 5_000_000
LONGEST_TEXT = 1_000_000
LONGEST_LIST = 100_000
LARGEST_INTEGER_BITS = 4096


class TooMuchError(Exception):
    """A template wants to do more than its budget allows."""


class Budget:
    """What is left for one rendering."""

    __slots__ = ("_characters", "_steps")

    def __init__(self) -> None:
        self._steps = STEPS
        self._characters = CHARACTERS

    def step(self, count: int = 1) -> None:
        """Pay for `count` steps.

        Raises:
            TooMuchError: there are not so many left.
        """
        self._steps -= count
        if self._steps < 0:
            raise TooMuchError

    def text(self, length: int) -> None:
        """Pay for a text of `length` characters that is made or looked through.

        Raises:
            TooMuchError: it is too long, or the characters are used up.
        """
        self._characters -= length
        if length > LONGEST_TEXT or self._characters < 0:
            raise TooMuchError

    def items(self, count: int) -> None:
        """Pay for a list of `count` items.

        Raises:
            TooMuchError: it is too long, or the steps are used up.
        """
        if count > LONGEST_LIST:
            raise TooMuchError
        self.step(count)

    def integer(self, bits: int) -> None:
        """Pay for a whole number of `bits` bits.

        Raises:
            TooMuchError: it is too large.
        """
        if bits > LARGEST_INTEGER_BITS:
            raise TooMuchError

    def whole(self, value: Any) -> Any:
        """Pay for every text and item of `value`, however nested, as hashing and comparing look at them all.

        Raises:
            TooMuchError: the budget is used up.
        """
        if isinstance(value, str):
            self.text(len(value))
        elif isinstance(value, (list, tuple, Mapping)):
            self._container(value)
        return value

    def _container(self, value: Iterable[Any]) -> None:
        left: list[Any] = [value]
        while left:
            each = left.pop()
            self.step()
            if isinstance(each, str):
                self.text(len(each))
            elif isinstance(each, Mapping):
                left.extend(each.keys())
                left.extend(each.values())
            elif isinstance(each, (list, tuple)):
                left.extend(each)
