"""A plan: a frozen value that is shown, saved, and executed as it is or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from streamt.deploy.artifact import Address, ResourceKind
from streamt.deploy.backend import Blocker, Evidence, FieldDiff, Group, Need, Risk, Step, Undo, Verb
from streamt.deploy.state import StateVersion

Cause = Literal["declared", "drift", "moved", "removed", "dependency"]
Completeness = Literal["complete", "partial", "absent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedExposure:
    """An exposure that reads what changes, directly or through models.

    Attributes:
        name: its name.
        owner: who answers for it, as declared.
        group: its consumer group, as declared.
    """

    name: str
    owner: str | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """Who is affected by an action.

    Attributes:
        models: that read what changes, directly or through others, sorted.
        exposures: likewise.
        owners: of all of them, sorted.
        groups: that read the topic, as the broker sees them.
        evidence: how much of the groups could be seen; `absent` also where nothing was asked.
        why: what was not seen.
    """

    models: tuple[str, ...] = ()
    exposures: tuple[AffectedExposure, ...] = ()
    owners: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    evidence: Completeness = "absent"
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What is to be done with one resource.

    Attributes:
        address: the resource.
        name: its physical name.
        cluster: the alias of its cluster.
        verb: what is to be done; `none` if only its blockers matter.
        cause: why.
        diff: what differs, sorted by path.
        risk: how dangerous it is.
        flags: stable words that a reader should see.
        blockers: why it may not be done as things are.
        needs: what `apply` will demand for it.
        impact: who is affected.
        evidence: what it was decided on; None offline.
        steps: the calls.
        undo: how it can be taken back.
        depends_on: what must be there before it.
        source: for a move, the address that it had.
        notes: sentences for people.
    """

    address: Address
    name: str
    cluster: str | None = None
    verb: Verb
    cause: tuple[Cause, ...]
    diff: tuple[FieldDiff, ...] = ()
    risk: Risk
    flags: tuple[str, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    needs: tuple[Need, ...] = ()
    impact: Impact = Impact()
    evidence: Evidence | None = None
    steps: tuple[Step, ...] = ()
    undo: Undo | None = None
    depends_on: tuple[Address, ...] = ()
    source: Address | None = None
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> ResourceKind:
        """What kind of resource it is."""
        return self.address.kind

    @property
    def is_blocked(self) -> bool:
        """Report whether a blocker stands in its way that no `--allow` lifts."""
        return any(each.lifted_by is None for each in self.blockers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphan:
    """A resource of ours that is no longer declared, and that nothing was said about.

    Attributes:
        address: its address.
        name: its physical name.
    """

    address: Address
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferred:
    """A resource that is declared, and whose kind cannot be deployed yet."""

    address: Address
    name: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What brings an environment to what its project declares.

    Attributes:
        created_at: when it was made, aware, in UTC.
        expires_at: when it may no longer be applied.
        project: the project's name.
        environment: the environment's name.
        protected: whether the environment is protected.
        selection: the selectors that it is limited to; None for everything.
        offline: whether no provider was asked; such a plan is never applied.
        refresh_only: whether it only takes into state what is live.
        manifest_digest: of what was desired.
        environment_digest: of the identities of the providers.
        state: the state that it was made against; None if there was none.
        actions: in the order in which they are executed.
        orphans: sorted by address.
        deferred: sorted by address.
        unchanged: how many resources are as they should be.
        needs: what `apply` will demand for the whole.
        notes: sentences for people.
    """

    created_at: datetime
    expires_at: datetime | None = None
    project: str
    environment: str
    protected: bool = False
    selection: tuple[str, ...] | None = None
    offline: bool = False
    refresh_only: bool = False
    manifest_digest: str
    environment_digest: str
    state: StateVersion | None = None
    actions: tuple[Action, ...] = ()
    orphans: tuple[Orphan, ...] = ()
    deferred: tuple[Deferred, ...] = ()
    unchanged: int = 0
    needs: tuple[Need, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def risk(self) -> Risk:
        """The greatest risk of its actions."""
        return max((each.risk for each in self.actions), default=Risk.NONE)

    @property
    def is_blocked(self) -> bool:
        """Report whether an action is blocked for good."""
        return any(each.is_blocked for each in self.actions)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many actions there are of each verb, and how many resources are unchanged."""
        found = dict.fromkeys((verb.value for verb in Verb if verb is not Verb.NONE), 0)
        for each in self.actions:
            if each.verb is not Verb.NONE:
                found[each.verb.value] += 1
        return {**found, "blocked": sum(each.is_blocked for each in self.actions), "unchanged": self.unchanged}
