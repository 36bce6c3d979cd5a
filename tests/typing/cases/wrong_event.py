"""A part of another kind of event."""

from datetime import datetime

from streamt.openlineage.models import DatasetEvent, InputDataset, Job, JobEvent, OutputDataset

job = Job(namespace="n", name="j")
source = InputDataset(namespace="n", name="d")
sink = OutputDataset(namespace="n", name="d")


def events(time: datetime) -> None:
    # E: incompatible type "InputDataset"; expected "StaticDataset"
    DatasetEvent(event_time=time, dataset=source)
    # E: incompatible type "tuple[OutputDataset]"
    JobEvent(event_time=time, job=job, inputs=(sink,))
    # E: Unexpected keyword argument "run"
    JobEvent(event_time=time, job=job, run=None)
    # E: Unexpected keyword argument "event_type"
    JobEvent(event_time=time, job=job, event_type="START")
