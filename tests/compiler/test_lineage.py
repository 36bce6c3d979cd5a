"""The lineage: sources, models and exposures in the order of flow."""

from hypothesis import given
from hypothesis import strategies as st

from streamt.compiler import Lineage, compile_project
from tests.compiler.projects import NOW, SOURCES, project
from tests.openlineage.projects import model

BACKWARDS = SOURCES + (
    "models:\n"
    "  - {name: last, sql: 'SELECT id FROM {{ ref(\"middle\") }}'}\n"
    '  - {name: middle, sql: \'SELECT r.id FROM {{ source("raw") }} r JOIN {{ source("other") }} o ON r.id = o.id\'}\n'
)


def lineage(yaml: str) -> Lineage:
    loaded = project(yaml)
    return Lineage.of(loaded.document, compile_project(loaded, compiled_at=NOW).nodes)


def order(yaml: str) -> list[str]:
    return [node.id for node in lineage(yaml).nodes]


def test_each_node_comes_after_what_it_reads_whatever_the_files_say() -> None:
    assert order(BACKWARDS) == ["raw", "other", "middle", "last"]


def test_an_exposure_reads_what_it_consumes_and_what_it_depends_on() -> None:
    text = BACKWARDS + "exposures: [{name: app, type: api, consumes: [{ref: last}], depends_on: [{source: raw}]}]\n"
    found = lineage(text)
    assert [(node.id, node.kind, node.type, node.inputs) for node in found.nodes[-1:]] == [
        ("app", "exposure", "api", ("last", "raw"))
    ]
    assert found.graph.downstream("middle") == {"last", "app"}


def test_an_exposure_feeds_what_it_produces() -> None:
    text = BACKWARDS + "exposures: [{name: gate, type: application, produces: [{source: raw}]}]\n"
    assert order(text) == ["other", "gate", "raw", "middle", "last"]
    assert lineage(text).graph.upstream("middle") == {"raw", "other", "gate"}


def test_an_exposure_that_closes_a_circle_comes_after_what_it_reads() -> None:
    text = BACKWARDS + "exposures: [{name: loop, type: api, consumes: [{ref: last}], produces: [{source: raw}]}]\n"
    found = lineage(text)
    assert [node.id for node in found.nodes] == ["raw", "other", "middle", "last", "loop"]
    assert ("loop", "raw") in found.edges


def test_an_exposure_named_as_a_model_has_an_id_of_its_own() -> None:
    text = BACKWARDS + "exposures: [{name: last, type: api, consumes: [{ref: last}]}]\n"
    assert order(text)[-1] == "exposure:last"
    assert list(lineage(text).edges)[-1] == ("last", "exposure:last")


def test_a_part_of_a_lineage_has_the_edges_between_its_nodes() -> None:
    part = lineage(BACKWARDS).only({"raw", "middle"})
    assert ([node.id for node in part.nodes], list(part.edges)) == (["raw", "middle"], [("raw", "middle")])


DOCUMENT = project(SOURCES).document


@given(st.permutations(range(6)), st.data())
def test_any_order_of_declarations_gives_an_order_of_flow(places: list[int], data: st.DataObject) -> None:
    reads = {index: data.draw(st.sets(st.integers(0, index - 1), max_size=3)) if index else set() for index in range(6)}
    nodes = [model(f"m{index}", *(f"m{each}" for each in reads[index])) for index in places]
    found = [node.id for node in Lineage.of(DOCUMENT, nodes).nodes]
    assert all(found.index(f"m{each}") < found.index(f"m{index}") for index in reads for each in reads[index])
