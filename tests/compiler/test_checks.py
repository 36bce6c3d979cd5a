"""What compiling refuses or warns of, in every command: no declared key is dropped, no name points to nothing."""

import pytest

from streamt.compiler import Materialization, Output, OutputKind
from streamt.diagnostics import Code, PlacedDiagnostic, resolve
from tests.compiler.projects import FILE, GATEWAY, SOURCES, compiled, node, problems, project

RAW = '{{ source("raw") }}'
COLUMNS = "columns: [{name: a, type: INT}]"
HEAD = f"sources:\n  - {{name: raw, topic: raw.v1, {COLUMNS}}}\n  - {{name: other, topic: other.v1}}\n"


def model(text: str) -> str:
    return f"{HEAD}models:\n  - {{name: m, {text}}}\n"


def only(yaml: str, macros: dict[str, str] | None = None) -> PlacedDiagnostic:
    (problem,) = problems(yaml, macros)
    assert problem.code is Code.COMPILE_ERROR
    return problem


def warnings(yaml: str) -> tuple[PlacedDiagnostic, ...]:
    return resolve(compiled(yaml).warnings, project(yaml).source_map)


# Amendment 1: keys without a meaning

PLAIN = f"sql: 'SELECT a FROM {RAW}'"
VIRTUAL = f"{PLAIN}, materialized: virtual_topic"


@pytest.mark.parametrize(
    ("text", "key", "kind"),
    [
        (f"{VIRTUAL}, topic: {{name: zzz}}", "topic", "virtual_topic"),
        (f"{VIRTUAL}, advanced: {{topic: {{partitions: 3}}}}", "advanced.topic", "virtual_topic"),
        (f"{VIRTUAL}, advanced: {{flink: {{parallelism: 2}}}}", "advanced.flink", "virtual_topic"),
        (f"{VIRTUAL}, advanced: {{flink_cluster: c}}", "advanced.flink_cluster", "virtual_topic"),
        (f"{PLAIN}, materialized: topic, gateway: {{virtual_topic: yyy}}", "gateway.virtual_topic", "topic"),
        (f"{PLAIN}, materialized: flink, advanced: {{gateway: {{virtual_topic: yyy}}}}",
         "advanced.gateway.virtual_topic", "flink"),
        (f"{PLAIN}, materialized: flink, advanced: {{virtual_topic: true}}", "advanced.virtual_topic", "flink"),
        ("from: raw, sink: {connector: x}, topic: {name: xxx}", "topic", "sink"),
        ("from: raw, sink: {connector: x}, gateway: {virtual_topic: v}", "gateway.virtual_topic", "sink"),
        ("from: raw, sink: {connector: x}, advanced: {flink: {}}", "advanced.flink", "sink"),
        ("topic: {name: x}, advanced: {flink: {parallelism: 2}}", "advanced.flink", "topic"),
        (f"{PLAIN}, materialized: flink, advanced: {{connect_cluster: k}}", "advanced.connect_cluster", "flink"),
    ],
)  # fmt: skip
def test_a_key_without_a_meaning_is_an_error_that_names_both(text: str, key: str, kind: str) -> None:
    clusters = "flink: {clusters: {c: {}}}, connect: {clusters: {k: {rest_url: 'http://k'}}}"
    found = only(GATEWAY.replace("conduktor:", f"{clusters}, conduktor:") + model(text))
    assert found.message == f"model `m`: `{key}` has no meaning for a `{kind}` model"
    assert found.location == "/models/0/" + key.replace(".", "/")
    assert found.column


@pytest.mark.parametrize(
    "text",
    [
        f"{PLAIN}, materialized: flink, topic: {{name: t}}, advanced: {{flink: {{parallelism: 2}}}}",
        f"{PLAIN}, materialized: topic, advanced: {{flink: {{parallelism: 2}}}}",
        f"{PLAIN}, materialized: topic, gateway: {{virtual_topic: false}}, advanced: {{virtual_topic: false}}",
    ],
)
def test_a_key_with_a_meaning_is_none(text: str) -> None:
    assert problems(GATEWAY + model(text)) == ()


# Amendment 2: inference looks at all that is declared


