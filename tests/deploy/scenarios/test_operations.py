"""Plans, state and journal as a user drives them, against a real broker behind a proxy that writes down what arrives.

What the proxy saw, the journal and the events are read together: which change was asked of the broker, and what was on
disk at that moment.
"""

import os
import signal
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from streamt.clusters.kafka_admin import ConfigChange, NewTopicSpec
from tests.deploy.scenarios.program import EMIT, Project, ended, is_change, types
from tests.stack.proxy import Passed, cut_request, for_real, hold
from tests.stack.waiting import until


def test_12_a_plan_with_one_byte_changed_asks_the_broker_for_nothing(project: Project) -> None:
    assert project.run("plan", "--out", "p.plan").status == 0
    path = project.folder / "p.plan"
    content = path.read_bytes()
    at = content.index(project.topics[0].encode())
    path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    seen = len(project.proxy.seen)
    assert project.run("apply", "p.plan").codes == ["E540_PLAN_INVALID"]
    assert (len(project.proxy.seen), project.there) == (seen, [])


def test_13_a_saved_plan_does_not_survive_a_change_by_hand(project: Project) -> None:
    project.write("partitions: 2, config: {retention.ms: 1000}")
    assert project.run("apply").status == 0
    project.write("partitions: 2, config: {retention.ms: 5000}")
    assert project.run("plan", "--out", "p.plan").status == 0
    project.admin.alter([ConfigChange(topic=project.topics[0], set={"retention.ms": "3000"})])
    until(lambda: project.retention() == "3000")
    before = len(project.changes)
    assert project.run("apply", "p.plan").codes == ["E541_PLAN_STALE"]
    assert (len(project.changes), project.retention()) == (before, "3000")


def test_14_a_protected_environment_takes_a_reviewed_plan_and_its_name(project: Project) -> None:
    project.write(protected=True)
    assert project.run("apply", "--confirm-env", "prod").codes == ["E543_REVIEWED_PLAN_REQUIRED"]
    project.run("plan", "--out", "p.plan")
    assert project.run("apply", "p.plan").codes == ["E544_CONFIRMATION_REQUIRED"]
    assert (project.changes, project.there) == ([], [])
    assert project.run("apply", "p.plan", "--confirm-env", "prod").status == 0
    assert project.there == ["paid", "sent"]


def test_16_a_selection_makes_its_part_and_forgets_no_other(project: Project) -> None:
    assert project.run("apply", "--select", "tag:core").status == 0
    assert project.there == ["paid"]
    assert project.run("apply", "--select", "sent").status == 0
    assert project.there == ["paid", "sent"]
    assert project.run("plan", "--exit-code").status == 0


def test_51_of_two_applies_at_once_the_second_touches_nothing(project: Project) -> None:
    release = threading.Event()
    project.proxy.fault(hold(release), "CreateTopics", when=for_real)
    first = project.start("apply")
    until(lambda: project.changes)
    second = project.run("apply", "--lock-wait", "0")
    release.set()
    assert second.codes == ["E552_STATE_LOCKED"]
    assert ended(first).envelope["data"]["status"] == "committed"
    assert project.run("plan", "--exit-code").status == 0


@pytest.mark.parametrize("reaches", [False, True], ids=["before the broker", "after it"])
def test_52_who_is_killed_in_the_middle_of_a_call_is_recovered_by_asking_the_broker(
    project: Project, reaches: bool
) -> None:
    def killed(send: Callable[[], bytes]) -> bytes:
        if reaches:
            send()
        process.kill()
        return cut_request(send)

    project.proxy.fault(killed, "CreateTopics", when=for_real)
    process = project.start("apply")
    assert ended(process).status == -signal.SIGKILL
    assert project.journal()[-1] == "intent"
    refused = project.run("apply")
    assert (refused.codes, refused.envelope["data"]["recovery_required"]) == (["E555_RECOVERY_REQUIRED"], True)
    told = [each["verdict"] for each in project.run("state", "recover").envelope["data"]["actions"]]
    assert told == ["done" if reaches else "not done", "not done"]
    assert project.run("state", "recover", "--yes").status == 0
    assert project.run("apply").status == 0
    assert project.there == ["paid", "sent"]
    assert project.run("plan", "--exit-code").status == 0


