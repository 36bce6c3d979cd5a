"""A facet, or facets, of another entity."""

from streamt.openlineage.models import (
    DatasetFacets,
    Job,
    JobFacets,
    OwnershipDatasetFacet,
    OwnershipDatasetFacetOwners,
    OwnershipJobFacet,
    StaticDataset,
)

# E: incompatible type "OwnershipDatasetFacet"; expected "OwnershipJobFacet | None"
JobFacets(ownership=OwnershipDatasetFacet())
# E: incompatible type "OwnershipJobFacet"; expected "OwnershipDatasetFacet | None"
DatasetFacets(ownership=OwnershipJobFacet())
# E: incompatible type "tuple[OwnershipDatasetFacetOwners]"
OwnershipJobFacet(owners=(OwnershipDatasetFacetOwners(name="me"),))
# E: incompatible type "DatasetFacets"; expected "JobFacets | None"
Job(namespace="n", name="j", facets=DatasetFacets())
# E: incompatible type "JobFacets"; expected "DatasetFacets | None"
StaticDataset(namespace="n", name="d", facets=JobFacets())
