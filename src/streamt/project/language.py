"""The project language: what `stream_project.yml` and the files beside it may say, as frozen models.

Keys are attribute names, but for `from_` (key `from`), `schema_` (key `schema`) and `api_version` (key
`apiVersion`). Nothing is converted: a number is never text, a truth value never a number. `load_project`
fills a `Document`; what one mapping cannot tell by itself (names, references, two keys that exclude each
other) is checked in `streamt.project.check`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, Strict, Tag

from streamt.project.assertions import Assertion, OnFailure, Test
from streamt.project.fields import (
    LIST,
    MAPPING,
    TEXT,
    TRUTH,
    Boolean,
    Free,
    KafkaName,
    NameOrNames,
    Names,
    Natural,
    NonBlank,
    NotNull,
    Positive,
    Scalar,
    SecretScalar,
    Struct,
    by_shape,
)
from streamt.project.governance import Level, Materialized, Rules
from streamt.project.runtime import (
    API_VERSION,
    ApiVersion,
    DeploymentState,
    EnvironmentFile,
    Kafka,
    Runtime,
    Safety,
)
from streamt.project.sources import (
    Column,
    Columns,
    EventTime,
    Input,
    Reference,
    References,
    Source,
)

__all__ = [
    "API_VERSION",
    "Assertion",
    "Column",
    "Connector",
    "Contract",
    "DeploymentState",
    "Document",
    "EnvironmentFile",
    "EventTime",
    "Exposure",
    "Input",
    "Kafka",
    "Level",
    "Materialized",
    "Model",
    "OnFailure",
    "ProjectInfo",
    "Reference",
    "Rules",
    "Runtime",
    "Safety",
    "Source",
    "Test",
    "Topic",
    "TopicSettings",
    "VirtualTopic",
]


class ProjectInfo(Struct):
    """What the project is called."""

    name: NonBlank = Field(description="The project's name.")
    version: str | None = Field(None, description='The project\'s own version, in quotes: "1.0".')
    description: str | None = Field(None, description="What the project is for.")


class TopicDefaults(Struct):
    """How a topic is made, unless it says otherwise."""

    partitions: Positive | None = Field(None, description="How many partitions; 1 by default.")
    replication_factor: Positive | None = Field(None, description="How many replicas; 1 by default.")
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
    """Give a setting's value as Kafka and Connect take it: `true` for True, `604800000` for 604800000."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class VirtualTopic(Struct):
    """A topic that only the Gateway shows."""

    name: KafkaName | None = Field(None, description="The virtual topic's name; the model's name by default.")
    compression: Literal["none", "gzip", "snappy", "lz4", "zstd"] | None = Field(
        None, description="How records are compressed."
    )


VirtualTopicForms = Annotated[
    Annotated[KafkaName, Tag(TEXT)] | Annotated[bool, Tag(TRUTH)] | Annotated[VirtualTopic, Tag(MAPPING)],
    by_shape("a name, `true`, or a mapping", TEXT, TRUTH, MAPPING),
]


class Gateway(Struct):
    """What the Gateway does for a model."""

    virtual_topic: Annotated[VirtualTopicForms | None, NotNull()] = Field(
        None, description="The virtual topic: its settings, or just its name, or `true`."
    )


class FlinkSettings(Struct):
    """How the model's Flink job runs."""

    parallelism: Positive | None = Field(None, description="How many tasks run side by side.")
    checkpoint_interval_ms: Positive | None = Field(None, description="Time between checkpoints, in milliseconds.")
    state_backend: str | None = Field(None, description="Where the job keeps its state.")
    state_ttl_ms: Natural | None = Field(None, description="How long the job keeps its state, in milliseconds.")


class ModelAdvanced(Struct):
    """What few models need."""

    flink: Annotated[FlinkSettings | None, NotNull()] = Field(None, description="How the Flink job runs.")
    flink_cluster: NonBlank | None = Field(None, description="The Flink cluster that runs the job.")
    connect_cluster: NonBlank | None = Field(None, description="The Connect cluster that runs the connector.")
    topic: Annotated[Topic | None, NotNull()] = Field(None, description="The same fields as the model's `topic`.")
    event_time: Annotated[EventTime | None, NotNull()] = Field(
        None, description="Which column tells when something happened."
    )
    gateway: Annotated[Gateway | None, NotNull()] = Field(None, description="The same fields as `gateway`.")
    virtual_topic: Boolean | None = Field(None, description="Whether the model is a virtual topic.")


