"""The events of `apply --emit-openlineage` against real servers: statements L1 to L30 of the deployment contract.

The journal on disk, the events, and what the proxies let through to the servers are read as one list, in the order in
which things happened.
"""

import json
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from streamt.clusters.kafka_admin import NewTopicSpec
from streamt.openlineage import conformance
from tests.deploy.scenarios.program import CHANGES, EMIT, Project, ended, is_change
from tests.deploy.scenarios.timeline import Timeline, timeline
from tests.stack.proxy import Passed, cut_answer, cut_request, for_real, hold, http_proxy
from tests.stack.waiting import until

AVRO = "columns: [{name: id, type: STRING}], schema: {format: avro}, "


@pytest.fixture
def line(project: Project) -> Iterator[Timeline]:
    with timeline(project) as one:
        yield one


def test_l8_to_l11_l16_l19_the_order_of_journal_events_and_requests(line: Timeline, schema_registry: str) -> None:
    project = line.project
    with http_proxy(schema_registry) as registry:
        registry.on_request = line.registry
        project.registry = registry.address
        project.write(schema=AVRO)
        first = project.run("apply", *EMIT)
        assert first.status == 0, first
        begin = project.records()[0]
        second = project.run("apply", *EMIT)
    step = ("intent", "done", "applied")
    told = [(f"{each.who} {each.what.partition(' ')[0]}", each.journal, each.serial, each.is_open)
            for each in line.moments]  # fmt: skip
    assert told[0] == ("backend START", ("begin",), 0, True), "L10"
    changes = [each for each in told[:-3] if not each[0].startswith("backend")]
    assert sorted(each[0] for each in changes) == ["broker CreateTopics", "broker CreateTopics", "registry POST"]
    assert [each[1] for each in changes] == [("begin", *step * number, "intent") for number in range(3)]
    assert told[4] == ("backend COMPLETE", ("begin", *step * 3, "commit"), 1, False), "L11"
    assert [each[0] for each in told[5:]] == ["backend START", "backend COMPLETE"], "L18: an operation without actions"
    start, end, *others = line.events
    ids = [each["run"]["runId"] for each in line.events]
    operations = [each.envelope["data"]["operation_id"] for each in (first, second)]
    assert ids == [operations[0], operations[0], operations[1], operations[1]], "L8, L19"
    assert (begin["operation"], start["eventTime"]) == (ids[0], begin["at"]), "L8, L9"
    assert start["eventTime"] <= end["eventTime"] <= others[0]["eventTime"], "L16"
    assert len({(each["job"]["namespace"], each["job"]["name"]) for each in line.events}) == 1, "L16"
    for event in line.events:
        assert conformance.violations(event) == [], "L24"
        assert not {"inputs", "outputs"} & event.keys(), "L7"
        assert list(event["job"]["facets"]) == ["jobType"], "L6"


# Nothing begins: L1 to L4, L14, L17


@pytest.mark.parametrize(
    ("options", "variables"),
    [
        (EMIT[:1], {}),
        (EMIT, {"OPENLINEAGE_DISABLED": "true"}),
        (EMIT, {"OPENLINEAGE__TRANSPORT__TYPE": "nonsense"}),
        ((*EMIT, "--openlineage-kafka-namespace", "http://x"), {}),
    ],
    ids=["no namespace", "disabled", "no such transport", "no Kafka address"],
)
def test_l2_l3_l4_settings_that_are_wrong_are_found_before_any_server_is_asked(
    line: Timeline, options: tuple[str, ...], variables: dict[str, str]
) -> None:
    line.project.variables |= variables
    done = line.project.run("apply", *options)
    assert (done.status, set(done.codes)) == (1, {"E506_OPENLINEAGE_INVALID"})
    assert (line.project.proxy.seen, line.moments) == ([], [])
    assert not (line.project.folder / ".streamt").exists()


