"""Asking the providers, without changing anything: who they are, what is there, whether they would take a change."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from typing import Self

from streamt.deploy.artifact import Address, ResourceKind
from streamt.deploy.backend import Checked, Live, Observer, Presence, Proposal, Providers, Readers, Target
from streamt.diagnostics import Code, Diagnostic, ProjectPath, StreamtError

_EVIDENCE_IS_MISSING = (Code.PROVIDER_UNREACHABLE, Code.PROVIDER_REFUSED, Code.WAIT_EXPIRED)

ClusterKey = tuple[ResourceKind, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the providers said.

    Attributes:
        at: when they were asked.
        lives: each target.
        identities: each cluster that was reached.
        unreachable: why the others were not.
    """

    at: datetime
    lives: Mapping[Address, Live]
    identities: Mapping[ClusterKey, str] = field(default_factory=dict)
    unreachable: Mapping[ClusterKey, Diagnostic] = field(default_factory=dict)

    def identity_of(self, target: Target) -> str | None:
        """Return the identity of the cluster that holds a target; None if it was not reached."""
        return self.identities.get(cluster_key(target))


def cluster_key(target: Target) -> ClusterKey:
    """Return the kind and alias of the cluster that holds a target."""
    return target.address.kind, target.cluster


class Look:
    """Observers of all providers, each opened when it is first needed."""

    def __init__(self, providers: Providers, expected: Mapping[ResourceKind, str]) -> None:
        """Prepare, and send nothing.

        Args:
            providers: the kinds that can be asked.
            expected: the declared identities of clusters, by kind.
        """
        self._providers = providers
        self._expected = expected
        self._stack = ExitStack()
        self._observers: dict[ClusterKey, Observer] = {}
        self._identities: dict[ClusterKey, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._stack.close()

    def observer(self, key: ClusterKey) -> Observer:
        """Return the observer of one cluster."""
        if key not in self._observers:
            kind, alias = key
            self._observers[key] = self._stack.enter_context(self._providers[kind].observer(alias))
        return self._observers[key]

    def look(self, targets: Sequence[Target], now: Callable[[], datetime]) -> Seen:
        """Return what the providers say of the targets; one that cannot be reached makes its targets unknown.

        Raises:
            StreamtError: E563, a cluster is not the declared one; nothing else was asked.
        """
        at = now()
        by_cluster = {key: tuple(group) for key, group in groupby(sorted(targets, key=_sort_key), cluster_key)}
        unreachable = dict(filter(None, map(self._identify, by_cluster)))
        lives: dict[Address, Live] = {}
        for key, group in by_cluster.items():
            if key not in unreachable:
                try:
                    lives |= self.observer(key).observe(group)
                except StreamtError as error:
                    unreachable[key] = _reason(error)
        for target in targets:
            reason = unreachable.get(cluster_key(target))
            lives.setdefault(target.address, Live(presence=Presence.UNKNOWN, reason=reason))
        return Seen(at=at, lives=lives, identities=dict(self._identities), unreachable=unreachable)

    def _identify(self, key: ClusterKey) -> tuple[ClusterKey, Diagnostic] | None:
        """Learn who a cluster is; return why not, if it cannot be reached."""
        if key in self._identities:
            return None
        try:
            identity = self.observer(key).identity()
        except StreamtError as error:
            return key, _reason(error)
        expected = self._expected.get(key[0])
        if expected is not None and identity != expected:
            raise _wrong_cluster(identity, expected)
        self._identities[key] = identity
        return None

    def check(self, proposals: Iterable[Proposal]) -> Mapping[Address, Checked | Diagnostic]:
        """Return what the providers would say to each proposal, or why they could not be asked."""
        found: dict[Address, Checked | Diagnostic] = {}
        ordered = sorted(proposals, key=lambda each: _sort_key(each.situation.target))
        for key, group in groupby(ordered, lambda each: cluster_key(each.situation.target)):
            batch = tuple(group)
            try:
                found |= self.observer(key).check(batch)
            except StreamtError as error:
                found |= dict.fromkeys((each.situation.target.address for each in batch), _reason(error))
        return found

    def readers(self, topics: Sequence[str]) -> Readers | None:
        """Return who reads the topics; None if nobody can be asked about that."""
        provider = self._providers.get(ResourceKind.TOPIC)
        if provider is None or provider.readers is None or not topics:
            return None
        with provider.readers() as observer:
            return observer.readers(topics)


def _reason(error: StreamtError) -> Diagnostic:
    """Return why a provider could not be asked; what is wrong with the project itself is raised again."""
    if any(each.code not in _EVIDENCE_IS_MISSING for each in error.diagnostics):
        raise error
    first, *_ = error.diagnostics
    return replace(first, message=error.messages)


def _sort_key(target: Target) -> tuple[str, str, str]:
    return target.address.kind.value, target.cluster or "", str(target.address)


def _wrong_cluster(identity: str, expected: str) -> StreamtError:
    message = f"the brokers belong to the Kafka cluster `{identity}`, and not to the declared `{expected}`"
    location = ProjectPath(("runtime", "kafka", "cluster_id"))
    hint = "check `bootstrap_servers`; nothing else was asked of this cluster"
    return StreamtError(Diagnostic(code=Code.WRONG_CLUSTER, message=message, location=location, hint=hint))
