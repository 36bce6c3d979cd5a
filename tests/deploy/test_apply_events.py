"""The run events of `apply --emit-openlineage`: statements L1 to L30 of the deployment contract.

Each test reads what three witnesses took down: the journal, the events, and, at each call that reached the provider,
what of both was on disk at that moment.
"""

import fcntl
import http.server
import json
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click
import pytest

from streamt.cli.app import app
from streamt.openlineage import conformance
from tests.cli.program import Ended
from tests.deploy.commands import MODELS, PROTECTED, RUNTIME, Commands, make_commands

DRAWN = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(sha256:)?[0-9a-f]{64}|\d{4}-\d\d-\d\dT[0-9:.]+Z"
)
"""What is drawn or made anew in each run: ids, digests, times."""

EMIT = ("--emit-openlineage", "--openlineage-job-namespace", "shop-prod")


@pytest.fixture
def telling(commands: Commands, tmp_path: Path) -> Commands:
    """Return a project whose events go to a file, with a witness of each call."""
    commands.variables |= {
        "OPENLINEAGE__TRANSPORT__TYPE": "file",
        "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH": str(tmp_path / "events.jsonl"),
        "STREAMT_TEST_EVENTS": str(tmp_path / "events.jsonl"),
        "STREAMT_TEST_WITNESS": str(tmp_path / "witness.jsonl"),
    }
    return commands


def read(commands: Commands, variable: str) -> list[dict[str, Any]]:
    path = Path(commands.variables[variable])
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def events(commands: Commands) -> list[dict[str, Any]]:
    return read(commands, "STREAMT_TEST_EVENTS")


def types(commands: Commands) -> list[str]:
    return [each["eventType"] for each in events(commands)]


def witness(commands: Commands) -> list[dict[str, Any]]:
    return read(commands, "STREAMT_TEST_WITNESS")


