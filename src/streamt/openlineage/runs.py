"""One command's life, told in RunEvents: START, then COMPLETE, FAIL or ABORT, of one run and one job.

Source: the specification's sections "Runtime command events" and "Failure facet".
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID

from streamt.diagnostics import redact
from streamt.openlineage.identity import Identity
from streamt.openlineage.models import (
    ErrorMessageRunFacet,
    InputDataset,
    Job,
    JobFacets,
    JobTypeJobFacet,
    Run,
    RunEvent,
    RunFacets,
)

LONGEST_MESSAGE = 4096
NO_MESSAGE = "the command failed"


class Outcome(StrEnum):
    """How a run ended."""

    COMPLETE = "COMPLETE"
    FAIL = "FAIL"
    ABORT = "ABORT"


@dataclass(frozen=True, slots=True)
class CommandRun:
    """One invocation of one of our own finite commands; every event of it carries the same three things.

    Attributes:
        run_id: a random UUIDv4, new for every invocation.
        job: the command's job.
        job_type: `TEST` or `COMMAND`.
        inputs: the datasets that the command really reads, sorted by namespace and name.
    """

    run_id: UUID
    job: Identity
    job_type: Literal["TEST", "COMMAND"]
    inputs: tuple[Identity, ...] = ()


def start_event(run: CommandRun, time: datetime) -> RunEvent:
    """Tell that `run` begins.

    Args:
        run: the run.
        time: aware; when it really began.
    """
    return _event(run, "START", time, Run(run_id=run.run_id))


def terminal_event(run: CommandRun, outcome: Outcome, time: datetime, message: str = "") -> RunEvent:
    """Tell how `run` ended.

    Args:
        run: the run.
        outcome: how it ended.
        time: aware; when it really ended.
        message: for FAIL: what happened, without any detail of an assertion or a record.
    """
    facets = RunFacets(error_message=_error_message(message)) if outcome is Outcome.FAIL else None
    return _event(run, outcome.value, time, Run(run_id=run.run_id, facets=facets))


def _event(
    run: CommandRun, event_type: Literal["START", "COMPLETE", "FAIL", "ABORT"], time: datetime, about: Run
) -> RunEvent:
    job_type = JobTypeJobFacet(processing_type="BATCH", integration="STREAMT", job_type=run.job_type)
    return RunEvent(
        event_time=time,
        event_type=event_type,
        inputs=tuple(InputDataset(namespace=item.namespace, name=item.name) for item in run.inputs) or None,
        job=Job(namespace=run.job.namespace, name=run.job.name, facets=JobFacets(job_type=job_type)),
        run=about,
    )


def _error_message(message: str) -> ErrorMessageRunFacet:
    text = redact(message)[:LONGEST_MESSAGE]
    return ErrorMessageRunFacet(message=text if text.strip() else NO_MESSAGE, programming_language="PYTHON")
