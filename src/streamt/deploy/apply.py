"""Applying a plan: everything is checked before the operation begins, and everything is recorded once it has."""

import getpass
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, Protocol
from uuid import uuid4

from streamt.deploy.execute import ActionReport, Adapters, Executor, Progress, Stop
from streamt.deploy.gate import Permissions, check_confirmation, check_permissions
from streamt.deploy.intend import intended_actions
from streamt.deploy.plan import Plan, Planned, Scope, check_header, check_same, make_plan, plan_digest
from streamt.deploy.recover import close_abandoned, refuse_unrecovered
from streamt.deploy.state import (
    DurableOperation,
    Holder,
    Intention,
    Session,
    Snapshot,
    Store,
    Word,
)
from streamt.deploy.times import utc_now
from streamt.diagnostics import Code, Diagnostic, StreamtError

Status = Literal["committed", "failed", "interrupted", "unknown", "dry_run"]


class Watcher(Progress, Protocol):
    """Is told how an apply goes."""

    def planned(self, plan: Plan) -> None:
        """Take note of the plan that is about to be executed, before anything is asked for it."""
        ...

    def begun(self, operation: str, started_at: datetime) -> None:
        """Take note that the operation is durable, and that nothing was called yet."""
        ...


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked for.

    Attributes:
        scope: the project and the state as they were read without a lock.
        store: where the state is.
        saved: the plan of a file; None for a plan made now.
        shown: the plan that somebody has looked at and confirmed; None if nobody has.
        permissions: what the caller gave.
        wait: seconds in which an unknown outcome is asked about.
        lock_wait: seconds to wait for the lock.
        keep_going: whether a failure leaves alone what does not depend on it.
        remember_secrets: whether a new state remembers HMACs of secrets.
        operation_id: the id that the operation will have.
    """

    scope: Scope
    store: Store
    saved: Plan | None = None
    shown: Plan | None = None
    permissions: Permissions = field(default_factory=Permissions)
    wait: float = 30.0
    lock_wait: float = 30.0
    keep_going: bool = False
    remember_secrets: bool = True
    operation_id: str = field(default_factory=lambda: str(uuid4()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What became of an operation.

    Attributes:
        operation_id: its id.
        status: how it ended.
        committed: whether the state says so; None if nobody knows.
        serial: the state's serial afterwards, as far as it is known.
        actions: what became of each action.
        next: what to do now, sentences.
        recovery_required: whether the operation is still open.
        errors: what went wrong.
    """

    operation_id: str | None
    status: Status
    committed: bool | None
    serial: int | None
    actions: tuple[ActionReport, ...] = ()
    next: tuple[str, ...] = ()
    recovery_required: bool = False
    errors: tuple[Diagnostic, ...] = ()


def actor() -> str:
    """Return who does something, for people: `user@host`."""
    user = "unknown"
    with suppress(OSError, KeyError):
        user = getpass.getuser()
    return f"{user}@{socket.gethostname()}"


def check_store(scope: Scope, store: Store) -> tuple[Diagnostic, ...]:
    """Return the warning of a state that only this machine sees, where it should be one that everybody sees.

    Raises:
        StreamtError: E551, the environment demands a remote state.
    """
    if not store.is_local:
        return ()
    hint = "keep it in PostgreSQL: `deployment_state: {backend: postgres, url: ...}`"
    message = "the state of this environment is a file of this machine"
    if scope.policy.remote_state:
        raise StreamtError(Diagnostic(code=Code.STATE_UNAVAILABLE, message=f"{message}, and must not be", hint=hint))
    if scope.policy.protected:
        return (Diagnostic(code=Code.LOCAL_STATE, message=message, hint=hint),)
    return ()


def precheck(request: Request, now: Callable[[], datetime] = utc_now) -> None:
    """Check what can be checked of a saved plan before anything is asked of a provider or of a person.

    Raises:
        StreamtError: E540 to E546, E551.
    """
    check_store(request.scope, request.store)
    if request.saved is not None:
        check_header(request.saved, request.scope, now())
        check_permissions(request.saved, request.scope.policy, request.permissions)


def apply(request: Request, watcher: Watcher, stop: Stop, now: Callable[[], datetime] = utc_now) -> Report:
    """Execute a plan, all of it under the lock of the state.

    Args:
        request: what is asked for.
        watcher: is told how it goes.
        stop: says when no further step may begin.
        now: gives the time.

    Returns:
        What became of the operation, once it has begun.

    Raises:
        StreamtError: E540 to E563: nothing has begun, and nothing was changed.
    """
    precheck(request, now)
    report: Report | None = None
    try:
        with request.store.lock(Holder.here("apply"), request.lock_wait) as session:
            report = _locked(request, session, watcher, stop, now)
    except StreamtError as error:
        if report is None:
            raise
        return replace(report, errors=(*report.errors, *error.diagnostics))  # E557: the state is as it should be
    return report


