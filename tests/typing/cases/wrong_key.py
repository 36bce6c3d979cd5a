"""A facet under another facet's key, or under a key that its entity does not have."""

from streamt.openlineage.models import DatasetFacets, DocumentationJobFacet, JobFacets, OwnershipJobFacet, RunFacets

# E: incompatible type "DocumentationJobFacet"; expected "OwnershipJobFacet | None"
JobFacets(ownership=DocumentationJobFacet(description="It counts."))
# E: Unexpected keyword argument "owner"
JobFacets(owner=OwnershipJobFacet())
# E: Unexpected keyword argument "ownership"
RunFacets(ownership=OwnershipJobFacet())
# E: Unexpected keyword argument "job_type"
DatasetFacets(job_type=None)
