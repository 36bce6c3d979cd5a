"""Continuous tests: is the test's Flink job running?

https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/#jobs-overview
"""

import base64
import http.client
import json
from contextlib import suppress
from socket import SHUT_RDWR, socket
from threading import Event, Timer
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

from streamt.diagnostics import ProjectPath
from streamt.project.language import Document, FlinkCluster
from streamt.testing.problems import cannot_run
from streamt.testing.results import Status, Verdict
from streamt.testing.selection import Selected

# Seconds for the whole answer, from connecting to its last byte.
ANSWER_SECONDS = 10.0
_LARGEST_ANSWER = 16 * 1024 * 1024


def continuous_job_name(project: str, test: str) -> str:
    """Name the Flink job of a continuous test: `streamt/{project}/tests/{test}`, each part percent-encoded."""
    return f"streamt/{quote(project, safe='')}/tests/{quote(test, safe='')}"


def judge_job(document: Document, selected: Selected) -> Verdict:
    """Ask the test's Flink cluster whether its job is RUNNING; of several of its name, the newest counts.

    Args:
        document: the project.
        selected: the test.

    Raises:
        StreamtError: E531; there is no such cluster, or it does not answer as Flink does.
    """
    cluster, location = _cluster(document, selected)
    jobs = _jobs(cluster, location)
    name = continuous_job_name(document.project.name, selected.test.name)
    named = [job for job in jobs if job.get("name") == name]
    if not named:
        return Verdict(status=Status.FAILED, message=f"Flink has no job `{name}`")
    state = max(named, key=_start).get("state")
    if state == "RUNNING":
        return Verdict(status=Status.PASSED, message=f"job `{name}` is RUNNING")
    known = state if isinstance(state, str) and state.isalpha() and state.isupper() else "in an unknown state"
    return Verdict(status=Status.FAILED, message=f"job `{name}` is {known}, not RUNNING")


def _start(job: dict[str, Any]) -> int:
    start = job.get("start-time")
    return start if isinstance(start, int) else -1


def _cluster(document: Document, selected: Selected) -> tuple[FlinkCluster, ProjectPath]:
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
        raise cannot_run(f"runtime.flink has no cluster `{name}`", selected.location)
    if not clusters[name].rest_url:
        raise cannot_run(f"Flink cluster `{name}` has no rest_url to ask", selected.location)
    return clusters[name], selected.location


def _jobs(cluster: FlinkCluster, location: ProjectPath) -> list[dict[str, Any]]:
    try:
        answer = json.loads(_get(cluster, location))
        jobs = answer["jobs"]
        return [job for job in jobs if isinstance(job, dict)]
    except (ValueError, RecursionError, TypeError, KeyError) as error:
        raise cannot_run("Flink's REST API gives an answer that is no list of jobs", location) from error


def _get(cluster: FlinkCluster, location: ProjectPath) -> bytes:
    """Ask for `/jobs/overview`; no redirect is followed, no proxy used, and the time is bounded in all.

    Raises:
        StreamtError: E531; it cannot be reached, or answers with another status than 200.
    """
    url = _url(cluster, location)
    connect = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = connect(url.hostname or "", url.port, timeout=ANSWER_SECONDS)
    late = Event()
    try:
        connection.connect()
        # A server that drips bytes starts the socket's own timeout again and again.
        watch = Timer(ANSWER_SECONDS, _cut, (connection.sock, late))
        watch.daemon = True
        watch.start()
        try:
            connection.request("GET", f"{url.path.rstrip('/')}/jobs/overview", headers=_headers(cluster))
            response = connection.getresponse()
            body = response.read(_LARGEST_ANSWER + 1)
        finally:
            watch.cancel()
    except (OSError, http.client.HTTPException) as error:
        reason = "no answer in time" if late.is_set() else type(error).__name__
        hint = "check rest_url, and that the cluster is up"
        raise cannot_run(f"Flink's REST API cannot be reached ({reason})", location, hint) from None
    finally:
        connection.close()
    if late.is_set() or len(body) > _LARGEST_ANSWER:
        raise cannot_run("Flink's REST API gives an answer that is too slow or too large", location)
    if response.status != http.HTTPStatus.OK:
        raise cannot_run(f"Flink's REST API answers with status {response.status}", location)
    return body


def _cut(connected: socket, late: Event) -> None:
    late.set()
    with suppress(OSError):
        connected.shutdown(SHUT_RDWR)


def _url(cluster: FlinkCluster, location: ProjectPath) -> SplitResult:
    problem = "rest_url is no address such as http://host:8081"
    try:
        url = urlsplit(cluster.rest_url or "")
        usable = url.scheme in ("http", "https") and url.hostname and url.port != 0
    except ValueError:
        raise cannot_run(problem, location) from None
    if not usable:
        raise cannot_run(problem, location)
    if url.username is not None:
        raise cannot_run("rest_url holds a user", location, "give it as api_key and api_secret")
    return url


def _headers(cluster: FlinkCluster) -> dict[str, str]:
    headers = {"Accept": "application/json"}
    if cluster.api_key is not None:
        secret = cluster.api_secret.get_secret_value() if cluster.api_secret else ""
        login = f"{cluster.api_key.get_secret_value()}:{secret}".encode()
        headers["Authorization"] = f"Basic {base64.b64encode(login).decode()}"
    return headers
