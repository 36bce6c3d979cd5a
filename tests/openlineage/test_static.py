"""What a compiled project becomes, facet by facet, and what has no truthful event."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamt.compiler.artifacts import CompiledColumn, CompiledProject, Materialization, Node, ProcessKind
from streamt.diagnostics import Code, StreamtError
from streamt.openlineage.identity import Namespaces
from streamt.openlineage.static import export
from tests.openlineage.projects import NAMESPACES, columns, model, project, sink, source, virtual

PRODUCER = "https://github.com/conduktor/streamt"
CORE = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
FACETS = "https://openlineage.io/spec/facets/"


def events(*nodes: Node, namespaces: Namespaces = NAMESPACES) -> list[dict[str, Any]]:
    return [json.loads(line) for line in export(project(*nodes), namespaces).lines]


def datasets(*nodes: Node) -> list[dict[str, Any]]:
    return [event["dataset"] for event in events(*nodes) if "dataset" in event]


def jobs(*nodes: Node) -> list[dict[str, Any]]:
    return [event for event in events(*nodes) if "job" in event]


def problems(*nodes: Node) -> list[tuple[Code, str]]:
    with pytest.raises(StreamtError) as caught:
        export(project(*nodes), NAMESPACES)
    return [(problem.code, str(problem.location)) for problem in caught.value.diagnostics]


def warnings(*nodes: Node) -> list[tuple[Code, str]]:
    return [(warning.code, str(warning.location)) for warning in export(project(*nodes), NAMESPACES).warnings]


def test_a_dataset_event_to_the_byte() -> None:
    node = source(
        "pay",
        columns=(CompiledColumn("id", "STRING", "Key"), CompiledColumn("ts")),
        description="Payments",
        owner="team-pay",
    )
    (line,) = export(project(node), NAMESPACES).lines
    producer = f'"_producer":"{PRODUCER}"'
    dataset_type = (
        f'"datasetType":{{{producer},"_schemaURL":"{FACETS}1-0-1/DatasetTypeDatasetFacet.json'
        '#/$defs/DatasetTypeDatasetFacet","datasetType":"TOPIC"}'
    )
    documentation = (
        f'"documentation":{{{producer},"_schemaURL":"{FACETS}1-1-0/DocumentationDatasetFacet.json'
        '#/$defs/DocumentationDatasetFacet","description":"Payments"}'
    )
    ownership = (
        f'"ownership":{{{producer},"_schemaURL":"{FACETS}1-0-1/OwnershipDatasetFacet.json'
        '#/$defs/OwnershipDatasetFacet","owners":[{"name":"team-pay"}]}'
    )
    schema = (
        f'"schema":{{{producer},"_schemaURL":"{FACETS}1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet",'
        '"fields":[{"description":"Key","name":"id","ordinal_position":1,"type":"STRING"},'
        '{"name":"ts","ordinal_position":2}]}'
    )
    assert line.decode() == (
        f'{{"dataset":{{"facets":{{{dataset_type},{documentation},{ownership},{schema}}},'
        '"name":"pay","namespace":"kafka://b:9092"},"eventTime":"2026-11-30T12:00:00Z",'
        f'"producer":"{PRODUCER}","schemaURL":"{CORE}DatasetEvent"}}'
    )


def test_a_job_event_holds_identities_and_its_own_facets_only() -> None:
    (job,) = jobs(source("a"), model("m", "a", description="Clean", owner="team"))
    assert job == {
        "eventTime": "2026-11-30T12:00:00Z",
        "inputs": [{"namespace": "kafka://b:9092", "name": "a"}],
        "job": {
            "namespace": "jobs",
            "name": "streamt/shop/models/m",
            "facets": {
                "documentation": {
                    "_producer": PRODUCER,
                    "_schemaURL": f"{FACETS}1-1-0/DocumentationJobFacet.json#/$defs/DocumentationJobFacet",
                    "description": "Clean",
                },
                "jobType": {
                    "_producer": PRODUCER,
                    "_schemaURL": f"{FACETS}2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet",
                    "integration": "STREAMT",
                    "jobType": "MODEL",
                    "processingType": "STREAMING",
                },
                "ownership": {
                    "_producer": PRODUCER,
                    "_schemaURL": f"{FACETS}1-0-1/OwnershipJobFacet.json#/$defs/OwnershipJobFacet",
                    "owners": [{"name": "team"}],
                },
            },
        },
        "outputs": [{"namespace": "kafka://b:9092", "name": "m"}],
        "producer": PRODUCER,
        "schemaURL": f"{CORE}JobEvent",
    }


def test_a_bare_source_has_its_type_and_nothing_invented() -> None:
    (dataset,) = datasets(source("a", columns=()))
    assert set(dataset["facets"]) == {"datasetType"}


def test_a_topic_without_process_has_a_dataset_and_no_job() -> None:
    found = events(model("m", materialization=Materialization.TOPIC, process=None))
    assert [("dataset" in event, "job" in event) for event in found] == [(True, False)]


def test_a_virtual_topic_lives_behind_the_gateway_and_so_do_references_to_it() -> None:
    view = model(
        "v",
        "a",
        materialization=Materialization.VIRTUAL_TOPIC,
        output=virtual("view"),
        process=ProcessKind.GATEWAY_RULE,
    )
    first, second = jobs(source("a"), view, model("m", "v"))
    assert first["inputs"] == [{"namespace": "kafka://g:6969", "name": "view"}]
    assert second["inputs"] == [{"namespace": "kafka://b:9092", "name": "a"}]
    assert second["outputs"] == [{"namespace": "kafka://g:6969", "name": "view"}]


def test_a_sink_has_a_job_without_outputs_and_no_dataset() -> None:
    nodes = (source("a"), sink("s", "a"))
    assert [dataset["name"] for dataset in datasets(*nodes)] == ["a"]
    assert "outputs" not in jobs(*nodes)[0]


def test_a_job_that_reads_nothing_has_no_inputs() -> None:
    assert "inputs" not in jobs(model("m"))[0]


def test_inputs_are_direct_and_in_canonical_order() -> None:
    nodes = (source("b"), source("a"), model("m", "b", "a"), model("n", "m"))
    by_name = {job["job"]["name"][-1]: [item["name"] for item in job["inputs"]] for job in jobs(*nodes)}
    assert by_name == {"m": ["a", "b"], "n": ["m"]}


def test_datasets_come_before_jobs_and_both_are_sorted() -> None:
    nodes = (model("z", "b"), source("b"), model("A"), source("a"))
    found = [(event.get("dataset") or event["job"])["name"] for event in events(*nodes)]
    assert found == ["A", "a", "b", "z", "streamt/shop/models/A", "streamt/shop/models/z"]


def test_texts_are_exact() -> None:
    text = ' tab\there, "quotes", </script>, \\, 支付 🚀 '
    (dataset,) = datasets(source("a", description=text, owner=text, columns=(CompiledColumn(text, text, text),)))
    assert dataset["facets"]["documentation"]["description"] == text
    assert dataset["facets"]["ownership"]["owners"] == [{"name": text}]
    assert dataset["facets"]["schema"]["fields"] == [
        {"name": text, "type": text, "description": text, "ordinal_position": 1}
    ]


def test_missing_columns_and_sinks_are_warned_of_in_declaration_order() -> None:
    nodes = (source("a", columns=()), sink("s", "a"), model("m", "a", columns=()))
    assert warnings(*nodes) == [
        (Code.SCHEMA_INCOMPLETE, "/sources/a/columns"),
        (Code.SINK_OUTPUT_OMITTED, "/models/s"),
        (Code.SCHEMA_INCOMPLETE, "/models/m/columns"),
    ]


def test_two_declarations_of_one_dataset_are_refused() -> None:
    clash = (source("a"), source("b", output=source("a").output), model("c", output=source("a").output))
    assert problems(*clash) == [
        (Code.OPENLINEAGE_INVALID, "/sources/b"),
        (Code.OPENLINEAGE_INVALID, "/models/c"),
    ]


def test_one_name_behind_two_addresses_is_two_datasets() -> None:
    view = model("v", "a", output=virtual("a"), process=ProcessKind.GATEWAY_RULE)
    assert len(datasets(source("a"), view)) == 2


def test_a_dataset_that_is_input_and_output_of_one_job_is_refused() -> None:
    same = Namespaces("jobs", "kafka://b:9092", "kafka://b:9092")
    view = model("v", "a", output=virtual("a"), process=ProcessKind.GATEWAY_RULE)
    with pytest.raises(StreamtError, match="one dataset"):
        export(project(source("a"), view), same)


def test_a_column_declared_twice_is_refused_at_its_second_place() -> None:
    twice = source("a", columns=columns("id", "ts", "id", "id"))
    assert problems(twice) == [
        (Code.OPENLINEAGE_INVALID, "/sources/a/columns/2/name"),
        (Code.OPENLINEAGE_INVALID, "/sources/a/columns/3/name"),
    ]


def test_a_blank_type_is_no_type() -> None:
    (dataset,) = datasets(source("a", columns=(CompiledColumn("id", " "),)))
    assert dataset["facets"]["schema"]["fields"] == [{"name": "id", "ordinal_position": 1}]


def test_columns_that_differ_in_case_are_two() -> None:
    (dataset,) = datasets(source("a", columns=columns("id", "ID")))
    assert len(dataset["facets"]["schema"]["fields"]) == 2


def test_a_project_without_declarations_has_nothing_to_export() -> None:
    assert problems() == [(Code.OPENLINEAGE_INVALID, "/models")]


def test_counts_tell_datasets_from_jobs() -> None:
    found = export(project(source("a"), model("m", "a"), sink("s", "m")), NAMESPACES)
    assert (len(found.lines), found.datasets, found.jobs) == (4, 2, 2)


@settings(max_examples=30)
@given(st.permutations([source("a"), source("b"), model("m", "a", "b"), model("n", "m", "a"), sink("s", "n")]))
def test_the_order_of_declarations_changes_no_byte(nodes: list[Node]) -> None:
    reference = project(source("a"), source("b"), model("m", "b", "a"), model("n", "a", "m"), sink("s", "n"))
    assert (
        export(CompiledProject("shop", tuple(nodes), reference.compiled_at), NAMESPACES).lines
        == export(reference, NAMESPACES).lines
    )


@settings(max_examples=50)
@given(st.text(min_size=1).filter(str.strip), st.text(), st.lists(st.text(min_size=1).filter(str.strip), unique=True))
def test_whatever_compiles_gives_valid_canonical_events(name: str, text: str, fields: list[str]) -> None:
    nodes = (source(name, description=text or None, owner=text.strip() or None, columns=columns(*fields)),)
    for line in export(project(*nodes), NAMESPACES).lines:
        assert line == json.dumps(json.loads(line), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
