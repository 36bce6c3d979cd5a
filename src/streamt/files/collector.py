"""Python's garbage collector, switched for a while."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def garbage_collector(*, on: bool) -> Iterator[None]:
    """Switch the collector on or off for the enclosed step, and leave it as it was."""
    was_on = gc.isenabled()
    (gc.enable if on else gc.disable)()
    try:
        yield
    finally:
        (gc.enable if was_on else gc.disable)()
