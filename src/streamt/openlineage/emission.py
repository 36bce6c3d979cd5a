"""Delivery of one run's events: prepared before anything happens, best effort once it does.

Source: the specification's section "Failure policy".
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import FrameType

from streamt.diagnostics import Code, Diagnostic, Option
from streamt.openlineage.models import RunEvent
from streamt.openlineage.runs import CommandRun, Outcome, start_event, terminal_event
from streamt.openlineage.transport import DeliveryError, Transport
from streamt.openlineage.validation import Checker

LOCATION = Option("emit_openlineage")
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


@contextmanager
def stopping_later() -> Iterator[None]:
    """Let the signals that stop the program take effect when the block has ended; a second one takes effect at once.

    Only what the program handles itself is held back, and only in the main thread, where Python handles signals.
    """
    handlers = {number: signal.getsignal(number) for number in _STOPS} if _in_main_thread() else {}
    own = {number: handler for number, handler in handlers.items() if callable(handler)}
    heard: list[int] = []

    def hold_back(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        if len(heard) > 1:
            own[signal.Signals(number)](number, frame)

    try:
        for number in own:
            signal.signal(number, hold_back)
        yield
    finally:
        for number, handler in own.items():
            signal.signal(number, handler)
    if heard:
        own[signal.Signals(heard[0])](heard[0], None)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


EventForm = Callable[[RunEvent], RunEvent]
"""Writes an event in the form that somebody asked for."""


def utc_now() -> datetime:
    """Return the time, aware, in UTC."""
    return datetime.now(UTC)


class RunEmitter:
    """Tells a backend of one run: START, then one end; what goes wrong with that is a warning and no more."""

    def __init__(
        self,
        run: CommandRun,
        transport: Transport,
        now: Callable[[], datetime] = utc_now,
        form: EventForm = lambda event: event,
    ) -> None:
        """Rehearse every event that the run can have, so that nothing but delivery can fail later.

        Args:
            run: the run; its events are built from it alone.
            transport: open; `close` closes it.
            now: gives an aware time.
            form: writes an event in the form that somebody asked for; by default that of the specification.

        Raises:
            StreamtError: E506, an event of this run would not be valid.
        """
        self._run = run
        self._transport = transport
        self._now = now
        self._form = form
        self._rehearsed: tuple[bytes, ...] = ()
        self._started_at: datetime | None = None
        self._has_ended = False
        self._warnings: list[Diagnostic] = []
        self._checker = Checker()
        self._rehearse(now())

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What was not delivered, so far."""
        return tuple(self._warnings)

    @property
    def rehearsed(self) -> tuple[bytes, ...]:
        """Every event that the run can have, as it would be sent: START, and each of its ends."""
        return self._rehearsed

    def start(self, started_at: datetime | None = None) -> None:
        """Send START: the run begins.

        Args:
            started_at: when it began, where that is on record; by default now, immediately before it does.
        """
        self._started_at = started_at or self._now()
        self._deliver(start_event(self._run, self._started_at))

    def finish(self, outcome: Outcome, message: str = "") -> None:
        """Tell how the run ended, whatever became of START.

        The event is delivered even when the command is told to stop meanwhile; only a second time stops the delivery.

        Args:
            outcome: how it ended.
            message: for FAIL: what happened, without any detail of an assertion or a record.

        Raises:
            KeyboardInterrupt, SystemExit: the command was told to stop while the event was on its way.
        """
        ended_at = max(self._now(), self._started_at or datetime.min.replace(tzinfo=UTC))  # clocks can be set back
        with stopping_later():
            self._has_ended = True
            self._deliver(terminal_event(self._run, outcome, ended_at, message))

    def close(self) -> None:
        """Close the transport; a run that began, and whose end nobody told, was stopped between the two."""
        if self._started_at is not None and not self._has_ended:
            self.finish(Outcome.ABORT)
        self._transport.close()

    def _deliver(self, event: RunEvent) -> None:
        try:
            self._transport.emit(self._checker.write(self._form(event), LOCATION))
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
        start = self._form(start_event(self._run, time)).to_json()
        ends = [self._form(terminal_event(self._run, outcome, time)).to_json() for outcome in Outcome]
        for end in ends:
            self._checker.check_run([start, end], LOCATION)
        self._rehearsed = (start, *ends)
