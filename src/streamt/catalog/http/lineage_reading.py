"""The graph, edges, containers, jobs and the search: what a caller may see of them."""

import json
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from streamt.catalog import editing
from streamt.catalog.changes import MissingError
from streamt.catalog.http import answers
from streamt.catalog.http.callers import Admin, Editor, Reader, Service
from streamt.catalog.http.paths import Part
from streamt.catalog.http.problems import responses
from streamt.catalog.store import details, reading
from streamt.catalog.store.reading import GraphQuery, parse_cursor

router = APIRouter(tags=["lineage"], responses=responses(401, 403, 422, 429, 503))
MISSING = responses(404)
Id = Annotated[int, Field(ge=1, lt=2**63)]
Limit = Annotated[int, Query(ge=1, le=1000)]
Cursor = Annotated[str | None, Query(max_length=500)]
Text = Annotated[str, Field(max_length=10_000)]


@router.get("/graph", response_model=answers.Graph, responses=MISSING, response_model_exclude_unset=True)
def get_graph(  # noqa: PLR0913, PLR0917 - one for each parameter of the endpoint
    caller: Reader,
    service: Service,
    node: Annotated[int | None, Query(ge=1, lt=2**63)] = None,
    namespace: Annotated[str | None, Query(max_length=10_000)] = None,
    name: Annotated[str | None, Query(max_length=10_000)] = None,
    upstream: Annotated[int, Query(ge=0, le=20)] = 1,
    downstream: Annotated[int, Query(ge=0, le=20)] = 1,
    fields: bool = False,  # noqa: FBT001, FBT002
    retired: bool = False,  # noqa: FBT001, FBT002
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> Any:
    """Return the graph around a node, given by its number, or by the namespace and name of a dataset."""
    number = node if node is not None else _named(service, caller, namespace, name)
    with service.reading() as conn:
        if not reading.may_see_node(conn, caller, number):
            raise MissingError
        asked = GraphQuery(number, upstream, downstream, fields, retired, limit)
        return reading.graph(conn, caller, asked)


def _named(service: Service, caller: Reader, namespace: str | None, name: str | None) -> int:
    if namespace is None or name is None:
        raise HTTPException(422, "give `node`, or `namespace` and `name`")
    with service.reading() as conn:
        for number in service.nodes_named((namespace, name)):
            if reading.may_see_node(conn, caller, number):
                return number
    raise MissingError


@router.get("/search", response_model=answers.Listed[answers.Hit])
def get_search(
    caller: Reader,
    service: Service,
    q: Annotated[str, Query(min_length=1, max_length=1000)],
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Cursor = None,
) -> Any:
    """Return what has the text in its name, namespace, field or job, in any case; prefixes first."""
    page = parse_cursor(cursor, limit, 3)
    with service.reading() as conn:
        return reading.search(conn, caller, q, page)


@router.get("/edges/{number}", response_model=answers.EdgeAnswer, responses=MISSING)
def get_edge(number: Id, caller: Reader, service: Service) -> Any:
    """Return an edge, active or retired, with who asserts it and what became of it."""
    with service.reading() as conn:
        return _present(details.edge_of(conn, caller, number))


class EdgeEdit(BaseModel):
    """A person's edit of an edge."""

    description: Text


@router.patch("/edges/{number}", response_model=answers.EdgeAnswer, responses=MISSING)
def patch_edge(number: Id, edit: EdgeEdit, caller: Editor, service: Service) -> Any:
    """Write an edge's description; an empty one hands it back to what was derived."""
    service.change(lambda tools: editing.describe_edge(tools, number, edit.description, caller))
    with service.reading() as conn:
        return _present(details.edge_of(conn, caller, number))


@router.delete("/edges/{number}", status_code=204, response_class=Response, responses=MISSING)
def delete_edge(number: Id, caller: Editor, service: Service) -> None:
    """Retire an edge; an event brings it back only if it is later than this."""
    service.change(lambda tools: editing.delete_edge(tools, number, caller))


class NewEdge(BaseModel):
    """An edge that a person draws."""

    source: Id
    target: Id
    source_field: Annotated[int | None, Field(ge=1, lt=2**63)] = None
    target_field: Annotated[int | None, Field(ge=1, lt=2**63)] = None
    description: Text = ""


@router.post("/edges", status_code=201, response_model=answers.Made, responses=MISSING)
def post_edge(edge: NewEdge, caller: Editor, service: Service) -> Any:
    """Draw an edge by hand, which no event ever touches."""
    if (edge.source_field is None) != (edge.target_field is None):
        raise HTTPException(422, "give a field on both sides, or on none")
    wanted = editing.ManualEdge(
        edge.source, edge.target, edge.source_field or 0, edge.target_field or 0, edge.description
    )
    return {"id": service.change(lambda tools: editing.make_edge(tools, wanted, caller))}


@router.get("/containers/{number}", response_model=answers.ContainerAnswer, responses=MISSING)
def get_container(number: Id, caller: Reader, service: Service) -> Any:
    """Return a container with its fields, descriptions, owners and tags."""
    with service.reading() as conn:
        return _present(details.container(conn, caller, number))


class FieldEdit(BaseModel):
    """A person's edit of a field."""

    id: Id
    description: Text | None = None


class Owner(BaseModel):
    """An owner."""

    name: Annotated[str, Field(min_length=1, max_length=1000)]
    type: Annotated[str | None, Field(max_length=1000)] = None


class TagEdit(BaseModel):
    """A tag to add or to take away, of the container or of a field."""

    key: Annotated[str, Field(min_length=1, max_length=1000)]
    value: Annotated[str, Field(max_length=1000)] = ""
    field: Annotated[int | None, Field(ge=1, lt=2**63)] = None


class ContainerEdit(BaseModel):
    """A person's edits; what is absent stays, null or an empty text hands a value back to the sources."""

    description: Text | None = None
    owners: Annotated[list[Owner] | None, Field(max_length=1000)] = None
    fields: Annotated[list[FieldEdit], Field(max_length=10_000)] = []
    add_tags: Annotated[list[TagEdit], Field(max_length=1000)] = []
    remove_tags: Annotated[list[TagEdit], Field(max_length=1000)] = []


@router.patch("/containers/{number}", response_model=answers.ContainerAnswer, responses=MISSING)
def patch_container(number: Id, edit: ContainerEdit, caller: Editor, service: Service) -> Any:
    """Keep a person's edits, which always win over what sources say."""
    edits = list(_edits(edit))
    service.change(lambda tools: editing.edit(tools, number, edits, caller))
    with service.reading() as conn:
        return _present(details.container(conn, caller, number))


def _edits(edit: ContainerEdit) -> list[editing.Edit]:
    found = []
    if "description" in edit.model_fields_set:
        found.append(editing.Edit("description", edit.description))
    if "owners" in edit.model_fields_set:
        owners = [one.model_dump() for one in edit.owners or ()]
        found.append(editing.Edit("owners", json.dumps(owners) if owners else None))
    found += [
        editing.Edit("description", one.description, one.id)
        for one in edit.fields
        if "description" in one.model_fields_set
    ]
    for tags, added in ((edit.add_tags, True), (edit.remove_tags, False)):
        found += [editing.Edit("tags", None, one.field or 0, (one.key, one.value), added) for one in tags]
    return found


@router.get("/containers/{number}/assertions", response_model=answers.Listed[answers.Assertion], responses=MISSING)
def get_assertions(number: Id, caller: Reader, service: Service) -> Any:
    """Return each source's value of each attribute, withdrawn ones too, and which one is shown."""
    with service.reading() as conn:
        _present(details.container(conn, caller, number))
        return {"items": details.assertions(conn, number), "next": None}


@router.get("/containers/{number}/reports", response_model=answers.Listed[answers.ReportAnswer], responses=MISSING)
def get_reports(number: Id, caller: Reader, service: Service, limit: Limit = 100, cursor: Cursor = None) -> Any:
    """Return everything that was ever said of the container, the latest first."""
    page = parse_cursor(cursor, limit)
    with service.reading() as conn:
        _present(details.container(conn, caller, number))
        return details.reports(conn, number, page)


@router.get("/containers/{number}/timeline", response_model=answers.Listed[answers.TimelineItem], responses=MISSING)
def get_timeline(number: Id, caller: Reader, service: Service, limit: Limit = 100, cursor: Cursor = None) -> Any:
    """Return what changed on the container, the latest first."""
    page = parse_cursor(cursor, limit)
    with service.reading() as conn:
        _present(details.container(conn, caller, number))
        return details.timeline_of(conn, number, page)


@router.get("/jobs", response_model=answers.Listed[answers.JobItem])
def get_jobs(
    caller: Reader,
    service: Service,
    namespace: Annotated[str | None, Query(max_length=10_000)] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Any:
    """Return the jobs, the latest made first."""
    page = parse_cursor(cursor, limit)
    with service.reading() as conn:
        return details.jobs(conn, caller, page, namespace)


@router.get("/jobs/{namespace}/{name}/runs", response_model=answers.Listed[answers.RunAnswer], responses=MISSING)
def get_runs(  # noqa: PLR0913, PLR0917 - one for each parameter of the endpoint
    namespace: Part, name: Part, caller: Reader, service: Service, limit: Limit = 100, cursor: Cursor = None
) -> Any:
    """Return a job's runs, the latest first. Slashes in namespace and name are sent as `%2F`."""
    page = parse_cursor(cursor, limit)
    with service.reading() as conn:
        job = _present(details.job_of(conn, caller, namespace, name))
        return details.runs_of(conn, job["id"], page)


@router.get("/jobs/{namespace}/{name}", response_model=answers.JobAnswer, responses=MISSING)
def get_job(namespace: Part, name: Part, caller: Reader, service: Service) -> Any:
    """Return a job and what it asserts. Slashes in namespace and name are sent as `%2F`."""
    with service.reading() as conn:
        return _present(details.job_of(conn, caller, namespace, name))


class Ended(BaseModel):
    """What ending a job did."""

    withdrawn: int = Field(description="How many records it lost.")


@router.delete("/jobs/{namespace}/{name}", response_model=Ended, responses=MISSING)
def delete_job(namespace: Part, name: Part, caller: Editor, service: Service) -> Any:
    """Say that a job is gone: it asserts nothing more within what you may edit, until a later event of it."""
    return {"withdrawn": service.end_job((namespace, name), caller)}


@router.get("/events", response_model=answers.Listed[answers.EventItem])
def get_events(
    caller: Admin,
    service: Service,
    status: Annotated[str | None, Query(max_length=20)] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Any:
    """Return what was received, the latest first, for admins: never a body, never an unknown facet."""
    del caller
    page = parse_cursor(cursor, limit)
    with service.reading() as conn:
        return details.events(conn, page, status)


@router.get("/export", response_class=StreamingResponse, responses={200: {"content": {"application/x-ndjson": {}}}})
def get_export(caller: Admin, service: Service) -> StreamingResponse:
    """Return the graph as OpenLineage JobEvents and DatasetEvents, one a line, for another catalog."""
    del caller

    def lines() -> Iterator[bytes]:
        with service.reading() as conn:
            for one in service.export(conn):
                yield json.dumps(one, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    return StreamingResponse(lines(), media_type="application/x-ndjson")


def _present(found: Any) -> Any:
    if found is None:
        raise MissingError
    return found
