"""What consumers take of our events: rules say it before anything is sent, and a form mends what a form can mend."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from streamt.cli.consumers import NAMES
from streamt.diagnostics import Option
from streamt.openlineage.consumers import CONSUMERS, Change, Form, Verdict, check_events, in_order
from streamt.openlineage.identity import Identity
from streamt.openlineage.models import RunEvent
from streamt.openlineage.runs import CommandRun, Outcome, start_event, terminal_event
from streamt.openlineage.validation import Checker

NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
V4 = UUID("8a3c1f1e-5c39-4c36-9d5f-111111111111")
TOPIC = Identity("kafka://b:9092", "orders.v1")
RUN = CommandRun(V4, Identity("jobs", "streamt/shop/commands/test"), "TEST", (TOPIC,))


def run_events(run: CommandRun = RUN, form: Callable[[RunEvent], RunEvent] = lambda event: event) -> list[bytes]:
    events = [start_event(run, NOON), *(terminal_event(run, outcome, NOON, "x") for outcome in Outcome)]
    return [form(event).to_json() for event in events]


def dataset_event(**facets: Any) -> bytes:
    return json.dumps({"dataset": {"namespace": TOPIC.namespace, "name": TOPIC.name, "facets": facets}}).encode()


def job_event(**more: Any) -> bytes:
    inputs = [{"namespace": TOPIC.namespace, "name": TOPIC.name}]
    return json.dumps({"job": {"namespace": "j", "name": "n"}, "inputs": inputs, **more}).encode()


def said(name: str, lines: list[bytes]) -> dict[Verdict, list[str]]:
    found: dict[Verdict, list[str]] = {}
    for finding in check_events(CONSUMERS[name], lines):
        found.setdefault(finding.verdict, []).append(finding.message)
    return found


def test_every_consumer_can_be_named_on_the_command_line() -> None:
    assert set(NAMES) == set(CONSUMERS)
    assert all(name == consumer.name for name, consumer in CONSUMERS.items())


def test_every_table_says_what_it_was_read_from_or_tried_on() -> None:
    for consumer in CONSUMERS.values():
        assert consumer.source.startswith(("tried: ", "read: "))
        assert consumer.version


@pytest.mark.parametrize("name", NAMES)
def test_the_events_of_our_commands_pass_in_every_form(name: str) -> None:
    checker = Checker()
    start, *ends = run_events(form=Form(CONSUMERS[name]))
    for end in ends:
        checker.check_run([start, end], Option("for"))


@pytest.mark.parametrize("name", NAMES)
def test_a_form_mends_all_that_a_form_can_mend(name: str) -> None:
    consumer = CONSUMERS[name]
    before = {finding.change for finding in check_events(consumer, run_events())}
    after = {finding.change for finding in check_events(consumer, run_events(form=Form(consumer)))}
    assert before - {None} == consumer.changes - {Change.DATASETS_LAST}
    assert after <= {None}


@pytest.mark.parametrize("name", NAMES)
def test_a_form_changes_only_what_it_says(name: str) -> None:
    consumer = CONSUMERS[name]
    for line, formed in zip(run_events(), run_events(form=Form(consumer)), strict=True):
        one, other = json.loads(line), json.loads(formed)
        if Change.EMPTY_LISTS in consumer.changes:
            assert other.pop("outputs") == []
            assert other["inputs"] == one["inputs"]
        if Change.PROCESSING_ENGINE in consumer.changes:
            assert other["run"]["facets"].pop("processing_engine")["name"] == "streamt"
            one["run"].setdefault("facets", {})
        if Change.UUID7 in consumer.changes:
            assert UUID(other["run"].pop("runId")).version == 7
            one["run"].pop("runId")
        assert one == other


def test_a_run_keeps_one_id_in_a_form() -> None:
    ids = {json.loads(line)["run"]["runId"] for line in run_events(form=Form(CONSUMERS["data-rentgen"]))}
    assert len(ids) == 1


CASES: dict[str, tuple[str, list[bytes], Verdict | None, str]] = {
    "Marquez, descriptions": (
        "marquez",
        [dataset_event(documentation={"description": "x"}), job_event()],
        Verdict.LOSES,
        "description",
    ),
    "Marquez, datasets last": (
        "marquez",
        [job_event(), dataset_event(documentation={"description": "x"})],
        None,
        "description",
    ),
    "Marquez, described again": (
        "marquez",
        [
            dataset_event(documentation={"description": "x"}),
            job_event(),
            dataset_event(documentation={"description": "x"}),
        ],
        None,
        "description",
    ),
    "Marquez, IPv6": (
        "marquez",
        [job_event(outputs=[{"namespace": "kafka://[::1]:9092", "name": "t"}])],
        Verdict.REFUSES,
        "IPv6",
    ),
    "Marquez, a topic": ("marquez", [dataset_event(datasetType={})], Verdict.LOSES, "shown as a table"),
    "Marquez, no datasets": (
        "marquez",
        run_events(CommandRun(V4, Identity("j", "n"), "TEST")),
        Verdict.LOSES,
        "the job's arrows",
    ),
    "OpenMetadata, datasets": ("openmetadata", [dataset_event()], Verdict.REFUSES, "knows runs only"),
    "OpenMetadata, START": ("openmetadata", run_events()[:1], Verdict.IGNORES, "every event but COMPLETE"),
    "OpenMetadata, one side": ("openmetadata", run_events()[1:2], Verdict.IGNORES, "without inputs or without outputs"),
    "OpenMetadata's Kafka source, keys": (
        "openmetadata-kafka",
        run_events(),
        Verdict.REFUSES,
        "`inputs` and `outputs`",
    ),
    "OpenMetadata's Kafka source, FAIL": ("openmetadata-kafka", run_events(), Verdict.IGNORES, "FAIL and ABORT"),
    "DataHub, engine": ("datahub", run_events(), Verdict.REFUSES, "processing_engine"),
    "DataHub, jobs": ("datahub", [job_event()], Verdict.REFUSES, "knows runs only"),
    "Gravitino, datasets": ("gravitino", [dataset_event()], Verdict.IGNORES, "drops it without a word"),
    "Gravitino, jobs": ("gravitino", [job_event()], None, ""),
    "Data.Rentgen, ids": ("data-rentgen", run_events(), Verdict.REFUSES, "version 7"),
    "Google, length": (
        "google",
        [run_events()[0].replace(b"orders.v1", b"x" * 5_000_001)],
        Verdict.REFUSES,
        "more than 5 MB",
    ),
    "Google, names": (
        "google",
        [run_events()[0].replace(b"orders.v1", b"x" * 4000)],
        Verdict.REFUSES,
        "4,000 characters",
    ),
    "Google, links": (
        "google",
        [
            job_event(
                run={"runId": str(V4)},
                inputs=[{"namespace": "n", "name": "x"}] * 40,
                outputs=[{"namespace": "n", "name": "y"}] * 26,
            )
        ],
        Verdict.REFUSES,
        "1,000 links",
    ),
    "AWS, length": ("aws", [run_events()[0].replace(b"orders.v1", b"x" * 300_001)], Verdict.REFUSES, "300,000 bytes"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_rule_speaks_where_it_applies(case: str) -> None:
    name, lines, verdict, words = CASES[case]
    found = said(name, lines)
    if verdict is None:
        assert words == "" or not any(words in text for texts in found.values() for text in texts)
    else:
        assert any(words in text for text in found[verdict])


def test_datasets_go_last_where_that_keeps_what_they_say() -> None:
    lines = [dataset_event(documentation={"description": "x"}), job_event()]
    assert in_order(CONSUMERS["marquez"], lines, 1) == (lines[1], lines[0])
    assert said("marquez", list(in_order(CONSUMERS["marquez"], lines, 1))) == {}
    assert in_order(CONSUMERS["gravitino"], lines, 1) == tuple(lines)


def test_a_finding_says_how_many_and_what_to_do() -> None:
    consumer = CONSUMERS["data-rentgen"]
    (finding,) = check_events(consumer, run_events())
    assert finding.text(consumer) == "Data.Rentgen 0.7.2 refuses a run id that is not a UUID of version 7 (4 events)"
    assert finding.advice(consumer) == "give --for data-rentgen"


def test_checking_changes_nothing() -> None:
    lines = run_events()
    copies: list[Mapping[str, Any]] = [json.loads(line) for line in lines]
    for consumer in CONSUMERS.values():
        check_events(consumer, lines)
    assert [json.loads(line) for line in lines] == copies
