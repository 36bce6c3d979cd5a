"""Taking over what is there already: into state as it is, without touching it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import uuid4

from streamt.deploy.apply import actor, usable
from streamt.deploy.artifact import Address, digest
from streamt.deploy.backend import Applied, FieldDiff, Live, Presence, Situation, Target, Verb
from streamt.deploy.compare import accept, compare_fields, fingerprint
from streamt.deploy.plan import Scope
from streamt.deploy.plan.look import Look, Seen
from streamt.deploy.state import (
    DurableOperation,
    Finished,
    Holder,
    IntendedAction,
    Intention,
    StateVersion,
    Store,
    Word,
)
from streamt.deploy.times import utc_now
from streamt.diagnostics import Code, Diagnostic, StreamtError, did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What can be taken over, as it was seen.

    Attributes:
        target: the resource.
        live: what is there.
        cluster_id: the identity of its cluster.
        diff: what differs from what is declared; the next plan shows it.
        is_ours: whether it is in state already, as it is.
    """

    target: Target
    live: Live
    cluster_id: str
    diff: tuple[FieldDiff, ...]
    is_ours: bool

    @property
    def fingerprint(self) -> str:
        """The digest of what was seen."""
        return fingerprint(self.live, frozenset(self.live.fields))


def look_at(scope: Scope, addresses: Sequence[Address], now: Callable[[], datetime] = utc_now) -> tuple[Claim, ...]:
    """Return what is there of declared resources, in the order of their addresses as given.

    Args:
        scope: the project and its state.
        addresses: the resources.
        now: gives the time.

    Raises:
        StreamtError: E547, some of them cannot be taken over; E560 or E561, they cannot be seen; E563.
    """
    undeclared = tuple(_undeclared(scope, each) for each in addresses if each not in scope.desired)
    if undeclared:
        raise StreamtError(*undeclared)
    seen, targets = _seen(scope, addresses, now)
    found = [_claim(scope, each, seen) for each in targets]
    problems = [each for each in found if isinstance(each, Diagnostic)]
    if problems:
        raise StreamtError(*dict.fromkeys(problems))
    return tuple(each for each in found if isinstance(each, Claim))


def claimable(scope: Scope, now: Callable[[], datetime] = utc_now) -> tuple[Claim, ...]:
    """Return every declared resource that is there and not in state, sorted by address.

    Raises:
        StreamtError: E560 or E561, one cannot be seen; E563.
    """
    unknown = [each for each in sorted(scope.desired) if each not in scope.snapshot.resources]
    seen, targets = _seen(scope, [each for each in unknown if each.kind in scope.providers], now)
    there = [each.address for each in targets if seen.lives[each.address].presence is not Presence.ABSENT]
    return look_at(scope, there, now) if there else ()


def _seen(scope: Scope, addresses: Sequence[Address], now: Callable[[], datetime]) -> tuple[Seen, tuple[Target, ...]]:
    targets = tuple(_target(scope, each) for each in addresses)
    with Look(scope.providers, scope.cluster_ids) as look:
        return look.look(targets, now), targets


def _target(scope: Scope, address: Address) -> Target:
    artifact, applied = scope.desired[address], scope.snapshot.resources.get(address)
    return Target(address=address, name=artifact.name, cluster=artifact.cluster, artifact=artifact, applied=applied)


def _claim(scope: Scope, target: Target, seen: Seen) -> Claim | Diagnostic:
    live, cluster_id, artifact = seen.lives[target.address], seen.identity_of(target), target.artifact
    assert artifact is not None, "only what is declared is adopted"
    if live.presence is Presence.ABSENT:
        return _refused(f"`{target.name}` does not exist", "`streamt apply` makes it")
    if live.presence is Presence.UNKNOWN or cluster_id is None:
        return live.reason or Diagnostic(code=Code.PROVIDER_UNREACHABLE, message="the provider did not answer")
    backend = scope.providers[target.address.kind].backend
    diff = compare_fields(Situation(target=target, live=live), backend.desired(artifact.content), {})
    is_ours = _is_ours(target.applied, target, live, cluster_id)
    return Claim(target=target, live=live, cluster_id=cluster_id, diff=diff, is_ours=is_ours)


def _undeclared(scope: Scope, address: Address) -> Diagnostic:
    known = {str(each): each for each in scope.desired}
    return _refused(f"{address} is not declared, or cannot be deployed", did_you_mean(str(address), known))


def _is_ours(applied: Applied | None, target: Target, live: Live, cluster_id: str) -> bool:
    return applied is not None and (applied.name, applied.cluster_id, applied.provider_id) == (
        target.name,
        cluster_id,
        live.provider_id,
    )


def adopt(
    scope: Scope, store: Store, claims: Sequence[Claim], lock_wait: float = 30.0, *, remember_secrets: bool = True
) -> StateVersion:
    """Take resources into state as they were seen, in one operation; no provider is touched.

    Args:
        scope: the project.
        store: where the state is.
        claims: what was looked at, and confirmed.
        lock_wait: seconds to wait for the lock.
        remember_secrets: whether a new state remembers HMACs of secrets.

    Returns:
        The state afterwards.

    Raises:
        StreamtError: E541, one was changed since it was looked at; E547; E550 to E560.
    """
    with store.lock(Holder.here("adopt"), lock_wait) as session:
        snapshot = usable(session)
        now = look_at(replace(scope, snapshot=snapshot), [each.target.address for each in claims])
        moved = [was for was, each in zip(claims, now, strict=True) if was.fingerprint != each.fingerprint]
        if moved:
            raise StreamtError(*map(_changed, moved))
        taken = [each for each in now if not each.is_ours]
        if not taken and snapshot.version is not None:
            return snapshot.version
        if snapshot.document is None:
            session.initialize(remember_secrets=remember_secrets)
            snapshot = session.read()
        operation_id = str(uuid4())
        actions = tuple(_intended(each, operation_id) for each in taken)
        intention = Intention(kind="adopt", actor=actor(), actions=actions, operation_id=operation_id)
        operation = DurableOperation.begin(session, snapshot, intention)
        for number, each in enumerate(taken):
            operation.finish(number, Finished(provider_id=each.live.provider_id))
        return operation.close(Word.COMMIT, ["applied"] * len(taken))


def _changed(claim: Claim) -> Diagnostic:
    message = f"`{claim.target.name}` was changed while it was looked at"
    return Diagnostic(code=Code.PLAN_STALE, message=message, hint="look at it again")


def _intended(claim: Claim, operation_id: str) -> IntendedAction:
    target = claim.target
    artifact = target.artifact
    assert artifact is not None, "only what is declared is adopted"
    content = accept(artifact.content, claim.live.fields, claim.diff)
    resource = Applied(
        name=target.name,
        cluster=target.cluster,
        cluster_id=claim.cluster_id,
        provider_id=claim.live.provider_id,
        ownership=artifact.ownership,
        protect=artifact.protect,
        digest=digest(content),
        content=content,
        operation=operation_id,
        at=utc_now(),
        depends_on=artifact.depends_on,
    )
    return IntendedAction(
        address=target.address,
        verb=Verb.ADOPT,
        name=target.name,
        resource=resource,
        fingerprint=claim.fingerprint,
    )


def _refused(message: str, hint: str | None) -> Diagnostic:
    return Diagnostic(code=Code.ADOPTION_REFUSED, message=message, hint=hint)
