"""A whole project, as its files say it."""

from typing import Annotated

from pydantic import Field, Strict

from streamt.project.language.exposures import Exposure
from streamt.project.language.fields import Name, NonBlank, NotNull, SampleSize, Struct
from streamt.project.language.lifecycle import Lifecycle
from streamt.project.language.models import Model
from streamt.project.language.rules import Rules
from streamt.project.language.runtime import ApiVersion, DeploymentState, Runtime
from streamt.project.language.sources import Source
from streamt.project.language.tests import Test
from streamt.project.language.topics import TopicDefaults, TopicSettings, config_text


class ProjectInfo(Struct):
    """What the project is called."""

    name: Name = Field(description="The project's name.")
    version: str | None = Field(None, description='The project\'s own version, in quotes: "1.0".')
    description: str | None = Field(None, description="What the project is for.")


class ModelDefaults(Struct):
    """What models have, unless they say otherwise."""

    cluster: str | None = Field(None, description="The Kafka cluster.")
    flink_cluster: NonBlank | None = Field(None, description="The Flink cluster.")
    topic: Annotated[TopicDefaults | None, NotNull()] = Field(
        None, description="How topics are made; wins over `defaults.topic`."
    )


class TestDefaults(Struct):
    """What tests have, unless they say otherwise."""

    __test__ = False  # pytest must not take it for one of its own

    flink_cluster: NonBlank | None = Field(None, description="The Flink cluster.")
    sample_size: SampleSize | None = Field(None, description="How many records a sample takes.")


class Defaults(Struct):
    """What holds where nothing else is said."""

    topic: Annotated[TopicDefaults | None, NotNull()] = Field(None, description="How topics are made.")
    models: Annotated[ModelDefaults | None, NotNull()] = Field(None, description="What models have.")
    tests: Annotated[TestDefaults | None, NotNull()] = Field(None, description="What tests have.")


class Document(Struct):
    """A whole project: the root file, with the files beside it merged in."""

    api_version: Annotated[ApiVersion | None, NotNull()] = Field(
        None, alias="apiVersion", description="The language's version."
    )
    project: ProjectInfo = Field(description="What the project is called.")
    runtime: Annotated[Runtime | None, NotNull()] = Field(None, description="Where the project runs.")
    defaults: Annotated[Defaults, NotNull()] = Field(
        default_factory=Defaults, description="What holds where nothing else is said."
    )
    rules: Annotated[Rules, NotNull()] = Field(default_factory=Rules, description="What the project must keep to.")
    sources: Annotated[tuple[Source, ...], Strict(strict=False)] = Field(
        (), description="Topics that somebody else fills."
    )
    models: Annotated[tuple[Model, ...], Strict(strict=False)] = Field(
        (), description="Records that this project makes."
    )
    tests: Annotated[tuple[Test, ...], Strict(strict=False)] = Field((), description="What must hold for records.")
    exposures: Annotated[tuple[Exposure, ...], Strict(strict=False)] = Field(
        (), description="What reads or writes the project's topics from outside."
    )
    lifecycle: Annotated[Lifecycle, NotNull()] = Field(
        default_factory=Lifecycle, description="What became of resources that are no longer declared as they were."
    )
    deployment_state: Annotated[DeploymentState, NotNull()] = Field(
        default_factory=DeploymentState, description="Where the record of what this project owns is kept."
    )

    def topic_settings(self, model: Model) -> TopicSettings:
        """Return the settings of `model`'s topic: its own, then the nearer defaults, then 1 and 1."""
        levels = (*model.topics, *self._topic_defaults)
        config = {key: config_text(value) for level in reversed(levels) for key, value in level.config.items()}
        return TopicSettings(
            name=model.topic_name,
            partitions=next((level.partitions for level in levels if level.partitions is not None), 1),
            replication_factor=next(
                (level.replication_factor for level in levels if level.replication_factor is not None), 1
            ),
            config=config,
        )

    @property
    def _topic_defaults(self) -> tuple[TopicDefaults, ...]:
        """The defaults of topics, the nearer first."""
        of_models = self.defaults.models.topic if self.defaults.models else None
        return tuple(level for level in (of_models, self.defaults.topic) if level)

    def sample_size(self, test: Test) -> int:
        """Return how many records a sample of `test` takes: its own, `defaults.tests.sample_size`, or 1000."""
        default = self.defaults.tests.sample_size if self.defaults.tests else None
        return test.sample_size or default or 1000
