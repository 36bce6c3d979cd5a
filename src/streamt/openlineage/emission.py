"""Delivery of one run's events: prepared before anything happens, best effort once it does.

Source: the specification's section "Failure policy".
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from streamt.diagnostics import Code, Diagnostic, Option
from streamt.openlineage.models import RunEvent
from streamt.openlineage.runs import CommandRun, Outcome, start_event, terminal_event
from streamt.openlineage.transport import DeliveryError, Transport
from streamt.openlineage.validation import Checker

LOCATION = Option("emit_openlineage")


def utc_now() -> datetime:
    """Give the time, aware, in UTC."""
    return datetime.now(UTC)


class RunEmitter:
    """Tells a backend of one run: START, then one end; what goes wrong with that is a warning and no more."""

    def __init__(self, run: CommandRun, transport: Transport, now: Callable[[], datetime] = utc_now) -> None:
        """Rehearse every event that the run can have, so that nothing but delivery can fail later.

        Args:
            run: the run; its events are built from it alone.
            transport: open; `close` closes it.
            now: gives an aware time.

        Raises:
            StreamtError: E506, an event of this run would not be valid.
        """
        self._run = run
        self._transport = transport
        self._now = now
        self._started_at: datetime | None = None
        self._warnings: list[Diagnostic] = []
        self._checker = Checker()
        self._rehearse(now())

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What was not delivered, so far."""
        return tuple(self._warnings)

    def start(self, started_at: datetime | None = None) -> None:
        """Tell that the run begins.

        Args:
            started_at: when it began, where that is on record; by default now, immediately before it does.
        """
        self._started_at = started_at or self._now()
        self._deliver(start_event(self._run, self._started_at))

    def finish(self, outcome: Outcome, message: str = "") -> None:
        """Tell how the run ended, whatever became of START.

        The command's own result stands by now, so even an interrupt ends nothing but this delivery.

        Args:
            outcome: how it ended.
            message: for FAIL: what happened, without any detail of an assertion or a record.
        """
        ended_at = max(self._now(), self._started_at or datetime.min.replace(tzinfo=UTC))  # clocks can be set back
        with suppress(KeyboardInterrupt, SystemExit):
            self._deliver(terminal_event(self._run, outcome, ended_at, message))

    def close(self) -> None:
        """Close the transport."""
        self._transport.close()

    def _deliver(self, event: RunEvent) -> None:
        try:
            line = event.to_json()
            self._checker.check(line, LOCATION)
            self._transport.emit(line)
        except DeliveryError as error:
            self._warn(event.event_type, str(error))
        except (KeyboardInterrupt, SystemExit):
            self._warn(event.event_type, "interrupted")
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it must not change what the command does
            self._warn(event.event_type, type(error).__name__)

    def _warn(self, event_type: str | None, reason: str) -> None:
        message = f"the {event_type} event of this run was not delivered: {reason}"
        self._warnings.append(Diagnostic(code=Code.EMIT_FAILED, message=message, location=LOCATION))

    def _rehearse(self, time: datetime) -> None:
        start = start_event(self._run, time).to_json()
        for outcome in Outcome:
            self._checker.check_run([start, terminal_event(self._run, outcome, time).to_json()], LOCATION)
