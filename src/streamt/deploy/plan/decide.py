"""What is to be done with one resource, from what is desired, applied and live. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from streamt.deploy import secret_memory
from streamt.deploy.artifact import Address
from streamt.deploy.backend import (
    ABSENT,
    AllowClass,
    Applied,
    Blocker,
    Change,
    FieldDiff,
    Live,
    Presence,
    Proposal,
    Risk,
    SecretState,
    Situation,
    Step,
    Target,
    Undo,
    Verb,
)
from streamt.deploy.compare import compare_fields
from streamt.deploy.plan.look import Seen
from streamt.deploy.plan.model import Cause
from streamt.deploy.plan.scope import Scope
from streamt.diagnostics import ProjectPath

_STATE_ONLY = Undo(kind="by_plan", message="Only the state changes; no provider is called.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An action before its provider was asked and its readers were seen.

    Attributes:
        situation: what it was decided on.
        change: what is to be done.
        cause: why.
        steps: the calls.
        source: for a move, the address that the resource had.
    """

    situation: Situation
    change: Change
    cause: tuple[Cause, ...]
    steps: tuple[Step, ...] = ()
    source: Address | None = None

    @property
    def target(self) -> Target:
        """The resource."""
        return self.situation.target

    @property
    def proposal(self) -> Proposal | None:
        """What the provider can be asked about, unless it is blocked for good anyway."""
        if not self.steps or any(each.lifted_by is None for each in self.change.blockers):
            return None
        return Proposal(situation=self.situation, change=self.change, steps=self.steps)


def decide(target: Target, seen: Seen, scope: Scope) -> Draft | None:
    """Return what is to be done with a target; None if it is as it should be."""
    live = seen.lives[target.address]
    situation = Situation(target=target, live=live, secrets=_secrets(target, scope))
    if target.artifact is None:
        return _end(situation, scope)
    if scope.refresh_only:
        return _refresh(situation, scope)
    if live.presence is Presence.UNKNOWN:
        return Draft(situation=situation, change=_not_seen(live), cause=_declared(target))
    source = scope.moves.get(target.address)
    if source is not None:
        return _move(situation, source, scope)
    if target.applied is not None and (moved := _elsewhere(target, target.applied, seen)):
        return Draft(situation=situation, change=_blocked(moved), cause=("declared",))
    if target.applied is None and live.presence is Presence.PRESENT:
        return _claim(situation, scope)
    return _change(situation, scope)


def _secrets(target: Target, scope: Scope) -> Mapping[str, SecretState]:
    if target.artifact is None:
        return {}
    document = scope.snapshot.document
    key = document.secret_key if document else None
    return secret_memory.compare(target.artifact, target.applied, scope.project.secrets, key)


def _declared(target: Target) -> tuple[Cause, ...]:
    applied, artifact = target.applied, target.artifact
    is_same = applied is not None and artifact is not None and applied.digest == artifact.digest
    return () if is_same else ("declared",)


# Declared and seen


def _change(situation: Situation, scope: Scope) -> Draft | None:
    """Let the backend say what differs, and what follows from it."""
    target = situation.target
    backend = scope.providers[target.address.kind].backend
    change = backend.diff(situation)
    if of_state := tuple(_of_state(target)):
        change = replace(change, fields=(*change.fields, *of_state))
    if change.verb is Verb.NONE:
        if not _is_stale(situation):
            return Draft(situation=situation, change=change, cause=()) if change.blockers else None
        change = replace(change, verb=Verb.UPDATE, risk=max(change.risk, Risk.SAFE), undo=change.undo or _STATE_ONLY)
        return Draft(situation=situation, change=change, cause=_causes(situation, change))
    steps = backend.steps(situation, change)
    return Draft(situation=situation, change=change, cause=_causes(situation, change), steps=steps)


def _is_stale(situation: Situation) -> bool:
    """Report whether state must learn of something that the provider need not."""
    applied, artifact = situation.target.applied, situation.target.artifact
    if applied is None or artifact is None:
        return False
    has_new_id = situation.live.presence is Presence.PRESENT and situation.live.provider_id != applied.provider_id
    return (
        applied.digest != artifact.digest
        or applied.protect != artifact.protect
        or applied.ownership != artifact.ownership
        or has_new_id
    )


