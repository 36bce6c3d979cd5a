# GENERATED, DO NOT EDIT.
# command:   python -m codegen generate
# generator: datamodel-code-generator 0.89.0
# release:   OpenLineage 1.53.0
"""The OpenLineage 1.53.0 events and facets that streamt writes, made from the pinned schemas.

A constructor takes attribute names (`job_type`, `event_time`), strictly typed; None for an optional one means that it
is absent. `from_json` takes JSON names (`jobType`, `eventTime`) and refuses what the schemas refuse: a null, a missing
constant, an unknown name. `to_json` writes canonical JSON: sorted keys, no spaces, UTF-8, and nothing that is absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self, TypeVar, get_args
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema
from rfc3339_validator import validate_rfc3339  # type: ignore[import-untyped]  # it has no types
from rfc3986_validator import validate_rfc3986  # type: ignore[import-untyped]  # it has no types

RELEASE = "1.53.0"
"""The OpenLineage release that these models are made from."""


class OpenLineageModel(BaseModel):
    """What every generated class is: strict, frozen, closed, with one door for Python and one for JSON."""

    model_config = ConfigDict(
        strict=True,
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        # A limit, even this one, makes the core look into a text, and refuse a lone surrogate that UTF-8 cannot write.
        str_min_length=0,
        validate_by_name=True,
        validate_by_alias=False,
        serialize_by_alias=True,
        # Building a validator costs more than the rest of the import; most commands never need one.
        defer_build=True,
    )

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """Read one JSON text, by the rules of the closed schema.

        Raises:
            pydantic.ValidationError: the text is not JSON, or the schema refuses it.
        """
        return cls.model_validate_json(data, by_alias=True, by_name=False)

    def to_json(self) -> bytes:
        """Write canonical JSON; the fields stand in the order of their JSON names, so one call of the core does it."""
        return self.__pydantic_serializer__.to_json(self, by_alias=True, exclude_none=True)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Add the JSON door: there a default is no excuse for a constant's absence, and absent is not null."""
        schema = handler(source)
        if schema["type"] != "model" or schema["schema"]["type"] != "model-fields":
            return schema
        python = schema["schema"]
        fields = {
            name: {**field, "schema": _in_json(field["schema"])} for name, field in python["fields"].items()
        }
        return {**schema, "schema": core_schema.json_or_python_schema({**python, "fields": fields}, python)}


def _in_json(schema: Any) -> Any:
    """Turn the core schema of a field into the one that JSON is held against."""
    match schema["type"]:
        case "default" if schema["schema"]["type"] == "nullable":
            return {**schema, "schema": _in_json(schema["schema"]["schema"])}
        case "default":
            return _in_json(schema["schema"])
        case "tuple":
            return {**schema, "items_schema": [_in_json(item) for item in schema["items_schema"]]}
        case "function-after" if schema["schema"]["type"] == "dict":
            inner = schema["schema"]
            return {**schema, "schema": {**inner, "values_schema": _in_json(inner["values_schema"])}}
        case "int":
            return core_schema.no_info_before_validator_function(_whole, schema)
        case _:
            return schema


