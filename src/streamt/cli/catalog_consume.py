"""`streamt catalog consume` and `sweep`: what works on the store itself beside the server."""

import signal
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from streamt.cli.catalog_options import default_store, store_option
from streamt.cli.options import reporting
from streamt.cli.output import Result, counted, encode
from streamt.diagnostics import Code, Diagnostic, FilePlace, Option, StreamtError, quote
from streamt.files import read_file

if TYPE_CHECKING:
    from streamt.catalog.consume import KafkaSource
    from streamt.clusters import Failure


@click.command()
@click.option("--bootstrap-servers", required=True, metavar="HOST:PORT", help="The Kafka cluster.")
@click.option("--topic", required=True, help="The topic that holds events, one JSON object or array a message.")
@click.option("--group", required=True, help="The consumer group.")
@click.option("--user", default="admin", show_default=True, help="In whose name the events are received.")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="More settings, one KEY=VALUE a line.")
@click.option("--stop-when-idle", is_flag=True, help="End when no message has come for a while.")
@store_option
@reporting
def consume(
    *,
    bootstrap_servers: str,
    topic: str,
    group: str,
    user: str,
    config_file: Path | None,
    stop_when_idle: bool,
    store: str | None,
) -> Result:
    """Take events from a Kafka topic, at least once; offsets are committed after the store's commit."""
    from streamt.catalog.consume import KafkaSource
    from streamt.catalog.consume import consume as take
    from streamt.catalog.service import Catalog
    from streamt.catalog.store import people
    from streamt.clusters import ClusterError

    settings = {**_settings(config_file), "bootstrap.servers": bootstrap_servers, "group.id": group}
    catalog = Catalog.open(store or default_store())
    try:
        with catalog.reading() as conn:
            found = people.find_account(conn, user)
            caller = people.caller_for(conn, found.id) if found is not None else None
        if caller is None:
            message = f"unknown user `{user}`"
            raise StreamtError(Diagnostic(code=Code.CATALOG_REFUSED, message=message, location=Option("user")))
        source = KafkaSource(topic, settings)
        stopping = _Stopping(source, when_idle=stop_when_idle)
        signal.signal(signal.SIGTERM, stopping.ask)
        signal.signal(signal.SIGINT, stopping.ask)
        try:
            done = take(catalog, caller, stopping, stopping.is_asked)
        finally:
            source.close()
    except ClusterError as error:
        raise _refused(error.failure, topic, config_file) from None
    finally:
        catalog.close()
    data = {"taken": done.taken, "refused": done.refused}
    return Result(data=encode(data), summary=f"{counted(done.taken, 'event')} taken, {done.refused} refused")


def _refused(failure: "Failure", topic: str, config_file: Path | None) -> StreamtError:
    from streamt.clusters.kafka_reading import SETTINGS_REFUSED

    if failure.code == SETTINGS_REFUSED:
        place = FilePlace(str(config_file)) if config_file else Option("bootstrap_servers")
        message = "the Kafka client does not take these settings"
        return StreamtError(Diagnostic(code=Code.CATALOG_REFUSED, message=message, location=place))
    message = f"topic {quote(topic)} cannot be consumed: {failure.message}"
    hint = "what was stored stays stored, and its offsets are committed; start again when the cause is gone"
    return StreamtError(Diagnostic(code=Code.CATALOG_UNREACHABLE, message=message, hint=hint))


class _Stopping:
    """A source that can be told to stop, and tells when nothing comes any more."""

    IDLE = 10

    def __init__(self, source: "KafkaSource", *, when_idle: bool) -> None:
        self._source = source
        self._when_idle = when_idle
        self._asked = False
        self._idle = 0

    def ask(self, _signal: int, _frame: FrameType | None) -> None:
        self._asked = True

    def is_asked(self) -> bool:
        return self._asked or (self._when_idle and self._idle >= self.IDLE)

    def poll(self) -> "Sequence[bytes | None]":
        messages = self._source.poll()
        self._idle = self._idle + 1 if self._source.has_joined and not messages else 0
        return messages

    def commit(self) -> None:
        self._source.commit()


_MAX_SETTINGS_BYTES = 1024 * 1024
_OWN = {
    "bootstrap.servers": "give --bootstrap-servers",
    "group.id": "give --group",
    "enable.auto.commit": "offsets are committed when the store has the events, and never else",
    "enable.auto.offset.store": "offsets are committed when the store has the events, and never else",
}


def _settings(path: Path | None) -> dict[str, str]:
    """Read settings of the Kafka client; secrets stay out of the command line."""
    if path is None:
        return {}
    found = {}
    try:
        lines = read_file(path, limit=_MAX_SETTINGS_BYTES).decode().splitlines()
    except (OSError, ValueError) as error:
        message = f"this cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}"
        raise StreamtError(
            Diagnostic(code=Code.CATALOG_REFUSED, message=message, location=FilePlace(str(path)))
        ) from None
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key, separator, value = line.partition("=")
        if not separator:
            place = FilePlace(str(path), number)
            raise StreamtError(Diagnostic(code=Code.CATALOG_REFUSED, message="not KEY=VALUE", location=place))
        if key.strip() in _OWN:
            message, hint = f"`{key.strip()}` is not for this file", _OWN[key.strip()]
            place = FilePlace(str(path), number)
            raise StreamtError(Diagnostic(code=Code.CATALOG_REFUSED, message=message, location=place, hint=hint))
        found[key.strip()] = value.strip()
    return found


@click.command()
@click.option("--keep-bodies", type=click.IntRange(0, 36500), default=90, show_default=True, help="Days.")
@click.option("--keep-events", type=click.IntRange(0, 36500), default=400, show_default=True, help="Days.")
@click.option("--run-timeout", type=click.IntRange(0, 36500), default=0, help="Days until a run is lost; 0: never.")
@store_option
@reporting
def sweep(*, keep_bodies: int, keep_events: int, run_timeout: int, store: str | None) -> Result:
    """Remove what is old: bodies of events, and events to which nothing points; stopped, the next sweep goes on."""
    from streamt.catalog.retention import Rules
    from streamt.catalog.retention import sweep as clean
    from streamt.catalog.service import Catalog

    catalog = Catalog.open(store or default_store())
    try:
        done = clean(catalog, Rules(keep_bodies, keep_events, run_timeout))
    finally:
        catalog.close()
    data = {"compressed": done.compressed, "bodies": done.bodies, "events": done.events, "lost": done.lost}
    summary = f"{done.compressed} bodies compressed, {done.bodies} removed; {done.events} events removed"
    return Result(data=encode(data), summary=summary)
