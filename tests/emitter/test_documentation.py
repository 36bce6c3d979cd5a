"""The counters as Prometheus metrics, and the tables of the documentation."""

from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from streamt.emitter.config import read_config
from streamt.emitter.metrics import CountersCollector
from streamt.emitter.told import TOLD
from streamt.emitter.worker import Counters
from streamt.openlineage.consumers import CONSUMERS
from tests.test_docs import Block, blocks, table_after


def test_prometheus_gets_what_became_of_the_events() -> None:
    registry = CollectorRegistry()
    registry.register(CountersCollector(lambda: Counters(told=10, emitted=4, failed=3, dropped=2, queued=1)))
    text = generate_latest(registry).decode()
    for outcome, number in (("emitted", 4), ("failed", 3), ("dropped", 2)):
        assert f'streamt_lineage_events_total{{outcome="{outcome}"}} {number}.0' in text
    assert "streamt_lineage_queue 1.0" in text


def test_the_documentation_has_every_rule_of_every_consumer() -> None:
    listed = [
        (row[0], row[2]) for row in table_after("docs/openlineage-backends.md", "have the form that all of them take")
    ]
    rules = [(name, f"{rule.verdict} {rule.message}") for name, each in CONSUMERS.items() for rule in each.rules]
    assert set(rules) <= set(listed)
    assert len(listed) == len(rules) + sum(each.loses_descriptions for each in CONSUMERS.values())


def test_the_documentation_says_of_every_consumer_what_becomes_of_each_kind_of_event() -> None:
    rows = [*table_after("docs/openlineage-backends.md", "What becomes of each kind of event")]
    assert set(CONSUMERS) <= {row[0] for row in rows}
    knows_runs_only = {
        name for name, each in CONSUMERS.items() if any("it knows runs only" in rule.message for rule in each.rules)
    }
    assert {row[0] for row in rows if row[2].startswith(("refused", "passed over"))} & set(CONSUMERS) == knows_runs_only


def test_the_documentation_has_every_state_of_a_task() -> None:
    states = {
        word
        for row in table_after("docs/emitter.md", "### What a task's states tell")
        for word in row[0].replace(",", "").split()
    }
    assert {state.value for state in TOLD} <= states


@pytest.mark.parametrize(
    "block", [*blocks("docs/emitter.md"), *blocks("docs/emitter-catalogs.md")], ids=lambda block: block.place
)
def test_every_block_of_the_guides_is_a_configuration(block: Block, tmp_path: Path) -> None:
    if block.language != "yaml":
        return
    file = tmp_path / "lineage.yml"
    file.write_text(block.text)
    config = read_config({"STREAMT_LINEAGE_API_KEY": "k"}, file=file)
    assert config.enabled
    assert config.address is not None
