"""What a scheduler calls, and the emitter that does nothing."""

from typing import Protocol, runtime_checkable

from streamt.emitter.values import Outcome, Run, Task, TaskState


@runtime_checkable
class LineageEmitter(Protocol):
    """Tells a catalog of runs and tasks. No method of it raises, waits for a catalog, or changes what it is given."""

    def run_started(self, run: Run) -> None:
        """Tell that `run` began."""

    def run_finished(self, run: Run, outcome: Outcome, error: str = "") -> None:
        """Tell how `run` ended.

        Args:
            run: the run, with the same ids as at its start.
            outcome: how it ended.
            error: for FAIL: what happened. It is shortened, and what looks like a secret is masked.
        """

    def task_changed(self, task: Task, from_state: TaskState | None, to_state: TaskState, error: str = "") -> None:
        """Tell that `task` went from one state to another; changes that mean nothing to a catalog tell nothing."""

    def close(self, timeout: float | None = None) -> bool:
        """Deliver what waits, for at most `timeout` seconds; what is left is dropped and counted.

        Returns:
            Whether everything was delivered, or failed, in time.
        """


class NullEmitter:
    """Does nothing: the default."""

    __slots__ = ()

    def run_started(self, run: Run) -> None:
        """Do nothing."""

    def run_finished(self, run: Run, outcome: Outcome, error: str = "") -> None:
        """Do nothing."""

    def task_changed(self, task: Task, from_state: TaskState | None, to_state: TaskState, error: str = "") -> None:
        """Do nothing."""

    def close(self, timeout: float | None = None) -> bool:  # noqa: ARG002 - the protocol's
        """Do nothing, in time."""
        return True
