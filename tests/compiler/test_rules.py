"""Each governance rule: what breaks it, and what keeps it."""

import pytest

from streamt.compiler import check_rules, compile_models
from streamt.diagnostics import Code, resolve
from tests.compiler.projects import NOW, project

FLAWLESS = (
    "{name: o, topic: u, description: d, owner: o, schema: {format: json}, freshness: {max_lag_seconds: 1}, "
    "columns: [{name: a, classification: public}]}"
)
# A hundred characters once the names are in it.
SQL = 'SELECT s.a, COUNT(*) AS n FROM {{ source("s") }} AS s JOIN {{ source("o") }} AS o ON s.a = o.a GROUP BY s.a'
SQL += " -- " + "x" * (96 - len(SQL.replace('{{ source("s") }}', "s").replace('{{ source("o") }}', "o")))


def broken(rules: str, model: str = "", rest: str = "", feed: str = f"sql: '{SQL}'") -> list[tuple[str, str]]:
    parts = [f"name: m, {feed}", model]
    if "sql" in feed and "topic: {" not in model:
        parts.append("topic: {name: orders.v1}")
    declared = ", ".join(filter(None, parts))
    yaml = f"rules: {{{rules}}}\nsources: [{{name: s, topic: t}}, {FLAWLESS}]\nmodels:\n  - {{{declared}}}\n"
    loaded = project(yaml + rest)
    found = resolve(check_rules(loaded.document, compile_models(loaded, compiled_at=NOW)), loaded.source_map)
    assert all(each.code == Code.RULE_VIOLATED and each.line for each in found)
    return [(each.location, each.message) for each in found]


TOPIC = "topic: {partitions: 3, replication_factor: 2, config: {retention.ms: 5}}"
TEST = "tests: [{name: t, type: sample, model: m, assertions: [{not_null: {columns: [a]}}]}]"
EXPOSURE = "exposures: [{name: e, type: api}]"

BROKEN = [
    ("topics: {min_partitions: 4}", TOPIC, "", "/models/0", "`partitions` of the topic is 3, below 4"),
    ("topics: {max_partitions: 2}", TOPIC, "", "/models/0", "`partitions` of the topic is 3, above 2"),
    ("topics: {min_replication_factor: 3}", TOPIC, "", "/models/0", "`replication_factor` of the topic is 2, below 3"),
    ("topics: {max_replication_factor: 1}", TOPIC, "", "/models/0", "`replication_factor` of the topic is 2, above 1"),
    (
        "topics: {required_config: [cleanup.policy]}",
        TOPIC,
        "",
        "/models/0",
        "missing topic setting `cleanup.policy`",
    ),
    (
        "topics: {required_config: {retention.ms: 6}}",
        TOPIC,
        "",
        "/models/0",
        "topic setting `retention.ms` is not `6`",
    ),
    ("topics: {naming_pattern: '[a-z]+'}", "", "", "/models/0", "topic name `orders.v1` does not match `[a-z]+`"),
    ("topics: {forbidden_prefixes: [ord]}", "", "", "/models/0", "topic name `orders.v1` begins with `ord`"),
    ("topics: {forbidden_suffixes: [v1]}", "", "", "/models/0", "topic name `orders.v1` ends with `v1`"),
    ("models: {require_description: true}", "description: ' '", "", "/models/0", "missing `description`"),
    ("models: {require_owner: true}", "", "", "/models/0", "missing `owner`"),
    ("models: {require_tests: true}", "", "", "/models/0", "no test of this model"),
    ("models: {min_tests: 2}", "", TEST, "/models/0", "this model has 1 test, fewer than 2"),
    (
        "models: {min_description_length: 5}",
        "description: abc",
        "",
        "/models/0/description",
        "the description has 3 characters, fewer than 5",
    ),
    ("models: {max_dependencies: 1}", "", "", "/models/0", "this model has 2 direct inputs, more than 1"),
    ("models: {max_sql_length: 99}", "", "", "/models/0", "this model has 100 characters of SQL, more than 99"),
    (
        "models: {allowed_materializations: [topic, sink]}",
        "",
        "",
        "/models/0",
        "this model is a `flink`, and only `topic`, `sink` may be",
    ),
    ("models: {required_tags: [pii]}", "tags: [x]", "", "/models/0", "missing tag `pii`"),
    ("models: {allowed_tags: [pii]}", "tags: [pii, x]", "", "/models/0/tags/1", "tag `x` is not one of `pii`"),
    ("sources: {require_description: true}", "", "", "/sources/0", "missing `description`"),
    ("sources: {require_owner: true}", "", "", "/sources/0", "missing `owner`"),
    ("sources: {require_schema: true}", "", "", "/sources/0", "missing `schema`"),
    ("sources: {require_columns: true}", "", "", "/sources/0", "missing `columns`"),
    ("sources: {require_freshness: true}", "", "", "/sources/0", "missing `freshness`"),
    (
        "security: {require_classification: true}",
        "columns: [{name: a}]",
        "",
        "/models/0/columns/0",
        "column `a` has no `classification`",
    ),
    (
        "security: {allowed_classifications: [public]}",
        "contract: {columns: [{name: a, classification: internal}]}",
        "",
        "/models/0/contract/columns/0",
        "classification `internal` is not one of `public`",
    ),
    (
        "security: {sensitive_columns_require_masking: true}",
        "security: {classification: {a: sensitive}}",
        "",
        "/models/0",
        "column `a` is `sensitive`, but no policy masks it",
    ),
    (
        "security: {pii_column_patterns: [mail]}",
        "columns: [{name: E_MAIL, classification: public}]",
        "",
        "/models/0/columns/0",
        "column `E_MAIL` looks personal, but is not classified `sensitive` or higher",
    ),
    ("exposures: {require_description: true}", "", EXPOSURE, "/exposures/0", "missing `description`"),
    ("exposures: {require_owner: true}", "", EXPOSURE, "/exposures/0", "missing `owner`"),
    ("exposures: {require_sla: true}", "", EXPOSURE, "/exposures/0", "missing `sla`"),
    (
        "tests: {require_schema_tests: true}",
        "",
        TEST,
        "/models/0",
        "no test of this model with `type: schema`",
    ),
    ("tests: {min_assertions_per_test: 2}", "", TEST, "/tests/0", "this test has 1 assertions, fewer than 2"),
]


