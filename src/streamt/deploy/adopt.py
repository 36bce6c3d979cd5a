"""Taking over what is there already: into state as it is, without touching it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import uuid4

from streamt.deploy.apply import actor, usable
from streamt.deploy.artifact import Address, digest
from streamt.deploy.backend import Applied, FieldDiff, Live, Presence, Situation, Target, Verb
from streamt.deploy.compare import accept, compare_fields, fingerprint
from streamt.deploy.plan import Scope
from streamt.deploy.plan.look import Look
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


def look_at(scope: Scope, address: Address, now: Callable[[], datetime] = utc_now) -> Claim:
    """Return what is there of a declared resource.

    Args:
        scope: the project and its state.
        address: the resource.
        now: gives the time.

    Raises:
        StreamtError: E547, it cannot be taken over; E560 or E561, it cannot be seen; E563.
    """
    artifact = scope.desired.get(address)
    if artifact is None:
        known = {str(each): each for each in scope.desired}
        raise _refused(f"{address} is not declared, or cannot be deployed", did_you_mean(str(address), known))
    applied = scope.snapshot.resources.get(address)
    target = Target(address=address, name=artifact.name, cluster=artifact.cluster, artifact=artifact, applied=applied)
    with Look(scope.providers, scope.cluster_ids) as look:
        seen = look.look([target], now)
    live, cluster_id = seen.lives[address], seen.identity_of(target)
    if live.presence is Presence.ABSENT:
        raise _refused(f"`{target.name}` does not exist", "`streamt apply` makes it")
    if live.presence is Presence.UNKNOWN or cluster_id is None:
        reason = live.reason or Diagnostic(code=Code.PROVIDER_UNREACHABLE, message="the provider did not answer")
        raise StreamtError(reason)
    backend = scope.providers[address.kind].backend
    diff = compare_fields(Situation(target=target, live=live), backend.desired(artifact.content), {})
    return Claim(
        target=target, live=live, cluster_id=cluster_id, diff=diff, is_ours=_is_ours(applied, target, live, cluster_id)
    )


def _is_ours(applied: Applied | None, target: Target, live: Live, cluster_id: str) -> bool:
    return applied is not None and (applied.name, applied.cluster_id, applied.provider_id) == (
        target.name,
        cluster_id,
        live.provider_id,
    )


def adopt(
    scope: Scope, store: Store, claim: Claim, lock_wait: float = 30.0, *, remember_secrets: bool = True
) -> StateVersion:
    """Take a resource into state as it was seen; the provider is not touched.

    Args:
        scope: the project.
        store: where the state is.
        claim: what was looked at, and confirmed.
        lock_wait: seconds to wait for the lock.
        remember_secrets: whether a new state remembers HMACs of secrets.

    Returns:
        The state afterwards.

    Raises:
        StreamtError: E541, it was changed since it was looked at; E547; E550 to E560.
    """
    with store.lock(Holder.here("adopt"), lock_wait) as session:
        snapshot = usable(session)
        now = look_at(replace(scope, snapshot=snapshot), claim.target.address)
        if now.fingerprint != claim.fingerprint:
            message = f"`{claim.target.name}` was changed while it was looked at"
            raise StreamtError(Diagnostic(code=Code.PLAN_STALE, message=message, hint="look at it again"))
        if now.is_ours and snapshot.version is not None:
            return snapshot.version
        if snapshot.document is None:
            session.initialize(remember_secrets=remember_secrets)
            snapshot = session.read()
        operation_id = str(uuid4())
        actions = (_intended(now, operation_id),)
        intention = Intention(kind="adopt", actor=actor(), actions=actions, operation_id=operation_id)
        operation = DurableOperation.begin(session, snapshot, intention)
        operation.finish(0, Finished(provider_id=now.live.provider_id))
        return operation.close(Word.COMMIT, ["applied"])


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


def _refused(message: str, hint: str | None) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.ADOPTION_REFUSED, message=message, hint=hint))
