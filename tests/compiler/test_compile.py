import pytest

from streamt.compiler import (
    CompiledColumn,
    Graph,
    Materialization,
    Node,
    NodeKind,
    Output,
    OutputKind,
    ProcessKind,
    compile_models,
)
from streamt.diagnostics import Code, ProjectPath
from tests.compiler.projects import FILE, GATEWAY, NOW, SOURCES, compiled, node, problems, project

RAW = '{{ source("raw") }}'


def model(text: str) -> str:
    return f"{SOURCES}models:\n  - {{name: m, {text}}}\n"


def message(yaml: str, macros: dict[str, str] | None = None) -> str:
    (problem,) = problems(yaml, macros)
    assert problem.code is Code.COMPILE_ERROR
    return problem.message


@pytest.mark.parametrize(
    ("text", "materialization", "output", "process"),
    [
        ("owner: x", "topic", ("topic", "m"), None),
        ("topic: {name: t}", "topic", ("topic", "t"), None),
        ("advanced: {topic: {name: t}}", "topic", ("topic", "t"), None),
        (f"sql: 'SELECT * FROM {RAW}'", "topic", ("topic", "m"), "flink_job"),
        (f"sql: 'SELECT a FROM {RAW}'", "virtual_topic", ("virtual_topic", "m"), "gateway_rule"),
        (f"sql: 'SELECT DISTINCT a FROM {RAW}'", "flink", ("topic", "m"), "flink_job"),
        (f"sql: 'SELECT a FROM {RAW}', materialized: flink, topic: {{name: t}}", "flink", ("topic", "t"), "flink_job"),
        (f"sql: 'SELECT a FROM {RAW}', materialized: topic", "topic", ("topic", "m"), "flink_job"),
        ("from: raw, sink: {connector: jdbc}", "sink", None, "connector"),
        ("from: raw, connector: {type: jdbc}", "sink", None, "connector"),
        ("from: raw, materialized: virtual_topic", "virtual_topic", ("virtual_topic", "m"), "gateway_rule"),
        ("from: raw, materialized: virtual_topic, gateway: {virtual_topic: v}", "virtual_topic",
         ("virtual_topic", "v"), "gateway_rule"),
        (f"sql: 'SELECT a FROM {RAW} WHERE a > 1', gateway: {{virtual_topic: {{name: v}}}}", "virtual_topic",
         ("virtual_topic", "v"), "gateway_rule"),
        (f"sql: 'SELECT * FROM {RAW}', advanced: {{virtual_topic: true}}", "virtual_topic", ("virtual_topic", "m"),
         "gateway_rule"),
        (f"sql: 'SELECT a FROM {RAW}', from: raw", "virtual_topic", ("virtual_topic", "m"), "gateway_rule"),
    ],
)  # fmt: skip
def test_what_a_model_becomes(
    text: str, materialization: str, output: tuple[str, str] | None, process: str | None
) -> None:
    made = node(GATEWAY + model(text), "m")
    assert made.materialization == materialization
    assert made.output == (None if output is None else Output(OutputKind(output[0]), output[1]))
    assert made.process == process


def test_without_a_gateway_an_inferred_virtual_topic_is_flink() -> None:
    made = node(model(f"sql: 'SELECT a FROM {RAW}'"), "m")
    assert (made.materialization, made.process) == (Materialization.FLINK, ProcessKind.FLINK_JOB)


@pytest.mark.parametrize("text", ["materialized: virtual_topic", "gateway: {virtual_topic: true}"])
def test_without_a_gateway_an_explicit_virtual_topic_is_an_error(text: str) -> None:
    wanted = "model `m`: a virtual topic needs a Gateway, and the environment has none"
    assert message(model(f"sql: 'SELECT a FROM {RAW}', {text}")) == wanted


