"""Every row of the endpoint's table, and what the API promises besides."""

import gzip
import json
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from streamt.catalog.access import Permission, Right
from streamt.catalog.http import Settings
from streamt.catalog.http.app import document
from streamt.catalog.http.bodies import MAX_BODY, MAX_REGISTRATION
from tests.catalog.desk import NAMESPACE, Desk, event, facet
from tests.catalog.server import Client, serving, token_for

LINEAGE = "/api/v1/lineage"
BATCH = "/api/v1/lineage/batch"


@dataclass(frozen=True)
class Site:
    desk: Desk
    client: Client

    def stored(self, status: str) -> int:
        return len(self.client.get(f"/api/v1/events?status={status}").json["items"])

    def events(self) -> int:
        return len(self.client.get("/api/v1/events").json["items"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    desk = Desk.open(f"sqlite:///{tmp_path_factory.mktemp('site')}/catalog.db")
    with serving(desk.catalog) as url:
        yield Site(desk, Client(url, token_for(desk.catalog, desk.admin)))


def test_one_event_is_answered_with_its_number_and_what_became_of_it(site: Site) -> None:
    answer = site.client.post(LINEAGE, event("COMPLETE", 1, "ap", "b", job="one"))
    assert answer.status == 200
    assert answer.json["status"] == "applied"
    assert answer.json["asserted"] == 2
    assert answer.json["unmatched"][0]["dataset"] == {"namespace": NAMESPACE, "name": "analytics.public.p"}
    again = site.client.post("/api/lineage", event("COMPLETE", 1, "ap", "b", job="one"))
    assert (again.status, again.json["status"], again.json["event"]) == (200, "unchanged", answer.json["event"])


def test_a_charset_of_utf_8_is_accepted(site: Site) -> None:
    body = json.dumps(event("COMPLETE", 1, "a", "b", job="charset")).encode()
    headers = {"Content-Type": 'application/json; charset="UTF-8"'}
    assert site.client.call("POST", LINEAGE, raw=body, headers=headers).status == 200


def test_gzip_is_unpacked(site: Site) -> None:
    body = gzip.compress(json.dumps(event("COMPLETE", 1, "a", "b", job="gzip")).encode())
    answer = site.client.call("POST", LINEAGE, raw=body, headers={"Content-Encoding": "gzip"})
    assert answer.json["status"] == "applied"


def test_an_array_is_answered_as_a_batch(site: Site) -> None:
    answer = site.client.post(LINEAGE, [event("COMPLETE", 1, "a", "b", job="array"), {"no": "event"}])
    assert answer.status == 200
    assert answer.json["status"] == "partial_success"
    assert answer.json["summary"] == {"received": 2, "successful": 1, "failed": 1, "retriable": 0, "non_retriable": 1}
    assert answer.json["failed_events"][0]["index"] == 1


@pytest.mark.parametrize("path", [LINEAGE, BATCH])
def test_an_empty_array_is_a_success_of_nothing(site: Site, path: str) -> None:
    answer = site.client.post(path, [])
    assert (answer.status, answer.json["status"], answer.json["summary"]["received"]) == (200, "success", 0)


def nested(levels: int) -> bytes:
    """A body whose outermost value is level 1."""
    inner = b"1"
    for _ in range(levels - 1):
        inner = b"[" + inner + b"]"
    return b'{"a":' + inner + b"}"


UNREADABLE = {
    "no JSON": b"{",
    "a number": b"1",
    "a text": b'"x"',
    "nothing": b"",
    "NaN": b'{"a":NaN}',
    "Infinity": b"[Infinity]",
    "a number that overflows": b"[1e999]",
    "an integer that the runtime cannot convert": b"[" + b"9" * 5000 + b"]",
    "a NUL": b'{"a":"\\u0000"}',
    "a NUL in a key": b'{"\\u0000":1}',
    "a lone surrogate": b'["\\ud800"]',
    "101 levels": nested(101),
    "not UTF-8": b'{"a":"\xff"}',
    "text after the end": b"{} {}",
    "a raw control character": b'{"a":"\x01"}',
    "a trailing comma": b"[{},]",
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_an_unreadable_body_is_400_and_nothing_is_stored(site: Site, case: str) -> None:
    before = site.events()
    answer = site.client.call("POST", LINEAGE, raw=UNREADABLE[case])
    assert answer.status == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["status"] == 400
    assert site.events() == before


def test_a_hundred_levels_pass(site: Site) -> None:
    assert site.client.call("POST", LINEAGE, raw=nested(100)).status == 422


def test_an_escaped_backslash_before_u0000_is_no_nul(site: Site) -> None:
    body = event("COMPLETE", 1, "a", "b", job="backslash \\u0000")
    assert site.client.post(LINEAGE, body).status == 200


def test_broken_gzip_is_400(site: Site) -> None:
    good = gzip.compress(b"[]" * 1000)
    for bad in (b"no gzip", good[:-9], good[:20]):
        assert site.client.call("POST", LINEAGE, raw=bad, headers={"Content-Encoding": "gzip"}).status == 400


def test_a_gzip_bomb_is_413(site: Site) -> None:
    bomb = gzip.compress(b" " * (70 * 1024 * 1024))
    assert site.client.call("POST", LINEAGE, raw=bomb, headers={"Content-Encoding": "gzip"}).status == 413


def test_a_body_larger_than_the_limit_is_413_without_reading_on(site: Site) -> None:
    headers = {"Content-Length": str(11 * 1024 * 1024)}
    assert site.client.call("POST", LINEAGE, raw=b"{", headers=headers).status == 413


DOCUMENT = document()["paths"]
WITH_BODY = [
    f"{method.upper()} {path}"
    for path, methods in DOCUMENT.items()
    for method, operation in methods.items()
    if "requestBody" in operation and "lineage" not in path
]


@pytest.mark.parametrize("token", ["with a token", "without one"])
@pytest.mark.parametrize("operation", WITH_BODY)
def test_no_endpoint_reads_more_than_it_can_need(site: Site, operation: str, token: str) -> None:
    method, _, path = operation.partition(" ")
    path = re.sub(r"\{\w+\}", "1", path)
    is_registration = path.endswith("/containers")
    client = site.client if token == "with a token" else Client(site.client.url)
    limit = MAX_REGISTRATION if is_registration and client.token else MAX_BODY
    stated = client.call(method, path, raw=b"{", headers={"Content-Length": str(limit + 1)})
    assert (stated.status, stated.json["detail"]) == (413, f"the body is larger than {limit} bytes")
    if limit == MAX_BODY:
        chunks = (b"%x\r\n%b\r\n" % (65536, b" " * 65536) for _ in range(17))
        assert sent_in_chunks(client, method, path, b"".join(chunks)) == 413


def sent_in_chunks(client: Client, method: str, path: str, chunks: bytes) -> int:
    """Send a body whose length is not stated and which never ends; return the status of the answer."""
    parts = urlsplit(client.url)
    token = f"Authorization: Bearer {client.token}\r\n" if client.token else ""
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\n{token}Content-Type: application/json\r\n"
    with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=60) as line:
        line.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + chunks)
        return int(line.recv(12)[-3:])


def test_a_registration_may_be_larger_than_other_requests(site: Site) -> None:
    fields = [{"name": f"f{number}" + "x" * 900} for number in range(1300)]
    body = {"containers": [{"name": "wide", "fields": fields}], "whole": False}
    assert len(json.dumps(body)) > MAX_BODY
    assert site.client.post("/api/v1/datastores/1/containers", body).status == 200


def test_more_than_ten_thousand_events_are_413(site: Site) -> None:
    assert site.client.call("POST", BATCH, raw=b"[" + b"{}," * 10_000 + b"{}]").status == 413


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/xml"},
        {"Content-Type": "application/json; charset=latin-1"},
        {"Content-Encoding": "br"},
    ],
)
def test_another_media_type_or_encoding_is_415(site: Site, headers: dict[str, str]) -> None:
    assert site.client.call("POST", LINEAGE, raw=b"[]", headers=headers).status == 415


