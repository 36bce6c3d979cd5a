"""Making a plan: look, decide, ask whether it would be taken, see who reads, and put it in order."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from streamt.deploy.artifact import Address, Artifact, Content, ResourceKind, SecretRef, digest
from streamt.deploy.backend import (
    ABSENT,
    Blocker,
    Change,
    Checked,
    Evidence,
    FieldDiff,
    Need,
    Readers,
    Risk,
    Situation,
    Target,
    Verb,
)
from streamt.deploy.compare import fingerprint, flatten
from streamt.deploy.plan.decide import Draft, decide
from streamt.deploy.plan.impact import with_groups
from streamt.deploy.plan.look import Look, Seen
from streamt.deploy.plan.model import Action, Cause, Deferred, Impact, Orphan, Plan
from streamt.deploy.plan.order import in_order
from streamt.deploy.plan.scope import Scope
from streamt.deploy.times import utc_now
from streamt.diagnostics import Diagnostic, ProjectPath

_CALLS = frozenset({Verb.CREATE, Verb.UPDATE, Verb.UPGRADE, Verb.START, Verb.DELETE})
_READ = frozenset({Verb.UPDATE, Verb.DELETE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan with what it was made from.

    Attributes:
        plan: the plan.
        drafts: what was decided, by address; empty offline.
        seen: what the providers said; None offline.
    """

    plan: Plan
    drafts: Mapping[Address, Draft]
    seen: Seen | None


def make_plan(scope: Scope, now: Callable[[], datetime] = utc_now) -> Planned:
    """Return what brings an environment to what its project declares.

    Args:
        scope: what is desired and applied, and what was asked for.
        now: gives the time.

    Raises:
        StreamtError: E563, a cluster is not the declared one.
    """
    if scope.offline:
        return Planned(plan=_plan(scope, now(), tuple(_offline(scope)), None), drafts={}, seen=None)
    with Look(scope.providers, scope.cluster_ids) as look:
        seen = look.look(scope.targets, now)
        drafts = tuple(filter(None, (decide(each, seen, scope) for each in scope.targets)))
        checked = look.check(filter(None, (each.proposal for each in drafts)))
        readers = look.readers(_read_topics(drafts)) if scope.with_readers else None
    actions = tuple(_action(each, checked.get(each.target.address), readers, seen, scope) for each in drafts)
    by_address = {each.target.address: each for each in drafts}
    return Planned(plan=_plan(scope, seen.at, actions, seen), drafts=by_address, seen=seen)


def _read_topics(drafts: Iterable[Draft]) -> tuple[str, ...]:
    """Return the topics whose readers matter."""
    return tuple(
        each.target.name
        for each in drafts
        if each.target.address.kind is ResourceKind.TOPIC and each.change.verb in _READ and each.steps
    )


def _plan(scope: Scope, at: datetime, actions: tuple[Action, ...], seen: Seen | None) -> Plan:
    age = scope.policy.plan_max_age
    needs: list[Need] = []
    if actions and scope.policy.confirm:
        needs.append(Need(kind="confirm_env"))
    if actions and (scope.policy.reviewed or any(each.verb is Verb.DELETE for each in actions)):
        needs.append(Need(kind="reviewed_plan"))
    reads = _reads(scope)
    names = scope.snapshot.resources
    return Plan(
        created_at=at,
        expires_at=at + age if age is not None else None,
        project=scope.project.project,
        environment=scope.project.environment,
        protected=scope.policy.protected,
        selection=scope.selection.selectors if scope.selection else None,
        offline=scope.offline,
        refresh_only=scope.refresh_only,
        manifest_digest=scope.manifest_digest,
        environment_digest=_environment_digest(seen),
        state=scope.snapshot.version,
        actions=in_order(actions, reads),
        orphans=tuple(Orphan(address=each, name=names[each].name) for each in sorted(scope.orphans)),
        deferred=tuple(Deferred(address=each.address, name=each.name) for each in scope.deferred),
        unchanged=len(scope.targets) - len(actions),
        needs=tuple(needs),
    )


def _reads(scope: Scope) -> Mapping[str, frozenset[str]]:
    reads: dict[str, set[str]] = {}
    for source, reader in scope.project.edges:
        reads.setdefault(reader, set()).add(source)
    return {reader: frozenset(sources) for reader, sources in reads.items()}


def _environment_digest(seen: Seen | None) -> str:
    """Return the digest of who the providers are, those that were reached."""
    found = seen.identities if seen else {}
    return digest(sorted([kind.value, alias or "", identity] for (kind, alias), identity in found.items()))


# One action


def _action(
    draft: Draft, checked: Checked | Diagnostic | None, readers: Readers | None, seen: Seen, scope: Scope
) -> Action:
    target, change = draft.target, _with_answer(draft.change, checked)
    change = _with_readers(draft, change, readers, scope)
    asked = checked.asked if isinstance(checked, Checked) else ()
    artifact = target.artifact
    return Action(
        address=target.address,
        name=target.name,
        cluster=target.cluster,
        verb=change.verb,
        cause=draft.cause,
        diff=change.fields,
        risk=change.risk,
        flags=change.flags,
        blockers=tuple(_located(change.blockers, artifact)),
        needs=tuple(_needs(draft, change)),
        impact=_impact(draft, change, readers, scope),
        evidence=_evidence(draft.situation, seen, asked, scope),
        steps=draft.steps,
        undo=change.undo,
        depends_on=_dependencies(target),
        source=draft.source,
        notes=change.notes,
    )