def test_a_node_holds_what_was_declared() -> None:
    yaml = (
        "sources:\n  - {name: raw, topic: raw.v1, owner: me, description: '', columns: [{name: id, type: INT}]}\n"
        "models:\n  - {name: m, owner: '', description: ' d ', columns: [{name: a, description: x}]}\n"
    )
    assert compiled(yaml).nodes == (
        Node(
            kind=NodeKind.SOURCE,
            name="raw",
            location=ProjectPath(("sources", 0)),
            output=Output(OutputKind.TOPIC, "raw.v1"),
            columns=(CompiledColumn("id", "INT"),),
            columns_location=ProjectPath(("sources", 0, "columns")),
            owner="me",
        ),
        Node(
            kind=NodeKind.MODEL,
            name="m",
            location=ProjectPath(("models", 0)),
            materialization=Materialization.TOPIC,
            output=Output(OutputKind.TOPIC, "m"),
            columns=(CompiledColumn("a", None, "x"),),
            columns_location=ProjectPath(("models", 0, "columns")),
            description=" d ",
        ),
    )


@pytest.mark.parametrize(
    ("text", "names", "place"),
    [
        ("columns: [{name: a}]", ["a"], "/models/0/columns"),
        ("columns: [{name: a}, {name: b}], contract: {columns: [{name: b}]}", ["b"], "/models/0/contract/columns"),
        ("columns: [{name: a}], contract: {}", [], "/models/0/contract/columns"),
        ("owner: x", [], "/models/0/columns"),
    ],
)
def test_a_contract_goes_before_columns_even_if_it_is_empty(text: str, names: list[str], place: str) -> None:
    made = node(model(text), "m")
    assert ([column.name for column in made.columns], str(made.columns_location)) == (names, place)


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ('SELECT 1 FROM {{ source("other") }}, {{ source("raw") }}, {{ source("other") }}', ("other", "raw")),
        ('SELECT 1 FROM {{ source("raw") }} -- {{ ref("nowhere") }}', ("raw",)),
        ('SELECT "{{ source("raw") }}".a, {{ ref("nowhere") if false else 1 }} FROM t', ("raw",)),
        ('SELECT 1 FROM t {# {{ ref("nowhere") }} #} /* {{ source("nowhere") }} */', ()),
    ],
)
def test_dependencies_are_what_the_rendered_sql_reads_in_order(sql: str, names: tuple[str, ...]) -> None:
    yaml = f"{SOURCES}models:\n  - name: m\n    sql: |\n      {sql}\n"
    assert node(yaml, "m").dependencies == names


def test_dependencies_of_a_macro_come_from_its_rendered_sql() -> None:
    made = node(
        model("macro: join, params: {tables: [raw, other]}"),
        "m",
        {"join": "SELECT * FROM {% for t in tables %}{{ source(t) }}{{ '' if loop.last else ', ' }}{% endfor %}"},
    )
    assert (made.dependencies, made.materialization) == (("raw", "other"), Materialization.FLINK)


def test_from_takes_a_model_or_else_a_source() -> None:
    yaml = f"{SOURCES}models:\n  - {{name: a}}\n  - {{name: s, from: [{{ref: a}}, {{source: raw}}], sink: {{type: x}}}}"
    assert node(yaml, "s").dependencies == ("a", "raw")


