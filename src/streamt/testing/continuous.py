"""Continuous tests: is the test's Flink job running?"""

from collections.abc import Mapping
from urllib.parse import quote as url_quote

from streamt.clusters import ClusterError, FailureKind
from streamt.clusters.flink_jobs import FlinkJob, list_jobs
from streamt.diagnostics import ProjectPath, quote
from streamt.net import Basic, CertificateFileError, HttpClient
from streamt.project.language import Document, FlinkCluster
from streamt.testing.access import address_of
from streamt.testing.problems import cannot_run
from streamt.testing.results import Status, Verdict
from streamt.testing.selection import Selected

# Seconds for the whole answer, from connecting to its last byte.
ANSWER_SECONDS = 10.0
_HINTS: Mapping[FailureKind, str] = {
    FailureKind.UNREACHABLE: "check rest_url, and that the cluster is up",
    FailureKind.LOGIN: "check api_key and api_secret",
    FailureKind.REFUSED: "check rest_url; it is an address such as http://host:8081",
}


def continuous_job_name(project: str, test: str) -> str:
    """Name the Flink job of a continuous test: `streamt/{project}/tests/{test}`, each part percent-encoded."""
    return f"streamt/{url_quote(project, safe='')}/tests/{url_quote(test, safe='')}"


def judge_job(document: Document, selected: Selected) -> Verdict:
    """Ask the test's Flink cluster whether its job is RUNNING; of several of its name, the newest counts.

    Args:
        document: the project.
        selected: the test.

    Raises:
        StreamtError: E531; there is no such cluster, or it does not answer as Flink does.
    """
    name = continuous_job_name(document.project.name, selected.test.name)
    named = [job for job in _jobs(_cluster(document, selected), selected.location) if job.name == name]
    if not named:
        return Verdict(status=Status.FAILED, message=f"Flink has no job {quote(name)}")
    state = max(named, key=lambda job: job.started).state
    if state == "RUNNING":
        return Verdict(status=Status.PASSED, message=f"job {quote(name)} is RUNNING")
    return Verdict(status=Status.FAILED, message=f"job {quote(name)} is {state or 'in an unknown state'}, not RUNNING")


def _cluster(document: Document, selected: Selected) -> FlinkCluster:
    """Find the cluster: the test's own, the default of tests, the default of Flink, or the only one."""
    flink = document.runtime.flink if document.runtime else None
    clusters = flink.clusters if flink else {}
    defaults = document.defaults.tests.flink_cluster if document.defaults.tests else None
    name = selected.test.flink_cluster or defaults or (flink.default if flink else None)
    if name is None and len(clusters) == 1:
        name = next(iter(clusters))
    if name is None:
        hint = "name it under flink_cluster, or as runtime.flink.default"
        raise cannot_run("it is not said which Flink cluster runs the test's job", selected.location, hint)
    if name not in clusters:
        raise cannot_run(f"runtime.flink has no cluster {quote(name)}", selected.location)
    if not clusters[name].rest_url:
        raise cannot_run(f"Flink cluster {quote(name)} has no rest_url to ask", selected.location)
    return clusters[name]


def _jobs(cluster: FlinkCluster, location: ProjectPath) -> list[FlinkJob]:
    secret = cluster.api_secret.get_secret_value() if cluster.api_secret else ""
    login = None if cluster.api_key is None else Basic(cluster.api_key.get_secret_value(), secret)
    address = address_of(cluster.rest_url or "", location, "rest_url")
    try:
        return list_jobs(HttpClient(address=address, credentials=login, timeout_s=ANSWER_SECONDS))
    except CertificateFileError as error:
        raise cannot_run(f"the file of {error.variable} holds no certificates in PEM", location) from error
    except ClusterError as error:
        failure = error.failure
        message = f"Flink's REST API gives no list of jobs: {failure.message}"
        raise cannot_run(message, location, _HINTS.get(failure.kind)) from error