def test_55_a_refusal_on_the_way_keeps_what_was_done(project: Project) -> None:
    """Somebody makes the topic in the moment between the plan and the call."""

    def taken(passed: Passed) -> None:
        if is_change(passed) and project.topics[1] not in project.admin.topic_names():
            project.admin.create([NewTopicSpec(name=project.topics[1], partitions=1)])

    project.proxy.on_request = taken
    done = project.run("apply")
    assert (done.status, done.codes) == (1, ["E561_PROVIDER_REFUSED"])
    data = done.envelope["data"]
    assert {each["address"].rpartition("/")[2]: each["result"] for each in data["actions"]} == {
        "paid": "applied",
        "sent": "failed",
    }
    assert (data["recovery_required"], project.there) == (False, ["paid", "sent"])
    managed = [each["name"] for each in project.run("state", "list").envelope["data"]["resources"]]
    assert managed == [project.topics[0]]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_56_a_signal_lets_the_call_at_hand_finish(project: Project, number: signal.Signals, status: int) -> None:
    release = threading.Event()
    project.proxy.fault(hold(release), "CreateTopics", when=for_real)
    process = project.start("apply")
    until(lambda: project.changes)
    process.send_signal(number)
    release.set()
    done = ended(process)
    assert (done.status, done.envelope["data"]["recovery_required"]) == (status, False)
    kept = [each["name"] for each in project.run("state", "list").envelope["data"]["resources"]]
    assert sorted(kept) == sorted(name for name in project.topics if name in project.admin.topic_names())
    assert project.run("apply").status == 0
    assert project.run("plan", "--exit-code").status == 0


def test_58_a_model_that_moved_asks_the_broker_for_no_change(project: Project) -> None:
    project.run("apply")
    before = len(project.changes)
    project.write(name="payments", more="lifecycle: {moved: [{kind: topic, from: paid, to: payments}]}\n")
    done = project.run("apply")
    assert [(each["verb"], each["result"]) for each in done.envelope["data"]["actions"]] == [("move", "applied")]
    assert (len(project.changes), project.there) == (before, ["paid", "sent"])
    assert project.run("plan", "--exit-code").status == 0


