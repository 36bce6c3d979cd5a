"""What a topic's description tells: its fields, what a change is judged by, and whether a recorded call happened."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from streamt.clusters import Failure, FailureKind
from streamt.clusters.kafka_admin import Topic
from streamt.deploy.artifact import Content, SecretRef, digest
from streamt.deploy.backend import Answer, Fields, Happened, ProviderId, Step, Target
from streamt.deploy.backends.kafka import (
    PARTITIONS,
    REPLICATION,
    RISKY_SETTINGS,
    TopicBackend,
    normal,
    setting,
    setting_path,
)

_RIGHTS = ("ALTER", "ALTER_CONFIGS", "DELETE", "DESCRIBE_CONFIGS")
_BACKEND = TopicBackend()


def topic_of(step: Step) -> str:
    """Return the name of the topic that `step` is about."""
    return str(step.identity["topic"])


def partitions_of(step: Step) -> int:
    """Return how many partitions `step` asks for."""
    wanted = step.identity["partitions"]
    assert isinstance(wanted, int)
    return wanted


def colliding(names: Iterable[str]) -> Mapping[str, Failure]:
    """Return which of the topics that one plan creates cannot stand beside an earlier one of it.

    Kafka refuses a name that differs from another topic's only in `.` and `_`. Asked whether it would create
    both, it says yes to each: neither is there yet.
    """
    first: dict[str, str] = {}
    found: dict[str, Failure] = {}
    for name in sorted(names):
        before = first.setdefault(name.replace(".", "_"), name)
        if before != name:
            message = f"`{name}` collides with `{before}`, which this plan creates too"
            found[name] = Failure(FailureKind.REFUSED, "TOPIC_EXCEPTION", message)
    return found


def items(content: Content) -> Sequence[Content]:
    """Return the items of a list; none of anything else."""
    return content if isinstance(content, Sequence) and not isinstance(content, str) else ()


def is_absent(found: Topic | Failure) -> bool:
    """Report whether a topic is known not to be there."""
    return isinstance(found, Failure) and found.kind is FailureKind.ABSENT


@dataclass(frozen=True, slots=True)
class Ours:
    """The fields of a target that are ours.

    Attributes:
        target: the topic.
        desired: what should be; empty if it is no longer declared.
        applied: what we last put there; empty if it is not ours.
    """

    target: Target
    desired: Fields
    applied: Fields

    @classmethod
    def of(cls, target: Target) -> "Ours":
        """Return the fields of `target`."""
        contents = (each.content if each else {} for each in (target.artifact, target.applied))
        return cls(target, *map(_BACKEND.desired, contents))

    @property
    def paths(self) -> set[str]:
        """The paths of all of them."""
        return self.desired.keys() | self.applied.keys()


def fields_of(found: Topic) -> dict[str, Content]:
    """Return the fields of a topic in the terms of the artifact: what is set on the topic itself."""
    fields: dict[str, Content] = {PARTITIONS: found.partitions, REPLICATION: found.replication_factor}
    own = {name: each.value for name, each in found.settings.items() if each.source == "topic"}
    return fields | {setting_path(name): normal(name, value) for name, value in own.items()}


def facts_of(ours: Ours, found: Topic, inherited: Mapping[str, str]) -> Mapping[str, Content]:
    """Return what a change is judged by besides fields: the user's rights, and what holds where nothing is set."""
    risky = {setting(path) for path in ours.paths} & RISKY_SETTINGS
    known = {name: each for name in risky if name and (each := found.settings.get(name))}
    given = {name: each.value for name, each in known.items() if each.source != "topic"}
    defaults: dict[str, Content] = {name: normal(name, value) for name, value in given.items()}
    defaults |= {name: normal(name, inherited[name]) for name in known if name not in given and name in inherited}
    facts: dict[str, Content] = {"inherited": defaults} if defaults else {}
    if found.operations is not None:
        facts["rights"] = [right for right in _RIGHTS if right in found.operations or "ALL" in found.operations]
    return facts