def test_l17_what_is_refused_reaches_no_server_and_tells_nobody(line: Timeline) -> None:
    project = line.project
    project.run("plan", "--offline", "--out", "offline.plan")
    project.run("plan", "--out", "good.plan")
    for arguments in (("offline.plan",), ("--dry-run",), ("--select", "nobody")):
        project.run("apply", *arguments, *EMIT)
    project.admin.create([NewTopicSpec(name=project.topics[0], partitions=1)])
    until(lambda: project.there == ["paid"])
    assert project.run("apply", *EMIT).codes == ["E546_OWNERSHIP_REQUIRED"]
    assert "E541_PLAN_STALE" in project.run("apply", "good.plan", *EMIT).codes
    project.write(protected=True)
    assert project.run("apply", *EMIT).codes == ["E543_REVIEWED_PLAN_REQUIRED"]
    asked = len(project.proxy.seen)
    (project.folder / "stream_project.yml").write_text("project: [")
    assert project.run("apply", *EMIT).status == 1
    assert len(project.proxy.seen) == asked, "a project that cannot be read asks nobody"
    assert (line.moments, project.journal()) == ([], [])


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_l14_who_is_interrupted_before_the_operation_tells_nobody(
    line: Timeline, number: signal.Signals, status: int
) -> None:
    release = threading.Event()
    line.project.proxy.fault(hold(release), "DescribeConfigs", times=9)
    line.project.proxy.fault(hold(release), "Metadata", times=9)
    process = line.project.start("apply", *EMIT)
    until(lambda: line.project.proxy.seen[1:])
    process.send_signal(number)
    release.set()
    assert ended(process).status == status
    assert (line.moments, line.project.there) == ([], [])
    assert line.project.run("apply").status == 0, "nothing is left to recover"


# How it ends: L12 to L15, L20, L27, L30


def test_l12_l20_l21_a_refusal_is_told_once_it_is_durable_and_says_nothing_of_the_project(line: Timeline) -> None:
    project = line.project

    def taken(passed: Passed) -> None:
        line.broker(passed)
        if is_change(passed) and project.topics[1] not in project.admin.topic_names():
            project.admin.create([NewTopicSpec(name=project.topics[1], partitions=1)])

    project.proxy.on_request = taken
    assert project.run("apply", *EMIT).status == 1
    assert line.order == ["backend START", "broker CreateTopics", "broker CreateTopics", "backend FAIL"]
    last = line.moments[-1]
    assert (last.journal[-2:], last.serial, last.is_open) == (("refused", "fail"), 1, False), "L12"
    message = line.events[1]["run"]["facets"]["errorMessage"]
    assert (message["message"], "stackTrace" in message) == ("1 of 2 actions were not applied", False), "L20"
    text = json.dumps(line.events)
    for planted in (
        *project.topics,
        "paid",
        "streamt://",
        project.proxy.address,
        project.bootstrap,
        str(project.folder),
    ):
        assert planted not in text, "L21"


def test_l12_an_outcome_that_nobody_knows_is_told_while_the_operation_is_open(
    line: Timeline, schema_registry: str
) -> None:
    with http_proxy(schema_registry) as registry:

        def gone(send: Any) -> bytes:
            registry.fault(cut_request, "", times=1_000_000)
            return cut_answer(send)

        registry.on_request = line.registry
        registry.fault(gone, "/versions", when=bool)
        line.project.registry = registry.address
        line.project.write(schema=AVRO)
        assert line.project.run("apply", "--wait", "0", *EMIT).status == 4
        assert line.order[-2:] == ["registry POST", "backend FAIL"]
        assert (line.moments[-1].journal[-1], line.moments[-1].is_open) == ("unknown", True)
        registry.heal()
        told = line.project.run("state", "recover", "--yes").envelope["data"]["actions"]
        assert "done" in {each["verdict"] for each in told}
        assert line.project.run("apply").status == 0
    assert line.project.there == ["paid", "sent"]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_l14_an_interrupt_is_told_after_the_call_at_hand_and_nothing_is_called_afterwards(
    line: Timeline, number: signal.Signals, status: int
) -> None:
    release = threading.Event()
    line.project.proxy.fault(hold(release), "CreateTopics", when=for_real)
    process = line.project.start("apply", *EMIT)
    until(lambda: "broker CreateTopics" in line.order)
    process.send_signal(number)
    release.set()
    assert ended(process).status == status
    assert line.order == ["backend START", "broker CreateTopics", "backend ABORT"]
    assert line.moments[-1].journal == ("begin", "intent", "done", "applied", "interrupted")
    assert (line.moments[-1].serial, line.moments[-1].is_open) == (1, False)