def changed(**values: Any) -> dict[str, Any]:
    return {**event("COMPLETE", 1, "a", "b", job="rejected"), **values}


REJECTED: dict[str, tuple[Any, str]] = {
    "a time without offset": (changed(eventTime="2026-01-01T00:00:00"), "/eventTime"),
    "a time ahead of the clock": (changed(eventTime="2999-01-01T00:00:00Z"), "/eventTime"),
    "a time of long ago": (changed(eventTime="0001-01-01T00:00:00Z"), "/eventTime"),
    "a producer that is no URI": (changed(producer="not a uri"), "/producer"),
    "a producer with a relative reference": (changed(producer="/relative"), "/producer"),
    "a schemaURL that is no URI": (changed(schemaURL="::"), "/schemaURL"),
    "no time": ({k: v for k, v in changed().items() if k != "eventTime"}, "/eventTime"),
    "a run without id": (changed(run={}), "/run/runId"),
    "a run whose id is no UUID": (changed(run={"runId": "1"}), "/run/runId"),
    "a run without job": ({k: v for k, v in changed().items() if k != "job"}, "/job"),
    "a dataset beside a job": (changed(dataset={"namespace": "n", "name": "x"}), "/dataset"),
    "nothing that says what it is": ({"eventTime": "2026-01-01T00:00:00Z"}, ""),
    "an unknown type": (changed(eventType="DONE"), "/eventType"),
    "inputs that are no list": (changed(inputs={}), "/inputs"),
    "a dataset without name": (changed(inputs=[{"namespace": "n"}]), "/inputs/0/name"),
    "an empty name": (changed(inputs=[{"namespace": "n", "name": ""}]), "/inputs/0/name"),
    "a name of 10,001 characters": (changed(inputs=[{"namespace": "n", "name": "x" * 10_001}]), "/inputs/0/name"),
    "a malformed facet that is used": (
        changed(outputs=[{"namespace": "n", "name": "x", "facets": {"columnLineage": facet(fields=[])}}]),
        "/outputs/0/facets/columnLineage/fields",
    ),
}