@pytest.mark.parametrize(
    ("text", "kind", "topic"),
    [
        (PLAIN, "virtual_topic", "m"),
        (f"{PLAIN}, topic: {{name: x.big, partitions: 12}}", "flink", "x.big"),
        (f"{PLAIN}, topic: {{config: {{retention.ms: 1}}}}", "flink", "m"),
        (f"{PLAIN}, advanced: {{topic: {{replication_factor: 1}}}}", "flink", "m"),
        (f"{PLAIN}, advanced: {{flink: {{parallelism: 4}}}}", "flink", "m"),
        (f"sql: 'SELECT * FROM {RAW}', topic: {{partitions: 3}}", "topic", "m"),
        (f"sql: 'SELECT TRY_CAST(a AS INT) AS a FROM {RAW}'", "flink", "m"),
        ("sql: 'SELECT a FROM raw'", "flink", "m"),
    ],
)
def test_a_declared_topic_or_job_is_never_taken_to_be_virtual(text: str, kind: str, topic: str) -> None:
    made = node(GATEWAY + model(text), "m")
    assert made.output is not None
    assert (made.materialization, made.output.name) == (kind, topic)


def test_what_is_inferred_to_be_virtual_never_reads_a_virtual_topic() -> None:
    yaml = (
        GATEWAY
        + model(PLAIN)
        + "".join(
            f"  - {{name: {name}, sql: 'SELECT a FROM {{{{ ref(\"{below}\") }}}}'}}\n" for name, below in ("nm", "on")
        )
    )
    kinds = {each.name: each.materialization for each in compiled(yaml).nodes if each.materialization}
    assert kinds == {"m": "virtual_topic", "n": "flink", "o": "virtual_topic"}


@pytest.mark.parametrize("text", ["materialized: virtual_topic", "gateway: {virtual_topic: v}"])
@pytest.mark.parametrize("gateway", [GATEWAY, ""])
def test_a_written_virtual_topic_says_what_the_gateway_cannot_do(text: str, gateway: str) -> None:
    found = problems(gateway + model(f"sql: 'SELECT UPPER(a) AS a FROM {RAW}', {text}"))
    assert "model `m`: the Gateway's SQL cannot do the function UPPER in its SELECT" in [each.message for each in found]


@pytest.mark.parametrize(
    "query", [f"SELECT a FROM {RAW} /*+ OPTIONS(k) */", f"SELECT /*+ BROADCAST(x) */ a FROM {RAW}"]
)
def test_a_hint_is_never_dropped_for_a_virtual_topic(query: str) -> None:
    assert node(GATEWAY + model(f"sql: '{query}'"), "m").materialization == "flink"
    found = problems(GATEWAY + model(f"sql: '{query}', materialized: virtual_topic"))
    assert [each.message for each in found] == ["model `m`: the Gateway's SQL cannot do a hint (`/*+ */`)"]


def test_a_comment_is_no_hint() -> None:
    assert node(GATEWAY + model(f"sql: 'SELECT a /* + */ FROM {RAW}'"), "m").materialization == "virtual_topic"


# Amendment 3: a written virtual topic where there is no Gateway


@pytest.mark.parametrize("text", [VIRTUAL, "from: raw, materialized: virtual_topic"])
def test_a_virtual_topic_becomes_a_job_where_the_environment_says_so(text: str) -> None:
    files = {
        "environments/dev.yml": "safety: {virtual_topics_as_flink: true}\n",
        "environments/prod.yml": GATEWAY,
        "environments/bare.yml": "environment: {name: bare}\n",
    }
    yaml = model(f"{text}, gateway: {{virtual_topic: {{name: shown.v1}}}}")
    made = {name: node(yaml, "m", files=files, environment=name) for name in ("dev", "prod")}
    assert made["dev"].materialization is Materialization.FLINK
    assert made["dev"].output == Output(OutputKind.TOPIC, "shown.v1")
    assert made["prod"].output == Output(OutputKind.VIRTUAL_TOPIC, "shown.v1")
    (found,) = problems(yaml, files=files, environment="bare")
    assert found.message == "model `m`: a virtual topic needs a Gateway, and the environment has none"
    assert "virtual_topics_as_flink" in (found.hint or "")


# Amendment 4: SQL is always parsed


@pytest.mark.parametrize("kind", ["", ", materialized: flink", ", materialized: topic"])
def test_sql_that_cannot_be_parsed_has_the_place_where_the_parser_stopped(kind: str) -> None:
    text = "SELECT a FORM raw\n      WHERE a b c"
    yaml = f"{HEAD}models:\n  - name: m\n    sql: |\n      {text}\n    topic: {{name: m{kind and '.v1'}}}\n"
    yaml += f"    {kind.removeprefix(', ')}\n" if kind else ""
    (found,) = warnings(yaml)
    assert (found.code, found.file) == (Code.SQL_NOT_PARSED, FILE)
    assert found.message == "model `m`: SQL that cannot be parsed: an unexpected `raw`"
    line = yaml.splitlines().index("      SELECT a FORM raw") + 3
    assert (found.line, found.column) == (line, 21)