def _locked(request: Request, session: Session, watcher: Watcher, stop: Stop, now: Callable[[], datetime]) -> Report:
    scope, planned = _decided(request, session, watcher, now)
    if scope.snapshot.document is None:
        session.initialize(remember_secrets=request.remember_secrets)
        scope = replace(scope, snapshot=session.read())
    intention = Intention(
        kind="apply",
        actor=actor(),
        actions=intended_actions(planned, scope, request.operation_id, now()),
        plan_digest=plan_digest(request.saved or planned.plan),
        operation_id=request.operation_id,
    )
    operation = DurableOperation.begin(session, scope.snapshot, intention, now)
    watcher.begun(operation.id, operation.started_at)
    return _executed(request, _Prepared(scope, planned, operation), watcher, stop)


def _decided(
    request: Request, session: Session, watcher: Watcher, now: Callable[[], datetime]
) -> tuple[Scope, Planned]:
    """Make the plan under the lock, and check that it is the one that was reviewed or confirmed, and permitted."""
    snapshot = usable(session, now)
    scope = replace(request.scope, snapshot=snapshot)
    if request.saved is not None:
        check_header(request.saved, scope, now())
    planned = make_plan(scope, now)
    before = request.saved or request.shown
    if before is not None:
        check_same(before, planned.plan)
    else:
        watcher.planned(planned.plan)
    check_permissions(planned.plan, scope.policy, request.permissions)
    check_confirmation(planned.plan, request.permissions)
    return scope, planned


def usable(session: Session, now: Callable[[], datetime] = utc_now) -> Snapshot:
    """Return the state under the lock, after closing what a crash left undone before it called anybody.

    Raises:
        StreamtError: E555, an operation is open; E550, the state was migrated.
    """
    snapshot = session.read()
    refuse_unrecovered(snapshot)
    return close_abandoned(session, snapshot, now)


def _executed(request: Request, prepared: "_Prepared", watcher: Watcher, stop: Stop) -> Report:
    reports: list[ActionReport] = []
    try:
        with Adapters(prepared.scope.providers) as adapters:
            executor = Executor(
                operation=prepared.operation,
                adapters=adapters,
                targets={each.address: each for each in prepared.scope.targets},
                stop=stop,
                progress=watcher,
                wait=request.wait,
                keep_going=request.keep_going,
            )
            reports.extend(executor.run(prepared.planned.plan.actions))
        return _closed(prepared.operation, tuple(reports), stop)
    except StreamtError as error:
        is_unknown = any(each.code is Code.OUTCOME_UNKNOWN for each in error.diagnostics)
        committed = None if is_unknown else False
        return _left_open(prepared.operation, reports, "unknown", error.diagnostics, committed=committed)
    except Exception as error:  # noqa: BLE001 - a bug of ours must not look as if nothing had begun
        wrong = Diagnostic(code=Code.INTERNAL_ERROR, message=f"streamt itself failed ({type(error).__name__})")
        return _left_open(prepared.operation, reports, "unknown", (wrong,), committed=False)
    except (KeyboardInterrupt, SystemExit):  # the second signal: everything stops at once
        return _left_open(prepared.operation, reports, "interrupted", (), committed=False)


def _closed(operation: DurableOperation, reports: tuple[ActionReport, ...], stop: Stop) -> Report:
    """Close an operation whose every outcome is known."""
    unknown = [each for each in reports if each.result == "unknown"]
    if unknown:
        return _left_open(operation, reports, "unknown", tuple(map(_unknown, unknown)), committed=False)
    failed = tuple(each for each in reports if each.result == "failed")
    word, status = _end(is_stopped=stop.is_requested, has_failed=bool(failed))
    errors = tuple(_with_address(each, each.error) for each in failed if each.error)
    reason = errors[0].code.value if errors else None
    version = operation.close(word, [each.result for each in reports], reason=reason)
    return Report(
        operation_id=operation.id,
        status=status,
        committed=word is Word.COMMIT,
        serial=version.serial,
        actions=reports,
        next=() if word is Word.COMMIT else ("`streamt plan` shows what is left",),
        errors=errors,
    )


def _end(*, is_stopped: bool, has_failed: bool) -> tuple[Word, Status]:
    if is_stopped:
        return Word.INTERRUPTED, "interrupted"
    return (Word.FAIL, "failed") if has_failed else (Word.COMMIT, "committed")


def _left_open(
    operation: DurableOperation,
    reports: Sequence[ActionReport],
    status: Status,
    errors: tuple[Diagnostic, ...],
    *,
    committed: bool | None,
) -> Report:
    """Report an operation that only recovery may close."""
    return Report(
        operation_id=operation.id,
        status=status,
        committed=committed,
        serial=None,
        actions=tuple(reports),
        next=("`streamt state recover` asks the providers what happened, and closes the operation",),
        recovery_required=True,
        errors=errors,
    )


def _unknown(report: ActionReport) -> Diagnostic:
    why = f": {report.error.message}" if report.error else ""
    message = f"{report.address}: whether the call happened is not known{why}"
    hint = "run `streamt state recover`"
    return Diagnostic(code=Code.OUTCOME_UNKNOWN, message=message, hint=hint)


def _with_address(report: ActionReport, error: Diagnostic) -> Diagnostic:
    return replace(error, message=f"{report.address}: {error.message}")


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What has begun."""

    scope: Scope
    planned: Planned
    operation: DurableOperation
