"""The part of the language that says what the project makes: `models`."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, Strict, StringConstraints, Tag

from streamt.project.language.fields import (
    LIST,
    MAPPING,
    TEXT,
    TRUTH,
    Boolean,
    Free,
    KafkaName,
    Milliseconds,
    Name,
    NameOrNames,
    Names,
    NonBlank,
    NotNull,
    Positive,
    PositiveMilliseconds,
    Scalar,
    SecretScalar,
    Struct,
    by_shape,
)
from streamt.project.language.rules import Level, Materialized
from streamt.project.language.schemas import ModelSchema
from streamt.project.language.sources import Column, Columns, EventTime, Input, Reference
from streamt.project.language.topics import Topic

# A word, or a time with its zone (https://www.rfc-editor.org/rfc/rfc3339#section-5.6).
START = (
    r"^(earliest|latest|committed|[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2}))$"
)


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
    checkpoint_interval_ms: PositiveMilliseconds | None = Field(
        None, description="Time between checkpoints, in milliseconds."
    )
    state_backend: str | None = Field(None, description="Where the job keeps its state.")
    state_ttl_ms: Milliseconds | None = Field(None, description="How long the job keeps its state, in milliseconds.")
    upgrade: Literal["savepoint", "offsets", "restart", "never"] | None = Field(
        None, description="How a changed job takes over from the old one; `savepoint`, or `offsets` without state."
    )
    start: Annotated[str, StringConstraints(pattern=START)] = Field(
        "earliest",
        description="Where a job without state begins: `earliest`, `latest`, `committed`, or a time as in RFC 3339.",
    )
    changelog: Literal["append", "upsert"] | None = Field(
        None, description="What the query gives, where it is not told rightly: new rows alone, or changes of old ones."
    )
    delivery: Literal["at_least_once", "exactly_once"] = Field(
        "at_least_once", description="How often a record is written if the job fails on the way."
    )
    options: Annotated[dict[str, Scalar], NotNull()] = Field(
        {}, description="Further settings of Flink, by their own names; those that streamt sets are refused."
    )


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

    mode: Literal["managed", "adopted", "external"] = Field("managed", description="The deployment's life.")
    protect: Boolean | None = Field(
        None, description="Whether no plan may delete or stop it; topics and schemas are protected by default."
    )


From = Annotated[
    Annotated[NonBlank, Tag(TEXT)]
    | Annotated[tuple[Reference, ...], Strict(strict=False), Field(min_length=1), Tag(LIST)],
    by_shape("a name, or a list of `ref: NAME` and `source: NAME`", TEXT, LIST),
]


class Model(Struct):
    """Records that this project makes."""

    name: Name = Field(description="The model's name; unique among sources and models.")
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
    sql_file: Annotated[NonBlank | None, NotNull()] = Field(
        None, description="File that holds the SQL instead: a `.sql` or `.sql.j2` file of the project."
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
    schema_: Annotated[ModelSchema | None, NotNull()] = Field(
        None, alias="schema", description="The schemas of the records in the registry."
    )
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
    """Return the settings of a virtual topic from any of its forms."""
    if isinstance(value, VirtualTopic):
        return value
    return VirtualTopic.model_construct(name=value if isinstance(value, str) else None)
