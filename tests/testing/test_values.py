"""What is equal, what is a time, what is a duration."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamt.testing.durations import seconds
from streamt.testing.values import epoch_seconds, identity

D = Decimal


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, D("1.0")),
        (0, D("-0.00")),
        (10**30, D("1E30")),
        (D("0.10"), D("0.1")),
        (D("1" + "0" * 50), 10**50),
        ({"a": 1, "b": 2}, {"b": D("2.0"), "a": D("1.0")}),
        (date(2026, 11, 30), "2026-11-30"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ([1, [D("2.0")]], [D("1.0"), [2]]),
        (b"x", b"x"),
    ],
)
def test_equal_values_have_one_identity(one: Any, other: Any) -> None:
    assert identity(one) == identity(other)
    assert hash(identity(one)) == hash(identity(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        (1, "1"),
        (None, ""),
        (D("0.1"), D("0.1000000000000000055511151231257827")),
        (10**30, 10**30 + 1),
        ("x" * 17, "x" * 18),
        ([1, 2], [2, 1]),
        ([1], ["1"]),
        ([True], [1]),
        ([1], [12]),
        ({"a": None}, {}),
        ("\ud800" * 20, "\ud801" * 20),
    ],
)
def test_other_values_have_another_identity(one: Any, other: Any) -> None:
    assert identity(one) != identity(other)


@given(st.decimals(allow_nan=False, allow_infinity=False), st.integers(0, 40))
@settings(max_examples=100)
def test_trailing_zeros_change_no_identity(number: Decimal, zeros: int) -> None:
    sign, digits, exponent = number.as_tuple()
    longer = Decimal((sign, (*digits, *[0] * zeros), int(exponent) - zeros))
    assert identity(number) == identity(longer)


@given(st.text() | st.integers() | st.decimals(allow_nan=False))
@settings(max_examples=100)
def test_an_identity_is_small_whatever_the_value(value: Any) -> None:
    found = identity(value)
    assert not isinstance(found, str | bytes) or len(found) <= 16
    assert not isinstance(found, int) or found.bit_length() <= 64


@pytest.mark.parametrize(
    "value",
    [
        1796040000,
        1796040000_000,
        1796040000_000_000,
        1796040000_000_000_000,
        D("1796040000.0"),
        "2026-11-30T12:00:00Z",
        "2026-11-30 12:00:00",
        "2026-11-30T13:00:00.000+01:00",
        datetime(2026, 11, 30, 12, tzinfo=UTC),
        datetime(2026, 11, 30, 12),  # as Avro's local timestamps are
        datetime(2026, 11, 30, 14, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_times_are_read_in_every_form(value: Any) -> None:
    assert epoch_seconds(value) == 1796040000


@pytest.mark.parametrize("value", ["", "soon", "2026-13-01", True, None, [], 10**30])
def test_what_is_no_time_is_none(value: Any) -> None:
    assert epoch_seconds(value) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("500ms", "0.5"),
        ("30s", "30"),
        ("1.5 m", "90"),
        ("2 hours", "7200"),
        ("1d", "86400"),
        ("1 millisecond", "0.001"),
    ],
)
def test_durations_are_seconds(text: str, expected: str) -> None:
    assert seconds(text) == Decimal(expected)


@pytest.mark.parametrize("text", ["", "5", "s", "5 fortnights", "-1s"])
def test_what_is_no_duration_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        seconds(text)


@pytest.mark.parametrize("text", ["1e9999999", "-1e9999999", "1e999999999999999999"])
def test_a_number_beyond_all_times_is_none(text: str) -> None:
    assert epoch_seconds(D(text)) is None


def test_a_number_next_to_nothing_is_the_first_of_times() -> None:
    assert epoch_seconds(D("1e-9999999")) == 0
