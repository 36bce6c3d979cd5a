"""Every "is an error" of the language, as a small change of a project that is right, with its exact place."""

import re
from collections.abc import Callable

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamt.diagnostics import Code, PlacedDiagnostic, resolve
from streamt.project import Project
from streamt.project.language import Document, Model, Source, language_schema
from streamt.project.messages import KAFKA_NAME_RULE
from streamt.yaml import read_yaml

Find = Callable[..., tuple[PlacedDiagnostic, ...]]
Load = Callable[..., Project]

HEAD = "apiVersion: streamt.dev/v1alpha1\nproject: {name: shop}\n"


def source(text: str) -> str:
    return f"{HEAD}sources:\n  - name: s\n    topic: t\n    {text}\n"


def model(text: str) -> str:
    return f"{HEAD}models:\n  - name: m\n    {text}\n"


def test_of(text: str) -> str:
    return f"{HEAD}models: [{{name: m}}]\ntests:\n  - name: t\n    {text}\n"


test_of.__test__ = False  # type: ignore[attr-defined]  # a builder, and no test


BAD = [
    # the root file, line, column, location, message, hint (None: not compared)
    ("project: {}", 1, 10, "/project/name", "missing key `name`", "add `name:` - The project's name."),
    ("project: {name: ' '}", 1, 17, "/project/name", "`name` must not be blank", None),
    ("a: 1\nproject: {name: x}", 1, 1, "/a", "unknown key `a`", None),
    (HEAD + "modles: []", 3, 1, "/modles", "unknown key `modles`", "did you mean `models`?"),
    (
        "apiVersion: v2\nproject: {name: x}",
        1,
        13,
        "/apiVersion",
        "`apiVersion` must be one of `streamt.dev/v1alpha1`, not `v2`",
        None,
    ),
    (
        "project: {name: x, version: 1.10}",
        1,
        29,
        "/project/version",
        "`version` must be a string, not a number",
        'quote it: "1.10"',
    ),
    (
        "project: {name: true}",
        1,
        17,
        "/project/name",
        "`name` must be a string, not a boolean",
        'quote it: "true"',
    ),
    ("project: {name: [x]}", 1, 17, "/project/name", "`name` must be a string, not a list", None),
    (
        "project:",
        1,
        1,
        "/project",
        "`project` must be a mapping, but is empty",
        "write a value, or remove the key",
    ),
    (HEAD + "models: {a: 1}", 3, 9, "/models", "`models` must be a list, not a mapping", None),
    (HEAD + "models: [x]", 3, 10, "/models/0", "this entry must be a mapping, not a string", None),
    (HEAD + "runtime: {kafka: {}}", 3, 18, "/runtime/kafka/bootstrap_servers", "missing key `bootstrap_servers`", None),
    (
        HEAD + "runtime: {kafka: {bootstrap_servers: []}}",
        3,
        38,
        "/runtime/kafka/bootstrap_servers",
        "`bootstrap_servers` must not be empty",
        None,
    ),
    (
        HEAD + "runtime: {kafka: {bootstrap_servers: 9092}}",
        3,
        38,
        "/runtime/kafka/bootstrap_servers",
        "`bootstrap_servers` must be a string or a list of strings, not a number",
        'quote it: "9092"',
    ),
    (
        HEAD + "runtime: {kafka: {bootstrap_servers: b:1, security_protocol: ssl}}",
        3,
        62,
        "/runtime/kafka/security_protocol",
        "`security_protocol` must be one of `PLAINTEXT`, `SSL`, `SASL_PLAINTEXT`, `SASL_SSL`, not `ssl`",
        "did you mean `SSL`?",
    ),
    (
        HEAD + "runtime: {flink: {clusters: {a: {type: yarn}}}}",
        3,
        40,
        "/runtime/flink/clusters/a/type",
        "`type` must be one of `rest`, `confluent`, `kubernetes`, `docker`, not `yarn`",
        None,
    ),
    (
        HEAD + "defaults: {topic: {partitions: 0}}",
        3,
        32,
        "/defaults/topic/partitions",
        "`partitions` must be 1 or more",
        None,
    ),
    (
        HEAD + "defaults: {topic: {partitions: '3'}}",
        3,
        32,
        "/defaults/topic/partitions",
        "`partitions` must be an integer, not a string",
        None,
    ),
    (
        HEAD + "defaults: {topic: {partitions: 1.5}}",
        3,
        32,
        "/defaults/topic/partitions",
        "`partitions` must be an integer, not a fraction",
        None,
    ),
    (
        HEAD + "defaults: {topic: {partitions: true}}",
        3,
        32,
        "/defaults/topic/partitions",
        "`partitions` must be an integer, not a boolean",
        None,
    ),
    (
        HEAD + "rules: {topics: {naming_pattern: '(a'}}",
        3,
        34,
        "/rules/topics/naming_pattern",
        "invalid regular expression: unclosed group",
        None,
    ),
    (
        HEAD + "rules: {topics: {naming_pattern: 'a)|(b'}}",
        3,
        34,
        "/rules/topics/naming_pattern",
        "invalid regular expression: unopened group",
        None,
    ),
    (
        HEAD + "rules: {security: {pii_column_patterns: [ok, '(?=a)']}}",
        3,
        46,
        "/rules/security/pii_column_patterns/1",
        None,
        None,
    ),
    (
        source("description: 1"),
        6,
        18,
        "/sources/0/description",
        "`description` must be a string, not a number",
        'quote it: "1"',
    ),
    (source("columns: [{name: ' '}]"), 6, 22, "/sources/0/columns/0/name", "`name` must not be blank", None),
    (source("columns: [{type: INT}]"), 6, 15, "/sources/0/columns/0/name", "missing key `name`", None),
    (
        source("columns: [{name: a, typ: INT}]"),
        6,
        25,
        "/sources/0/columns/0/typ",
        "unknown key `typ`",
        "did you mean `type`?",
    ),
    (
        source("columns: [{name: a, nullable: yes}]"),
        6,
        35,
        "/sources/0/columns/0/nullable",
        "`nullable` must be `true` or `false`, not a string",
        None,
    ),
    (
        source("columns: [{name: a, nullable: 1}]"),
        6,
        35,
        "/sources/0/columns/0/nullable",
        "`nullable` must be `true` or `false`, not a number",
        None,
    ),
    (
        source("columns: [{name: a, classification: secret}]"),
        6,
        41,
        "/sources/0/columns/0/classification",
        None,
        None,
    ),
    (
        source("event_time: {column: a}\n    advanced: {event_time: {column: b}}"),
        7,
        29,
        "/sources/0/advanced/event_time/column",
        "`column` is set differently in `event_time` and in `advanced.event_time`",
        "keep one of them",
    ),
    (
        HEAD + "sources: [{name: s}]",
        3,
        11,
        "/sources/0/topic",
        "missing key `topic`",
        "add `topic:` - The Kafka topic's name.",
    ),
    (
        HEAD + "sources: [{name: s, topic: a b}]",
        3,
        28,
        "/sources/0/topic",
        f"`topic` must be a Kafka topic name: {KAFKA_NAME_RULE}",
        None,
    ),
    (
        HEAD + "sources: [{name: s, topic: ..}]",
        3,
        28,
        "/sources/0/topic",
        f"`topic` must be a Kafka topic name: {KAFKA_NAME_RULE}",
        None,
    ),
    (
        HEAD + "sources: [{name: s, topic: " + "a" * 250 + "}]",
        3,
        28,
        "/sources/0/topic",
        f"`topic` must be a Kafka topic name: {KAFKA_NAME_RULE}",
        None,
    ),
    (
        HEAD + "sources: [{name: x, topic: t}]\nmodels: [{name: x}]",
        4,
        17,
        "/models/0/name",
        "duplicate name `x`; first defined at stream_project.yml:3:18",
        "rename one of them; sources and models share one namespace",
    ),
    (
        model("materialized: view"),
        5,
        19,
        "/models/0/materialized",
        "`materialized` must be one of `topic`, `virtual_topic`, `flink`, `sink`, not `view`",
        None,
    ),
    (model("sql: ''"), 5, 10, "/models/0/sql", "`sql` must not be blank", None),
    (model("sql:"), 5, 5, "/models/0/sql", "`sql` must be a string, but is empty", None),
    (model("sql: a\n    macro: b"), 6, 5, "/models/0/macro", "`sql` and `macro` exclude each other", None),
    (model("macro: a\n    from: b"), 6, 5, "/models/0/from", "`macro` and `from` exclude each other", None),
    (
        model("materialized: flink\n    sql: a\n    from: b"),
        7,
        5,
        "/models/0/from",
        "`sql` and `from` exclude each other",
        None,
    ),
    (
        model("materialized: flink"),
        4,
        5,
        "/models/0",
        "a `flink` model needs an input",
        "add `sql`, `sql_file`, `macro` or `from`",
    ),
    (model("from: []"), 5, 11, "/models/0/from", "`from` must not be empty", None),
    (
        model("from: {ref: a}"),
        5,
        11,
        "/models/0/from",
        "`from` must be a name, or a list of `ref: NAME` and `source: NAME`, not a mapping",
        None,
    ),
    (
        model("from: [{ref: a, source: b}]"),
        5,
        12,
        "/models/0/from/0",
        "`ref` and `source` in one reference",
        None,
    ),
    (model("from: [{}]"), 5, 12, "/models/0/from/0", "empty reference", None),
    (model("params: {a: 1}"), 5, 5, "/models/0/params", "`params` without `macro`", None),
    (model("contract:"), 5, 5, "/models/0/contract", "`contract` must be a mapping, but is empty", None),
    (
        model("topic: {name: a}\n    advanced: {topic: {name: a}}"),
        6,
        24,
        "/models/0/advanced/topic/name",
        "`name` is set in `topic` and in `advanced.topic`",
        "keep one of them",
    ),
    (
        model("topic: {name: .}"),
        5,
        19,
        "/models/0/topic/name",
        f"`name` must be a Kafka topic name: {KAFKA_NAME_RULE}",
        None,
    ),
    (model("topic: {partitions: -1}"), 5, 25, "/models/0/topic/partitions", "`partitions` must be 1 or more", None),
    (
        model("topic: {config: {a: [1]}}"),
        5,
        25,
        "/models/0/topic/config/a",
        "`a` must be a string, a number or a boolean, not a list",
        None,
    ),
    (
        model("gateway: {virtual_topic: a b}"),
        5,
        30,
        "/models/0/gateway/virtual_topic",
        f"`virtual_topic` must be a Kafka topic name: {KAFKA_NAME_RULE}",
        None,
    ),
    (
        model("gateway: {virtual_topic: 5}"),
        5,
        30,
        "/models/0/gateway/virtual_topic",
        "`virtual_topic` must be a name, `true`, or a mapping, not a number",
        None,
    ),
    (
        model("gateway: {virtual_topic: a}\n    advanced: {gateway: {virtual_topic: a}}"),
        6,
        26,
        "/models/0/advanced/gateway/virtual_topic",
        "`virtual_topic` is set in `gateway` and in `advanced.gateway`",
        None,
    ),
    (
        model("from: a\n    sink: {connector: x}\n    connector: {type: y}"),
        7,
        5,
        "/models/0/connector",
        "`sink` and `connector` are two names of one key",
        None,
    ),
    (
        model("from: a\n    sink: {connector: x, type: y}"),
        6,
        26,
        "/models/0/sink/type",
        "`connector` and `type` are two names of one key",
        None,
    ),
    (model("from: a\n    connector: {config: {}}"), 6, 16, "/models/0/connector", "missing key `type`", None),
    (model("from: a\n    sink: {connector: x, config: {a: null}}"), 6, 35, "/models/0/sink/config/a", None, None),
    (model("ownership: {mode: me}"), 5, 23, "/models/0/ownership/mode", None, None),
    (
        model("security: {policies: [{mask: {column: a, method: md5}}]}"),
        5,
        54,
        "/models/0/security/policies/0/mask/method",
        None,
        None,
    ),
    (
        test_of("type: sample"),
        5,
        5,
        "/tests/0",
        "a test needs either `model` or `source`",
        None,
    ),
    (
        HEAD
        + "sources: [{name: s, topic: t}]\nmodels: [{name: m}]\ntests: [{name: t, type: sample, model: m, source: s}]",
        5,
        43,
        "/tests/0/source",
        "a test needs either `model` or `source`, not both",
        None,
    ),
    (test_of("type: sample\n    model: n"), 7, 12, "/tests/0/model", "unknown model `n`", None),
    (test_of("type: sample\n    source: m"), 7, 13, "/tests/0/source", "unknown source `m`", "`m` is a model"),
    (test_of("type: smple\n    model: m"), 6, 11, "/tests/0/type", None, "did you mean `sample`?"),
    (
        test_of("type: sample\n    model: m\n    timeout: 30"),
        8,
        14,
        "/tests/0/timeout",
        "`timeout` must be a duration such as `500ms`, `30s` or `2m`, not a number",
        None,
    ),
    (
        test_of("type: sample\n    model: m\n    timeout: 30 parsecs"),
        8,
        14,
        "/tests/0/timeout",
        "`timeout` must be a duration such as `500ms`, `30s` or `2m`",
        None,
    ),
    (
        test_of("type: sample\n    model: m\n    sample_size: 0"),
        8,
        18,
        "/tests/0/sample_size",
        "`sample_size` must be 1 or more",
        None,
    ),
    (
        test_of("type: sample\n    model: m\n    assertions: [{notnull: {columns: [a]}}]"),
        8,
        19,
        "/tests/0/assertions/0/notnull",
        None,
        "did you mean `not_null`?",
    ),
    (
        test_of("type: sample\n    model: m\n    assertions: [{}]"),
        8,
        18,
        "/tests/0/assertions/0",
        "an assertion must be a mapping with one key, its kind",
        None,
    ),
    (
        test_of("type: sample\n    model: m\n    assertions: [{not_null: {columns: []}}]"),
        8,
        39,
        "/tests/0/assertions/0/not_null/columns",
        "`columns` must not be empty",
        None,
    ),
    (
        test_of("type: sample\n    model: m\n    assertions: [{range: {column: a}}]"),
        8,
        26,
        "/tests/0/assertions/0/range",
        None,
        None,
    ),
    (
        test_of("type: sample\n    model: m\n    assertions: [{range: {column: a, min: .inf}}]"),
        8,
        43,
        "/tests/0/assertions/0/range/min",
        "`min` must be a finite number",
        None,
    ),
    (
        test_of("type: sample\n    model: m\n    assertions: [{foreign_key: {column: a, ref_model: x, ref_key: b}}]"),
        8,
        55,
        "/tests/0/assertions/0/foreign_key/ref_model",
        "unknown model `x`",
        None,
    ),
    (
        HEAD
        + "models: [{name: m}]\ntests:\n  - {name: t, type: schema, model: m}\n  - {name: t, type: schema, model: m}",
        6,
        12,
        "/tests/1/name",
        "duplicate name `t`; first defined at stream_project.yml:5:12",
        None,
    ),
    (
        HEAD + "exposures: [{name: e, type: api, consumes: [{ref: x}]}]",
        3,
        51,
        "/exposures/0/consumes/0/ref",
        "unknown model `x`",
        None,
    ),
    (HEAD + "exposures: [{name: e, type: api}, {name: e, type: api}]", 3, 42, "/exposures/1/name", None, None),
    (HEAD + "deployment_state: {backend: s3}", 3, 29, "/deployment_state/backend", None, None),
]


