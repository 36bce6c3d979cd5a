"""What a variable supplied is in no message, whatever is wrong with a project and whichever command finds it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.canaries.conftest import Zygote
from tests.cli.program import Ended

# `$V` becomes a variable of its own, with a value of its own, in each place.
SECRETS = """
runtime:
  kafka: {bootstrap_servers: $V, sasl_username: $V, sasl_password: $V, ssl_ca_location: $V}
  schema_registry: {url: "http://$V", username: $V, password: $V}
  flink: {default: $V, clusters: {f: {rest_url: "http://$V", api_key: $V, api_secret: $V}}}
  connect: {clusters: {c: {rest_url: "http://$V", username: $V, password: $V}}}
  conduktor:
    gateway: {admin_url: $V, proxy_bootstrap: $V, username: $V, password: $V}
    console: {url: $V, api_key: $V}
deployment_state: {backend: postgres, url: $V}
"""
RULES = """
rules:
  topics: {naming_pattern: "x", forbidden_prefixes: [$V, zq], min_partitions: 9, required_config: {retention.ms: $V}}
  models: {require_owner: true, required_tags: [$V], allowed_tags: [$V], max_sql_length: 1, min_tests: 5}
  security: {require_classification: true, pii_column_patterns: [zq]}
  sources: {require_owner: true}
"""
SOURCES = """
sources:
  - {name: $V, topic: $V, description: $V, tags: [$V], columns: [{name: $V, type: $V}, {name: b, type: STRING}]}
  - {name: s, topic: t.v1, columns: [{name: a, type: INT}]}
"""
MODELS = """
models:
  - name: $V
    sql: 'SELECT a FROM {{ source("s") }}'
    tags: [$V]
    columns: [{name: $V}]
    contract: {columns: [{name: $V, type: INT}]}
  - {name: reads_nothing, from: $V, sink: {connector: $V, config: {k: $V}}}
  - {name: circle_a, sql: 'SELECT * FROM {{ ref("circle_b") }}'}
  - {name: circle_b, sql: 'SELECT * FROM {{ ref("circle_a") }}'}
  - {name: by_macro, macro: m, params: {x: $V, y: [$V]}}
  - {name: bad_macro, macro: n, params: {x: $V}}
  - {name: no_macro, macro: $V}
  - {name: two_topics, topic: {name: t.v1}, sql: 'SELECT * FROM {{ source("s") }}'}
  - {name: clustered, advanced: {flink_cluster: $V}, key: $V, sql: 'SELECT COUNT(*) FROM {{ source("s") }}'}
  - {name: masked, sql: 'SELECT COUNT(*) FROM raw', security: {policies: [{mask: {column: $V, method: hash}}]}}
  - {name: physical, topic: {name: $V, config: {$K: 1}}, sql: 'SELECT COUNT(*) FROM {{ source("s") }}'}
"""
TESTS = """
tests:
  - {name: $V, source: s, type: schema, assertions: [{not_null: {columns: [$V]}}, {range: {column: $V, min: 1}}]}
  - {name: types, source: s, type: schema, assertions: [{accepted_types: {types: {a: $V}}}]}
  - {name: keys, source: s, type: sample, assertions: [{unique_key: {key: $V}}]}
  - {name: jobs, source: s, type: continuous, flink_cluster: $V}
exposures:
  - {name: $V, type: api, consumes: [{ref: $V}, {source: $V}]}
