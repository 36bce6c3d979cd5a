"""`streamt catalog ...` as a user types it, against a real server or store."""

import getpass
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from streamt.catalog.access import Permission
from streamt.catalog.sources import in_dbt_manifest, in_events, in_folder, in_postgres, locate
from streamt.catalog.store import people
from streamt.catalog.store.tables import audit
from tests.catalog.desk import Desk, event
from tests.catalog.server import Client, serving, token_for
from tests.deploy.postgres_server import PostgresServer

MANIFEST = Path(__file__).parents[2] / "examples" / "catalog" / "manifest.json"


@dataclass(frozen=True)
class Shell:
    """The program in an environment of its own."""

    environment: dict[str, str]

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "streamt", "--no-color", *arguments]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=300, check=False)

    def data(self, *arguments: str) -> Any:
        done = self.run("--output", "json", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)["data"]


@pytest.fixture
def shell(sqlite_desk: Desk, tmp_path: Path) -> Iterator[Shell]:
    token = token_for(sqlite_desk.catalog, sqlite_desk.admin)
    with serving(sqlite_desk.catalog) as url:
        variables = {"STREAMT_CATALOG_URL": url, "STREAMT_CATALOG_TOKEN": token}
        yield Shell({**os.environ, **variables, "XDG_DATA_HOME": str(tmp_path / "data")})


