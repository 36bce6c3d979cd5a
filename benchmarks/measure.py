"""Costs of processes, compared so that a busy machine bends neither side.

What counts is CPU time, of the process and of all that it waited for: waiting for a processor costs none. What is
compared is run turn by turn, and each round gives one ratio; the median of the rounds is the answer.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

ROUNDS = 5
STREAMT = (sys.executable, "-m", "streamt")
T = TypeVar("T")
# An installed program has its bytecode, whatever this process does with its own.
_LEFT_OUT = ("PYTHONDONTWRITEBYTECODE", "STREAMT_NO_CACHE", "STREAMT_CACHE_DIR")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run cost.

    Attributes:
        cpu: seconds of processor time, in the process and in the system for it.
        wall: seconds by the clock.
        peak: MiB of memory at most.
    """

    cpu: float
    wall: float
    peak: float = 0.0


def process(*command: str, cache: Path | None = None) -> Cost:
    """Run a command to its end, its output thrown away.

    Args:
        command: the program and its arguments.
        cache: the folder of what earlier runs read; without one, nothing is kept.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    start = time.perf_counter()
    # Not `subprocess.run`: it would wait for the process itself, and lose what it cost.
    environ = {key: value for key, value in os.environ.items() if key not in _LEFT_OUT}
    environ |= {"STREAMT_NO_CACHE": "1"} if cache is None else {"STREAMT_CACHE_DIR": str(cache)}
    running = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise subprocess.CalledProcessError(running.returncode, command)
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1024)


def interleaved(tasks: Mapping[T, Callable[[], Cost]], rounds: int) -> dict[T, list[Cost]]:
    """Run all tasks in turn, again and again."""
    costs: dict[T, list[Cost]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            costs[name].append(task())
    return costs


def ratio(costs: Sequence[Cost], references: Sequence[Cost]) -> float:
    """Return how much more CPU time the one took than the other: the median over the rounds."""
    return statistics.median(cost.cpu / reference.cpu for cost, reference in zip(costs, references, strict=True))


def typical(costs: Sequence[Cost]) -> Cost:
    """Return the median of each cost."""
    return Cost(*(statistics.median(getattr(cost, part) for cost in costs) for part in ("cpu", "wall", "peak")))
