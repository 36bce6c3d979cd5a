import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt.compiler.graph import Graph

DIAMOND = Graph.from_inputs({"d": ["b", "c"], "a": [], "b": ["a"], "c": ["a"], "e": []})
LONG = {str(i): [str(i + 1)] for i in range(10_000)} | {"10000": []}
EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=16)


def graph(edges: list[tuple[int, int]]) -> Graph:
    return Graph.from_inputs({str(i): [str(b) for a, b in edges if a == i] for i in range(8)})


def test_upstream_is_all_that_a_name_reads() -> None:
    assert DIAMOND.upstream("d") == {"a", "b", "c"}


def test_downstream_is_all_that_reads_a_name() -> None:
    assert DIAMOND.downstream("a") == {"b", "c", "d"}


def test_order_puts_each_name_after_what_it_reads() -> None:
    assert DIAMOND.order() == ("a", "e", "b", "c", "d")


def test_unknown_inputs_are_left_out() -> None:
    assert Graph.from_inputs({"a": ["nowhere"]}).inputs == {"a": ()}


@pytest.mark.parametrize(
    ("inputs", "cycles"),
    [
        ({"a": ["b"], "b": []}, ()),
        ({"a": ["a"]}, (("a", "a"),)),
        ({"a": ["b"], "b": ["a"]}, (("a", "b", "a"),)),
        ({"x": ["a"], "c": ["a"], "a": ["b"], "b": ["c"]}, (("c", "a", "b", "c"),)),
        ({"a": ["b", "c"], "b": ["c"], "c": ["a"]}, (("a", "c", "a"),)),
        ({"p": ["q"], "a": ["b"], "b": ["a"], "q": ["p"]}, (("p", "q", "p"), ("a", "b", "a"))),
    ],
)
def test_each_circle_is_one_shortest_path_from_its_first_name(
    inputs: dict[str, list[str]], cycles: tuple[tuple[str, ...], ...]
) -> None:
    assert Graph.from_inputs(inputs).cycles() == cycles


def test_a_chain_of_ten_thousand_is_walked() -> None:
    chain = Graph.from_inputs(LONG)
    assert len(chain.upstream("0")) == len(chain.downstream("10000")) == 10_000
    assert chain.order()[0] == "10000"
    assert chain.cycles() == ()


def test_a_circle_of_ten_thousand_is_found() -> None:
    assert len(Graph.from_inputs(LONG | {"10000": ["0"]}).cycles()[0]) == 10_002


@given(EDGES)
def test_a_name_is_left_out_of_the_order_just_if_a_circle_is_upstream_of_it_or_holds_it(
    edges: list[tuple[int, int]],
) -> None:
    made = graph(edges)
    in_cycles = {name for name in made.inputs if name in made.upstream(name)}
    behind = {name for name in made.inputs if made.upstream(name) & in_cycles}
    assert set(made.order()) == set(made.inputs) - in_cycles - behind


@given(EDGES)
def test_there_is_a_circle_just_if_a_name_is_upstream_of_itself(edges: list[tuple[int, int]]) -> None:
    made = graph(edges)
    assert bool(made.cycles()) == any(name in made.upstream(name) for name in made.inputs)


@given(EDGES)
def test_every_step_of_a_circle_is_an_edge(edges: list[tuple[int, int]]) -> None:
    made = graph(edges)
    for path in made.cycles():
        assert all(after in made.inputs[before] for before, after in itertools.pairwise(path))
        assert path[0] == path[-1]
