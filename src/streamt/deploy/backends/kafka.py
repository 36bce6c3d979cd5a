"""Topics: what differs, how dangerous a change is, and by which calls it is made. Nothing here talks to Kafka.

A topic is never replaced. Settings change one by one, by name; partitions only grow; what cannot be done in place is a
blocker that says what to do instead.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal

from streamt.deploy.artifact import Content, ResourceKind, digest
from streamt.deploy.backend import (
    ABSENT,
    AllowClass,
    Blocker,
    Change,
    FieldDiff,
    Fields,
    Presence,
    Readers,
    Risk,
    Situation,
    Step,
    Undo,
    Verb,
)
from streamt.deploy.compare import compare_fields
from streamt.diagnostics import pointer

PARTITIONS, REPLICATION = "/partitions", "/replication_factor"
_CONFIG = "/config/"
_NUMBER = re.compile(r"(?P<sign>[+-]?)(?P<whole>[0-9]+)(?:\.(?P<fraction>[0-9]*))?")
RISKY_SETTINGS = frozenset({"retention.ms", "retention.bytes", "cleanup.policy", "max.message.bytes"})
"""The settings whose change can lose records, or refuse them."""

_BY_PLAN = Undo(kind="by_plan", message="Apply the previous commit: settings go back to what they were.")
_NO_SHRINKING = Undo(kind="impossible", message="Kafka never takes partitions away.")
_RECORDS_GONE = Undo(kind="impossible", message="Records that Kafka removes do not come back.")
_TOMBSTONE = Undo(kind="by_plan", message="Remove it from the project with a tombstone that deletes the topic.")


class TopicBackend:
    """Topics of a Kafka cluster."""

    kind = ResourceKind.TOPIC

    def desired(self, content: Mapping[str, Content]) -> Fields:
        """Return partitions, replication factor and settings; what the content leaves out is the broker's."""
        numbers = ((PARTITIONS, content.get("partitions")), (REPLICATION, content.get("replication_factor")))
        fields: dict[str, Content] = {path: number for path, number in numbers if number is not None}
        config = content.get("config")
        if isinstance(config, Mapping):
            fields |= {setting_path(name): normal(name, value) for name, value in config.items()}
        return fields

    def diff(self, situation: Situation) -> Change:
        """Return what brings a declared topic to what it should be."""
        if situation.live.presence is Presence.ABSENT:
            return self._creation(situation)
        artifact, applied = situation.target.artifact, situation.target.applied
        desired = self.desired(artifact.content) if artifact else {}
        fields = compare_fields(situation, desired, self.desired(applied.content) if applied else {})
        changes = tuple(each for each in fields if each.is_change)
        recreated = tuple(_recreated(situation))
        if not changes and not recreated:
            return Change(verb=Verb.NONE, fields=fields)
        blockers = (*recreated, *_blockers(situation, changes), *_unwritable(situation))
        blockers += tuple(_forbidden(situation, _rights(changes)))
        risk = max((Risk.UNKNOWN if recreated else Risk.NONE, *(_risk(situation, each) for each in changes)))
        return Change(
            verb=Verb.UPDATE,
            fields=fields,
            risk=risk,
            blockers=blockers,
            undo=_undo(changes, risk),
            notes=tuple(_notes(changes)),
        )

    def _creation(self, situation: Situation) -> Change:
        artifact, applied = situation.target.artifact, situation.target.applied
        assert artifact
        before = self.desired(applied.content) if applied else {}
        fields = compare_fields(situation, self.desired(artifact.content), before)
        vanished = tuple(_vanished(situation))
        blockers = (*vanished, *_unwritable(situation))
        return Change(
            verb=Verb.CREATE,
            fields=fields,
            risk=Risk.DISRUPTIVE if vanished else Risk.SAFE,
            blockers=blockers,
            undo=_TOMBSTONE,
            notes=tuple(_similar(situation)),
        )

    def removal(self, situation: Situation) -> Change:
        """Return what deletes a topic with all its records."""
        return Change(
            verb=Verb.DELETE,
            risk=Risk.DESTRUCTIVE,
            blockers=(*_recreated(situation), *_forbidden(situation, ("DELETE",))),
            undo=Undo(kind="impossible", message="The topic's records are deleted with it."),
        )

    def steps(self, situation: Situation, change: Change) -> tuple[Step, ...]:
        """Return the calls of `change`: settings first, then partitions."""
        match change.verb:
            case Verb.CREATE:
                return (_create(situation),)
            case Verb.UPDATE:
                changes = [each for each in change.fields if each.is_change]
                return (*_alter(situation, changes), *_grow(situation, changes))
            case Verb.DELETE:
                name = situation.target.name
                return (Step(action="delete", call=f"DeleteTopics {name}", identity=_identity(situation)),)
            case _:
                return ()


