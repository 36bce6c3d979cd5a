"""Signals during an apply: the first asks to stop after the call at hand, the second stops at once."""

import signal
from contextlib import suppress
from types import FrameType
from typing import Any, Self

import click

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class StopRequests:
    """Says whether somebody asked to stop; until it is armed, a signal stops at once as always."""

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._is_armed = False
        self._signal: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._handle) for number in _SIGNALS}
        return self

    def __exit__(self, *_error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def is_requested(self) -> bool:
        """Report whether no further step may begin."""
        return self._signal is not None

    @property
    def status(self) -> int:
        """The exit status of a program that a signal stopped."""
        return 128 + (self._signal or signal.SIGINT)

    def arm(self) -> None:
        """From now on, let the first signal be a request."""
        self._is_armed = True

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self._is_armed and self._signal is None:
            self._signal = number
            if not self._is_quiet:
                with suppress(OSError):
                    click.echo("stopping after the call at hand; once more stops at once", err=True)
            return
        self._signal = self._signal or number
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)