def test_sql_that_cannot_be_parsed_is_never_a_virtual_topic() -> None:
    found = problems(GATEWAY + model("sql: 'SELECT a b c FROM raw', materialized: virtual_topic"))
    wanted = "model `m`: the Gateway cannot run SQL that cannot be parsed: an unexpected `c`"
    assert wanted in [each.message for each in found]


@pytest.mark.parametrize("kind", ["", ", materialized: flink"])
@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("hello world", "the SQL does not begin as a query"),
        ("SELECT a FROM raw GROUP ((", "unclosed `(`"),
        ("SELECT a) FROM raw", "unexpected `)`"),
    ],
)
def test_what_no_grammar_could_read_is_an_error(sql: str, message: str, kind: str) -> None:
    found = only(model(f"sql: '{sql}'{kind}"))
    assert found.message == f"model `m`: {message}"
    assert found.line
    assert found.column


def test_a_control_character_that_a_macro_brings_is_an_error() -> None:
    found = only(model("macro: x"), {"x": f"SELECT a,\n {{{{ '\\x1b' }}}} FROM {RAW}"})
    assert found.message == "model `m`: control character U+001B (line 2 of the rendered SQL)"


# Amendment 5: tables that nobody declared


@pytest.mark.parametrize(
    ("sql", "table", "hint"),
    [
        ("SELECT a FROM raw", "raw", 'write `{{ source("raw") }}`'),
        ("SELECT a FROM raw_orders", "raw_orders", None),
        ("SELECT a FROM rww", "rww", 'did you mean `{{ source("raw") }}`?'),
        ("SELECT a FROM `raw.v1`", "raw.v1", 'write `{{ source("raw") }}`'),
        ("SELECT x.a FROM {{ source(''raw'') }} x JOIN dim y ON x.a = y.a", "dim", None),
        ("SELECT a FROM cat.db.ext", "cat.db.ext", None),
    ],
)
def test_a_table_that_nobody_declared_is_warned_of(sql: str, table: str, hint: str | None) -> None:
    (found,) = warnings(model(f"sql: '{sql}', materialized: flink"))
    assert (found.code, found.message) == (Code.TABLE_NOT_DECLARED, f"model `m`: table `{table}` is not declared")
    assert found.line
    assert found.column
    assert found.hint == (hint or "declare it under `sources`, and read it with `source`; else the lineage lacks it")


def test_the_place_of_a_table_is_that_of_its_name() -> None:
    yaml = f"{HEAD}models:\n  - name: m\n    sql: |\n      SELECT x.a FROM {RAW} x\n      JOIN dim y ON x.a = y.a\n"
    (found,) = warnings(yaml)
    line = yaml.splitlines().index("      JOIN dim y ON x.a = y.a") + 3
    assert (found.line, found.column) == (line, 12)


# Amendment 6: the physical graph


def test_two_sources_with_one_topic_are_an_error() -> None:
    found = only(HEAD + "  - {name: again, topic: raw.v1}\n")
    assert (found.message, found.location) == ("duplicate topic `raw.v1` of source `again`", "/sources/2/topic")
    assert found.hint == "source `raw` has it already; give one of them another name"


@pytest.mark.parametrize(
    ("one", "other", "place"),
    [
        ("topic: {name: same}", "topic: {name: same}", "/models/1/topic/name"),
        ("topic: {name: same}", "advanced: {topic: {name: same}}", "/models/1/advanced/topic/name"),
        ("topic: {name: n}", "owner: x", "/models/1/name"),
        ("topic: {name: raw.v1}", "owner: x", "/models/0/topic/name"),
    ],
)
def test_two_models_or_a_source_with_one_topic_are_an_error(one: str, other: str, place: str) -> None:
    found = only(model(one) + f"  - {{name: n, {other}}}\n")
    assert found.message.startswith("duplicate topic ")
    assert found.location == place


def test_two_virtual_topics_of_one_name_are_an_error() -> None:
    yaml = GATEWAY + model(f"{VIRTUAL}, gateway: {{virtual_topic: v}}")
    found = only(yaml + "  - {name: v, from: raw, materialized: virtual_topic}\n")
    assert found.message == "duplicate virtual topic `v` of model `v`"


