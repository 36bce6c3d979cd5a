"""What docs/project-language.md says of the compiler is what it does."""

import json
import re
from pathlib import Path

import pytest

from streamt.compiler.templates import budget, builtins
from streamt.diagnostics import Code
from tests.compiler.projects import GATEWAY, compiled, node, problems

TEXT = (Path(__file__).parents[2] / "docs/project-language.md").read_text(encoding="utf-8")
DECISIONS = re.findall(r"^\| `(.+?)` \| `(topic|virtual_topic|flink)` \| ", TEXT, re.MULTILINE)
SOURCES = "sources:\n  - {name: t, topic: t.v1}\n  - {name: u, topic: u.v1}\n"


def model(body: str, more: str = "", *, gateway: bool = True) -> str:
    return f"{GATEWAY if gateway else ''}{SOURCES}models:\n  - {{name: m, {body}}}\n{more}"


def sql(text: str) -> str:
    return f"sql: {json.dumps(text)}"


PLAIN = sql("SELECT a FROM {{ source('t') }}")
COPY = sql("SELECT * FROM {{ source('t') }}")
DISTINCT = sql("SELECT DISTINCT a FROM {{ source('t') }}")


def test_the_page_has_the_decisions() -> None:
    assert len(DECISIONS) == 23


@pytest.mark.parametrize(("query", "becomes"), DECISIONS)
def test_a_query_becomes_what_the_page_says(query: str, becomes: str) -> None:
    assert node(model(sql(query)), "m").materialization == becomes


def test_a_virtual_topic_is_inferred_only_where_there_is_a_gateway() -> None:
    text = model(sql('SELECT a FROM {{ source("t") }}'), gateway=False)
    assert node(text, "m").materialization == "flink"


def test_sql_is_parsed_whatever_the_model_is() -> None:
    odd = sql('SELECT a FROM {{ source("t") }} WHERE WHERE')
    for body in (odd, f"{odd}, materialized: flink", f"{odd}, materialized: topic"):
        assert [warning.code for warning in compiled(model(body)).warnings] == [Code.SQL_NOT_PARSED]


@pytest.mark.parametrize(
    "body",
    [
        "materialized: sink, from: t",
        f"materialized: sink, sink: {{connector: c}}, {PLAIN}",
        f"sink: {{connector: c}}, {PLAIN}",
        f"from: t, {DISTINCT}",
        f"from: t, {COPY}",
        "materialized: topic, from: t",
        "materialized: flink, from: t",
        f"materialized: topic, sink: {{connector: c}}, {PLAIN}",
        "materialized: virtual_topic, from: [{source: t}, {source: u}]",
        sql('SELECT t.a FROM {{ ref("t") }}'),
        sql('SELECT a FROM {{ source("m") }}'),
        sql("SELECT a FROM {{ ref('m') }}"),
        sql("SELECT {{ none }} FROM {{ source('t') }}"),
        sql("SELECT {{ [1] }} FROM {{ source('t') }}"),
        sql("SELECT {{ {'a': 1} }} FROM {{ source('t') }}"),
        sql("SELECT {{ unknown }} FROM {{ source('t') }}"),
        sql("SELECT {{ 'a' | pprint }} FROM {{ source('t') }}"),
        sql("SELECT 1; SELECT 2"),
        "macro: none_of_that_name",
    ],
)
def test_what_the_page_says_is_refused_is(body: str) -> None:
    assert Code.COMPILE_ERROR in {problem.code for problem in problems(model(body))}


@pytest.mark.parametrize(
    ("body", "more"),
    [
        ("materialized: virtual_topic, from: v", "  - {name: v, materialized: virtual_topic, from: t}\n"),
        (sql("SELECT * FROM {{ ref('s') }}"), "  - {name: s, from: t, sink: {connector: c}}\n"),
        (sql("SELECT * FROM {{ ref('n') }}"), "  - {name: n, sql: \"SELECT * FROM {{ ref('m') }}\"}\n"),
        ("from: t, sink: {connector: c}", "  - {name: a b}\n"),
    ],
)
def test_a_second_model_can_be_what_is_refused(body: str, more: str) -> None:
    assert {problem.code for problem in problems(model(body, more))} == {Code.COMPILE_ERROR}


@pytest.mark.parametrize("name", ["params.x", "x"])
def test_a_parameter_is_reachable_in_two_ways(name: str) -> None:
    text = model("macro: f, params: {x: t}")
    assert node(text, "m", {"f": f"SELECT * FROM {{{{ source({name}) }}}}"}).dependencies


def test_the_page_has_every_filter_and_every_limit() -> None:
    listed = TEXT[TEXT.index("These filters are there") :].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == set(builtins.FILTERS)
    assert f"{budget.STEPS:,} steps and\n{budget.CHARACTERS:,} characters" in TEXT
