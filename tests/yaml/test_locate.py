"""From a line and column of a text to its place in the YAML file that holds the text."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from streamt.yaml import Layout, Path, locate, read_yaml
from streamt.yaml.reader import Builder

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


LISTS = """models:
  - name: a  # the first
    sql: |
      SELECT 1

      FROM t
  # between them
  -
    name: ü🎈
    columns:
    - name: c
      description: >
        folded
        text
    - {name: d,
       type: INT}
  - &shared
    name: "x\\
      y"
    tags: [a, b]
  - *shared
  - - nested
    - - twice
  - !!str text
  -
exposures:
- one: 1
- two:
    three: 'a

      b'
sources: [{name: s}, {name: t,
  topic: u}]
tests: []
rest: {deep: [{a: 1}, 2]}
"""


@pytest.mark.parametrize(
    "content",
    [
        LISTS,
        LISTS.replace("\n", "\r\n"),
        LISTS.replace("\n", "\r"),
        "\ufeff" + LISTS,
        "---\n" + LISTS + "...\n",
        "a:\n- - 1\n- {b: [2]}",
        "- a\n- - b\n",
        "a: &x\n  - 1\n  - {k: 2}\nb: *x\n",
        "? a\n: - 1\n  - k: 2\n",
    ],
)
def test_an_item_of_a_list_is_located_by_itself_as_in_the_whole_file(content: str) -> None:
    _assert_items_are_where_they_are(content.encode())


VALUES = st.recursive(
    st.none() | st.integers() | st.text("ab ü🎈\n:-#'\"", max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc ", min_size=1), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(st.sampled_from(["a", "b", "c"]), st.lists(VALUES, max_size=4)),
    st.sampled_from([True, False, None]),
    st.booleans(),
)
def test_every_item_is_located_by_itself_as_in_the_whole_file(
    data: dict[str, Any], flow: bool | None, allow_unicode: bool
) -> None:
    written = yaml.safe_dump(data, default_flow_style=flow, allow_unicode=allow_unicode)
    _assert_items_are_where_they_are(written.encode())


def _assert_items_are_where_they_are(content: bytes) -> None:
    reading = read_yaml(content, "f.yml")
    assert reading.diagnostics == ()
    paths = [*_paths(reading.data)]
    paths += [(*path, "missing") for path in paths]
    assert Layout(content, reading.items).locate(paths) == locate(content, paths)


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    if isinstance(value, (dict, list)):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _paths(each, (*path, key))


def test_only_the_items_that_are_asked_for_are_read_again() -> None:
    content = b"models:\n  - name: a\n  - name: b\n"
    items = read_yaml(content, "f.yml").items
    broken = content.replace(b"name: a", b"na{e: a")
    assert Layout(broken, items).locate([("models", 1, "name")])["models", 1, "name"].key == (3, 5)


def test_items_that_cannot_be_read_by_themselves_are_all_found_in_one_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"models: [" + b"{name: a}, " * 50 + b"]\n"
    items = read_yaml(content, "f.yml").items
    readings: list[Builder] = []
    true_read = Builder.read

    def counted(builder: Builder) -> Any:
        readings.append(builder)
        return true_read(builder)

    monkeypatch.setattr(Builder, "read", counted)
    found = Layout(content, items).locate([("models", index, "name") for index in range(50)])
    assert (len(found), len(readings)) == (50, 1)
