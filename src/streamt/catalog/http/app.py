"""The application: all endpoints, the page, health and metrics, and the OpenAPI document."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.staticfiles import StaticFiles

from streamt import __version__
from streamt.catalog.http import answers, lineage, lineage_reading, people, problems, registry
from streamt.catalog.http.bodies import Bodies
from streamt.catalog.http.callers import Callers, Reader, Service
from streamt.catalog.http.direct import Direct
from streamt.catalog.http.metrics import Metrics
from streamt.catalog.http.paths import SentPaths
from streamt.catalog.http.problems import Problem, responses
from streamt.catalog.http.security import Surroundings
from streamt.catalog.http.waking import Waking
from streamt.catalog.service import Catalog
from streamt.catalog.store.details import counts

PREFIX = "/api/v1"
WEB = Path(__file__).parent.parent / "web"


@dataclass(frozen=True, slots=True)
class Settings:
    """How the service is run.

    Attributes:
        rate: how many requests a second each token may send; 0 for no limit.
        behind_tls: whether a proxy before it speaks TLS, so that cookies are for TLS alone.
        web: where the built page is.
    """

    rate: float = 2000.0
    behind_tls: bool = False
    web: Path = WEB


def create_app(catalog: Catalog, settings: Settings | None = None) -> FastAPI:
    """Make the application of an open catalog; it closes the catalog when it stops.

    Args:
        catalog: the catalog.
        settings: how it is run.
    """
    chosen = settings or Settings()

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        catalog.close()

    app = FastAPI(
        title="streamt catalog",
        version=__version__,
        description="OpenLineage events in, evidence kept, a graph out.",
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        separate_input_output_schemas=False,
    )
    app.state.catalog, app.state.settings = catalog, chosen
    app.state.callers = Callers(catalog, chosen.rate)
    app.state.metrics, app.state.waking = Metrics(catalog), Waking()
    problems.install(app)
    for router in (lineage.router, lineage_reading.router, registry.router, people.router, service_router):
        app.include_router(router, prefix=PREFIX)
    app.add_api_route("/api/lineage", lineage.post_lineage, methods=["POST"], include_in_schema=False)
    app.add_middleware(Bodies, service=app)
    app.add_middleware(Direct, service=app, endpoints=_DIRECT)
    app.add_middleware(SentPaths)
    app.add_middleware(Surroundings, metrics=app.state.metrics)
    if chosen.web.is_dir():
        app.mount("/", StaticFiles(directory=chosen.web, html=True), name="page")
    _describe(app)
    return app


_DIRECT = {
    f"{PREFIX}/lineage": lineage.post_lineage,
    "/api/lineage": lineage.post_lineage,
    f"{PREFIX}/lineage/batch": lineage.post_batch,
}

service_router = APIRouter(tags=["service"])


@service_router.get("/status", response_model=answers.Status, responses=responses(401, 403, 429, 503))
def get_status(caller: Reader, service: Service) -> Any:
    """Return how much there is, and what to do next while nothing can be shown."""
    with service.reading() as conn:
        found = counts(conn, caller)
    found["replaying"] = service.pending_replays()
    found["hint"] = _hint(found)
    return found


def _hint(found: dict[str, Any]) -> str | None:
    if found["edges"]:
        return None
    if not found["containers"]:
        return "register what you have with `streamt catalog sync`; `sync events` takes what the events name"
    return None if found["events"] else "send events to /api/v1/lineage"


@service_router.get("/health/live")
def live() -> dict[str, str]:
    """Report that the process answers."""
    return {"status": "ok"}


@service_router.get("/health/ready", responses=responses(503))
def ready(service: Service) -> Any:
    """Report whether the store answers."""
    with service.reading() as conn:
        conn.exec_driver_sql("select 1")
    return {"status": "ok"}


@service_router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **responses(401, 403, 429, 503)},
)
def get_metrics(request: Request, caller: Reader) -> Response:
    """Return figures for Prometheus; any token that may read will do."""
    del caller
    body, media = request.app.state.metrics.render()
    return Response(body, media_type=media)


def document() -> dict[str, Any]:
    """Return the OpenAPI document, without a catalog behind it."""
    app = FastAPI(title="streamt catalog", version=__version__, separate_input_output_schemas=False)
    for router in (lineage.router, lineage_reading.router, registry.router, people.router, service_router):
        app.include_router(router, prefix=PREFIX)
    _describe(app)
    return app.openapi()


def _describe(app: FastAPI) -> None:
    """Add to the OpenAPI document what FastAPI does not know: how to sign in, and the form of problems."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = plain()
            schemas = document.setdefault("components", {}).setdefault("schemas", {})
            problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
            schemas |= problem.pop("$defs", {})
            schemas["Problem"] = problem
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            for path in document["paths"].values():
                for operation in path.values():
                    _as_problem(operation)
            document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            document["security"] = [{"token": []}]
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _as_problem(operation: dict[str, Any]) -> None:
    """Say that an invalid request is answered by a problem, too, and one whose body is too much or too slow."""
    if "requestBody" in operation:
        operation["responses"] |= {str(status): answer for status, answer in responses(408, 413).items()}
    invalid = operation["responses"].get("422")
    if invalid is not None:
        schema = {"$ref": "#/components/schemas/Problem"}
        invalid["content"] = {problems.MEDIA_TYPE: {"schema": schema}}
