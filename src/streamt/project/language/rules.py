"""The part of the language that says what a project must keep to: `rules`."""

from typing import Annotated, Literal

from pydantic import Field, Strict, Tag

from streamt.project.language.fields import LIST, MAPPING, Boolean, Names, Natural, NotNull, Scalar, Struct, by_shape

Level = Literal["public", "internal", "confidential", "sensitive", "highly_sensitive"]
Materialized = Literal["topic", "virtual_topic", "flink", "sink"]
Levels = Annotated[tuple[Level, ...], Strict(strict=False)]
Kinds = Annotated[tuple[Materialized, ...], Strict(strict=False)]
NamesOrSettings = Annotated[
    Annotated[Names, Tag(LIST)] | Annotated[dict[str, Scalar], Tag(MAPPING)],
    by_shape("a list of names, or a mapping of names to values", LIST, MAPPING),
]


class TopicRules(Struct):
    """Rules for the topics that models make."""

    min_partitions: Natural | None = Field(None, description="The fewest partitions.")
    max_partitions: Natural | None = Field(None, description="The most partitions.")
    min_replication_factor: Natural | None = Field(None, description="The fewest replicas.")
    max_replication_factor: Natural | None = Field(None, description="The most replicas.")
    required_config: NamesOrSettings = Field(
        (), description="Settings that every topic must have: a list of names, or names with their values."
    )
    naming_pattern: str | None = Field(None, description="A regular expression for the whole of a topic's name.")
    forbidden_prefixes: Annotated[Names, NotNull()] = Field((), description="How no topic's name may begin.")
    forbidden_suffixes: Annotated[Names, NotNull()] = Field((), description="How no topic's name may end.")


class ModelRules(Struct):
    """Rules for models."""

    require_description: Boolean = Field(default=False, description="Every model has a description.")
    require_owner: Boolean = Field(default=False, description="Every model has an owner.")
    require_tests: Boolean = Field(default=False, description="Every model has a test.")
    min_tests: Natural | None = Field(None, description="The fewest tests of a model.")
    min_description_length: Natural | None = Field(None, description="The shortest description, in characters.")
    max_dependencies: Natural | None = Field(None, description="The most direct inputs of a model.")
    max_sql_length: Natural | None = Field(None, description="The longest SQL, in characters.")
    allowed_materializations: Annotated[Kinds | None, NotNull()] = Field(None, description="What a model may become.")
    required_tags: Annotated[Names, NotNull()] = Field((), description="Tags that every model has.")
    allowed_tags: Annotated[Names | None, NotNull()] = Field(None, description="The only tags that a model may have.")


class SourceRules(Struct):
    """Rules for sources."""

    require_description: Boolean = Field(default=False, description="Every source has a description.")
    require_owner: Boolean = Field(default=False, description="Every source has an owner.")
    require_schema: Boolean = Field(default=False, description="Every source has a schema.")
    require_columns: Boolean = Field(default=False, description="Every source has columns.")
    require_freshness: Boolean = Field(default=False, description="Every source says how fresh it is.")


class SecurityRules(Struct):
    """Rules for columns that tell about people."""

    require_classification: Boolean = Field(default=False, description="Every declared column has a classification.")
    allowed_classifications: Annotated[Levels | None, NotNull()] = Field(
        None, description="The only classifications that a column may have."
    )
    sensitive_columns_require_masking: Boolean = Field(
        default=False, description="Every sensitive or highly sensitive column of a model has a mask."
    )
    pii_column_patterns: Annotated[Names, NotNull()] = Field(
        (),
        description="Regular expressions: a column whose name holds one is classified sensitive or higher.",
    )


class ExposureRules(Struct):
    """Rules for exposures."""

    require_description: Boolean = Field(default=False, description="Every exposure has a description.")
    require_owner: Boolean = Field(default=False, description="Every exposure has an owner.")
    require_sla: Boolean = Field(default=False, description="Every exposure has an `sla`.")


class TestRules(Struct):
    """Rules for tests."""

    __test__ = False  # pytest must not take it for one of its own

    require_schema_tests: Boolean = Field(default=False, description="Every model has a test of type `schema`.")
    min_assertions_per_test: Natural | None = Field(None, description="The fewest assertions of a test.")


class Rules(Struct):
    """What the project must keep to; `validate` checks it."""

    topics: Annotated[TopicRules, NotNull()] = Field(default_factory=TopicRules, description="Rules for topics.")
    models: Annotated[ModelRules, NotNull()] = Field(default_factory=ModelRules, description="Rules for models.")
    sources: Annotated[SourceRules, NotNull()] = Field(default_factory=SourceRules, description="Rules for sources.")
    security: Annotated[SecurityRules, NotNull()] = Field(
        default_factory=SecurityRules, description="Rules for columns."
    )
    exposures: Annotated[ExposureRules, NotNull()] = Field(
        default_factory=ExposureRules, description="Rules for exposures."
    )
    tests: Annotated[TestRules, NotNull()] = Field(default_factory=TestRules, description="Rules for tests.")