def _of_state(target: Target) -> Iterator[FieldDiff]:
    """Yield the differences in what state alone holds."""
    applied, artifact = target.applied, target.artifact
    if applied is None or artifact is None:
        return
    for path, desired, before in (
        ("/ownership/protect", artifact.protect, applied.protect),
        ("/ownership/mode", artifact.ownership, applied.ownership),
    ):
        if desired != before:
            yield FieldDiff(path=path, desired=desired, applied=before, live=before)


def _causes(situation: Situation, change: Change) -> tuple[Cause, ...]:
    """Tell the project's changes from what somebody else did."""
    applied = situation.target.applied
    if applied is None or applied.condition == "incomplete":
        return ("declared",)
    ours = [each for each in change.fields if each.owner == "ours"]
    causes: list[Cause] = []
    if any(each.sensitive or each.desired != each.applied for each in ours):
        causes.append("declared")
    if situation.live.presence is Presence.ABSENT or any(_is_drift(each) for each in ours):
        causes.append("drift")
    return tuple(causes) or ("declared",)


def _is_drift(diff: FieldDiff) -> bool:
    return not diff.sensitive and diff.applied != diff.live


def _not_seen(live: Live) -> Change:
    why = live.reason.message if live.reason else "the provider did not say"
    hint = live.reason.hint if live.reason else None
    return Change(
        verb=Verb.NONE,
        risk=Risk.UNKNOWN,
        blockers=(Blocker(code="evidence_missing", message=f"what is there could not be seen: {why}", hint=hint),),
    )


def _blocked(blocker: Blocker, risk: Risk = Risk.NONE) -> Change:
    return Change(verb=Verb.NONE, risk=risk, blockers=(blocker,))


def _elsewhere(target: Target, applied: Applied, seen: Seen) -> Blocker | None:
    """Say that a resource has got another physical name or another cluster, which no provider can do in place."""
    if target.name != applied.name:
        return Blocker(
            code="physical_name_changed",
            message=f"`{applied.name}` cannot be renamed to `{target.name}`",
            location=_location(target),
            hint=f"to leave the old one and make a new one, run `streamt state forget {target.address}` first",
        )
    identity = seen.identity_of(target)
    if identity is not None and identity != applied.cluster_id:
        return Blocker(
            code="cluster_changed",
            message=f"`{target.name}` was applied to the cluster `{applied.cluster_id}`, and this is `{identity}`",
            location=_location(target),
            hint=f"check the addresses in `runtime`; if it is the same cluster, run `{adopt_command(target.address)}`",
        )
    return None


def _location(target: Target) -> ProjectPath | None:
    declaration = target.artifact.declaration if target.artifact else None
    return ProjectPath((f"{declaration.kind}s", declaration.name)) if declaration else None


# Somebody else's


def _claim(situation: Situation, scope: Scope) -> Draft:
    """Take over what is declared as adopted; leave alone what is not ours."""
    target = situation.target
    artifact = target.artifact
    assert artifact is not None, "only what is declared is claimed"
    backend = scope.providers[target.address.kind].backend
    fields = compare_fields(situation, backend.desired(artifact.content), {})
    if artifact.ownership == "adopted":
        undo = Undo(kind="by_plan", message="Only the state changes: `streamt state forget` gives it back.")
        note = "Taken into state as it is; the next plan shows what differs."
        change = Change(verb=Verb.ADOPT, fields=fields, risk=Risk.SAFE, undo=undo, notes=(note,))
        return Draft(situation=situation, change=change, cause=("declared",))
    blocker = Blocker(
        code="ownership_required",
        message=f"`{target.name}` exists already, and is not in this environment's state",
        location=_location(target),
        hint=f"to take it over, run `{adopt_command(target.address)}`",
    )
    return Draft(situation=situation, change=replace(_blocked(blocker), fields=fields), cause=("declared",))


def adopt_command(address: Address) -> str:
    """Return the command that claims a resource."""
    name = f"{address.name}/{address.part}" if address.part else address.name
    return f"streamt adopt {address.kind.value} {name} --confirm {address}"


# Moves and ends


def _move(situation: Situation, source: Address, scope: Scope) -> Draft:
    """Give a resource its new address, and nothing else: a plan shows one thing at a time."""
    target, applied = situation.target, situation.target.applied
    assert applied is not None, "what moves is in state"
    diff = FieldDiff(path="/address", desired=str(target.address), applied=str(source), live=str(source))
    if target.name != applied.name:
        blocker = Blocker(
            code="physical_name_changed",
            message=f"the move would rename `{applied.name}` to `{target.name}`",
            location=_location(target),
            hint=f"keep the physical name: declare it as `{applied.name}`",
        )
        return Draft(situation=situation, change=_blocked(blocker), cause=("moved",), source=source)
    rest = scope.providers[target.address.kind].backend.diff(situation)
    notes = () if rest.verb is Verb.NONE else ("Other differences follow in the next plan.",)
    change = Change(verb=Verb.MOVE, fields=(diff,), risk=Risk.SAFE, undo=_STATE_ONLY, notes=notes)
    return Draft(situation=situation, change=change, cause=("moved",), source=source)