LIMITS = [
    (model("topic: {partitions: 2147483648}"), "`partitions` must be 2147483647 or less"),
    (model(f"topic: {{partitions: {'9' * 4000}}}"), "`partitions` must be 2147483647 or less"),
    (model("topic: {replication_factor: 32768}"), "`replication_factor` must be 32767 or less"),
    (
        model("sql: x\n    advanced: {flink: {state_ttl_ms: 3155760000001}}"),
        "`state_ttl_ms` must be 3155760000000 or less",
    ),
    (source("freshness: {max_lag_seconds: 3155760001}"), "`max_lag_seconds` must be 3155760000 or less"),
    (test_of("type: sample\n    model: m\n    sample_size: 1000000001"), "`sample_size` must be 1000000000 or less"),
    (
        test_of("type: sample\n    model: m\n    timeout: 36526 days"),
        "`timeout` must be 100 years or less",
    ),
    (
        test_of(f"type: sample\n    model: m\n    timeout: {'9' * 400}s"),
        "`timeout` must be a duration such as `500ms`, `30s` or `2m`",
    ),
    (
        test_of("type: sample\n    model: m\n    assertions: [{unique_key: {key: a, window: 36526d}}]"),
        "`window` must be 100 years or less",
    ),
    (f"project: {{name: {'x' * 1025}}}", "`name` must be 1,024 characters or fewer"),
    (HEAD + f"sources: [{{name: {'x' * 1025}, topic: t}}]", "`name` must be 1,024 characters or fewer"),
    (HEAD + "sources: [{name: 'a\u202eb', topic: t}]", "`name` must not contain the invisible character U+202E"),
    (HEAD + "sources: [{name: '\u2066', topic: t}]", "`name` must not contain the invisible character U+2066"),
    (HEAD + "sources: [{name: '\u200b', topic: t}]", "`name` must not contain the invisible character U+200B"),
    (source("tags: ['a\u200d']"), "this entry must not contain the invisible character U+200D"),
    (source('columns: [{name: "a\\ufeff"}]'), "`name` must not contain the invisible character U+FEFF"),
]


