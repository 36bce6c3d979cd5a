"""`streamt docs openlineage`, as a user runs it: streams, files, namespaces, secrets, and no network."""

import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.program import (
    MINIMAL,
    bare_environment,
    clean_environment,
    export,
    export_json,
    streamt,
    without_root,
    write_project,
)

FROZEN = {"SOURCE_DATE_EPOCH": "1796040000"}


def test_text_is_json_lines_and_nothing_else(tmp_path: Path) -> None:
    ended = export(write_project(tmp_path))
    assert ended.stdout.endswith(b"}\n")
    assert [event["schemaURL"].rsplit("/")[-1] for event in ended.events] == [
        "DatasetEvent",
        "DatasetEvent",
        "JobEvent",
    ]


def test_the_envelope_holds_the_same_events(tmp_path: Path) -> None:
    folder = write_project(tmp_path)
    data = export_json(folder, **FROZEN).envelope["data"]
    assert data == {
        "standard": "OpenLineage",
        "release": "1.53.0",
        "core_schema": "2-0-2",
        "events": export(folder, **FROZEN).events,
        "counts": {"total": 3, "datasets": 2, "jobs": 1},
    }


def test_an_output_file_holds_the_same_bytes(tmp_path: Path) -> None:
    folder = write_project(tmp_path)
    target = tmp_path / "new" / "events.jsonl"
    ended = export(folder, "--output-file", target, **FROZEN)
    assert ended.stdout.decode() == f"wrote 3 events (2 datasets, 1 job) to {target}\n"
    assert target.read_bytes() == export(folder, **FROZEN).stdout


def test_the_envelope_names_the_output_file(tmp_path: Path) -> None:
    data = export_json(write_project(tmp_path), "--output-file", tmp_path / "x.jsonl").envelope["data"]
    assert data["output_file"] == str(tmp_path / "x.jsonl")


def test_one_export_has_one_time_in_utc(tmp_path: Path) -> None:
    times = {event["eventTime"] for event in export(write_project(tmp_path), TZ="Asia/Tokyo").events}
    assert len(times) == 1
    assert times.pop().endswith("Z")


def test_source_date_epoch_is_the_time(tmp_path: Path) -> None:
    assert export(write_project(tmp_path), SOURCE_DATE_EPOCH="0").events[0]["eventTime"] == "1970-01-01T00:00:00Z"


@pytest.mark.parametrize("value", ["x", "-1", "1.5", "1e9", " 1", "99999999999999999"])
def test_a_malformed_source_date_epoch_is_an_error(tmp_path: Path, value: str) -> None:
    ended = export_json(write_project(tmp_path), SOURCE_DATE_EPOCH=value)
    assert (ended.status, ended.envelope["errors"][0]["location"]) == (1, "SOURCE_DATE_EPOCH")


def test_the_job_namespace_is_required(tmp_path: Path) -> None:
    ended = streamt("--output", "json", "docs", "openlineage", "-p", write_project(tmp_path))
    assert ended.status == 1
    assert [(error["code"], error["location"]) for error in ended.envelope["errors"]] == [
        ("E506_OPENLINEAGE_INVALID", "job_namespace")
    ]


def test_variables_stand_in_for_options(tmp_path: Path) -> None:
    ended = streamt(
        "docs", "openlineage", "-p", write_project(tmp_path),
        OPENLINEAGE_NAMESPACE="from-variable", STREAMT_OPENLINEAGE_KAFKA_NAMESPACE="kafka://V:1",
    )  # fmt: skip
    assert ended.events[0]["dataset"]["namespace"] == "kafka://V:1"
    assert ended.events[2]["job"]["namespace"] == "from-variable"


def test_options_win_over_variables(tmp_path: Path) -> None:
    ended = export(
        write_project(tmp_path), "--kafka-namespace", "kafka://o:1", STREAMT_OPENLINEAGE_KAFKA_NAMESPACE="kafka://v:1"
    )
    assert ended.events[0]["dataset"]["namespace"] == "kafka://o:1"


