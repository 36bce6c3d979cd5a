"""Plans as plain data and back: what is saved, and what `--output json` shows."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from streamt import __version__
from streamt.deploy.artifact import Address, Content, decode, encode
from streamt.deploy.backend import (
    ABSENT,
    Absent,
    AllowClass,
    Blocker,
    Evidence,
    FieldDiff,
    Group,
    Need,
    Risk,
    Step,
    Undo,
    Verb,
)
from streamt.deploy.plan.model import (
    Action,
    AffectedExposure,
    Cause,
    Completeness,
    Deferred,
    Impact,
    Orphan,
    Plan,
)
from streamt.deploy.sealed import SealError
from streamt.deploy.state import StateVersion
from streamt.deploy.state.wire import Time, Uuid, Wire, WireAddress, place_of
from streamt.deploy.times import write_time
from streamt.diagnostics import Location, ProjectPath

FORMAT = "streamt.plan/1"


def plan_data(plan: Plan) -> dict[str, Any]:
    """Return a plan as plain data, without its digest."""
    return {
        "format": FORMAT,
        "streamt": __version__,
        "created_at": write_time(plan.created_at),
        **({"expires_at": write_time(plan.expires_at)} if plan.expires_at else {}),
        "project": plan.project,
        "environment": plan.environment,
        "protected": plan.protected,
        **({"selection": list(plan.selection)} if plan.selection is not None else {}),
        "offline": plan.offline,
        "refresh_only": plan.refresh_only,
        "manifest_digest": plan.manifest_digest,
        "environment_digest": plan.environment_digest,
        "state": plan.state.as_data() if plan.state else None,
        "actions": [action_data(each, index) for index, each in enumerate(plan.actions)],
        "orphans": [_named(each) for each in plan.orphans],
        "deferred": [_named(each) for each in plan.deferred],
        "needs": list(map(_need, plan.needs)),
        "notes": list(plan.notes),
        "summary": {"risk": plan.risk.value, **plan.counts},
    }


def action_data(action: Action, index: int) -> dict[str, Any]:
    """Return an action as plain data."""
    return {
        "index": index,
        "address": str(action.address),
        "kind": action.kind.value,
        "name": action.name,
        "cluster": action.cluster,
        "verb": action.verb.value,
        "cause": list(action.cause),
        "diff": list(map(_diff, action.diff)),
        "risk": action.risk.value,
        "flags": list(action.flags),
        "blockers": list(map(blocker_data, action.blockers)),
        "needs": list(map(_need, action.needs)),
        "impact": _impact(action.impact),
        "evidence": _evidence(action.evidence),
        "steps": [{"do": s.action, "call": s.call, "identity": encode(s.identity)} for s in action.steps],
        "undo": asdict(action.undo) if action.undo else None,
        "depends_on": [str(each) for each in action.depends_on],
        **({"source": str(action.source)} if action.source else {}),
        "notes": list(action.notes),
    }


def essence(action: Action) -> dict[str, Any]:
    """Return what two makings of one action must have in common: all but the time, lag, and who reads."""
    data = action_data(action, 0)
    del data["impact"]
    if data["evidence"]:
        del data["evidence"]["observed_at"]
    return data


def _named(each: Orphan | Deferred) -> dict[str, str]:
    return {"address": str(each.address), "kind": each.address.kind.value, "name": each.name}


def _need(need: Need) -> str:
    return str(need)


def _diff(diff: FieldDiff) -> dict[str, Any]:
    values = {"desired": diff.desired, "applied": diff.applied, "live": diff.live}
    known = {key: encode(value) for key, value in values.items() if not isinstance(value, Absent)}
    return {"path": diff.path, **known, "owner": diff.owner, "sensitive": diff.sensitive}


def blocker_data(blocker: Blocker) -> dict[str, Any]:
    """Return a blocker as plain data."""
    return {
        "code": blocker.code,
        "message": blocker.message,
        "location": "" if blocker.location is None else str(blocker.location),
        "hint": blocker.hint,
        "lifted_by": blocker.lifted_by.value if blocker.lifted_by else None,
    }


def _impact(impact: Impact) -> dict[str, Any]:
    return {
        "models": list(impact.models),
        "exposures": [asdict(each) for each in impact.exposures],
        "owners": list(impact.owners),
        "groups": [asdict(each) for each in impact.groups],
        "evidence": impact.evidence,
        "why": list(impact.why),
    }


def _evidence(evidence: Evidence | None) -> dict[str, Any] | None:
    if evidence is None:
        return None
    return {
        "observed_at": write_time(evidence.observed_at),
        "provider_id": dict(evidence.provider_id),
        "fingerprint": evidence.fingerprint,
        "asked": list(evidence.asked),
    }


# And back


def read_plan(data: Mapping[str, Any]) -> Plan:
    """Return the plan that `plan_data` wrote.

    Raises:
        SealError: it is none.
    """
    try:
        wire = _Plan.model_validate(data)
    except ValidationError as error:
        raise SealError(f"has an unexpected value at {place_of(error)}") from None
    return Plan(
        created_at=wire.created_at,
        expires_at=wire.expires_at,
        project=wire.project,
        environment=wire.environment,
        protected=wire.protected,
        selection=None if wire.selection is None else tuple(wire.selection),
        offline=wire.offline,
        refresh_only=wire.refresh_only,
        manifest_digest=wire.manifest_digest,
        environment_digest=wire.environment_digest,
        state=StateVersion(**wire.state.model_dump()) if wire.state else None,
        actions=tuple(map(_read_action, wire.actions)),
        orphans=tuple(Orphan(address=each.address, name=each.name) for each in wire.orphans),
        deferred=tuple(Deferred(address=each.address, name=each.name) for each in wire.deferred),
        unchanged=wire.summary.get("unchanged", 0) if isinstance(wire.summary.get("unchanged"), int) else 0,
        needs=tuple(map(_read_need, wire.needs)),
        notes=tuple(wire.notes),
    )


def _read_action(wire: "_Action") -> Action:
    return Action(
        address=wire.address,
        name=wire.name,
        cluster=wire.cluster,
        verb=wire.verb,
        cause=tuple(wire.cause),
        diff=tuple(map(_read_diff, wire.diff)),
        risk=wire.risk,
        flags=tuple(wire.flags),
        blockers=tuple(map(_read_blocker, wire.blockers)),
        needs=tuple(map(_read_need, wire.needs)),
        impact=_read_impact(wire.impact),
        evidence=_read_evidence(wire.evidence),
        steps=tuple(Step(action=each.do, call=each.call, identity=_mapping(each.identity)) for each in wire.steps),
        undo=Undo(kind=wire.undo.kind, message=wire.undo.message) if wire.undo else None,
        depends_on=tuple(wire.depends_on),
        source=wire.source,
        notes=tuple(wire.notes),
    )


def _mapping(data: Mapping[str, Any]) -> Mapping[str, Content]:
    return {key: decode(value) for key, value in data.items()}


def _read_need(text: str) -> Need:
    kind, _, rest = text.partition(":")
    word, _, address = rest.partition(":")
    if kind in ("confirm_env", "reviewed_plan") and not rest:
        return Need(kind="confirm_env" if kind == "confirm_env" else "reviewed_plan")
    if kind == "allow" and word in set(AllowClass) and (parsed := Address.parse(address)):
        return Need(kind="allow", allow=AllowClass(word), address=parsed)
    raise SealError("has an invalid need")


def _read_diff(wire: "_Diff") -> FieldDiff:
    given = wire.model_fields_set

    def value(key: str) -> Content | Absent:
        return decode(getattr(wire, key)) if key in given else ABSENT

    return FieldDiff(
        path=wire.path,
        desired=value("desired"),
        applied=value("applied"),
        live=value("live"),
        owner=wire.owner,
        sensitive=wire.sensitive,
    )


def _read_blocker(wire: "_Blocker") -> Blocker:
    return Blocker(
        code=wire.code,
        message=wire.message,
        location=_location(wire.location),
        hint=wire.hint,
        lifted_by=wire.lifted_by,
    )


def _location(text: str) -> Location | None:
    if not text.startswith("/"):
        return None
    return ProjectPath(tuple(part.replace("~1", "/").replace("~0", "~") for part in text[1:].split("/")))


def _read_impact(wire: "_Impact") -> Impact:
    return Impact(
        models=tuple(wire.models),
        exposures=tuple(AffectedExposure(**each.model_dump()) for each in wire.exposures),
        owners=tuple(wire.owners),
        groups=tuple(Group(**each.model_dump()) for each in wire.groups),
        evidence=wire.evidence,
        why=tuple(wire.why),
    )


def _read_evidence(wire: "_Evidence | None") -> Evidence | None:
    if wire is None:
        return None
    return Evidence(
        observed_at=wire.observed_at,
        provider_id=wire.provider_id,
        fingerprint=wire.fingerprint,
        asked=tuple(wire.asked),
    )


# The form on disk


class _State(Wire):
    store_id: Uuid
    address: str
    serial: int
    checksum: str


class _Diff(Wire):
    path: str
    desired: Any = None
    applied: Any = None
    live: Any = None
    owner: Literal["ours", "provider", "other"]
    sensitive: bool


class _Blocker(Wire):
    code: str
    message: str
    location: str
    hint: str | None
    lifted_by: Annotated[AllowClass, Field(strict=False)] | None


class _Exposure(Wire):
    name: str
    owner: str | None
    group: str | None


class _Group(Wire):
    id: str
    state: str | None
    members: int | None
    lag: int | None
    declared: bool


class _Impact(Wire):
    models: list[str]
    exposures: list[_Exposure]
    owners: list[str]
    groups: list[_Group]
    evidence: Completeness
    why: list[str]


class _Evidence(Wire):
    observed_at: Time
    provider_id: dict[str, str | int]
    fingerprint: str
    asked: list[str]


class _Step(Wire):
    do: str
    call: str
    identity: dict[str, Any]


class _Undo(Wire):
    kind: Literal["automatic", "by_plan", "impossible"]
    message: str


class _Action(Wire):
    index: int
    address: WireAddress
    kind: str
    name: str
    cluster: str | None
    verb: Annotated[Verb, Field(strict=False)]
    cause: list[Cause]
    diff: list[_Diff]
    risk: Annotated[Risk, Field(strict=False)]
    flags: list[str]
    blockers: list[_Blocker]
    needs: list[str]
    impact: _Impact
    evidence: _Evidence | None
    steps: list[_Step]
    undo: _Undo | None
    depends_on: list[WireAddress]
    source: WireAddress | None = None
    notes: list[str]


class _Named(Wire):
    address: WireAddress
    kind: str
    name: str


class _Plan(Wire):
    format: str
    streamt: str
    created_at: Time
    expires_at: Time | None = None
    project: str
    environment: str
    protected: bool
    selection: list[str] | None = None
    offline: bool
    refresh_only: bool
    manifest_digest: str
    environment_digest: str
    state: _State | None
    actions: list[_Action]
    orphans: list[_Named]
    deferred: list[_Named]
    needs: list[str]
    notes: list[str]
    summary: dict[str, Any]
