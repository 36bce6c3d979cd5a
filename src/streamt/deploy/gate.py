"""What stands between a plan and its execution: reviews, blockers, permissions, and a typed name."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from streamt.deploy.artifact import Address
from streamt.deploy.backend import AllowClass, Blocker, Need
from streamt.deploy.plan.model import Action, Plan
from streamt.deploy.policy import Policy
from streamt.diagnostics import Code, Diagnostic, Option, StreamtError, did_you_mean

_OWNERSHIP = "ownership_required"


@dataclass(frozen=True, slots=True)
class Allowance:
    """One `--allow`: a class, for one address or, where the environment lets that pass, for all."""

    allow: AllowClass
    address: Address | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the allowance that `CLASS:ADDRESS` or `CLASS` is.

        Raises:
            StreamtError: E500, it is neither.
        """
        word, colon, rest = text.partition(":")
        known = [each.value for each in AllowClass]
        if word not in known:
            hint = did_you_mean(word, known) or f"the classes are {', '.join(known)}"
            raise _usage(f"unknown class `{word}` of `--allow`", hint)
        if not colon:
            return cls(AllowClass(word))
        address = Address.parse(rest)
        if address is None:
            raise _usage(f"invalid address `{rest}` of `--allow`", "copy the words that the plan shows")
        return cls(AllowClass(word), address)


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """What the caller gave.

    Attributes:
        allowances: every `--allow`.
        confirmed: the environment's name as it was typed or given with `--confirm-env`; None if it was not.
        is_reviewed: whether the plan comes from a file.
    """

    allowances: tuple[Allowance, ...] = ()
    confirmed: str | None = None
    is_reviewed: bool = False

    def allows(self, need: Need, policy: Policy) -> bool:
        """Report whether a need is met; a class without an address counts for nothing where care is asked for."""
        addresses = {need.address} if policy.protected else {need.address, None}
        return any(each.allow is need.allow and each.address in addresses for each in self.allowances)


def check_permissions(plan: Plan, policy: Policy, permissions: Permissions) -> None:
    """Check everything that a plan needs but the typed name.

    Raises:
        StreamtError: E543, E542, E546 or E545, each kind with all its reasons.
    """
    if any(need.kind == "reviewed_plan" for need in plan.needs) and not permissions.is_reviewed:
        raise StreamtError(_not_reviewed(policy))
    blocked = tuple(_blocked(plan))
    if blocked:
        raise StreamtError(*blocked)
    missing = tuple(_missing(plan, policy, permissions))
    if missing:
        raise StreamtError(*missing)


def check_confirmation(plan: Plan, permissions: Permissions) -> None:
    """Check that the environment's name was given, where it must be.

    Raises:
        StreamtError: E544.
    """
    if permissions.confirmed is not None and permissions.confirmed != plan.environment:
        message = f"`{permissions.confirmed}` is not the name of the environment `{plan.environment}`"
    elif permissions.confirmed is None and any(need.kind == "confirm_env" for need in plan.needs):
        message = f"a change of the environment `{plan.environment}` must be confirmed"
    else:
        return
    hint = f"give `--confirm-env {plan.environment}`"
    raise StreamtError(
        Diagnostic(code=Code.CONFIRMATION_REQUIRED, message=message, location=Option("confirm_env"), hint=hint)
    )


def _not_reviewed(policy: Policy) -> Diagnostic:
    why = "the environment takes reviewed plans only" if policy.reviewed else "a deletion needs a reviewed plan"
    hint = "run `streamt plan --out FILE`, look at it with `streamt show-plan FILE`, then `streamt apply FILE`"
    return Diagnostic(code=Code.REVIEWED_PLAN_REQUIRED, message=why, hint=hint)


def _blocked(plan: Plan) -> Iterator[Diagnostic]:
    for action in plan.actions:
        for blocker in action.blockers:
            if blocker.lifted_by is None:
                code = Code.OWNERSHIP_REQUIRED if blocker.code == _OWNERSHIP else Code.PLAN_BLOCKED
                yield _of_blocker(code, action, blocker, blocker.hint)


def _missing(plan: Plan, policy: Policy, permissions: Permissions) -> Iterator[Diagnostic]:
    for action in plan.actions:
        for need in action.needs:
            if need.allow is AllowClass.DESTRUCTIVE and not policy.may_destroy:
                hint = "write `safety: {allow_destructive: true}` in the environment"
                yield from _not_allowed(action, need, hint, "; the environment forbids it")
            elif not permissions.allows(need, policy):
                yield from _not_allowed(action, need, f"if that is meant, give `--{_spelled(need)}`")


def _spelled(need: Need) -> str:
    return f"allow {need.allow.value if need.allow else ''}:{need.address}"


def _not_allowed(action: Action, need: Need, hint: str, more: str = "") -> Iterable[Diagnostic]:
    for blocker in action.blockers:
        if blocker.lifted_by is need.allow:
            found = _of_blocker(Code.NOT_ALLOWED, action, blocker, hint)
            yield Diagnostic(code=found.code, message=found.message + more, location=found.location, hint=found.hint)


def _of_blocker(code: Code, action: Action, blocker: Blocker, hint: str | None) -> Diagnostic:
    message = f"{action.address}: {blocker.message} [{blocker.code}]"
    return Diagnostic(code=code, message=message, location=blocker.location, hint=hint)


def _usage(message: str, hint: str) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.USAGE_ERROR, message=message, location=Option("allow"), hint=hint))
