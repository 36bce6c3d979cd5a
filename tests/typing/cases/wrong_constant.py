"""A constant with another value, and a word that is not in the list."""

from datetime import datetime
from uuid import UUID

from streamt.openlineage.models import DatasetTypeDatasetFacet, Job, Run, RunEvent

job = Job(namespace="n", name="j")


def events(time: datetime, run_id: UUID) -> None:
    # E: incompatible type "Literal['DONE']"
    RunEvent(event_time=time, event_type="DONE", run=Run(run_id=run_id), job=job)
    # E: incompatible type "Literal['https://example.org']"
    RunEvent(event_time=time, producer="https://example.org", run=Run(run_id=run_id), job=job)


# E: incompatible type "Literal['https://example.org']"
DatasetTypeDatasetFacet(dataset_type="TOPIC", schema_url="https://example.org")
