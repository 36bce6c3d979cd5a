"""A mapper's wrong field, type, key or entity is an error of mypy; the right mapper passes.

Each case is a file under `cases/`. The line after `# E: TEXT` must have an error that holds TEXT, and no other line may
have one.
"""

import re
from pathlib import Path

import pytest
from mypy import api

ROOT = Path(__file__).resolve().parents[2]
CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[int, str]]:
    """Run mypy once, as the project configures it, and give its errors by file and line."""
    cache = tmp_path_factory.mktemp("mypy")
    options = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(cache), "--no-error-summary"]
    output, errors, _ = api.run([*options, "--hide-error-context", *map(str, CASES)])
    assert errors == ""
    found: dict[str, dict[int, str]] = {}
    for path, line, message in re.findall(r"(?m)^(.+?):(\d+): error: (.*)$", output):
        lines = found.setdefault(Path(path).name, {})
        lines[int(line)] = lines.get(int(line), "") + message
    return found


def expected(case: Path) -> dict[int, str]:
    lines = enumerate(case.read_text(encoding="utf-8").splitlines(), 1)
    return {number + 1: line.split("# E: ")[1] for number, line in lines if "# E: " in line}


def test_there_are_right_and_wrong_mappers() -> None:
    assert [case.stem for case in CASES if not expected(case)] == ["right"]
    assert len(CASES) > 5


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_mypy_judges_a_mapper(case: Path, reported: dict[str, dict[int, str]]) -> None:
    wanted = expected(case)
    found = reported.get(case.name, {})
    assert found.keys() == wanted.keys(), found
    for line, text in wanted.items():
        assert text in found[line]
