"""Situations of one resource, for tests of backends."""

from collections.abc import Mapping
from datetime import UTC, datetime

from streamt.deploy.artifact import Address, Artifact, Content, Declaration, ResourceKind, digest
from streamt.deploy.backend import Applied, Backend, Fields, Live, Presence, ProviderId, Situation, Target

AT = datetime(2026, 1, 2, tzinfo=UTC)


def address(kind: ResourceKind = ResourceKind.TOPIC, name: str = "orders") -> Address:
    part = "value" if kind is ResourceKind.SCHEMA else None
    return Address(project="shop", environment="prod", kind=kind, name=name, part=part)  # type: ignore[arg-type] # a literal


def artifact(
    content: Mapping[str, Content], *, name: str = "orders.v1", kind: ResourceKind = ResourceKind.TOPIC
) -> Artifact:
    declaration = Declaration(kind="model", name="orders", owner="team-a")
    return Artifact(address=address(kind), name=name, content=content, declaration=declaration)


def applied(
    content: Mapping[str, Content], *, name: str = "orders.v1", provider_id: ProviderId | None = None
) -> Applied:
    known = {"topic_id": "T1"} if provider_id is None else provider_id
    return Applied(
        name=name,
        cluster_id="C1",
        provider_id=known,
        digest=digest(content),
        content=content,
        operation="00000000-0000-4000-8000-000000000000",
        at=AT,
    )


def target(
    desired: Mapping[str, Content] | None,
    before: Mapping[str, Content] | None = None,
    *,
    name: str = "orders.v1",
    kind: ResourceKind = ResourceKind.TOPIC,
    provider_id: ProviderId | None = None,
) -> Target:
    """Return a target by what is desired and what was applied."""
    return Target(
        address=address(kind),
        name=name,
        artifact=None if desired is None else artifact(desired, name=name, kind=kind),
        applied=None if before is None else applied(before, name=name, provider_id=provider_id),
    )


def present(fields: Fields, *, facts: Mapping[str, Content] | None = None, topic_id: str = "T1") -> Live:
    return Live(presence=Presence.PRESENT, fields=fields, provider_id={"topic_id": topic_id}, facts=facts or {})


def unchanged(backend: Backend, content: Mapping[str, Content]) -> Situation:
    """Return a situation in which desired, applied and live agree."""
    return Situation(target=target(content, content), live=present(backend.desired(content)))
