"""A sample is taken from the ends of the partitions, as evenly as they allow."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamt.clusters.kafka_reading import Span, spread

SIZES = st.lists(st.integers(0, 50), min_size=1, max_size=6)


def spans(sizes: list[int]) -> tuple[Span, ...]:
    return tuple(Span(partition, 10, 10 + size) for partition, size in enumerate(sizes))


@pytest.mark.parametrize(
    ("sizes", "limit", "taken"),
    [
        ([100], 10, [10]),
        ([100, 100], 10, [5, 5]),
        ([100, 100, 100], 10, [3, 3, 4]),
        ([1, 100, 100], 11, [1, 5, 5]),
        ([0, 3, 4], 100, [0, 3, 4]),
        ([5, 5], 1, [0, 1]),
    ],
)
def test_partitions_share_the_sample(sizes: list[int], limit: int, taken: list[int]) -> None:
    assert [span.end - span.start for span in spread(spans(sizes), limit)] == taken


@given(SIZES, st.integers(1, 200))
@settings(max_examples=200)
def test_a_sample_is_as_large_as_it_can_be_and_newest(sizes: list[int], limit: int) -> None:
    whole, taken = spans(sizes), spread(spans(sizes), limit)
    assert sum(span.end - span.start for span in taken) == min(limit, sum(sizes))
    assert [(span.partition, span.end) for span in taken] == [(span.partition, span.end) for span in whole]
    assert all(span.start >= 10 for span in taken)


@given(SIZES, st.integers(1, 200))
@settings(max_examples=100)
def test_no_partition_gives_more_than_another_that_has_more(sizes: list[int], limit: int) -> None:
    taken = [span.end - span.start for span in spread(spans(sizes), limit)]
    unfinished = [size for size, whole in zip(taken, sizes, strict=True) if size < whole]
    assert all(size >= max(taken) - 1 for size in unfinished)