@pytest.mark.parametrize(("rules", "model", "rest", "location", "message"), BROKEN)
def test_a_broken_rule_is_told(rules: str, model: str, rest: str, location: str, message: str) -> None:
    assert broken(rules, model, rest) == [(location, message)]


KEPT = [
    ("topics: {min_partitions: 3, max_partitions: 3, required_config: {retention.ms: 5}}", TOPIC, ""),
    ("topics: {naming_pattern: '[a-z]+\\.v[0-9]', forbidden_prefixes: [x], forbidden_suffixes: [x]}", "", ""),
    (
        "models: {require_description: true, require_owner: true, min_description_length: 1}",
        "description: d, owner: o",
        "",
    ),
    ("models: {require_tests: true, min_tests: 1}", "", TEST),
    ("models: {max_dependencies: 2, max_sql_length: 100, allowed_materializations: [flink]}", "", ""),
    ("models: {required_tags: [a], allowed_tags: [a]}", "tags: [a]", ""),
    ("security: {require_classification: true}", "columns: [{name: a}], security: {classification: {a: public}}", ""),
    (
        "security: {sensitive_columns_require_masking: true}",
        "columns: [{name: a, classification: sensitive}], security: {policies: [{mask: {column: a, method: hash}}]}",
        "",
    ),
    ("security: {pii_column_patterns: [mail]}", "columns: [{name: mail, classification: highly_sensitive}]", ""),
    ("", "", EXPOSURE),
]


@pytest.mark.parametrize(("rules", "model", "rest"), KEPT)
def test_a_kept_rule_is_silent(rules: str, model: str, rest: str) -> None:
    assert broken(rules, model, rest) == []


def test_topic_rules_are_for_models_that_make_a_topic() -> None:
    sink = "from: s, sink: {connector: jdbc}"
    assert broken("topics: {min_partitions: 9, naming_pattern: x}", feed=sink) == []


def test_a_pattern_that_would_hang_others_ends_at_once() -> None:
    name = "a" * 248 + "_"
    assert len(broken("topics: {naming_pattern: '(a+)+(a+)+(a|aa)+'}", f"topic: {{name: {name}}}")) == 1
