import pytest

from streamt.compiler.names import colliding, is_topic_name


@pytest.mark.parametrize("name", ["a", "A.b_c-9", "...", "a" * 249])
def test_kafka_takes_these_names(name: str) -> None:
    assert is_topic_name(name)


@pytest.mark.parametrize("name", ["", ".", "..", "a b", "a/b", "é", "a\n", "a" * 250])
def test_kafka_does_not_take_these_names(name: str) -> None:
    assert not is_topic_name(name)


@pytest.mark.parametrize(
    ("names", "pairs"),
    [
        (["a.b", "a_b"], [(1, 0)]),
        (["a.b", "x", "a.b", "a_b", "a_b"], [(3, 0)]),
        (["a.b.c", "a_b.c", "a.b_c"], [(1, 0), (2, 0)]),
        (["a.b", "ab", "A.b"], []),
    ],
)
def test_names_collide_that_differ_only_in_dots_and_underscores(names: list[str], pairs: list[tuple[int, int]]) -> None:
    assert list(colliding(names)) == pairs
