"""Who is affected by a change: models and exposures downstream, and who answers for them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from streamt.deploy.backend import Group, Readers
from streamt.deploy.plan.model import AffectedExposure, Impact


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposed:
    """An exposure, with what it reads.

    Attributes:
        exposure: its name, owner and group.
        reads: logical names.
    """

    exposure: AffectedExposure
    reads: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Who reads what, by logical name.

    Attributes:
        readers: the models that read each source or model directly.
        owners: who answers for each source and model, as declared.
        exposures: all of them.
        groups: the consumer groups of the project's own jobs.
    """

    readers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    owners: Mapping[str, str] = field(default_factory=dict)
    exposures: tuple[Exposed, ...] = ()
    groups: frozenset[str] = frozenset()

    def downstream(self, name: str) -> frozenset[str]:
        """Return the models that read `name`, directly or through others."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            new = self.readers.get(waiting.pop(), frozenset()) - found
            found |= new
            waiting += new
        return frozenset(found - {name})

    def impact(self, name: str) -> Impact:
        """Return who is affected by a change of what `name` declares, groups aside."""
        models = self.downstream(name)
        touched = models | {name}
        exposures = [each.exposure for each in self.exposures if each.reads & touched]
        owners = {self.owners[each] for each in touched if each in self.owners}
        owners |= {each.owner for each in exposures if each.owner}
        return Impact(
            models=tuple(sorted(models)),
            exposures=tuple(sorted(exposures, key=lambda each: each.name)),
            owners=tuple(sorted(owners)),
            evidence="complete",
        )

    @property
    def declared_groups(self) -> frozenset[str]:
        """The consumer groups that the project knows of."""
        return self.groups | {each.exposure.group for each in self.exposures if each.exposure.group}


def with_groups(impact: Impact, readers: Readers | None, topic: str, declared: Iterable[str]) -> Impact:
    """Return the impact with the groups that read `topic`, as far as they were seen."""
    if readers is None:
        return replace(impact, evidence="absent")
    known = frozenset(declared)
    groups = sorted(readers.groups.get(topic, ()), key=lambda each: each.id)
    return replace(
        impact,
        groups=tuple(_declared(each, known) for each in groups),
        evidence=readers.evidence,
        why=readers.why,
    )


def _declared(group: Group, known: frozenset[str]) -> Group:
    return replace(group, declared=group.id in known)
