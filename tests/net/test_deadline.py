"""A deadline is one moment, handed on."""

import math

import pytest

from streamt.net import Deadline


def test_time_is_left_before_the_end() -> None:
    deadline = Deadline.after(600)
    assert 500 < deadline.left <= 600
    assert not deadline.has_passed
    assert deadline.check() > 500


@pytest.mark.parametrize("seconds", [0, -1])
def test_no_time_is_left_after_the_end(seconds: float) -> None:
    deadline = Deadline.after(seconds)
    assert (deadline.left, deadline.has_passed) == (0, True)
    with pytest.raises(TimeoutError):
        deadline.check()


def test_there_may_be_no_bound() -> None:
    assert Deadline.never().left == math.inf


def test_the_earlier_end_counts() -> None:
    early, late = Deadline.after(1), Deadline.after(600)
    assert early.within(600) == early
    assert late.within(1).end < late.end
