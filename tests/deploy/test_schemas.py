"""The schemas that models declare: their subjects, their Avro, and what the registry then has."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from streamt.compiler import compile_models
from streamt.deploy.artifact import Artifact, ResourceKind
from streamt.deploy.schemas import NoAvroFormError, avro_type
from streamt.diagnostics import Code, StreamtError
from streamt.project import load_project
from streamt.sql.types import parse_type
from streamt.workspace.deployment import Deployment
from tests.clusters.confluent import confluent
from tests.deploy.shop import Log, Never

PAID = """\
  - name: paid
    key: id
    topic: {name: paid.v1}
    columns:
      - {name: id, type: BIGINT}
      - {name: amount, type: 'DECIMAL(12, 2)', description: In EUR.}
      - {name: at, type: TIMESTAMP(3) NOT NULL}
      - {name: seen, proctime: true}
"""


def deployment(folder: Path, models: str, registry: str = "http://127.0.0.1:1") -> Deployment:
    text = (
        "apiVersion: streamt.dev/v1alpha1\nproject: {name: shop}\n"
        f"runtime: {{kafka: {{bootstrap_servers: 'b:1'}}, schema_registry: {{url: '{registry}'}}}}\n"
        f"models:\n{models}"
    )
    (folder / "stream_project.yml").write_text(text)
    project = load_project(folder)
    return Deployment(project, compile_models(project, compiled_at=datetime(2026, 1, 1, tzinfo=UTC)))


def schemas(folder: Path, models: str) -> tuple[Artifact, ...]:
    return deployment(folder, models).desired.of_kind(ResourceKind.SCHEMA)


def test_an_avro_record_is_made_of_the_columns(tmp_path: Path) -> None:
    (found,) = schemas(tmp_path, PAID + "    schema: {compatibility: FULL}\n")
    assert (found.name, str(found.address)) == ("paid.v1-value", "streamt://shop/default/schema/paid/value")
    assert (found.content["type"], found.content["compatibility"], found.protect) == ("AVRO", "FULL", True)
    amount = {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}
    assert found.content["schema"] == {
        "type": "record",
        "name": "paid",
        "fields": [
            {"name": "id", "type": "long"},
            {"name": "amount", "doc": "In EUR.", "type": ["null", amount], "default": None},
            {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        ],
    }


@pytest.mark.parametrize(
    ("flink", "avro"),
    [
        ("STRING", "string"),
        ("CHAR(3)", "string"),
        ("TINYINT", "int"),
        ("DOUBLE PRECISION", "double"),
        ("VARBINARY(3)", "bytes"),
        ("DATE", {"type": "int", "logicalType": "date"}),
        ("TIME", {"type": "int", "logicalType": "time-millis"}),
        ("TIMESTAMP", {"type": "long", "logicalType": "timestamp-micros"}),
        ("ARRAY<INT NOT NULL>", {"type": "array", "items": "int"}),
        ("ARRAY<INT>", {"type": "array", "items": ["null", "int"]}),
        ("MAP<STRING, BIGINT NOT NULL>", {"type": "map", "values": "long"}),
        ("MULTISET<STRING>", {"type": "map", "values": "int"}),
        (
            "ROW<a INT, b ROW<c STRING NOT NULL> NOT NULL>",
            {
                "type": "record",
                "name": "x",
                "fields": [
                    {"name": "a", "type": ["null", "int"], "default": None},
                    {
                        "name": "b",
                        "type": {"type": "record", "name": "x_b", "fields": [{"name": "c", "type": "string"}]},
                    },
                ],
            },
        ),
    ],
)
def test_types(flink: str, avro: object) -> None:
    assert avro_type(parse_type(flink), "x") == avro


@pytest.mark.parametrize("flink", ["TIMESTAMP_LTZ(3)", "TIMESTAMP(9)", "TIME(6)", "MAP<INT, STRING>", "INTERVAL DAY"])
def test_types_that_avro_does_not_have(flink: str) -> None:
    with pytest.raises(NoAvroFormError):
        avro_type(parse_type(flink), "x")


TWICE = PAID + "    schema: {subject: s}\n"
RECORD = '{"type": "record", "name": "Order", "namespace": "shop", "fields": [{"name": "id", "type": "long"}]}'


@pytest.mark.parametrize(
    ("schema", "subject"),
    [
        ("{subject: mine}", "mine"),
        ("{strategy: record}", "paid"),
        ("{strategy: topic_record}", "paid.v1-paid"),
        (f"{{strategy: record, definition: '{RECORD}'}}", "shop.Order"),
    ],
)
def test_subjects(tmp_path: Path, schema: str, subject: str) -> None:
    (found,) = schemas(tmp_path, PAID + f"    schema: {schema}\n")
    assert found.name == subject


def test_a_sources_schema_is_somebody_elses_and_registers_nothing(tmp_path: Path) -> None:
    theirs = f"sources:\n  - {{name: theirs, topic: t.v1, schema: {{format: avro, definition: '{RECORD}'}}}}\n"
    declared = deployment(tmp_path, PAID + theirs)
    assert [each.schema_.definition for each in declared.project.document.sources if each.schema_] == [RECORD]
    assert declared.desired.of_kind(ResourceKind.SCHEMA) == ()


def test_keys_and_references(tmp_path: Path) -> None:
    models = (
        PAID
        + f"    schema: {{definition: '{RECORD}', key: {{format: json, definition: '{{\"type\": \"string\"}}'}}}}\n"
    )
    models += "  - name: sent\n    topic: {name: sent.v1}\n    schema:\n"
    models += f"      definition: '{RECORD}'\n      references: [{{name: shop.Order, subject: paid.v1-value}}]\n"
    found = {each.name: each for each in schemas(tmp_path, models)}
    assert sorted(found) == ["paid.v1-key", "paid.v1-value", "sent.v1-value"]
    assert found["paid.v1-key"].content["type"] == "JSON"
    assert found["sent.v1-value"].depends_on == (found["paid.v1-value"].address,)


@pytest.mark.parametrize(
    ("models", "message"),
    [
        (PAID.replace("BIGINT", "TIMESTAMP_LTZ(3)") + "    schema: {}\n", "column `id` cannot be written as Avro"),
        (PAID.replace("name: amount", "name: 'a b'") + "    schema: {}\n", "its name is not one of Avro's"),
        ("  - {name: p, topic: {name: p}, schema: {}}\n", "needs columns"),
        (PAID + "    schema: {format: json}\n", "needs a `definition`"),
        (PAID + "    schema: {key: {}}\n", "needs a `definition`"),
        (PAID + "    schema: {definition: '{'}\n", "is not valid JSON"),
        (
            PAID + "    schema: {subject: s}\n" + PAID.replace("paid", "sent") + "    schema: {subject: s}\n",
            "duplicate",
        ),
    ],
)
def test_what_is_wrong_with_a_schema(tmp_path: Path, models: str, message: str) -> None:
    with pytest.raises(StreamtError) as error:
        schemas(tmp_path, models)
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.code, message in diagnostic.message) == (Code.COMPILE_ERROR, True), diagnostic


def test_a_column_more_is_the_next_version(tmp_path: Path) -> None:
    """From a project's file to the registry's versions, and back to an empty plan."""
    from streamt.deploy.apply import Request, apply

    def applied(models: str) -> Any:
        found = deployment(tmp_path, models, registry.url)
        return apply(Request(scope=found.scope(selectors=("kind:schema",)), store=found.store), Log(), Never())

    more = PAID.replace("      - {name: seen", "      - {name: note, type: STRING}\n      - {name: seen")
    with confluent() as registry:
        assert applied(PAID + "    schema: {}\n").status == "committed"
        assert applied(PAID + "    schema: {}\n").actions == ()
        report = applied(more + "    schema: {}\n")
        assert [each.provider_id["version"] for each in report.actions] == [2]
        assert applied(more + "    schema: {}\n").actions == ()
