"""Where the nodes of a lineage stand on a page."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from streamt.cli.graph_layout import COLUMN, HEIGHT, WIDTH, Layout, layout
from streamt.compiler import Lineage
from tests.compiler.projects import SOURCES, project
from tests.openlineage.projects import model

DOCUMENT = project(SOURCES).document
LOOP = project(
    SOURCES + "exposures: [{name: loop, type: api, consumes: [{source: other}], produces: [{source: raw}]}]\n"
).document


def of(reads: dict[str, list[str]]) -> Lineage:
    return Lineage.of(DOCUMENT, [model(name, *inputs) for name, inputs in reads.items()])


def overlaps(placed: Layout) -> list[tuple[str, str]]:
    return [
        (one, other)
        for (one, a), (other, b) in combinations(placed.nodes.items(), 2)
        if abs(a.x - b.x) < WIDTH and abs(a.y - b.y) < HEIGHT
    ]


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, list[str]]:
    count = draw(st.integers(1, 25))
    return {
        f"m{index}": [f"m{each}" for each in sorted(draw(st.sets(st.integers(0, index - 1), max_size=3)))]
        if index
        else []
        for index in range(count)
    }


@given(graphs())
@settings(max_examples=60, deadline=None)
def test_nodes_never_overlap_and_every_edge_goes_to_the_right(reads: dict[str, list[str]]) -> None:
    lineage = of(reads)
    placed = layout(lineage)
    assert set(placed.nodes) == set(reads)
    assert overlaps(placed) == []
    for source, target in lineage.edges:
        points = placed.paths[source, target]
        assert [point.x for point in points] == sorted(point.x for point in points)
        assert placed.nodes[source].x + COLUMN <= placed.nodes[target].x
    assert all(0 <= point.x <= placed.width and 0 <= point.y <= placed.height for point in placed.nodes.values())


@given(graphs())
@settings(max_examples=10, deadline=None)
def test_one_lineage_is_always_laid_out_the_same(reads: dict[str, list[str]]) -> None:
    assert layout(of(reads)) == layout(of(reads))


def test_a_source_stands_just_before_what_reads_it() -> None:
    placed = layout(of({"far": [], "a": [], "b": ["a"], "c": ["b", "far"]}))
    assert placed.nodes["far"].x == placed.nodes["b"].x


def test_an_edge_over_several_layers_passes_no_node() -> None:
    placed = layout(of({"a": [], "b": ["a"], "c": ["b", "a"]}))
    middle = placed.paths["a", "c"][1]
    assert abs(middle.y - placed.nodes["b"].y - HEIGHT / 2) > HEIGHT / 2


def test_edges_that_need_not_cross_do_not() -> None:
    placed = layout(of({"a": [], "b": [], "x": ["b"], "y": ["a"], "z": ["x", "y"]}))
    assert (placed.nodes["a"].y < placed.nodes["b"].y) == (placed.nodes["y"].y < placed.nodes["x"].y)


def test_parts_that_nothing_joins_stand_below_each_other() -> None:
    placed = layout(of({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["d"], "alone": []}))
    assert max(placed.nodes[name].y for name in "cde") < min(placed.nodes[name].y for name in "ab")
    assert placed.nodes["alone"].y == max(point.y for point in placed.nodes.values())


def test_an_exposure_that_closes_a_circle_is_laid_out() -> None:
    lineage = Lineage.of(LOOP, [model("raw"), model("other", "raw")])
    placed = layout(lineage)
    assert placed.nodes["raw"].x < placed.nodes["other"].x < placed.nodes["loop"].x
    assert ("loop", "raw") in placed.paths


def test_nothing_is_laid_out_too() -> None:
    assert layout(of({})).nodes == {}


def test_a_large_project_is_laid_out() -> None:
    reads = {f"m{i}": [f"m{i - 7}", f"m{(i * 3) // 5}"] if i >= 7 else [] for i in range(400)}
    assert overlaps(layout(of(reads))) == []
