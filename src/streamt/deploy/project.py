"""Everything that a deployment needs to know of a project, and nothing that it must not show."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from streamt.deploy.artifact import Address, Artifact, ResourceKind, SecretRef
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


@dataclass(frozen=True, slots=True, kw_only=True)
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

    def of_kind(self, kind: ResourceKind) -> tuple[Artifact, ...]:
        """Return the artifacts of one kind, in order."""
        return tuple(each for each in self.artifacts if each.address.kind is kind)
