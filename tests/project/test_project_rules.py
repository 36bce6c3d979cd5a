"""Each governance rule: what breaks it, and what keeps it."""

from collections.abc import Callable

import pytest

from streamt.diagnostics import Code, resolve
from streamt.project import Project
from streamt.project.rules import ModelFacts, check_rules

Load = Callable[..., Project]
HEAD = "apiVersion: streamt.dev/v1alpha1\nproject: {name: shop}\n"
FACTS = ModelFacts(materialization="flink", dependencies=2, sql_length=100, topic="orders.v1")


def broken(load: Load, rules: str, model: str = "", rest: str = "", facts: ModelFacts = FACTS) -> list[tuple[str, str]]:
    text = f"{HEAD}rules: {{{rules}}}\nmodels:\n  - {{name: m, sql: x, {model}}}\n{rest}\n"
    project = load({"stream_project.yml": text})
    found = resolve(check_rules(project, {"m": facts}), project.source_map)
    assert all(each.code == Code.RULE_VIOLATED and each.line for each in found)
    return [(each.location, each.message) for each in found]


TOPIC = "topic: {partitions: 3, replication_factor: 2, config: {retention.ms: 5}}"
TEST = "tests: [{name: t, type: sample, model: m}]"
SOURCE = "sources: [{name: s, topic: t}]"
EXPOSURE = "exposures: [{name: e, type: api}]"

BROKEN = [
    ("topics: {min_partitions: 4}", TOPIC, "", "/models/0", "the topic's partitions is 3, below 4"),
    ("topics: {max_partitions: 2}", TOPIC, "", "/models/0", "the topic's partitions is 3, above 2"),
    ("topics: {min_replication_factor: 3}", TOPIC, "", "/models/0", "the topic's replication factor is 2, below 3"),
    ("topics: {max_replication_factor: 1}", TOPIC, "", "/models/0", "the topic's replication factor is 2, above 1"),
    (
        "topics: {required_config: [cleanup.policy]}",
        TOPIC,
        "",
        "/models/0",
        "the topic setting `cleanup.policy` is missing",
    ),
    (
        "topics: {required_config: {retention.ms: 6}}",
        TOPIC,
        "",
        "/models/0",
        "the topic setting `retention.ms` is not `6`",
    ),
    ("topics: {naming_pattern: '[a-z]+'}", "", "", "/models/0", "the topic's name `orders.v1` does not match `[a-z]+`"),
    ("topics: {forbidden_prefixes: [ord]}", "", "", "/models/0", "the topic's name `orders.v1` begins with `ord`"),
    ("topics: {forbidden_suffixes: [v1]}", "", "", "/models/0", "the topic's name `orders.v1` ends with `v1`"),
    ("models: {require_description: true}", "description: ' '", "", "/models/0", "there is no `description`"),
    ("models: {require_owner: true}", "", "", "/models/0", "there is no `owner`"),
    ("models: {require_tests: true}", "", "", "/models/0", "there is no test of this model"),
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
    ("models: {required_tags: [pii]}", "tags: [x]", "", "/models/0", "the tag `pii` is missing"),
    ("models: {allowed_tags: [pii]}", "tags: [pii, x]", "", "/models/0/tags/1", "the tag `x` is none of `pii`"),
    ("sources: {require_description: true}", "", SOURCE, "/sources/0", "there is no `description`"),
    ("sources: {require_owner: true}", "", SOURCE, "/sources/0", "there is no `owner`"),
    ("sources: {require_schema: true}", "", SOURCE, "/sources/0", "there is no `schema`"),
    ("sources: {require_columns: true}", "", SOURCE, "/sources/0", "there is no `columns`"),
    ("sources: {require_freshness: true}", "", SOURCE, "/sources/0", "there is no `freshness`"),
    (
        "security: {require_classification: true}",
        "columns: [{name: a}]",
        "",
        "/models/0/columns/0",
        "the column `a` has no `classification`",
    ),
    (
        "security: {allowed_classifications: [public]}",
        "contract: {columns: [{name: a, classification: internal}]}",
        "",
        "/models/0/contract/columns/0",
        "the classification `internal` is none of `public`",
    ),
    (
        "security: {sensitive_columns_require_masking: true}",
        "security: {classification: {a: sensitive}}",
        "",
        "/models/0",
        "the column `a` is `sensitive`, and no policy masks it",
    ),
    (
        "security: {pii_column_patterns: [mail]}",
        "columns: [{name: E_MAIL, classification: public}]",
        "",
        "/models/0/columns/0",
        "the column `E_MAIL` looks personal, and is not classified `sensitive` or higher",
    ),
    ("exposures: {require_description: true}", "", EXPOSURE, "/exposures/0", "there is no `description`"),
    ("exposures: {require_owner: true}", "", EXPOSURE, "/exposures/0", "there is no `owner`"),
    ("exposures: {require_sla: true}", "", EXPOSURE, "/exposures/0", "there is no `sla`"),
    (
        "tests: {require_schema_tests: true}",
        "",
        TEST,
        "/models/0",
        "there is no test of this model with `type: schema`",
    ),
    ("tests: {min_assertions_per_test: 1}", "", TEST, "/tests/0", "this test has 0 assertions, fewer than 1"),
]


@pytest.mark.parametrize(("rules", "model", "rest", "location", "message"), BROKEN)
def test_a_broken_rule_is_told(load: Load, rules: str, model: str, rest: str, location: str, message: str) -> None:
    assert broken(load, rules, model, rest) == [(location, message)]


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
    ("", "", SOURCE + "\n" + EXPOSURE),
]


@pytest.mark.parametrize(("rules", "model", "rest"), KEPT)
def test_a_kept_rule_is_silent(load: Load, rules: str, model: str, rest: str) -> None:
    assert broken(load, rules, model, rest) == []


def test_topic_rules_are_for_models_that_make_a_topic(load: Load) -> None:
    sink = ModelFacts(materialization="sink", dependencies=1, sql_length=0, topic=None)
    assert broken(load, "topics: {min_partitions: 9, naming_pattern: x}", facts=sink) == []


def test_a_pattern_that_would_hang_others_ends_at_once(load: Load) -> None:
    long = ModelFacts(materialization="flink", dependencies=0, sql_length=0, topic="a" * 248 + "!")
    assert len(broken(load, "topics: {naming_pattern: '(a+)+(a+)+(a|aa)+'}", facts=long)) == 1
