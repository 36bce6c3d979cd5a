"""From a line and column of a text to its place in the YAML file that holds the text."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamt.yaml import locate, read_yaml

FILE = """\
literal: |
  SELECT a

    FROM t
kept: |2+
    SELECT
  FROM

# a comment
folded: >
  SELECT a,
    b
  FROM
  t

plain: SELECT a
  FROM t  # a comment
single: 'SELECT ''a''
  FROM t'
double: "SELECT \\"a\\"\\
  \\n FR\\x4fM\\tt"
list: [{sql: SELECT a}]
"""


@pytest.mark.parametrize(
    ("path", "line", "column", "expected"),
    [
        (("literal",), 1, 1, (2, 3)),
        (("literal",), 1, 8, (2, 10)),
        (("literal",), 3, None, (4, 5)),
        (("literal",), 3, 8, (4, 10)),
        (("literal",), 2, None, (2, 11)),
        (("literal",), 99, None, (4, 11)),
        (("kept",), 1, 3, (6, 5)),
        (("kept",), 2, 1, (7, 3)),
        (("folded",), 1, 10, (11, 12)),
        (("folded",), 2, 3, (12, 5)),
        (("folded",), 3, 6, (14, 3)),
        (("plain",), 1, 1, (16, 8)),
        (("plain",), 1, 10, (17, 3)),
        (("single",), 1, 8, (18, 17)),
        (("single",), 1, 12, (19, 3)),
        (("double",), 1, 9, (20, 19)),
        (("double",), 2, 2, (21, 6)),
        (("double",), 2, 4, (21, 8)),
        (("list", 0, "sql"), 1, 8, (22, 21)),
    ],
)
def test_a_place_in_a_text_is_found_in_the_file(
    path: tuple[str | int, ...], line: int, column: int | None, expected: tuple[int, int]
) -> None:
    assert read_yaml(FILE.encode(), "f.yml").diagnostics == ()
    assert locate(FILE.encode(), [path])[path].within(line, column) == expected


@pytest.mark.parametrize("content", [b"a: {b: c}", b"a: ''", b"a: 1", b"", b"a: &x !!str 'y'"])
def test_what_is_not_surely_somewhere_is_nowhere(content: bytes) -> None:
    found = locate(content, [("a",)])[("a",)]
    assert found.within(1, 1) is None or content == b"a: 1"


WORDS = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=("C", "Z")), min_size=1, max_size=6)
LINES = st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=4)


@given(LINES, st.sampled_from(["|", "json"]))
@example(["a", "b"], "|")
def test_every_word_is_found_where_it_stands(lines: list[str], style: str) -> None:
    text = "\n".join(lines)
    written = "|\n" + "".join(f"   {line}\n" for line in lines) if style == "|" else json.dumps(text)
    content = f"sql: {written}\n"
    assert read_yaml(content.encode(), "f.yml").data["sql"].rstrip("\n") == text
    node = locate(content.encode(), [("sql",)])[("sql",)]
    shown = content.split("\n")
    for number, line in enumerate(lines, 1):
        found = node.within(number)
        assert found is not None
        at = shown[found[0] - 1][found[1] - 1 :]
        assert at.startswith((line[0], json.dumps(line[0])[1:-1]))