class Connector(Struct):
    """A Kafka Connect connector that takes records out of Kafka."""

    connector: NonBlank | None = Field(None, description="The connector's class, or a short name of it.")
    type: NonBlank | None = Field(None, description="Another name of `connector`; one of the two.")
    config: Annotated[dict[str, SecretScalar], NotNull()] = Field(
        {}, description="The connector's own settings; never shown, since some are secret."
    )

    @property
    def class_or_type(self) -> str:
        """The connector's class or short name, whichever key it stands under."""
        return self.connector or self.type or ""


class Contract(Struct):
    """What the model promises to those who read it."""

    enforced: Boolean = Field(default=False, description="Whether a model that breaks it is refused.")
    columns: Annotated[Columns, NotNull()] = Field((), description="The promised columns, all of them.")


def _as_method(value: object) -> object:
    """Read `method: null` as the method of that name: YAML has made nothing of the word."""
    return "null" if value is None else value


class Mask(Struct):
    """How one column is hidden."""

    column: NonBlank = Field(description="The column.")
    method: Annotated[
        Literal["hash", "redact", "partial", "tokenize", "null"],
        BeforeValidator(
            _as_method, json_schema_input_type=Literal["hash", "redact", "partial", "tokenize", "null"] | None
        ),
    ] = Field(description="How its values are changed.")
    for_roles: Annotated[Names, NotNull()] = Field((), description="For whom; for everybody if empty.")


class Policy(Struct):
    """One rule of what readers see."""

    mask: Mask = Field(description="How one column is hidden.")


class Security(Struct):
    """How delicate the model's columns are, and what readers see of them."""

    classification: Annotated[dict[str, Level], NotNull()] = Field({}, description="The level of each column.")
    policies: Annotated[tuple[Policy, ...], Strict(strict=False), NotNull()] = Field(
        (), description="What readers see."
    )


class MlOutput(Struct):
    """What one ML model of the SQL gives."""

    description: str | None = Field(None, description="What it predicts.")
    columns: Annotated[Columns, NotNull()] = Field((), description="The columns that it adds.")


class Ownership(Struct):
    """Who manages what is deployed; never a human owner."""

    mode: Literal["managed", "adopted", "external"] = Field(description="The deployment's life.")


From = Annotated[
    Annotated[NonBlank, Tag(TEXT)]
    | Annotated[tuple[Reference, ...], Strict(strict=False), Field(min_length=1), Tag(LIST)],
    by_shape("a name, or a list of `ref: NAME` and `source: NAME`", TEXT, LIST),
]


