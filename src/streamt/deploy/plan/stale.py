"""Whether a plan still holds: every reason why not, by address."""

from collections.abc import Iterator
from datetime import datetime

from streamt.deploy.artifact import Address
from streamt.deploy.plan.data import action_data, essence
from streamt.deploy.plan.model import Action, Plan
from streamt.deploy.plan.scope import Scope
from streamt.diagnostics import Code, Diagnostic, StreamtError

_HINT = "plan again, look at it, and apply that"
_LONGEST = 100
"""How many reasons are told; the rest is counted."""


def check_header(plan: Plan, scope: Scope, now: datetime) -> None:
    """Check what can be checked without asking a provider.

    Args:
        plan: a saved plan.
        scope: the project and the state as they are now.
        now: the time.

    Raises:
        StreamtError: E540, it was made offline; E541, with each reason.
    """
    if plan.offline:
        message = "the plan was made with `--offline`: nobody has looked at what is there"
        hint = "make it without `--offline`"
        raise StreamtError(Diagnostic(code=Code.PLAN_INVALID, message=message, hint=hint))
    _raise(_header_reasons(plan, scope, now))


def _header_reasons(plan: Plan, scope: Scope, now: datetime) -> Iterator[str]:
    if plan.project != scope.project.project:
        yield f"it is of project `{plan.project}`, and this is `{scope.project.project}`"
    if plan.environment != scope.project.environment:
        yield f"it is of environment `{plan.environment}`, and this is `{scope.project.environment}`"
    elif plan.manifest_digest != scope.manifest_digest:
        yield "the project has changed since it was made"
    if plan.state != scope.snapshot.version:
        yield _state_reason(plan, scope)
    if plan.expires_at is not None and plan.expires_at <= now:
        yield f"it expired at {plan.expires_at:%Y-%m-%d %H:%M:%S} UTC"


def _state_reason(plan: Plan, scope: Scope) -> str:
    now = scope.snapshot.version
    if plan.state is None or now is None:
        return "it was made against no state, and there is one" if now else "the state that it was made against is gone"
    if plan.state.store_id != now.store_id:
        return "it was made against another store"
    if plan.state.serial != now.serial:
        return f"the state has serial {now.serial}, and it was made against {plan.state.serial}"
    return "the state has the same serial and other content"


def check_same(planned: Plan, fresh: Plan) -> None:
    """Check that a plan, made anew under the lock, is the one that was saved or shown.

    Raises:
        StreamtError: E541, with each reason and its address.
    """
    _raise(_reasons(planned, fresh))


def _reasons(planned: Plan, fresh: Plan) -> Iterator[str]:
    if planned.environment_digest != fresh.environment_digest:
        yield "the providers are not those that it was made against"
    before, after = _by_address(planned), _by_address(fresh)
    for address in sorted(before.keys() | after.keys()):
        reason = _difference(before.get(address), after.get(address))
        if reason:
            yield f"{address}: {reason}"
    if before.keys() == after.keys() and list(before) != list(after):
        yield "the order of its actions is another one"


def _by_address(plan: Plan) -> dict[Address, Action]:
    return {each.address: each for each in plan.actions}


def _difference(before: Action | None, after: Action | None) -> str | None:
    if after is None:
        return "nothing is left to be done"
    if before is None:
        return f"there is something new to be done: {after.verb.value}"
    if essence(before) == essence(after):
        return None
    if before.evidence and after.evidence and before.evidence.fingerprint != after.evidence.fingerprint:
        return "it was changed outside of streamt since the plan was made"
    old, new = action_data(before, 0), action_data(after, 0)
    parts = [key for key in old if key not in ("impact", "evidence") and old[key] != new.get(key)]
    if parts == ["diff"] and [each for each in before.diff if each.is_change] == [
        each for each in after.diff if each.is_change
    ]:
        return "what is set on it beside the plan's own fields was changed outside of streamt"
    return f"something else would be done now ({', '.join(parts) or 'what was asked'})"


def _raise(reasons: Iterator[str]) -> None:
    found = list(reasons)
    if not found:
        return
    told = found[:_LONGEST]
    if len(found) > _LONGEST:
        told.append(f"and {len(found) - _LONGEST} more reasons")
    raise StreamtError(
        *(
            Diagnostic(code=Code.PLAN_STALE, message=f"the plan no longer holds: {reason}", hint=_HINT)
            for reason in told
        )
    )
