"""The endpoint for events: one, an array, or a batch as OpenLineage's own document has it.

Source: lineage-openapi; catalog.md, "Endpoint", C3, C12, C28.
"""

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from streamt.catalog import wire
from streamt.catalog.access import Caller
from streamt.catalog.applying import Outcome
from streamt.catalog.http.bodies import read_within
from streamt.catalog.http.callers import Sender, Service
from streamt.catalog.http.problems import problem, responses
from streamt.catalog.store.engine import AwayError

router = APIRouter(tags=["lineage"])


class DatasetName(BaseModel):
    """A dataset as events name it."""

    namespace: str
    name: str


class Matched(BaseModel):
    """The containers that a dataset means."""

    dataset: DatasetName
    containers: list[int]


class Unmatched(BaseModel):
    """A dataset that means no container."""

    dataset: DatasetName
    reason: str


class EventAnswer(BaseModel):
    """What became of an event; it is durable."""

    event: int = Field(description="The event's number.")
    status: Literal["applied", "stored", "unchanged"]
    matched: list[Matched] = Field(description="Only containers that the caller may see.")
    unmatched: list[Unmatched]
    asserted: int = Field(description="How many edges the event asserts.")
    withdrawn: int = Field(description="How many records it took away.")
    denied: int = Field(description="How many matches the caller may not edit.")


class BatchSummary(BaseModel):
    """The counts of a batch."""

    received: int
    successful: int
    failed: int
    retriable: int
    non_retriable: int


class FailedEvent(BaseModel):
    """An event of a batch that was not applied."""

    index: int
    reason: str
    retriable: bool


class BatchAnswer(BaseModel):
    """What became of a batch."""

    status: Literal["success", "partial_success"]
    summary: BatchSummary
    failed_events: list[FailedEvent]


_EVENT = {"type": "object", "description": "An OpenLineage RunEvent, JobEvent or DatasetEvent."}
_ONE_OR_MANY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"oneOf": [_EVENT, {"type": "array", "items": _EVENT, "maxItems": 10_000}]}}
        },
    }
}
_MANY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"type": "array", "items": _EVENT, "maxItems": 10_000}}},
    }
}
_PROBLEMS = responses(400, 401, 403, 408, 413, 415, 422, 429, 503)


@router.post(
    "/lineage",
    responses=_PROBLEMS,
    response_model=EventAnswer | BatchAnswer,
    openapi_extra=_ONE_OR_MANY,
    summary="Send events",
)
async def post_lineage(request: Request, caller: Sender, service: Service) -> Any:
    """Take one event, or an array of events (which is an extension of ours); each is durable when this answers."""
    body = await read_body(request)
    if body.is_array:
        return batch(await deliver(request, service, body.items, caller))
    (outcome,) = await deliver(request, service, body.items, caller)
    return single(outcome)


@router.post(
    "/lineage/batch",
    responses=_PROBLEMS,
    response_model=BatchAnswer,
    openapi_extra=_MANY,
    summary="Send a batch of events",
)
async def post_batch(request: Request, caller: Sender, service: Service) -> Any:
    """Take an array of events; one that is refused touches none of the others."""
    body = await read_body(request)
    if not body.is_array:
        raise wire.RefusedError(400, "a batch is a JSON array")
    return batch(await deliver(request, service, body.items, caller))


async def read_body(request: Request) -> wire.Body:
    """Read a body within its limits, never more than they allow.

    Raises:
        RefusedError: with the status to answer.
    """
    media = request.headers.get("content-type", "")
    kind, _, parameters = media.partition(";")
    if kind.strip().lower() != "application/json" or not _is_utf8(parameters):
        raise wire.RefusedError(415, "send application/json in UTF-8")
    data = await read_within(request, wire.MAX_SENT)
    encoding = request.headers.get("content-encoding", "")

    def read() -> wire.Body:
        return wire.decode(wire.unpack(data, encoding))

    return read() if len(data) < 20_000 and not encoding else await run_in_threadpool(read)


def _is_utf8(parameters: str) -> bool:
    for one in parameters.split(";"):
        name, _, value = one.partition("=")
        if name.strip().lower() == "charset" and value.strip().strip('"').lower() not in ("utf-8", "utf8"):
            return False
    return True


async def deliver(
    request: Request, service: Any, items: Sequence[wire.Item], caller: Caller
) -> list[Outcome | Exception]:
    """Hand events over and wait until each is durable, or refused.

    Raises:
        BusyError: too many wait; none was taken.
    """
    answers: list[Future[Outcome]] = (
        service.submit(items, caller) if len(items) < 20 else await run_in_threadpool(service.submit, items, caller)
    )
    if answers:
        await request.app.state.waking.all_of(answers)
    return [_outcome(one) for one in answers]


def _outcome(answer: Future[Outcome]) -> Outcome | Exception:
    try:
        return answer.result()
    except Exception as error:  # noqa: BLE001 - each event has its own answer
        return error


def single(outcome: Outcome | Exception) -> Any:
    """Answer for one event.

    Raises:
        AwayError: the store cannot be used at the moment.
    """
    if isinstance(outcome, Exception):
        raise outcome
    if outcome.status == "rejected":
        errors = [{"pointer": one.pointer, "detail": one.detail} for one in outcome.problems]
        return problem(422, f"invalid event; it was stored as rejected, with number {outcome.event}", errors=errors)
    if outcome.status == "denied":
        return problem(
            403, f"you may edit none of the datasets; the event was stored as denied, with number {outcome.event}"
        )
    body = {
        "event": outcome.event,
        "status": outcome.status,
        "matched": [{"dataset": _named(name), "containers": list(found)} for name, found in outcome.matched],
        "unmatched": [{"dataset": _named(name), "reason": reason} for name, reason in outcome.unmatched],
        "asserted": outcome.asserted,
        "withdrawn": outcome.withdrawn,
        "denied": outcome.denied,
    }
    return JSONResponse(body)


def _named(name: tuple[str, str]) -> dict[str, str]:
    return {"namespace": name[0], "name": name[1]}


def batch(outcomes: Sequence[Outcome | Exception]) -> Any:
    """Answer for an array of events."""
    failed = [
        {"index": at, "reason": reason, "retriable": retriable}
        for at, outcome in enumerate(outcomes)
        for reason, retriable in _failure(outcome)
    ]
    retriable = sum(bool(one["retriable"]) for one in failed)
    summary = {
        "received": len(outcomes),
        "successful": len(outcomes) - len(failed),
        "failed": len(failed),
        "retriable": retriable,
        "non_retriable": len(failed) - retriable,
    }
    status = "partial_success" if failed else "success"
    return JSONResponse({"status": status, "summary": summary, "failed_events": failed})


def _failure(outcome: Outcome | Exception) -> list[tuple[str, bool]]:
    """Return why an event failed, and whether sending it again may help; nothing for one that did not."""
    if isinstance(outcome, AwayError):
        return [("the store cannot be used at the moment", True)]
    if isinstance(outcome, Exception):
        return [("the server failed", True)]
    if outcome.status == "rejected":
        return [("; ".join(f"{one.pointer or '/'}: {one.detail}" for one in outcome.problems), False)]
    if outcome.status == "denied":
        return [("you may edit none of the datasets", False)]
    return []
