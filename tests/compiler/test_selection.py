"""`--select`: names, tags, and what lies upstream or downstream."""

import pytest

from streamt.compiler import Graph, select
from streamt.diagnostics import Code, StreamtError

GRAPH = Graph.from_inputs({"raw": [], "other": [], "clean": ["raw"], "daily": ["clean"], "report": ["daily", "other"]})
TAGS = {"clean": ("core",), "daily": ("core", "slow"), "report": ("slow",)}


@pytest.mark.parametrize(
    ("selectors", "names"),
    [
        ([], "raw other clean daily report"),
        (["clean"], "clean"),
        (["clean", "other"], "clean other"),
        (["+daily"], "raw clean daily"),
        (["daily+"], "daily report"),
        (["+clean+"], "raw clean daily report"),
        (["tag:core"], "clean daily"),
        (["+tag:core"], "raw clean daily"),
        (["tag:slow+", "raw"], "daily report raw"),
    ],
)
def test_selectors_add_up(selectors: list[str], names: str) -> None:
    assert select(selectors, GRAPH, TAGS) == frozenset(names.split())


def test_a_name_that_is_spelled_exactly_so_wins() -> None:
    graph = Graph.from_inputs({"a": [], "+a": [], "a+": ["a"], "tag:x": []})
    for name in graph.inputs:
        assert select([name], graph, {"a": ("x",)}) == {name}
    assert select(["+a+"], graph, {}) == {"a", "a+"}


@pytest.mark.parametrize(
    ("selector", "message", "hint"),
    [
        ("+claen", "unknown name `claen`", "did you mean `clean`?"),
        ("tag:cor+", "unknown tag `cor`", "did you mean `core`?"),
        ("tag:", "unknown tag ``", "select by name"),
        ("+", "unknown name ``", "select by name"),
        ("", "unknown name ``", "select by name"),
        ("clean daily", "unknown name `clean daily`", ""),
    ],
)
def test_each_unknown_name_or_tag_is_an_error_with_a_hint(selector: str, message: str, hint: str) -> None:
    with pytest.raises(StreamtError) as caught:
        select([selector, "raw", "nothing at all"], GRAPH, TAGS)
    first, second = caught.value.diagnostics
    assert (first.code, first.message, str(first.location)) == (Code.USAGE_ERROR, message, "select")
    assert (first.hint or "").startswith(hint)
    assert second.message == "unknown name `nothing at all`"
