"""The emitter's counters as Prometheus metrics, where `prometheus_client` is installed."""

from collections.abc import Callable, Iterator
from typing import Any

from streamt.emitter.worker import Counters


class CountersCollector:
    """Gives the counters to a registry of `prometheus_client`: `REGISTRY.register(CountersCollector(read))`.

    Args:
        read: returns the counters: `lambda: emitter.counters`.
    """

    def __init__(self, read: Callable[[], Counters]) -> None:
        self._read = read

    def collect(self) -> Iterator[Any]:
        """Give one counter with what became of the events, and one gauge of what waits."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        counters = self._read()
        events = CounterMetricFamily("streamt_lineage_events", "What became of lineage events.", labels=["outcome"])
        for outcome in ("emitted", "failed", "dropped"):
            events.add_metric([outcome], getattr(counters, outcome))
        yield events
        yield GaugeMetricFamily("streamt_lineage_queue", "Lineage events that wait.", value=counters.queued)