def test_l14_an_interrupt_while_start_is_delivered_changes_nothing(line: Timeline) -> None:
    """No call is at hand yet: none is made."""
    process: list[Any] = []
    started = threading.Event()

    def interrupt(kind: str) -> None:
        if kind == "START":
            started.wait(60)
            process[0].send_signal(signal.SIGINT)

    line.on_event = interrupt
    process.append(line.project.start("apply", *EMIT))
    started.set()
    assert ended(process[0]).status == 130
    assert line.order == ["backend START", "backend ABORT"]
    assert (line.project.there, line.moments[-1].journal) == ([], ("begin", "interrupted"))


def test_l15_an_interrupt_while_complete_is_delivered_undoes_nothing(line: Timeline) -> None:
    process: list[Any] = []

    def interrupt(kind: str) -> None:
        if kind == "COMPLETE":
            process[0].send_signal(signal.SIGINT)

    line.on_event = interrupt
    process.append(line.project.start("apply", *EMIT))
    done = ended(process[0])
    assert line.types == ["START", "COMPLETE"]
    assert (done.status, done.envelope["data"]["status"]) == (0, "committed")


def test_l27_who_is_killed_leaves_a_start_and_recovery_tells_nobody(line: Timeline) -> None:
    def killed(send: Any) -> bytes:
        send()
        process.kill()
        return cut_request(send)

    line.project.proxy.fault(killed, "CreateTopics", when=for_real)
    process = line.project.start("apply", *EMIT)
    assert ended(process).status == -signal.SIGKILL
    assert line.project.run("state", "recover", "--yes").status == 0
    assert line.order == ["backend START", "broker CreateTopics"]


