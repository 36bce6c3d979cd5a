"""Everything that a deployment needs to know of a project, and nothing that it must not show."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from streamt.deploy.artifact import Address, Artifact, ResourceKind, SecretRef, digest
from streamt.diagnostics import Diagnostic, StreamtError


class Secrets:
    """The values behind secret references; shown by nothing but `reveal`."""

    __slots__ = ("_unset", "_values")

    def __init__(self, values: Mapping[str, str], unset: Mapping[str, StreamtError] | None = None) -> None:
        self._values = dict(values)
        self._unset = dict(unset or {})

    def __repr__(self) -> str:
        return f"Secrets({len(self._values)} values)"

    def __iter__(self) -> Iterator[str]:
        return iter(self._values.values())

    def reveal(self, ref: SecretRef) -> str:
        """Return the value behind `ref`.

        Raises:
            StreamtError: E502, the variable that should supply it is not set.
        """
        if ref.pointer in self._unset:
            raise self._unset[ref.pointer]
        return self._values[ref.pointer]


@dataclass(frozen=True, slots=True)
class Moved:
    """A declared change of a logical name: the resource stays what it was."""

    source: Address
    target: Address


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """A declared end of a resource.

    Attributes:
        address: the address that it had.
        name: its physical name, as declared.
        delete: whether it is deleted, or only forgotten.
    """

    address: Address
    name: str
    delete: bool


@dataclass(frozen=True, kw_only=True)
class DeployProject:
    """What a deployment of one environment is made from.

    Attributes:
        project: the project's name.
        environment: the environment's name.
        protected: whether a change here needs more care.
        artifacts: sorted by address; external ones are left out, since nothing is done to them.
        edges: what reads what, by logical name.
        moved: the declared changes of names.
        removed: the declared ends.
        secrets: the values behind the artifacts' secret references.
        warnings: what making the artifacts had to say.
    """

    project: str
    environment: str
    protected: bool = False
    artifacts: tuple[Artifact, ...] = ()
    edges: tuple[tuple[str, str], ...] = ()
    moved: tuple[Moved, ...] = ()
    removed: tuple[Removed, ...] = ()
    secrets: Secrets = field(default_factory=lambda: Secrets({}), repr=False, compare=False)
    warnings: tuple[Diagnostic, ...] = ()

    @cached_property
    def digest(self) -> str:
        """The digest of all that is desired: project, environment, resources, and what became of others.

        It depends neither on the time nor on the program's version, and not on the order of declarations.
        """
        return digest(
            {
                "project": self.project,
                "environment": self.environment,
                "resources": [_desired(each) for each in self.artifacts],
                "moved": sorted([str(each.source), str(each.target)] for each in self.moved),
                "removed": sorted([str(each.address), each.name, each.delete] for each in self.removed),
            }
        )

    def of_kind(self, kind: ResourceKind) -> tuple[Artifact, ...]:
        """Return the artifacts of one kind, in order."""
        return tuple(each for each in self.artifacts if each.address.kind is kind)


def _desired(artifact: Artifact) -> list[str | bool | list[str] | None]:
    depends_on = [str(each) for each in artifact.depends_on]
    identity = [str(artifact.address), artifact.name, artifact.cluster]
    return [*identity, artifact.digest, artifact.ownership, artifact.protect, depends_on]
