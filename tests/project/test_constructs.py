"""What another streamt says differently is refused with what to write here, and the page says the same."""

from collections.abc import Callable
from pathlib import Path

import pytest

from streamt.diagnostics import PlacedDiagnostic
from streamt.project.constructs import CONSTRUCTS, Construct

Find = Callable[..., tuple[PlacedDiagnostic, ...]]
PAGE = Path(__file__).parents[2] / "docs" / "coming-from-another-streamt.md"
HEAD = "apiVersion: streamt.dev/v1alpha1\nproject: {name: shop}\n"


def project(construct: Construct) -> str:
    """Write the construct where it belongs, in a project that is right but for it."""
    in_source = construct.where[0] in ("sources", "*")
    source, model = ("", construct.written) if not in_source else (construct.written, "")
    is_test = construct.where[0] == "tests"
    text = f"{HEAD}sources:\n  - name: s\n    topic: t\n    {source}\nmodels:\n  - name: m\n    from: s\n"
    text += f"    {'' if is_test else model}\n" if "sink" in model or "connector" in model else "    sink: {type: x}\n"
    if not is_test:
        return text if "sink" in model or "connector" in model else f"{text}    {model}\n"
    in_assertion = "assertions" in construct.where
    written = f"assertions: [{{{construct.written}}}]" if in_assertion else construct.written
    return f"{text}tests:\n  - name: t\n    model: m\n    type: sample\n    {written}\n"


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda each: each.written)
def test_each_construct_is_one_error_that_says_what_to_write(problems: Find, construct: Construct) -> None:
    (problem,) = problems({"stream_project.yml": project(construct)})
    assert problem.hint == construct.hint, problem


def test_the_page_shows_each_construct() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = [f"| `{each.written}` | {each.hint} |" for each in CONSTRUCTS]
    assert text.split("| --- | --- |\n")[1].split("\n\n")[0].splitlines() == rows