@lru_cache(maxsize=1_000)
def setting(path: str) -> str | None:
    """Return the name of the setting that `path` points to; None for another field."""
    return path.removeprefix(_CONFIG).replace("~1", "/").replace("~0", "~") if path.startswith(_CONFIG) else None


@lru_cache(maxsize=1_000)
def setting_path(name: str) -> str:
    """Return the path of a setting."""
    return pointer("config", name)


def normal(name: str | None, value: Content) -> Content:
    """Return a setting's value in one spelling, since the broker's differs from what was sent: `1` and `1.0`."""
    return value if name is None or not isinstance(value, str) else _normal(name, value)


@lru_cache(maxsize=10_000)  # thousands of topics share a few settings
def _normal(name: str, value: str) -> str:
    parts = [part.strip() for part in value.split(",")]
    if name == "cleanup.policy":
        parts.sort()
    text = ",".join(parts)
    if text.lower() in {"true", "false"}:
        return text.lower()
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text
    digits = f"{number['whole'].lstrip('0') or '0'}.{number['fraction'] or ''}".rstrip("0").rstrip(".")
    return f"-{digits}" if number["sign"] == "-" and digits != "0" else digits


def reader_blockers(readers: Readers, topic: str) -> tuple[Blocker, ...]:
    """Return why a topic may not be deleted because of who reads it.

    Args:
        readers: what was seen of consumer groups.
        topic: its physical name.
    """
    groups = readers.groups.get(topic, ())
    active = [group.id for group in groups if group.members != 0]
    if active:
        message = f"topic `{topic}` is read by {_named(active)}"
        return (Blocker(code="kafka_topic_in_use", message=message, hint="stop these consumers first"),)
    if readers.evidence != "complete":
        message = f"it could not be seen who reads topic `{topic}`: {'; '.join(readers.why) or 'no evidence'}"
        return (
            Blocker(code="kafka_topic_in_use", message=message, hint="let the user describe groups and the cluster"),
        )
    if not groups:
        return ()
    message = f"offsets of topic `{topic}` are committed by {_named([group.id for group in groups])}"
    lifted = AllowClass.DESTRUCTIVE
    return (Blocker(code="kafka_topic_has_readers", message=message, lifted_by=lifted),)


def _named(groups: list[str]) -> str:
    names = ", ".join(f"`{group}`" for group in sorted(groups)[:5])
    more = f" and {len(groups) - 5} more" if len(groups) > 5 else ""
    return f"group{'s' if len(groups) > 1 else ''} {names}{more}"


def _recreated(situation: Situation) -> Iterator[Blocker]:
    applied, live = situation.target.applied, situation.live
    if applied and applied.provider_id.get("topic_id", ABSENT) != live.provider_id.get("topic_id"):
        yield Blocker(
            code="kafka_topic_recreated",
            message=f"topic `{situation.target.name}` was deleted and made again: its id is not the one in state",
            hint=f"look at its records, then run `streamt adopt topic {situation.target.address.name}`",
        )


def _vanished(situation: Situation) -> Iterator[Blocker]:
    if situation.target.applied:
        yield Blocker(
            code="vanished_outside",
            message=f"topic `{situation.target.name}` was deleted outside of streamt, with its records",
            hint="find out who deleted it; allow it to be made again, empty",
            lifted_by=AllowClass.DISRUPTIVE,
        )


