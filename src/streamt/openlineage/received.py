# GENERATED, DO NOT EDIT.
# command:   python -m codegen generate
# generator: datamodel-code-generator 0.89.0
"""What streamt reads of OpenLineage events, whoever wrote them and by whatever version of the schemas.

Made from the reading schemas, which name what is used and no more. Every class is open: a property or a facet that it
does not declare is kept as it came (`model_extra`). An optional property that is null counts as absent. A facet with
`_deleted: true` is read as a `WithdrawnFacet`, whatever else it holds. No `schemaURL` and no `_schemaURL` decides
anything.

`from_json` reads one JSON text, `from_object` what a JSON parser made of one; both raise pydantic's ValidationError,
each of whose errors has the path of JSON names and indexes as its `loc`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal, Self, TypeVar, Union, get_args
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, Strict
from pydantic_core import CoreSchema, core_schema
from rfc3986_validator import validate_rfc3986  # type: ignore[import-untyped]  # it has no types


class Received(BaseModel):
    """What every generated class is: strict about what it declares, open for all else, frozen."""

    model_config = ConfigDict(
        strict=True,
        frozen=True,
        extra="allow",
        # A limit, even this one, makes the core look into a text, and refuse a lone surrogate that UTF-8 cannot write.
        str_min_length=0,
        # Building a validator costs more than the rest of the import; most commands never need one.
        defer_build=True,
    )

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """Read one JSON text.

        Raises:
            pydantic.ValidationError: the text is not JSON, or the reading schema refuses it.
        """
        return cls.model_validate_json(data)

    @classmethod
    def from_object(cls, value: object) -> Self:
        """Read what `json.loads` made of a text.

        Raises:
            pydantic.ValidationError: the reading schema refuses it.
        """
        return cls.model_validate(value)


_Item = TypeVar("_Item")

Array = Annotated[tuple[_Item, ...], Strict(strict=False)]
"""Values in their order."""


class _Mapping:
    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.dict_schema(core_schema.str_schema(), handler.generate_schema(get_args(source)[1]))


Map = Annotated[Mapping[str, _Item], _Mapping]
"""Values by name, in the order in which they came."""

_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
)
_UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_EPOCH = date(1970, 1, 1).toordinal()


def _instant(value: str) -> int:
    match = _DATE_TIME.fullmatch(value)
    if match is None:
        raise ValueError("it is not an RFC 3339 date-time with an offset")
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    fraction, sign, offset_hour, offset_minute = match.groups()[6:]
    try:
        days = date(year, month, day).toordinal() - _EPOCH
    except ValueError:
        raise ValueError("it is not a date of the calendar") from None
    offset = (int(offset_hour) * 60 + int(offset_minute)) * (-60 if sign == "-" else 60) if sign else 0
    seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    return seconds * 1_000_000_000 + int((fraction or "")[:9].ljust(9, "0"))


def _uuid(value: str) -> UUID:
    if _UUID.fullmatch(value):
        return UUID(value)
    raise ValueError("it is not a UUID with its four hyphens")


def _uri(value: str) -> str:
    if not value.endswith("\n") and validate_rfc3986(value):
        return value
    raise ValueError("it is not an RFC 3986 URI")


class _InstantFormat:
    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        written = core_schema.simple_ser_schema("int")
        text = core_schema.str_schema(strict=True)
        return core_schema.no_info_after_validator_function(_instant, text, serialization=written)


class _UuidFormat:
    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        written = core_schema.simple_ser_schema("uuid")
        return core_schema.no_info_after_validator_function(
            _uuid, core_schema.str_schema(strict=True), serialization=written
        )


class _UriFormat:
    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(_uri, core_schema.str_schema(strict=True))


Instant = Annotated[int, _InstantFormat]
"""Nanoseconds since 1970-01-01T00:00:00Z, of an RFC 3339 date-time; finer digits are cut off."""

Uuid = Annotated[UUID, _UuidFormat]
"""A UUID, of its text with the four hyphens."""

Uri = Annotated[str, _UriFormat]
"""An RFC 3986 URI with a scheme, exactly as it was given."""


class _ByDeleted:
    """Choose by `_deleted` alone, so that an error is that of the one class that is meant."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        withdrawn, facet = get_args(source)

        def choose(value: Any, read: core_schema.ValidatorFunctionWrapHandler) -> Any:
            return (
                withdrawn.from_object(value)
                if isinstance(value, dict) and value.get("_deleted") is True
                else read(value)
            )

        either = core_schema.simple_ser_schema("any")
        return core_schema.no_info_wrap_validator_function(
            choose, handler.generate_schema(facet), serialization=either
        )