@pytest.mark.parametrize("case", REJECTED)
def test_an_event_that_is_no_event_is_422_with_its_pointer_and_kept_as_rejected(site: Site, case: str) -> None:
    body, place = REJECTED[case]
    before = site.stored("rejected")
    answer = site.client.post(LINEAGE, body)
    assert answer.status == 422
    assert place in [one["pointer"] for one in answer.json["errors"]]
    assert site.stored("rejected") == before + 1


GOOD: dict[str, Any] = {
    "an unknown facet of an unexpected shape": changed(
        outputs=[{"namespace": "n", "name": "x", "facets": {"strange": [1, None]}}]
    ),
    "extra properties": changed(extra={"a": 1}),
    "null for an optional property": changed(inputs=None, eventType=None),
    "no eventType": {k: v for k, v in changed().items() if k != "eventType"},
    "a facet that is withdrawn needs no other property": changed(
        outputs=[{"namespace": "n", "name": "x", "facets": {"columnLineage": {"_deleted": True}}}]
    ),
    "a name of 10,000 characters": changed(inputs=[{"namespace": "n", "name": "x" * 10_000}]),
    "names with HTML, SQL, control characters and RTL marks": changed(
        inputs=[{"namespace": "n", "name": "<script>'; drop table edge; --\u202e\u0007"}]
    ),
    "the explicit lineage facet, which is not read": changed(
        job={"namespace": "n", "name": "j", "facets": {"lineage": 3}}
    ),
}


@pytest.mark.parametrize("case", GOOD)
def test_what_is_not_used_is_not_judged(site: Site, case: str) -> None:
    assert site.client.post(LINEAGE, GOOD[case]).status == 200


def test_of_two_equal_keys_the_last_counts(site: Site) -> None:
    text = json.dumps(event("COMPLETE", 1, "a", "b", job="twice"))
    doubled = text.replace('"eventType": "COMPLETE"', '"eventType": "NONSENSE", "eventType": "COMPLETE"')
    assert site.client.call("POST", LINEAGE, raw=doubled.encode()).status == 200


