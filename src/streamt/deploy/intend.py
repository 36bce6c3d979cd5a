"""What state will say of each resource once its action is done."""

from dataclasses import replace
from datetime import datetime

from streamt.deploy import secret_memory
from streamt.deploy.artifact import digest
from streamt.deploy.backend import Applied, FieldDiff, Live, Verb
from streamt.deploy.compare import accept
from streamt.deploy.plan.decide import Draft
from streamt.deploy.plan.make import Planned
from streamt.deploy.plan.model import Action
from streamt.deploy.plan.scope import Scope
from streamt.deploy.state import IntendedAction

_TAKEN_AWAY = frozenset({Verb.DELETE, Verb.FORGET})


def intended_actions(planned: Planned, scope: Scope, operation: str, at: datetime) -> tuple[IntendedAction, ...]:
    """Return the actions of a plan as an operation's `begin` holds them.

    Args:
        planned: the plan, made under the lock.
        scope: what it was made of.
        operation: the operation's id.
        at: the time.
    """
    blank = Applied(name="", cluster_id="", provider_id={}, digest="", content={}, operation=operation, at=at)
    return tuple(_intended(each, planned, scope, blank) for each in planned.plan.actions)


def _intended(action: Action, planned: Planned, scope: Scope, blank: Applied) -> IntendedAction:
    draft = planned.drafts[action.address]
    identity = planned.seen.identity_of(draft.target) if planned.seen else None
    resource = _resource(action, draft, scope, blank)
    return IntendedAction(
        address=action.address,
        verb=action.verb,
        name=action.name,
        source=action.source,
        resource=replace(resource, cluster_id=identity) if resource and identity else resource,
        fingerprint=action.evidence.fingerprint if action.evidence else None,
        steps=len(action.steps),
    )


def _resource(action: Action, draft: Draft, scope: Scope, blank: Applied) -> Applied | None:
    target, live = draft.target, draft.situation.live
    if action.verb in _TAKEN_AWAY:
        return None
    if action.verb is Verb.MOVE:
        return target.applied
    if target.artifact is None or scope.refresh_only:
        assert target.applied is not None, "what is neither declared nor applied is not looked at"
        return _accepted(target.applied, action.diff, live)
    artifact = target.artifact
    is_adopted = action.verb is Verb.ADOPT
    content = accept(artifact.content, live.fields, draft.change.fields) if is_adopted else artifact.content
    document = scope.snapshot.document
    key = document.secret_key if document and not is_adopted else None  # an adoption sends no secret
    return replace(
        blank,
        name=target.name,
        cluster=target.cluster,
        provider_id=live.provider_id,
        ownership=artifact.ownership,
        protect=artifact.protect,
        digest=digest(content),
        content=content,
        secrets=secret_memory.remember(artifact, scope.project.secrets, key),
        depends_on=artifact.depends_on,
    )


def _accepted(applied: Applied, diff: tuple[FieldDiff, ...], live: Live) -> Applied:
    content = accept(applied.content, live.fields, diff)
    return replace(applied, content=content, digest=digest(content), provider_id=live.provider_id)