def _unwritable(situation: Situation) -> Iterator[Blocker]:
    """Yield a blocker if a topic asks for more replicas in sync than it has: Kafka takes that, and then no record."""
    artifact = situation.target.artifact
    config = artifact.content.get("config") if artifact else None
    if artifact is None or not isinstance(config, Mapping) or "min.insync.replicas" not in config:
        return
    desired = TopicBackend().desired(artifact.content)
    wanted = desired.get(setting_path("min.insync.replicas"))
    replicas = desired.get(REPLICATION, situation.live.fields.get(REPLICATION))
    if isinstance(wanted, str) and wanted.isdecimal() and isinstance(replicas, int) and int(wanted) > replicas:
        message = f"`min.insync.replicas` {wanted} of topic `{situation.target.name}` is above its {replicas} replicas"
        hint = "lower it, or raise `replication_factor`: as it is, no producer with `acks=all` can write"
        yield Blocker(code="kafka_min_insync_replicas", message=message, hint=hint)


def _similar(situation: Situation) -> Iterator[str]:
    similar = situation.live.facts.get("similar")
    for name in similar if isinstance(similar, (list, tuple)) else ():
        yield f"A topic `{name}` exists, whose name differs only in letter case."


def _forbidden(situation: Situation, needed: tuple[str, ...]) -> Iterator[Blocker]:
    """Yield a blocker for each right that the broker says the user does not have."""
    rights = situation.live.facts.get("rights")
    known = rights if isinstance(rights, (list, tuple)) else needed
    for right in needed:
        if right not in known:
            message = f"the user may not {right} topic `{situation.target.name}`"
            yield Blocker(code="kafka_not_authorized", message=message, hint=f"grant {right} on the topic")


def _rights(changes: tuple[FieldDiff, ...]) -> tuple[str, ...]:
    needed = {"ALTER" if each.path == PARTITIONS else "ALTER_CONFIGS" for each in changes if each.path != REPLICATION}
    return tuple(sorted(needed))


def _blockers(situation: Situation, changes: tuple[FieldDiff, ...]) -> Iterator[Blocker]:
    for change in changes:
        if change.path == PARTITIONS:
            yield from _of_partitions(situation, change)
        elif change.path == REPLICATION:
            message = (
                f"replication factor {change.live} of topic `{situation.target.name}` cannot become {change.desired}"
            )
            hint = "move replicas with `kafka-reassign-partitions.sh`, or declare the live number"
            yield Blocker(code="kafka_replication_change", message=message, hint=hint)
        else:
            yield from _of_setting(situation, change)


def _of_partitions(situation: Situation, change: FieldDiff) -> Iterator[Blocker]:
    name, artifact = situation.target.name, situation.target.artifact
    if _number(change.desired) < _number(change.live):
        message = f"topic `{name}` has {change.live} partitions and cannot have {change.desired}"
        hint = f"declare {change.live} partitions, or write to a new topic with another name"
        yield Blocker(code="kafka_partition_decrease", message=message, hint=hint)
    elif artifact and artifact.content.get("keyed"):
        yield Blocker(
            code="kafka_keyed_partition_increase",
            message=f"more partitions of keyed topic `{name}`: new records of a key go elsewhere than its old ones",
            hint="allow it if no consumer depends on the order or place of a key",
            lifted_by=AllowClass.DISRUPTIVE,
        )


def _of_setting(situation: Situation, change: FieldDiff) -> Iterator[Blocker]:
    name = setting(change.path)
    if name is None or not _loses(situation, change):
        return
    before, after = _effective(situation, change)
    codes = {"cleanup.policy": "kafka_cleanup_changes", "max.message.bytes": "kafka_message_size_shrinks"}
    what = "no larger record comes" if name == "max.message.bytes" else "the records that go may go"
    values = f"from {before or 'unknown'} to {after or 'the unknown default'}"
    yield Blocker(
        code=codes.get(name, "kafka_retention_shrinks"),
        message=f"`{name}` of topic `{situation.target.name}` goes {values}",
        hint=f"allow it if {what}",
        lifted_by=AllowClass.DESTRUCTIVE,
    )