"""
MACROS = {
    "m.sql.j2": "SELECT {{ x }} FROM {{ ref(x) }} WHERE {{ y[0] }} (",
    "n.sql.j2": "SELECT {{ x.nope }} {{ undefined_name }} FROM t",
}
WRONG_KINDS = (
    "models: [{name: a, materialized: $V, topic: {partitions: $V}}]\ntests: [{name: t, type: $V, timeout: $V}]\n"
)
PROJECTS = {
    "wrong kinds": WRONG_KINDS + SECRETS,
    "unknown names": SOURCES + TESTS,
    "does not compile": SECRETS + SOURCES + MODELS,
    "breaks rules": SECRETS
    + RULES
    + SOURCES.replace("type: $V", "type: INT")
    + MODELS.split("  - {name: reads_nothing")[0],
    "exports badly": SOURCES.replace("topic: $V", "topic: t.v1").replace("type: $V", "type: INT"),
    "fails its tests": SECRETS
    + SOURCES.replace("type: $V", "type: INT")
    + TESTS.split("exposures:")[0].replace(
        "- {name: types, source: s, type: schema, assertions: [{accepted_types: {types: {a: $V}}}]}",
        "- {name: u, source: s, type: schema}",
    ),
}
NAMESPACES = ["--job-namespace", "j", "--kafka-namespace", "kafka://b:1", "--gateway-namespace", "kafka://g:1"]
COMMANDS = [
    ["validate", "--strict"],
    ["list"],
    ["lineage"],
    ["docs", "openlineage"],
    [
        "docs",
        "openlineage",
        "--job-namespace",
        "j",
        "--kafka-namespace",
        "kafka://b:1",
        "--gateway-namespace",
        "kafka://g:1",
    ],
    ["test", "--type", "schema"],
    ["test", "--type", "continuous"],
    ["test", "--coverage"],
    ["envs", "list"],
    ["envs", "show"],
    ["plan", "--offline"],
]


def planted(text: str) -> tuple[str, dict[str, str]]:
    """Give each `$V` a variable and a value of its own."""
    values: dict[str, str] = {}

    def plant(_match: re.Match[str]) -> str:
        name = f"V{len(values)}"
        values[name] = f"zqcanary{len(values)}x"
        return f"${{{name}}}"

    quoted = re.sub(r'(?<![\w"/])\$V', '"$V"', text).replace("$K", "kept")
    return re.sub(r"\$V", plant, quoted), values


def spoken(ended: Ended) -> Iterator[str]:
    """Yield what a command says that is no result: its warnings, errors and messages."""
    envelope = ended.envelope
    yield json.dumps([envelope["warnings"], envelope["errors"]])
    yield from messages(envelope["data"])


def messages(data: Any) -> Iterator[str]:
    for key, value in data.items() if isinstance(data, dict) else ():
        yield from [str(value)] if key in ("message", "hint") else messages(value)
    for value in data if isinstance(data, list) else ():
        yield from messages(value)


@pytest.mark.parametrize("kind", PROJECTS)
def test_no_message_of_any_command_shows_what_a_variable_supplied(zygote: Zygote, tmp_path: Path, kind: str) -> None:
    text, values = planted(PROJECTS[kind])
    (tmp_path / "macros").mkdir()
    (tmp_path / "stream_project.yml").write_text(f"apiVersion: streamt.dev/v1alpha1\nproject: {{name: shop}}\n{text}")
    for name, macro in MACROS.items():
        (tmp_path / "macros" / name).write_text(macro)
    assert values
    said = 0
    for command in COMMANDS:
        ended = zygote.run([*command, "-p", str(tmp_path), "--output", "json"], values, tmp_path)
        shown = "\n".join(spoken(ended))
        said += len(shown)
        assert "zqcanary" not in shown, (command, re.findall(r".{60}zqcanary.{30}", shown)[:3])
        assert ended.stderr == ""
        assert "E599" not in shown
    assert said > 500


WRITTEN_OUT = """
runtime:
  kafka: {bootstrap_servers: "b:1", sasl_username: zqcanary, sasl_password: zqcanary}
  schema_registry: {url: "http://zqcanary:zqcanary@r/zqcanary?zqcanary=zqcanary#zqcanary", username: zqcanary}
  flink: {clusters: {f: {rest_url: "http://f:1/zqcanary", api_key: zqcanary, api_secret: zqcanary}}}
  connect: {clusters: {c: {rest_url: "http://c", username: zqcanary, password: zqcanary}}}
  conduktor: {gateway: {proxy_bootstrap: "g:1", password: zqcanary}, console: {url: "http://c", api_key: zqcanary}}
deployment_state: {backend: postgres, url: "postgresql://zqcanary:zqcanary@127.0.0.1:1/zqcanary"}
models: [{name: m, from: s, sink: {connector: x, config: {password: zqcanary}}}]
sources: [{name: s, topic: t.v1, columns: [{name: a, type: INT}]}]
tests: [{name: jobs, source: s, type: continuous, flink_cluster: f}, {name: r, source: s, type: sample}]
"""


def test_no_secret_that_is_written_out_leaves(zygote: Zygote, tmp_path: Path) -> None:
    text = f"apiVersion: streamt.dev/v1alpha1\nproject: {{name: shop}}\n{WRITTEN_OUT}"
    (tmp_path / "stream_project.yml").write_text(text)
    for command in COMMANDS:
        ended = zygote.run([*command, "-p", str(tmp_path), "--output", "json"], {}, tmp_path)
        assert b"zqcanary" not in ended.stdout, command
        assert "zqcanary" not in ended.stderr
