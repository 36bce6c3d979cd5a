"""Which of a template's references its query reads."""

import pytest

from streamt.compiler.templates import GluedError, Reference, references_of, render, with_names
from streamt.sql import Query, read_query

CALLS = ["{{ ref('a') }}", "{{ source('b') }}", "{{ ref('c') }}"]


def read(sql: str) -> list[str]:
    """Render `sql`, in which @0, @1 and @2 stand for calls, and return the names that its query reads."""
    for number, call in enumerate(CALLS):
        sql = sql.replace(f"@{number}", call)
    rendered = render(sql)
    return [reference.name for reference in references_of(read_query(rendered.sql), rendered)]


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT * FROM @0", "a"),
        ("SELECT * FROM `@0`", "a"),
        ('SELECT * FROM "@0"', "a"),
        ("SELECT @1.a FROM @0, @1", "ba"),
        ("SELECT * FROM db.@0", "a"),
        ("SELECT '@0', 'it''s @1' FROM t", ""),
        ("SELECT a -- @0\n/* @1 */ FROM t // @2", ""),
        ("SELECT a /* /* @0 */ FROM @1", "b"),
        ("SELECT * FROM t /*+ OPTIONS('a'='*/', 'b'='@0') */ JOIN @1", "b"),
        ("SELECT '--', @0", "a"),
        (r"SELECT '\', @0, '\'", "a"),
        ("SELECT `--`, `'`, @0", "a"),
        ("SELECT a--@0", ""),
    ],
)
def test_references_are_what_stands_outside_comments_and_strings(sql: str, names: str) -> None:
    assert read(sql) == list(names)


@pytest.mark.parametrize(
    "sql", ["@0_v2", "v2_@0", "`a @0`", "`@0``b`", "@0@1", "1@0", "@0$", "@0é", '"@0-v2"', "streamt_reference_7x @0"]
)
def test_a_reference_beside_other_text_is_an_error(sql: str) -> None:
    with pytest.raises(GluedError, match="must stand alone as a table name"):
        read(f"SELECT * FROM {sql}")


def test_a_query_is_written_with_other_names() -> None:
    rendered = render("SELECT '{{ ref(\"o'x\") }}' FROM {{ ref(\"o'x\") }} JOIN `{{ source('b') }}` ON 1 = 1")

    def backticks(reference: Reference) -> str:
        return f"`{reference.name}`"

    query: Query = read_query(rendered.sql)
    assert with_names(query.text, rendered, backticks) == "SELECT 'o''x' FROM `o'x` JOIN `b` ON 1 = 1"


@pytest.mark.parametrize(
    ("template", "line", "column", "place"),
    [
        ("SELECT {{ ref('a') }} x", 1, 29, (1, 23)),
        ("SELECT\n{{ ref('a') }},\n{{ ref('b') }} x", 3, 22, (3, 16)),
        ("SELECT {{ ref('a') }} x", 1, 10, (1, 8)),
        ("SELECT x", 1, None, (1, None)),
        ("{% if true %}SELECT x{% endif %}", 1, 3, (1, None)),
        ("{% if true %}\nSELECT x{% endif %}", 1, 3, None),
    ],
)
def test_a_place_in_the_sql_is_a_place_in_a_template_where_that_is_known(
    template: str, line: int, column: int | None, place: tuple[int, int | None] | None
) -> None:
    assert render(template).place(line, column) == place