@dataclass(frozen=True)
class Rows:
    """What PostgreSQL says of an operation."""

    url: str

    def status(self, operation: str) -> str | None:
        found = self._query("SELECT status FROM streamt_operation WHERE id = %s", operation)
        return str(found[0][0]) if found else None

    def records(self) -> list[str]:
        found = self._query("SELECT record FROM streamt_step ORDER BY operation, n")
        texts = (each[0] if isinstance(each[0], str) else json.dumps(each[0]) for each in found)
        return [json.loads(text)["record"] for text in texts]

    def end_sessions(self) -> None:
        """End the sessions of everybody who holds a lock."""
        self._query("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")

    def _query(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        import psycopg

        with psycopg.connect(self.url) as link:
            return list(link.execute(query, values))


def test_l30_the_row_of_the_operation_is_there_before_each_event_and_each_change(
    line: Timeline, postgres_url: str
) -> None:
    project, rows, told = line.project, Rows(postgres_url), list[tuple[str, str | None, list[str]]]()
    project.state = postgres_url
    project.write()
    assert project.run("state", "init").status == 0

    def look(what: str) -> None:
        told.append((what, rows.status(line.events[0]["run"]["runId"]), rows.records()))

    line.on_event = look
    project.proxy.on_request = lambda passed: look(passed.what) if is_change(passed) else None
    assert project.run("apply", *EMIT).status == 0
    step = ["intent", "done", "applied"]
    begin = ["begin"] if told[0][2] else []
    assert [each[:2] for each in told] == [
        ("START", "open"),
        ("CreateTopics", "open"),
        ("CreateTopics", "open"),
        ("COMPLETE", "commit"),
    ]
    assert told[1][2] == [*begin, "intent"]
    assert told[2][2] == [*begin, *step, "intent"]


def test_53_l12_who_lost_the_lock_calls_nobody_any_more_and_tells_of_the_failure(
    line: Timeline, postgres_url: str
) -> None:
    project, rows = line.project, Rows(postgres_url)
    project.state = postgres_url
    project.write()
    project.run("state", "init")

    def lost(send: Any) -> bytes:
        answer: bytes = send()
        rows.end_sessions()
        return answer

    project.proxy.fault(lost, "CreateTopics", when=for_real)
    done = project.run("apply", *EMIT)
    assert (done.status, done.codes) == (4, ["E553_LOCK_LOST"]), done
    assert line.order == ["backend START", "broker CreateTopics", "backend FAIL"]
    assert rows.status(line.events[0]["run"]["runId"]) in ("open", "unknown")
    assert project.run("apply").codes == ["E555_RECOVERY_REQUIRED"]
    assert project.run("state", "recover", "--yes").status == 0
    assert project.run("apply").status == 0
    assert project.run("plan", "--exit-code").status == 0


# Delivery is best effort: L22, L23, L28


def test_l22_l23_l28_a_backend_that_refuses_or_hangs_changes_nothing_of_what_the_broker_sees(line: Timeline) -> None:
    project = line.project
    line.answer = 500
    refused = project.run("apply", *EMIT)
    at_broker = [each for each in line.order if each.startswith("broker")]
    assert (refused.status, at_broker) == (0, ["broker CreateTopics"] * 2)
    assert [each["code"] for each in refused.envelope["warnings"]] == ["W112_OPENLINEAGE_EMIT_FAILED"] * 2
    assert line.types == ["START", "START", "COMPLETE", "COMPLETE"]
    assert (project.journal()[-1], project.serial()) == ("commit", 1)
    released, second = threading.Event(), list[Any]()

    def hang(kind: str) -> None:
        if kind == "COMPLETE" and not second:
            second.append(project.run("apply", "--lock-wait", "0"))  # L23: the lock is free by now
        released.wait(60)

    line.on_event = hang
    project.variables["OPENLINEAGE__TRANSPORT__TIMEOUT"] = "1"
    project.write("partitions: 3")
    hanging = project.run("apply", *EMIT)
    until(lambda: second)
    released.set()
    assert (hanging.status, second[0].status, project.serial()) == (0, 0, 2)
    assert len(line.types) <= 4 + 4, "L23: two attempts of each event"


# Silence: L1, L25, L27


SILENT: tuple[tuple[tuple[str, ...], bool], ...] = (
    (("apply",), True),
    (("compile",), False),
    (("build",), False),
    (("plan",), True),
    (("diff",), True),
    (("status",), True),
    (("adopt", "topic", "paid", "--confirm", "streamt://shop/prod/topic/paid"), True),
    (("import", "topics", "--dry-run"), True),
    (("state", "list"), False),
    (("state", "status"), False),
    (("state", "recover", "--yes"), False),
)


def test_l1_l25_every_other_command_tells_nobody_and_changes_nothing(line: Timeline) -> None:
    project = line.project
    project.variables |= {"OPENLINEAGE_NAMESPACE": "shop-prod"}
    for arguments, asks in SILENT:
        before, changes = len(project.proxy.seen), len(project.changes)
        done = project.run(*arguments)
        assert done.status in (0, 1), (arguments, done)
        assert (len(project.proxy.seen) > before) is asks, arguments
        assert project.changes[changes:] == (["CreateTopics"] * 2 if arguments == ("apply",) else []), arguments
    assert line.events == []
    assert set(CHANGES) & {each.what for each in project.proxy.seen} == {"CreateTopics"}
