"""What holds for any way to write a model."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from streamt.compiler import Node
from streamt.compiler.compile import draft_model
from streamt.compiler.model import CompileContext, Draft
from streamt.compiler.templates import render
from streamt.diagnostics import ProjectPath
from streamt.project.language import Model
from streamt.sql import ParsedQuery, Shape, read_query
from tests.compiler.projects import GATEWAY, SOURCES, compiled, project
from tests.sql.flink_queries import COPIES, STATEFUL, STATELESS


def facts_of(text: str) -> tuple[Shape, list[str], str | None] | None:
    facts = ParsedQuery(text).facts
    return (facts.shape, [table.name for table in facts.tables], facts.gateway_obstacle) if facts else None


BLANK = st.sampled_from(["", " ", "\n", "\t "])
NAME = st.text(st.characters(blacklist_characters="\"'\\", blacklist_categories=["Cs", "Cc"]), min_size=1)
COMMENT = st.sampled_from([" ", "\n", "/* GROUP BY a */", "-- COUNT(*)\n", "// JOIN `\n", "/*+ OPTIONS('a'='*/') */"])
# Blank-separated words of queries that have no blank inside a string or a name.
WORDS = [
    sql.split(" ") for sql in (*STATEFUL.values(), *COPIES.values(), *STATELESS.values()) if not set(sql) & set("'`/-")
]


@given(BLANK, BLANK, BLANK, BLANK, st.sampled_from(["'", '"']), NAME)
def test_spaces_and_quotes_of_a_call_change_nothing(a: str, b: str, c: str, d: str, quote: str, name: str) -> None:
    rendered = render(f"x {{{{{a}source{b}({c}{quote}{name}{quote}{d}){a}}}}} y")
    assert [(each.kind, each.name) for each in rendered.references] == [("source", name)]


@given(st.sampled_from(WORDS), st.data())
def test_comments_between_words_change_no_shape(words: list[str], data: st.DataObject) -> None:
    text = words[0]
    for word in words[1:]:
        text += f" {data.draw(COMMENT)} {word}"
    assert facts_of(read_query(text).text) == facts_of(" ".join(words))


@given(st.text(st.characters(blacklist_characters="'", blacklist_categories=["Cs", "Cc"])))
def test_the_text_of_a_string_changes_nothing(text: str) -> None:
    query = read_query(f"SELECT a, '{text}' || b FROM t GROUP BY a")
    assert facts_of(query.text) == facts_of("SELECT a, 'x' || b FROM t GROUP BY a")


@given(st.text(st.characters(blacklist_characters="'{", blacklist_categories=["Cs", "Cc"])))
def test_a_reference_in_a_string_is_none(text: str) -> None:
    made = draft(f"""SELECT '{text}{{{{ ref("x") }}}}' FROM {{{{ source("y") }}}}""")
    assert [read.name for read in made.reads] == ["y"]


CONTEXT = CompileContext(project(""), has_gateway=True)


def draft(sql: str) -> Draft:
    return draft_model(Model.model_construct(name="m", sql=sql), ProjectPath(("models", 0)), CONTEXT)


@settings(max_examples=300)
@given(st.text(st.sampled_from("SELECT FROM{}%#'\"`;()*/-+\n$,.ax1é\0 ")) | st.text())
def test_random_sql_is_never_more_than_a_problem(text: str) -> None:
    made = draft(text)
    assert made.diagnostics or made.materialization is not None


@given(st.text(st.sampled_from("{}%# if for in range(9)a'x'|~*+()[]endfor\n")))
def test_a_random_template_is_never_more_than_a_problem(text: str) -> None:
    made = draft("{% set x = 1 %}" + text)
    assert made.diagnostics or made.materialization is not None


MODELS = [
    "{name: a, sql: 'SELECT * FROM {{ source(\"raw\") }}'}",
    "{name: b, sql: 'SELECT x FROM {{ source(\"raw\") }}'}",
    "{name: c, from: b, sink: {type: x}}",
    '{name: d, sql: \'SELECT 1 FROM {{ ref("a") }}, {{ source("other") }}\'}',
    "{name: e, from: raw, materialized: virtual_topic}",
]


def nodes(models: list[str]) -> set[Node]:
    """Compile the models, and give their nodes without their places."""
    yaml = GATEWAY + SOURCES + "models:\n" + "".join(f"  - {model}\n" for model in models)
    return {replace(node, location=ProjectPath(), columns_location=ProjectPath()) for node in compiled(yaml).nodes}


@settings(max_examples=20)
@given(st.permutations(MODELS))
def test_the_order_of_declarations_changes_no_node(models: list[str]) -> None:
    assert nodes(models) == nodes(MODELS)