@pytest.mark.parametrize("sql", ["SELECT a b c FROM t", "SELECT FROM FROM"])
def test_sql_that_does_not_parse_is_flink_and_says_so(sql: str) -> None:
    result = compiled(GATEWAY + model(f"sql: '{sql}'"))
    assert result.nodes[-1].materialization is Materialization.FLINK
    assert [(w.code, str(w.location)) for w in result.warnings] == [(Code.SQL_NOT_PARSED, "/models/0/sql")]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("from: raw", "model `m`: a sink needs a connector"),
        ("from: raw, advanced: {virtual_topic: true}", "model `m`: a sink needs a connector"),
        ("sink: {type: x}", "model `m`: a connector needs an input"),
        ("from: raw, materialized: topic", "model `m`: `from` without SQL in a `topic` model"),
        ("from: raw, materialized: flink", "model `m`: `from` without SQL in a `flink` model"),
        ("sql: SELECT 1, materialized: sink, sink: {type: x}",
         "model `m`: a sink cannot run SQL"),
        ("sql: SELECT 1, materialized: flink, sink: {type: x}", "model `m`: a `flink` model has no connector"),
        (f"sql: 'SELECT DISTINCT a FROM {RAW}', from: raw", "model `m`: `from` beside SQL in a `flink` model"),
        ("gateway: {virtual_topic: true}", "model `m`: a virtual topic needs `from` or `sql`"),
        ("sql: SELECT a FROM t, materialized: virtual_topic",
         "model `m`: a virtual topic reads exactly one input, not 0"),
        ("from: [{source: raw}, {source: other}], materialized: virtual_topic",
         "model `m`: a virtual topic reads exactly one input, not 2"),
        ("from: nowhere, sink: {type: x}", "model `m`: unknown source or model `nowhere`"),
        ("from: [{ref: raw}], sink: {type: x}", "model `m`: `raw` is a source, not a model"),
        ("from: m, sink: {type: x}", "circular dependency: `m` -> `m`"),
        ("macro: none", "model `m`: unknown macro `none`"),
        ("sql: '{{ a }} {{ b }}'",
         "model `m`: undefined name `a`"),
        ("sql: INSERT INTO x SELECT 1",
         "model `m`: the SQL does not begin as a query"),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_an_error(text: str, wanted: str) -> None:
    assert message(GATEWAY + model(text)) == wanted


def test_a_virtual_topic_stands_over_a_physical_topic() -> None:
    yaml = GATEWAY + model(f"sql: 'SELECT a FROM {RAW}'") + "  - {name: v, from: m, materialized: virtual_topic}\n"
    assert message(yaml) == "model `v`: a virtual topic cannot read the virtual topic `m`"


def test_nothing_reads_a_sink() -> None:
    yaml = model("from: raw, sink: {type: x}") + "  - {name: b, from: m, sink: {type: x}}\n"
    assert message(yaml) == "model `b`: `m` is a sink, which has no topic to read"


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        ('source("rawe")', "did you mean `raw`?"),
        ('ref("raw")', 'write `{{ source("raw") }}`'),
        ('source("b")', 'write `{{ ref("b") }}`'),
        ('ref("completely else")', "declare it under `sources` or `models`"),
    ],
)
def test_a_wrong_name_comes_with_the_right_one(call: str, hint: str) -> None:
    (problem,) = problems(model(f"sql: 'SELECT * FROM {{{{ {call} }}}}'") + "  - {name: b}\n")
    assert problem.hint == hint


def test_a_cycle_is_said_with_its_whole_path_once() -> None:
    models = "".join(f"  - {{name: {a}, sql: 'SELECT * FROM {{{{ ref(\"{b}\") }}}}'}}\n" for a, b in ("ab", "bc", "ca"))
    assert message(f"models:\n{models}") == "circular dependency: `a` -> `b` -> `c` -> `a`"


def test_every_error_of_every_model_is_reported_in_order() -> None:
    yaml = (
        f"{SOURCES}models:\n  - {{name: a, sql: '{{{{ x }}}}'}}\n  - {{name: 'b b'}}\n"
        '  - {name: c, sql: \'SELECT 1 FROM {{ ref("d") }}, {{ ref("e") }}\'}\n  - {name: d, from: nowhere}\n'
    )
    assert [problem.location for problem in problems(yaml)] == [
        "/models/0/sql",
        "/models/1/name",
        "/models/2/sql",
        "/models/2/sql",
        "/models/3",
        "/models/3/from",
    ]


def test_an_error_in_a_literal_block_has_the_line_of_its_file() -> None:
    yaml = "models:\n  - name: m\n    sql: |\n      SELECT 1\n\n      FROM {{ ref('x') }}\n"
    (problem,) = problems(yaml)
    # Two lines stand before the project's own.
    assert (problem.file, problem.line, problem.column, problem.location) == (FILE, 8, 12, "/models/0/sql")


@pytest.mark.parametrize(
    ("sql", "line"),
    [("SELECT 1\n      FROM {{ ref('x') }}_v2", 7), ("{% if 1 %}\n      SELECT '\n      {% endif %}", 5)],
)
def test_an_error_in_rendered_sql_has_a_line_of_the_template_if_that_is_known(sql: str, line: int) -> None:
    (problem,) = problems(f"models:\n  - name: m\n    sql: |\n      {sql}\n")
    assert problem.line == line