class Recorder(http.server.BaseHTTPRequestHandler):
    """Takes down each event that arrives, and answers as the server was told to."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append(json.loads(body))  # type: ignore[attr-defined]  # the server below has both
        self.send_response(self.server.status)  # type: ignore[attr-defined]  # as above
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        pass


@contextmanager
def recording(status: int = 201) -> Iterator[http.server.ThreadingHTTPServer]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    server.received, server.status = [], status  # type: ignore[attr-defined]  # what the handler above uses
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def over_http(server: http.server.ThreadingHTTPServer) -> dict[str, str]:
    return {
        "OPENLINEAGE__TRANSPORT__TYPE": "http",
        "OPENLINEAGE__TRANSPORT__URL": f"http://127.0.0.1:{server.server_address[1]}",
        "OPENLINEAGE__TRANSPORT__ENDPOINT": "api/v1/lineage",
    }


# Opt-in, and everything that can be wrong is found first: L1 to L4, L17


def test_l1_l3_settings_alone_enable_nothing(telling: Commands) -> None:
    telling.variables |= {
        "OPENLINEAGE__TRANSPORT__TYPE": "nonsense",
        "OPENLINEAGE_NAMESPACE": "\t",
        "OPENLINEAGE_URL": "x",
    }
    assert telling.json("apply").status == 0
    assert events(telling) == []


@pytest.mark.parametrize(
    ("options", "variables"),
    [
        (("--emit-openlineage",), {}),
        (EMIT, {"OPENLINEAGE_DISABLED": "true"}),
        (EMIT, {"OPENLINEAGE__TRANSPORT__TYPE": "kafka"}),
        ((*EMIT, "--openlineage-kafka-namespace", "http://x"), {}),
        ((*EMIT, "--openlineage-gateway-namespace", "kafka://u:p@x:1"), {}),
        (("--emit-openlineage", "--openlineage-job-namespace", " "), {}),
    ],
)
def test_l2_l3_l4_what_is_wrong_is_e506_before_anything_begins(
    telling: Commands, options: tuple[str, ...], variables: dict[str, str]
) -> None:
    telling.variables |= variables
    ended = telling.json("apply", *options)
    assert (ended.status, set(ended.codes)) == (1, {"E506_OPENLINEAGE_INVALID"})
    assert (telling.journals, telling.files.calls, events(telling)) == ([], [], [])
    assert not (telling.folder / ".streamt").exists(), "no lock was taken either"


def test_l2_several_brokers_are_no_error_for_apply(telling: Commands) -> None:
    telling.write(prod=RUNTIME.replace("kafka:9092", "b1:9092,b2:9092"))
    assert telling.run("apply", *EMIT).status == 0


def test_l17_no_event_where_nothing_begins(telling: Commands) -> None:
    telling.run("plan", "--offline", "--out", "offline.plan")
    telling.run("plan", "--out", "good.plan")
    for arguments in (("apply", "offline.plan"), ("apply", "--dry-run"), ("apply", "--select", "nobody")):
        telling.json(*arguments, *EMIT)
    telling.files.put("paid.v1", {})
    assert telling.json("apply", *EMIT).codes == ["E546_OWNERSHIP_REQUIRED"]
    assert "E541_PLAN_STALE" in telling.json("apply", "good.plan", *EMIT).codes
    telling.write(prod=PROTECTED)
    assert telling.json("apply", *EMIT).codes == ["E543_REVIEWED_PLAN_REQUIRED"]
    telling.write("models: [{name: paid}]\n", prod=RUNTIME)
    telling.run("apply", "--env", "nowhere", *EMIT)
    assert (events(telling), telling.journals) == ([], [])


# What the events say: L5 to L9, L16, L24, L26, L29


def test_what_a_committed_run_tells(telling: Commands) -> None:
    telling.variables["SOURCE_DATE_EPOCH"] = "1000000000"
    ended = telling.json("apply", *EMIT)
    start, end = events(telling)
    (journal,) = telling.journals
    begin = journal[0]
    operation = ended.envelope["data"]["operation_id"]
    assert (start["eventType"], end["eventType"]) == ("START", "COMPLETE")
    assert start["job"] == end["job"], "L16"
    assert (start["job"]["namespace"], start["job"]["name"]) == ("shop-prod", "streamt/shop/commands/apply"), "L5"
    facets = start["job"]["facets"]
    assert list(facets) == ["jobType"], "L6"
    assert {key: facets["jobType"][key] for key in ("processingType", "integration", "jobType")} == {
        "processingType": "BATCH",
        "integration": "STREAMT",
        "jobType": "COMMAND",
    }, "L6"
    assert not {"inputs", "outputs"} & (start.keys() | end.keys()), "L7"
    assert start["run"]["runId"] == end["run"]["runId"] == begin["operation"] == operation, "L8"
    assert operation[14] == "4", "L8"
    assert start["eventTime"] == begin["at"], "L9, and L29: not the epoch"
    assert end["eventTime"] >= start["eventTime"], "L16"
    for event in (start, end):
        assert conformance.violations(event) == [], "L24"
        assert event["schemaURL"].endswith("#/$defs/RunEvent"), "L24"
        assert event["eventTime"].endswith("Z"), "L24"


def test_l5_a_projects_name_is_percent_encoded(telling: Commands) -> None:
    path = telling.folder / "stream_project.yml"
    path.write_text(path.read_text().replace("{name: shop}", '{name: "a/b"}'))
    telling.run("apply", *EMIT)
    assert {each["job"]["name"] for each in events(telling)} == {"streamt/a%2Fb/commands/apply"}


def test_l10_start_is_on_disk_before_the_first_call_and_the_intent_after_it(telling: Commands) -> None:
    telling.run("apply", *EMIT)
    first, second = witness(telling)
    assert (first["events"], second["events"]) == (1, 1)
    assert first["journal"] == ["begin", "intent"]
    assert second["journal"] == ["begin", "intent", "done", "applied", "intent"]


def test_l11_complete_comes_after_the_state_is_committed_and_closed(telling: Commands, tmp_path: Path) -> None:
    """A server that is told of the end looks at the state at that very moment."""
    seen: list[tuple[str, int | None, bool]] = []

    class Looking(Recorder):
        def do_POST(self) -> None:
            state = telling.folder / ".streamt/state/default.json"
            serial = json.loads(state.read_text())["serial"] if state.exists() else None
            is_open = any((telling.folder / ".streamt").rglob("*.open.jsonl"))
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append((body["eventType"], serial, is_open))
            self.send_response(201)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with recording() as server:
        server.RequestHandlerClass = Looking
        telling.variables |= over_http(server)
        del telling.variables["OPENLINEAGE__TRANSPORT__LOG_FILE_PATH"]
        assert telling.run("apply", *EMIT).status == 0
    assert seen == [("START", 0, True), ("COMPLETE", 1, False)]


def test_l18_an_apply_without_actions_is_an_operation_too(telling: Commands) -> None:
    telling.run("apply", *EMIT)
    telling.run("apply", *EMIT)
    assert types(telling) == ["START", "COMPLETE"] * 2
    assert len({each["run"]["runId"] for each in events(telling)}) == 2, "L19"
    assert [[each["record"] for each in journal] for journal in telling.journals][1] == ["begin", "commit"]


def test_l19_a_plan_is_applied_once(telling: Commands) -> None:
    telling.run("plan", "--out", "p.plan")
    assert telling.run("apply", "p.plan", *EMIT).status == 0
    assert telling.json("apply", "p.plan", *EMIT).codes == ["E541_PLAN_STALE"]
    assert types(telling) == ["START", "COMPLETE"]


# How it ends: L12 to L15, L20, L27


def test_l12_l20_a_failure_is_told_after_it_is_durable_in_a_fixed_sentence(telling: Commands) -> None:
    telling.files.fail("Create sent.v1", "refuse")
    assert telling.run("apply", *EMIT).status == 1
    assert types(telling) == ["START", "FAIL"]
    facet = events(telling)[1]["run"]["facets"]["errorMessage"]
    assert facet["message"] == "1 of 2 actions were not applied"
    assert (facet["programmingLanguage"], "stackTrace" in facet) == ("PYTHON", False)
    assert telling.journals[0][-1]["record"] == "fail"


def test_l12_an_unknown_outcome_is_fail(telling: Commands) -> None:
    telling.files.fail("Create paid.v1", "lose_for_good")
    assert telling.run("apply", "--wait", "0", *EMIT).status == 4
    assert types(telling) == ["START", "FAIL"]
    assert telling.journals[0][-1]["record"] == "unknown"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_l14_an_interrupt_after_start_is_abort(telling: Commands, number: int, status: int) -> None:
    (telling.files.folder / "signal.txt").write_text(str(int(number)))
    telling.files.fail("Create paid.v1", "stop")
    assert telling.run("apply", *EMIT).status == status
    assert types(telling) == ["START", "ABORT"]
    assert telling.journals[0][-1]["record"] == "interrupted"


def test_l14_a_second_interrupt_is_abort_too(telling: Commands) -> None:
    telling.files.fail("Create paid.v1", "stop_twice")
    assert telling.run("apply", *EMIT).status == 130
    assert types(telling) == ["START", "ABORT"]


def test_l27_a_crashed_run_keeps_its_start_and_recovery_sends_nothing(telling: Commands) -> None:
    telling.files.fail("Create paid.v1", "crash_after")
    assert telling.run("apply", *EMIT).status == -signal.SIGKILL
    telling.files.heal()
    assert telling.run("state", "recover", "--yes").status == 0
    assert types(telling) == ["START"]


# What no event holds: L21, L26


def test_l21_no_event_holds_anything_of_the_project(telling: Commands) -> None:
    telling.variables |= {"PLANTED": "s3cret-value"}
    models = MODELS.replace("retention.ms: 1000", "retention.ms: 1000, planted.key: '${PLANTED}'")
    telling.write(models)
    telling.files.fail("Create sent.v1", "refuse")
    telling.run("apply", *EMIT)
    text = Path(telling.variables["STREAMT_TEST_EVENTS"]).read_text()
    ids = [telling.files.get(name)["id"] for name in telling.files.names]
    for planted in ("s3cret", "paid", "sent", "streamt://", "kafka", "SELECT", str(telling.folder), "planted", *ids):
        assert planted not in text
    assert types(telling) == ["START", "FAIL"]


# Delivery is best effort: L22, L23, L28


ENDS = {None: (0, "commit"), "refuse": (1, "fail"), "stop": (130, "interrupted"), "lose_for_good": (4, "unknown")}


@pytest.mark.parametrize("fault", ENDS)
def test_l22_l28_a_server_that_refuses_changes_nothing_but_warnings(
    telling: Commands, tmp_path: Path, fault: str | None
) -> None:
    """Field by field: envelope, state, journal and provider are those of a run that tells nobody."""
    (tmp_path / "silent").mkdir()
    silent = make_commands(tmp_path / "silent")
    for commands in (silent, telling):
        if fault:
            commands.files.fail("Create sent.v1", fault)
    wanted = silent.json("apply", "--wait", "0")
    with recording(status=500) as server:
        telling.variables |= over_http(server)
        del telling.variables["OPENLINEAGE__TRANSPORT__LOG_FILE_PATH"]
        ended = telling.json("apply", "--wait", "0", *EMIT)
        attempts = len(server.received)  # type: ignore[attr-defined]  # as the recorder says
    codes = [each["code"] for each in ended.envelope["warnings"]]
    assert (codes, ended.stderr, attempts) == (["W112_OPENLINEAGE_EMIT_FAILED"] * 2, "", 4)
    assert left_by(telling, ended) == left_by(silent, wanted)
    assert (ended.status, telling.journals[0][-1]["record"]) == ENDS[fault]


def left_by(commands: Commands, ended: Ended) -> dict[str, object]:
    """Return what a run said, and all that it left, without what is drawn anew in each run: ids, times, digests."""
    state = commands.folder / ".streamt/state/default.json"
    topics = [{**commands.files.get(name), "id": None} for name in commands.files.names]
    texts = (ended.stdout.decode(), state.read_text(), json.dumps(commands.journals), json.dumps(topics))
    envelope, document, journals, live = (json.loads(DRAWN.sub("DRAWN", each)) for each in texts)
    del envelope["warnings"]
    return {"status": ended.status, "envelope": envelope, "state": document, "journals": journals, "live": live}


def test_l23_a_server_that_never_answers_takes_only_its_time_and_not_the_lock(telling: Commands) -> None:
    """At most two attempts of each event; the end is sent when the lock is free already."""
    attempts: list[str] = []
    is_held: list[bool] = []
    released = threading.Event()

    class Hanging(Recorder):
        def do_POST(self) -> None:
            kind = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["eventType"]
            attempts.append(kind)
            if kind == "COMPLETE":
                with (telling.folder / ".streamt/state/default.lock").open("rb+") as lock:
                    is_held.append(not _can_lock(lock))
            released.wait(60)

    with recording() as server:
        server.RequestHandlerClass = Hanging
        telling.variables |= over_http(server) | {"OPENLINEAGE__TRANSPORT__TIMEOUT": "1"}
        del telling.variables["OPENLINEAGE__TRANSPORT__LOG_FILE_PATH"]
        try:
            ended = telling.json("apply", *EMIT)
        finally:
            released.set()
    assert list(dict.fromkeys(attempts)) == ["START", "COMPLETE"]
    assert all(attempts.count(each) <= 2 for each in attempts)
    assert not any(is_held)
    assert (ended.status, ended.envelope["data"]["status"], len(telling.files.calls)) == (0, "committed", 2)


def _can_lock(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def test_l28_in_text_a_warning_goes_to_stderr(telling: Commands, tmp_path: Path) -> None:
    telling.variables |= {"OPENLINEAGE__TRANSPORT__LOG_FILE_PATH": str(tmp_path / "gone" / "events.jsonl")}
    telling.variables |= {"STREAMT_TEST_EVENTS": str(tmp_path / "gone" / "events.jsonl")}
    telling.files.fail("Create sent.v1", "refuse")
    ended = telling.run("apply", *EMIT)
    assert b"W112" not in ended.stdout


# State in PostgreSQL: L30


def test_l30_the_run_is_the_row(telling: Commands, postgres_url: str) -> None:
    import psycopg

    telling.variables["STATE_URL"] = postgres_url
    path = telling.folder / "stream_project.yml"
    path.write_text(path.read_text() + 'deployment_state: {backend: postgres, url: "${STATE_URL}"}\n')
    assert telling.run("state", "init").status == 0
    statuses: list[str] = []

    class Looking(Recorder):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with psycopg.connect(postgres_url) as link:
                query = "SELECT status FROM streamt_operation WHERE id = %s"
                row = link.execute(query, (body["run"]["runId"],)).fetchone()
            statuses.append(f"{body['eventType']} {row and row[0]}")
            self.send_response(201)
            self.send_header("Content-Length", "0")
            self.end_headers()

    telling.files.fail("Create sent.v1", "refuse")
    with recording() as server:
        server.RequestHandlerClass = Looking
        telling.variables |= over_http(server)
        del telling.variables["OPENLINEAGE__TRANSPORT__LOG_FILE_PATH"]
        assert telling.run("apply", *EMIT).status == 1
    assert statuses == ["START open", "FAIL fail"]


# Silence: L1, L25, L27


SILENT = (
    ("plan",),
    ("plan", "--offline"),
    ("apply",),
    ("apply", "--dry-run"),
    ("diff",),
    ("status",),
    ("adopt", "topic", "paid", "--dry-run"),
    ("import", "topics", "--dry-run"),
    ("build",),
    ("state", "status"),
    ("state", "list"),
    ("state", "init"),
    ("state", "recover", "--yes"),
)


@pytest.mark.parametrize("arguments", SILENT, ids=" ".join)
def test_l1_l25_every_other_command_is_silent(telling: Commands, arguments: tuple[str, ...]) -> None:
    """With every variable set, nothing arrives anywhere, and no module of OpenLineage is imported."""
    with recording() as server:
        telling.variables |= over_http(server) | {"OPENLINEAGE_NAMESPACE": "x", "STREAMT_TEST_MODULES": "1"}
        telling.variables["OPENLINEAGE_CONFIG"] = "/nonexistent"
        ended = telling.run(*arguments)
        assert server.received == []  # type: ignore[attr-defined]  # as the recorder says
    imported = ended.stderr.rpartition("MODULES ")[2].split()
    assert ended.status in (0, 1), ended
    assert [each for each in imported if "openlineage" in each] == []


def test_l25_no_other_command_has_the_option() -> None:
    def named(group: click.Group, name: str = "") -> Iterator[tuple[str, click.Command]]:
        context = click.Context(group)
        for key in group.list_commands(context):
            command = group.get_command(context, key)
            assert command is not None
            if isinstance(command, click.Group):
                yield from named(command, f"{name}{key} ")
            else:
                yield f"{name}{key}", command

    having = {name for name, command in named(app) if any("--emit-openlineage" in each.opts for each in command.params)}
    assert having == {"apply", "test"}


# What somebody may ask for beyond the specified form


def test_a_parent_and_a_catalogs_form_are_there_where_they_are_asked_for(telling: Commands) -> None:
    parent = "019d39b5-2600-7000-8000-000000000001"
    telling.variables["OPENLINEAGE_PARENT_ID"] = f"prod/nightly/{parent}"
    asked = ("--openlineage-parent", "--for", "data-rentgen", "--check", "datahub")
    done = telling.json("apply", *EMIT, *asked)
    assert done.status == 0
    formed = events(telling)
    assert [event["run"]["facets"]["parent"]["run"]["runId"] for event in formed] == [parent, parent]
    assert {event["run"]["runId"][14] for event in formed} == {"7"}
    assert "W113_OPENLINEAGE_CONSUMER" in {warning["code"] for warning in done.envelope["warnings"]}
