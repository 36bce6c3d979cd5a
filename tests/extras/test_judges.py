"""Catalogs' own code judges both forms of our events: that of the specification, and theirs."""

import json
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from streamt.emitter import DatasetRef, Engine, Parent, Run, RunRef, Task
from streamt.emitter.lifecycle import Context, to_event
from streamt.emitter.told import EventType, Told
from streamt.openlineage.consumers import CONSUMERS, Form, Verdict, check_events
from streamt.openlineage.identity import Identity
from streamt.openlineage.runs import CommandRun, Outcome, start_event, terminal_event
from tests.extras import EXTRAS

pytestmark = pytest.mark.extras
PYTHON = EXTRAS / "judges" / "bin" / "python"
NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
V4 = UUID("8a3c1f1e-5c39-4c36-9d5f-111111111111")
TOPIC = Identity("kafka://b:9092", "orders.v1")

JUDGES = {
    "data-rentgen": """
import sys
from data_rentgen.openlineage.run_event import OpenLineageRunEvent
for line in sys.stdin:
    try:
        OpenLineageRunEvent.model_validate_json(line)
        print("taken")
    except ValueError as error:
        print("refused", str(error).replace("\\n", " "))
""",
    # Its two modules alone: the package's own __init__ wants much that has nothing to do with events.
    "openmetadata-kafka": """
import json, sys, types
from pathlib import Path
root = next(Path(path) for path in sys.path if (Path(path) / "metadata" / "ingestion").is_dir())
name = ""
for part in ("metadata", "ingestion", "source", "pipeline", "openlineage"):
    name = f"{name}.{part}".lstrip(".")
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [str(root / name.replace(".", "/"))]
from metadata.ingestion.source.pipeline.openlineage.utils import message_to_open_lineage_event
for line in sys.stdin:
    try:
        message_to_open_lineage_event(json.loads(line))
        print("taken")
    except ValueError as error:
        print("refused", error)
""",
}


def verdicts(judge: str, lines: Sequence[bytes]) -> list[str]:
    done = subprocess.run(
        [PYTHON, "-c", JUDGES[judge]], input=b"\n".join(lines), capture_output=True, timeout=120, check=True
    )
    return done.stdout.decode().splitlines()


def of_a_command(consumer: str | None = None) -> list[bytes]:
    run = CommandRun(V4, Identity("jobs", "streamt/shop/commands/test"), "TEST", (TOPIC,))
    events = [start_event(run, NOON), *(terminal_event(run, outcome, NOON, "x") for outcome in Outcome)]
    form = Form(CONSUMERS[consumer]) if consumer else (lambda event: event)
    return [form(event).to_json() for event in events]


def of_the_emitter() -> list[bytes]:
    upstream = RunRef("cron", "nightly", UUID("019d39b5-2600-7000-8000-000000000001"))
    run = Run(
        job="etl",
        run_id="manual__1",
        logical_start=NOON,
        logical_end=NOON + timedelta(days=1),
        parent=Parent(upstream, upstream),
    )
    table = DatasetRef.of("postgres", host="h", database="d", schema="s", table="t")
    task = Task(run=run, name="load", inputs=(table,), outputs=(DatasetRef.of("kafka", host="b", port="1", topic="t"),))
    types: tuple[EventType, ...] = ("START", "RUNNING", "COMPLETE", "FAIL", "ABORT")
    context = Context("jobs", Engine("leoflow", "0.5.1"))
    told = [Told(about, event_type, NOON, "it broke") for about in (run, task) for event_type in types]
    return [to_event(each, context).to_json() for each in told]


@pytest.mark.parametrize("judge", JUDGES)
def test_what_the_rules_foretell_of_the_specified_form_is_what_happens(judge: str) -> None:
    lines = of_a_command()
    foretold = any(finding.verdict is Verdict.REFUSES for finding in check_events(CONSUMERS[judge], lines))
    assert foretold
    assert all(verdict.startswith("refused") for verdict in verdicts(judge, lines))


@pytest.mark.parametrize("judge", JUDGES)
def test_the_form_for_a_consumer_is_taken(judge: str) -> None:
    assert verdicts(judge, of_a_command(judge)) == ["taken"] * 4


@pytest.mark.parametrize("judge", JUDGES)
def test_the_emitters_events_are_taken_as_they_are(judge: str) -> None:
    lines = of_the_emitter()
    assert verdicts(judge, lines) == ["taken"] * len(lines)
    assert json.loads(lines[0])["inputs"] == []
