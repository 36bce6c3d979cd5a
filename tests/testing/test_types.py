"""Values of Avro, and those that a project declares, held against Flink SQL types."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from streamt.testing.types import accepted_type, admits, known_accepted_type

D = Decimal
ADMITTED: list[tuple[str, list[Any], list[Any]]] = [
    ("BOOLEAN", [True], [1, "true"]),
    ("STRING", ["", "x", UUID(int=1)], [1, True, ["x"]]),
    ("VARCHAR(2)", ["ab"], ["abc"]),
    ("CHAR(2) NOT NULL", ["ab"], [None]),
    ("TINYINT", [127, -128], [128, -129]),
    ("INT", [0, D("1.0"), -(2**31)], [D("1.5"), 2**31, True, "1"]),
    ("BIGINT", [2**63 - 1], [2**63, D("1e999999999")]),
    ("DECIMAL(5, 2)", [D("123.45"), 999, 0, D("0.10"), D("1.2300")], [D("1.234"), 1000, "1.00"]),
    ("DOUBLE PRECISION", [1, D("0.1"), float("nan")], ["1", True]),
    ("DATE", [date(2026, 11, 30), "2026-11-30"], [datetime(2026, 11, 30, tzinfo=UTC), 5, "20261130"]),
    ("TIME(3)", [time(12)], [12]),
    ("TIMESTAMP(3)", [datetime(2026, 11, 30), "2026-11-30 12:00:00", "2026-11-30T12:00"], [1796040000000, "now"]),
    ("TIMESTAMP_LTZ(3)", [datetime(2026, 11, 30, tzinfo=UTC), "2026-11-30T12:00:00Z"], [date(2026, 11, 30)]),
    ("BYTES", [b"x"], [1]),
    ("ARRAY<INT NOT NULL>", [[], [1]], [[None], {}]),
    ("MAP<STRING, INT>", [{}, {"a": 1}], [{"a": "1"}, []]),
    ("ROW<a INT, b ROW<c STRING>>", [{"a": 1, "b": {"c": "x"}}, {}, {"other": 1}], [{"a": "1"}, {"b": {"c": 1}}, []]),
    ("MULTISET<STRING>", [{"a": 2}], [{"a": "2"}, ["a"]]),
    ("number", [1, D("0.5")], ["1", True]),
    ("object", [{}], [[]]),
    ("array", [[1, "x"]], [{}]),
]


@pytest.mark.parametrize(("text", "value"), [(text, value) for text, good, _ in ADMITTED for value in good])
def test_values_of_a_type_are_admitted(text: str, value: Any) -> None:
    flink = accepted_type(text)
    assert admits(flink, value)


@pytest.mark.parametrize(("text", "value"), [(text, value) for text, _, bad in ADMITTED for value in bad])
def test_other_values_are_not(text: str, value: Any) -> None:
    flink = accepted_type(text)
    assert not admits(flink, value)


def test_a_name_of_json_schema_is_accepted_beside_flinks_types() -> None:
    assert known_accepted_type("Number") == accepted_type("number")
    assert known_accepted_type("numbr") is None
