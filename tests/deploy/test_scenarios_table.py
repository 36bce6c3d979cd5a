"""The table of what holds the deployment contract names tests that exist, and leaves out nothing."""

import re
from functools import cache
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
TABLE = (FOLDER / "SCENARIOS.md").read_text()
NAMED = re.findall(r"`([\w./]+\.py)::(\w+)`", TABLE)
WANTED = [*range(1, 32), 43, *range(51, 61)]


@cache
def names_in(file: str) -> frozenset[str]:
    return frozenset(re.findall(r"^def (test_\w+)\(", (FOLDER / file).read_text(), re.MULTILINE))


@pytest.mark.parametrize("file", sorted({file for file, _ in NAMED}))
def test_each_named_test_exists(file: str) -> None:
    assert {name for each, name in NAMED if each == file} <= names_in(file)


def test_no_scenario_is_missing() -> None:
    assert [int(each) for each in re.findall(r"^\| (\d+) \|.*::", TABLE, re.MULTILINE)] == WANTED


def test_no_statement_about_events_is_missing() -> None:
    assert [int(each) for each in re.findall(r"^\| L(\d+) \|.*::", TABLE, re.MULTILINE)] == [*range(1, 31)]
