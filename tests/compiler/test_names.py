import pytest

from streamt.compiler.names import colliding, is_topic_name
from tests.compiler.projects import problems


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


@pytest.mark.parametrize("name", ["__consumer_offsets", "__transaction_state", "__cluster_metadata"])
def test_no_model_writes_a_topic_of_kafkas_own(name: str) -> None:
    text = f"models: [{{name: m, topic: {{name: {name}}}}}]"
    assert [each.message for each in problems(text)] == [f"model `m`: `{name}` is a topic of Kafka's own"]
    assert problems(f"sources: [{{name: s, topic: {name}}}]") == ()
