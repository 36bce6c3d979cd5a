"""JSON values: exact numbers, objects only, and nothing of what does not decode."""

import json
from collections.abc import Callable
from decimal import Decimal
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamt.testing.decoding.exact_json import Record, decode_flat, decode_json, decode_json_slowly
from streamt.testing.decoding.faults import Kind, Undecodable

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
DECODERS = pytest.mark.parametrize("decode", [decode_json, decode_json_slowly])
Decode = Callable[[bytes], Record]


def outcome(decode: Decode, value: bytes) -> Any:
    """Give the record with the types of its numbers, or the kind of fault."""
    try:
        return repr(decode(value))
    except Undecodable as error:
        return error.fault.kind


@DECODERS
@given(record=st.dictionaries(st.text(), JSON, max_size=4), space=st.sampled_from(["", " ", "\n\t"]))
@settings(max_examples=100)
def test_every_object_comes_back(decode: Decode, record: dict[str, Any], space: str) -> None:
    assert decode(f"{space}{json.dumps(record)}{space}".encode()) == record


@DECODERS
def test_numbers_are_exact(decode: Decode) -> None:
    record = decode(b'{"a": 0.1000000000000000055511151231257827, "b": 12345678901234567890, "c": 1e2, "d": -0}')
    assert record == {"a": Decimal("0.1000000000000000055511151231257827"), "b": 12345678901234567890, "c": 100, "d": 0}
    assert [type(value) for value in record.values()] == [Decimal, int, Decimal, int]


FAULTS = [
    (b"", Kind.NOT_JSON),
    (b"{", Kind.NOT_JSON),
    (b"{}{}", Kind.NOT_JSON),
    (b"[]", Kind.NO_OBJECT),
    (b"1", Kind.NO_OBJECT),
    (b"null", Kind.NO_OBJECT),
    (b'"x"', Kind.NO_OBJECT),
    (b"\xff{}", Kind.NOT_JSON),
    (b'{"a": NaN}', Kind.NOT_JSON),
    (b'{"a": -Infinity}', Kind.NOT_JSON),
    (b"{'a': 1}", Kind.NOT_JSON),
    (b'{"a": 1,}', Kind.NOT_JSON),
    (b'{"a": ' + b"[" * 100_000, Kind.TOO_DEEP),
    (b'{"a": ' + b"1" * 5_000 + b"}", Kind.NUMBER),
    (b"\0\0\0\0\1{}", Kind.NOT_JSON),
    (b'{"a": 1e99999999999999999999}', Kind.NUMBER),
    (b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}", Kind.TOO_DEEP),
    (b'{"a": ' * 400 + b"1" + b"}" * 400, Kind.TOO_DEEP),
    (rb'{"a": "\ud800"}', Kind.NOT_JSON),
    (rb'{"a": [{"\uDFFF": 1}]}', Kind.NOT_JSON),
    ('{"a": 1}'.encode("utf-16"), Kind.NOT_JSON),
    (b'{"a": 1, "a": 1}', Kind.DUPLICATE_KEY),
    (b'{"a" : 1, "a"\n:2, "b": "x\\":y"}', Kind.DUPLICATE_KEY),
    (b'{"a": {"b": [{"c": 1, "\\u0063": 2}]}}', Kind.DUPLICATE_KEY),
]


@DECODERS
@pytest.mark.parametrize(("value", "kind"), FAULTS, ids=lambda each: repr(each)[:30])
def test_what_is_no_object_is_undecodable_for_a_reason_that_says_nothing_of_it(
    decode: Decode, value: bytes, kind: Kind
) -> None:
    with pytest.raises(Undecodable) as caught:
        decode(value)
    assert (caught.value.fault.kind, str(caught.value)) == (kind, "")


@DECODERS
def test_a_hundred_levels_and_pairs_of_surrogates_are_fine(decode: Decode) -> None:
    assert decode(b'{"a": ' + b"[" * 99 + b"]" * 99 + b"}")
    assert decode(rb'{"a": "\ud83d\ude00"}') == {"a": "\U0001f600"}
    assert len(decode(b'{"a": [' + b"[]," * 500 + b"[]]}")["a"]) == 501


TOKENS = [
    *b'{ } [ ] : , " \\ \\u \\ud83d \\ude00 \\" \\": a "a" "a": "b": {"a":1} [1] 0 -0 1 -1 1.0 0.10 1e5'.split(),
    *b"01 1. .5 1E+2 - NaN Infinity -Infinity true false null tru 123456789012345678901234567890".split(),
    *b"18446744073709551616 9223372036854775808 -9223372036854775809 1e400 1e-400 1e99999999999999999999".split(),
    *[b" ", b"\n", b"\t", b"\r", b"\x0c", b"\0", b"\xff", b"\xc3\xa9", b"\xed\xa0\x80", b"\xef\xbb\xbf"],
    *[b"1" * 4300, b"1" * 4301, b"[" * 101, b'{"a":' * 60, b"]" * 60, b"}" * 60],
]
SOUP = st.lists(st.sampled_from(TOKENS), max_size=14).map(b"".join)


@given(SOUP | SOUP.map(lambda soup: b'{"k":' + soup + b"}") | SOUP.map(lambda soup: b'{"a":1,' + soup + b"}"))
@settings(max_examples=1500)
def test_the_fast_decoder_gives_what_the_slow_one_gives(value: bytes) -> None:
    assert outcome(decode_json, value) == outcome(decode_json_slowly, value)


MEMBERS = [b'"a":1', b'"a": 2.50', b'"b":"x:y"', b'"b" :"\\":"', b'"c":[{"a":1},[{"d":{}}]]', b'"\\u0061":null']


LINES = st.lists(
    SOUP | st.sampled_from([b"{%s}" % member for member in MEMBERS] + [b"", b"{}\n{}", b"[1", b",2]"]), max_size=4
)


@given(LINES)
@settings(max_examples=1500)
def test_many_plain_objects_at_once_are_what_each_is_alone(values: list[bytes]) -> None:
    found = decode_flat(values)
    assert found is None or list(map(repr, found)) == [outcome(decode_json_slowly, value) for value in values]


@pytest.mark.skipif(find_spec("msgspec") is None, reason="without it, no more than one is decoded at a time")
def test_plain_objects_are_decoded_at_once() -> None:
    assert decode_flat([b'{"a": 1.0, "b": "x:y"}', b"{}", b'{"a": null}']) == [{"a": 1, "b": "x:y"}, {}, {"a": None}]


@given(st.lists(st.sampled_from(MEMBERS), max_size=6).map(lambda members: b"{" + b", ".join(members) + b"}"))
@settings(max_examples=500)
def test_both_decoders_see_the_same_keys_twice(value: bytes) -> None:
    assert outcome(decode_json, value) == outcome(decode_json_slowly, value)
