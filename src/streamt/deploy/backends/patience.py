"""Asking again whether a call happened, before it is said that it did not."""

import time
from collections.abc import Callable

from streamt.deploy.backend import Answer, Happened

_PAUSE_SECONDS = 0.25


def ask_again(ask: Callable[[], Answer], seconds: float) -> Answer:
    """Return the answer as soon as it is "done", else the last one: what was accepted may not show at once.

    Args:
        ask: asks the provider.
        seconds: how long "not done" is not believed.
    """
    until = time.monotonic() + seconds
    while (answer := ask()).happened is not Happened.DONE and time.monotonic() < until:
        time.sleep(_PAUSE_SECONDS)
    return answer
