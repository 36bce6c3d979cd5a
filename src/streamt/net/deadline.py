"""One bound, by a clock that nobody sets, on all the steps of a task."""

import math
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment until which something may take; handed on from step to step.

    Attributes:
        end: the moment, by `time.monotonic`, in seconds; infinity for no bound.
    """

    end: float

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        """Return the deadline that many seconds from now."""
        return cls(time.monotonic() + seconds)

    @classmethod
    def never(cls) -> "Deadline":
        """Return no bound at all."""
        return cls(math.inf)

    @property
    def left(self) -> float:
        """The seconds that are left: 0 when none are, infinity when there is no bound."""
        return max(0.0, self.end - time.monotonic())

    @property
    def has_passed(self) -> bool:
        """Whether no time is left."""
        return self.left == 0

    def within(self, seconds: float) -> "Deadline":
        """Return the earlier one of this deadline and `seconds` from now."""
        return min(self, Deadline.after(seconds), key=lambda deadline: deadline.end)

    def check(self) -> float:
        """Return the seconds that are left.

        Raises:
            TimeoutError: none are.
        """
        if self.has_passed:
            raise TimeoutError
        return self.left
