"""`streamt compile` and `streamt build`: files without a server, the same each time, in a folder that is ours."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from streamt.deploy.artifacts.files import write_folder
from streamt.diagnostics import Code, StreamtError
from tests.builder import write_files, write_project
from tests.cli.program import streamt

EPOCH = "1738310400"
CANARY = "canary-7f3a91c2"
SHOP = """\
runtime:
  kafka:
    bootstrap_servers: 'b:1'
    security_protocol: SASL_SSL
    sasl_mechanism: PLAIN
    sasl_username: u
    sasl_password: '${P}'
  schema_registry: {url: 'http://r:1', password: '${P}', username: u}
  connect: {clusters: {main: {rest_url: 'http://c:1'}}}
sources:
  - {name: orders, topic: orders.v1, columns: [{name: id, type: STRING}]}
models:
  - name: paid
    topic: {name: paid.v1}
    sql: SELECT id FROM {{ source("orders") }}
    columns: [{name: id, type: STRING}]
    schema: {format: avro}
  - {name: out, from: paid, sink: {connector: jdbc, config: {connection.password: '${P}', other: 'x${P}'}}}
"""
FILES = [
    "connect/out.json",
    "flink/paid.json",
    "flink/paid.sql",
    "manifest.json",
    "schemas/paid.v1-value.json",
    "topics/paid.v1.json",
]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = write_project(tmp_path_factory.mktemp("shop"), SHOP)
    ended = streamt("build", "-p", project, P=CANARY, SOURCE_DATE_EPOCH=EPOCH)
    assert ended.status == 0, ended.stderr
    return project


def test_a_build_is_a_folder_for_each_environment(built: Path) -> None:
    assert sorted(contents(built / "build" / "default")) == sorted(["checksums.sha256", *FILES])


def test_the_checksums_are_those_of_the_files(built: Path) -> None:
    folder = built / "build" / "default"
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "checksums.sha256"], cwd=folder, check=True)
    listed = {line.split("  ")[1] for line in (folder / "checksums.sha256").read_text().splitlines()}
    assert listed == set(FILES)


def test_the_manifest_lists_every_resource_with_its_file(built: Path) -> None:
    folder = built / "build" / "default"
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert [each["address"] for each in manifest["resources"]] == [
        f"streamt://shop/default/{each}"
        for each in ("connector/out", "flink_job/paid", "schema/paid/value", "topic/paid")
    ]
    assert all((folder / each["file"]).is_file() for each in manifest["resources"])


def test_no_secret_is_in_an_artifact(built: Path) -> None:
    assert [name for name, content in contents(built / "build").items() if CANARY.encode() in content] == []


def test_another_value_of_a_secret_changes_no_byte(built: Path, tmp_path: Path) -> None:
    ended = streamt("build", "-p", built, "--output-dir", tmp_path / "again", P="another", SOURCE_DATE_EPOCH=EPOCH)
    assert (ended.status, contents(tmp_path / "again")) == (0, contents(built / "build" / "default"))


def test_the_order_of_files_changes_no_byte(tmp_path: Path) -> None:
    first = "models: [{name: a, topic: {name: a.v1}}]\n"
    second = "models: [{name: b, topic: {name: b.v1}}]\n"
    found = []
    for names in (("1.yml", "2.yml"), ("2.yml", "1.yml")):
        folder = write_project(tmp_path / names[0], "")
        write_files(folder / "models", dict(zip(names, (first, second), strict=True)))
        assert streamt("build", "-p", folder, "--output-dir", folder / "out", SOURCE_DATE_EPOCH=EPOCH).status == 0
        found.append(contents(folder / "out"))
    assert found[0] == found[1]


def test_what_was_written_before_is_replaced_as_a_whole(built: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    assert streamt("compile", "-p", built, "--output-dir", target, P="x").status == 0
    (target / "topics" / "old.json").write_text("{}")
    assert streamt("compile", "-p", built, "--output-dir", target, P="x").status == 0
    assert sorted(contents(target)) == FILES
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_files_that_stay_the_same_are_not_written_again(tmp_path: Path) -> None:
    target = tmp_path / "out"
    files = {"manifest.json": b'{"format":"streamt.manifest/1"}', "topics/a.json": b"{}", "topics/b.json": b"{}"}
    write_folder(target, files)
    before = (target / "topics" / "a.json").stat()
    write_folder(target, files)
    write_folder(target, files | {"manifest.json": b'{"format":"streamt.manifest/1","compiled_at":"later"}'})
    assert os.path.samestat((target / "topics" / "a.json").stat(), before)
    assert b"later" in (target / "manifest.json").read_bytes()


@pytest.mark.parametrize("change", ["longer", "shorter", "another", "gone", "more", "a link", "a folder more"])
def test_whatever_was_changed_by_hand_is_put_right(tmp_path: Path, change: str) -> None:
    target = tmp_path / "out"
    files = {"manifest.json": b'{"format":"streamt.manifest/1"}', "topics/a.json": b"{1}", "topics/b.json": b"{2}"}
    write_folder(target, files)
    path = target / "topics" / "a.json"
    if change in ("longer", "shorter", "another"):
        path.write_bytes({"longer": b"{1} ", "shorter": b"{1", "another": b"{9}"}[change])
    elif change == "more":
        path.with_name("c.json").write_bytes(b"")
    elif change == "a folder more":
        (target / "empty").mkdir()
    else:
        path.unlink()
        if change == "a link":
            path.symlink_to("b.json")
    write_folder(target, files)
    assert contents(target) == files
    assert {each.name for each in target.iterdir()} == {"manifest.json", "topics"}
    assert not path.is_symlink()


def test_a_disk_that_is_full_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    """The system refuses to write on, half-way through a file."""
    target = tmp_path / "out"
    write_folder(target, {"manifest.json": b'{"format": "streamt.manifest/1"}'})
    before, limits = contents(target), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(StreamtError) as error:
            write_folder(target, {"topics/a.json": b"{}", "topics/b.json": bytes(1000), "manifest.json": b"{}"})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert error.value.diagnostics[0].code is Code.OUTPUT_FAILED
    assert (contents(target), [each.name for each in tmp_path.iterdir()]) == (before, ["out"])


@pytest.mark.parametrize("name", ["notes.txt", "manifest.json"], ids=["something else", "another program's manifest"])
def test_a_folder_of_somebody_else_is_left_alone(built: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("{}")
    ended = streamt("--output", "json", "build", "-p", built, "--output-dir", tmp_path, P="x")
    assert (ended.status, ended.codes, contents(tmp_path)) == (1, ["E505_OUTPUT_FAILED"], {name: b"{}"})


def test_a_dry_run_shows_one_model_and_writes_nothing(built: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    ended = streamt("compile", "-p", built, "--dry-run", "--model", "paid", "--output-dir", target, P=CANARY)
    assert (ended.status, target.exists(), CANARY in ended.stdout.decode()) == (0, False, False)
    assert b"INSERT INTO `paid` (`id`)" in ended.stdout
    assert b"out.json" not in ended.stdout


def test_an_unknown_model_is_named_with_the_nearest(built: Path) -> None:
    ended = streamt("compile", "-p", built, "--model", "payd", P="x")
    assert (ended.status, "did you mean `paid`?" in ended.stderr) == (2, True)


def test_a_secret_that_is_not_set_is_needed_only_where_it_is_used(tmp_path: Path) -> None:
    folder = write_project(tmp_path, SHOP.replace("${P}", "${UNSET_VARIABLE}"))
    assert streamt("build", "-p", folder).status == 0


def test_everything_that_keeps_a_project_from_being_made_is_said_at_once(tmp_path: Path) -> None:
    text = SHOP.replace("[{name: id, type: STRING}]}", "[]}").replace("format: avro", "format: protobuf")
    ended = streamt("--output", "json", "build", "-p", write_project(tmp_path, text), P="x")
    assert (ended.status, set(ended.codes)) == (1, {"E510_COMPILE_ERROR"})
    assert all({"file", "line", "column"} <= error.keys() for error in ended.envelope["errors"])
    assert len(ended.codes) > 1
    assert not (tmp_path / "build").exists()


def test_compiling_imports_nothing_of_openlineage(built: Path, tmp_path: Path) -> None:
    program = (
        "import sys\nfrom streamt.cli.app import run\nstatus = run(sys.argv[1:])\n"
        "print(status, [name for name in sys.modules if name.startswith('streamt.openlineage')])"
    )
    arguments = [sys.executable, "-c", program, "compile", "-p", str(built), "--output-dir", str(tmp_path / "out")]
    done = subprocess.run(arguments, env=os.environ | {"P": "x"}, capture_output=True, check=True)
    assert done.stdout.splitlines()[-1] == b"0 []"