def _whole(value: object) -> object:
    """Take 1.0 for 1, as JSON Schema does."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _date_time_text(value: object) -> str:
    """Let through what `format: date-time` allows; pydantic alone would also take a number, or a space for the T."""
    if isinstance(value, str) and not value.endswith("\n") and validate_rfc3339(value.upper()):
        return value
    raise ValueError("it is not an RFC 3339 date-time")


def _uuid_text(value: object) -> str:
    """Let through what `format: uuid` allows; pydantic alone would also take braces, `urn:uuid:` and no hyphens."""
    if isinstance(value, str) and len(value) == 36 and all(value[place] == "-" for place in (8, 13, 18, 23)):
        return value
    raise ValueError("it is not a UUID with its four hyphens")


def _uri_text(value: str) -> str:
    if not value.endswith("\n") and validate_rfc3986(value):
        return value
    raise ValueError("it is not an RFC 3986 URI")


def _in_utc(value: datetime) -> datetime:
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise ValueError("it is outside the years that UTC can write") from None


class _DateTimeFormat:
    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        text = core_schema.no_info_before_validator_function(
            _date_time_text, core_schema.datetime_schema(strict=False, tz_constraint="aware")
        )
        value = core_schema.datetime_schema(strict=True, tz_constraint="aware")
        return core_schema.no_info_after_validator_function(
            _in_utc, core_schema.json_or_python_schema(text, value)
        )


class _UuidFormat:
    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        text = core_schema.no_info_before_validator_function(
            _uuid_text, core_schema.uuid_schema(strict=False)
        )
        return core_schema.json_or_python_schema(text, core_schema.uuid_schema(strict=True))


class _UriFormat:
    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(_uri_text, core_schema.str_schema(strict=True))


DateTime = Annotated[datetime, _DateTimeFormat]
"""An aware datetime, kept in UTC; in JSON an RFC 3339 text that ends with `Z`."""

Uuid = Annotated[UUID, _UuidFormat]
"""A UUID; in JSON its text with the four hyphens and no other spelling."""

Uri = Annotated[str, _UriFormat]
"""An RFC 3986 URI, exactly as it was given."""

_Value = TypeVar("_Value")


class _Sorted:
    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        values = handler.generate_schema(get_args(source)[1])
        mapping = core_schema.dict_schema(
            core_schema.str_schema(), values, strict=False
        )  # any mapping will do
        return core_schema.no_info_after_validator_function(
            lambda value: dict(sorted(value.items())), mapping
        )


SortedMap = Annotated[Mapping[str, _Value], _Sorted]
"""Values by name, in the order of the names, whatever the order in which they were given."""


class ColumnLineageDatasetFacet(OpenLineageModel):
    """Which input columns each column of this dataset is made from.

    https://github.com/conduktor/streamt/schemas/own/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet
    """

    deleted: bool | None = Field(None, alias="_deleted")
    """set to true to delete a facet"""
    producer: Literal["https://github.com/conduktor/streamt"] = Field(
        "https://github.com/conduktor/streamt", alias="_producer"
    )
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal[
        "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet"
    ] = Field(
        "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet",
        alias="_schemaURL",
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this facet"""
    dataset: tuple[ColumnLineageInput, ...] | None = None
    """Input columns that decide about whole rows: in filters, joins, groupings and orders."""
    fields: SortedMap[ColumnLineageField]
    """For each column of this dataset, by its name, what it is made from."""


class ColumnLineageField(OpenLineageModel):
    """What one column is made from.

    https://github.com/conduktor/streamt/schemas/own/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageField
    """

    input_fields: tuple[ColumnLineageInput, ...] = Field(..., alias="inputFields")
    """The input columns."""


class ColumnLineageInput(OpenLineageModel):
    """One column of one input dataset, and what becomes of its value.

    https://github.com/conduktor/streamt/schemas/own/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageInput
    """

    field: str
    """The column's name."""
    name: str
    """The name of the input dataset."""
    namespace: str
    """The namespace of the input dataset."""
    transformations: tuple[ColumnLineageTransformation, ...] | None = None
    """Each way in which the value is used."""


class ColumnLineageTransformation(OpenLineageModel):
    """One way in which the value of an input column is used.

    https://github.com/conduktor/streamt/schemas/own/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageTransformation
    """

    description: str | None = None
    """The expression, as it is written."""
    masking: bool | None = None
    """Whether the value can no longer be read from the result."""
    subtype: str | None = None
    """How: `IDENTITY`, `TRANSFORMATION` or `AGGREGATION`; `FILTER`, `JOIN`, `GROUP_BY`, `SORT`, `WINDOW` or `CONDITIONAL`."""
    type: str
    """`DIRECT`: the value goes into the column. `INDIRECT`: it decides what goes there."""