Withdrawable = Annotated[Union["WithdrawnFacet", _Item], _ByDeleted]
"""A facet, or that it is taken back."""


class ColumnLineageFacet(Received):
    """Which input columns each column of a dataset is made from.

    https://github.com/conduktor/streamt/schemas/reading/ColumnLineage.json#/$defs/ColumnLineageFacet"""

    dataset: Array[InputField] | None = None
    """Input columns that decide about whole rows."""
    fields: Map[ColumnLineageField]
    """By the column's name."""


class ColumnLineageField(Received):
    """What one column is made from.

    https://github.com/conduktor/streamt/schemas/reading/ColumnLineage.json#/$defs/ColumnLineageField"""

    input_fields: Array[InputField] = Field(..., alias="inputFields")
    """The input columns."""
    transformation_description: str | None = Field(None, alias="transformationDescription")
    """How, in words; older versions say it here."""
    transformation_type: str | None = Field(None, alias="transformationType")
    """`IDENTITY` or `MASKED`; older versions say it here."""


class Dataset(Received):
    """A dataset, as an input, an output or for itself.

    https://github.com/conduktor/streamt/schemas/reading/Event.json#/$defs/Dataset"""

    facets: DatasetFacets | None = None
    """What is known of the dataset."""
    name: str
    """The name in the namespace."""
    namespace: str
    """The namespace."""


class DatasetEvent(Received):
    """What is known of a dataset.

    https://github.com/conduktor/streamt/schemas/reading/Event.json#/$defs/DatasetEvent"""

    dataset: Dataset
    event_time: Instant = Field(..., alias="eventTime")
    """When it happened."""
    producer: Uri
    """Who made the event."""
    schema_url: Uri = Field(..., alias="schemaURL")
    """The schema that the producer had in mind; nothing is decided by it."""


class DatasetFacets(Received):
    """The dataset facets that are read.

    https://github.com/conduktor/streamt/schemas/reading/Event.json#/$defs/DatasetFacets"""

    column_lineage: Withdrawable[ColumnLineageFacet] | None = Field(None, alias="columnLineage")
    documentation: Withdrawable[DocumentationFacet] | None = None
    lifecycle_state_change: Withdrawable[LifecycleStateChangeFacet] | None = Field(
        None, alias="lifecycleStateChange"
    )
    ownership: Withdrawable[OwnershipFacet] | None = None
    schema_: Withdrawable[SchemaFacet] | None = Field(None, alias="schema")
    symlinks: Withdrawable[SymlinksFacet] | None = None
    tags: Withdrawable[DatasetTagsFacet] | None = None


class DatasetTag(Received):
    """One tag of a dataset, or of one of its columns.

    https://github.com/conduktor/streamt/schemas/reading/Tags.json#/$defs/DatasetTag"""

    field: str | None = None
    """The column's name; absent for the dataset itself."""
    key: str
    """What the tag is about."""
    source: str | None = None
    """Where it comes from."""
    value: str
    """What it says."""


class DatasetTagsFacet(Received):
    """Tags of a dataset and of its columns.

    https://github.com/conduktor/streamt/schemas/reading/Tags.json#/$defs/DatasetTagsFacet"""

    tags: Array[DatasetTag] | None = None
    """In the producer's order."""


class DocumentationFacet(Received):
    """What a dataset or a job is, in words.

    https://github.com/conduktor/streamt/schemas/reading/Documentation.json#/$defs/DocumentationFacet"""

    description: str
    """The words."""


class ErrorMessageFacet(Received):
    """Why a run failed.

    https://github.com/conduktor/streamt/schemas/reading/ErrorMessage.json#/$defs/ErrorMessageFacet"""

    message: str
    """What went wrong."""
    programming_language: str = Field(..., alias="programmingLanguage")
    """The language of what failed."""
    stack_trace: str | None = Field(None, alias="stackTrace")
    """Where in the program."""


class InputField(Received):
    """A column of an input dataset.

    https://github.com/conduktor/streamt/schemas/reading/ColumnLineage.json#/$defs/InputField"""

    field: str
    """The column's name."""
    name: str
    """The dataset's name."""
    namespace: str
    """The dataset's namespace."""
    transformations: Array[Transformation] | None = None
    """Each way in which it is used."""