class Model(Struct):
    """Records that this project makes."""

    name: NonBlank = Field(description="The model's name; unique among sources and models.")
    description: str | None = Field(None, description="What the records are.")
    owner: str | None = Field(None, description="The person or team that answers for it.")
    tags: Annotated[Names, NotNull()] = Field((), description="Words to find it by.")
    access: Literal["private", "protected", "public"] | None = Field(None, description="Who may build on it.")
    group: str | None = Field(None, description="The group it belongs to.")
    version: str | None = Field(None, description='The model\'s own version, in quotes: "2".')
    key: Annotated[NameOrNames | None, NotNull()] = Field(None, description="The column or columns of the key.")
    columns: Annotated[Columns, NotNull()] = Field((), description="The records' columns.")
    deprecation: Free = Field(None, description="What readers should know of its end.")
    sql: Annotated[NonBlank | None, NotNull()] = Field(
        None, description='Flink SQL with Jinja: `{{ source("x") }}`, `{{ ref("y") }}`.'
    )
    macro: Annotated[NonBlank | None, NotNull()] = Field(
        None, description="Name of the file `macros/NAME.sql.j2` that the SQL comes from."
    )
    params: Annotated[dict[str, Free], NotNull()] = Field({}, description="What the macro's SQL is rendered with.")
    from_: Annotated[From | None, NotNull()] = Field(
        None, alias="from", description="What is read: a name, or a list of `ref: NAME` and `source: NAME`."
    )
    materialized: Materialized | None = Field(None, description="What the model becomes; inferred when absent.")
    contract: Annotated[Contract | None, NotNull()] = Field(
        None, description="What the model promises; `{}` promises no column at all."
    )
    topic: Annotated[Topic | None, NotNull()] = Field(None, description="How the output topic is made.")
    advanced: Annotated[ModelAdvanced | None, NotNull()] = Field(None, description="What few models need.")
    gateway: Annotated[Gateway | None, NotNull()] = Field(None, description="What the Gateway does.")
    sink: Annotated[Connector | None, NotNull()] = Field(None, description="The connector of a sink.")
    connector: Annotated[Connector | None, NotNull()] = Field(None, description="Another name of `sink`.")
    security: Annotated[Security | None, NotNull()] = Field(None, description="What is delicate, and who sees it.")
    ml_outputs: Annotated[dict[str, MlOutput], NotNull()] = Field({}, description="What each ML model gives.")
    ownership: Annotated[Ownership | None, NotNull()] = Field(
        None, description="Who manages what is deployed; never a human owner."
    )

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The names of `from`, in order, each with its place."""
        if self.from_ is None:
            return ()
        if isinstance(self.from_, str):
            return (Input(self.from_, "any", ("from",)),)
        return tuple(
            Input(each.name, "ref", ("from", index, "ref"))
            if each.ref is not None
            else Input(each.name, "source", ("from", index, "source"))
            for index, each in enumerate(self.from_)
        )

    @property
    def has_sql(self) -> bool:
        """Whether the model's records come from SQL, its own or a macro's."""
        return self.sql is not None or self.macro is not None

    @property
    def sink_connector(self) -> Connector | None:
        """The connector, whether the file calls it `sink` or `connector`."""
        return self.sink or self.connector

    @property
    def virtual_topic(self) -> VirtualTopic | None:
        """The virtual topic that the model asks for in words, if it does."""
        for gateway in (self.gateway, self.advanced.gateway if self.advanced else None):
            if gateway is not None and gateway.virtual_topic not in (None, False):
                return _virtual_topic(gateway.virtual_topic)
        return VirtualTopic() if self.advanced and self.advanced.virtual_topic else None

    @property
    def topic_name(self) -> str | None:
        """The explicit name of the output topic, if there is one."""
        return next((topic.name for topic in self.topics if topic.name is not None), None)

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The mappings of topic settings, `topic` before `advanced.topic`; no field stands in both."""
        return tuple(topic for topic in (self.topic, self.advanced.topic if self.advanced else None) if topic)

    @property
    def event_time(self) -> EventTime | None:
        """`advanced.event_time`."""
        return self.advanced.event_time if self.advanced else None

    @property
    def selected_columns(self) -> tuple[tuple[Column, ...], tuple[str, ...]]:
        """The columns that count (a contract's before the model's own), and their place from the model on."""
        if self.contract is not None:
            return self.contract.columns, ("contract", "columns")
        return self.columns, ("columns",)


def _virtual_topic(value: object) -> VirtualTopic:
    """Give the settings of a virtual topic from any of its forms."""
    if isinstance(value, VirtualTopic):
        return value
    return VirtualTopic.model_construct(name=value if isinstance(value, str) else None)


class Exposure(Struct):
    """Something outside the project that reads or writes its topics."""

    name: NonBlank = Field(description="The exposure's name, unique among the exposures.")
    type: Literal["application", "dashboard", "ml_training", "ml_inference", "api"] = Field(
        description="What kind of thing it is."
    )
    role: str | None = Field(None, description="What it does with the records.")
    description: str | None = Field(None, description="What it is for.")
    owner: str | None = Field(None, description="The person or team that answers for it.")
    url: str | None = Field(None, description="Where it is.")
    repo: str | None = Field(None, description="Where its code is.")
    language: str | None = Field(None, description="What it is written in.")
    tool: str | None = Field(None, description="What it is made with.")
    consumes: Annotated[References, NotNull()] = Field((), description="What it reads.")
    produces: Annotated[References, NotNull()] = Field((), description="What it writes.")
    depends_on: Annotated[References, NotNull()] = Field((), description="What it needs.")
    consumer_group: str | None = Field(None, description="Its Kafka consumer group.")
    sla: Free = Field(None, description="What it is promised; carried as it is written.")
    contracts: Free = Field(None, description="Its contracts; carried as they are written.")
    access: Free = Field(None, description="Who may use it; carried as it is written.")
    freshness: Free = Field(None, description="How fresh it must be; carried as it is written.")
    schedule: Free = Field(None, description="When it runs; carried as it is written.")


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
    sample_size: Positive | None = Field(None, description="How many records a sample takes.")


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
    deployment_state: Annotated[DeploymentState, NotNull()] = Field(
        default_factory=DeploymentState, description="Where the record of what this project owns is kept."
    )

    def topic_settings(self, model: Model) -> TopicSettings:
        """Give the settings of `model`'s topic: its own, then the nearer defaults, then 1 and 1."""
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
        """Give how many records a sample of `test` takes: its own, `defaults.tests.sample_size`, or 1000."""
        default = self.defaults.tests.sample_size if self.defaults.tests else None
        return test.sample_size or default or 1000
