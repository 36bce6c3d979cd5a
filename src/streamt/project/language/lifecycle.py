"""The part of the language that says what became of what was deployed: new names, and ends."""

from typing import Annotated

from pydantic import Field, Strict

from streamt.project.language.fields import Boolean, NonBlank, NotNull, Struct
from streamt.project.language.runtime import Deployable


class MovedName(Struct):
    """A new logical name of the same resource."""

    kind: Deployable = Field(description="What it is.")
    from_: NonBlank = Field(alias="from", description="The name that it had; a schema's with `/value` or `/key`.")
    to: NonBlank = Field(description="The name that it has now.")


class RemovedResource(Struct):
    """The declared end of a resource that streamt deployed."""

    kind: Deployable = Field(description="What it was.")
    name: NonBlank = Field(description="The logical name that it had; a schema's with `/value` or `/key`.")
    physical: NonBlank = Field(description="Its physical name, so that nothing else is meant.")
    delete: Boolean = Field(default=False, description="Whether it is deleted, or only forgotten.")


class Lifecycle(Struct):
    """What became of resources that the project no longer declares as they were."""

    moved: Annotated[tuple[MovedName, ...], Strict(strict=False), NotNull()] = Field(
        (), description="Resources whose logical name changed."
    )
    removed: Annotated[tuple[RemovedResource, ...], Strict(strict=False), NotNull()] = Field(
        (), description="Resources that are deleted or forgotten."
    )
