"""One table: what Flink's JSON format takes for each type, by both timestamp standards.

Every value here was given to both converters of Flink 2.2.1's JSON format, by both standards. They take what is said to
be taken, and of the rest nothing, or something else than what stands there.
"""

from decimal import Decimal
from typing import Any

import pytest

from streamt.testing.flink_json import Standard, depends_on_standard, takes, takes_all
from streamt.testing.results import Status
from streamt.testing.types import accepted_type
from tests.testing.samples import judge

D = Decimal
TABLE: list[tuple[str, list[Any], list[Any]]] = [
    # type, what is taken by both standards, what by neither
    ("BOOLEAN", [True, "true", " FALSE "], ["yes", "", 1, 0, "1"]),
    ("STRING", ["", "x", 1, D("1.5"), True, {"a": 1}, [1]], []),
    ("VARCHAR(2)", ["ab", 12, D("1")], ["abc", 123, True, {}, []]),
    ("CHAR(2) NOT NULL", ["ab"], ["abc", None]),
    ("TINYINT", [127, -128, "12", " +7 ", "\u0661"], [128, D("1.0"), D("1E2"), "1.0", "x", "", True]),
    ("SMALLINT", [32767, "-1"], [32768, D("1.0")]),
    ("INT", [0, D("1.0"), D("1E2"), "2147483647", -(2**31)], [D("1.5"), 2**31, True, "1.0", "1_0", "x", [1]]),
    ("BIGINT", [2**63 - 1, "9007199254740993"], [2**63, D("1e999999999"), D("9007199254740993.0"), "9" * 5000]),
    ("DECIMAL(5, 2)", [D("123.45"), 999, D("0.10"), D("1.2300"), "1.5", ".5", "1e1"], [D("1.234"), 1000, "1,5", "x"]),
    ("DECIMAL(3)", [100, D("1E2")], [1000, D("0.5"), True]),
    ("DOUBLE", [1, D("0.1"), "1.5", "NaN", "-Infinity", "1e3d", "0x1p3", 10**308], [D("1e400"), 10**309, "x", True]),
    ("FLOAT", [D("0.5"), D("3.4e38")], [D("3.5e38"), "", "1.5x", "\u0661"]),
    ("BYTES", ["", "eA==", "eHh4", "eHh4 eA=="], ["eA", "e", "eA=", "é", 1]),
    (
        "DATE",
        ["2026-11-30", "2024-02-29", "-0001-01-01", "0000-02-29", "+12026-11-30", "+999999999-12-31"],
        [
            "20261130",
            "2026-W48-1",
            "2026-02-29",
            "2026-04-31",
            "2026-13-01",
            "2026-1-1",
            "+2026-11-30",
            "-0000-01-01",
            "12026-11-30",
            "2026-11-30 ",
            "2026-11-30T00:00:00",
            5,
            "",
            "２０２６-11-30",
        ],
    ),
    (
        "TIME(3)",
        ["12:00:00", "12:00:00.", "12:00:00.123456789", "24:00:00", "24:00:00.000"],
        ["12:00", "12:00:00.1234567890", "12:00:00,1", "24:00:01", "25:00:00", "23:59:60", "1:00:00", "12:00:00Z", 5],
    ),
    (
        "TIMESTAMP(3)",
        [],
        [
            "2026-11-30",
            "2026-11-30T12",
            "20261130T120000",
            "2026-11-30 12:00",
            "2026-11-30T12:00:00+01:00",
            "now",
            "2026-11-30T12:00:00Z",
            "2026-11-30 12:00:00Z",
            "2026-02-30 12:00:00",
            "2026-02-30T12:00:00",
            1796040000000,
            "2026-11-30  12:00:00",
            "2026-11-30 12:00:00.1234567890",
            "2026-11-30T24:00:00",
        ],
    ),
    (
        "TIMESTAMP_LTZ(3)",
        [],
        [
            "2026-11-30T12:00:00",
            "2026-11-30 12:00:00",
            "2026-11-30T12:00:00z",
            "2026-11-30t12:00:00Z",
            1796040000000,
            "2026-11-30T12:00:00+00:00",
            "2026-11-30 12:00Z",
            "2026-02-30 12:00:00Z",
            "2026-02-30T12:00:00Z",
        ],
    ),
    ("ARRAY<INT>", [[], [1, None, "2"]], [["x"], {}, "[]"]),
    ("ARRAY<INT NOT NULL>", [[1]], [[None]]),
    ("MAP<STRING, INT>", [{}, {"a": 1}], [{"a": "x"}, []]),
    ("MAP<INT, INT>", [], [{}, {"1": 1}]),
    ("MULTISET<STRING>", [{"a": 2}], [{"a": "x"}, ["a"]]),
    ("ROW<a INT, b ROW<c STRING>>", [{"a": 1, "b": {"c": "x"}}, {}, {"other": 1}], [{"a": "x"}, {"b": []}, []]),
    ("ROW<`a b` INT NOT NULL>", [{"a b": 1}], [{}]),
    ("number", [1, D("0.5")], ["1", True]),
    ("object", [{}], [[]]),
    ("array", [[1, "x"]], [{}]),
]
ONE_STANDARD: list[tuple[str, Standard, list[str]]] = [
    (
        "TIMESTAMP(3)",
        Standard.SQL,
        ["2026-11-30 12:00:00", "2026-11-30 12:00:00.", "2026-11-30 12:00:00.123456789", "2026-11-30 24:00:00"],
    ),
    (
        "TIMESTAMP(3)",
        Standard.ISO,
        ["2026-11-30T12:00:00", "2026-11-30t12:00", "2026-11-30T12:00:00.", "2026-11-30T12:00:00.123456789"],
    ),
    ("TIMESTAMP_LTZ(3)", Standard.SQL, ["2026-11-30 12:00:00Z", "2026-11-30 12:00:00.1Z", "2026-11-30 24:00:00Z"]),
    (
        "TIMESTAMP(3) WITH LOCAL TIME ZONE",
        Standard.ISO,
        ["2026-11-30T12:00:00Z", "2026-11-30T12:00Z", "2026-11-30T12:00:00.Z", "2026-11-30T24:00Z"],
    ),
]