@pytest.mark.parametrize(("text", "message"), LIMITS, ids=[message for _, message in LIMITS])
def test_every_number_and_name_has_a_limit(problems: Find, text: str, message: str) -> None:
    assert [each.message for each in problems({"stream_project.yml": text})] == [message]


@pytest.mark.parametrize(
    "text",
    [
        model("topic: {partitions: 2147483647, replication_factor: 32767}"),
        test_of("type: sample\n    model: m\n    timeout: 36525 days\n    sample_size: 1000000000"),
        HEAD + f"sources: [{{name: {'x' * 1024}, topic: t}}]",
        test_of("type: sample\n    description: what it is for\n    model: m"),
    ],
)
def test_what_keeps_to_the_limits_is_loaded(load: Load, text: str) -> None:
    assert load({"stream_project.yml": text}).document.project.name == "shop"


@pytest.mark.parametrize(("text", "line", "column", "location", "message", "hint"), BAD)
def test_a_wrong_project_is_refused_at_its_place(
    problems: Find, text: str, line: int, column: int, location: str, message: str | None, hint: str | None
) -> None:
    found = problems({"stream_project.yml": text})
    assert len(found) == 1, [str(each) for each in found]
    problem = found[0]
    unknown_name = (message or "").startswith(("unknown model", "unknown source"))
    code = Code.COMPILE_ERROR if unknown_name else Code.PARSE_ERROR
    assert (problem.code, problem.file) == (code, "stream_project.yml")
    assert (problem.line, problem.column, problem.location) == (line, column, location)
    assert message is None or problem.message == message
    assert hint is None or problem.hint == hint


