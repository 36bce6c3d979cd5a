import pytest

from streamt.compiler.lexer import Glued, read_query
from streamt.compiler.templates import Fault

M = "mark_"


@pytest.mark.parametrize(
    ("sql", "references"),
    [
        ("SELECT * FROM mark_0x", (0,)),
        ("SELECT * FROM `mark_0x`", (0,)),
        ('SELECT * FROM "mark_0x"', (0,)),
        ("SELECT mark_1x.a FROM mark_0x, mark_1x", (1, 0)),
        ("SELECT * FROM db.mark_0x", (0,)),
        ("SELECT 'mark_0x', 'it''s mark_1x' FROM t", ()),
        ("SELECT a -- mark_0x\n/* mark_1x */ FROM t // mark_2x", ()),
        ("SELECT a /* /* mark_0x */ FROM mark_1x", (1,)),
        ("SELECT * FROM t /*+ OPTIONS('a'='*/', 'b'='mark_0x') */ JOIN mark_1x", (1,)),
        ("SELECT '--', mark_0x", (0,)),
        (r"SELECT '\', mark_0x, '\'", (0,)),
        ("SELECT `--`, `'`, mark_0x", (0,)),
        ("SELECT a--mark_0x", ()),
    ],
)
def test_references_are_the_markers_outside_comments_and_strings(sql: str, references: tuple[int, ...]) -> None:
    assert read_query(sql, M).references == references


@pytest.mark.parametrize(
    "sql",
    ["mark_0x_v2", "v2_mark_0x", "`a mark_0x`", "`mark_0x``b`", "mark_0xmark_1x", "1mark_0x", "mark_0x$", "MARK_0X",
     "mark_0xé", "mark_00", '"mark_0x-v2"'],
)  # fmt: skip
def test_a_marker_beside_other_text_is_an_error(sql: str) -> None:
    with pytest.raises(Glued):
        read_query(f"SELECT * FROM {sql}", M)


@pytest.mark.parametrize(
    ("sql", "message", "line"),
    [
        ("", "holds no SQL statement", None),
        (" -- a\n /* b */ ; ;", "holds no SQL statement", None),
        ("SELECT 1; SELECT 2", "holds more than one statement", 1),
        ("SELECT 1;\n;\nSELECT 2;", "holds more than one statement", 3),
        ("INSERT INTO a SELECT 1", "holds an INSERT statement, which is no query", 1),
        ("-- x\ncreate table t (a INT)", "holds a CREATE statement, which is no query", 2),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END;", "holds a statement set", 1),
        ("begin /* */ statement set; INSERT INTO a SELECT 1; END", "holds a statement set", 1),
        ("SELECT\n'a", "has a string (`'`) that does not end", 2),
        ("SELECT `a", "has a name (`` ` ``) that does not end", 1),
        ('SELECT "a', 'has a name (`"`) that does not end', 1),
        ("SELECT 1 /* a", "has a comment (`/*`) that does not end", 1),
        ("SELECT 1 /*+ a", "has a comment (`/*`) that does not end", 1),
    ],
)
def test_what_is_not_one_query_is_an_error(sql: str, message: str, line: int | None) -> None:
    with pytest.raises(Fault) as caught:
        read_query(sql, M)
    assert (caught.value.message, caught.value.line) == (message, line)


@pytest.mark.parametrize("sql", ["SELECT 1", "SELECT 1;", "SELECT 1 ;; -- end", ";SELECT 1", "SELECT ';' AS `;`"])
def test_semicolons_around_one_query_are_fine(sql: str) -> None:
    assert read_query(sql, M).text.strip(" ;").startswith("SELECT")


@pytest.mark.parametrize(
    "word", ["SELECT insert FROM t", "WITH update AS (SELECT 1) SELECT 1", "SELECT 'DROP TABLE t'"]
)
def test_statements_are_told_by_their_first_word_alone(word: str) -> None:
    assert read_query(word, M).text == word


def test_comments_leave_lines_and_columns_where_they_were() -> None:
    assert read_query("a /* b\nc */ d -- e\nf", M).text == "a     \n     d     \nf"


def test_many_openings_of_comments_take_no_longer_than_one_reading() -> None:
    with pytest.raises(Fault):
        read_query("SELECT " + "/*+ '" * 100_000, M)