class Job(Received):
    """A job.

    https://github.com/conduktor/streamt/schemas/reading/Event.json#/$defs/Job"""

    facets: JobFacets | None = None
    """What is known of the job."""
    name: str
    """The name in the namespace."""
    namespace: str
    """The namespace."""


class JobEvent(Received):
    """What a job reads and writes, by its design.

    https://github.com/conduktor/streamt/schemas/reading/Event.json#/$defs/JobEvent"""

    event_time: Instant = Field(..., alias="eventTime")
    """When it happened."""
    inputs: Array[Dataset] | None = None
    """What the job reads."""
    job: Job
    outputs: Array[Dataset] | None = None
    """What the job writes."""
    producer: Uri
    """Who made the event."""
    schema_url: Uri = Field(..., alias="schemaURL")
    """The schema that the producer had in mind; nothing is decided by it."""


class JobFacets(Received):
    """The job facets that are read.

    https://github.com/conduktor/streamt/schemas/reading/Event.json#/$defs/JobFacets"""

    documentation: Withdrawable[DocumentationFacet] | None = None
    job_type: Withdrawable[JobTypeFacet] | None = Field(None, alias="jobType")
    ownership: Withdrawable[OwnershipFacet] | None = None
    source_code: Withdrawable[SourceCodeFacet] | None = Field(None, alias="sourceCode")
    sql: Withdrawable[SqlFacet] | None = None
    tags: Withdrawable[JobTagsFacet] | None = None


class JobTag(Received):
    """One tag of a job.

    https://github.com/conduktor/streamt/schemas/reading/Tags.json#/$defs/JobTag"""

    key: str
    """What the tag is about."""
    source: str | None = None
    """Where it comes from."""
    value: str
    """What it says."""


class JobTagsFacet(Received):
    """Tags of a job.

    https://github.com/conduktor/streamt/schemas/reading/Tags.json#/$defs/JobTagsFacet"""

    tags: Array[JobTag] | None = None
    """In the producer's order."""


class JobTypeFacet(Received):
    """What kind of job it is.

    https://github.com/conduktor/streamt/schemas/reading/JobType.json#/$defs/JobTypeFacet"""

    integration: str
    """What tells of it, such as `SPARK` or `DBT`."""
    job_type: str | None = Field(None, alias="jobType")
    """Its kind in the integration's own words, such as `MODEL`."""
    processing_type: str = Field(..., alias="processingType")
    """`BATCH`, `STREAMING` or another word."""


class LifecycleStateChangeFacet(Received):
    """What happened to a dataset as a whole.

    https://github.com/conduktor/streamt/schemas/reading/LifecycleStateChange.json#/$defs/LifecycleStateChangeFacet
    """

    lifecycle_state_change: Literal["ALTER", "CREATE", "DROP", "OVERWRITE", "RENAME", "TRUNCATE"] = Field(
        ..., alias="lifecycleStateChange"
    )
    """What happened."""
    previous_identifier: PreviousIdentifier | None = Field(None, alias="previousIdentifier")


class NominalTimeFacet(Received):
    """The interval that a run stands for.

    https://github.com/conduktor/streamt/schemas/reading/NominalTime.json#/$defs/NominalTimeFacet"""

    nominal_end_time: Instant | None = Field(None, alias="nominalEndTime")
    """The first instant after it."""
    nominal_start_time: Instant = Field(..., alias="nominalStartTime")
    """Its first instant."""


class Owner(Received):
    """One owner.

    https://github.com/conduktor/streamt/schemas/reading/Ownership.json#/$defs/Owner"""

    name: str
    """Who it is, often a URN such as `team:data`."""
    type: str | None = None
    """What kind of owner."""


class OwnershipFacet(Received):
    """Who owns a dataset or a job.

    https://github.com/conduktor/streamt/schemas/reading/Ownership.json#/$defs/OwnershipFacet"""

    owners: Array[Owner] | None = None
    """In the producer's order."""


class ParentFacet(Received):
    """The run that started this one, and the one at the root.

    https://github.com/conduktor/streamt/schemas/reading/Parent.json#/$defs/ParentFacet"""

    job: ParentJob
    root: ParentRoot | None = None
    run: ParentRun


class ParentJob(Received):
    """The job of a run above this one.

    https://github.com/conduktor/streamt/schemas/reading/Parent.json#/$defs/ParentJob"""

    name: str
    """The name in the namespace."""
    namespace: str
    """The namespace."""


class ParentRoot(Received):
    """The run at the root, and its job.

    https://github.com/conduktor/streamt/schemas/reading/Parent.json#/$defs/ParentRoot"""

    job: ParentJob
    run: ParentRun


