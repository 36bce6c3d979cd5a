"""The stock client of OpenLineage, with nothing but a URL and a key; and the document, held against the server."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, JobEvent, OutputDataset, Run, RunEvent, RunState
from openlineage.client.transport.http import HttpConfig, HttpTransport
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from streamt.catalog.access import Right
from streamt.catalog.http.app import document
from tests.catalog.desk import NAMESPACE, Desk, run_id
from tests.catalog.server import serving, token_for

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
"""A number that names nothing is a 404 and an odd event a 422, so what is valid by its shape may still be refused."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, str, str]]:
    desk = Desk.open(f"sqlite:///{tmp_path_factory.mktemp('clients')}/catalog.db")
    with serving(desk.catalog) as url:
        yield desk, url, token_for(desk.catalog, desk.admin)


@pytest.mark.parametrize("compression", [None, "gzip"])
def test_the_stock_python_client_sends_with_a_url_and_a_key(
    site: tuple[Desk, str, str], compression: str | None
) -> None:
    desk, url, _ = site
    key = token_for(desk.catalog, desk.admin, frozenset({Right.SEND}))
    options: dict[str, Any] = {"url": url, "auth": {"type": "api_key", "apiKey": key}}
    if compression:
        options["compression"] = compression
    client = OpenLineageClient(transport=HttpTransport(HttpConfig.from_dict(options)))
    sides: dict[str, Any] = {
        "producer": "https://producer.example",
        "inputs": [InputDataset(NAMESPACE, "analytics.public.a")],
        "outputs": [OutputDataset(NAMESPACE, "analytics.public.b")],
    }
    of_run: dict[str, Any] = {"run": Run(run_id(1)), "job": Job("python", f"job {compression}"), **sides}
    client.emit(RunEvent(eventTime="2026-01-01T00:00:01Z", eventType=RunState.START, **of_run))
    client.emit(RunEvent(eventTime="2026-01-01T00:00:02Z", eventType=RunState.COMPLETE, **of_run))
    client.emit(JobEvent(eventTime="2026-01-01T00:00:02Z", job=Job("python", "declared"), **sides))
    names = [one["job"]["name"] for one in desk.edge("a>b")["evidence"]]
    assert {f"job {compression}", "declared"} <= set(names)


OPERATIONS = [
    (method.upper(), path)
    for path, methods in document()["paths"].items()
    for method in methods
    if (method, path) != ("delete", "/api/v1/session")  # which ends no token's session, and has nothing to vary
]


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_what_the_document_says_is_what_the_server_does(site: tuple[Desk, str, str], method: str, path: str) -> None:
    api = schemathesis.openapi.from_url(f"{site[1]}/api/v1/openapi.json")

    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=api[path][method].as_strategy())
    def holds(case: Any) -> None:
        response = case.call(headers={"Authorization": f"Bearer {site[2]}"})
        case.validate_response(response, checks=CHECKS)

    holds()