def _risk(situation: Situation, change: FieldDiff) -> Risk:
    artifact = situation.target.artifact
    if change.path == PARTITIONS and artifact and artifact.content.get("keyed"):
        return Risk.DISRUPTIVE
    return Risk.DESTRUCTIVE if _loses(situation, change) else Risk.CAREFUL


def _loses(situation: Situation, change: FieldDiff) -> bool:
    """Report whether a setting's change can lose records or refuse them; what is not known can."""
    name = setting(change.path)
    if name not in RISKY_SETTINGS:
        return False
    before, after = _effective(situation, change)
    if before is None or after is None:
        return True
    if name == "cleanup.policy":
        return before != after
    return _limit(after) < _limit(before)


def _effective(situation: Situation, change: FieldDiff) -> tuple[str | None, str | None]:
    """Return what holds before and after: a value that is not set is inherited; None if that is not known."""
    inherited = situation.live.facts.get("inherited")
    name = setting(change.path) or ""
    default = inherited.get(name) if isinstance(inherited, Mapping) else None
    before, after = (default if each is ABSENT else each for each in (change.live, change.desired))
    return (None if before is None else str(before)), (None if after is None else str(after))


def _limit(text: str) -> float:
    """Return a limit as a number: -1 is none at all."""
    try:
        number = float(text)
    except ValueError:
        return float("-inf")
    return float("inf") if number < 0 else number


def _number(value: object) -> int:
    return value if isinstance(value, int) else -1


def _undo(changes: tuple[FieldDiff, ...], risk: Risk) -> Undo:
    if risk is Risk.DESTRUCTIVE:
        return _RECORDS_GONE
    return _NO_SHRINKING if any(each.path == PARTITIONS for each in changes) else _BY_PLAN


def _notes(changes: tuple[FieldDiff, ...]) -> Iterator[str]:
    for each in changes:
        if (name := setting(each.path)) and each.desired is ABSENT:
            yield f"`{name}` is no longer declared: the broker's default holds again."


def _identity(situation: Situation, **more: Content) -> Mapping[str, Content]:
    """Return by what a call is found again: the topic's name and the id that it has."""
    topic_id = situation.live.provider_id.get("topic_id")
    return {"topic": situation.target.name, "topic_id": topic_id, **more}


def _create(situation: Situation) -> Step:
    artifact, applied = situation.target.artifact, situation.target.applied
    assert artifact
    content, name = artifact.content, situation.target.name
    payload = {key: content.get(key) for key in ("partitions", "replication_factor", "config")}
    counted = content.get("partitions")
    shown = f" ({counted} partition{'s' if counted != 1 else ''})" if counted else ""
    before = applied.provider_id.get("topic_id") if applied else None
    identity: Mapping[str, Content] = {"topic": name, "topic_id": before}
    return Step(action="create", call=f"CreateTopics {name}{shown}", identity=identity, payload=payload)


def _alter(situation: Situation, changes: list[FieldDiff]) -> Iterator[Step]:
    named = {name: each for each in changes if (name := setting(each.path))}
    if not named:
        return
    artifact = situation.target.artifact
    config = artifact.content.get("config") if artifact else None
    values = config if isinstance(config, Mapping) else {}
    removed = [name for name in named if name not in values]
    new = [name for name in named if name not in removed]
    before = {each.path: None if each.live is ABSENT else each.live for each in named.values()}
    words: list[tuple[Literal["set", "delete"], list[str]]] = [("set", new), ("delete", removed)]
    shown = "; ".join(f"{word} {', '.join(names)}" for word, names in words if names)
    yield Step(
        action="alter",
        call=f"IncrementalAlterConfigs {situation.target.name} ({shown})",
        identity=_identity(situation, set=new, delete=removed, before=digest(before)),
        payload={"set": {name: values[name] for name in new}, "delete": removed},
    )


def _grow(situation: Situation, changes: list[FieldDiff]) -> Iterator[Step]:
    for each in changes:
        if each.path == PARTITIONS and _number(each.desired) > _number(each.live):
            wanted = _number(each.desired)
            yield Step(
                action="grow",
                call=f"CreatePartitions {situation.target.name} ({each.live} -> {wanted})",
                identity=_identity(situation, partitions=wanted, before=_number(each.live)),
                payload={"partitions": wanted},
            )