class ParentRun(Received):
    """A run above this one.

    https://github.com/conduktor/streamt/schemas/reading/Parent.json#/$defs/ParentRun"""

    run_id: Uuid = Field(..., alias="runId")
    """Its id."""


class PreviousIdentifier(Received):
    """What a renamed dataset was called before.

    https://github.com/conduktor/streamt/schemas/reading/LifecycleStateChange.json#/$defs/PreviousIdentifier
    """

    name: str
    """The name in the namespace."""
    namespace: str
    """The namespace."""


class Run(Received):
    """One run of a job.

    https://github.com/conduktor/streamt/schemas/reading/Event.json#/$defs/Run"""

    facets: RunFacets | None = None
    """What is known of the run."""
    run_id: Uuid = Field(..., alias="runId")
    """Its id."""


class RunEvent(Received):
    """A state of a run of a job.

    https://github.com/conduktor/streamt/schemas/reading/Event.json#/$defs/RunEvent"""

    event_time: Instant = Field(..., alias="eventTime")
    """When it happened."""
    event_type: Literal["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"] | None = Field(
        None, alias="eventType"
    )
    """What happened to the run; absent counts as OTHER."""
    inputs: Array[Dataset] | None = None
    """What the job reads."""
    job: Job
    outputs: Array[Dataset] | None = None
    """What the job writes."""
    producer: Uri
    """Who made the event."""
    run: Run
    schema_url: Uri = Field(..., alias="schemaURL")
    """The schema that the producer had in mind; nothing is decided by it."""


class RunFacets(Received):
    """The run facets that are read.

    https://github.com/conduktor/streamt/schemas/reading/Event.json#/$defs/RunFacets"""

    error_message: ErrorMessageFacet | None = Field(None, alias="errorMessage")
    nominal_time: NominalTimeFacet | None = Field(None, alias="nominalTime")
    parent: ParentFacet | None = None


class SchemaFacet(Received):
    """The columns of a dataset.

    https://github.com/conduktor/streamt/schemas/reading/Schema.json#/$defs/SchemaFacet"""

    fields: Array[SchemaField] | None = None
    """The columns, in their order."""


class SchemaField(Received):
    """One column, or one field of a nested one.

    https://github.com/conduktor/streamt/schemas/reading/Schema.json#/$defs/SchemaField"""

    description: str | None = None
    """What it is."""
    fields: Array[SchemaField] | None = None
    """What a nested column holds."""
    name: str
    """Its name."""
    type: str | None = None
    """Its type, in the system's own words."""


class SourceCodeFacet(Received):
    """The source code of a job.

    https://github.com/conduktor/streamt/schemas/reading/SourceCode.json#/$defs/SourceCodeFacet"""

    language: str
    """The programming language."""
    source_code: str = Field(..., alias="sourceCode")
    """The text."""


class SqlFacet(Received):
    """The SQL text of a job.

    https://github.com/conduktor/streamt/schemas/reading/Sql.json#/$defs/SqlFacet"""

    query: str
    """The text."""


class SymlinkIdentifier(Received):
    """One other name.

    https://github.com/conduktor/streamt/schemas/reading/Symlinks.json#/$defs/SymlinkIdentifier"""

    name: str
    """The name in the namespace."""
    namespace: str
    """The namespace."""
    type: str | None = None
    """What kind of name it is, such as `TABLE`."""


class SymlinksFacet(Received):
    """Other names of a dataset.

    https://github.com/conduktor/streamt/schemas/reading/Symlinks.json#/$defs/SymlinksFacet"""

    identifiers: Array[SymlinkIdentifier] | None = None
    """In the producer's order."""


class Transformation(Received):
    """One way in which an input column is used.

    https://github.com/conduktor/streamt/schemas/reading/ColumnLineage.json#/$defs/Transformation"""

    description: str | None = None
    """The expression, or what it does."""
    masking: bool | None = None
    """Whether the value cannot be read from the result."""
    subtype: str | None = None
    """How, such as `IDENTITY` or `FILTER`."""
    type: str
    """`DIRECT` or `INDIRECT`."""


class WithdrawnFacet(Received):
    """A facet that takes back what was told under its name; it needs no other property.

    https://github.com/conduktor/streamt/schemas/reading/Event.json#/$defs/WithdrawnFacet"""

    deleted: Literal[True] = Field(..., alias="_deleted")
    """What makes it one."""