@pytest.mark.parametrize(
    "models",
    [
        f"  - {{name: m, sql: 'SELECT a FROM {RAW} WHERE a > 1', topic: {{name: raw.v1}}}}\n",
        (
            f"  - {{name: n, sql: 'SELECT a FROM {RAW}', materialized: flink}}\n"
            "  - {name: m, sql: 'SELECT a FROM {{ ref(\"n\") }}', topic: {name: raw.v1}}\n"
        ),
    ],
)
def test_a_model_that_feeds_itself_by_the_name_of_a_topic_is_an_error(models: str) -> None:
    found = only(f"{HEAD}models:\n{models}")
    assert found.message == "model `m`: its topic `raw.v1` is what it reads"
    assert found.location.endswith("/topic/name")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("columns: [{name: a}, {name: b}, {name: a}]", "/models/0/columns/2/name"),
        ("contract: {columns: [{name: a}, {name: a}]}", "/models/0/contract/columns/1/name"),
        ("ml_outputs: {x: {columns: [{name: a}, {name: a}]}}", "/models/0/ml_outputs/x/columns/1/name"),
    ],
)
def test_a_column_that_is_declared_twice_is_an_error(text: str, place: str) -> None:
    found = only(model(text))
    assert (found.message, found.location) == ("model `m`: duplicate column `a`", place)


@pytest.mark.parametrize(
    ("written", "message", "hint"),
    [
        ("STRNG", "invalid Flink SQL type `STRNG`", "did you mean `STRING`?"),
        ("'DECIMAL(50,2)'", "invalid Flink SQL type `DECIMAL(50,2)`: precision must be 1 to 38", None),
        ("ROW<a>", "invalid Flink SQL type `ROW<a>`", None),
        ("'INTERVAL DAY(3) TO SECOND(6)'", None, None),
    ],
)
def test_a_type_that_flink_lacks_is_an_error(written: str, message: str | None, hint: str | None) -> None:
    found = problems(f"sources:\n  - {{name: s, topic: t, columns: [{{name: a, type: {written}}}]}}\n")
    assert [each.message for each in found] == ([f"source `s`: column `a`: {message}"] if message else [])
    assert all(each.location == "/sources/0/columns/0/type" for each in found)
    if hint:
        assert found[0].hint == hint


@pytest.mark.parametrize(
    ("text", "what", "place"),
    [
        ("key: nope", "`key`", "/key"),
        ("key: [a, nope]", "`key`", "/key/1"),
        ("advanced: {event_time: {column: nope}}", "`event_time`", "/advanced/event_time/column"),
        ("security: {policies: [{mask: {column: nope, method: hash}}]}", "a mask", "/security/policies/0/mask/column"),
        ("security: {classification: {nope: public}}", "`classification`", "/security/classification/nope"),
        ("contract: {columns: [{name: nope}]}", "`contract`", "/contract/columns/0/name"),
    ],
)
def test_a_name_that_is_no_declared_column_is_an_error(text: str, what: str, place: str) -> None:
    found = only(model(f"columns: [{{name: a}}, {{name: nod}}], {text}"))
    assert found.message == f"model `m`: {what} names the unknown column `nope`"
    assert found.location == f"/models/0{place}"
    assert problems(model(text.replace("contract: {columns: [{name: nope}]}", "contract: {}"))) == ()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("event_time: {column: nope}", "/sources/0/event_time/column"),
        ("advanced: {event_time: {column: nope}}", "/sources/0/advanced/event_time/column"),
    ],
)
def test_a_sources_event_time_is_one_of_its_columns(text: str, place: str) -> None:
    found = only(f"sources:\n  - {{name: s, topic: t, {COLUMNS}, {text}}}\n")
    assert (found.message, found.location) == ("source `s`: `event_time` names the unknown column `nope`", place)