def gives_back(ours: Ours) -> bool:
    """Report whether a setting that can lose records is given back to the broker's default."""
    if ours.target.artifact is None:
        return False
    return any(setting(path) in RISKY_SETTINGS for path in ours.applied.keys() - ours.desired.keys())


def differs(ours: Ours, found: Topic | Failure) -> bool:
    """Report whether a topic is not as it was last applied, so that it is worth a second look."""
    applied = ours.target.applied
    if isinstance(found, Failure):
        return is_absent(found) and applied is not None
    if applied is None or applied.provider_id.get("topic_id") != found.id:
        return True
    live = fields_of(found)
    return any(live.get(path) != value for path, value in ours.applied.items() if _is_plain(value))


def _is_plain(value: Content) -> bool:
    return not isinstance(value, SecretRef)


def shows(step: Step, found: Topic | Failure) -> bool:
    """Report whether the cluster shows what it was asked for by `step`."""
    if step.action == "delete":
        return is_absent(found) or (isinstance(found, Topic) and found.id != step.identity["topic_id"])
    if isinstance(found, Failure):
        return False
    if step.action == "grow":
        return found.partitions >= partitions_of(step)
    if step.action == "create":
        return True
    own = {name for name, each in found.settings.items() if each.source == "topic"}
    values = step.payload["set"]
    assert isinstance(values, Mapping)
    plain = {name: normal(name, value) for name, value in values.items() if _is_plain(value)}
    fields = fields_of(found)
    done = all(fields.get(setting_path(name)) == value for name, value in plain.items())
    return done and values.keys() <= own and not own & set(map(str, items(step.payload["delete"])))


def answer(step: Step, target: Target, found: Topic | None) -> Answer:
    """Return whether a recorded call happened, by what is there now."""
    if step.action == "delete":
        gone = found is None or found.id != step.identity["topic_id"]
        reason = "the topic is gone" if gone else "the topic is still there, under the same id"
        return Answer(happened=Happened.DONE if gone else Happened.UNDONE, reason=reason)
    if found is None:
        undone = step.action == "create"
        reason = "the topic is not there"
        return Answer(happened=Happened.UNDONE if undone else Happened.CANNOT_TELL, reason=reason)
    if step.action != "create" and found.id != step.identity["topic_id"]:
        return Answer(happened=Happened.CANNOT_TELL, reason="the topic was made again under another id")
    if step.action == "create" and found.id == step.identity["topic_id"]:
        return Answer(happened=Happened.UNDONE, reason="the topic that was there before is still there")
    return _compared(step, found, _wanted(step, target))


def _compared(step: Step, found: Topic, wanted: Mapping[str, Content]) -> Answer:
    live = fields_of(found)
    provider_id: ProviderId = {"topic_id": found.id}
    if all(live.get(path) == value for path, value in wanted.items()):
        return Answer(happened=Happened.DONE, provider_id=provider_id, reason="the topic is as the call makes it")
    if _is_as_before(step, live):
        return Answer(happened=Happened.UNDONE, reason="the topic is as it was before the call")
    return Answer(happened=Happened.CANNOT_TELL, reason="the topic is neither as before nor as the call makes it")


def _wanted(step: Step, target: Target) -> Mapping[str, Content]:
    """Return the fields as the call makes them; None where a setting is given back."""
    if step.action == "grow":
        return {PARTITIONS: step.identity["partitions"]}
    desired = _BACKEND.desired(target.artifact.content) if target.artifact else {}
    if step.action == "create":
        return {path: value for path, value in desired.items() if _is_plain(value)}
    return {path: desired.get(path) for path in _touched(step) if _is_plain(desired.get(path))}


def _is_as_before(step: Step, live: Mapping[str, Content]) -> bool:
    if step.action == "grow":
        return live[PARTITIONS] == step.identity["before"]
    return (
        step.action == "alter" and digest({path: live.get(path) for path in _touched(step)}) == step.identity["before"]
    )


def _touched(step: Step) -> Iterable[str]:
    names = (*items(step.identity.get("set")), *items(step.identity.get("delete")))
    return tuple(setting_path(str(name)) for name in names)
