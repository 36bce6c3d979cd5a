"""What a plan is made of, besides what is seen: the project, its state, and what was asked for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from streamt.deploy.artifact import Address, Artifact, ResourceKind
from streamt.deploy.backend import Providers, Target
from streamt.deploy.plan.impact import Reach
from streamt.deploy.policy import Policy
from streamt.deploy.project import DeployProject, Removed
from streamt.deploy.state import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a plan is limited to.

    Attributes:
        selectors: as they were given.
        names: the logical names that they mean.
        kinds: the kinds that `kind:` names; None for all.
    """

    selectors: tuple[str, ...]
    names: frozenset[str]
    kinds: frozenset[ResourceKind] | None = None

    def holds(self, address: Address) -> bool:
        """Report whether a resource is selected."""
        return address.name in self.names and (self.kinds is None or address.kind in self.kinds)


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Everything that a plan is made of, before anybody is asked.

    Attributes:
        project: what is desired.
        policy: what the environment demands.
        snapshot: what is applied.
        providers: the kinds that can be deployed.
        reach: who is affected by what.
        selection: what the plan is limited to; None for everything.
        offline: whether no provider is asked.
        refresh_only: whether only drift is taken into state.
        with_readers: whether consumer groups are looked at.
        cluster_ids: the declared identities of clusters, by kind.
    """

    project: DeployProject
    policy: Policy = field(default_factory=Policy)
    snapshot: Snapshot
    providers: Providers
    reach: Reach = field(default_factory=Reach)
    selection: Selection | None = None
    offline: bool = False
    refresh_only: bool = False
    with_readers: bool = True
    cluster_ids: Mapping[ResourceKind, str] = field(default_factory=dict)

    @cached_property
    def desired(self) -> Mapping[Address, Artifact]:
        """What is desired of the selected kinds and names, as far as it can be deployed."""
        return {
            each.address: each
            for each in self.project.artifacts
            if each.address.kind in self.providers and (self.selection is None or self.selection.holds(each.address))
        }

    @cached_property
    def deferred(self) -> tuple[Artifact, ...]:
        """What is desired and selected, and of a kind that cannot be deployed yet."""
        return tuple(
            each
            for each in self.project.artifacts
            if each.address.kind not in self.providers
            and (self.selection is None or self.selection.holds(each.address))
        )

    @cached_property
    def removed(self) -> Mapping[Address, Removed]:
        """The declared ends of resources that are in state; none in a selected plan, which never deletes."""
        if self.selection is not None or self.refresh_only:
            return {}
        return {each.address: each for each in self.project.removed if each.address in self.snapshot.resources}

    @cached_property
    def moves(self) -> Mapping[Address, Address]:
        """The declared changes of names that have not happened yet: new address to old."""
        applied = self.snapshot.resources
        return {
            each.target: each.source
            for each in self.project.moved
            if each.target in self.desired and each.source in applied and each.target not in applied
        }

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """What must be looked at, sorted by address."""
        return tuple(sorted(self._targets(), key=lambda each: str(each.address)))

    @property
    def orphans(self) -> Iterator[Address]:
        """Yield what is in state and not declared, and about which nothing is said; nothing in a selected plan."""
        if self.selection is not None:
            return
        declared = {each.address for each in self.project.artifacts}
        moved = {each.source for each in self.project.moved}
        for address in self.snapshot.resources:
            if address not in declared and address not in self.removed and address not in moved:
                yield address

    @cached_property
    def manifest_digest(self) -> str:
        """The digest of everything that is desired, selected or not."""
        return self.project.digest

    def _targets(self) -> Iterator[Target]:
        applied = self.snapshot.resources
        for address, artifact in self.desired.items():
            yield Target(
                address=address,
                name=artifact.name,
                cluster=artifact.cluster,
                artifact=artifact,
                applied=applied.get(self.moves.get(address, address)),
            )
        for address in self.removed:
            if address not in self.desired and address.kind in self.providers:
                mine = applied[address]
                yield Target(address=address, name=mine.name, cluster=mine.cluster, applied=mine)
