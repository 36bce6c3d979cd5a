"""OpenLineage's own Java client reads every kind of our events and loses nothing, and sends its own to our catalog."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import streamt
from streamt.openlineage.consumers import CONSUMERS
from tests.catalog.desk import NAMESPACE, Desk, run_id
from tests.catalog.server import serving, token_for
from tests.extras import EXTRAS
from tests.extras.test_judges import of_a_command, of_the_emitter

pytestmark = pytest.mark.extras
SCRIPT = Path(__file__).parent / "java" / "client.groovy"
EXAMPLES = Path(__file__).parents[2] / "examples"
NAMESPACES = {"kafka_namespace": "kafka://b:9092", "gateway_namespace": "kafka://g:6969"}


def java(arguments: Sequence[str], lines: Sequence[bytes]) -> list[bytes]:
    """Run the client with `lines` on its stdin."""
    jars = os.pathsep.join(map(str, sorted((EXTRAS / "java").glob("*.jar"))))
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", jars, "groovy.ui.GroovyMain", str(SCRIPT), *arguments]
    done = subprocess.run(command, input=b"\n".join(lines), capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return done.stdout.splitlines()


def of_the_exports() -> list[bytes]:
    lines: list[bytes] = []
    for name, environment in (("payments", None), ("ecommerce", "prod"), ("iot", None)):
        project = streamt.load(EXAMPLES / name, environment, environ={})
        lines += streamt.export(project, job_namespace="jobs", environ={}, **NAMESPACES).lines
    return lines


def test_the_java_classes_take_every_event_and_lose_nothing() -> None:
    lines = [*of_the_exports(), *of_the_emitter(), *of_a_command()]
    for consumer in CONSUMERS:
        lines += of_a_command(consumer)
    assert len(lines) > 80
    assert [json.loads(line) for line in java(["read"], lines)] == [json.loads(line) for line in lines]


def test_the_java_client_sends_with_a_url_and_a_key(tmp_path: Path) -> None:
    desk = Desk.open(f"sqlite:///{tmp_path}/catalog.db")
    event: dict[str, Any] = {
        "eventTime": "2026-01-01T00:00:02Z",
        "producer": "https://producer.example",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "eventType": "COMPLETE",
        "run": {"runId": str(run_id(1))},
        "job": {"namespace": "java", "name": "nightly"},
        "inputs": [{"namespace": NAMESPACE, "name": "analytics.public.a"}],
        "outputs": [{"namespace": NAMESPACE, "name": "analytics.public.b"}],
    }
    declared = {key: value for key, value in event.items() if key not in ("eventType", "run")}
    declared |= {"job": {"namespace": "java", "name": "declared"}, "schemaURL": event["schemaURL"][:-8] + "JobEvent"}
    with serving(desk.catalog) as url:
        lines = [json.dumps(each, separators=(",", ":")).encode() for each in (event, declared)]
        java(["send", url, token_for(desk.catalog, desk.admin)], lines)
        names = {one["job"]["name"] for one in desk.edge("a>b")["evidence"]}
    assert names == {"nightly", "declared"}