GOOD = [
    source("topic2: x").replace("topic2: x", "tags: [on, no]"),
    f"{HEAD}sources: [{{name: '1 / % 😀', topic: no}}]",
    model("description:"),
    model("sql: a\n    from: b"),
    model("materialized: virtual_topic\n    sql: a\n    from: [{ref: b}]"),
    model("contract: {}"),
    model("topic: {name: a}\n    advanced: {topic: {partitions: 3}}"),
    model("gateway: {virtual_topic: true}\n    sql: a"),
    model("from: b\n    connector: {type: jdbc, config: {a: 1, b: true, c: x}}"),
    model("security: {policies: [{mask: {column: a, method: null}}]}"),
    model("key: [a, b]"),
    model("topic: {name: '...'}"),
    test_of(
        "type: sample\n    model: m\n    timeout: 500ms\n    assertions: [{unique_key: {key: a, window: 15 minutes}}]"
    ),
    HEAD + "rules: {topics: {required_config: [retention.ms]}}",
    HEAD + "rules: {topics: {required_config: {retention.ms: 1}}}",
]


@pytest.mark.parametrize("text", GOOD)
def test_a_right_project_is_loaded(load: Load, text: str) -> None:
    assert load({"stream_project.yml": text}).warnings == ()


@pytest.mark.parametrize("text", GOOD)
def test_a_right_project_fits_the_json_schema(text: str) -> None:
    validator = jsonschema.Draft202012Validator(language_schema())
    assert [each.message for each in validator.iter_errors(read_yaml(text.encode(), "f.yml").data)] == []


