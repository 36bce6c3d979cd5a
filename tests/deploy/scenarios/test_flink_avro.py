"""What Flink writes is what was registered: a job adds no version, and its records carry the registered schema's id."""

import struct
from collections.abc import Callable
from pathlib import Path

from confluent_kafka import Consumer, TopicPartition

from streamt.clusters.flink_sql import SqlGateway
from streamt.deploy.backends.registry import text_of
from streamt.net import HttpClient, parse_address
from tests.deploy.scenarios.world import make_world, record, schema, topic
from tests.stack.fixtures import FlinkServers, KafkaServers
from tests.stack.waiting import until

Unique = Callable[[str], str]


def test_27_flinks_records_carry_the_id_that_was_registered(
    kafka: KafkaServers, schema_registry: str, flink: FlinkServers, tmp_path: Path, unique: Unique
) -> None:
    world = make_world(tmp_path, kafka.bootstrap, schema_registry)
    name = unique("orders")
    subject = f"{name}-value"
    at = {"type": "long", "logicalType": "timestamp-millis"}
    body = record(
        {"name": "id", "type": "long", "doc": "the number"},
        {"name": "note", "type": ["null", "string"], "default": None},
        {"name": "price", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}]},
        {"name": "at", "type": ["null", at], "default": None},
        doc="an order",
    )
    wanted = [topic(name, logical="orders"), schema(subject, body)]
    assert world.apply(*wanted).status == "committed"
    latest = world.subjects.latest(subject)
    assert latest
    columns = "`id` BIGINT NOT NULL, `note` STRING, `price` DECIMAL(10, 2), `at` TIMESTAMP(3)"
    options = {
        "connector": "kafka",
        "topic": name,
        "properties.bootstrap.servers": kafka.bootstrap,
        "format": "avro-confluent",
        "avro-confluent.url": schema_registry,
        "avro-confluent.subject": subject,
        "avro-confluent.schema": text_of(wanted[1].content).replace("'", "''"),
    }
    pairs = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    with SqlGateway(HttpClient(address=parse_address(flink.gateway), timeout_s=60)).session() as session:
        session.run(f"CREATE TEMPORARY TABLE orders ({columns}) WITH ({pairs})")
        row = "(CAST(7 AS BIGINT), 'x', CAST(1.50 AS DECIMAL(10, 2)), TIMESTAMP '2026-01-02 03:04:05.678')"
        session.run(f"INSERT INTO orders VALUES {row}", {"table.dml-sync": "true"}, seconds=180)
    reader = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": name, "log_level": 0})
    reader.assign([TopicPartition(name, 0, 0)])
    read = until(lambda: reader.poll(1.0))
    reader.close()
    value = read.value()
    assert value
    assert struct.unpack(">bi", value[:5]) == (0, latest.id)
    assert world.subjects.versions(subject) == (1,)
    assert world.plan(*wanted).actions == ()
