"""Executing a plan's actions: an intent before each call, a result after it, and nothing after a doubt."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Protocol, Self

from streamt.deploy.artifact import Address
from streamt.deploy.backend import (
    Adapter,
    Answer,
    Happened,
    Outcome,
    ProviderId,
    Providers,
    Step,
    StepResult,
    Target,
    Verb,
)
from streamt.deploy.plan import Action
from streamt.deploy.plan.look import ClusterKey, cluster_key
from streamt.deploy.state import ActionResult, DurableOperation, Finished
from streamt.diagnostics import Code, Diagnostic

INCOMPLETE = "incomplete"
"""The condition of a resource of which some steps were done, and the rest were refused or not begun."""

_TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionReport:
    """What became of an action.

    Attributes:
        address: the resource.
        verb: what was to be done.
        result: what became of it.
        provider_id: what the provider knows it by now.
        error: why it failed, or is not known.
    """

    address: Address
    verb: Verb
    result: ActionResult
    provider_id: ProviderId = field(default_factory=dict)
    error: Diagnostic | None = None


class Stop(Protocol):
    """Says whether somebody asked to stop."""

    @property
    def is_requested(self) -> bool:
        """Report whether no further step may begin."""
        ...


class Progress(Protocol):
    """Is told of each action, for people who wait."""

    def acting(self, index: int, action: Action) -> None:
        """Take note that an action begins."""
        ...

    def acted(self, index: int, report: ActionReport) -> None:
        """Take note of what became of an action."""
        ...


class Adapters:
    """Adapters of all providers, each opened when it is first needed."""

    def __init__(self, providers: Providers) -> None:
        self._providers = providers
        self._stack = ExitStack()
        self._adapters: dict[ClusterKey, Adapter] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._stack.close()

    def of(self, target: Target) -> Adapter:
        """Return the adapter of the cluster that holds a target."""
        key = cluster_key(target)
        if key not in self._adapters:
            kind, alias = key
            self._adapters[key] = self._stack.enter_context(self._providers[kind].adapter(alias))
        return self._adapters[key]


@dataclass(frozen=True, slots=True, kw_only=True)
class Executor:
    """Executes actions in order.

    Attributes:
        operation: writes the journal.
        adapters: call the providers.
        targets: the resources, by address.
        stop: says when no further step may begin.
        progress: is told.
        wait: seconds in which an unknown outcome is asked about.
        keep_going: whether a failure leaves alone what does not depend on it.
        pause: waits so many seconds.
    """

    operation: DurableOperation
    adapters: Adapters
    targets: Mapping[Address, Target]
    stop: Stop
    progress: Progress
    wait: float
    keep_going: bool = False
    pause: Callable[[float], None] = time.sleep

    def run(self, actions: Sequence[Action]) -> Iterator[ActionReport]:
        """Execute the actions one after the other, and yield what became of each.

        Raises:
            StreamtError: E551 or E553, the journal cannot be written; no provider was called after that.
        """
        missing: set[Address] = set()
        halted = False
        for index, action in enumerate(actions):
            if halted or _waits_for(action, missing) or self.stop.is_requested:
                report = ActionReport(address=action.address, verb=action.verb, result="skipped")
            else:
                self.progress.acting(index, action)
                report = self._perform(index, action)
            self.progress.acted(index, report)
            if report.result != "applied":
                missing.add(action.address)
                halted = halted or report.result == "unknown" or not self.keep_going
            yield report

    def _perform(self, index: int, action: Action) -> ActionReport:
        target = self.targets[action.address]
        known: dict[str, str | int] = {}
        for number, step in enumerate(action.steps):
            if number and self.stop.is_requested:
                return self._left(index, action, known, None)
            self.operation.intend(index, number, step)
            result = self._decided(self._call(target, step), target, step)
            known |= result.provider_id
            is_last = number == len(action.steps) - 1 and result.outcome is Outcome.DONE
            self.operation.record(index, number, result, Finished(provider_id=known) if is_last else None)
            if result.outcome is not Outcome.DONE:
                return self._stopped(index, action, result, known if number else None)
        if not action.steps:
            self.operation.finish(index, Finished(provider_id={}))
        return ActionReport(address=action.address, verb=action.verb, result="applied", provider_id=known)

    def _call(self, target: Target, step: Step) -> StepResult:
        try:
            return self.adapters.of(target).execute(step)
        except Exception as error:  # noqa: BLE001 - the request may be out; whatever failed, only asking can tell
            message = f"the call could not be followed to its end ({type(error).__name__})"
            unknown = Diagnostic(code=Code.PROVIDER_UNREACHABLE, message=message)
            return StepResult(outcome=Outcome.UNKNOWN, error=unknown)

    def _decided(self, result: StepResult, target: Target, step: Step) -> StepResult:
        """Ask the provider about an outcome that is not known, a few times, growing more patient."""
        if result.outcome is not Outcome.UNKNOWN:
            return result
        bare = replace(step, payload={})
        for attempt in range(_TRIES):
            answer = self._asked(target, bare)
            if answer.happened is Happened.DONE:
                return StepResult(outcome=Outcome.DONE, provider_id=answer.provider_id)
            if answer.happened is Happened.UNDONE:
                return replace(result, outcome=Outcome.REFUSED)
            if attempt < _TRIES - 1:
                self.pause(self.wait * (attempt + 1) / _TRIES / 2)
        return result

    def _asked(self, target: Target, step: Step) -> Answer:
        try:
            return self.adapters.of(target).ask(step, target)
        except Exception as error:  # noqa: BLE001 - an answer that does not come decides nothing
            return Answer(happened=Happened.CANNOT_TELL, reason=type(error).__name__)

    def _stopped(self, index: int, action: Action, result: StepResult, known: ProviderId | None) -> ActionReport:
        """Report an action that did not come to its end; `known` is what its earlier steps left."""
        if result.outcome is Outcome.UNKNOWN:
            return ActionReport(address=action.address, verb=action.verb, result="unknown", error=result.error)
        if known is None:
            return ActionReport(address=action.address, verb=action.verb, result="failed", error=result.error)
        return self._left(index, action, known, result.error)

    def _left(self, index: int, action: Action, known: ProviderId, error: Diagnostic | None) -> ActionReport:
        """Keep in state what the first steps of an action made, so that the next plan can finish it."""
        if action.verb is not Verb.DELETE:
            self.operation.finish(index, Finished(provider_id=known, condition=INCOMPLETE))
        report = ActionReport(address=action.address, verb=action.verb, result="failed", provider_id=known)
        return replace(report, error=error)


def _waits_for(action: Action, missing: set[Address]) -> bool:
    """Report whether something is missing that an action needs: what it depends on, or a topic's own schema."""
    return any(each in action.depends_on or each.name == action.address.name for each in missing)
