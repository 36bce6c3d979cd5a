"""Every example of docs/tests.md is run: on the records that stand beside it, on a real broker."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from streamt.project.language import Assertion
from streamt.testing.results import Status
from tests.e2e.broker import Broker
from tests.e2e.program import project_text, run_one

TEXT = (Path(__file__).parents[2] / "docs" / "tests.md").read_text(encoding="utf-8")
ORDERS, CUSTOMERS = re.findall(r"^```json\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
EXAMPLES: list[dict[str, Any]] = [
    test
    for block in re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    for test in yaml.safe_load(block)["tests"]
]
SAMPLES = [test for test in EXAMPLES if test["type"] == "sample"]


def test_every_kind_of_assertion_has_an_example() -> None:
    shown = {kind for test in SAMPLES for assertion in test["assertions"] for kind in assertion}
    assert shown == set(Assertion.model_fields)
    headings = set(re.findall(r"^### (\w+)$", TEXT, re.MULTILINE))
    assert shown <= headings


@pytest.fixture(scope="module")
def topics(broker: Broker) -> dict[str, str]:
    lines = {"orders": ORDERS.splitlines(), "customers": CUSTOMERS.splitlines()}
    assert all(json.loads(line) for name in lines for line in lines[name])
    return {name: broker.topic_of([line.encode() for line in each], 2) for name, each in lines.items()}


@pytest.mark.parametrize("test", SAMPLES, ids=lambda test: test["name"])
def test_an_example_passes_on_the_records_beside_it(
    broker: Broker, topics: dict[str, str], tmp_path: Path, test: dict[str, Any]
) -> None:
    listed = "\n".join(f"  {line}" for line in yaml.safe_dump([test]).splitlines())
    result = run_one(tmp_path, project_text(broker.address, topics, listed))
    assert (result.status, result.counts.records) == (Status.PASSED, 4), result
