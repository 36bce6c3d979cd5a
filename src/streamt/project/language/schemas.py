"""The part of the language that says which schemas a model's records have in the registry."""

from typing import Annotated, Literal

from pydantic import Field, Strict

from streamt.project.language.fields import NonBlank, NotNull, Positive, Struct

Compatibility = Literal[
    "NONE",
    "BACKWARD",
    "BACKWARD_TRANSITIVE",
    "FORWARD",
    "FORWARD_TRANSITIVE",
    "FULL",
    "FULL_TRANSITIVE",
]


class SubjectReference(Struct):
    """Another subject that a schema refers to."""

    name: NonBlank = Field(description="The name by which the schema refers to it.")
    subject: NonBlank = Field(description="The subject.")
    version: Positive | None = Field(None, description="The version; the newest when absent.")


class RegisteredSchema(Struct):
    """One schema of a model's records."""

    subject: NonBlank | None = Field(None, description="The subject; by `strategy` when absent.")
    format: Literal["avro", "json", "protobuf"] = Field("avro", description="The schema's language.")
    definition: NonBlank | None = Field(
        None, description="The schema itself; an Avro record of the columns when absent."
    )
    compatibility: Compatibility | None = Field(None, description="The subject's level; the registry's when absent.")
    strategy: Literal["topic", "record", "topic_record"] = Field(
        "topic", description="How the subject is named: after the topic, the record, or both."
    )
    references: Annotated[tuple[SubjectReference, ...], Strict(strict=False), NotNull()] = Field(
        (), description="Other subjects that the schema refers to."
    )


class ModelSchema(RegisteredSchema):
    """The schema of a model's values, and that of its keys."""

    key: Annotated[RegisteredSchema | None, NotNull()] = Field(None, description="The schema of the keys.")
