"""Figures for Prometheus, in a registry of the application's own."""

import time
from collections.abc import Awaitable, Callable

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.requests import Request
from starlette.responses import Response

from streamt.catalog.service import Catalog

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """Counts requests and how long they take, by route and never by a caller's words."""

    def __init__(self, catalog: Catalog) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("streamt_catalog_requests", "Requests.", labels, registry=self._registry)
        self._seconds = Histogram(
            "streamt_catalog_request_seconds", "Time to answer.", ("route",), registry=self._registry, buckets=_BUCKETS
        )
        waiting = Gauge("streamt_catalog_events_waiting", "Events not yet written.", registry=self._registry)
        waiting.set_function(lambda: catalog.waiting)

    async def measure(self, request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        """Count a request."""
        began = time.perf_counter()
        response = await call_next(request)
        route = getattr(request.scope.get("route"), "path", "other")
        self._requests.labels(request.method, route, str(response.status_code)).inc()
        self._seconds.labels(route).observe(time.perf_counter() - began)
        return response

    def render(self) -> tuple[bytes, str]:
        """Return the figures as Prometheus reads them, with their media type."""
        return generate_latest(self._registry), CONTENT_TYPE_LATEST