@pytest.mark.parametrize("standard", Standard)
@pytest.mark.parametrize(("text", "value"), [(text, value) for text, good, _ in TABLE for value in good])
def test_what_both_standards_take(text: str, value: Any, standard: Standard) -> None:
    assert takes(accepted_type(text), value, standard)


@pytest.mark.parametrize("standard", Standard)
@pytest.mark.parametrize(("text", "value"), [(text, value) for text, _, bad in TABLE for value in bad])
def test_what_no_standard_takes_as_what_it_is(text: str, value: Any, standard: Standard) -> None:
    flink = accepted_type(text)
    assert not takes(flink, value, standard)
    assert not takes_all(flink, [value], standard)


@pytest.mark.parametrize(
    ("text", "standard", "value"), [(text, standard, value) for text, standard, good in ONE_STANDARD for value in good]
)
def test_what_one_standard_takes_and_the_other_does_not(text: str, standard: Standard, value: str) -> None:
    flink = accepted_type(text)
    assert depends_on_standard(flink)
    assert [each for each in Standard if takes(flink, value, each)] == [standard]


@pytest.mark.parametrize(
    ("values", "status", "words"),
    [
        (["2026-11-30 12:00:00", "2026-11-30 12:00:01"], Status.PASSED, ""),
        (["2026-11-30T12:00:00", "2026-11-30T12:00"], Status.PASSED, ""),
        (
            ["2026-11-30T12:00:00", "2026-11-30T12:00:00", "2026-11-30 12:00:00"],
            Status.FAILED,
            "1 of 3 records have a value that is no TIMESTAMP(3) in `at`, with timestamps as ISO-8601; see",
        ),
    ],
)
def test_a_column_is_read_by_one_standard(values: list[str], status: Status, words: str) -> None:
    verdict = judge("accepted_types", {"types": {"at": "TIMESTAMP(3)"}}, [{"at": value} for value in values])
    assert verdict.status is status
    assert words in verdict.message


def test_all_columns_of_a_table_have_one_standard() -> None:
    record = {"a": "2026-11-30 12:00:00", "b": "2026-11-30T12:00:00"}
    types = {"a": "TIMESTAMP(3)", "b": "TIMESTAMP(3)"}
    verdict = judge("accepted_types", {"types": types}, [record])
    assert verdict.message.startswith(
        "1 of 1 records have a value that is no TIMESTAMP(3) in `b`, with timestamps as SQL"
    )
