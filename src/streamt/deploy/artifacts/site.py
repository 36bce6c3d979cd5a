"""Where artifacts are made: the compiled project, its environment, and the addresses of what it makes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from streamt.compiler.compile import Compilation
from streamt.compiler.model import CompiledModel
from streamt.deploy.artifact import Address, Artifact, Content, Declaration, Ownership, Part, ResourceKind
from streamt.deploy.artifacts.secret_book import SecretBook
from streamt.diagnostics import Code, Diagnostic, ProjectPath
from streamt.project import Project
from streamt.project.language import Runtime, Source


@dataclass(frozen=True)
class Site:
    """What every artifact of a project is made from.

    Attributes:
        project: what is declared.
        compilation: what it means.
        schemas: the schemas of models' records, by model and part.
        book: collects the secrets.
    """

    project: Project
    compilation: Compilation
    schemas: Mapping[tuple[str, Part], Artifact] = field(default_factory=dict)
    book: SecretBook = field(default_factory=SecretBook)

    @cached_property
    def _addresses(self) -> dict[tuple[ResourceKind, str, Part | None], Address]:
        return {}

    @cached_property
    def models(self) -> Mapping[str, CompiledModel]:
        """The models, by name."""
        return {each.node.name: each for each in self.compilation.models}

    @cached_property
    def sources(self) -> Mapping[str, tuple[int, Source]]:
        """The sources, by name, each with its index."""
        return {each.name: (index, each) for index, each in enumerate(self.project.document.sources)}

    @property
    def runtime(self) -> Runtime:
        """Where the project runs."""
        return self.project.document.runtime or Runtime()

    @property
    def names(self) -> tuple[str, str]:
        """The names of the project and of its environment."""
        return self.project.document.project.name, self.project.environment

    def address(self, kind: ResourceKind, name: str, part: Part | None = None) -> Address:
        """Return the address of what a source or model makes; the same one for equal questions."""
        found = self._addresses.get((kind, name, part))
        if found is None:
            project, environment = self.names
            found = Address(project=project, environment=environment, kind=kind, name=name, part=part)
            self._addresses[kind, name, part] = found
        return found

    def artifact(
        self, model: CompiledModel, kind: ResourceKind, content: Mapping[str, Content], *depends_on: Address
    ) -> Artifact:
        """Return a resource that a model makes; its content says its `name`, and its `cluster` if it has one."""
        declaration = Declaration(kind="model", name=model.node.name, owner=model.node.owner)
        return Artifact(
            address=self.address(kind, model.node.name),
            name=str(content.get("name") or content["job_name"]),
            cluster=cast("str | None", content.get("cluster")),
            content=content,
            declaration=declaration,
            ownership=mode_of(model),
            protect=_is_protected(model, kind),
            depends_on=depends_on,
        )


def mode_of(model: CompiledModel) -> Ownership:
    """Return how what a model makes is managed."""
    return model.declaration.ownership.mode if model.declaration.ownership else "managed"


def _is_protected(model: CompiledModel, kind: ResourceKind) -> bool:
    declared = model.declaration.ownership.protect if model.declaration.ownership else None
    return kind in (ResourceKind.TOPIC, ResourceKind.SCHEMA) if declared is None else declared


def wrong(message: str, place: ProjectPath, hint: str | None = None) -> Diagnostic:
    """Return why something cannot be deployed as it is declared."""
    return Diagnostic(code=Code.COMPILE_ERROR, message=message, location=place, hint=hint)