def test_several_brokers_are_an_error_at_their_place(tmp_path: Path) -> None:
    folder = write_project(tmp_path, MINIMAL.replace("b:9092", "b1:9092,b2:9092"))
    (error,) = export_json(folder).envelope["errors"]
    assert (error["code"], error["location"], error["file"], error["line"]) == (
        "E506_OPENLINEAGE_INVALID", "runtime.kafka.bootstrap_servers", "stream_project.yml", 6,
    )  # fmt: skip
    assert "--kafka-namespace" in error["hint"]


def test_an_address_from_a_variable_is_not_repeated(tmp_path: Path) -> None:
    folder = write_project(tmp_path, MINIMAL.replace("b:9092", "${KAFKA}"))
    ended = export_json(folder, KAFKA="PLAINTEXT://user:hunter2@x1:1")
    assert "kafka://HOST:PORT" in ended.envelope["errors"][0]["hint"]
    assert "x1" not in ended.stdout.decode().replace(str(tmp_path), "")


def test_a_collision_is_an_error_at_its_place(tmp_path: Path) -> None:
    folder = write_project(tmp_path, MINIMAL.replace("name: paid", "name: orders.v1"))
    (error,) = export_json(folder).envelope["errors"]
    assert (error["code"], error["location"], error["line"]) == ("E510_COMPILE_ERROR", "/models/0/name", 13)


def test_names_with_separators_get_right_job_names(tmp_path: Path) -> None:
    names = ["a/b", "a%2Fb", "a b", "it's", 'say "hi"', "支付", "🚀"]
    models = "".join(
        f"  - name: {json.dumps(name, ensure_ascii=False)}\n    topic: {{name: t{index}}}\n"
        f'    sql: SELECT id FROM {{{{ source("orders") }}}}\n    columns: [{{name: id}}]\n'
        for index, name in enumerate(names)
    )
    events = export(write_project(tmp_path, MINIMAL.partition("models:")[0] + "models:\n" + models)).events
    assert {event["job"]["name"] for event in events if "job" in event} == {
        "streamt/shop/models/a%2Fb",
        "streamt/shop/models/a%252Fb",
        "streamt/shop/models/a%20b",
        "streamt/shop/models/it%27s",
        "streamt/shop/models/say%20%22hi%22",
        "streamt/shop/models/%E6%94%AF%E4%BB%98",
        "streamt/shop/models/%F0%9F%9A%80",
    }


SECRETS = """\
apiVersion: streamt.dev/v1alpha1
project: {name: shop}
runtime:
  kafka:
    bootstrap_servers: b:9092
    security_protocol: SASL_SSL
    sasl_mechanism: PLAIN
    sasl_username: s3cret-user
    sasl_password: s3cret-kafka
  schema_registry: {url: "https://s3cret-registry.example.com", username: s3cret-u, password: s3cret-p}
  flink: {default: f, clusters: {f: {type: confluent, api_key: s3cret-key, api_secret: s3cret-secret}}}
  connect: {default: c, clusters: {c: {rest_url: "http://s3cret-connect:8083", username: s3cret-c, password: s3cret-d}}}
  conduktor:
    gateway: {admin_url: "http://s3cret-admin:8888", proxy_bootstrap: "g:6969", username: s3cret-g, password: s3cret-h}
    console: {url: "http://s3cret-console", api_key: s3cret-console-key}
sources:
  - {name: orders, topic: orders.v1, schema: {definition: s3cret-definition}}
models:
  - name: out
    from: orders
    sink: {connector: jdbc, config: {connection.password: s3cret-jdbc, "header.authorization": "${HEADER}"}}
  - name: broken
    sql: SELECT 's3cret-literal' FROM {{ source("orders") }}
    params: {}
"""


@pytest.mark.parametrize("broken", [False, True])
def test_no_secret_reaches_any_output(tmp_path: Path, broken: bool) -> None:
    text = SECRETS if broken else SECRETS.replace("    params: {}\n", "")
    text = text.replace("{name: orders, topic", "{name: orders, topc: x, topic") if broken else text
    folder = write_project(tmp_path, text)
    for mode in ("text", "json"):
        ended = streamt(
            "--output", mode, "docs", "openlineage", "-p", folder, "--job-namespace", "j",
            HEADER="Bearer s3cret-header", STREAMT_DEBUG="1",
        )  # fmt: skip
        assert (ended.status == 0) is not broken
        assert "s3cret" not in ended.stdout.decode() + ended.stderr