def test_59_l10_l11_what_is_on_disk_when_a_change_reaches_the_broker(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    project.variables |= {
        "OPENLINEAGE__TRANSPORT__TYPE": "file",
        "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH": str(path),
    }
    seen: list[tuple[str, list[str], list[str]]] = []

    def look(passed: Passed) -> None:
        if is_change(passed):
            seen.append((passed.what, types(path), project.journal()))

    project.proxy.on_request = look
    assert project.run("apply", *EMIT).status == 0
    project.write("partitions: 3")
    assert project.run("apply", *EMIT).status == 0
    assert seen == [
        ("CreateTopics", ["START"], ["begin", "intent"]),
        ("CreateTopics", ["START"], ["begin", "intent", "done", "applied", "intent"]),
        ("CreatePartitions", ["START", "COMPLETE", "START"], ["begin", "intent"]),
    ]
    assert types(path) == ["START", "COMPLETE", "START", "COMPLETE"]
    assert project.journal()[-1] == "commit"


READING: Sequence[tuple[str, ...]] = (
    ("plan",),
    ("plan", "--offline"),
    ("plan", "--refresh-only"),
    ("diff", "--all-fields"),
    ("status", "--external"),
    ("apply", "--dry-run"),
    ("adopt", "topic", "paid", "--dry-run"),
    ("import", "topics", "--dry-run"),
    ("state", "status"),
    ("state", "list"),
    ("state", "recover"),
)


def test_60_what_only_reads_asks_for_no_change_and_writes_nothing(project: Project, tmp_path: Path) -> None:
    project.run("apply")
    project.write("partitions: 3")
    project.variables |= {
        "OPENLINEAGE__TRANSPORT__TYPE": "file",
        "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH": str(tmp_path / "events.jsonl"),
    }
    before, changes = project.on_disk(), len(project.changes)
    told: dict[str, Any] = {" ".join(each): project.run(*each).status for each in READING}
    assert set(told.values()) == {0}, told
    assert (project.on_disk(), len(project.changes)) == (before, changes)
    assert not (tmp_path / "events.jsonl").exists()


def test_more_replicas_in_sync_than_there_are_reach_no_broker(project: Project) -> None:
    """A broker takes such a setting, and from then on no record of a producer with `acks=all`."""
    project.write("partitions: 1, config: {min.insync.replicas: 2}")
    assert project.run("apply").codes == ["E510_COMPILE_ERROR"]
    assert project.proxy.seen == []
    project.write("partitions: 1, config: {min.insync.replicas: 1}")
    assert project.run("apply").status == 0


def test_a_folder_that_nobody_may_write_asks_for_no_change(project: Project) -> None:
    if os.geteuid() == 0:
        (project.folder / ".streamt").write_text("in the way")  # for root nothing is read-only
    else:
        project.folder.chmod(0o500)
    done = project.run("apply")
    project.folder.chmod(0o700)
    assert (done.status, done.codes) == (1, ["E551_STATE_UNAVAILABLE"])
    assert (project.changes, project.there) == ([], [])


def test_two_new_names_that_kafka_takes_for_one_block_the_plan(project: Project, unique: Callable[[str], str]) -> None:
    """Asked about each, the broker says yes: the other is not there yet."""
    name = unique("a")
    project.topics = (f"{name}.b", f"{name}_b")
    project.write()
    done = project.run("apply")
    assert done.codes == ["E542_PLAN_BLOCKED"]
    assert f"`{name}_b` collides with `{name}.b`" in done.envelope["errors"][0]["message"]
    assert (project.changes, project.there) == ([], [])


def test_13_a_setting_of_somebody_else_is_told_as_what_it_is(project: Project) -> None:
    project.run("apply")
    project.write("partitions: 3")
    project.run("plan", "--out", "p.plan")
    project.admin.alter([ConfigChange(topic=project.topics[0], set={"segment.ms": "99999999"})])
    until(lambda: b"segment.ms" in project.run("plan").stdout)
    done = project.run("apply", "p.plan")
    assert done.codes == ["E541_PLAN_STALE"]
    assert "beside the plan's own fields was changed outside" in done.envelope["errors"][0]["message"]


def test_52_what_somebody_changed_after_a_crash_is_not_guessed(project: Project) -> None:
    def killed(send: Callable[[], bytes]) -> bytes:
        send()
        process.kill()
        return cut_request(send)

    project.write("partitions: 1, config: {retention.ms: 100000}")
    project.run("apply")
    project.write("partitions: 1, config: {retention.ms: 200000}")
    project.proxy.fault(killed, "IncrementalAlterConfigs", when=for_real)
    process = project.start("apply")
    ended(process)
    until(lambda: project.retention() == "200000")
    project.admin.alter([ConfigChange(topic=project.topics[0], set={"retention.ms": "300000"})])
    until(lambda: project.retention() == "300000")
    assert project.run("state", "recover", "--yes").codes == ["E555_RECOVERY_REQUIRED"]
    address = "streamt://shop/prod/topic/paid"
    assert project.run("state", "recover", "--yes", "--assume", f"{address}=done").status == 0
    assert [each["code"] for each in project.run("plan").envelope["warnings"]] == ["W142_DRIFT"]
    assert project.run("apply", "--allow", f"destructive:{address}").status == 0
    until(lambda: project.retention() == "200000")