def _dependencies(target: Target) -> tuple[Address, ...]:
    known = target.artifact or target.applied
    return known.depends_on if known else ()


def _with_answer(change: Change, checked: Checked | Diagnostic | None) -> Change:
    """Return the change with what the provider said of it."""
    if checked is None:
        return change
    if isinstance(checked, Diagnostic):
        message = f"the provider could not be asked about this change: {checked.message}"
        missing = Blocker(code="evidence_missing", message=message, hint=checked.hint)
        return replace(change, risk=Risk.UNKNOWN, blockers=(*change.blockers, missing))
    if checked.risk <= change.risk and not checked.flags and not checked.blockers:
        return change
    return replace(
        change,
        risk=max(change.risk, checked.risk),
        flags=tuple(dict.fromkeys((*change.flags, *checked.flags))),
        blockers=(*change.blockers, *checked.blockers),
    )


def _with_readers(draft: Draft, change: Change, readers: Readers | None, scope: Scope) -> Change:
    """Block the deletion of what is read, or of what nobody could see the readers of."""
    kind = draft.target.address.kind
    judge = scope.providers[kind].reader_blockers if kind in scope.providers else None
    if change.verb is not Verb.DELETE or judge is None:
        return change
    seen = readers or Readers(evidence="absent", why=("consumer groups were not looked at",))
    return replace(change, blockers=(*change.blockers, *judge(seen, draft.target.name)))


def _located(blockers: Iterable[Blocker], artifact: Artifact | None) -> Iterator[Blocker]:
    """Yield the blockers, each with the declaration that it is about unless it names a place itself."""
    for each in blockers:
        if each.location is None and artifact is not None:
            place = ProjectPath((f"{artifact.declaration.kind}s", artifact.declaration.name))
            yield replace(each, location=place)
        else:
            yield each


def _needs(draft: Draft, change: Change) -> Iterator[Need]:
    for allow in dict.fromkeys(each.lifted_by for each in change.blockers if each.lifted_by is not None):
        yield Need(kind="allow", allow=allow, address=draft.target.address)


def _impact(draft: Draft, change: Change, readers: Readers | None, scope: Scope) -> Impact:
    if change.verb not in _CALLS or not draft.steps:
        return Impact(evidence="complete")
    impact = scope.reach.impact(draft.target.address.name)
    if draft.target.address.kind is not ResourceKind.TOPIC or change.verb not in _READ:
        return impact
    return with_groups(impact, readers, draft.target.name, scope.reach.declared_groups)


def _evidence(situation: Situation, seen: Seen, asked: tuple[str, ...], scope: Scope) -> Evidence:
    live = situation.live
    owned = owned_paths(situation, scope) if live.fields or live.secrets else frozenset[str]()
    return Evidence(
        observed_at=seen.at,
        provider_id=live.provider_id,
        fingerprint=fingerprint(live, owned),
        asked=asked,
    )


def owned_paths(situation: Situation, scope: Scope) -> frozenset[str]:
    """Return the paths of the fields that are ours, desired or applied."""
    target = situation.target
    backend = scope.providers[target.address.kind].backend
    paths: set[str] = set()
    if target.artifact is not None:
        paths |= backend.desired(target.artifact.content).keys()
    if target.applied is not None:
        paths |= backend.desired(target.applied.content).keys()
    return frozenset(paths)


# Offline


def _offline(scope: Scope) -> Iterator[Action]:
    """Compare the project with state alone; nothing of it is certain."""
    for target in scope.targets:
        artifact, applied = target.artifact, target.applied
        if artifact is None:
            delete = scope.removed[target.address].delete
            yield _unseen(target, Verb.DELETE if delete else Verb.FORGET, "removed")
        elif target.address in scope.moves:
            yield replace(_unseen(target, Verb.MOVE, "moved"), source=scope.moves[target.address])
        elif applied is None or applied.digest != artifact.digest:
            verb = Verb.CREATE if applied is None else Verb.UPDATE
            fields = _content_diff(artifact.content, applied.content if applied else {})
            yield replace(_unseen(target, verb, "declared"), diff=tuple(fields))


def _unseen(target: Target, verb: Verb, cause: Cause) -> Action:
    return Action(
        address=target.address,
        name=target.name,
        cluster=target.cluster,
        verb=verb,
        cause=(cause,),
        risk=Risk.UNKNOWN,
        depends_on=_dependencies(target),
    )


def _content_diff(desired: Mapping[str, Content], applied: Mapping[str, Content]) -> Iterator[FieldDiff]:
    """Yield what differs between two contents; of secrets nothing can be said."""
    wanted, before = flatten(desired), flatten(applied)
    for path in sorted(wanted.keys() | before.keys()):
        new, old = wanted.get(path, ABSENT), before.get(path, ABSENT)
        if new != old and not isinstance(new, SecretRef) and not isinstance(old, SecretRef):
            yield FieldDiff(path=path, desired=new, applied=old)