class DatasetEvent(OpenLineageModel):
    """https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent"""

    dataset: StaticDataset
    event_time: DateTime = Field(..., alias="eventTime")
    """the time the event occurred at"""
    producer: Literal["https://github.com/conduktor/streamt"] = "https://github.com/conduktor/streamt"
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal["https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent"] = Field(
        "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent", alias="schemaURL"
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this RunEvent"""


class DatasetFacets(OpenLineageModel):
    """The facets for this dataset

    every pinned facet that builds on DatasetFacet"""

    column_lineage: ColumnLineageDatasetFacet | None = Field(None, alias="columnLineage")
    dataset_type: DatasetTypeDatasetFacet | None = Field(None, alias="datasetType")
    documentation: DocumentationDatasetFacet | None = None
    ownership: OwnershipDatasetFacet | None = None
    schema_: SchemaDatasetFacet | None = Field(None, alias="schema")


class DatasetTypeDatasetFacet(OpenLineageModel):
    """A Dataset Facet

    https://openlineage.io/spec/facets/1-0-1/DatasetTypeDatasetFacet.json#/$defs/DatasetTypeDatasetFacet"""

    deleted: bool | None = Field(None, alias="_deleted")
    """set to true to delete a facet"""
    producer: Literal["https://github.com/conduktor/streamt"] = Field(
        "https://github.com/conduktor/streamt", alias="_producer"
    )
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal[
        "https://openlineage.io/spec/facets/1-0-1/DatasetTypeDatasetFacet.json#/$defs/DatasetTypeDatasetFacet"
    ] = Field(
        "https://openlineage.io/spec/facets/1-0-1/DatasetTypeDatasetFacet.json#/$defs/DatasetTypeDatasetFacet",
        alias="_schemaURL",
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this facet"""
    dataset_type: str = Field(..., alias="datasetType")
    """Dataset type, for example: TABLE|VIEW|FILE|TOPIC|STREAM|MODEL|JOB_OUTPUT."""
    sub_type: str | None = Field(None, alias="subType")
    """Optional sub-type within the dataset type (e.g., MATERIALIZED, EXTERNAL, TEMPORARY)."""


class DocumentationDatasetFacet(OpenLineageModel):
    """A Dataset Facet

    https://openlineage.io/spec/facets/1-1-0/DocumentationDatasetFacet.json#/$defs/DocumentationDatasetFacet
    """

    deleted: bool | None = Field(None, alias="_deleted")
    """set to true to delete a facet"""
    producer: Literal["https://github.com/conduktor/streamt"] = Field(
        "https://github.com/conduktor/streamt", alias="_producer"
    )
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal[
        "https://openlineage.io/spec/facets/1-1-0/DocumentationDatasetFacet.json#/$defs/DocumentationDatasetFacet"
    ] = Field(
        "https://openlineage.io/spec/facets/1-1-0/DocumentationDatasetFacet.json#/$defs/DocumentationDatasetFacet",
        alias="_schemaURL",
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this facet"""
    content_type: str | None = Field(None, alias="contentType")
    """MIME type of the description field content."""
    description: str
    """The description of the dataset."""


class DocumentationJobFacet(OpenLineageModel):
    """A Job Facet

    https://openlineage.io/spec/facets/1-1-0/DocumentationJobFacet.json#/$defs/DocumentationJobFacet"""

    deleted: bool | None = Field(None, alias="_deleted")
    """set to true to delete a facet"""
    producer: Literal["https://github.com/conduktor/streamt"] = Field(
        "https://github.com/conduktor/streamt", alias="_producer"
    )
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal[
        "https://openlineage.io/spec/facets/1-1-0/DocumentationJobFacet.json#/$defs/DocumentationJobFacet"
    ] = Field(
        "https://openlineage.io/spec/facets/1-1-0/DocumentationJobFacet.json#/$defs/DocumentationJobFacet",
        alias="_schemaURL",
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this facet"""
    content_type: str | None = Field(None, alias="contentType")
    """MIME type of the description field content."""
    description: str
    """The description of the job."""


class ErrorMessageRunFacet(OpenLineageModel):
    """A Run Facet

    https://openlineage.io/spec/facets/1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet"""

    producer: Literal["https://github.com/conduktor/streamt"] = Field(
        "https://github.com/conduktor/streamt", alias="_producer"
    )
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal[
        "https://openlineage.io/spec/facets/1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet"
    ] = Field(
        "https://openlineage.io/spec/facets/1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet",
        alias="_schemaURL",
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this facet"""
    message: str
    """A human-readable string representing error message generated by observed system"""
    programming_language: str = Field(..., alias="programmingLanguage")
    """Programming language the observed system uses."""
    stack_trace: str | None = Field(None, alias="stackTrace")
    """A language-specific stack trace generated by observed system"""


class InputDataset(OpenLineageModel):
    """An input dataset

    https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/InputDataset"""

    facets: DatasetFacets | None = None
    """The facets for this dataset"""
    input_facets: InputDatasetFacets | None = Field(None, alias="inputFacets")
    """The input facets for this dataset."""
    name: str
    """The unique name for that dataset within that namespace"""
    namespace: str
    """The namespace containing that dataset"""


class InputDatasetFacets(OpenLineageModel):
    """The input facets for this dataset.

    every pinned facet that builds on InputDatasetFacet"""


class Job(OpenLineageModel):
    """https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/Job"""

    facets: JobFacets | None = None
    """The job facets."""
    name: str
    """The unique name for that job within that namespace"""
    namespace: str
    """The namespace containing that job"""


class JobEvent(OpenLineageModel):
    """https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent"""

    event_time: DateTime = Field(..., alias="eventTime")
    """the time the event occurred at"""
    inputs: tuple[InputDataset, ...] | None = None
    """The set of **input** datasets."""
    job: Job
    outputs: tuple[OutputDataset, ...] | None = None
    """The set of **output** datasets."""
    producer: Literal["https://github.com/conduktor/streamt"] = "https://github.com/conduktor/streamt"
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal["https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent"] = Field(
        "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent", alias="schemaURL"
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this RunEvent"""


class JobFacets(OpenLineageModel):
    """The job facets.

    every pinned facet that builds on JobFacet"""

    documentation: DocumentationJobFacet | None = None
    job_type: JobTypeJobFacet | None = Field(None, alias="jobType")
    ownership: OwnershipJobFacet | None = None
    sql: SQLJobFacet | None = None


class JobTypeJobFacet(OpenLineageModel):
    """A Job Facet

    https://openlineage.io/spec/facets/2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet"""

    deleted: bool | None = Field(None, alias="_deleted")
    """set to true to delete a facet"""
    producer: Literal["https://github.com/conduktor/streamt"] = Field(
        "https://github.com/conduktor/streamt", alias="_producer"
    )
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal[
        "https://openlineage.io/spec/facets/2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet"
    ] = Field(
        "https://openlineage.io/spec/facets/2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet",
        alias="_schemaURL",
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this facet"""
    emission_pattern: JobTypeJobFacetEmissionPattern | None = Field(None, alias="emissionPattern")
    """Describes how and what the job emits in its events"""
    integration: str
    """OpenLineage integration type of this job: for example SPARK|DBT|AIRFLOW|FLINK"""
    job_type: str | None = Field(None, alias="jobType")
    """Run type, for example: QUERY|COMMAND|DAG|TASK|JOB|MODEL. This is an integration-specific field."""
    processing_type: str = Field(..., alias="processingType")
    """Job processing type: BATCH (finite jobs with clear start/end), STREAMING (continuous jobs processing data streams), or SERVICE (continuous long-running services). BATCH jobs are finite and emit START/COMPLETE/FAIL/ABORT events. STREAMING and SERVICE jobs are continuous with no natural completion point."""


class JobTypeJobFacetEmissionPattern(OpenLineageModel):
    """Describes how and what the job emits in its events

    https://openlineage.io/spec/facets/2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet/properties/emissionPattern
    """

    event_content_mode: str = Field(..., alias="eventContentMode")
    """Define if individual events are self-sufficient and can be processed individually, or need to be combined by consumer. ACCUMULATIVE: Events may contain only partial information and the complete information can be collected by combining information from all the events emitted by a specific job run. COMPLETE_SNAPSHOT: events contain complete state for a specific time window (events can be processed independently)."""
    event_trigger: str = Field(..., alias="eventTrigger")
    """Defines when events are emitted. EVENT_BASED: events emitted on lifecycle transitions (START/COMPLETE/FAIL/ABORT). PERIODIC: events emitted at regular time intervals."""
    window_duration: int | None = Field(None, alias="windowDuration", ge=1)
    """Time window duration for periodic event emissions in seconds. Only applicable when eventTrigger is PERIODIC. Required when eventTrigger is PERIODIC and eventContentMode is COMPLETE_SNAPSHOT."""


class NominalTimeRunFacet(OpenLineageModel):
    """The interval that the run stands for, which need not be when it runs.

    https://github.com/conduktor/streamt/schemas/own/NominalTimeRunFacet.json#/$defs/NominalTimeRunFacet"""

    producer: Literal["https://github.com/conduktor/streamt"] = Field(
        "https://github.com/conduktor/streamt", alias="_producer"
    )
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal[
        "https://openlineage.io/spec/facets/1-0-1/NominalTimeRunFacet.json#/$defs/NominalTimeRunFacet"
    ] = Field(
        "https://openlineage.io/spec/facets/1-0-1/NominalTimeRunFacet.json#/$defs/NominalTimeRunFacet",
        alias="_schemaURL",
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this facet"""
    nominal_end_time: DateTime | None = Field(None, alias="nominalEndTime")
    """The first instant after the interval."""
    nominal_start_time: DateTime = Field(..., alias="nominalStartTime")
    """The interval's first instant."""


class OutputDataset(OpenLineageModel):
    """An output dataset

    https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/OutputDataset"""

    facets: DatasetFacets | None = None
    """The facets for this dataset"""
    name: str
    """The unique name for that dataset within that namespace"""
    namespace: str
    """The namespace containing that dataset"""
    output_facets: OutputDatasetFacets | None = Field(None, alias="outputFacets")
    """The output facets for this dataset"""


class OutputDatasetFacets(OpenLineageModel):
    """The output facets for this dataset

    every pinned facet that builds on OutputDatasetFacet"""


class OwnershipDatasetFacet(OpenLineageModel):
    """A Dataset Facet

    https://openlineage.io/spec/facets/1-0-1/OwnershipDatasetFacet.json#/$defs/OwnershipDatasetFacet"""

    deleted: bool | None = Field(None, alias="_deleted")
    """set to true to delete a facet"""
    producer: Literal["https://github.com/conduktor/streamt"] = Field(
        "https://github.com/conduktor/streamt", alias="_producer"
    )
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal[
        "https://openlineage.io/spec/facets/1-0-1/OwnershipDatasetFacet.json#/$defs/OwnershipDatasetFacet"
    ] = Field(
        "https://openlineage.io/spec/facets/1-0-1/OwnershipDatasetFacet.json#/$defs/OwnershipDatasetFacet",
        alias="_schemaURL",
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this facet"""
    owners: tuple[OwnershipDatasetFacetOwners, ...] | None = None
    """The owners of the dataset."""


class OwnershipDatasetFacetOwners(OpenLineageModel):
    """https://openlineage.io/spec/facets/1-0-1/OwnershipDatasetFacet.json#/$defs/OwnershipDatasetFacet/properties/owners"""

    name: str
    """the identifier of the owner of the Dataset. It is recommended to define this as a URN. For example application:foo, user:jdoe, team:data"""
    type: str | None = None
    """The type of ownership (optional)"""


class OwnershipJobFacet(OpenLineageModel):
    """A Job Facet

    https://openlineage.io/spec/facets/1-0-1/OwnershipJobFacet.json#/$defs/OwnershipJobFacet"""

    deleted: bool | None = Field(None, alias="_deleted")
    """set to true to delete a facet"""
    producer: Literal["https://github.com/conduktor/streamt"] = Field(
        "https://github.com/conduktor/streamt", alias="_producer"
    )
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal[
        "https://openlineage.io/spec/facets/1-0-1/OwnershipJobFacet.json#/$defs/OwnershipJobFacet"
    ] = Field(
        "https://openlineage.io/spec/facets/1-0-1/OwnershipJobFacet.json#/$defs/OwnershipJobFacet",
        alias="_schemaURL",
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this facet"""
    owners: tuple[OwnershipJobFacetOwners, ...] | None = None
    """The owners of the job."""


class OwnershipJobFacetOwners(OpenLineageModel):
    """https://openlineage.io/spec/facets/1-0-1/OwnershipJobFacet.json#/$defs/OwnershipJobFacet/properties/owners"""

    name: str
    """the identifier of the owner of the Job. It is recommended to define this as a URN. For example application:foo, user:jdoe, team:data"""
    type: str | None = None
    """The type of ownership (optional)"""


class ParentJob(OpenLineageModel):
    """A job, named from a run below it.

    https://github.com/conduktor/streamt/schemas/own/ParentRunFacet.json#/$defs/ParentJob"""

    name: str
    """The job's name in its namespace."""
    namespace: str
    """The namespace that holds the job."""


class ParentRoot(OpenLineageModel):
    """The run and the job at the root.

    https://github.com/conduktor/streamt/schemas/own/ParentRunFacet.json#/$defs/ParentRoot"""

    job: ParentJob
    run: ParentRun


class ParentRun(OpenLineageModel):
    """A run, named from a run below it.

    https://github.com/conduktor/streamt/schemas/own/ParentRunFacet.json#/$defs/ParentRun"""

    run_id: Uuid = Field(..., alias="runId")
    """Its run id."""


class ParentRunFacet(OpenLineageModel):
    """The run that started this one, and the run at the root of them all.

    https://github.com/conduktor/streamt/schemas/own/ParentRunFacet.json#/$defs/ParentRunFacet"""

    producer: Literal["https://github.com/conduktor/streamt"] = Field(
        "https://github.com/conduktor/streamt", alias="_producer"
    )
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal[
        "https://openlineage.io/spec/facets/1-2-0/ParentRunFacet.json#/$defs/ParentRunFacet"
    ] = Field(
        "https://openlineage.io/spec/facets/1-2-0/ParentRunFacet.json#/$defs/ParentRunFacet",
        alias="_schemaURL",
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this facet"""
    job: ParentJob
    root: ParentRoot | None = None
    run: ParentRun


class ProcessingEngineRunFacet(OpenLineageModel):
    """The program that ran it.

    https://github.com/conduktor/streamt/schemas/own/ProcessingEngineRunFacet.json#/$defs/ProcessingEngineRunFacet
    """

    producer: Literal["https://github.com/conduktor/streamt"] = Field(
        "https://github.com/conduktor/streamt", alias="_producer"
    )
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal[
        "https://openlineage.io/spec/facets/1-1-1/ProcessingEngineRunFacet.json#/$defs/ProcessingEngineRunFacet"
    ] = Field(
        "https://openlineage.io/spec/facets/1-1-1/ProcessingEngineRunFacet.json#/$defs/ProcessingEngineRunFacet",
        alias="_schemaURL",
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this facet"""
    name: str
    """The program's name, such as `Airflow`."""
    openlineage_adapter_version: str | None = Field(None, alias="openlineageAdapterVersion")
    """The version of what tells of its runs."""
    version: str
    """The program's version, by PEP 440."""


class Run(OpenLineageModel):
    """https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/Run"""

    facets: RunFacets | None = None
    """The run facets."""
    run_id: Uuid = Field(..., alias="runId")
    """The globally unique ID of the run associated with the job."""


class RunEvent(OpenLineageModel):
    """https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"""

    event_time: DateTime = Field(..., alias="eventTime")
    """the time the event occurred at"""
    event_type: Literal["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"] | None = Field(
        None, alias="eventType"
    )
    """the current transition of the run state. It is required to issue 1 START event and 1 of [ COMPLETE, ABORT, FAIL ] event per run. Additional events with OTHER eventType can be added to the same run. For example to send additional metadata after the run is complete"""
    inputs: tuple[InputDataset, ...] | None = None
    """The set of **input** datasets."""
    job: Job
    outputs: tuple[OutputDataset, ...] | None = None
    """The set of **output** datasets."""
    producer: Literal["https://github.com/conduktor/streamt"] = "https://github.com/conduktor/streamt"
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    run: Run
    schema_url: Literal["https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"] = Field(
        "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent", alias="schemaURL"
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this RunEvent"""


class RunFacets(OpenLineageModel):
    """The run facets.

    every pinned facet that builds on RunFacet"""

    error_message: ErrorMessageRunFacet | None = Field(None, alias="errorMessage")
    nominal_time: NominalTimeRunFacet | None = Field(None, alias="nominalTime")
    parent: ParentRunFacet | None = None
    processing_engine: ProcessingEngineRunFacet | None = None


class SQLJobFacet(OpenLineageModel):
    """The SQL text that the job executes.

    https://github.com/conduktor/streamt/schemas/own/SQLJobFacet.json#/$defs/SQLJobFacet"""

    deleted: bool | None = Field(None, alias="_deleted")
    """set to true to delete a facet"""
    producer: Literal["https://github.com/conduktor/streamt"] = Field(
        "https://github.com/conduktor/streamt", alias="_producer"
    )
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal["https://openlineage.io/spec/facets/1-1-0/SQLJobFacet.json#/$defs/SQLJobFacet"] = (
        Field(
            "https://openlineage.io/spec/facets/1-1-0/SQLJobFacet.json#/$defs/SQLJobFacet", alias="_schemaURL"
        )
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this facet"""
    dialect: str | None = None
    """Which SQL it is, such as `flink`."""
    query: str
    """The text, as it is executed."""


class SchemaDatasetFacet(OpenLineageModel):
    """A Dataset Facet

    https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet"""

    deleted: bool | None = Field(None, alias="_deleted")
    """set to true to delete a facet"""
    producer: Literal["https://github.com/conduktor/streamt"] = Field(
        "https://github.com/conduktor/streamt", alias="_producer"
    )
    """URI identifying the producer of this metadata. For example this could be a git url with a given tag or sha"""
    schema_url: Literal[
        "https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet"
    ] = Field(
        "https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet",
        alias="_schemaURL",
    )
    """The JSON Pointer (https://tools.ietf.org/html/rfc6901) URL to the corresponding version of the schema definition for this facet"""
    fields: tuple[SchemaDatasetFacetFields, ...] | None = None
    """The fields of the data source."""


class SchemaDatasetFacetFields(OpenLineageModel):
    """https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacetFields"""

    description: str | None = None
    """The description of the field."""
    fields: tuple[SchemaDatasetFacetFields, ...] | None = None
    """Nested struct fields."""
    name: str
    """The name of the field."""
    ordinal_position: int | None = None
    """The ordinal position of the field in the schema (1-indexed)."""
    type: str | None = None
    """The type of the field."""


class StaticDataset(OpenLineageModel):
    """A Dataset sent within static metadata events

    https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/StaticDataset"""

    facets: DatasetFacets | None = None
    """The facets for this dataset"""
    name: str
    """The unique name for that dataset within that namespace"""
    namespace: str
    """The namespace containing that dataset"""
