"""What `streamt test` does: it reads records, judges them, and says what it found.

The names of the face are loaded when they are asked for: the worker process that decodes records is a part of this
package too, and must start without what only the command needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streamt.testing.continuous import continuous_job_name
    from streamt.testing.findings import diagnose
    from streamt.testing.listener import Listener
    from streamt.testing.results import AssertionResult, Counts, RecordPosition, Status, TestResult, Verdict
    from streamt.testing.runner import RunObserver, run_observed, run_tests
    from streamt.testing.selection import Covered, Selected, consumed_topics, coverage, select_tests

__all__ = [
    "AssertionResult",
    "Counts",
    "Covered",
    "Listener",
    "RecordPosition",
    "RunObserver",
    "Selected",
    "Status",
    "TestResult",
    "Verdict",
    "consumed_topics",
    "continuous_job_name",
    "coverage",
    "diagnose",
    "run_observed",
    "run_tests",
    "select_tests",
]

_HOMES = {
    "continuous": ("continuous_job_name",),
    "findings": ("diagnose",),
    "listener": ("Listener",),
    "results": ("AssertionResult", "Counts", "RecordPosition", "Status", "TestResult", "Verdict"),
    "runner": ("RunObserver", "run_observed", "run_tests"),
    "selection": ("Covered", "Selected", "consumed_topics", "coverage", "select_tests"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
