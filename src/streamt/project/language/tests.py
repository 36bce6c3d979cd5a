"""The part of the language that says what must hold for records: `tests`."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, Strict

from streamt.project.language.fields import (
    Duration,
    Free,
    Name,
    NameOrNames,
    Names,
    NonBlank,
    NonNegative,
    NotNull,
    Number,
    Ratio,
    SampleSize,
    Scalar,
    Struct,
)


class NotNullAssertion(Struct):
    """No record lacks a value in any of these columns."""

    columns: Annotated[Names, Field(min_length=1)] = Field(description="The columns, nested ones as `a.b`.")


class UniqueKeyAssertion(Struct):
    """No two records have the same key."""

    key: NameOrNames = Field(description="The column, or the list of columns, that is the key.")
    window: Duration | None = Field(None, description="Only records this close in time count, such as `15m`.")
    tolerance: Ratio = Field(0, description="The share of records, from 0 to 1, that may repeat a key.")


class AcceptedValuesAssertion(Struct):
    """Every value of the column is one of these."""

    column: NonBlank = Field(description="The column.")
    values: Annotated[tuple[Scalar | None, ...], Strict(strict=False), Field(min_length=1)] = Field(
        description="The values, `null` among them if a value may be missing."
    )


class AcceptedTypesAssertion(Struct):
    """The values of each column are of its type."""

    types: Annotated[dict[str, NonBlank], Field(min_length=1)] = Field(description="The type of each column.")


class RangeAssertion(Struct):
    """Every value of the column lies between two bounds, both included."""

    column: NonBlank = Field(description="The column.")
    min: Number | None = Field(None, description="The smallest value allowed.")
    max: Number | None = Field(None, description="The largest value allowed.")


class MaxLagAssertion(Struct):
    """The newest record is not too old."""

    column: NonBlank = Field(description="The column that holds the record's time.")
    max_seconds: NonNegative = Field(description="The greatest age allowed, in seconds.")


class ThroughputAssertion(Struct):
    """Records come neither too slowly nor too fast."""

    min_per_second: NonNegative | None = Field(None, description="The fewest records each second.")
    max_per_second: NonNegative | None = Field(None, description="The most records each second.")


class Bucket(Struct):
    """One part of a distribution: the values from `min` (included) to `max` (excluded)."""

    min: Number | None = Field(None, description="The smallest value of the part; no bound if absent.")
    max: Number | None = Field(None, description="The value at which the next part begins; no bound if absent.")
    expected_ratio: Ratio = Field(description="The share of all records, from 0 to 1, that is expected here.")
    tolerance: Ratio = Field(0.05, description="How far the real share may be from the expected one.")


class DistributionAssertion(Struct):
    """The values of the column are spread as expected."""

    column: NonBlank = Field(description="The column.")
    buckets: Annotated[tuple[Bucket, ...], Strict(strict=False), Field(min_length=1)] = Field(
        description="The parts and the share of records in each."
    )


class ForeignKeyAssertion(Struct):
    """Every value of the column is a key of another model or source."""

    column: NonBlank = Field(description="The column.")
    ref_model: NonBlank = Field(description="The other model's (or source's) name.")
    ref_key: NonBlank = Field(description="The other one's column.")
    match_rate: Ratio = Field(1, description="The share of records, from 0 to 1, that must find their match.")


class CustomSqlAssertion(Struct):
    """A query over the sample gives the expected value."""

    sql: NonBlank = Field(description="The query; `{{ model }}` stands for the sample. It gives one value.")
    expect: Scalar | None = Field(0, description="The value that the query must give.")


class Assertion(Struct):
    """One thing that must hold, as a mapping with one key: the kind of assertion."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    not_null: Annotated[NotNullAssertion | None, NotNull()] = Field(
        None, description="No record lacks a value in any of these columns."
    )
    unique_key: Annotated[UniqueKeyAssertion | None, NotNull()] = Field(
        None, description="No two records have the same key."
    )
    accepted_values: Annotated[AcceptedValuesAssertion | None, NotNull()] = Field(
        None, description="Every value of the column is one of these."
    )
    accepted_types: Annotated[AcceptedTypesAssertion | None, NotNull()] = Field(
        None, description="The values of each column are of its type."
    )
    range: Annotated[RangeAssertion | None, NotNull()] = Field(
        None, description="Every value of the column lies between two bounds."
    )
    max_lag: Annotated[MaxLagAssertion | None, NotNull()] = Field(None, description="The newest record is not too old.")
    throughput: Annotated[ThroughputAssertion | None, NotNull()] = Field(
        None, description="Records come neither too slowly nor too fast."
    )
    distribution: Annotated[DistributionAssertion | None, NotNull()] = Field(
        None, description="The values of the column are spread as expected."
    )
    foreign_key: Annotated[ForeignKeyAssertion | None, NotNull()] = Field(
        None, description="Every value of the column is a key of another model or source."
    )
    custom_sql: Annotated[CustomSqlAssertion | None, NotNull()] = Field(
        None, description="A query over the sample gives the expected value."
    )

    @property
    def kind(self) -> str:
        """The assertion's one key, such as `not_null`."""
        return next(name for name in type(self).model_fields if getattr(self, name) is not None)

    @property
    def body(self) -> Any:
        """What stands under that key: the `...Assertion` of that kind."""
        return getattr(self, self.kind)


class OnFailure(Struct):
    """What a failed test means."""

    severity: Literal["error", "warning"] = Field("error", description="Whether it fails the command.")
    actions: Annotated[tuple[Free, ...], Strict(strict=False), NotNull()] = Field(
        (), description="What to do besides; carried as it is written."
    )


class Test(Struct):
    """One test of one model or source."""

    __test__ = False  # pytest must not take it for one of its own

    name: Name = Field(description="The test's name, unique among the tests.")
    description: str | None = Field(None, description="What the test is for.")
    model: NonBlank | None = Field(None, description="The model that is tested.")
    source: NonBlank | None = Field(None, description="The source that is tested, instead of a model.")
    type: Literal["schema", "sample", "continuous"] = Field(
        description="Against declared columns, against records of now, or by a job that goes on."
    )
    assertions: Annotated[tuple[Assertion, ...], Strict(strict=False)] = Field((), description="What must hold.")
    sample_size: SampleSize | None = Field(None, description="How many records a sample takes; 1000 by default.")
    timeout: Duration = Field("30s", description="How long a sample may take: `500ms`, `30s`, `2m`.")
    flink_cluster: NonBlank | None = Field(None, description="The Flink cluster of a continuous test.")
    on_failure: Annotated[OnFailure, NotNull()] = Field(
        default_factory=OnFailure, description="What a failed test means."
    )
