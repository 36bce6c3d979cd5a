"""Each assertion: what it takes, what it refuses, and how it says so."""

from decimal import Decimal
from typing import Any

import pytest

from streamt.diagnostics import Code, StreamtError
from streamt.testing.results import RecordPosition, Status
from tests.testing.samples import NOW, At, judge

D = Decimal
PASSES: list[tuple[str, dict[str, Any], list[dict[str, Any]]]] = [
    ("not_null", {"columns": ["a", "b.c"]}, [{"a": 0, "b": {"c": False}}, {"a": "", "b": {"c": []}}]),
    ("not_null", {"columns": ["b.c"]}, [{"b.c": 1}]),
    (
        "accepted_values",
        {"column": "a", "values": ["x", 1, 0.1, True]},
        [{"a": v} for v in ("x", 1, D("1.0"), D("0.10"), True)],
    ),
    ("accepted_values", {"column": "a", "values": ["x", None]}, [{"a": "x"}, {"a": None}, {}]),
    ("range", {"column": "a", "min": 0, "max": 0.3}, [{"a": 0}, {"a": D("0.3")}, {"a": D("0.30")}, {"a": None}]),
    ("range", {"column": "a", "min": -5}, [{"a": -5}, {"a": 10**40}, {"a": D("1e999999")}]),
    ("range", {"column": "a.b", "max": 9007199254740993}, [{"a": {"b": 9007199254740993}}]),
    ("accepted_types", {"types": {"a": "INT", "b": "STRING"}}, [{"a": 1, "b": "x"}, {"a": None}]),
    ("unique_key", {"key": "id"}, [{"id": 1}, {"id": "1"}, {"id": True}, {"id": None}, {"id": None}]),
    ("unique_key", {"key": ["a", "b"]}, [{"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 1}, {"a": 1}]),
    ("unique_key", {"key": "id", "tolerance": 0.5}, [{"id": 1}, {"id": 1}]),
    ("unique_key", {"key": "id"}, [{"id": "long text number one"}, {"id": "long text number two"}]),
    ("max_lag", {"column": "t", "max_seconds": 60}, [{"t": "2026-11-30T11:59:00Z"}, {"t": "2020-01-01 00:00:00"}]),
    ("max_lag", {"column": "t", "max_seconds": 0}, [{"t": int(NOW.timestamp() * 1000)}]),
    ("max_lag", {"column": "t", "max_seconds": 1.5}, [{"t": int(NOW.timestamp()) - 1}]),
    ("max_lag", {"column": "t", "max_seconds": 1}, [{"t": "2026-11-30T13:00:00+01:00"}]),
    ("max_lag", {"column": "t", "max_seconds": 1}, [{"t": NOW}]),
    (
        "distribution",
        {"column": "a", "buckets": [{"max": 10, "expected_ratio": 0.5}, {"min": 10, "expected_ratio": 0.5}]},
        [{"a": 9}, {"a": 10}],
    ),
]


@pytest.mark.parametrize(("kind", "body", "records"), PASSES)
def test_what_holds_passes(kind: str, body: dict[str, Any], records: list[dict[str, Any]]) -> None:
    verdict = judge(kind, body, records)
    assert (verdict.status, verdict.failing, verdict.judged) == (Status.PASSED, verdict.failing, len(records)), verdict


FAILS: list[tuple[str, dict[str, Any], list[dict[str, Any]], int, int | None, str]] = [
    ("not_null", {"columns": ["a"]}, [{"a": 1}, {"a": None}, {}], 2, 101, "2 of 3 records lack a value in `a`"),
    ("not_null", {"columns": ["a.b"]}, [{"a": 5}, {"a": {"b": 1}}], 1, 100, "lack a value in `a.b`"),
    (
        "not_null",
        {"columns": ["a", "b"]},
        [{"a": 1}, {"b": 1}, {}],
        3,
        100,
        "3 of 3 records lack a value in `a`, or lack a value in `b`",
    ),
    ("accepted_values", {"column": "a", "values": ["x"]}, [{"a": "x"}, {"a": None}], 1, 101, "not accepted in `a`"),
    ("accepted_values", {"column": "a", "values": [1]}, [{"a": 1}, {"a": True}], 1, 101, "1 of 2 records"),
    (
        "accepted_values",
        {"column": "a", "values": [0.1]},
        [{"a": D("0.1000000000000000055511151231257827")}],
        1,
        100,
        "",
    ),
    ("accepted_values", {"column": "a", "values": [1]}, [{"a": [1]}, {"a": {"b": 1}}], 2, 100, ""),
    ("range", {"column": "a", "max": 0.3}, [{"a": D("0.3")}, {"a": D("0.30000000000000000001")}], 1, 101, "outside"),
    ("range", {"column": "a", "max": 9007199254740992}, [{"a": 9007199254740993}], 1, 100, "outside"),
    ("range", {"column": "a", "min": 0}, [{"a": "1"}, {"a": True}, {"a": float("nan")}, {"a": -1}], 4, 100, "4 of 4"),
    ("range", {"column": "a"}, [{"b": 1}], 1, None, "none of 1 record has a column `a`"),
    ("accepted_types", {"types": {"a": "INT"}}, [{"a": 1}, {"a": "x"}], 1, 101, "no INT in `a`"),
    ("accepted_types", {"types": {"a": "INT NOT NULL"}}, [{"a": 1}, {"a": None}], 1, 101, ""),
    ("unique_key", {"key": "id"}, [{"id": 1}, {"id": 2}, {"id": 3}, {"id": D("1.00")}], 1, 103, "repeat a key in `id`"),
    ("unique_key", {"key": "id"}, [{"id": 1}, {"id": 1}, {"id": 1}], 2, 101, "2 of 3 records repeat"),
    ("unique_key", {"key": "id"}, [{"id": "x" * 1000}, {"id": "x" * 1000}], 1, 101, ""),
    ("unique_key", {"key": "id", "tolerance": 0.3}, [{"id": 1}, {"id": 1}, {"id": 2}], 1, 101, ""),
    ("unique_key", {"key": ["a", "b"]}, [{"a": 1, "b": 2}, {"a": 1, "b": 2}], 1, 101, "in `a`, `b`"),
    ("max_lag", {"column": "t", "max_seconds": 59}, [{"t": "2026-11-30T11:59:00Z"}], 1, 100, "older than 59 s"),
    ("max_lag", {"column": "t", "max_seconds": 59}, [{"t": NOW}, {"t": "soon"}], 1, 101, "no time in `t`"),
    ("max_lag", {"column": "t", "max_seconds": 59}, [{"t": None}], 1, None, "no record has a value in `t`"),
    ("unique_key", {"key": ["id", "b"]}, [{"id": 1}], 1, None, "has a column `b`"),
    ("max_lag", {"column": "t", "max_seconds": 59}, [{"a": 1}], 1, None, "none of 1 record has a column `t`"),
    ("distribution", {"column": "t", "buckets": [{"expected_ratio": 1}]}, [{"a": 1}], 1, None, "column `t`"),
    (
        "distribution",
        {"column": "a", "buckets": [{"max": 10, "expected_ratio": 0.5, "tolerance": 0.1}]},
        [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 10}],
        1,
        100,
        "bucket 1 holds 3 of 4 records, but 50 % with a tolerance of 10 % are expected",
    ),
    (
        "distribution",
        {"column": "a", "buckets": [{"min": 5, "expected_ratio": 1, "tolerance": 0}]},
        [{"a": 5}, {"a": "7"}],
        1,
        101,
        "bucket 1 holds 1 of 2 records",
    ),
]


@pytest.mark.parametrize(("kind", "body", "records", "failing", "offset", "words"), FAILS)
def test_what_does_not_hold_fails_with_a_count_and_a_place(
    kind: str, body: dict[str, Any], records: list[dict[str, Any]], failing: int, offset: int | None, words: str
) -> None:
    verdict = judge(kind, body, records)
    place = None if offset is None else RecordPosition(0, offset)
    assert (verdict.status, verdict.failing, verdict.place) == (Status.FAILED, failing, place), verdict
    assert words in verdict.message
    assert place is None or f"see {place}" in verdict.message


@pytest.mark.parametrize(("kind", "body", "records"), [case[:3] for case in FAILS])
def test_batches_make_no_difference(kind: str, body: dict[str, Any], records: list[dict[str, Any]]) -> None:
    assert judge(kind, body, records, batch_size=1) == judge(kind, body, records, batch_size=100)


def at(*seconds: float) -> list[At]:
    """Give places whose Kafka timestamps are so many seconds before now."""
    now = int(NOW.timestamp() * 1000)
    return [At(100 + index, milliseconds=now - int(each * 1000)) for index, each in enumerate(seconds)]


@pytest.mark.parametrize(
    ("ages", "repeats"),
    [
        ((0, 60), 1),
        ((60, 0), 1),
        ((0, 61), 0),
        ((0, 50, 100), 2),
        ((0, 100, 50), 2),
        ((200, 0, 100), 0),
        ((0, 0, 0), 2),
    ],
)
def test_a_window_counts_only_keys_that_come_again_soon(ages: tuple[float, ...], repeats: int) -> None:
    records = [{"id": 7} for _ in ages]
    verdict = judge("unique_key", {"key": "id", "window": "1m"}, records, places=at(*ages))
    assert (verdict.failing, verdict.status) == (repeats, Status.FAILED if repeats else Status.PASSED)


@pytest.mark.parametrize(
    ("bounds", "ages", "status"),
    [
        ({"min_per_second": 1}, (2, 1, 0), Status.PASSED),
        ({"min_per_second": 1.6}, (2, 1, 0), Status.FAILED),
        ({"max_per_second": 1.4}, (2, 1, 0), Status.FAILED),
        ({"min_per_second": 1}, (100, 100, 100), Status.FAILED),
        ({"max_per_second": 10}, (0, 0, 0), Status.FAILED),
    ],
)
def test_throughput_is_the_rate_until_now(bounds: dict[str, float], ages: tuple[float, ...], status: Status) -> None:
    assert judge("throughput", bounds, [{"x": 1}] * len(ages), places=at(*ages)).status is status


def test_throughput_of_partitions_adds_up() -> None:
    now = int(NOW.timestamp() * 1000)
    places = [At(1, partition, now - 2000) for partition in (0, 1)] + [At(2, partition, now) for partition in (0, 1)]
    both = frozenset({0, 1})
    verdict = judge("throughput", {"min_per_second": 2}, [{}] * 4, places=places, finished=both)
    assert verdict.status is Status.PASSED


def test_a_partition_that_was_not_read_to_its_end_is_timed_by_its_own_records() -> None:
    places = at(100, 99, 98)
    verdict = judge("throughput", {"min_per_second": 1}, [{}] * 3, places=places, finished=frozenset())
    assert verdict.status is Status.PASSED


def test_throughput_without_timestamps_is_an_error() -> None:
    verdict = judge("throughput", {"min_per_second": 1}, [{}], places=[At(1, kind=0, milliseconds=-1)])
    assert (verdict.status, verdict.message) == (Status.ERROR, "the records have no timestamps")


@pytest.mark.parametrize(
    ("rate", "status"), [(1, Status.FAILED), (0.67, Status.FAILED), (0.66, Status.PASSED), (0, Status.PASSED)]
)
def test_a_foreign_key_matches_at_least_its_rate(rate: float, status: Status) -> None:
    body = {"column": "customer", "ref_model": "customers", "ref_key": "id", "match_rate": rate}
    records: list[dict[str, Any]] = [{"customer": 1}, {"customer": D("2.0")}, {"customer": "3"}, {"customer": None}]
    verdict = judge("foreign_key", body, records, reference=[{"id": 1}, {"id": 2}, {"id": 3}])
    assert (verdict.status, verdict.failing, verdict.place) == (status, 1, RecordPosition(0, 102))


def test_a_foreign_key_that_no_record_has_fails() -> None:
    body = {"column": "customer", "ref_model": "customers", "ref_key": "id"}
    verdict = judge("foreign_key", body, [{"id": 1}], reference=[{"id": 1}])
    assert (verdict.status, verdict.message) == (Status.FAILED, "none of 1 record has a column `customer`")


def test_a_foreign_key_to_a_column_that_nobody_has_says_so() -> None:
    body = {"column": "customer", "ref_model": "customers", "ref_key": "nr"}
    verdict = judge("foreign_key", body, [{"customer": 1}], reference=[{"id": 1}])
    assert "`customers` lacks, which has no column `nr`" in verdict.message


@pytest.mark.parametrize(("kind", "body", "records"), [case[:3] for case in FAILS])
def test_no_message_holds_a_value(kind: str, body: dict[str, Any], records: list[dict[str, Any]]) -> None:
    secret = "S3CRET-VALUE"

    def poison(value: Any) -> Any:
        return {key: poison(each) for key, each in value.items()} if isinstance(value, dict) else secret

    verdict = judge(kind, body, [poison(record) for record in records])
    assert secret not in verdict.message


def test_a_type_that_is_none_is_an_error_at_its_place() -> None:
    with pytest.raises(StreamtError) as caught:
        judge("accepted_types", {"types": {"a": "INTT"}}, [])
    (problem,) = caught.value.placed()
    assert (problem.code, problem.location) == (Code.TEST_ERROR, "/tests/0/assertions/0/accepted_types")
    assert problem.message == "invalid Flink SQL type `INTT`"
