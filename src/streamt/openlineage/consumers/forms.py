"""The form in which a consumer takes our events: the same values, written so that it reads them."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from streamt import __version__
from streamt.openlineage.consumers.rules import Change, Consumer
from streamt.openlineage.models import ProcessingEngineRunFacet, RunEvent, RunFacets

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STREAMT = ProcessingEngineRunFacet(name="streamt", version=__version__)


class Form:
    """Writes the run events of one command in the form of one consumer; its result passes the model and the schemas.

    Attributes:
        consumer: for whom.
    """

    def __init__(self, consumer: Consumer) -> None:
        self.consumer = consumer
        self._ids: dict[UUID, UUID] = {}

    def __call__(self, event: RunEvent) -> RunEvent:
        """Return `event` in the consumer's form; in its own, where that is the same."""
        changes = self.consumer.changes
        if Change.EMPTY_LISTS in changes:
            event = event.model_copy(update={"inputs": event.inputs or (), "outputs": event.outputs or ()})
        facets = event.run.facets or RunFacets()
        if Change.PROCESSING_ENGINE in changes and facets.processing_engine is None:
            facets = facets.model_copy(update={"processing_engine": _STREAMT})
            event = event.model_copy(update={"run": event.run.model_copy(update={"facets": facets})})
        if Change.UUID7 in changes and event.run.run_id.version != 7:
            run_id = self._ids.setdefault(event.run.run_id, _uuid7(event.event_time, event.run.run_id))
            event = event.model_copy(update={"run": event.run.model_copy(update={"run_id": run_id})})
        return event


def in_order(consumer: Consumer, lines: Sequence[bytes], datasets: int) -> tuple[bytes, ...]:
    """Return the events of an export in the order in which a consumer keeps all of them.

    Args:
        consumer: for whom.
        lines: the events; those of datasets first.
        datasets: how many of them are datasets'.
    """
    if Change.DATASETS_LAST in consumer.changes:
        return (*lines[datasets:], *lines[:datasets])
    return tuple(lines)


def _uuid7(instant: datetime, run_id: UUID) -> UUID:
    milliseconds = max(0, int((instant - _EPOCH).total_seconds() * 1000))
    digest = int.from_bytes(hashlib.sha256(run_id.bytes).digest()[:10]) >> 6
    high, low = digest >> 62, digest & ((1 << 62) - 1)
    return UUID(int=milliseconds << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low)