def _end(situation: Situation, scope: Scope) -> Draft:
    """Delete or forget what a tombstone names."""
    target, live = situation.target, situation.live
    removed = scope.removed[target.address]
    if not removed.delete or live.presence is Presence.ABSENT:
        note = "It stays where it is." if removed.delete is False else "It is already gone."
        undo = Undo(kind="by_plan", message="Only the state changes: `streamt adopt` takes it back.")
        change = Change(verb=Verb.FORGET, risk=Risk.SAFE, undo=undo, notes=(note,))
        return Draft(situation=situation, change=change, cause=("removed",))
    if live.presence is Presence.UNKNOWN:
        return Draft(situation=situation, change=_not_seen(live), cause=("removed",))
    backend = scope.providers[target.address.kind].backend
    change = backend.removal(situation)
    blockers = (*change.blockers, *_forbidden_end(target, scope), *_undemanded(target, change))
    change = replace(change, risk=max(change.risk, Risk.DESTRUCTIVE), blockers=blockers)
    return Draft(situation=situation, change=change, cause=("removed",), steps=backend.steps(situation, change))


def _forbidden_end(target: Target, scope: Scope) -> Iterator[Blocker]:
    applied, kind = target.applied, target.address.kind
    assert applied is not None, "only what is in state is deleted"
    removed = scope.removed[target.address]
    if removed.name != applied.name:
        message = f"the tombstone names `{removed.name}`, and state has `{applied.name}`"
        yield Blocker(code="removed_name_differs", message=message, hint=f"write `physical: {applied.name}`")
    if applied.protect:
        hint = "declare it again with `ownership: {protect: false}`, apply that, then remove it"
        yield Blocker(code="resource_protected", message=f"`{applied.name}` is protected", hint=hint)
    if kind not in scope.policy.deletable:
        message = f"the environment lets no {kind.value} be deleted"
        hint = f"add `{kind.value}` to `safety.deletable` of the environment"
        yield Blocker(code="deletion_not_permitted", message=message, hint=hint)
    if scope.policy.allow_destructive is not True:
        message = "the environment lets nothing be deleted"
        hint = "write `safety: {allow_destructive: true}` in the environment"
        yield Blocker(code="deletion_not_permitted", message=message, hint=hint)


def _undemanded(target: Target, change: Change) -> Iterator[Blocker]:
    """Demand an `--allow` for every deletion, whether or not the backend saw a reason."""
    if not any(each.lifted_by is AllowClass.DESTRUCTIVE for each in change.blockers):
        message = f"`{target.name}` is deleted with all that it holds"
        yield Blocker(code="deletion", message=message, lifted_by=AllowClass.DESTRUCTIVE)


# Accepting what is live


def _refresh(situation: Situation, scope: Scope) -> Draft | None:
    """Take drift into state, as if we had put it there."""
    target, live = situation.target, situation.live
    applied = target.applied
    if applied is None:
        return None
    if live.presence is Presence.UNKNOWN:
        return Draft(situation=situation, change=_not_seen(live), cause=("drift",))
    undo = Undo(kind="by_plan", message="Only the state changes; no provider is called.")
    if live.presence is Presence.ABSENT:
        change = Change(verb=Verb.FORGET, risk=Risk.SAFE, undo=undo, notes=("It is gone.",))
        return Draft(situation=situation, change=change, cause=("drift",))
    backend = scope.providers[target.address.kind].backend
    ours = backend.desired(applied.content)
    fields = tuple(
        FieldDiff(path=path, desired=live.fields.get(path, ABSENT), applied=value, live=live.fields.get(path, ABSENT))
        for path, value in sorted(ours.items())
        if path not in applied.secrets and live.fields.get(path, ABSENT) != value
    )
    if not fields and live.provider_id == applied.provider_id:
        return None
    change = Change(verb=Verb.ADOPT, fields=fields, risk=Risk.SAFE, undo=undo)
    return Draft(situation=situation, change=change, cause=("drift",))