def test_a_file_is_sent_and_sent_on_from_where_it_ended(shell: Shell, sqlite_desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    lines = [json.dumps(event("COMPLETE", 1, "a", "b", job=f"job {number}")) for number in range(3)]
    path.write_text("\n".join(lines) + "\n")
    assert shell.data("catalog", "send", str(path)) == {"sent": 3, "skipped": 0, "refused": 0}
    with path.open("a") as file:
        file.write(json.dumps(event("COMPLETE", 1, "b", "c", job="later")) + "\n")
    assert shell.data("catalog", "send", str(path)) == {"sent": 1, "skipped": 3, "refused": 0}
    assert shell.data("catalog", "send", "--from-start", str(path))["sent"] == 4
    assert sqlite_desk.edges() == {"a>b", "b>c"}


def test_it_says_which_lines_were_refused_and_why(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text('{"no": "event"}\nnonsense\n' + json.dumps(event("COMPLETE", 1, "a", "b")) + "\n")
    done = shell.run("catalog", "send", str(path))
    assert done.returncode == 1
    assert "1 event taken, 2 refused" in done.stdout
    assert "events.jsonl:1: E571_CATALOG_REFUSED" in done.stderr
    assert "events.jsonl:2: E571_CATALOG_REFUSED: invalid JSON" in done.stderr


def test_a_job_is_ended_and_the_graph_exported(shell: Shell, sqlite_desk: Desk) -> None:
    sqlite_desk.send(event("COMPLETE", 1, "a", "b"))
    exported = [json.loads(line) for line in shell.run("catalog", "export").stdout.splitlines()]
    assert exported[0]["job"] == {"namespace": "jobs", "name": "job"}
    assert shell.data("catalog", "job", "end", "jobs", "job") == {"withdrawn": 1}
    assert sqlite_desk.edges() == set()


def test_a_job_whose_name_holds_slashes_is_ended(shell: Shell, sqlite_desk: Desk) -> None:
    name = {"namespace": "https://airflow.example/x", "name": "a/runs"}
    sqlite_desk.send({**event("COMPLETE", 1, "a", "b"), "job": name})
    assert shell.data("catalog", "job", "end", *name.values()) == {"withdrawn": 1}
    assert sqlite_desk.edges() == set()


def test_dbt_relations_and_files_are_registered(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "lake" / "table" / "_delta_log").mkdir(parents=True)
    (tmp_path / "lake" / "sub").mkdir()
    (tmp_path / "lake" / "sub" / "a.csv").touch()
    assert shell.data("catalog", "sync", "files", str(tmp_path / "lake"))["added"] == 2
    found = shell.data("catalog", "sync", "dbt", str(MANIFEST), "--host", "dwh", "--port", "5432")
    assert (found["added"], found["datastores"]) == (3, 2)
    assert shell.data("catalog", "sync", "events")["added"] == 0


def test_without_a_token_or_a_server_it_says_what_to_do(tmp_path: Path) -> None:
    bare = Shell({**os.environ, "XDG_DATA_HOME": str(tmp_path)})
    done = bare.run("catalog", "sync", "events")
    assert (done.returncode, "STREAMT_CATALOG_TOKEN" in done.stderr) == (1, True)
    far = Shell({**bare.environment, "STREAMT_CATALOG_TOKEN": "x"})
    clear = far.run("catalog", "sync", "events", "--url", "http://catalog.example.com")
    assert (clear.returncode, "in the clear" in clear.stderr) == (1, True)


def test_serving_to_others_in_the_clear_is_refused(tmp_path: Path) -> None:
    shell = Shell({**os.environ, "XDG_DATA_HOME": str(tmp_path)})
    done = shell.run("catalog", "serve", "--host", "0.0.0.0")
    assert done.returncode == 1
    assert "--tls-cert" in done.stderr
    many = shell.run("catalog", "serve", "--workers", "2")
    assert "one writer" in many.stderr


def test_serve_works_at_once_and_keeps_the_first_token_in_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "streamt", "catalog", "serve", "--port", "0"]
    server = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    with server.stderr as told:
        place = Path(told.readline().rpartition(": ")[2].strip())
        url = told.readline().split()[-1]
        assert place.stat().st_mode & 0o077 == 0
        client = Client(url, place.read_text().strip())
        end = time.monotonic() + 60
        while True:
            try:
                assert client.get("/api/v1/session").json["role"] == "admin"
                break
            except ConnectionError:
                assert time.monotonic() < end
                time.sleep(0.1)
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0
        assert place.read_text().strip() not in told.read()


def test_people_are_made_on_the_store_itself(store_url: str) -> None:
    desk = Desk.open(store_url)
    shell = Shell({**os.environ, "STREAMT_CATALOG_STORE": store_url})
    shell.data("catalog", "user", "create", "ann")
    shell.data("catalog", "team", "create", "analytics")
    shell.data("catalog", "team", "add", "analytics", "ann")
    shell.data("catalog", "grant", "analytics", "1", "editor")
    made = shell.data("catalog", "token", "create", "ci", "--user", "ann", "--right", "send", "--days", "2")
    with desk.catalog.reading() as conn:
        caller = people.caller_of(conn, made["token"], time.time_ns())
    assert caller is not None
    assert (caller.name, caller.permissions) == ("ann", {1: Permission.EDITOR})
    shell.data("catalog", "token", "revoke", str(made["id"]))
    assert shell.data("catalog", "token", "list")[-1]["revoked"] is True
    shell.data("catalog", "user", "delete", "ann")
    assert shell.run("catalog", "user", "delete", "ann").returncode == 1
    with desk.catalog.reading() as conn:
        lines = conn.execute(select(audit.c.action, audit.c.detail).order_by(audit.c.id)).all()[-7:]
    assert [line.action for line in lines] == [
        "user.create",
        "team.create",
        "team.add",
        "team.grant",
        "token.create",
        "token.revoke",
        "user.delete",
    ]
    assert {json.loads(line.detail)["shell_user"] for line in lines} == {getpass.getuser()}
    assert made["token"] not in str(lines)
    desk.catalog.close()


@pytest.mark.parametrize(
    ("name", "place"),
    [
        (("kafka://b:9092", "a.b"), ("kafka", "", "", "a.b", "topic")),
        (("postgres://h:1", "d.s.t"), ("postgres", "d", "s", "t", "table")),
        (("postgres://h", '"D.x".s."t.u"'), ("postgres", '"D.x"', "s", "t.u", "table")),
        (("mysql://h:1", "d.t"), ("mysql", "d", "", "t", "table")),
        (("s3://bucket", "/x/y/"), ("s3", "", "", "x/y", "directory")),
        (("s3://bucket", "x/y.csv"), ("s3", "", "", "x/y.csv", "file")),
    ],
)
def test_a_name_alone_says_where_its_dataset_would_be(name: tuple[str, str], place: tuple[str, ...]) -> None:
    found = locate(name)
    assert found is not None
    assert (found.connection.type, found.database, found.schema, found.container, found.kind) == place


def test_what_cannot_be_located_is_left_out() -> None:
    assert locate(("ftp://h", "x")) is None
    assert locate(("postgres://h", "a..b")) is None
    assert in_events([]) == []


def test_a_manifest_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="not a dbt manifest"):
        in_dbt_manifest({}, "h", None)


def test_the_tables_of_postgresql_are_found_with_columns_and_comments(postgres: PostgresServer) -> None:
    url = postgres.make_database("to_be_synced")
    postgres.execute("create table t (id int, n text); comment on table t is 'what t is'", "to_be_synced")
    postgres.execute("create view v as select id from t; comment on column t.n is 'a name'", "to_be_synced")
    (found,) = in_postgres(url)
    assert [(one.name, one.kind) for one in found.containers] == [("t", "table"), ("v", "view")]
    table = found.containers[0]
    assert table.description == "what t is"
    assert [(one.name, one.type, one.description) for one in table.fields or ()] == [
        ("id", "integer", ""),
        ("n", "text", "a name"),
    ]


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        in_folder(tmp_path / "nowhere")