def test_a_missing_api_version_is_a_warning(load: Load) -> None:
    project = load({"stream_project.yml": "project: {name: x}"})
    warnings = resolve(project.warnings, project.source_map)
    assert [(each.code, each.line) for each in warnings] == [(Code.API_VERSION_MISSING, 1)]


@pytest.mark.parametrize("name", ["confluent.key.schema.validation", "redpanda.remote.read", "retention.ms"])
def test_topic_settings_of_kafka_and_of_vendors_pass(load: Load, name: str) -> None:
    assert load({"stream_project.yml": model(f"topic: {{config: {{{name}: x}}}}")}).warnings == ()


def test_an_unknown_topic_setting_is_a_warning(load: Load) -> None:
    project = load({"stream_project.yml": model("topic: {config: {retention.sm: 1}}")})
    (warning,) = resolve(project.warnings, project.source_map)
    assert (warning.code, warning.line, warning.column) == (Code.TOPIC_CONFIG_UNKNOWN, 5, 22)
    assert warning.hint == "did you mean `retention.ms`?"


def only_model(load: Load, text: str, head: str = "") -> tuple[Document, Model]:
    document = load({"stream_project.yml": model(text) + head}).document
    return document, document.models[0]


def test_topic_settings_take_the_nearest_default(load: Load) -> None:
    defaults = "defaults: {topic: {partitions: 2, replication_factor: 3, config: {a.b: 1, cleanup.policy: delete}},"
    defaults += " models: {topic: {partitions: 4, config: {cleanup.policy: compact}}}}"
    document, found = only_model(load, "advanced: {topic: {name: out, config: {preallocate: true}}}", defaults)
    settings = document.topic_settings(found)
    assert (settings.name, settings.partitions, settings.replication_factor) == ("out", 4, 3)
    assert settings.config == {"a.b": "1", "cleanup.policy": "compact", "preallocate": "true"}


