"""The part of the language that says what others fill: `sources`, with columns, references and event time."""

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import ConfigDict, Field, Strict
from pydantic.dataclasses import dataclass as pydantic_dataclass

from streamt.project.language.fields import (
    Boolean,
    KafkaName,
    Milliseconds,
    Name,
    Names,
    NonBlank,
    NotNull,
    Seconds,
    Struct,
    Text,
)
from streamt.project.language.rules import Level


# A slotted dataclass takes a sixth of a BaseModel's memory, and a project has more columns than all else. A
# strict one would take nothing but its own instances, so here each field is strict by itself.
@pydantic_dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="forbid", defer_build=True))
class Column:
    """One column of a source's, model's or contract's records."""

    name: Annotated[Name, Field(description="The column's name.")]
    type: Annotated[Text | None, Field(description="A Flink SQL type, kept exactly as written.")] = None
    description: Annotated[Text | None, Field(description="What the column holds.")] = None
    classification: Annotated[Level | None, Field(description="How delicate its values are.")] = None
    proctime: Annotated[Boolean | None, Field(description="Whether it is Flink's processing time.")] = None
    nullable: Annotated[Boolean | None, Field(description="Whether a value may be missing.")] = None
    primary_key: Annotated[Boolean | None, Field(description="Whether it belongs to the primary key.")] = None


Columns = Annotated[tuple[Column, ...], Strict(strict=False)]


class Reference(Struct):
    """Another declaration: `ref` names a model, `source` a source; exactly one of them."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    ref: NonBlank | None = Field(None, description="A model's name.")
    source: NonBlank | None = Field(None, description="A source's name.")

    @property
    def name(self) -> str:
        """The name, whichever key it stands under."""
        return self.ref or self.source or ""


References = Annotated[tuple[Reference, ...], Strict(strict=False)]


class Input(NamedTuple):
    """One name of a model's `from`.

    Attributes:
        name: what is read.
        kind: `ref` for a model, `source` for a source, `any` for a model or else a source.
        location: where it stands, from the model on, such as `from`, 0, `ref`.
    """

    name: str
    kind: Literal["ref", "source", "any"]
    location: tuple[str | int, ...]


class Watermark(Struct):
    """How late records may come."""

    strategy: Literal["bounded_out_of_orderness", "monotonously_increasing"] | None = Field(
        None, description="How the watermark follows the records' times."
    )
    max_out_of_orderness_ms: Milliseconds | None = Field(
        None, description="How far out of order records may be, in milliseconds."
    )


class EventTime(Struct):
    """Which column tells when something happened."""

    column: NonBlank | None = Field(None, description="The column that holds the time.")
    watermark: Annotated[Watermark | None, NotNull()] = Field(None, description="How late records may come.")
    allowed_lateness_ms: Milliseconds | None = Field(
        None, description="How late a record still counts in its window, in milliseconds."
    )


def _merged_event_time(plain: EventTime | None, advanced: EventTime | None) -> EventTime | None:
    """Merge the two places of an event time; `check` has refused fields that both of them say differently."""
    if plain is None or advanced is None:
        return plain or advanced
    own, other = plain.watermark, advanced.watermark
    watermark = own or other
    if own and other:
        watermark = Watermark.model_construct(**_said(own) | _said(other))
    return EventTime.model_construct(**_said(plain) | _said(advanced) | {"watermark": watermark})


def _said(struct: Struct) -> dict[str, Any]:
    """Return the fields of `struct` that have a value."""
    return {name: value for name, value in struct if value is not None}


class SchemaReference(Struct):
    """Where the records' schema is."""

    registry: str | None = Field(None, description="The schema registry.")
    subject: str | None = Field(None, description="The subject in the registry.")
    format: Literal["avro", "json", "protobuf"] | None = Field(None, description="The schema's language.")
    definition: str | None = Field(None, description="The schema itself.")


class Freshness(Struct):
    """How old the newest record may be."""

    max_lag_seconds: Seconds | None = Field(None, description="From this age on it is a failure.")
    warn_after_seconds: Seconds | None = Field(None, description="From this age on it is a warning.")


class SourceAdvanced(Struct):
    """What few sources need."""

    event_time: Annotated[EventTime | None, NotNull()] = Field(
        None, description="The same fields as the source's `event_time`; both are merged."
    )
    changelog: Literal["append", "upsert"] = Field(
        "append", description="Whether the topic's records replace each other by key."
    )


class Source(Struct):
    """A topic that somebody else fills."""

    name: Name = Field(description="The name that models use; unique among sources and models.")
    topic: KafkaName = Field(description="The Kafka topic's name.")
    description: str | None = Field(None, description="What the records are.")
    owner: str | None = Field(None, description="The person or team that answers for it.")
    cluster: str | None = Field(None, description="The Kafka cluster that holds it.")
    tags: Annotated[Names, NotNull()] = Field((), description="Words to find it by.")
    schema_: Annotated[SchemaReference | None, NotNull()] = Field(
        None, alias="schema", description="Where the records' schema is."
    )
    columns: Annotated[Columns, NotNull()] = Field((), description="The records' columns.")
    freshness: Annotated[Freshness | None, NotNull()] = Field(None, description="How old the newest record may be.")
    event_time: Annotated[EventTime | None, NotNull()] = Field(
        None, description="Which column tells when something happened."
    )
    advanced: Annotated[SourceAdvanced | None, NotNull()] = Field(None, description="What few sources need.")

    @property
    def effective_event_time(self) -> EventTime | None:
        """`event_time` and `advanced.event_time`, merged."""
        return _merged_event_time(self.event_time, self.advanced.event_time if self.advanced else None)
