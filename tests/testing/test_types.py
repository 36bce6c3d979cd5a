"""Flink SQL types: reading them, and holding values against them."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest

from streamt.testing.types import parse_type

D = Decimal
ADMITTED: list[tuple[str, list[Any], list[Any]]] = [
    ("BOOLEAN", [True], [1, "true"]),
    ("STRING", ["", "x"], [1, True, ["x"]]),
    ("VARCHAR(2)", ["ab"], ["abc"]),
    ("CHAR(2) NOT NULL", ["ab"], [None]),
    ("TINYINT", [127, -128], [128, -129]),
    ("SMALLINT", [32767], [32768]),
    ("INT", [0, D("1.0"), -(2**31)], [D("1.5"), 2**31, True, "1"]),
    ("INTEGER", [2**31 - 1], [2**31]),
    ("BIGINT", [2**63 - 1], [2**63, D("1e999999999")]),
    ("DECIMAL(5, 2)", [D("123.45"), 999, 0, D("0.10"), D("1.2300")], [D("1.234"), 1000, "1.00"]),
    ("DECIMAL(3)", [100, D("1E2")], [1000, D("0.5")]),
    ("NUMERIC", [1], [D("0.5")]),
    ("DOUBLE PRECISION", [1, D("0.1"), float("nan")], ["1", True]),
    ("FLOAT", [D("0.5")], [False]),
    ("DATE", ["2026-11-30", date(2026, 11, 30)], ["2026-13-01", datetime(2026, 11, 30, tzinfo=UTC), 5]),
    ("TIME(3)", ["12:00:00.123", time(12)], ["25:00", 12]),
    ("TIMESTAMP(3)", ["2026-11-30 12:00:00", "2026-11-30T12:00:00.123Z"], ["2026-11-30", 1796040000000]),
    ("TIMESTAMP_LTZ(3)", [datetime(2026, 11, 30, tzinfo=UTC)], ["now"]),
    ("TIMESTAMP(3) WITH LOCAL TIME ZONE", ["2026-11-30T12:00:00Z"], [1]),
    ("BYTES", [b"x", "eA=="], [1]),
    ("ARRAY<INT>", [[], [1, None]], [["1"], {}, "[]"]),
    ("ARRAY<INT NOT NULL>", [[1]], [[None]]),
    ("MAP<STRING, INT>", [{}, {"a": 1}], [{"a": "1"}, []]),
    ("ROW<a INT, b ROW<c STRING>>", [{"a": 1, "b": {"c": "x"}}, {}, {"other": 1}], [{"a": "1"}, {"b": {"c": 1}}, []]),
    ("ROW<`a b` INT NOT NULL 'why'>", [{"a b": 1}], [{}]),
    ("MULTISET<STRING>", [{"a": 2}], [{"a": "2"}, ["a"]]),
    ("number", [1, D("0.5")], ["1", True]),
    ("object", [{}], [[]]),
    ("array", [[1, "x"]], [{}]),
]


@pytest.mark.parametrize(("text", "value"), [(text, value) for text, good, _ in ADMITTED for value in good])
def test_values_of_a_type_are_admitted(text: str, value: Any) -> None:
    flink = parse_type(text)
    assert flink.admits(value)


@pytest.mark.parametrize(("text", "value"), [(text, value) for text, _, bad in ADMITTED for value in bad])
def test_other_values_are_not(text: str, value: Any) -> None:
    flink = parse_type(text)
    assert not flink.admits(value)
    assert not flink.admits_types({type(value)})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "INTT",
        "INT INT",
        "ARRAY<",
        "ARRAY<INT",
        "ARRAY<INT, INT>",
        "MAP<INT>",
        "DECIMAL(,2)",
        "ROW<a>",
        "INT NOT",
        "%",
    ],
)
def test_what_is_no_type_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="is no type of Flink SQL"):
        parse_type(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("string", "VARCHAR"),
        ("INT", "integer"),
        ("DECIMAL(10,2)", "numeric( 10 , 2 )"),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(3)"),
        ("ARRAY<STRING>", "array < varchar >"),
    ],
)
def test_two_ways_to_write_a_type_are_one_type(one: str, other: str) -> None:
    assert parse_type(one) == parse_type(other)