def test_topic_settings_are_1_and_1_where_nothing_is_said(load: Load) -> None:
    document, found = only_model(load, "sql: x")
    settings = document.topic_settings(found)
    assert (settings.name, settings.partitions, settings.replication_factor) == (None, 1, 1)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("gateway: {virtual_topic: v}", "v"),
        ("gateway: {virtual_topic: {name: v}}", "v"),
        ("gateway: {virtual_topic: true}", None),
        ("advanced: {gateway: {virtual_topic: v}}", "v"),
        ("advanced: {virtual_topic: true}", None),
    ],
)
def test_every_form_of_a_virtual_topic_is_known(load: Load, text: str, name: str | None) -> None:
    _, found = only_model(load, text)
    assert found.virtual_topic is not None
    assert found.virtual_topic.name == name


@pytest.mark.parametrize(
    "text", ["sql: x", "gateway: {}", "gateway: {virtual_topic: false}", "advanced: {virtual_topic: false}"]
)
def test_no_virtual_topic_is_none(load: Load, text: str) -> None:
    assert only_model(load, text)[1].virtual_topic is None


def test_inputs_keep_their_kinds_order_and_places(load: Load) -> None:
    inputs = only_model(load, "from: [{source: a}, {ref: b}]")[1].inputs
    assert [tuple(each) for each in inputs] == [
        ("a", "source", ("from", 0, "source")),
        ("b", "ref", ("from", 1, "ref")),
    ]
    assert [tuple(each) for each in only_model(load, "from: a")[1].inputs] == [("a", "any", ("from",))]


