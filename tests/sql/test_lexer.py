import pytest

from streamt.sql import SqlError, read_query


@pytest.mark.parametrize(
    ("sql", "message", "line", "column"),
    [
        ("", "no SQL statement", None, None),
        (" -- a\n /* b */ ; ;", "no SQL statement", None, None),
        ("SELECT 1; SELECT 2", "more than one statement", 1, 11),
        ("SELECT 1;\n;\n SELECT 2;", "more than one statement", 3, 2),
        ("INSERT INTO a SELECT 1", "the SQL does not begin as a query", 1, 1),
        ("-- x\ncreate table t (a INT)", "the SQL does not begin as a query", 2, 1),
        ("hello world", "the SQL does not begin as a query", 1, 1),
        ("'SELECT'", "the SQL does not begin as a query", 1, 1),
        ("SELECT a\nFROM t GROUP ((", "unclosed `(`", 2, 15),
        ("SELECT (a[1)", "unexpected `)`", 1, 12),
        ("SELECT a)", "unexpected `)`", 1, 9),
        ("SELECT a\n\x1b FROM t", "control character U+001B", 2, 1),
        ("SELECT '\x00'", "control character U+0000", 1, 9),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END;", "a statement set instead of one query", 1, 1),
        ("begin /* */ statement set; INSERT INTO a SELECT 1; END", "a statement set instead of one query", 1, 1),
        ("SELECT\n'a", "unclosed string (`'`)", 2, 1),
        ("SELECT `a", "unclosed name (`` ` ``)", 1, 8),
        ('SELECT "a', 'unclosed name (`"`)', 1, 8),
        ("SELECT 1 /* a", "unclosed comment (`/*`)", 1, 10),
        ("SELECT 1 /*+ a", "unclosed comment (`/*`)", 1, 10),
    ],
)
def test_what_is_not_one_query_is_an_error(sql: str, message: str, line: int | None, column: int | None) -> None:
    with pytest.raises(SqlError) as caught:
        read_query(sql)
    assert (caught.value.message, caught.value.line, caught.value.column) == (message, line, column)


@pytest.mark.parametrize("sql", ["SELECT 1", "SELECT 1;", "SELECT 1 ;; -- end", ";SELECT 1", "SELECT ';' AS `;`"])
def test_semicolons_around_one_query_are_fine(sql: str) -> None:
    assert read_query(sql).text.strip(" ;").startswith("SELECT")


@pytest.mark.parametrize(
    "word", ["SELECT insert FROM t", "WITH update AS (SELECT 1) SELECT 1", "SELECT 'DROP TABLE t'"]
)
def test_statements_are_told_by_their_first_word_alone(word: str) -> None:
    assert read_query(word).text == word


def test_comments_leave_lines_and_columns_where_they_were() -> None:
    assert read_query("SELECT /* b\nc */ d -- e\nf").text == "SELECT     \n     d     \nf"


def test_many_openings_of_comments_take_no_longer_than_one_reading() -> None:
    with pytest.raises(SqlError):
        read_query("SELECT " + "/*+ '" * 100_000)


@pytest.mark.parametrize(
    ("sql", "hint"),
    [("SELCT a FROM t", "did you mean `SELECT`?"), ("WHIT a AS (SELECT 1) SELECT 1", "did you mean `WITH`?")],
)
def test_a_mistyped_first_word_is_recognised(sql: str, hint: str) -> None:
    with pytest.raises(SqlError) as caught:
        read_query(sql)
    assert caught.value.hint == hint
