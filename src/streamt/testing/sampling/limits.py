"""Limits that the operating system keeps: on memory, on the stack, and on processor time.

Linux counts in RLIMIT_DATA what a process has written to memory of its own, and in RLIMIT_AS also what it only
reserved, of which every thread has plenty; so the first is set. Other systems may keep neither.
"""

import resource
import sys
from contextlib import suppress
from pathlib import Path

MIB = 1024 * 1024
# What a sample may take, beside what the process has when it begins.
MEMORY_GIB = 3
STACK_BYTES = 8 * MIB
# Calls of Python within each other: a schema that follows records a hundred levels down needs some thousands.
CALLS = 5_000
# The place of what RLIMIT_DATA counts in `/proc/self/statm`.
_DATA_PAGES = 5


def limit_memory(more: int) -> None:
    """Let this process take so many bytes beside those that it has, where the system tells how many these are."""
    with suppress(OSError, IndexError, ValueError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[_DATA_PAGES])
        _lower(resource.RLIMIT_DATA, pages * resource.getpagesize() + more)


def limit_stack() -> None:
    """Bound the stack, whatever the shell allows, and Python's calls within it."""
    _lower(resource.RLIMIT_STACK, STACK_BYTES)
    sys.setrecursionlimit(CALLS)


def limit_processor_time(seconds: float) -> None:
    """Let the system end this process after so many more seconds of processor time: nobody may be left to do it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + seconds) + 1)


def forbid_core_dumps() -> None:
    """Write nothing of the memory to disk when this process crashes: it holds records."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _lower(kind: int, value: int) -> None:
    """Set the soft limit, and leave the hard one, so that the next job can have another."""
    _soft, hard = resource.getrlimit(kind)
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
