"""An event as it arrived, held against the pinned schemas and the official client's own classes."""

import gzip
import json
from collections.abc import Sequence
from typing import Any

from openlineage.client import event_v2
from openlineage.client.generated.error_message_run import ErrorMessageRunFacet
from openlineage.client.generated.job_type_job import JobTypeJobFacet

from streamt.diagnostics import Option
from streamt.openlineage.validation import Checker
from tests.net.servers import Request


def event_in(request: Request) -> dict[str, Any]:
    """Read the event of a request, and check it in both ways."""
    compressed = request.headers.get("content-encoding") == "gzip"
    line = gzip.decompress(request.body) if compressed else request.body
    Checker().check(line, Option("arrived"))
    event: dict[str, Any] = json.loads(line)
    official_event(event)
    return event


def official_event(event: dict[str, Any]) -> event_v2.RunEvent:
    """Build the official client's own objects from `event`; they raise on what they do not take."""
    run, job = event["run"], event["job"]
    errors = {key: ErrorMessageRunFacet(**_own(facet)) for key, facet in run.get("facets", {}).items()}
    kinds = {key: JobTypeJobFacet(**_own(facet)) for key, facet in job.get("facets", {}).items()}
    return event_v2.RunEvent(
        eventTime=event["eventTime"],
        eventType=event_v2.RunState[event["eventType"]],
        run=event_v2.Run(runId=run["runId"], facets=dict(errors)),
        job=event_v2.Job(namespace=job["namespace"], name=job["name"], facets=dict(kinds)),
        inputs=_inputs(event.get("inputs", ())),
        producer=event["producer"],
    )


def _inputs(inputs: Sequence[dict[str, Any]]) -> list[event_v2.InputDataset]:
    return [event_v2.InputDataset(namespace=dataset["namespace"], name=dataset["name"]) for dataset in inputs]


def _own(facet: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in facet.items() if not key.startswith("_")}
