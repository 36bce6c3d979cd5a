"""The commands of deploying, run as a user runs them."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.cli.program import clean_environment
from tests.deploy.commands import MODELS, PROTECTED, RUNTIME, Commands, stable

GOLDEN = Path(__file__).parents[1] / "golden" / "deploy"
PAID = "streamt://shop/default/topic/paid"
PAID_IN_PROD = "streamt://shop/prod/topic/paid"


def first_plan(commands: Commands) -> None:
    pass


def changed(commands: Commands) -> None:
    """Change the project and, by hand, the provider; let groups read; block one thing, ask for another."""
    commands.run("apply")
    commands.files.change("sent.v1", partitions=5, theirs="x")
    groups = {
        "paid.v1": [
            {"id": "board-group", "members": 2, "lag": 7, "state": "Stable"},
            {"id": "stranger", "members": 0, "lag": None},
        ]
    }
    readers = {"groups": groups, "evidence": "partial", "why": ["500 groups were looked at"]}
    (commands.files.folder / "readers.txt").write_text(json.dumps(readers))
    models = MODELS.replace("retention.ms: 1000", "retention.ms: 10, cleanup.policy: compact")
    commands.write(models.replace("{name: sent.v1}", "{name: sent.v1, partitions: 4}"))


def orphaned(commands: Commands) -> None:
    commands.run("apply")
    commands.write(MODELS[: MODELS.index("  - name: sent")])


SCENES: dict[str, tuple[Callable[[Commands], None], tuple[str, ...]]] = {
    "first-plan.txt": (first_plan, ("plan",)),
    "changed-plan.txt": (changed, ("plan",)),
    "changed-diff.txt": (changed, ("diff", "--all-fields")),
    "changed-status.txt": (changed, ("status",)),
    "offline-plan.txt": (first_plan, ("plan", "--offline")),
    "orphaned-plan.txt": (orphaned, ("plan",)),
    "apply.txt": (first_plan, ("apply",)),
    "blocked-apply.txt": (changed, ("apply",)),
}


@pytest.mark.parametrize("name", SCENES)
def test_what_people_read(commands: Commands, name: str) -> None:
    """With `STREAMT_UPDATE_GOLDEN=1` the golden files are written anew, to be read in review."""
    prepare, arguments = SCENES[name]
    prepare(commands)
    ended = commands.run(*arguments)
    text = stable(f"{ended.stdout.decode()}--- stderr, status {ended.status}\n{ended.stderr}")
    path = GOLDEN / name
    if os.environ.get("STREAMT_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


def test_a_day_of_plan_apply_status_drift_and_back(commands: Commands) -> None:
    assert commands.run("plan", "--exit-code").status == 3
    ended = commands.json("apply")
    assert (ended.status, ended.envelope["data"]["status"], ended.envelope["data"]["serial"]) == (0, "committed", 1)
    assert commands.run("plan", "--exit-code").status == 0
    conditions = {each["condition"] for each in commands.json("status").envelope["data"]["resources"]}
    assert conditions == {"ok"}
    commands.files.change("paid.v1", config={"retention.ms": "5"})
    assert commands.run("diff", "--exit-code").status == 3
    assert commands.run("status", "--health").status == 1
    assert commands.run("apply").status == 0
    assert commands.run("diff", "--exit-code").status == 0
    assert commands.files.contents["paid.v1"]["config"] == {"retention.ms": "1000"}


def test_a_reviewed_plan_in_a_protected_environment(commands: Commands) -> None:
    commands.write(prod=PROTECTED)
    assert commands.json("apply").codes == ["E543_REVIEWED_PLAN_REQUIRED"]
    ended = commands.json("plan", "--out", "p.plan")
    assert ended.envelope["data"]["needs"] == ["confirm_env", "reviewed_plan"]
    assert commands.json("apply", "p.plan").codes == ["E544_CONFIRMATION_REQUIRED"]
    assert commands.json("apply", "p.plan", "--confirm-env", "dev").codes == ["E544_CONFIRMATION_REQUIRED"]
    ended = commands.json("apply", "p.plan", "--confirm-env", "prod")
    assert (ended.status, [each["code"] for each in ended.envelope["warnings"]]) == (0, ["W140_LOCAL_STATE"])
    assert commands.json("apply", "--plan", "p.plan", "--confirm-env", "prod").codes == ["E541_PLAN_STALE"]


def test_a_saved_plan_is_shown_without_its_project(commands: Commands, tmp_path: Path) -> None:
    commands.run("plan", "--out", str(tmp_path / "p.plan"))
    ended = commands.run("show-plan", str(tmp_path / "p.plan"))
    assert b"+ paid.v1" in ended.stdout
    assert commands.json("show-plan", str(tmp_path / "p.plan")).envelope["data"]["summary"]["create"] == 2


def test_an_offline_plan_is_not_applied(commands: Commands) -> None:
    commands.run("plan", "--offline", "--out", "p.plan")
    assert commands.json("apply", "p.plan").codes == ["E540_PLAN_INVALID"]


def test_a_dry_run_changes_nothing(commands: Commands) -> None:
    ended = commands.json("apply", "--dry-run")
    assert (ended.status, ended.envelope["data"]["status"]) == (0, "dry_run")
    assert commands.files.calls == []
    assert not (commands.folder / ".streamt").exists()


def test_a_selected_apply_leaves_the_rest(commands: Commands) -> None:
    commands.run("apply", "--select", "tag:core")
    assert commands.files.names == ["paid.v1"]
    assert commands.json("plan", "--select", "nothing").codes == ["E500_USAGE_ERROR"]
    assert commands.json("plan", "--select", "kind:topik").codes == ["E500_USAGE_ERROR"]
    assert commands.json("plan", "--select", "kind:topic").envelope["data"]["summary"]["create"] == 1


def test_an_error_of_apply_has_the_same_data(commands: Commands) -> None:
    commands.files.put("paid.v1", {})
    ended = commands.json("apply")
    assert (ended.status, ended.codes) == (1, ["E546_OWNERSHIP_REQUIRED"])
    assert ended.envelope["data"] == {
        "operation_id": None,
        "status": "failed",
        "committed": False,
        "serial": None,
        "recovery_required": False,
        "actions": [],
        "next": [],
    }


def test_a_blocker_names_the_models_file_and_line(commands: Commands) -> None:
    commands.files.put("paid.v1", {})
    (error,) = commands.json("apply").envelope["errors"]
    assert (error["file"], error["location"]) == ("stream_project.yml", "/models/0")


def test_an_outcome_that_nobody_knows_is_status_4_until_it_is_recovered(commands: Commands) -> None:
    commands.files.fail("Create paid.v1", "lose_for_good")
    ended = commands.json("apply", "--wait", "0")
    assert (ended.status, ended.codes) == (4, ["E556_OUTCOME_UNKNOWN"])
    assert ended.envelope["data"]["recovery_required"] is True
    assert commands.json("apply").codes == ["E555_RECOVERY_REQUIRED"]
    assert commands.json("plan").codes == ["E555_RECOVERY_REQUIRED"]
    assert commands.json("state", "status").envelope["data"]["recovery_required"] is True
    ended = commands.json("state", "recover")
    assert [each["verdict"] for each in ended.envelope["data"]["actions"]] == ["cannot tell", "not done"]
    assert commands.json("state", "recover", "--yes").codes == ["E555_RECOVERY_REQUIRED"]
    assert commands.json("state", "recover", "--yes", "--assume", f"{PAID}=maybe").codes == ["E500_USAGE_ERROR"]
    ended = commands.json("state", "recover", "--yes", "--assume", f"{PAID}=undone")
    assert (ended.status, ended.envelope["data"]["recovered"]) == (0, True)
    commands.files.heal()
    assert commands.run("apply").status == 0
    assert commands.run("state", "recover").stdout == b"No operation is open: there is nothing to recover.\n"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_lets_the_call_at_hand_finish(commands: Commands, number: int, status: int) -> None:
    """The provider itself sends the signal in the middle of the first call, so nothing depends on timing."""
    (commands.files.folder / "signal.txt").write_text(str(int(number)))
    commands.files.fail("Create paid.v1", "stop")
    ended = commands.json("apply")
    data = ended.envelope["data"]
    assert (ended.status, data["status"], data["recovery_required"]) == (status, "interrupted", False)
    assert [each["result"] for each in data["actions"]] == ["applied", "skipped"]
    assert commands.json("state", "list").envelope["data"]["resources"] == [{"address": PAID, "name": "paid.v1"}]
    assert commands.run("apply").status == 0


def test_a_second_signal_stops_at_once_and_says_so(commands: Commands) -> None:
    commands.files.fail("Create paid.v1", "stop_twice")
    ended = commands.json("apply")
    assert (ended.status, ended.envelope["data"]["recovery_required"]) == (130, True)
    assert any("recover" in each for each in ended.envelope["data"]["next"])
    assert commands.json("apply").codes == ["E555_RECOVERY_REQUIRED"]
    assert commands.run("state", "recover", "--yes").status == 0
    assert commands.run("apply").status == 0


def test_adopting_what_is_there(commands: Commands) -> None:
    commands.files.put("paid.v1", {"partitions": 9})
    assert commands.json("adopt", "topic", "paid", "--confirm", PAID + "x").codes == ["E544_CONFIRMATION_REQUIRED"]
    assert commands.json("adopt", "topic", "paid").codes == ["E544_CONFIRMATION_REQUIRED"]
    ended = commands.json("adopt", "topic", "paid", "--confirm", PAID)
    assert (ended.status, ended.envelope["data"]["adopted"], ended.envelope["data"]["serial"]) == (0, True, 1)
    again = commands.json("adopt", "topic", "paid", "--confirm", PAID)
    assert (again.status, again.envelope["data"]["adopted"], again.envelope["data"]["serial"]) == (0, False, 1)
    assert commands.files.calls == []
    for name, code in (("sent", "E547_ADOPTION_REFUSED"), ("nobody", "E547_ADOPTION_REFUSED")):
        assert commands.json("adopt", "topic", name).codes == [code]
    assert commands.json("adopt", "topik", "paid").codes == ["E500_USAGE_ERROR"]


def test_all_that_is_there_is_adopted_by_a_list_in_one_operation(commands: Commands) -> None:
    commands.files.put("paid.v1", {"partitions": 9})
    commands.files.put("sent.v1", {})
    shown = commands.json("adopt", "--dry-run", "--out", "addresses.txt").envelope["data"]
    sent = PAID.replace("paid", "sent")
    assert [(each["address"], each["adopted"]) for each in shown["resources"]] == [(PAID, False), (sent, False)]
    listed = commands.folder / "addresses.txt"
    assert listed.read_text().split() == [PAID, sent]
    listed.write_text(f"# reviewed\n\n{PAID}\n{sent}\n")
    for serial, adopted in ((1, True), (1, False)):
        data = commands.json("adopt", "--from-file", "addresses.txt").envelope["data"]
        assert (data["serial"], [each["adopted"] for each in data["resources"]]) == (serial, [adopted] * 2)
    assert [[each["record"] for each in journal] for journal in commands.journals] == [
        ["begin", "applied", "applied", "commit"]
    ]
    assert commands.json("adopt", "--dry-run").envelope["data"]["resources"] == []
    assert commands.files.calls == []


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("streamt://shop\n", "E500_USAGE_ERROR"),
        (PAID.replace("paid", "nobody"), "E547_ADOPTION_REFUSED"),
        (PAID, "E547_ADOPTION_REFUSED"),
        (None, "E500_USAGE_ERROR"),
    ],
    ids=["no address", "undeclared", "not there", "no file"],
)
def test_a_list_that_cannot_be_adopted_changes_nothing(commands: Commands, content: str | None, code: str) -> None:
    if content is not None:
        (commands.folder / "addresses.txt").write_text(content)
    assert commands.json("adopt", "--from-file", "addresses.txt").codes == [code]
    assert not (commands.folder / ".streamt/state/default.json").exists()


def test_what_is_there_is_imported_as_sources(commands: Commands) -> None:
    for name in ("theirs.v1", "theirs.v2", "paid.v1"):
        commands.files.put(name, {})
    ended = commands.run("import", "topics", "--exclude", "*.v2")
    assert yaml.safe_load(ended.stdout)["sources"] == [{"name": "theirs.v1", "topic": "theirs.v1"}]
    assert commands.run("import", "topics", "--output-file", "sources/imported.yml").status == 0
    assert commands.json("import", "topics", "--output-file", "sources/imported.yml").codes == ["E500_USAGE_ERROR"]
    assert commands.run("validate").status == 0
    assert commands.json("import", "topics").envelope["data"]["sources"] == []
    assert commands.json("import", "jobs").codes == ["E500_USAGE_ERROR"]
    assert commands.json("import", "schemas").codes == ["E503_ENVIRONMENT_ERROR"]


def test_moves_and_ends_are_declared_in_the_project(commands: Commands) -> None:
    commands.run("apply")
    renamed = MODELS.replace("name: paid\n", "name: payments\n").replace('ref("paid")', 'ref("payments")')
    renamed = renamed[: renamed.index("  - name: sent")]
    lifecycle = (
        "lifecycle:\n"
        "  moved: [{kind: topic, from: paid, to: payments}]\n"
        "  removed: [{kind: topic, name: sent, physical: sent.v1}]\n"
    )
    commands.write(renamed + lifecycle)
    path = commands.folder / "stream_project.yml"
    path.write_text(path.read_text().replace("{ref: paid}", "{ref: payments}"))
    ended = commands.json("apply")
    assert [(each["verb"], each["result"]) for each in ended.envelope["data"]["actions"]] == [
        ("move", "applied"),
        ("forget", "applied"),
    ]
    assert commands.files.names == ["paid.v1", "sent.v1"]
    assert commands.json("plan").envelope["data"]["actions"] == []


def test_state_commands(commands: Commands) -> None:
    assert commands.json("state", "init").envelope["data"]["serial"] == 0
    assert commands.json("state", "init").envelope["data"]["serial"] == 0
    commands.run("apply")
    shown = commands.json("state", "show", PAID).envelope["data"]
    assert (shown["name"], shown["applied"]["artifact"]["partitions"]) == ("paid.v1", 3)
    assert commands.json("state", "show", PAID + "x").codes == ["E500_USAGE_ERROR"]
    assert commands.json("state", "move", PAID, "streamt://shop/default/topic/renamed").envelope["data"]["serial"] == 2
    assert commands.json("state", "forget", "streamt://shop/default/topic/renamed").envelope["data"]["serial"] == 3
    assert commands.json("state", "export", "copy.json").status == 0
    assert commands.json("state", "export", "copy.json").codes == ["E500_USAGE_ERROR"]
    assert commands.json("state", "unlock", "x").envelope["data"] == {"held": False}
    assert commands.files.names == ["paid.v1", "sent.v1"]


def test_a_state_moves_to_postgresql_and_the_old_one_is_refused(commands: Commands, postgres_url: str) -> None:
    commands.run("apply")
    commands.variables["STATE_URL"] = postgres_url
    path = commands.folder / "stream_project.yml"
    before = path.read_text()
    path.write_text(before + 'deployment_state: {backend: postgres, url: "${STATE_URL}"}\n')
    assert commands.json("plan").codes == ["E551_STATE_UNAVAILABLE"]
    ended = commands.json("state", "migrate")
    assert (ended.status, ended.envelope["data"]["serial"]) == (0, 1)
    assert commands.json("plan").envelope["data"]["summary"]["unchanged"] == 2
    commands.write(MODELS.replace("partitions: 3", "partitions: 4"))
    path.write_text(path.read_text() + 'deployment_state: {backend: postgres, url: "${STATE_URL}"}\n')
    assert commands.json("apply").envelope["data"]["serial"] == 2
    path.write_text(before)
    for command in (("plan",), ("apply",), ("diff",), ("status",), ("state", "forget", PAID)):
        assert commands.json(*command).codes == ["E550_STATE_INVALID"]


@pytest.mark.parametrize("word", ["lock", "journal"])
def test_an_address_of_a_database_is_shown_by_nothing(commands: Commands, word: str) -> None:
    secret = "h0peless+secret"
    commands.variables["STATE_URL"] = f"postgresql://me:{secret}@127.0.0.1:1/{word}?application_name=x"
    path = commands.folder / "stream_project.yml"
    path.write_text(path.read_text() + 'deployment_state: {backend: postgres, url: "${STATE_URL}"}\n')
    for command in (("plan",), ("apply",), ("status",), ("state", "status"), ("state", "init"), ("diff",)):
        ended = commands.json(*command)
        assert ended.codes == ["E551_STATE_UNAVAILABLE"]
        assert secret not in ended.stdout.decode() + ended.stderr


@pytest.mark.parametrize("name", ["a b", "Prod", "%2e%2e", "é", "-x"])
def test_an_environments_state_stays_in_its_folder(commands: Commands, name: str) -> None:
    commands.write(**{name: RUNTIME})
    assert commands.run("apply", "--env", name).status == 0
    made = {
        each.relative_to(commands.folder).parts[:2] for each in commands.folder.rglob("*") if "streamt" in each.name
    }
    assert {parts[0] for parts in made} <= {".streamt", "stream_project.yml"}
    assert not (commands.folder.parent / ".streamt").exists()
    assert commands.json("apply", "--env", f"../{name}").codes == ["E503_ENVIRONMENT_ERROR"]


def test_a_person_at_a_terminal_types_the_name(commands: Commands) -> None:
    commands.write(prod=RUNTIME + "safety: {confirm_apply: true}\n")
    assert typed(commands, "dev\n") == 1
    assert commands.files.calls == []
    assert typed(commands, "prod\n") == 0
    assert commands.files.calls == ["Create paid.v1", "Create sent.v1"]


def typed(commands: Commands, answer: str) -> int:
    """Apply at a terminal, answer its question, and return the exit status."""
    main, child = pty.openpty()
    environment = clean_environment(
        STREAMT_TEST_FILES=str(commands.files.folder), PYTHONPATH=str(Path(__file__).parents[2]), TERM="xterm"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.deploy.cli_child", "apply"],
        cwd=commands.folder,
        stdin=child,
        stdout=child,
        stderr=child,
        env=environment,
    )
    os.close(child)
    shown = b""
    while b"to apply this plan" not in shown:
        shown += os.read(main, 65536)
    os.write(main, answer.encode())
    try:
        while data := os.read(main, 65536):
            shown += data
    except OSError:  # the other side has closed
        pass
    assert b"\x1b[" in shown, "a terminal gets colours"
    status = process.wait(120)
    os.close(main)
    return status


def test_a_folder_that_nobody_may_write_is_an_error_and_no_traceback(commands: Commands) -> None:
    if os.geteuid() == 0:
        (commands.folder / ".streamt").write_text("in the way")  # for root nothing is read-only
    else:
        commands.folder.chmod(0o500)
    ended = commands.json("apply")
    commands.folder.chmod(0o700)
    assert ended.codes == ["E551_STATE_UNAVAILABLE"]
    assert commands.files.calls == []


def test_60_what_only_reads_writes_nothing(commands: Commands) -> None:
    commands.run("apply")
    commands.files.change("paid.v1", partitions=2)
    before = contents(commands)
    for arguments in (
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
        ("state", "show", PAID),
    ):
        assert commands.run(*arguments).status == 0, arguments
        assert contents(commands) == before, arguments


def contents(commands: Commands) -> dict[Path, tuple[bytes, int]]:
    """Return every file of project and provider, with the time of its last change."""
    files = (
        each for folder in (commands.folder, commands.files.folder) for each in folder.rglob("*") if each.is_file()
    )
    return {each: (each.read_bytes(), each.stat().st_mtime_ns) for each in files}
