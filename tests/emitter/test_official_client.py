"""OpenLineage's own Python client makes the same events of the same values: what it would write, we write."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from openlineage.client import event_v2
from openlineage.client.facet_v2 import (
    error_message_run,
    job_type_job,
    nominal_time_run,
    parent_run,
    processing_engine_run,
)
from openlineage.client.serde import Serde

from tests.extras.test_judges import of_the_emitter

Values = Mapping[str, Any]


def parent_of(values: Values) -> parent_run.ParentRunFacet:
    root = values["root"]
    return parent_run.ParentRunFacet(
        run=parent_run.Run(**values["run"]),
        job=parent_run.Job(**values["job"]),
        root=parent_run.Root(run=parent_run.RootRun(**root["run"]), job=parent_run.RootJob(**root["job"])),
    )


FACETS: dict[str, Callable[[Values], Any]] = {
    "parent": parent_of,
    "nominalTime": lambda values: nominal_time_run.NominalTimeRunFacet(**values),
    "errorMessage": lambda values: error_message_run.ErrorMessageRunFacet(**values),
    "processing_engine": lambda values: processing_engine_run.ProcessingEngineRunFacet(**values),
    "jobType": lambda values: job_type_job.JobTypeJobFacet(**values),
}


def facets_of(values: Values) -> dict[str, Any]:
    return {key: FACETS[key](stripped(facet)) for key, facet in values.items()}


def official(event: Values) -> dict[str, Any]:
    """Return the event that the official client writes of the same values."""
    made = event_v2.RunEvent(
        eventType=event_v2.RunState[event["eventType"]],
        eventTime=event["eventTime"],
        run=event_v2.Run(event["run"]["runId"], facets_of(event["run"]["facets"])),
        job=event_v2.Job(event["job"]["namespace"], event["job"]["name"], facets_of(event["job"]["facets"])),
        inputs=[event_v2.InputDataset(**each) for each in event["inputs"]],
        outputs=[event_v2.OutputDataset(**each) for each in event["outputs"]],
        producer=event["producer"],
    )
    written: dict[str, Any] = json.loads(Serde.to_json(made))
    return written


def stripped(value: Any) -> Any:
    """Leave out what says who wrote it, by which schema, and facets of which there are none."""
    if isinstance(value, Mapping):
        left_out = ("_producer", "_schemaURL", "schemaURL")
        return {key: stripped(each) for key, each in value.items() if key not in left_out and each != {}}
    return [stripped(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("line", of_the_emitter())
def test_the_official_client_writes_the_same(line: bytes) -> None:
    event = json.loads(line)
    assert stripped(official(event)) == stripped(event)