@pytest.mark.parametrize("header", [None, "Basic eDp5", "Bearer", "Bearer wrong", "token x"])
def test_no_or_an_unknown_token_is_401(site: Site, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    answer = Client(site.client.url).call("POST", LINEAGE, {}, headers=headers)
    assert answer.status == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_token_without_the_right_is_403(site: Site) -> None:
    reader = Client(site.client.url, token_for(site.desk.catalog, site.desk.admin, frozenset({Right.READ})))
    sender = Client(site.client.url, token_for(site.desk.catalog, site.desk.admin, frozenset({Right.SEND})))
    assert reader.post(LINEAGE, []).status == 403
    assert sender.post(LINEAGE, []).status == 200
    assert sender.get("/api/v1/status").status == 403
    assert reader.post("/api/v1/teams", {"name": "x"}).status == 403


def test_a_revoked_token_is_401_at_once(site: Site) -> None:
    made = site.client.post("/api/v1/tokens", {"name": "short"}).json
    short = Client(site.client.url, made["token"])
    assert short.get("/api/v1/status").status == 200
    assert site.client.call("DELETE", f"/api/v1/tokens/{made['id']}").status == 204
    assert short.get("/api/v1/status").status == 401


def test_known_matches_of_which_none_is_writable_are_403_and_kept_as_denied(site: Site) -> None:
    viewer = site.desk.member("viewer", Permission.VIEWER)
    client = Client(site.client.url, token_for(site.desk.catalog, viewer))
    answer = client.post(LINEAGE, event("COMPLETE", 1, "a", "b", job="denied"))
    assert answer.status == 403
    assert site.stored("denied") == 1


def test_a_batch_is_an_array(site: Site) -> None:
    assert site.client.post(BATCH, {}).status == 400


def test_too_many_requests_of_one_token_are_429_with_when_to_come_back(tmp_path: Path) -> None:
    desk = Desk.open(f"sqlite:///{tmp_path}/catalog.db")
    with serving(desk.catalog, Settings(rate=1)) as url:
        client = Client(url, token_for(desk.catalog, desk.admin))
        answers = [client.get("/api/v1/status") for _ in range(10)]
    refused = [answer for answer in answers if answer.status == 429]
    assert refused
    assert int(refused[0].headers["retry-after"]) >= 1


def test_signing_in_gives_a_cookie_that_scripts_cannot_read_and_changes_need_its_secret(site: Site) -> None:
    answer = Client(site.client.url).post("/api/v1/session", {"token": site.client.token})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    browser = Client(site.client.url)
    held = {"Cookie": cookie.partition(";")[0]}
    assert browser.call("GET", "/api/v1/session", headers=held).json["user"] == "admin"
    team = {"name": "made by a browser"}
    assert browser.call("POST", "/api/v1/teams", team, headers=held).status == 403
    with_secret = {**held, "X-CSRF-Token": answer.json["csrf"]}
    assert browser.call("POST", "/api/v1/teams", team, headers=with_secret).status == 201
    assert browser.call("DELETE", "/api/v1/session", headers=with_secret).status == 204
    assert browser.call("GET", "/api/v1/session", headers=held).status == 401


def test_signing_in_with_a_wrong_token_is_401(site: Site) -> None:
    assert Client(site.client.url).post("/api/v1/session", {"token": "wrong"}).status == 401


def test_every_answer_has_the_headers_that_keep_a_browser_safe(site: Site) -> None:
    for answer in (site.client.get("/api/v1/status"), Client(site.client.url).get("/nowhere")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"


NAMES = [
    ("spark://x/y", "one/two"),
    ("https://airflow.example/x", "dag.task"),
    ("kafka://broker:9092", "a/runs"),
    ("/", "runs"),
    ("n", "/begins and ends/"),
    ("100%2Fencoded", "50%25 + %"),
    ("söme", "jöb?x=1#y&z;w"),
]


@pytest.mark.parametrize(("namespace", "name"), NAMES)
def test_a_job_is_found_and_ended_whatever_its_name_holds(site: Site, namespace: str, name: str) -> None:
    body = {**event("COMPLETE", 1, "a", "b"), "job": {"namespace": namespace, "name": name}}
    site.client.post(LINEAGE, body)
    path = f"/api/v1/jobs/{quote(namespace, safe='')}/{quote(name, safe='')}"
    answer = site.client.get(path)
    assert (answer.json["namespace"], answer.json["name"]) == (namespace, name)
    assert [one["state"] for one in site.client.get(f"{path}/runs").json["items"]] == ["COMPLETE"]
    assert site.client.call("DELETE", path).json == {"withdrawn": 1}
    assert site.client.get(path).json["edges"] == []


@pytest.mark.parametrize("path", ["n", "n/a/b", "n/a/runs/more", "n%2Fa", "", "/", "n//runs"])
def test_a_path_that_names_no_job_is_404(site: Site, path: str) -> None:
    assert site.client.get(f"/api/v1/jobs/{path}").status == 404


def test_lists_are_paged_by_cursor(site: Site) -> None:
    for number in range(5):
        site.client.post("/api/v1/teams", {"name": f"paged {number}"})
    names, path = [], "/api/v1/teams?limit=2"
    while path:
        page = site.client.get(path).json
        names += [one["name"] for one in page["items"]]
        path = f"/api/v1/teams?limit=2&cursor={page['next']}" if page["next"] else ""
    assert len(names) == len(set(names))
    assert {f"paged {number}" for number in range(5)} <= set(names)
    assert site.client.get("/api/v1/teams?cursor=nonsense").status == 422


@pytest.mark.parametrize("text", ["%", "_", ".", "/", "100%_."])
def test_in_a_search_wildcards_are_letters(site: Site, text: str) -> None:
    from urllib.parse import quote

    items = site.client.get(f"/api/v1/search?q={quote(text, safe='')}").json["items"]
    assert all(text in (one["name"] + one["namespace"]) for one in items)


def test_a_search_finds_a_substring_in_any_case_with_prefixes_first(site: Site) -> None:
    site.desk.register("k")
    site.client.post(LINEAGE, event("COMPLETE", 1, "a", "b", job="The KEY job"))
    items = site.client.get("/api/v1/search?q=K").json["items"]
    assert items[0]["name"] == "k"
    assert "The KEY job" in [one["name"] for one in items]


def test_health_needs_no_token_and_metrics_need_one(site: Site) -> None:
    anyone = Client(site.client.url)
    assert anyone.get("/api/v1/health/live").status == 200
    assert anyone.get("/api/v1/health/ready").status == 200
    assert anyone.get("/api/v1/metrics").status == 401
    assert b"streamt_catalog_requests_total" in site.client.get("/api/v1/metrics").body


def test_an_audit_line_is_kept_of_each_change_by_a_person(site: Site) -> None:
    site.client.post("/api/v1/teams", {"name": "audited"})
    items = site.client.get("/api/v1/audit").json["items"]
    assert (items[0]["user"], items[0]["action"], items[0]["subject"]) == ("admin", "team.create", "audited")


def test_the_openapi_document_is_served_and_names_every_error(site: Site) -> None:
    document = Client(site.client.url).get("/api/v1/openapi.json").json
    post = document["paths"][LINEAGE]["post"]
    assert {"200", "400", "401", "403", "413", "415", "422", "429", "503"} <= set(post["responses"])
    assert "Problem" in document["components"]["schemas"]


def test_received_bodies_and_unknown_facets_are_in_no_answer(site: Site) -> None:
    secret = "planted-in-an-unknown-facet"
    body = event("COMPLETE", 1, "a", "b", job="leaky", facets={"b": {"strange": {"value": secret}}})
    number = site.client.post(LINEAGE, body).json["event"]
    paths = ["/api/v1/events", "/api/v1/jobs/jobs/leaky", f"/api/v1/graph?node={site.desk.tables['b']}&fields=true"]
    paths += [f"/api/v1/containers/{site.desk.tables['b']}", f"/api/v1/events?status=applied&limit={number}"]
    for path in paths:
        answer = site.client.get(path)
        assert answer.status == 200
        assert secret.encode() not in answer.body


def test_the_api_reference_is_made_from_the_openapi_document() -> None:
    from tests.catalog.api_reference import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.catalog.api_reference`"


def test_a_body_just_below_the_limit_is_taken(site: Site) -> None:
    pad = {"b": {"strange": {"pad": "x" * (10 * 1024 * 1024 - 3000)}}}
    assert site.client.post(LINEAGE, event("COMPLETE", 1, "a", "b", job="large", facets=pad)).status == 200
