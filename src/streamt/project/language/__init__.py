"""The project language: what `stream_project.yml` and the files beside it may say, as frozen models.

Keys are attribute names, but for `from_` (key `from`), `schema_` (key `schema`) and `api_version` (key
`apiVersion`). Nothing is converted: a number is never text, a truth value never a number. `load_project`
fills a `Document`; what one mapping cannot tell by itself (names, references, two keys that exclude each
other) is checked in `streamt.project.check`.
"""

from streamt.project.language.document import Document, ProjectInfo
from streamt.project.language.exposures import Exposure
from streamt.project.language.fields import (
    DURATION,
    KAFKA_NAME,
    KAFKA_NAME_LENGTH,
    LONGEST_NAME,
    NAME,
    NOT_BLANK,
    Secret,
    Struct,
    duration_seconds,
)
from streamt.project.language.json_schema import (
    ENVIRONMENT_SECTIONS,
    LISTS,
    SECTIONS,
    SHARED_SECTIONS,
    Schema,
    document_schema,
    environment_schema,
    language_schema,
    schema_at,
)
from streamt.project.language.models import Connector, Contract, Model, VirtualTopic
from streamt.project.language.rules import Level, Materialized, Rules
from streamt.project.language.runtime import (
    API_VERSION,
    ConduktorGateway,
    ConnectCluster,
    DeploymentState,
    EnvironmentFile,
    FlinkCluster,
    Kafka,
    Runtime,
    Safety,
    SchemaRegistry,
)
from streamt.project.language.secrets import is_secret, secret_length, written_secrets
from streamt.project.language.sources import Column, EventTime, Input, Reference, Source
from streamt.project.language.tests import (
    AcceptedTypesAssertion,
    AcceptedValuesAssertion,
    Assertion,
    Bucket,
    CustomSqlAssertion,
    DistributionAssertion,
    ForeignKeyAssertion,
    MaxLagAssertion,
    NotNullAssertion,
    OnFailure,
    RangeAssertion,
    Test,
    ThroughputAssertion,
    UniqueKeyAssertion,
)
from streamt.project.language.topics import Topic, TopicSettings, config_text

__all__ = [
    "API_VERSION",
    "DURATION",
    "ENVIRONMENT_SECTIONS",
    "KAFKA_NAME",
    "KAFKA_NAME_LENGTH",
    "LISTS",
    "LONGEST_NAME",
    "NAME",
    "NOT_BLANK",
    "SECTIONS",
    "SHARED_SECTIONS",
    "AcceptedTypesAssertion",
    "AcceptedValuesAssertion",
    "Assertion",
    "Bucket",
    "Column",
    "ConduktorGateway",
    "ConnectCluster",
    "Connector",
    "Contract",
    "CustomSqlAssertion",
    "DeploymentState",
    "DistributionAssertion",
    "Document",
    "EnvironmentFile",
    "EventTime",
    "Exposure",
    "FlinkCluster",
    "ForeignKeyAssertion",
    "Input",
    "Kafka",
    "Level",
    "Materialized",
    "MaxLagAssertion",
    "Model",
    "NotNullAssertion",
    "OnFailure",
    "ProjectInfo",
    "RangeAssertion",
    "Reference",
    "Rules",
    "Runtime",
    "Safety",
    "Schema",
    "SchemaRegistry",
    "Secret",
    "Source",
    "Struct",
    "Test",
    "ThroughputAssertion",
    "Topic",
    "TopicSettings",
    "UniqueKeyAssertion",
    "VirtualTopic",
    "config_text",
    "document_schema",
    "duration_seconds",
    "environment_schema",
    "is_secret",
    "language_schema",
    "schema_at",
    "secret_length",
    "written_secrets",
]
