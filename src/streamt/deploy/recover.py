"""After a crash: what an open operation did, told by its journal and by the providers, and closing it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Literal

from streamt.deploy.artifact import Address, Artifact, Declaration
from streamt.deploy.backend import Answer, Happened, Observer, ProviderId, Providers, Target, Verb
from streamt.deploy.execute import INCOMPLETE
from streamt.deploy.plan.look import Look, cluster_key
from streamt.deploy.state import (
    ActionResult,
    DurableOperation,
    Finished,
    Holder,
    IntendedAction,
    Operation,
    RecordedStep,
    Session,
    Snapshot,
    StateVersion,
    Store,
    Word,
)
from streamt.deploy.times import utc_now
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError

Assumption = Literal["done", "undone"]


class Verdict(StrEnum):
    """What became of an action."""

    DONE = "done"
    INCOMPLETE = "incomplete"
    UNDONE = "not done"
    CANNOT_TELL = "cannot tell"


_RESULTS: Mapping[Verdict, ActionResult] = {
    Verdict.DONE: "applied",
    Verdict.INCOMPLETE: "failed",
    Verdict.UNDONE: "skipped",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Classified:
    """An action of an open operation, and what became of it.

    Attributes:
        action: as it was intended.
        verdict: what became of it.
        reason: how that is known, or why it is not; a sentence for people.
        provider_id: for what was done, what the provider knows it by.
        is_recorded: whether the journal says so itself.
    """

    action: IntendedAction
    verdict: Verdict
    reason: str
    provider_id: ProviderId = field(default_factory=dict)
    is_recorded: bool = False


def refuse_moved(snapshot: Snapshot) -> None:
    """Refuse a state that was migrated to another place.

    Raises:
        StreamtError: E550.
    """
    if snapshot.document is not None and snapshot.document.moved_to is not None:
        message = f"the state was migrated to {snapshot.document.moved_to}, and is no longer used here"
        hint = "use `deployment_state` of the place that it was migrated to"
        raise StreamtError(Diagnostic(code=Code.STATE_INVALID, message=message, hint=hint))


def refuse_unrecovered(snapshot: Snapshot) -> None:
    """Refuse to go on beside an operation that may have changed something, or with a state that was migrated.

    Raises:
        StreamtError: E555; E550, the state was migrated.
    """
    refuse_moved(snapshot)
    operation = snapshot.unrecovered
    if operation is not None:
        message = (
            f"operation {operation.id} (`{operation.kind}` by {operation.actor}, "
            f"{operation.started_at:%Y-%m-%d %H:%M:%S} UTC) is not finished"
        )
        hint = "wait if it still runs (`streamt state status` says so); else run `streamt state recover`"
        raise StreamtError(Diagnostic(code=Code.RECOVERY_REQUIRED, message=message, hint=hint))


def close_abandoned(session: Session, snapshot: Snapshot, now: Callable[[], datetime] = utc_now) -> Snapshot:
    """Close what a crash left before it called anybody, or after it had written the state; return the state then.

    Raises:
        StreamtError: E551, E553 or E554.
    """
    operation = snapshot.journal
    if operation is None:
        return snapshot
    word = Word.COMMIT if snapshot.is_written else Word.ABANDONED
    results: list[ActionResult] = [
        "applied" if index in operation.applied else "skipped" for index in range(len(operation.actions))
    ]
    DurableOperation.resume(session, snapshot, now).close(word, results, reason="crash")
    return session.read()


def classify(snapshot: Snapshot, providers: Providers) -> tuple[Classified, ...]:
    """Return what became of each action of the open operation, asking the providers where the journal cannot tell."""
    operation = snapshot.unrecovered
    if operation is None:
        return ()
    with Look(providers, {}) as look:
        return tuple(
            _classified(index, action, operation, _Asking(snapshot, look, providers))
            for index, action in enumerate(operation.actions)
        )


def _classified(index: int, action: IntendedAction, operation: Operation, asking: "_Asking") -> Classified:
    step = operation.last_step(index)
    if index in operation.applied:
        condition = operation.applied[index].body["condition"]
        verdict = Verdict.INCOMPLETE if condition == INCOMPLETE else Verdict.DONE
        return Classified(action=action, verdict=verdict, reason="The journal says so.", is_recorded=True)
    if step is None:
        return Classified(action=action, verdict=Verdict.UNDONE, reason="No call of it was begun.")
    if step.result is Word.DONE:
        reason = "The journal has the result of its last call."
        return _after(action, step, Answer(happened=Happened.DONE, provider_id=step.provider_id, reason=reason))
    if step.result is Word.REFUSED:
        return _after(action, step, Answer(happened=Happened.UNDONE, reason="The provider refused the call."))
    return _after(action, step, asking.ask(action, step))


def _after(action: IntendedAction, step: RecordedStep, answer: Answer) -> Classified:
    """Say what became of an action whose last call is `step`, which happened or not."""
    if answer.happened is Happened.CANNOT_TELL:
        return Classified(action=action, verdict=Verdict.CANNOT_TELL, reason=answer.reason)
    done = step.number + (1 if answer.happened is Happened.DONE else 0)
    if done >= action.steps:
        return Classified(action=action, verdict=Verdict.DONE, reason=answer.reason, provider_id=answer.provider_id)
    verdict = Verdict.INCOMPLETE if done and action.verb is not Verb.DELETE else Verdict.UNDONE
    return Classified(action=action, verdict=verdict, reason=answer.reason, provider_id=answer.provider_id)


@dataclass(frozen=True, slots=True)
class _Asking:
    """Asks a provider about a recorded call."""

    snapshot: Snapshot
    look: Look
    providers: Providers

    def ask(self, action: IntendedAction, step: RecordedStep) -> Answer:
        target = self._target(action)
        if target.address.kind not in self.providers:
            return Answer(happened=Happened.CANNOT_TELL, reason="This kind of resource cannot be asked about here.")
        try:
            observer: Observer = self.look.observer(cluster_key(target))
            return observer.ask(step.step, target)
        except StreamtError as error:
            return Answer(happened=Happened.CANNOT_TELL, reason=error.messages)

    def _target(self, action: IntendedAction) -> Target:
        committed = self.snapshot.document.resources if self.snapshot.document else {}
        applied, resource = committed.get(action.source or action.address), action.resource
        known = resource or applied
        artifact = None
        if resource is not None:
            artifact = Artifact(
                address=action.address,
                name=action.name,
                cluster=resource.cluster,
                content=resource.content,
                declaration=Declaration(kind="model", name=action.address.name),
                ownership=resource.ownership,
                protect=resource.protect,
                depends_on=resource.depends_on,
            )
        cluster = known.cluster if known else None
        return Target(address=action.address, name=action.name, cluster=cluster, artifact=artifact, applied=applied)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """What a recovery did.

    Attributes:
        operation_id: the operation that it closed; None if none was open.
        actions: what became of each action.
        version: the state afterwards.
    """

    operation_id: str | None
    actions: tuple[Classified, ...]
    version: StateVersion | None


def recover(
    store: Store,
    providers: Providers,
    assumptions: Mapping[Address, Assumption],
    who: str,
    lock_wait: float = 30.0,
) -> Recovery:
    """Write what the open operation did into state, and close it; no provider is changed.

    Args:
        store: where the state is.
        providers: can be asked.
        assumptions: what somebody says of the actions that nobody can tell about.
        who: who says so, and closes the operation.
        lock_wait: seconds to wait for the lock.

    Raises:
        StreamtError: E555, it cannot be told what became of an action; E550 to E554.
    """
    with store.lock(Holder.here("state-recover"), lock_wait) as session:
        snapshot = session.read()
        if snapshot.unrecovered is None:
            snapshot = close_abandoned(session, snapshot)
            return Recovery(operation_id=None, actions=(), version=snapshot.version)
        actions = assumed(classify(snapshot, providers), assumptions)
        version = _close(DurableOperation.resume(session, snapshot), actions, assumptions, who)
        return Recovery(operation_id=snapshot.unrecovered.id, actions=actions, version=version)


def assumed(actions: tuple[Classified, ...], assumptions: Mapping[Address, Assumption]) -> tuple[Classified, ...]:
    """Return the actions with what somebody says of those that nobody can tell about.

    Raises:
        StreamtError: E555, one of them is still open; E500, one that is known needs no assumption.
    """
    unknown = {each.action.address for each in actions if each.verdict is Verdict.CANNOT_TELL}
    needless = [address for address in assumptions if address not in unknown]
    if needless:
        message = f"nothing must be assumed of {needless[0]}: what became of it is known, or it is no part of this"
        raise StreamtError(Diagnostic(code=Code.USAGE_ERROR, message=message, location=Option("assume")))
    missing = sorted(unknown - assumptions.keys())
    if missing:
        raise StreamtError(*map(_undecided, missing))
    return tuple(_with_assumption(each, assumptions.get(each.action.address)) for each in actions)


def _undecided(address: Address) -> Diagnostic:
    message = f"what became of {address} cannot be told"
    hint = f"look at it, then give `--assume {address}=done` or `--assume {address}=undone`"
    return Diagnostic(code=Code.RECOVERY_REQUIRED, message=message, location=Option("assume"), hint=hint)


def _with_assumption(each: Classified, assumption: Assumption | None) -> Classified:
    if assumption is None:
        return each
    verdict = Verdict.DONE if assumption == "done" else Verdict.UNDONE
    return replace(each, verdict=verdict, reason=f"Assumed to be {assumption}.")


def _close(
    operation: DurableOperation,
    actions: tuple[Classified, ...],
    assumptions: Mapping[Address, Assumption],
    who: str,
) -> StateVersion:
    for index, each in enumerate(actions):
        if each.is_recorded or each.verdict is Verdict.UNDONE:
            continue
        condition = INCOMPLETE if each.verdict is Verdict.INCOMPLETE else None
        operation.finish(index, Finished(provider_id=each.provider_id, condition=condition))
    results = [_RESULTS[each.verdict] for each in actions]
    said = {str(address): word for address, word in assumptions.items()}
    return operation.close(Word.RECOVERED, results, reason="crash", assumed=said, actor=who)
