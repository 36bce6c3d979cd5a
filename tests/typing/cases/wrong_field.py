"""An attribute that is not there, and one that is missing."""

from streamt.openlineage.models import Job, JobTypeJobFacet, SchemaDatasetFacetFields

# E: Unexpected keyword argument "nullable"
SchemaDatasetFacetFields(name="id", nullable=True)
# E: Missing named argument "name"
SchemaDatasetFacetFields(type="BIGINT")
# E: Unexpected keyword argument "processingType"
JobTypeJobFacet(processingType="BATCH", processing_type="BATCH", integration="X")
# E: "Job" has no attribute "job_name"
job_name: str = Job(namespace="n", name="j").job_name
# E: Property "name" defined in "Job" is read-only
Job(namespace="n", name="j").name = "k"
