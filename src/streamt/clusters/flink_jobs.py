"""The jobs of a Flink cluster, as its REST interface lists them.

https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/#jobs-overview
"""

from dataclasses import dataclass
from typing import Any

from streamt.clusters.http_failures import answer_of, unreadable
from streamt.net import HttpClient


@dataclass(frozen=True, slots=True)
class FlinkJob:
    """One job.

    Attributes:
        name: its name; several jobs may share one.
        state: such as `RUNNING`; empty if it is no state of Flink's.
        started: milliseconds since 1970; -1 if that is not told.
    """

    name: str
    state: str
    started: int


def list_jobs(client: HttpClient) -> list[FlinkJob]:
    """Return the jobs of a cluster, ended ones included.

    Args:
        client: for the cluster's REST interface.

    Raises:
        ClusterError: it cannot be asked, or gives no list of jobs.
    """
    answer = answer_of(client.send("GET", "jobs/overview"))
    try:
        return [_job(job) for job in answer["jobs"] if isinstance(job, dict)]
    except (TypeError, KeyError) as error:
        raise unreadable("the answer is no list of jobs") from error


def _job(job: dict[str, Any]) -> FlinkJob:
    state, started = job.get("state"), job.get("start-time")
    known = state if isinstance(state, str) and state.isalpha() and state.isupper() else ""
    return FlinkJob(str(job.get("name")), known, started if isinstance(started, int) else -1)