@pytest.mark.parametrize(
    ("assertion", "place"),
    [
        ("not_null: {columns: [a, nope]}", "/not_null/columns/1"),
        ("unique_key: {key: nope}", "/unique_key/key"),
        ("unique_key: {key: [nope]}", "/unique_key/key/0"),
        ("accepted_values: {column: nope, values: [1]}", "/accepted_values/column"),
        ("accepted_types: {types: {nope: INT}}", "/accepted_types/types/nope"),
        ("range: {column: nope, min: 1}", "/range/column"),
        ("max_lag: {column: nope, max_seconds: 1}", "/max_lag/column"),
        ("distribution: {column: nope, buckets: [{expected_ratio: 1}]}", "/distribution/column"),
        ("foreign_key: {column: nope, ref_model: raw, ref_key: a}", "/foreign_key/column"),
        ("foreign_key: {column: a, ref_model: raw, ref_key: nope}", "/foreign_key/ref_key"),
    ],
)
def test_a_test_names_declared_columns(assertion: str, place: str) -> None:
    test = f"tests:\n  - {{name: t, type: sample, source: raw, assertions: [{{{assertion}}}]}}\n"
    found = only(HEAD + test)
    assert (found.location, found.message.endswith("names the unknown column `nope`")) == (
        f"/tests/0/assertions/0{place}", True,
    )  # fmt: skip
    without = HEAD.replace(f", {COLUMNS}", "")
    assert problems(without + test) == ()


def test_a_test_may_name_a_field_of_a_column() -> None:
    test = "tests:\n  - {name: t, type: sample, source: raw, assertions: [{not_null: {columns: [a.b]}}]}\n"
    assert problems(HEAD + test) == ()


@pytest.mark.parametrize(("kind", "is_wrong"), [("sample", True), ("continuous", False), ("schema", False)])
def test_a_test_without_an_assertion_is_an_error(kind: str, is_wrong: bool) -> None:
    found = problems(f"{HEAD}tests:\n  - {{name: t, type: {kind}, source: raw}}\n")
    assert [each.message for each in found] == (["test `t`: no assertion"] if is_wrong else [])


RUNTIME = "runtime: {flink: {clusters: {main: {}}}, connect: {clusters: {kc: {rest_url: 'http://k'}}}}\n"
SINK = "from: raw, sink: {connector: x}"


@pytest.mark.parametrize(
    ("yaml", "message", "place"),
    [
        (RUNTIME + model(f"{PLAIN}, advanced: {{flink_cluster: mian}}"), "Flink cluster `mian`",
         "/models/0/advanced/flink_cluster"),
        (RUNTIME + model(f"{SINK}, advanced: {{connect_cluster: nope}}"), "Connect cluster `nope`",
         "/models/0/advanced/connect_cluster"),
        (model(f"{PLAIN}, advanced: {{flink_cluster: main}}"), "Flink cluster `main`",
         "/models/0/advanced/flink_cluster"),
        (f"{RUNTIME}defaults: {{models: {{flink_cluster: nope}}}}\n", "Flink cluster `nope`",
         "/defaults/models/flink_cluster"),
        (f"{RUNTIME}defaults: {{tests: {{flink_cluster: nope}}}}\n", "Flink cluster `nope`",
         "/defaults/tests/flink_cluster"),
        ("runtime: {flink: {default: nope, clusters: {main: {}}}}\n", "Flink cluster `nope`", "/runtime/flink/default"),
        ("runtime: {connect: {default: nope}}\n", "Connect cluster `nope`", "/runtime/connect/default"),
    ],
)  # fmt: skip
def test_a_cluster_that_runtime_does_not_have_is_an_error(yaml: str, message: str, place: str) -> None:
    found = only(yaml)
    assert (found.message, found.location) == (f"unknown {message}", place)


def test_a_macro_that_is_no_template_is_an_error_even_if_nobody_uses_it() -> None:
    found = only(SOURCES, {"x": "SELECT\n{% if %}"})
    assert (found.file, found.line) == ("macros/x.sql.j2", 2)
    assert found.message.startswith("macro `x`: invalid template: ")


# What a variable supplied stays hidden


@pytest.mark.parametrize(
    "macro",
    [
        "SELECT a b {{ x }} FROM t",
        "SELECT a FROM {{ x }}",
        "SELECT a FROM {{ source(x) }}",
        "{{ x }}",
        "SELECT {{ x }}(",
    ],
)
def test_no_message_shows_what_a_macro_made_of_a_variables_value(macro: str) -> None:
    yaml = GATEWAY + model("macro: x, params: {x: '${SECRET}'}")
    found = [*problems(yaml, {"x": macro}, environ={"SECRET": "hunter22"})]
    if not found:
        found = [*resolve(compiled(yaml, {"x": macro}, environ={"SECRET": "hunter22"}).warnings)]
    assert found
    assert all("hunter22" not in f"{each}" for each in found)
