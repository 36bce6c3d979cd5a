"""Every event and facet, made as a mapper makes them."""

from datetime import datetime
from uuid import UUID

from streamt.openlineage.models import (
    DatasetEvent,
    DatasetFacets,
    DatasetTypeDatasetFacet,
    DocumentationDatasetFacet,
    DocumentationJobFacet,
    ErrorMessageRunFacet,
    InputDataset,
    Job,
    JobEvent,
    JobFacets,
    JobTypeJobFacet,
    OutputDataset,
    OwnershipDatasetFacet,
    OwnershipDatasetFacetOwners,
    OwnershipJobFacet,
    OwnershipJobFacetOwners,
    Run,
    RunEvent,
    RunFacets,
    SchemaDatasetFacet,
    SchemaDatasetFacetFields,
    StaticDataset,
)


def dataset_event(time: datetime, description: str | None, owner: str | None) -> bytes:
    fields = (SchemaDatasetFacetFields(name="id", type="BIGINT", description=description, ordinal_position=1),)
    facets = DatasetFacets(
        dataset_type=DatasetTypeDatasetFacet(dataset_type="TOPIC"),
        schema_=SchemaDatasetFacet(fields=fields),
        documentation=None if description is None else DocumentationDatasetFacet(description=description),
        ownership=None if owner is None else OwnershipDatasetFacet(owners=(OwnershipDatasetFacetOwners(name=owner),)),
    )
    dataset = StaticDataset(namespace="kafka://broker:9092", name="orders", facets=facets)
    return DatasetEvent(event_time=time, dataset=dataset).to_json()


def job(owner: str) -> Job:
    facets = JobFacets(
        job_type=JobTypeJobFacet(processing_type="STREAMING", integration="STREAMT", job_type="MODEL"),
        documentation=DocumentationJobFacet(description="It counts."),
        ownership=OwnershipJobFacet(owners=(OwnershipJobFacetOwners(name=owner),)),
    )
    return Job(namespace="prod", name="streamt/p/models/m", facets=facets)


def job_event(time: datetime) -> JobEvent:
    inputs = (InputDataset(namespace="kafka://broker:9092", name="orders"),)
    outputs = (OutputDataset(namespace="kafka://broker:9092", name="counts"),)
    return JobEvent(event_time=time, job=job("me"), inputs=inputs, outputs=outputs)


def run_event(time: datetime, run_id: UUID, data: bytes) -> RunEvent:
    facets = RunFacets(error_message=ErrorMessageRunFacet(message="It broke.", programming_language="PYTHON"))
    event = RunEvent(event_time=time, event_type="FAIL", run=Run(run_id=run_id, facets=facets), job=job("me"))
    assert event.schema_url == "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
    return RunEvent.from_json(data)
