"""JSON values: exact numbers, objects only, and nothing of what does not decode."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamt.testing.decode import Undecodable, decode_json, exact

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), JSON, max_size=4), st.sampled_from(["", " ", "\n\t"]))
@settings(max_examples=100)
def test_every_object_comes_back(record: dict[str, Any], space: str) -> None:
    assert decode_json(f"{space}{json.dumps(record)}{space}".encode()) == record


def test_numbers_are_exact() -> None:
    record = decode_json(b'{"a": 0.1000000000000000055511151231257827, "b": 12345678901234567890, "c": 1e2}')
    assert record == {"a": Decimal("0.1000000000000000055511151231257827"), "b": 12345678901234567890, "c": 100}
    assert [type(value) for value in record.values()] == [Decimal, int, Decimal]


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"{",
        b"{}{}",
        b"[]",
        b"1",
        b"null",
        b'"x"',
        b"\xff{}",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b"{'a': 1}",
        b'{"a": ' + b"[" * 100_000,
        b'{"a": ' + b"1" * 5_000 + b"}",
        b"\0\0\0\0\1{}",
        b'{"a": 1e99999999999999999999}',
        b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}",
        b'{"a": ' * 400 + b"1" + b"}" * 400,
        rb'{"a": "\ud800"}',
        rb'{"a": [{"\uDFFF": 1}]}',
        '{"a": 1}'.encode("utf-16"),
    ],
    ids=lambda value: repr(value[:12]),
)
def test_what_is_no_object_is_undecodable_and_says_nothing(value: bytes) -> None:
    with pytest.raises(Undecodable) as caught:
        decode_json(value)
    assert str(caught.value) == ""


def test_floats_of_other_formats_become_the_decimals_that_they_are_written_as() -> None:
    value = {"a": 0.1, "b": [0.5, float("inf")], "c": {"d": 1}}
    assert exact(value) == {"a": Decimal("0.1"), "b": [Decimal("0.5"), float("inf")], "c": {"d": 1}}


def test_a_hundred_levels_and_pairs_of_surrogates_are_fine() -> None:
    assert decode_json(b'{"a": ' + b"[" * 99 + b"]" * 99 + b"}")
    assert decode_json(rb'{"a": "\ud83d\ude00"}') == {"a": "\U0001f600"}
    assert len(decode_json(b'{"a": [' + b"[]," * 500 + b"[]]}")["a"]) == 501


def test_other_formats_have_no_more_levels() -> None:
    value: list[Any] = []
    for _level in range(200):
        value = [value]
    with pytest.raises(Undecodable):
        exact(value)
