# GENERATED, DO NOT EDIT.
# command:   python -m codegen generate
# release:   OpenLineage 1.53.0
"""Which facets are written, and where each belongs, as the schemas say."""

from typing import NamedTuple


class FacetSchema(NamedTuple):
    """Where one facet belongs.

    Attributes:
        entity: the core's definition that it builds on: `DatasetFacet`, `JobFacet`, `RunFacet`, `InputDatasetFacet`
            or `OutputDatasetFacet`.
        key: its name in that entity's facets.
        url: its exact `_schemaURL`.
        definition: where its packed schema is: the URL of a definition, which is `url` unless the schema is our own.
        model: the name of its class in `streamt.openlineage.models`.
    """

    entity: str
    key: str
    url: str
    definition: str
    model: str


FACETS = (
    FacetSchema(
        "DatasetFacet",
        "columnLineage",
        "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet",
        "https://github.com/conduktor/streamt/schemas/own/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet",
        "ColumnLineageDatasetFacet",
    ),
    FacetSchema(
        "DatasetFacet",
        "datasetType",
        "https://openlineage.io/spec/facets/1-0-1/DatasetTypeDatasetFacet.json#/$defs/DatasetTypeDatasetFacet",
        "https://openlineage.io/spec/facets/1-0-1/DatasetTypeDatasetFacet.json#/$defs/DatasetTypeDatasetFacet",
        "DatasetTypeDatasetFacet",
    ),
    FacetSchema(
        "DatasetFacet",
        "documentation",
        "https://openlineage.io/spec/facets/1-1-0/DocumentationDatasetFacet.json#/$defs/DocumentationDatasetFacet",
        "https://openlineage.io/spec/facets/1-1-0/DocumentationDatasetFacet.json#/$defs/DocumentationDatasetFacet",
        "DocumentationDatasetFacet",
    ),
    FacetSchema(
        "DatasetFacet",
        "ownership",
        "https://openlineage.io/spec/facets/1-0-1/OwnershipDatasetFacet.json#/$defs/OwnershipDatasetFacet",
        "https://openlineage.io/spec/facets/1-0-1/OwnershipDatasetFacet.json#/$defs/OwnershipDatasetFacet",
        "OwnershipDatasetFacet",
    ),
    FacetSchema(
        "DatasetFacet",
        "schema",
        "https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet",
        "https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet",
        "SchemaDatasetFacet",
    ),
    FacetSchema(
        "JobFacet",
        "documentation",
        "https://openlineage.io/spec/facets/1-1-0/DocumentationJobFacet.json#/$defs/DocumentationJobFacet",
        "https://openlineage.io/spec/facets/1-1-0/DocumentationJobFacet.json#/$defs/DocumentationJobFacet",
        "DocumentationJobFacet",
    ),
    FacetSchema(
        "JobFacet",
        "jobType",
        "https://openlineage.io/spec/facets/2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet",
        "https://openlineage.io/spec/facets/2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet",
        "JobTypeJobFacet",
    ),
    FacetSchema(
        "JobFacet",
        "ownership",
        "https://openlineage.io/spec/facets/1-0-1/OwnershipJobFacet.json#/$defs/OwnershipJobFacet",
        "https://openlineage.io/spec/facets/1-0-1/OwnershipJobFacet.json#/$defs/OwnershipJobFacet",
        "OwnershipJobFacet",
    ),
    FacetSchema(
        "JobFacet",
        "sql",
        "https://openlineage.io/spec/facets/1-1-0/SQLJobFacet.json#/$defs/SQLJobFacet",
        "https://github.com/conduktor/streamt/schemas/own/SQLJobFacet.json#/$defs/SQLJobFacet",
        "SQLJobFacet",
    ),
    FacetSchema(
        "RunFacet",
        "errorMessage",
        "https://openlineage.io/spec/facets/1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet",
        "https://openlineage.io/spec/facets/1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet",
        "ErrorMessageRunFacet",
    ),
    FacetSchema(
        "RunFacet",
        "nominalTime",
        "https://openlineage.io/spec/facets/1-0-1/NominalTimeRunFacet.json#/$defs/NominalTimeRunFacet",
        "https://github.com/conduktor/streamt/schemas/own/NominalTimeRunFacet.json#/$defs/NominalTimeRunFacet",
        "NominalTimeRunFacet",
    ),
    FacetSchema(
        "RunFacet",
        "parent",
        "https://openlineage.io/spec/facets/1-2-0/ParentRunFacet.json#/$defs/ParentRunFacet",
        "https://github.com/conduktor/streamt/schemas/own/ParentRunFacet.json#/$defs/ParentRunFacet",
        "ParentRunFacet",
    ),
    FacetSchema(
        "RunFacet",
        "processing_engine",
        "https://openlineage.io/spec/facets/1-1-1/ProcessingEngineRunFacet.json#/$defs/ProcessingEngineRunFacet",
        "https://github.com/conduktor/streamt/schemas/own/ProcessingEngineRunFacet.json#/$defs/ProcessingEngineRunFacet",
        "ProcessingEngineRunFacet",
    ),
)
"""Sorted by entity and key."""

PLACES = (
    (("dataset", "facets"), "DatasetFacet"),
    (("inputs", "*", "facets"), "DatasetFacet"),
    (("job", "facets"), "JobFacet"),
    (("outputs", "*", "facets"), "DatasetFacet"),
    (("run", "facets"), "RunFacet"),
)
"""Where an event holds facets: the path, `*` for every item of a list, and the entity of the facets."""