def test_a_name_that_is_glued_to_other_text_is_said() -> None:
    wanted = 'model `m`: `ref("x")` must stand alone as a table name'
    assert message(model("sql: 'SELECT * FROM {{ ref(\"x\") }}_v2'")) == wanted


def test_an_error_in_a_macro_has_the_line_of_the_macro() -> None:
    (problem,) = problems(model("macro: x"), {"x": "SELECT\n  {{ gone }}"})
    assert (problem.file, problem.line, problem.location) == ("macros/x.sql.j2", 2, "/models/0/macro")


@pytest.mark.parametrize("text", ["name: 'a b'", "name: 'a/b', sql: 'SELECT 1', materialized: flink"])
def test_a_model_whose_name_is_no_topic_needs_a_topic_name(text: str) -> None:
    (problem,) = problems(f"models:\n  - {{{text}}}\n")
    assert problem.location == "/models/0/name"
    assert problem.hint is not None
    assert problem.hint.endswith("give the topic a name of its own with `topic.name`")


@pytest.mark.parametrize("text", ["name: 'a b', topic: {name: ok}", "name: '中 🎉', from: raw, sink: {type: x}"])
def test_a_model_may_have_any_name_if_its_topic_does_not(text: str) -> None:
    assert problems(f"{SOURCES}models:\n  - {{{text}}}\n") == ()


def test_topics_that_differ_only_in_dots_and_underscores_are_warned_of() -> None:
    result = compiled(f"{SOURCES}models:\n  - {{name: raw_v1}}\n")
    assert [(w.code, str(w.location)) for w in result.warnings] == [(Code.TOPIC_NAME_COLLISION, "/models/0")]


def test_the_time_of_the_compile_is_kept() -> None:
    assert compiled(SOURCES).compiled_at == NOW


def test_a_compiled_model_has_all_that_is_known_of_it() -> None:
    defaults = "defaults: {topic: {partitions: 3, config: {retention.ms: 5}}, models: {topic: {partitions: 4}}}\n"
    yaml = defaults + model(f"sql: 'SELECT a FROM {RAW} -- x'") + "  - {name: b, materialized: topic}\n"
    made, other = compile_models(project(yaml), compiled_at=NOW).models
    assert made.query is not None
    assert (made.query.length, other.query) == (len("SELECT a FROM raw -- x"), None)
    assert made.query.with_names(lambda reference: f"`{reference.name}`").rstrip() == "SELECT a FROM `raw`"
    assert [(read.name, read.kind, str(read.place)) for read in made.reads] == [("raw", "source", "/models/0/sql")]
    assert (made.explicit, other.explicit) == (False, True)
    assert made.topic is not None
    assert (made.topic.partitions, made.topic.replication_factor, made.topic.config) == (4, 1, {"retention.ms": "5"})


def test_models_that_differ_only_in_what_they_read_and_in_literals_are_parsed_once() -> None:
    yaml = f"{SOURCES}models:\n" + "".join(
        f"  - {{name: m{limit}, sql: 'SELECT a, b FROM {{{{ source(\"{name}\") }}}} WHERE a > {limit}'}}\n"
        for limit, name in ((1, "raw"), (22, "other"))
    )
    one, two = compile_models(project(yaml), compiled_at=NOW).models
    assert one.query is not None
    assert two.query is not None
    assert one.query.facts is two.query.facts


def test_the_graph_of_a_project_follows_its_dependencies() -> None:
    graph = Graph.of(compiled(model(f"sql: 'SELECT * FROM {RAW}'")).nodes)
    assert graph.upstream("m") == {"raw"}
    assert graph.downstream("other") == frozenset()


def test_ten_thousand_models_in_a_chain_compile() -> None:
    models = "".join(
        f"  - {{name: m{i}, materialized: flink, sql: 'SELECT 1 FROM {{{{ ref(\"m{i - 1}\") }}}}'}}\n"
        for i in range(1, 10_000)
    )
    assert len(compiled(f"models:\n  - {{name: m0}}\n{models}").nodes) == 10_000
