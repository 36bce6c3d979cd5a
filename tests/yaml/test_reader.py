"""YAML, read strictly: values by the 1.2 core schema, and every refusal with its place."""

import json
import math
import tracemalloc

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from streamt.diagnostics import resolve
from streamt.yaml import MAX_DEPTH, locate, read_yaml, resolve_plain


@pytest.fixture(params=["libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read with each of PyYAML's parsers."""
    if request.param == "python":
        monkeypatch.setattr(yaml, "__with_libyaml__", False)


def value(text: str) -> object:
    reading = read_yaml(f"key: {text}\n".encode(), "f.yml")
    assert reading.diagnostics == ()
    return reading.data["key"]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "text",
    [
        "no",
        "NO",
        "yes",
        "on",
        "off",
        "On",
        "y",
        "n",
        "22:22",
        "1_000",
        "2026-11-30",
        "2026-11-30T10:00:00Z",
        "1.2.3",
        "0o8",
        "0xZ",
        "+",
        ".",
        "nULL",
        "tRUE",
        "1e",
        "0b1",
        "~x",
        "=",
        "1,000",
        ".infinity",
        "${X}",
    ],
)
def test_what_yaml_1_1_would_change_stays_text(text: str) -> None:
    assert value(text) == text


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0123", 123),
        ("-0", 0),
        ("+12", 12),
        ("0o17", 15),
        ("0x1F", 31),
        ("1.10", 1.1),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("-1.5E-2", -0.015),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("Null", None),
        ("9007199254740993", 9007199254740993),
    ],
)
def test_core_schema_scalars_are_typed(text: str, expected: object) -> None:
    found = value(text)
    assert (type(found), found) == (type(expected), expected)


def test_not_a_number_is_read() -> None:
    found = value(".nan")
    assert isinstance(found, float)
    assert math.isnan(found)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("text", ["'1'", '"true"', "!!str 1.10", "'null'", "! 12", '"0123"'])
def test_quoted_and_tagged_scalars_are_text(text: str) -> None:
    assert isinstance(value(text), str)


PRINTABLE = st.text(
    st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\ufeff\ufffe\uffff\u2028\u2029"), max_size=40
)


@settings(max_examples=60)
@given(PRINTABLE)
def test_quoted_text_comes_back_as_it_was(text: str) -> None:
    assert value(json.dumps(text, ensure_ascii=False)) == text
    assert value("'" + text.replace("'", "''") + "'") == text


@settings(max_examples=60)
@given(st.integers(-(10**30), 10**30))
def test_integers_come_back_as_they_were(number: int) -> None:
    assert value(str(number)) == number


@settings(max_examples=60)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_come_back_as_they_were(number: float) -> None:
    assert value(repr(number)) == number


