"""Reading Flink SQL types; what Flink itself makes of the same texts was asked of a SQL Gateway of Flink 2.2.1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt.sql import FlinkType, InvalidTypeError, known_type, parse_type
from streamt.sql.types import read_type

# What DESCRIBE says of a column that was declared so.
DESCRIBED = {
    "CHAR": "CHAR(1)",
    "CHAR(3)": "CHAR(3)",
    "CHARACTER(3)": "CHAR(3)",
    "VARCHAR": "STRING",
    "VARCHAR(10)": "VARCHAR(10)",
    "VARCHAR(2147483647)": "STRING",
    "CHAR(2147483647)": "CHAR(2147483647)",
    "CHARACTER VARYING(3)": "VARCHAR(3)",
    "char varying(3)": "VARCHAR(3)",
    "string": "STRING",
    "BINARY": "BINARY(1)",
    "BINARY VARYING(3)": "VARBINARY(3)",
    "VARBINARY": "BYTES",
    "BYTES": "BYTES",
    "DECIMAL": "DECIMAL(10, 0)",
    "DECIMAL(10)": "DECIMAL(10, 0)",
    "DEC(4,1)": "DECIMAL(4, 1)",
    "NUMERIC( 4 , 1 )": "DECIMAL(4, 1)",
    "DECIMAL(38,38)": "DECIMAL(38, 38)",
    "INTEGER": "INT",
    "DOUBLE PRECISION": "DOUBLE",
    "TIME": "TIME(0)",
    "TIME WITHOUT TIME ZONE": "TIME(0)",
    "TIMESTAMP": "TIMESTAMP(6)",
    "TIMESTAMP (3)": "TIMESTAMP(3)",
    "TIMESTAMP(3) WITHOUT TIME ZONE": "TIMESTAMP(3)",
    "TIMESTAMP(3) WITH LOCAL TIME ZONE": "TIMESTAMP_LTZ(3)",
    "TIMESTAMP WITH LOCAL TIME ZONE": "TIMESTAMP_LTZ(6)",
    "TIMESTAMP_LTZ": "TIMESTAMP_LTZ(6)",
    "ARRAY<INT NOT NULL>": "ARRAY<INT NOT NULL>",
    "INT ARRAY": "ARRAY<INT>",
    "INT NOT NULL ARRAY NOT NULL": "ARRAY<INT NOT NULL> NOT NULL",
    "INT ARRAY ARRAY": "ARRAY<ARRAY<INT>>",
    "INT MULTISET": "MULTISET<INT>",
    "array < varchar >": "ARRAY<STRING>",
    "MAP<STRING NOT NULL,ARRAY<INT>>": "MAP<STRING NOT NULL, ARRAY<INT>>",
    "ROW(a INT)": "ROW<`a` INT>",
    "ROW<a INT 'c', b STRING NULL>": "ROW<`a` INT, `b` STRING>",
    "ROW<`a ``b` INT>": "ROW<`a ``b` INT>",
    "ROW<`timestamp` INT>": "ROW<`timestamp` INT>",
    "ROW<>": "ROW<>",
    "ROW()": "ROW<>",
    "VARIANT": "VARIANT",
    "INT /* c */": "INT",
    "INT NULL": "INT",
}
# What Flink refuses, takes in silence for another type, or has no such thing.
REFUSED = [
    "", "INTT", "INT INT", "%", "INT NOT", "NOT NULL", "ARRAY", "ARRAY<", "ARRAY<INT", "ARRAY<INT, INT>", "ARRAY(INT)",
    "MAP", "MAP<INT>", "MAP(STRING, INT)", "DECIMAL(,2)", "DECIMAL(50,2)", "DECIMAL(5,6)", "DECIMAL(0,0)", "CHAR(0)",
    "VARCHAR(2147483648)", "VARCHAR(99999999999)", "STRING(3)", "INT(3)", "FLOAT(3)", "BOOLEAN(1)", "TIMESTAMP(10)",
    "TIMESTAMP(3) WITH TIME ZONE", "TIMESTAMP_TZ(3)", "TIME WITH LOCAL TIME ZONE", "DATETIME", "TEXT", "JSON", "UUID",
    "LONG", "BOOL", "REAL", "ROW", "ROW<a>", "ROW<a INT,>", "ROW<INT>", "ROW<a INT, a INT>", "ROW<timestamp INT>",
    'ROW<"a" INT>', "ROW<1a INT>", "ROW<a INT>>", "ROW<a INT COMMENT 'x'>", "STRUCT<a INT>", "`INT`", "mydb.MyType",
    "INTERVAL", "INTERVAL FOO", "INTERVAL DAY TO YEAR", "INTERVAL DAY(7)", "INTERVAL DAY TO SECOND(10)",
    "INTERVAL SECOND(0)", "INTERVAL SECOND(2,3,4)", "INTERVAL DAY TO HOUR(2)", "RAW", "RAW('a')", "RAW('a', b)",
    "STRUCTURED<a INT>", "(INT)", "NULL",
]  # fmt: skip


@pytest.mark.parametrize(("text", "described"), DESCRIBED.items())
def test_a_type_is_written_as_flink_describes_it(text: str, described: str) -> None:
    assert str(parse_type(text)) == described


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_type_of_flink_is_an_error(text: str) -> None:
    with pytest.raises(InvalidTypeError, match="invalid Flink SQL type"):
        parse_type(text)
    assert known_type(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "INTERVAL YEAR", "INTERVAL YEAR(4)", "INTERVAL YEAR(2) TO MONTH", "INTERVAL MONTH", "INTERVAL DAY",
        "INTERVAL DAY(3) TO SECOND(6)", "INTERVAL DAY TO HOUR", "INTERVAL HOUR(2)", "INTERVAL HOUR TO SECOND(3)",
        "INTERVAL SECOND(2, 3)", "INTERVAL WEEK", "INTERVAL QUARTER", "RAW('a.B', 'AQI=')", "STRUCTURED<'a.B', x INT>",
        "STRUCTURED<'a.B'>",
    ],
)  # fmt: skip
def test_intervals_and_types_of_classes_are_types(text: str) -> None:
    assert parse_type(text) == parse_type(text.lower())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("DECIMAL(50,2)", "precision must be 1 to 38"),
        ("DECIMAL(5,6)", "the scale is larger than the precision"),
        ("TIMESTAMP(10)", "precision must be 0 to 9"),
        ("ROW<a INT, a INT>", "duplicate field `a`"),
        ("ROW<timestamp INT>", "the field name `timestamp` is a reserved word"),
        ("INTERVAL DAY TO YEAR", "an interval does not go from DAY to YEAR"),
        ("ARRAY<" * 60 + "INT" + ">" * 60, "nested more than 50 levels deep"),
    ],
)
def test_an_error_says_why(text: str, reason: str) -> None:
    with pytest.raises(InvalidTypeError) as caught:
        parse_type(text)
    assert str(caught.value).endswith(reason)


@pytest.mark.parametrize(
    ("text", "hint"), [("STRNG", "did you mean `STRING`?"), ("INTERVAL DAYS", "did you mean `DAY`?"), ("QQQ", None)]
)
def test_a_mistyped_word_is_recognised(text: str, hint: str | None) -> None:
    with pytest.raises(InvalidTypeError) as caught:
        parse_type(text)
    assert caught.value.hint == hint


def test_a_type_inside_a_text_ends_where_it_ends() -> None:
    sql = "CAST(a AS DECIMAL(10, 2) NOT NULL) FROM t"
    found, end = read_type(sql, sql.index("DECIMAL"))
    assert (str(found), sql[end:]) == ("DECIMAL(10, 2) NOT NULL", ") FROM t")


LEAVES = st.sampled_from(["INT", "STRING", "DECIMAL(10, 2)", "TIMESTAMP(3)", "VARCHAR(7)", "BYTES", "INTERVAL DAY(3)"])
TYPES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        inner.map("ARRAY<{}>".format),
        inner.map("MULTISET<{}>".format),
        inner.filter(lambda text: not text.endswith("NULL")).map("{} NOT NULL".format),
        st.tuples(inner, inner).map(lambda pair: f"MAP<{pair[0]}, {pair[1]}>"),
        st.lists(inner, max_size=3).map(lambda items: f"ROW<{', '.join(f'`f{i}` {t}' for i, t in enumerate(items))}>"),
    ),
    max_leaves=8,
)


@given(TYPES)
def test_a_canonical_type_is_written_as_it_was_read(text: str) -> None:
    assert str(parse_type(text)) == text


@given(st.text(st.sampled_from("ARYMPOW<>(),`' INTO1 \n")) | st.text())
def test_any_text_is_a_type_or_an_error(text: str) -> None:
    try:
        found: FlinkType | None = parse_type(text)
    except InvalidTypeError:
        found = None
    assert known_type(text) == found
