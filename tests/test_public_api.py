"""`import streamt` has a small face, costs next to nothing, and does what the command line does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import streamt
from tests.update_golden import EXAMPLES

FACE = {
    "Code",
    "CompiledProject",
    "Diagnostic",
    "Export",
    "Project",
    "StreamtError",
    "TestResult",
    "__version__",
    "compile",
    "export",
    "load",
    "run_tests",
}


def test_the_face_is_pinned() -> None:
    assert set(streamt.__all__) == FACE
    assert all(getattr(streamt, name) is not None for name in FACE)
    assert dir(streamt) == streamt.__all__


def test_the_stub_has_the_same_face() -> None:
    stub = Path(streamt.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    assert {*re.findall(r"import (\w+) as \1", stub), "__version__"} == FACE


def test_an_import_loads_nothing_else() -> None:
    code = "import sys, streamt; print(sorted(name for name in sys.modules if name.startswith('streamt')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['streamt']\n"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'lod'"):
        streamt.lod  # type: ignore[attr-defined]  # noqa: B018


def test_a_project_goes_all_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1796054400")
    project = streamt.load(EXAMPLES / "iot")
    compiled = streamt.compile(project)
    export = streamt.export(project, job_namespace="plant-7")
    assert export.datasets == sum(node.output is not None for node in compiled.nodes)
    results = streamt.run_tests(project, type="schema")
    assert [result.status for result in results] == ["passed"] * len(results)


def test_what_is_wrong_says_where(tmp_path: Path) -> None:
    (tmp_path / "stream_project.yml").write_text(
        "project: {name: x}\nmodels:\n  - {name: m, from: [{ref: n}], sink: {type: x}}\n"
    )
    with pytest.raises(streamt.StreamtError) as caught:
        streamt.compile(streamt.load(tmp_path, environ={}), environ={})
    assert "stream_project.yml:3:" in str(caught.value)
    with pytest.raises(streamt.StreamtError) as unknown:
        streamt.run_tests(streamt.load(EXAMPLES / "iot"), name="nope")
    assert unknown.value.diagnostics[-1].code is streamt.Code.USAGE_ERROR