BAD = [
    # content, line, column, location, words of the message
    (b"a: 1\na: 2\n", 2, 1, "/a", "duplicate key `a`; first defined at line 1, column 1"),
    (b"x:\n  - b: 1\n    c: 2\n    b: 3\n", 4, 5, "/x/0/b", "duplicate key"),
    ("é: {ü: 1, ü: 2}".encode(), 1, 11, "/é/ü", "duplicate key"),
    (b"a: 1\r\nb: 2\r\na: 3\r\n", 3, 1, "/a", "duplicate key"),
    (b"\xef\xbb\xbfa: 1\na: 2\n", 2, 1, "/a", "duplicate key"),
    (b"1: x\n", 1, 1, "", "key `1` is a number"),
    (b"a:\n  null: x\n", 2, 3, "/a", "key `null` is empty"),
    (b"true: x\n", 1, 1, "", "key `true` is a boolean"),
    (b"a:\n  ?\n  : x\n", 2, 4, "/a", "missing key"),
    (b"? [a]\n: b\n", 1, 3, "", "cannot be a key"),
    (b"a: {{ x }}\n", 1, 5, "/a", "cannot be a key"),
    (b"a: &x [*x]\n", 1, 8, "/a/0", "contains itself"),
    (b"a: &x {b: *x}\n", 1, 11, "/a/b", "contains itself"),
    (b"a: *q\n", 1, 4, "/a", "without an anchor"),
    (b"d: &d {a: 1}\nx:\n  <<: *d\n", 3, 3, "/x/<<", "merge key"),
    (b"a:\n\t- b\n", 2, 1, "/a", "tab used"),
    (b"a:\n\tb: 1\n", 2, 1, "/a", "tab used"),
    (b"\ta: 1", 1, 1, "", "tab used"),
    (b"a: b\n\tc: d\n", 2, 1, "/a", "tab used"),
    (b"a: |\n\tSELECT\n", 2, 1, "/a", "tab used"),
    (b"ab: \xff\n", 1, 5, "", "not UTF-8"),
    (b"a: \xed\xa0\x80\n", 1, 4, "", "not UTF-8"),
    (b"\xff\xfea\x00", 1, 1, "", "not UTF-8"),
    (b"a: 1\n---\nb: 2\n", 2, 1, "", "second YAML document"),
    (b"a: 1\nb: \x00\n", 2, 4, "", "U+0000"),
    (b"a: \x1b[31m\n", 1, 4, "", "U+001B"),
    (b"a: \x7f\n", 1, 4, "", "U+007F"),
    (b"a: x\xc2\x80\n", 1, 5, "", "U+0080 is not allowed"),
    ("a: x\u2028y\n".encode(), 1, 5, "", "U+2028"),
    (b'a: "\\0"\n', 1, 4, "/a", "U+0000"),
    (b'x:\n  a: "\\x07"\n', 2, 6, "/x/a", "U+0007"),
    (b"a: !!python/object:os.system x\n", 1, 4, "/a", "unsupported YAML tag"),
    (b"a: !foo 5\n", 1, 4, "/a", "unsupported YAML tag"),
    (b"a: !!int '3'\n", 1, 4, "/a", "unsupported YAML tag"),
    (b"a: !!set {x}\n", 1, 4, "/a", "unsupported YAML tag"),
    (b"---\n\xef\xbb\xbfa: 1\n", 2, 1, "", "U+FEFF"),
    (b"a: @x\n", 1, 4, "/a", "cannot begin with `@`"),
    (b"a: b: c\n", 1, 5, "/a", "unexpected `:`"),
    (b"a: 'x\n", 2, 1, "/a", "unclosed quote"),
    (b"a: [\n  " + b"9" * 5000 + b"]", 2, 3, "/a/0", "too long"),
    (b"[" * 200, 1, MAX_DEPTH + 2, "/0" * (MAX_DEPTH + 1), "nested more than"),
]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(("content", "line", "column", "location", "words"), BAD)
def test_bad_yaml_is_refused_at_its_place(
    content: bytes,
    line: int,
    column: int,
    location: str,
    words: str,
) -> None:
    problem = resolve(read_yaml(content, "f.yml").diagnostics)[0]
    assert (problem.file, problem.line, problem.column, problem.location) == ("f.yml", line, column, location)
    assert words in problem.message


@pytest.mark.usefixtures("parser")
def test_a_surrogate_pair_is_said_to_be_one_character() -> None:
    (problem,) = resolve(read_yaml(b'a: "\\ud83d\\ude00"\n', "f.yml").diagnostics)
    assert problem.message.startswith("half of a surrogate pair")
    assert "`\\U0001F600`" in (problem.hint or "")


@pytest.mark.usefixtures("parser")
def test_a_lone_surrogate_is_refused() -> None:
    problem = resolve(read_yaml(b'a:\n  "x\\ud800"\n', "f.yml").diagnostics)[0]
    assert (problem.line, problem.location) == (2, "/a")


@pytest.mark.usefixtures("parser")
def test_tabs_between_brackets_are_no_indentation() -> None:
    problem = resolve(read_yaml(b"a: [\n\tb]\n", "f.yml").diagnostics)[0]
    assert (problem.line, problem.message) == (2, "tab used as indentation")


def test_tabs_inside_text_are_text() -> None:
    assert read_yaml(b"a: |\n  x\n  \ty\n", "f.yml").data == {"a": "x\n\ty\n"}


def test_every_problem_of_a_file_is_told_at_once() -> None:
    reading = read_yaml(b"a: 1\na: 2\n1: x\n<<: {}\nb: !x 1\n", "f.yml")
    assert [problem.line for problem in resolve(reading.diagnostics)] == [2, 3, 4, 5]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("content", [b"", b"\n\n", b"# nothing\n", b"---\n", b"\xef\xbb\xbf"])
def test_an_empty_file_holds_nothing(content: bytes) -> None:
    reading = read_yaml(content, "f.yml")
    assert (reading.data, reading.diagnostics) == (None, ())


def test_a_byte_order_mark_is_passed_over() -> None:
    assert read_yaml(b"\xef\xbb\xbfa: 1\n", "f.yml").data == {"a": 1}


def test_aliases_give_what_their_anchors_hold() -> None:
    content = b"a: &x {b: [1, &y two]}\nc: *x\nd: *y\n"
    assert read_yaml(content, "f.yml").data == {"a": {"b": [1, "two"]}, "c": {"b": [1, "two"]}, "d": "two"}


