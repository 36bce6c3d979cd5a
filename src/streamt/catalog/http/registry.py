"""Connections, datastores and their containers."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import AfterValidator, BaseModel, Field
from sqlalchemy import select

from streamt.catalog.changes import MissingError
from streamt.catalog.http import answers
from streamt.catalog.http.callers import Admin, Editor, Reader, Service
from streamt.catalog.http.lineage_reading import MISSING, Cursor, Id, Limit, Text
from streamt.catalog.http.problems import responses
from streamt.catalog.matching import RULES, system_of
from streamt.catalog.store.reading import paged, parse_cursor, visible
from streamt.catalog.store.registering import ConnectionSpec, ContainerSpec, FieldSpec
from streamt.catalog.store.tables import asset, connection, datastore

router = APIRouter(tags=["registry"], responses=responses(401, 403, 422, 429, 503))
Name = Annotated[str, Field(min_length=1, max_length=10_000)]


def _known_system(text: str) -> str:
    if system_of(text) not in RULES:
        raise ValueError("unknown type of system")
    return system_of(text)


System = Annotated[str, Field(max_length=50, json_schema_extra={"enum": sorted(RULES)}), AfterValidator(_known_system)]


class NewConnection(BaseModel):
    """A system to make known."""

    name: Name
    type: System
    host: Annotated[str, Field(max_length=1000)] = ""
    port: Annotated[int | None, Field(ge=1, le=65535)] = None


class NewDatastore(BaseModel):
    """A database and schema, a root path or a cluster."""

    connection: Id
    name: Annotated[str, Field(max_length=1000)] = ""
    database: Annotated[str, Field(max_length=1000)] = ""
    schema_: Annotated[str, Field(max_length=1000, alias="schema")] = ""
    root: Annotated[str, Field(max_length=10_000)] = ""
    team: Annotated[int | None, Field(ge=1, lt=2**63, description="The team that becomes its editor.")] = None


class NewField(BaseModel):
    """A field to register."""

    name: Name
    type: Annotated[str, Field(max_length=10_000)] = ""
    description: Text | None = None


class NewContainer(BaseModel):
    """A table, view, topic, file or directory to register."""

    name: Name
    type: Literal["table", "view", "topic", "file", "directory"] = "table"
    description: Text | None = None
    fields: Annotated[list[NewField] | None, Field(max_length=20_000)] = None


class Registration(BaseModel):
    """Containers to register: one, many, or a whole sync."""

    containers: Annotated[list[NewContainer], Field(max_length=20_000)]
    whole: bool = Field(default=False, description="Whether these are all, so that what is not named is gone.")


@router.get("/connections", response_model=answers.Listed[answers.ConnectionAnswer])
def get_connections(caller: Reader, service: Service, limit: Limit = 100, cursor: Cursor = None) -> Any:
    """Return the connections on which there is a datastore that the caller may see; admins see all."""
    page = parse_cursor(cursor, limit)
    query = select(connection).order_by(connection.c.id).limit(limit + 1)
    if not caller.is_admin:
        seen = select(datastore.c.connection_id).where(visible(caller, datastore.c.id))
        query = query.where(connection.c.id.in_(seen))
    if page.after:
        query = query.where(connection.c.id > page.after[0])
    with service.reading() as conn:
        rows = conn.execute(query).all()
    return paged(rows, page, [dict(row._mapping) for row in rows])  # noqa: SLF001 - SQLAlchemy's documented name


@router.post("/connections", status_code=201, response_model=answers.Made, responses={200: {"model": answers.Made}})
def post_connection(wanted: NewConnection, response: Response, caller: Editor, service: Service) -> Any:
    """Make a connection; 200 with the one that has this name already."""
    spec = ConnectionSpec(wanted.name, wanted.type, wanted.host, wanted.port)
    number, is_new = service.make_connection(spec, caller)
    response.status_code = 201 if is_new else 200
    return {"id": number}


@router.get("/datastores", response_model=answers.Listed[answers.DatastoreAnswer])
def get_datastores(caller: Reader, service: Service, limit: Limit = 100, cursor: Cursor = None) -> Any:
    """Return the datastores that the caller may see."""
    page = parse_cursor(cursor, limit)
    query = _datastores(caller).order_by(datastore.c.id).limit(limit + 1)
    if page.after:
        query = query.where(datastore.c.id > page.after[0])
    with service.reading() as conn:
        rows = conn.execute(query).all()
    return paged(rows, page, [_datastore(row, caller) for row in rows])


@router.get("/datastores/{number}", response_model=answers.DatastoreAnswer, responses=MISSING)
def get_datastore(number: Id, caller: Reader, service: Service) -> Any:
    """Return a datastore."""
    with service.reading() as conn:
        row = conn.execute(_datastores(caller).where(datastore.c.id == number)).first()
    if row is None:
        raise MissingError
    return _datastore(row, caller)


def _datastores(caller: Reader) -> Any:
    columns = (connection.c.name.label("of_name"), connection.c.type, connection.c.host, connection.c.port)
    return select(datastore, *columns).join(connection).where(visible(caller, datastore.c.id))


def _datastore(row: Any, caller: Reader) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "connection": {
            "id": row.connection_id,
            "name": row.of_name,
            "type": row.type,
            "host": row.host,
            "port": row.port,
        },
        "database": row.database,
        "schema": row.schema,
        "root": row.root,
        "editable": caller.editable.covers([row.id]),
    }


@router.post(
    "/datastores",
    status_code=201,
    response_model=answers.Made,
    responses={200: {"model": answers.Made}, **MISSING},
)
def post_datastore(request: Request, wanted: NewDatastore, response: Response, caller: Editor, service: Service) -> Any:
    """Make a datastore; 200 with the one that is at this place already."""
    spec = {"name": wanted.name, "database": wanted.database, "schema": wanted.schema_, "root": wanted.root}
    number, is_new = service.make_datastore(wanted.connection, spec, caller, wanted.team)
    request.app.state.callers.forget()

    response.status_code = 201 if is_new else 200
    return {"id": number}


@router.get("/datastores/{number}/containers", response_model=answers.Listed[answers.ContainerItem], responses=MISSING)
def get_containers(  # noqa: PLR0913, PLR0917 - one for each parameter of the endpoint
    number: Id,
    caller: Reader,
    service: Service,
    removed: Annotated[bool, Query()] = False,  # noqa: FBT002
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Any:
    """Return a datastore's containers."""
    page = parse_cursor(cursor, limit)
    get_datastore(number, caller, service)
    query = select(asset.c.id, asset.c.name, asset.c.kind, asset.c.removed_at).where(asset.c.datastore_id == number)
    if not removed:
        query = query.where(asset.c.removed_at.is_(None))
    if page.after:
        query = query.where(asset.c.id > page.after[0])
    with service.reading() as conn:
        rows = conn.execute(query.order_by(asset.c.id).limit(limit + 1)).all()
    items = [{"id": row.id, "name": row.name, "type": row.kind, "removed": row.removed_at is not None} for row in rows]
    return paged(rows, page, items)


@router.post("/datastores/{number}/containers", response_model=answers.SyncAnswer, responses=MISSING)
def post_containers(number: Id, wanted: Registration, caller: Editor, service: Service) -> Any:
    """Register containers; the jobs that named them are replayed after this, one by one."""
    synced = service.register(number, [container_spec(one) for one in wanted.containers], caller, whole=wanted.whole)
    return {
        "containers": list(synced.containers),
        "added": synced.added,
        "removed": synced.removed,
        "replaying": synced.jobs,
    }


def container_spec(wanted: NewContainer) -> ContainerSpec:
    """Return a container as the service takes it."""
    fields = None
    if wanted.fields is not None:
        fields = tuple(FieldSpec(one.name, one.type, one.description) for one in wanted.fields)
    return ContainerSpec(wanted.name, wanted.type, fields, wanted.description)


@router.post("/sync/events", response_model=answers.EventSyncAnswer)
def post_sync_events(caller: Admin, service: Service) -> Any:
    """Register the containers that the received events name: for a first look, while no source is known."""
    return service.sync_events(caller)
