"""Each kind of fault that users and testers found is kept away by a test that is named after it: see `findings.md`."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in (TESTS / "findings.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| [A-EXY]\d* \|", line)
]
FINDINGS = [
    *(f"A{number}" for number in range(1, 7)),
    *(f"B{number}" for number in range(1, 15) if number != 7),  # it asked for what the specification rules out
    *"CDE",
    *(f"X{number}" for number in range(1, 19)),
    *(f"Y{number}" for number in range(1, 15)),
]


def test_every_finding_has_a_row() -> None:
    assert [row[0] for row in ROWS] == FINDINGS


@cache
def names_in(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_tests_of_a_finding_are_there(row: list[str]) -> None:
    named = re.findall(r"`([^`]+)::(test_[^`]+)`", row[2])
    assert named
    assert [name for file, name in named if name not in names_in(file)] == []