def test_the_export_opens_no_socket(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "def audit(event, args):\n"
        "    if event.startswith('socket.'): raise RuntimeError(f'network: {event}')\n"
        "sys.addaudithook(audit)\n"
        "from streamt.cli.app import run\n"
        "sys.exit(run(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "docs", "openlineage", "-p", write_project(tmp_path), "--job-namespace", "j"],
        env=clean_environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 3)


# Targets that cannot be written, each with a word of the message.


def untouched(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def test_a_failed_export_leaves_the_target_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "events.jsonl").write_bytes(b"old")
    folder = write_project(tmp_path / "p", MINIMAL.replace("b:9092", "b1:1,b2:2"))
    assert export(folder, "--output-file", out / "events.jsonl").status == 1
    assert untouched(out) == {"events.jsonl": b"old"}


def refused(folder: Path, target: Path | str, **environment: str) -> str:
    (error,) = export_json(folder, "--output-file", target, **environment).envelope["errors"]
    assert (error["code"], error["location"]) == ("E506_OPENLINEAGE_INVALID", "output_file")
    return str(error["message"])


def test_a_folder_as_target_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert "folder" in refused(write_project(tmp_path / "p"), tmp_path / "out")


def test_a_device_as_target_is_refused(tmp_path: Path) -> None:
    assert "regular" in refused(write_project(tmp_path), "/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116 - no path object needed


def test_a_looping_link_as_target_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert "circle" in refused(write_project(tmp_path / "p"), tmp_path / "a")


def test_a_full_disk_is_an_error_and_leaves_no_staging_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "events.jsonl").write_bytes(b"old")
    write_project(tmp_path / "p")
    # A limit on the size of files is what a full disk looks like to a write: it fails in the middle.
    code = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "from streamt.cli.app import run\n"
        "sys.exit(run(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, "docs", "openlineage", "-p", tmp_path / "p", "--job-namespace", "j",
         "--output-file", out / "events.jsonl"],
        env=bare_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "E506_OPENLINEAGE_INVALID" in done.stderr
    assert "Traceback" not in done.stderr
    assert untouched(out) == {"events.jsonl": b"old"}


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """Give a folder that another user may enter, as pytest's own may not be."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_read_only_folder_is_an_error(public_folder: Path) -> None:
    out = public_folder / "out"
    out.mkdir()
    (out / "events.jsonl").write_bytes(b"old")
    out.chmod(0o555)
    project = write_project(public_folder / "p")
    ended = without_root(
        "docs", "openlineage", "-p", project, "--job-namespace", "j", "--output-file", out / "events.jsonl"
    )
    out.chmod(0o755)
    assert ended.status == 1
    assert "Permission denied" in ended.stderr
    assert untouched(out) == {"events.jsonl": b"old"}


def test_a_nul_in_the_target_is_refused_before_anything_runs(tmp_path: Path) -> None:
    code = (
        "import sys; from streamt.cli.app import run;"
        "sys.exit(run(['docs', 'openlineage', '-p', sys.argv[1], '--job-namespace', 'j', '--output-file', 'a\\0b']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, write_project(tmp_path)],
        env=clean_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)


@pytest.mark.parametrize("name", ["stream_project.yml", "models/a.yml", "models/new.yml", "link.yml", ".env"])
def test_an_output_file_never_overwrites_the_project(tmp_path: Path, name: str) -> None:
    folder = write_project(tmp_path, **{"models__a.yml": "models: []"})
    (folder / "link.yml").symlink_to("models/a.yml")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    ended = export_json(folder, "--output-file", folder / name)
    (error,) = ended.envelope["errors"]
    assert (ended.status, error["code"], error["location"]) == (1, "E506_OPENLINEAGE_INVALID", "output_file")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
