"""What a provider must be able to do, and the values that travel between it and the engine.

A `Backend` is pure: from what is desired, applied and live it says what differs, how dangerous that is, and by which
calls it is settled. An `Observer` asks a provider and changes nothing; an `Adapter` is an observer that can also
execute one step. `plan`, `diff` and `status` are given observers only, so that the type checker sees that they change
nothing.

No value here holds a secret: a `SecretRef` stands for it, in artifacts and payloads, until an adapter resolves it.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, StrEnum
from functools import total_ordering
from typing import Literal, Protocol

from streamt.deploy.artifact import Address, Artifact, Content, Ownership, ResourceKind
from streamt.diagnostics import Diagnostic, Location

Fields = Mapping[str, Content]
"""The fields of a resource that can be compared, flat: JSON pointer into the artifact's content to value."""

ProviderId = Mapping[str, str | int]
"""What a provider knows a resource by: a topic's UUID; a subject's version and schema id."""


class Absent(Enum):
    """The value of a field that is not there at all, which JSON's null is not."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


class Verb(StrEnum):
    """What a plan does with one resource."""

    CREATE = "create"
    UPDATE = "update"
    UPGRADE = "upgrade"
    START = "start"
    DELETE = "delete"
    FORGET = "forget"
    ADOPT = "adopt"
    MOVE = "move"
    NONE = "none"


class AllowClass(StrEnum):
    """What `--allow CLASS:ADDRESS` can allow."""

    DISRUPTIVE = "disruptive"
    DESTRUCTIVE = "destructive"
    STATE_LOSS = "state_loss"
    UNKNOWN = "unknown"
    DUPLICATES = "duplicates"


@total_ordering
class Risk(Enum):
    """How dangerous a change is, from least to most; `unknown` outranks all and is never softened."""

    NONE = "none"
    SAFE = "safe"
    CAREFUL = "careful"
    DISRUPTIVE = "disruptive"
    DESTRUCTIVE = "destructive"
    UNKNOWN = "unknown"

    def __lt__(self, other: "Risk") -> bool:
        order = tuple(Risk)
        return order.index(self) < order.index(other)


class Presence(StrEnum):
    """Whether a provider has a resource; `unknown` when it could not be asked."""

    PRESENT = "present"
    ABSENT = "absent"
    UNKNOWN = "unknown"


class SecretState(StrEnum):
    """What can be said of a secret without showing it."""

    SAME = "same"
    CHANGED = "changed"
    UNKNOWN = "unknown"


# What is there


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What we last put at a provider, as state remembers it.

    Attributes:
        name: the physical name.
        cluster: the alias of the cluster; None where the project has only one.
        cluster_id: the provider's own identity of that cluster.
        provider_id: what the provider knows the resource by.
        ownership: how it came to us.
        protect: whether no plan may delete or stop it.
        digest: the digest of `content`.
        content: the artifact's content, secrets as references.
        operation: the operation that put it there.
        at: when, aware, in UTC.
        condition: what is known of its life: `running`, `stopped`; `incomplete` after a creation that failed half-way.
        secrets: by place in the content, an HMAC of the secret that was sent.
        depends_on: what must be there before it.
    """

    name: str
    cluster: str | None = None
    cluster_id: str
    provider_id: ProviderId
    ownership: Ownership = "managed"
    protect: bool = False
    digest: str
    content: Mapping[str, Content]
    operation: str
    at: datetime
    condition: str | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    depends_on: tuple[Address, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A resource that is looked at: at least one of `artifact` and `applied` is there, but for an import.

    Attributes:
        address: its lasting name.
        name: its physical name.
        cluster: the alias of its cluster.
        artifact: what it should be; None if it is no longer declared.
        applied: what we last put there; None if it is not ours.
    """

    address: Address
    name: str
    cluster: str | None = None
    artifact: Artifact | None = None
    applied: Applied | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """What a provider says of one resource.

    Attributes:
        presence: whether it is there.
        fields: its fields in the terms of the artifact's content, as far as they can be read; never a secret value.
        owners: of the fields that are neither desired nor applied, whose they are: `provider` for defaults and what the
            provider adds, `other` for what somebody else set. A path that is not listed is the provider's.
        secrets: of the desired fields that hold secrets, whether the live value is the desired one.
        provider_id: what the provider knows it by; part of the evidence's fingerprint.
        facts: what else `diff` must know, such as the version under which a schema's text is already registered; plain
            data, part of the evidence's fingerprint.
        reason: why it is unknown.
    """

    presence: Presence
    fields: Fields = field(default_factory=dict)
    owners: Mapping[str, Literal["provider", "other"]] = field(default_factory=dict)
    secrets: Mapping[str, SecretState] = field(default_factory=dict)
    provider_id: ProviderId = field(default_factory=dict)
    facts: Mapping[str, Content] = field(default_factory=dict)
    reason: Diagnostic | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything that a backend may judge by.

    Attributes:
        target: what is desired and applied.
        live: what the provider says.
        secrets: by place in the desired content, whether the secret is the one that was last sent.
    """

    target: Target
    live: Live
    secrets: Mapping[str, SecretState] = field(default_factory=dict)


# What is to be done


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDiff:
    """One field in which desired, applied and live are not all the same.

    Attributes:
        path: JSON pointer into the artifact's content: `/config/retention.ms`.
        desired: what it should be; ABSENT if it should not be set.
        applied: what we last set; ABSENT if we did not.
        live: what it is; ABSENT if it is not set.
        owner: whose it is.
        sensitive: whether it holds a secret; its values are then `same`, `changed` or `unknown`.
    """

    path: str
    desired: Content | Absent = ABSENT
    applied: Content | Absent = ABSENT
    live: Content | Absent = ABSENT
    owner: Literal["ours", "provider", "other"] = "ours"
    sensitive: bool = False

    @property
    def is_change(self) -> bool:
        """Report whether the provider must be changed: a field of ours is not live as it is desired."""
        if self.owner != "ours":
            return False
        if self.sensitive:
            return SecretState.CHANGED in (self.desired, self.live)
        return self.desired != self.live


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker:
    """Why an action may not be done as things are.

    Attributes:
        code: a stable word of the backend's or the engine's: `kafka_topic_in_use`.
        message: what is wrong, a noun phrase or one sentence; no secret.
        location: the declaration that is meant.
        hint: what to do next, an imperative.
        lifted_by: the class of `--allow` that lifts it; None if nothing does.
    """

    code: str
    message: str
    location: Location | None = None
    hint: str | None = None
    lifted_by: AllowClass | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """How an action can be taken back.

    Attributes:
        kind: `automatic`, `by_plan` (apply the previous commit) or `impossible`.
        message: a sentence for people.
    """

    kind: Literal["automatic", "by_plan", "impossible"]
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a backend makes of a situation.

    Attributes:
        verb: what is to be done; NONE if all is as desired.
        fields: what differs, sorted by path. Fields of others' are included, and alone are no change.
        risk: how dangerous it is.
        flags: stable words that a reader should see, such as `checked_late`.
        blockers: why it may not be done.
        undo: how it can be taken back.
        notes: sentences for people: what follows from it.
    """

    verb: Verb
    fields: tuple[FieldDiff, ...] = ()
    risk: Risk = Risk.NONE
    flags: tuple[str, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    undo: Undo | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call to a provider.

    Attributes:
        action: the backend's own word for it: `create`, `alter_config`. With `identity` it is all that `ask` is given
            of the step after a crash.
        call: the call in words, for plan and journal: `CreateTopics payments.v1 (12 partitions)`. No secret, no body.
        identity: plain data by which the provider can later be asked whether the call happened; written to the journal.
        payload: what is sent, secrets as references; neither in the plan nor in the journal.
    """

    action: str
    call: str
    identity: Mapping[str, Content]
    payload: Mapping[str, Content] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A change with its steps, for the provider to say whether it would take them."""

    situation: Situation
    change: Change
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a provider said of a proposal, without doing it.

    Attributes:
        asked: the questions in words: `CreateTopics (validate only)`.
        blockers: what the provider would refuse, in its own words.
        flags: more flags for the change.
        risk: a higher risk than the change's, if the answer makes it so.
    """

    asked: tuple[str, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    flags: tuple[str, ...] = ()
    risk: Risk = Risk.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What `apply` will demand.

    Attributes:
        kind: `confirm_env`, `reviewed_plan` or `allow`.
        allow: for `allow`, the class.
        address: for `allow`, the resource.
    """

    kind: Literal["confirm_env", "reviewed_plan", "allow"]
    allow: AllowClass | None = None
    address: Address | None = None

    def __str__(self) -> str:
        return ":".join(str(each) for each in (self.kind, self.allow, self.address) if each is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What an action was decided on.

    Attributes:
        observed_at: aware, in UTC.
        provider_id: what the provider knows the resource by.
        fingerprint: digest of presence, provider id, facts and the live values of our fields; not of lag or time.
        asked: the questions that were asked, in words.
    """

    observed_at: datetime
    provider_id: ProviderId = field(default_factory=dict)
    fingerprint: str
    asked: tuple[str, ...] = ()


# Who is affected


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A consumer group that reads a topic.

    Attributes:
        id: its name.
        state: as the broker says it: `Stable`, `Empty`; None if it was not seen.
        members: how many; None if it was not seen.
        lag: records that it has not read of the topic; None if it was not seen.
        declared: whether an exposure or a model of the project declares it.
    """

    id: str
    state: str | None = None
    members: int | None = None
    lag: int | None = None
    declared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """The groups with members or committed offsets, by topic.

    Attributes:
        groups: by topic; a topic without readers may be left out.
        evidence: `partial` if anything was skipped or refused, never "none"; `absent` if nothing could be seen.
        why: what was skipped or refused, in words.
    """

    groups: Mapping[str, tuple[Group, ...]] = field(default_factory=dict)
    evidence: Literal["complete", "partial", "absent"]
    why: tuple[str, ...] = ()


# What came of it


class Outcome(StrEnum):
    """What came of a call: certainly done, certainly not done, or not known."""

    DONE = "done"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """What came of a step.

    Attributes:
        outcome: REFUSED when the provider said no or was never reached; UNKNOWN when the request may have been done.
        provider_id: what the provider knows the resource by now; empty if this step tells nothing of it.
        error: for REFUSED and UNKNOWN: E561, E560 or E562 with the provider's words, masked.
    """

    outcome: Outcome
    provider_id: ProviderId = field(default_factory=dict)
    error: Diagnostic | None = None


class Happened(StrEnum):
    """Whether a recorded call happened."""

    DONE = "done"
    UNDONE = "undone"
    CANNOT_TELL = "cannot_tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Whether a recorded call happened.

    Attributes:
        happened: the verdict.
        provider_id: for DONE, what the provider knows the resource by.
        reason: how that was told, or why it cannot be; a sentence for people.
    """

    happened: Happened
    provider_id: ProviderId = field(default_factory=dict)
    reason: str


# Who does it


class Backend(Protocol):
    """What one kind of resource means. Every method is pure: no I/O, no clock, no randomness."""

    @property
    def kind(self) -> ResourceKind:
        """Return the kind."""
        ...

    def desired(self, content: Mapping[str, Content]) -> Fields:
        """Return the fields that an artifact's content asks for, in the form in which `Live.fields` shows them."""
        ...

    def diff(self, situation: Situation) -> Change:
        """Return what brings a declared resource to what it should be.

        The engine has settled before whose it is: the resource is live and applied, or live and absent from state while
        being adopted, or absent.
        """
        ...

    def removal(self, situation: Situation) -> Change:
        """Return what deletes a resource that is live, applied, and no longer declared."""
        ...

    def steps(self, situation: Situation, change: Change) -> tuple[Step, ...]:
        """Return the calls of `change`, in order; none for NONE."""
        ...


class Observer(Protocol):
    """Asks a provider, and changes nothing."""

    def identity(self) -> str:
        """Return the provider's own identity of the cluster, which no address gives away.

        Raises:
            StreamtError: E560, the provider cannot be reached.
        """
        ...

    def list_names(self) -> tuple[str, ...]:
        """Return the names of all resources that are not the provider's own, sorted.

        Raises:
            StreamtError: E560 or E561.
        """
        ...

    def observe(self, targets: Sequence[Target]) -> Mapping[Address, Live]:
        """Return what the provider says of each target, in as few requests as it takes.

        A target that alone cannot be seen is UNKNOWN, with its reason.

        Raises:
            StreamtError: E560 or E561, nothing can be seen.
        """
        ...

    def check(self, proposals: Sequence[Proposal]) -> Mapping[Address, Checked]:
        """Return what the provider would say to each proposal; one that is not asked about may be left out.

        Raises:
            StreamtError: E560, nothing can be asked.
        """
        ...

    def ask(self, step: Step, target: Target) -> Answer:
        """Return whether a step that was recorded before a crash or an unknown outcome happened.

        Args:
            step: `action`, `call` and `identity` as recorded; its payload is empty.
            target: the resource, with the artifact that was being applied and what had been applied before.
        """
        ...


class Adapter(Observer, Protocol):
    """An observer that can execute a step."""

    def execute(self, step: Step) -> StepResult:
        """Do one step, once, and wait until the provider itself shows it; bounded by the adapter's time-outs.

        Whatever goes wrong is part of the result; nothing is raised but what stops the program.
        """
        ...


class ReadersObserver(Protocol):
    """Sees who reads topics."""

    def readers(self, topics: Sequence[str]) -> Readers:
        """Return the groups of the given topics, within the bounds of time and number that the adapter sets.

        Whatever cannot be seen makes the evidence partial or absent; nothing is raised.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Everything that the engine knows of one kind of resource.

    Attributes:
        backend: what the kind means.
        observer: opens an observer of a cluster, by its alias; nothing is sent before the first question.
        adapter: opens an adapter.
        readers: opens what sees consumer groups, for topics.
        reader_blockers: why a topic may not be deleted because of who reads it, by its physical name.
    """

    backend: Backend
    observer: Callable[[str | None], AbstractContextManager[Observer]]
    adapter: Callable[[str | None], AbstractContextManager[Adapter]]
    readers: Callable[[], AbstractContextManager[ReadersObserver]] | None = None
    reader_blockers: Callable[[Readers, str], tuple[Blocker, ...]] | None = None


Providers = Mapping[ResourceKind, Provider]
"""The kinds that can be deployed; a kind that is missing is said to be not deployed yet."""
