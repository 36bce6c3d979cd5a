"""The parent of a run, handed on in variables."""

import json
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt.emitter import Parent, RunRef
from streamt.emitter.context import CONTEXT, PARENT, ROOT, environment_for, read_parent, run_of_text, variables_for

RUN = RunRef("prod", "nightly", UUID("019d39b5-2600-7000-8000-000000000001"))
TOP = RunRef("prod", "all", UUID("019d39b5-2600-7000-8000-000000000002"))


def context(run: RunRef = RUN, root: RunRef | None = TOP, **more: Any) -> str:
    def entry(each: RunRef) -> dict[str, Any]:
        return {"run": {"runId": str(each.run_id)}, "job": {"namespace": each.namespace, "name": each.job}}

    return json.dumps({"parent": entry(run) | ({"root": entry(root)} if root else {}), **more})


def older(run: RunRef) -> str:
    return f"{run.namespace}/{run.job}/{run.run_id}"


def test_the_context_comes_first() -> None:
    environ = {CONTEXT: context(), PARENT: older(TOP), ROOT: older(TOP)}
    assert read_parent(environ) == Parent(RUN, TOP)


def test_unknown_keys_are_passed_over() -> None:
    assert read_parent({CONTEXT: context(job={"x": 1})}) == Parent(RUN, TOP)


def test_the_older_variables_do_where_there_is_no_context() -> None:
    assert read_parent({PARENT: older(RUN), ROOT: older(TOP)}) == Parent(RUN, TOP)


@pytest.mark.parametrize(
    "environ", [{CONTEXT: context(root=None)}, {PARENT: older(RUN)}, {PARENT: older(RUN), ROOT: "canary"}], ids=str
)
def test_without_a_root_the_parent_is_the_root(environ: dict[str, str]) -> None:
    assert read_parent(environ) == Parent(RUN, RUN)


def test_nothing_gives_nothing() -> None:
    assert read_parent({}) is None
    assert read_parent({CONTEXT: "", PARENT: ""}) is None


BAD = [
    "canary",
    "{}",
    "[]",
    "null",
    '{"parent": 3}',
    '{"parent": {"run": {}}}',
    context(RunRef(" ", "j", RUN.run_id)),
    "[" * 70_000,
]


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:20])
def test_a_context_that_names_no_run_is_noted_without_its_value(text: str) -> None:
    notes: list[str] = []
    assert read_parent({CONTEXT: text, PARENT: older(RUN)}, notes.append) == Parent(RUN, RUN)
    assert len(notes) == 1
    assert "canary" not in notes[0]


@pytest.mark.parametrize("text", ["canary", "a/b/c", f"a/b/c/{RUN.run_id}", f"/b/{RUN.run_id}", f"a/{RUN.run_id}"])
def test_a_parent_has_exactly_three_parts(text: str) -> None:
    notes: list[str] = []
    assert read_parent({PARENT: text}, notes.append) is None
    assert run_of_text(text) is None
    assert len(notes) == 1


def test_a_child_gets_all_three_in_place_of_what_was_inherited() -> None:
    inherited = {"PATH": "/bin", CONTEXT: "old", PARENT: "old", ROOT: "old"}
    environ = environment_for(inherited, RUN, TOP)
    assert environ["PATH"] == "/bin"
    assert environ[PARENT] == older(RUN)
    assert environ[ROOT] == older(TOP)
    assert json.loads(environ[CONTEXT]) == json.loads(context())


def test_where_a_name_holds_a_slash_the_older_ones_are_left_out() -> None:
    run = RunRef("airflow://x", "a/b", RUN.run_id)
    environ = environment_for({PARENT: "old", ROOT: "old"}, run, run)
    assert environ.keys() == {CONTEXT}
    assert read_parent(environ) == Parent(run, run)


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(str.strip)
runs = st.builds(RunRef, names, names, st.uuids())


@given(runs, runs)
def test_what_a_child_gets_it_reads_again(run: RunRef, root: RunRef) -> None:
    environ = {name: value for name, value in variables_for(run, root).items() if value is not None}
    assert read_parent(environ) == Parent(run, root)


@given(runs, runs)
def test_the_official_client_reads_what_a_child_gets(run: RunRef, root: RunRef) -> None:
    environ = environment_for({}, run, root)
    if PARENT in environ:
        namespace, job, run_id = environ[PARENT].split("/")
        assert RunRef(namespace, job, UUID(run_id)) == run
