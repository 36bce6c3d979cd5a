"""Figures for Prometheus, in a registry of the application's own."""

from collections.abc import Mapping
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

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

    def count(self, scope: Mapping[str, Any], status: int, seconds: float) -> None:
        """Count a request that was answered."""
        route = getattr(scope.get("route"), "path", "other")
        self._requests.labels(scope["method"], route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def render(self) -> tuple[bytes, str]:
        """Return the figures as Prometheus reads them, with their media type."""
        return generate_latest(self._registry), CONTENT_TYPE_LATEST
