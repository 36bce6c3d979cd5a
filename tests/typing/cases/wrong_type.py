"""A value of another type."""

from datetime import date

from streamt.openlineage.models import Job, JobEvent, Run, SchemaDatasetFacet, SchemaDatasetFacetFields

job = Job(namespace="n", name="j")
# E: incompatible type "str"; expected "int | None"
SchemaDatasetFacetFields(name="id", ordinal_position="1")
# E: incompatible type "None"; expected "str"
SchemaDatasetFacetFields(name=None)
# E: incompatible type "list[SchemaDatasetFacetFields]"
SchemaDatasetFacet(fields=[SchemaDatasetFacetFields(name="id")])
# E: incompatible type "str"; expected "datetime"
JobEvent(event_time="2026-01-02T12:00:00Z", job=job)
# E: incompatible type "date"; expected "datetime"
JobEvent(event_time=date(2026, 1, 2), job=job)
# E: incompatible type "str"; expected "UUID"
Run(run_id="4f4cf6c8-2a76-4a11-8f2b-6f6e3b8f2f10")