@pytest.mark.parametrize(
    ("text", "has_sql"), [("sql: x", True), ("macro: x", True), ("from: x", False), ("key: x", False)]
)
def test_sql_comes_from_the_model_or_from_a_macro(load: Load, text: str, has_sql: bool) -> None:
    found = only_model(load, text)[1]
    assert (found.has_sql, bool(found.inputs)) == (has_sql, text.startswith("from"))


def test_a_model_has_its_event_time_under_advanced(load: Load) -> None:
    found = only_model(load, "advanced: {event_time: {column: at}}")[1].event_time
    assert found is not None
    assert found.column == "at"
    assert only_model(load, "sql: x")[1].event_time is None


@pytest.mark.parametrize("text", ["event_time: {column: a}", "advanced: {event_time: {column: a}}"])
def test_one_place_of_an_event_time_is_enough(load: Load, text: str) -> None:
    merged = load({"stream_project.yml": source(text)}).document.sources[0].effective_event_time
    assert merged is not None
    assert merged.column == "a"


@pytest.mark.parametrize("text", ["sink: {connector: jdbc}", "sink: {type: jdbc}", "connector: {type: jdbc}"])
def test_every_form_of_a_connector_is_one(load: Load, text: str) -> None:
    connector = only_model(load, "from: a\n    " + text)[1].sink_connector
    assert connector is not None
    assert connector.class_or_type == "jdbc"


def test_event_times_are_merged(load: Load) -> None:
    text = source("event_time: {column: a, watermark: {max_out_of_orderness_ms: 5}}")
    text += "    advanced: {event_time: {allowed_lateness_ms: 7, watermark: {strategy: bounded_out_of_orderness}}}\n"
    merged = load({"stream_project.yml": text}).document.sources[0].effective_event_time
    assert merged is not None
    assert merged.watermark is not None
    assert (merged.column, merged.allowed_lateness_ms) == ("a", 7)
    assert (merged.watermark.max_out_of_orderness_ms, merged.watermark.strategy) == (5, "bounded_out_of_orderness")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("columns: [{name: a}]", (["a"], ("columns",))),
        ("columns: [{name: a}]\n    contract: {columns: [{name: b}]}", (["b"], ("contract", "columns"))),
        ("columns: [{name: a}]\n    contract: {}", ([], ("contract", "columns"))),
        ("sql: x", ([], ("columns",))),
    ],
)
def test_a_contract_even_an_empty_one_comes_before_columns(
    load: Load, text: str, expected: tuple[list[str], tuple[str, ...]]
) -> None:
    columns, location = only_model(load, text)[1].selected_columns
    assert ([column.name for column in columns], location) == expected


def test_an_assertion_knows_its_kind(load: Load) -> None:
    text = test_of("type: sample\n    model: m\n    assertions: [{range: {column: a, max: 9007199254740993}}]")
    assertion = load({"stream_project.yml": text}).document.tests[0].assertions[0]
    assert (assertion.kind, assertion.body.column, assertion.body.max) == ("range", "a", 9007199254740993)


def test_sample_sizes_have_defaults(load: Load) -> None:
    text = test_of("type: sample\n    model: m\n  - {name: u, type: sample, model: m, sample_size: 3}")
    document = load({"stream_project.yml": text}).document
    assert [document.sample_size(each) for each in document.tests] == [1000, 3]
    document = load({"stream_project.yml": text + "defaults: {tests: {sample_size: 7}}"}).document
    assert [document.sample_size(each) for each in document.tests] == [7, 3]


@settings(max_examples=80)
@given(st.text(max_size=5))
def test_names_may_be_any_text_that_is_not_blank(name: str) -> None:
    if re.search(r"[^\s\x1c-\x1f]", name):
        assert Source.model_validate({"name": name, "topic": "t"}).name == name
    elif not name.strip("\t\n\r "):
        with pytest.raises(ValueError, match="name"):
            Source.model_validate({"name": name, "topic": "t"})
