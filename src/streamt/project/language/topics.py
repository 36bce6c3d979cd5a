"""The part of the language that says how topics are made."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from streamt.diagnostics import Supplied
from streamt.project.language.fields import KafkaName, NotNull, Positive, Replicas, Scalar, Struct


class TopicDefaults(Struct):
    """How a topic is made, unless it says otherwise."""

    partitions: Positive | None = Field(None, description="How many partitions; 1 by default.")
    replication_factor: Replicas | None = Field(None, description="How many replicas; 1 by default.")
    config: Annotated[dict[str, Scalar], NotNull()] = Field(
        {}, description="Kafka's topic settings, such as `retention.ms`."
    )


class Topic(TopicDefaults):
    """How a model's output topic is made."""

    name: KafkaName | None = Field(None, description="The topic's name; the model's name by default.")


@dataclass(frozen=True, slots=True)
class TopicSettings:
    """A topic with all defaults filled in.

    Attributes:
        name: its name in Kafka; None where the model gives no explicit one.
        partitions: how many, 1 or more.
        replication_factor: how many, 1 or more.
        config: Kafka's topic settings, as text as Kafka takes them.
    """

    name: str | None
    partitions: int
    replication_factor: int
    config: Mapping[str, str]


def config_text(value: str | float | bool) -> str:  # noqa: FBT001 - the value of a setting, not a switch
    """Return a setting's value as Kafka and Connect take it: `true` for True, `604800000` for 604800000."""
    if isinstance(value, Supplied):
        return value  # still marked as what a variable supplied
    return str(value).lower() if isinstance(value, bool) else str(value)
