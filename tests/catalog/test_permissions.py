"""One walk over every endpoint as every kind of caller; and what is in no answer for those who may not see it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from streamt.catalog.access import Caller, Permission, Role
from tests.catalog.desk import NAMESPACE, Desk, event, facet, lineage
from tests.catalog.server import Answer, Client, serving, token_for

VIEWER, EDITOR = Permission.VIEWER, Permission.EDITOR
CALLERS = ("nobody", "outsider", "viewer", "both", "editor", "manager", "admin")
"""Without a token; without a grant; Viewer on datastore 1; Viewer on 1 and 2; Editor on 1; a manager; an admin."""

SECRETS = ("secret-job", "select secret", "IDENTITY", "00000000-0000-4000-8000-000000000042")
"""What only those may see who have Viewer on every container that an edge touches."""


@dataclass(frozen=True)
class Town:
    desk: Desk
    url: str
    tokens: dict[str, str | None]
    ids: dict[str, int]

    def ask(self, who: str, method: str, path: str, body: Any = None) -> Answer:
        return Client(self.url, self.tokens[who]).call(method, path.format(**self.ids), body)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    desk = Desk.open(f"sqlite:///{tmp_path_factory.mktemp('town')}/catalog.db")
    people: dict[str, Caller] = {
        "outsider": desk.member("outsider"),
        "viewer": desk.member("viewer", VIEWER),
        "both": desk.member("both", VIEWER, VIEWER),
        "editor": desk.member("editor", EDITOR),
        "manager": replace(desk.member("manager"), role=Role.MANAGER),
        "admin": desk.admin,
    }
    _set_role(desk, people["manager"])
    sql = {"sql": facet(query="select secret")}
    across = event("COMPLETE", 1, "a", "d", run=42, job="secret-job", job_facets=sql)
    across["outputs"][0]["facets"] = {"columnLineage": lineage(x="a.y")}
    own = event("COMPLETE", 1, "a", "b", job="own-job")
    desk.send(across, own)
    ids = {name: desk.tables[name] for name in "abcd"}
    ids |= {"across": desk.edge("a>d")["id"], "within": desk.edge("a>b")["id"]}
    ids |= {"store": desk.datastores[0], "other": desk.datastores[1]}
    with serving(desk.catalog) as url:
        tokens: dict[str, str | None] = {name: token_for(desk.catalog, one) for name, one in people.items()}
        yield Town(desk, url, {"nobody": None, **tokens}, ids)


def _set_role(desk: Desk, caller: Caller) -> None:
    from sqlalchemy import update

    from streamt.catalog.store.tables import account

    def work(tools: Any) -> None:
        tools.conn.execute(update(account).where(account.c.id == caller.user).values(role=caller.role.value))

    desk.catalog.change(work)


Step = tuple[str, str, Any, str]
CONTAINER = {"containers": [{"name": "walked"}]}
WALK: dict[str, list[Step]] = {
    # operation of the document: (method, path, body, statuses in the order of CALLERS)
    "POST /api/v1/lineage": [
        ("POST", "/api/v1/lineage", event("COMPLETE", 1, "b", "c", job="walk"), "401 403 403 403 200 403 200"),
    ],
    "POST /api/v1/lineage/batch": [("POST", "/api/v1/lineage/batch", [], "401 200 200 200 200 200 200")],
    "GET /api/v1/graph": [
        ("GET", "/api/v1/graph?node={a}", None, "401 404 200 200 200 404 200"),
        ("GET", "/api/v1/graph?node={d}", None, "401 404 404 200 404 404 200"),
        ("GET", f"/api/v1/graph?namespace={NAMESPACE}&name=analytics.private.d", None, "401 404 404 200 404 404 200"),
    ],
    "GET /api/v1/search": [("GET", "/api/v1/search?q=d", None, "401 200 200 200 200 200 200")],
    "GET /api/v1/edges/{number}": [
        ("GET", "/api/v1/edges/{across}", None, "401 404 200 200 200 404 200"),
        ("GET", "/api/v1/edges/{within}", None, "401 404 200 200 200 404 200"),
    ],
    "PATCH /api/v1/edges/{number}": [
        ("PATCH", "/api/v1/edges/{across}", {"description": ""}, "401 404 403 403 403 404 200"),
        ("PATCH", "/api/v1/edges/{within}", {"description": ""}, "401 404 403 403 200 404 200"),
    ],
    "DELETE /api/v1/edges/{number}": [("DELETE", "/api/v1/edges/{across}", None, "401 404 403 403 403 404 -")],
    "POST /api/v1/edges": [
        ("POST", "/api/v1/edges", "manual", "401 404 403 403 201 404 201"),
        ("POST", "/api/v1/edges", "manual across", "401 404 404 403 404 404 201"),
    ],
    "GET /api/v1/containers/{number}": [
        ("GET", "/api/v1/containers/{a}", None, "401 404 200 200 200 404 200"),
        ("GET", "/api/v1/containers/{d}", None, "401 404 404 200 404 404 200"),
    ],
    "PATCH /api/v1/containers/{number}": [
        ("PATCH", "/api/v1/containers/{a}", {}, "401 404 403 403 200 404 200"),
        ("PATCH", "/api/v1/containers/{d}", {}, "401 404 404 403 404 404 200"),
    ],
    "GET /api/v1/containers/{number}/assertions": [
        ("GET", "/api/v1/containers/{d}/assertions", None, "401 404 404 200 404 404 200"),
    ],
    "GET /api/v1/containers/{number}/reports": [
        ("GET", "/api/v1/containers/{d}/reports", None, "401 404 404 200 404 404 200"),
    ],
    "GET /api/v1/containers/{number}/timeline": [
        ("GET", "/api/v1/containers/{d}/timeline", None, "401 404 404 200 404 404 200"),
    ],
    "GET /api/v1/jobs": [("GET", "/api/v1/jobs", None, "401 200 200 200 200 200 200")],
    "GET /api/v1/jobs/{namespace}/{name}": [
        ("GET", "/api/v1/jobs/jobs/secret-job", None, "401 404 404 200 404 404 200"),
        ("GET", "/api/v1/jobs/jobs/own-job", None, "401 404 200 200 200 404 200"),
    ],
    "GET /api/v1/jobs/{namespace}/{name}/runs": [
        ("GET", "/api/v1/jobs/jobs/secret-job/runs", None, "401 404 404 200 404 404 200"),
    ],
    "DELETE /api/v1/jobs/{namespace}/{name}": [
        ("DELETE", "/api/v1/jobs/jobs/secret-job", None, "401 404 404 403 404 404 -"),
    ],
    "GET /api/v1/events": [("GET", "/api/v1/events", None, "401 403 403 403 403 403 200")],
    "GET /api/v1/export": [("GET", "/api/v1/export", None, "401 403 403 403 403 403 200")],
    "POST /api/v1/sync/events": [("POST", "/api/v1/sync/events", None, "401 403 403 403 403 403 200")],
    "GET /api/v1/connections": [("GET", "/api/v1/connections", None, "401 200 200 200 200 200 200")],
    "POST /api/v1/connections": [
        ("POST", "/api/v1/connections", {"name": "walk", "type": "s3", "host": "b"}, "401 403 403 403 403 201 200"),
    ],
    "GET /api/v1/datastores": [("GET", "/api/v1/datastores", None, "401 200 200 200 200 200 200")],
    "GET /api/v1/datastores/{number}": [
        ("GET", "/api/v1/datastores/{store}", None, "401 404 200 200 200 404 200"),
        ("GET", "/api/v1/datastores/{other}", None, "401 404 404 200 404 404 200"),
    ],
    "POST /api/v1/datastores": [
        ("POST", "/api/v1/datastores", {"connection": 1, "database": "w"}, "401 403 403 403 403 403 201"),
    ],
    "GET /api/v1/datastores/{number}/containers": [
        ("GET", "/api/v1/datastores/{other}/containers", None, "401 404 404 200 404 404 200"),
    ],
    "POST /api/v1/datastores/{number}/containers": [
        ("POST", "/api/v1/datastores/{store}/containers", CONTAINER, "401 404 403 403 200 404 200"),
        ("POST", "/api/v1/datastores/{other}/containers", CONTAINER, "401 404 404 403 404 404 200"),
    ],
    "POST /api/v1/session": [
        ("POST", "/api/v1/session", {"token": "wrong"}, "401 401 401 401 401 401 401"),
    ],
    "GET /api/v1/session": [("GET", "/api/v1/session", None, "401 200 200 200 200 200 200")],
    "DELETE /api/v1/session": [("DELETE", "/api/v1/session", None, "401 204 204 204 204 204 204")],
    "GET /api/v1/users": [("GET", "/api/v1/users", None, "401 403 403 403 403 403 200")],
    "POST /api/v1/users": [("POST", "/api/v1/users", {"name": "walked"}, "401 403 403 403 403 403 201")],
    "DELETE /api/v1/users/{number}": [("DELETE", "/api/v1/users/9999", None, "401 403 403 403 403 403 404")],
    "GET /api/v1/teams": [("GET", "/api/v1/teams", None, "401 200 200 200 200 200 200")],
    "POST /api/v1/teams": [("POST", "/api/v1/teams", {"name": "walked"}, "401 403 403 403 403 403 201")],
    "PUT /api/v1/teams/{number}/members/{user}": [
        ("PUT", "/api/v1/teams/1/members/1", None, "401 403 403 403 403 403 204"),
    ],
    "DELETE /api/v1/teams/{number}/members/{user}": [
        ("DELETE", "/api/v1/teams/1/members/1", None, "401 403 403 403 403 403 204"),
    ],
    "GET /api/v1/permissions": [("GET", "/api/v1/permissions", None, "401 403 403 403 403 403 200")],
    "PUT /api/v1/permissions": [
        (
            "PUT",
            "/api/v1/permissions",
            {"team": 9999, "datastore": 1, "permission": "viewer"},
            "401 403 403 403 403 403 404",
        ),
    ],
    "GET /api/v1/tokens": [("GET", "/api/v1/tokens", None, "401 200 200 200 200 200 200")],
    "POST /api/v1/tokens": [
        ("POST", "/api/v1/tokens", {"name": "own"}, "401 201 201 201 201 201 201"),
        ("POST", "/api/v1/tokens", {"name": "x", "user": "outsider"}, "401 201 403 403 403 403 201"),
    ],
    "DELETE /api/v1/tokens/{number}": [("DELETE", "/api/v1/tokens/9999", None, "401 404 404 404 404 404 404")],
    "GET /api/v1/audit": [("GET", "/api/v1/audit", None, "401 403 403 403 403 403 200")],
    "GET /api/v1/status": [("GET", "/api/v1/status", None, "401 200 200 200 200 200 200")],
    "GET /api/v1/health/live": [("GET", "/api/v1/health/live", None, "200 200 200 200 200 200 200")],
    "GET /api/v1/health/ready": [("GET", "/api/v1/health/ready", None, "200 200 200 200 200 200 200")],
    "GET /api/v1/metrics": [("GET", "/api/v1/metrics", None, "401 200 200 200 200 200 200")],
}


def test_the_walk_leaves_no_endpoint_out(town: Town) -> None:
    document = town.ask("nobody", "GET", "/api/v1/openapi.json").json
    known = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}
    assert known == set(WALK)


@pytest.mark.parametrize("operation", WALK)
def test_every_endpoint_answers_each_caller_as_they_may(town: Town, operation: str) -> None:
    for method, path, body, statuses in WALK[operation]:
        sent = body
        if isinstance(body, str):
            target = town.ids["d" if "across" in body else "b"]
            sent = {"source": town.ids["a"], "target": target}
        expected = statuses.split()
        found = [
            "-" if status == "-" else str(town.ask(who, method, path, sent).status)
            for who, status in zip(CALLERS, expected, strict=True)
        ]
        assert found == expected, f"{method} {path}"


READS = [
    (method, path)
    for steps in WALK.values()
    for method, path, _, statuses in steps
    if method == "GET" and "metrics" not in path and statuses.split()[2] == "200"
]
READS += [("GET", f"/api/v1/graph?node={{{node}}}&upstream=5&downstream=5&fields=true&retired=true") for node in "ab"]
READS += [("GET", f"/api/v1/search?q={text}") for text in ("secret", "own", "d", "x")]


@pytest.mark.parametrize("who", ["viewer", "editor", "outsider"])
@pytest.mark.parametrize(("method", "path"), READS)
def test_who_may_not_view_every_container_of_an_edge_sees_no_detail_of_it(
    town: Town, who: str, method: str, path: str
) -> None:
    text = town.ask(who, method, path).body.decode()
    told = [secret for secret in SECRETS if secret in text]
    assert not told


def test_who_may_view_them_all_sees_the_details(town: Town) -> None:
    for who in ("both", "admin"):
        text = town.ask(who, "GET", "/api/v1/edges/{across}").body.decode()
        assert "secret-job" in text
        assert "select secret" in text


def test_a_container_without_viewer_is_in_no_list_search_or_count(town: Town) -> None:
    stores = town.ask("viewer", "GET", "/api/v1/datastores").json["items"]
    assert [one["id"] for one in stores] == [town.ids["store"]]
    hits = town.ask("viewer", "GET", "/api/v1/search?q=d").json["items"]
    assert town.ids["d"] not in [one["node"] for one in hits]
    counted = town.ask("viewer", "GET", "/api/v1/status").json["containers"]
    assert counted < town.ask("admin", "GET", "/api/v1/status").json["containers"]
    assert town.ask("outsider", "GET", "/api/v1/status").json["containers"] == 0


def test_the_other_side_of_an_edge_is_shown_by_its_name_only(town: Town) -> None:
    graph = town.ask("viewer", "GET", "/api/v1/graph?node={a}&fields=true").json
    (other,) = [node for node in graph["nodes"] if node["id"] == town.ids["d"]]
    assert set(other) == {"id", "kind", "name", "visible", "hidden", "distance"}
    assert "fields" not in json.dumps(other)