def bomb(width: int, depth: int) -> bytes:
    lines = [b"k0: &a0 [" + b",".join([b"x"] * width) + b"]"]
    lines += [b"k%d: &a%d [%s]" % (n, n, b",".join([b"*a%d" % (n - 1)] * width)) for n in range(1, depth)]
    return b"\n".join(lines)


@pytest.mark.parametrize(
    "content", [bomb(9, 9), bomb(2, 90), b"a: &a " + b"x" * 1_000_000 + b"\nb: [" + b"*a," * 1000 + b"]"]
)
def test_a_bomb_of_aliases_is_refused_in_little_memory(content: bytes) -> None:
    tracemalloc.start()
    problems = read_yaml(content, "f.yml").diagnostics
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [problem.message for problem in problems] == ["aliases stand for more than 100,000 values"]
    assert peak < 50_000_000


def test_aliases_do_not_nest_deeper_than_brackets() -> None:
    lines = [b"k0: &a0 [x]", *(b"k%d: &a%d [*a%d]" % (n, n, n - 1) for n in range(1, 5000))]
    (problem,) = resolve(read_yaml(b"\n".join(lines), "f.yml").diagnostics)
    assert (problem.line, problem.message) == (100, f"nested more than {MAX_DEPTH} levels deep")


def test_deep_nesting_ends_without_recursion_error() -> None:
    for content in (b"[" * 100_000, b"- " * 50_000, b"{a: " * 50_000):
        assert read_yaml(content, "f.yml").diagnostics


def test_a_huge_scalar_is_read_whole() -> None:
    content = b"a: " + b"x" * 5_000_000 + b"\nb: |\n" + b"  line of text\n" * 300_000
    data = read_yaml(content, "f.yml").data
    assert (len(data["a"]), len(data["b"])) == (5_000_000, 13 * 300_000)


FRAGMENTS = st.lists(
    st.sampled_from(
        [
            "a",
            ": ",
            "\n",
            "  ",
            "- ",
            "[",
            "]",
            "{",
            "}",
            ",",
            "&x ",
            "*x ",
            "|",
            ">",
            "'",
            '"',
            "#",
            "!t ",
            "\t",
            "---",
            "? ",
            "\\u0000",
            "\u2028",
            "é",
            "<<",
            "0",
            "%",
            "@",
            "\r",
            "\x00",
            "null",
        ]
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(max_size=40), FRAGMENTS.map(lambda parts: "".join(parts).encode())))
def test_no_bytes_crash_the_reader(content: bytes) -> None:
    for libyaml in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(yaml, "__with_libyaml__", libyaml)
            reading = read_yaml(content, "f.yml")
        assert all(problem.line and problem.column for problem in resolve(reading.diagnostics))


# PyYAML writes YAML 1.1, and leaves the quotes off where only 1.2 sees a number: `0E0`.
WORDS = PRINTABLE.filter(lambda text: isinstance(resolve_plain(text), str))


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | WORDS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
        max_leaves=12,
    )
)
def test_what_another_program_writes_is_read_back(data: object) -> None:
    content = yaml.safe_dump(data, allow_unicode=True).encode()
    reading = read_yaml(content, "f.yml")
    assert (reading.diagnostics, reading.data) == ((), data)


PLACES = b"""\
a: 1
list:
  - name: x
    deep: {k: "v", n: 1.10}
  - *anchor
empty:
text: |
  a: 9
"""


@pytest.mark.parametrize(
    ("path", "key", "value", "raw"),
    [
        ((), (1, 1), (1, 1), None),
        (("a",), (1, 1), (1, 4), "1"),
        (("list",), (2, 1), (3, 3), None),
        (("list", 0), (3, 5), (3, 5), None),
        (("list", 0, "name"), (3, 5), (3, 11), "x"),
        (("list", 0, "deep", "k"), (4, 12), (4, 15), None),
        (("list", 0, "deep", "n"), (4, 20), (4, 23), "1.10"),
        (("list", 0, "deep", "missing"), (4, 5), (4, 11), None),
        (("list", 1, "b"), (5, 5), (5, 5), None),
        (("list", 7), (2, 1), (3, 3), None),
        (("empty",), (6, 1), (6, 1), ""),
        (("text",), (7, 1), (7, 7), None),
        (("nowhere", "at", "all"), (1, 1), (1, 1), None),
    ],
)
def test_paths_are_found_in_the_file(
    path: tuple[str | int, ...], key: tuple[int, int], value: tuple[int, int], raw: str | None
) -> None:
    spot = locate(PLACES, [path, ("a",)])[path]
    assert (spot.key, spot.value, spot.raw) == (key, value, raw)


def test_in_an_empty_file_everything_is_at_its_beginning() -> None:
    assert locate(b"", [("a", 0)])[("a", 0)].value == (1, 1)
