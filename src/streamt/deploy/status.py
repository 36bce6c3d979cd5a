"""State against live: how each resource of ours is, without touching anything."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from streamt.deploy.artifact import Address
from streamt.deploy.backend import ABSENT, Evidence, FieldDiff, Live, Presence, Providers, Target
from streamt.deploy.compare import fingerprint
from streamt.deploy.execute import INCOMPLETE
from streamt.deploy.plan.look import Look, Seen
from streamt.deploy.state import Snapshot
from streamt.deploy.times import utc_now


class Condition(StrEnum):
    """How a resource is."""

    OK = "ok"
    DRIFTED = "drifted"
    MISSING = "missing"
    STOPPED = "stopped"
    FAILED = "failed"
    FOREIGN = "foreign"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceStatus:
    """How one resource is.

    Attributes:
        address: the resource.
        name: its physical name.
        condition: how it is.
        reason: why, where that is not plain.
        drift: the fields that are not as they were applied.
        evidence: what was seen; None if nothing was.
    """

    address: Address
    name: str
    condition: Condition
    reason: str | None = None
    drift: tuple[FieldDiff, ...] = ()
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class External:
    """A topic that is not ours, and is read or written by the project.

    Attributes:
        address: the address that its declaration would have.
        name: its physical name.
    """

    address: Address
    name: str


def status_of(
    snapshot: Snapshot,
    providers: Providers,
    externals: Sequence[External] = (),
    now: Callable[[], datetime] = utc_now,
) -> tuple[ResourceStatus, ...]:
    """Return how each resource in state is, and each of the external ones, sorted by address.

    Args:
        snapshot: the state.
        providers: are asked.
        externals: topics of others that are to be looked at, too.
        now: gives the time.
    """
    ours = [
        Target(address=address, name=applied.name, cluster=applied.cluster, applied=applied)
        for address, applied in snapshot.resources.items()
        if address.kind in providers
    ]
    theirs = [Target(address=each.address, name=each.name) for each in externals if each.address.kind in providers]
    targets = [*ours, *(each for each in theirs if each.address not in snapshot.resources)]
    with Look(providers, {}) as look:
        seen = look.look(targets, now)
    found = (_status(each, seen, providers) for each in targets)
    return tuple(sorted(found, key=lambda each: str(each.address)))


def _status(target: Target, seen: Seen, providers: Providers) -> ResourceStatus:
    live = seen.lives[target.address]
    judged = _judged(target, live, seen, providers)
    owned = frozenset(_ours(target, providers))
    evidence = None
    if live.presence is not Presence.UNKNOWN:
        mark = fingerprint(live, owned)
        evidence = Evidence(observed_at=seen.at, provider_id=live.provider_id, fingerprint=mark)
    return ResourceStatus(
        address=target.address,
        name=target.name,
        condition=judged.condition,
        reason=judged.reason,
        drift=judged.drift,
        evidence=evidence,
    )


@dataclass(frozen=True, slots=True)
class _Judged:
    condition: Condition
    reason: str | None = None
    drift: tuple[FieldDiff, ...] = field(default=())


def _judged(target: Target, live: Live, seen: Seen, providers: Providers) -> _Judged:
    applied = target.applied
    if live.presence is Presence.UNKNOWN:
        reason = live.reason.message if live.reason else "the provider did not say"
        return _Judged(Condition.UNKNOWN, reason)
    if live.presence is Presence.ABSENT:
        return _Judged(Condition.MISSING, "it is not there")
    if applied is None:
        return _Judged(Condition.OK)
    if seen.identity_of(target) != applied.cluster_id:
        return _Judged(Condition.FOREIGN, "it is on another cluster than the one that it was applied to")
    drift = _drift(target, live, providers)
    if applied.provider_id != live.provider_id:
        return _Judged(
            Condition.FOREIGN, "it was made again, or changed into another version, outside of streamt", drift
        )
    if applied.condition == INCOMPLETE:
        return _Judged(Condition.FAILED, "its last change was done half", drift)
    if applied.condition == "stopped":
        return _Judged(Condition.STOPPED, None, drift)
    return _Judged(Condition.DRIFTED, f"{len(drift)} of its fields differ", drift) if drift else _Judged(Condition.OK)


def _ours(target: Target, providers: Providers) -> dict[str, object]:
    if target.applied is None:
        return {}
    return dict(providers[target.address.kind].backend.desired(target.applied.content))


def _drift(target: Target, live: Live, providers: Providers) -> tuple[FieldDiff, ...]:
    applied = target.applied
    assert applied is not None, "only what was applied can drift"
    wanted = providers[target.address.kind].backend.desired(applied.content)
    return tuple(
        FieldDiff(path=path, desired=value, applied=value, live=live.fields.get(path, ABSENT))
        for path, value in sorted(wanted.items())
        if path not in applied.secrets and live.fields.get(path, ABSENT) != value
    )
