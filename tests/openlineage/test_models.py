"""What a generated model takes and writes, at each of its two doors."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pydantic
import pytest

from streamt.openlineage import models
from streamt.openlineage.models import (
    DatasetEvent,
    DatasetFacets,
    DatasetTypeDatasetFacet,
    InputDataset,
    Job,
    JobEvent,
    JobFacets,
    JobTypeJobFacet,
    JobTypeJobFacetEmissionPattern,
    OwnershipDatasetFacet,
    OwnershipDatasetFacetOwners,
    Run,
    RunEvent,
    SchemaDatasetFacet,
    SchemaDatasetFacetFields,
    StaticDataset,
)

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
RUN = UUID("4f4cf6c8-2a76-4a11-8f2b-6f6e3b8f2f10")
PRODUCER = "https://github.com/conduktor/streamt"
CORE = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs"


def run_event(**changes: Any) -> dict[str, Any]:
    return {
        "eventTime": "2026-01-02T12:00:00Z",
        "eventType": "START",
        "job": {"name": "j", "namespace": "n"},
        "producer": PRODUCER,
        "run": {"runId": str(RUN)},
        "schemaURL": f"{CORE}/RunEvent",
    } | changes


def read(event: dict[str, Any]) -> RunEvent:
    return RunEvent.from_json(json.dumps(event).encode())


def test_an_event_is_written_as_canonical_json() -> None:
    facets = DatasetFacets(
        schema_=SchemaDatasetFacet(
            fields=(
                SchemaDatasetFacetFields(name="ß", type="ROW<`a` INT>", ordinal_position=1),
                SchemaDatasetFacetFields(name="b", description='"\n\u007f\u0001🎈'),
            )
        ),
        dataset_type=DatasetTypeDatasetFacet(dataset_type="TOPIC"),
        ownership=OwnershipDatasetFacet(owners=(OwnershipDatasetFacetOwners(name="me"),)),
    )
    dataset = StaticDataset(namespace="kafka://b:9092", name="t", facets=facets)
    event = DatasetEvent(event_time=NOON, dataset=dataset)
    written = event.to_json()
    plain = json.dumps(json.loads(written), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert written == plain.encode()
    assert json.loads(written)["dataset"]["facets"]["schema"] == {
        "_producer": PRODUCER,
        "_schemaURL": "https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet",
        "fields": [
            {"name": "ß", "ordinal_position": 1, "type": "ROW<`a` INT>"},
            {"description": '"\n\u007f\u0001🎈', "name": "b"},
        ],
    }
    assert DatasetEvent.from_json(written) == event


def test_none_means_absent() -> None:
    job = Job(namespace="n", name="j", facets=None)
    assert job.to_json() == b'{"name":"j","namespace":"n"}'
    assert Job(namespace="n", name="j") == job


def test_an_empty_list_is_not_absent() -> None:
    event = JobEvent(event_time=NOON, job=Job(namespace="n", name="j"), inputs=())
    assert json.loads(event.to_json())["inputs"] == []


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (NOON, "2026-01-02T12:00:00Z"),
        (NOON + timedelta(microseconds=1), "2026-01-02T12:00:00.000001Z"),
        (NOON + timedelta(milliseconds=120), "2026-01-02T12:00:00.120000Z"),
        (datetime(2026, 1, 2, 12, tzinfo=timezone(timedelta(hours=2))), "2026-01-02T10:00:00Z"),
        (datetime(2026, 1, 2, 12, fold=1, tzinfo=timezone(timedelta(hours=-2, minutes=-30))), "2026-01-02T14:30:00Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00Z"),
    ],
)
def test_a_time_is_written_in_utc(time: datetime, text: str) -> None:
    event = DatasetEvent(event_time=time, dataset=StaticDataset(namespace="n", name="d"))
    assert json.loads(event.to_json())["eventTime"] == text


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-01-02T12:00:00Z", NOON),
        ("2026-01-02t12:00:00z", NOON),
        ("2026-01-02T13:30:00+01:30", NOON),
        ("2026-01-02T12:00:00-00:00", NOON),
        ("2026-01-02T12:00:00.5Z", NOON + timedelta(milliseconds=500)),
        ("2026-01-02T12:00:00.0000019Z", NOON + timedelta(microseconds=1)),
    ],
)
def test_a_time_is_read_from_rfc_3339(text: str, time: datetime) -> None:
    assert read(run_event(eventTime=text)).event_time == time


@pytest.mark.parametrize(
    "time",
    [
        "1700000000",
        1700000000,
        1700000000.5,
        "2026-01-02 12:00:00Z",
        "2026-01-02T12:00:00",
        "2026-01-02T12:00Z",
        "2026-01-02",
        "2026-01-02T12:00:00Z\n",
        " 2026-01-02T12:00:00Z",
        "2026-01-02T12:00:60Z",
        "2026-01-02T24:00:00Z",
        "2026-02-30T12:00:00Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "2026-01-02T12:00:00+0100",
        "2026-01-02T12:00:00,5Z",
        "٢٠٢٦-01-02T12:00:00Z",
        True,
        None,
        "",
    ],
)
def test_another_spelling_of_a_time_is_refused(time: object) -> None:
    with pytest.raises(pydantic.ValidationError, match="eventTime"):
        read(run_event(eventTime=time))


@pytest.mark.parametrize("time", [datetime(2026, 1, 2), "2026-01-02T12:00:00Z", 1700000000, NOON.date(), None])
def test_a_constructor_takes_an_aware_datetime_alone(time: Any) -> None:
    with pytest.raises(pydantic.ValidationError, match="event_time"):
        DatasetEvent(event_time=time, dataset=StaticDataset(namespace="n", name="d"))


def test_a_time_that_utc_cannot_write_is_refused() -> None:
    early = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    with pytest.raises(pydantic.ValidationError, match="outside the years"):
        DatasetEvent(event_time=early, dataset=StaticDataset(namespace="n", name="d"))


def test_a_run_id_in_capitals_is_the_same_run() -> None:
    event = read(run_event(run={"runId": str(RUN).upper()}))
    assert event.run.run_id == RUN
    assert json.loads(event.to_json())["run"] == {"runId": str(RUN)}


@pytest.mark.parametrize(
    "run_id",
    [RUN.hex, RUN.urn, f"{{{RUN}}}", f"{RUN}\n", f" {RUN}", str(RUN)[:-1], str(RUN)[:-1] + "g", RUN.int, "", None],
)
def test_another_spelling_of_a_run_id_is_refused(run_id: object) -> None:
    with pytest.raises(pydantic.ValidationError, match="runId"):
        read(run_event(run={"runId": run_id}))


def test_a_constructor_takes_a_uuid_alone() -> None:
    with pytest.raises(pydantic.ValidationError, match="run_id"):
        Run(run_id=str(RUN))  # type: ignore[arg-type]  # that is the point


@pytest.mark.parametrize("number", [1, 1.0, 10**30])
def test_a_whole_number_is_an_integer(number: float) -> None:
    field = SchemaDatasetFacetFields.from_json(json.dumps({"name": "a", "ordinal_position": number}).encode())
    assert field.ordinal_position == number
    assert type(field.ordinal_position) is int


@pytest.mark.parametrize("number", [1.5, True, "1", None, [1], {}])
def test_what_is_no_whole_number_is_refused(number: object) -> None:
    with pytest.raises(pydantic.ValidationError, match="ordinal_position"):
        SchemaDatasetFacetFields.from_json(json.dumps({"name": "a", "ordinal_position": number}).encode())


@pytest.mark.parametrize("number", [1.0, True, "1"])
def test_a_constructor_takes_an_int_alone(number: Any) -> None:
    with pytest.raises(pydantic.ValidationError, match="ordinal_position"):
        SchemaDatasetFacetFields(name="a", ordinal_position=number)


def test_a_number_below_the_minimum_is_refused() -> None:
    with pytest.raises(pydantic.ValidationError, match="window_duration"):
        JobTypeJobFacetEmissionPattern(event_content_mode="x", event_trigger="y", window_duration=0)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"facets": None}, "facets"),
        ({"extra": 1}, "extra"),
        ({"facets": {}}, "facets"),
        ({"inputs": None}, "inputs"),
        ({"inputs": {}}, "inputs"),
        ({"inputs": [{"namespace": "n"}]}, "inputs.0.name"),
        ({"inputs": [{"namespace": "n", "name": "d", "facets": None}]}, "inputs.0.facets"),
        ({"inputs": [{"namespace": "n", "name": "d", "input_facets": {}}]}, "inputs.0.input_facets"),
        ({"inputs": [{"namespace": "n", "name": "d", "inputFacets": {"schema": {}}}]}, "inputs.0.inputFacets.schema"),
        ({"eventType": "DONE"}, "eventType"),
        ({"eventType": None}, "eventType"),
        ({"event_time": "2026-01-02T12:00:00Z"}, "event_time"),
        ({"producer": "https://example.org"}, "producer"),
        ({"producer": None}, "producer"),
        ({"schemaURL": f"{CORE}/JobEvent"}, "schemaURL"),
        ({"job": {"name": "j", "namespace": b"n".hex(), "facets": {"ownership": {}}}}, "_producer"),
        ({"job": {"name": "j", "namespace": "n", "facets": {"schema": {}}}}, "job.facets.schema"),
        ({"job": {"name": 1, "namespace": "n"}}, "job.name"),
        ({"job": []}, "job"),
    ],
)
def test_json_that_the_closed_schema_refuses_is_refused(change: dict[str, Any], place: str) -> None:
    with pytest.raises(pydantic.ValidationError, match=place.replace(".", r"\.")):
        read(run_event(**change))


@pytest.mark.parametrize("name", ["eventTime", "job", "producer", "run", "schemaURL"])
def test_json_without_a_required_name_is_refused(name: str) -> None:
    event = run_event()
    del event[name]
    with pytest.raises(pydantic.ValidationError, match=f"{name}\n  Field required"):
        read(event)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b'{"name":"\xff","namespace":"n"}', b'"n"'])
def test_what_is_no_json_object_is_refused(text: bytes) -> None:
    with pytest.raises(pydantic.ValidationError):
        Job.from_json(text)


@pytest.mark.parametrize("name", ["\ud800", b"j", 1, None])
def test_a_constructor_takes_texts_that_utf_8_can_write(name: Any) -> None:
    with pytest.raises(pydantic.ValidationError, match="name"):
        Job(namespace="n", name=name)


def test_a_constructor_takes_attribute_names_alone() -> None:
    with pytest.raises(pydantic.ValidationError, match="processingType"):
        JobTypeJobFacet(processingType="BATCH", integration="STREAMT")  # type: ignore[call-arg]  # that is the point


def test_a_constructor_takes_tuples_and_no_lists() -> None:
    with pytest.raises(pydantic.ValidationError, match="inputs"):
        JobEvent(event_time=NOON, job=Job(namespace="n", name="j"), inputs=[])  # type: ignore[arg-type]  # the point


def test_a_facet_of_another_entity_is_refused() -> None:
    with pytest.raises(pydantic.ValidationError, match="ownership"):
        JobFacets(ownership=OwnershipDatasetFacet())  # type: ignore[arg-type]  # that is the point


def test_models_are_frozen_values() -> None:
    dataset = InputDataset(namespace="n", name="d")
    with pytest.raises(pydantic.ValidationError, match="frozen"):
        dataset.name = "e"  # type: ignore[misc]  # that is the point
    assert len({dataset, InputDataset(namespace="n", name="d")}) == 1


def test_every_class_can_be_built() -> None:
    built = [
        model
        for model in vars(models).values()
        if isinstance(model, type) and issubclass(model, models.OpenLineageModel)
    ]
    assert len(built) == 37
    for model in built:
        assert model.model_rebuild() in {None, True}
        assert model.__doc__


def test_nothing_is_built_at_import() -> None:
    assert "defer_build=True" in models.__loader__.get_source(models.__name__)  # type: ignore[union-attr]


def test_the_release_is_named() -> None:
    assert models.RELEASE == "1.53.0"


def test_a_map_is_written_in_the_order_of_its_names() -> None:
    field = models.ColumnLineageField(input_fields=())
    facet = models.ColumnLineageDatasetFacet(fields={"z": field, "ä": field, "a": field, "🎈": field, "B": field})
    assert list(facet.fields) == ["B", "a", "z", "ä", "🎈"]
    written = facet.to_json()
    assert (
        written == json.dumps(json.loads(written), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    )


def test_a_facet_by_a_schema_of_our_own_names_the_official_one() -> None:
    run = models.ParentRun(run_id=RUN)
    job = models.ParentJob(namespace="n", name="j")
    parent = models.ParentRunFacet(run=run, job=job, root=models.ParentRoot(run=run, job=job))
    assert json.loads(parent.to_json()) == {
        "_producer": PRODUCER,
        "_schemaURL": "https://openlineage.io/spec/facets/1-2-0/ParentRunFacet.json#/$defs/ParentRunFacet",
        "job": {"name": "j", "namespace": "n"},
        "root": {"job": {"name": "j", "namespace": "n"}, "run": {"runId": str(RUN)}},
        "run": {"runId": str(RUN)},
    }
