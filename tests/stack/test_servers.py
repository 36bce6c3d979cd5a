"""The servers are real: each is used once, end to end."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined] # its stubs forget this one

from tests.stack.fixtures import FlinkServers, KafkaServers, PostgresServer
from tests.stack.net import http
from tests.stack.proxy import cut_answer, kafka_proxy
from tests.stack.waiting import until

Unique = Callable[[str], str]


def create(bootstrap: str, topic: str, replicas: int = 1) -> AdminClient:
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    admin.create_topics([NewTopic(topic, 1, replicas)])[topic].result(30)
    return admin


def produce(bootstrap: str, topic: str, *values: str) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0})
    for value in values:
        producer.produce(topic, value)
    assert producer.flush(60) == 0


def consume(bootstrap: str, topic: str, count: int) -> list[str]:
    reader = Consumer({"bootstrap.servers": bootstrap, "group.id": topic, "log_level": 0})
    reader.assign([TopicPartition(topic, 0, 0)])
    found: list[str] = []

    def enough() -> bool:
        found.extend(str((one.value() or b"").decode()) for one in reader.consume(count - len(found), 1.0))
        return len(found) >= count

    until(enough)
    reader.close()
    return found


def test_records_go_through_kafka(kafka: KafkaServers, unique: Unique) -> None:
    topic = unique("records")
    create(kafka.bootstrap, topic)
    produce(kafka.bootstrap, topic, "a", "b")
    assert consume(kafka.bootstrap, topic, 2) == ["a", "b"]


def test_three_brokers_hold_three_replicas(kafka_three: KafkaServers, unique: Unique) -> None:
    topic = unique("replicated")
    admin = create(kafka_three.bootstrap, topic, replicas=3)
    (partition,) = until(lambda: tuple(admin.list_topics(topic, timeout=30).topics[topic].partitions.values()))
    assert sorted(partition.replicas) == [1, 2, 3]


def test_a_guest_may_do_nothing(kafka: KafkaServers, unique: Unique) -> None:
    topic = unique("guest")
    admin = AdminClient(kafka.login(kafka.guest))
    done = admin.create_topics([NewTopic(topic, 1, 1)])[topic]
    with pytest.raises(KafkaException, match="TOPIC_AUTHORIZATION_FAILED"):
        done.result(30)
    admin = AdminClient(kafka.login(kafka.user))
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(30)


def test_clients_stay_with_the_proxy(kafka_three: KafkaServers, unique: Unique) -> None:
    topic = unique("proxied")
    with kafka_proxy(kafka_three.bootstrap) as proxy:
        admin = create(proxy.address, topic, replicas=3)
        produce(proxy.address, topic, "x")
        del admin
    assert {"ApiVersions", "Metadata", "CreateTopics", "Produce"} <= set(proxy.whats())


def test_a_topic_whose_answer_was_cut_is_there(kafka: KafkaServers, unique: Unique) -> None:
    topic = unique("cut")
    with kafka_proxy(kafka.bootstrap) as proxy:
        proxy.fault(cut_answer, "CreateTopics", times=99)
        admin = AdminClient({"bootstrap.servers": proxy.address, "log_level": 0, "socket.timeout.ms": 5000})
        done = admin.create_topics([NewTopic(topic, 1, 1)], request_timeout=5)[topic]
        with pytest.raises(KafkaException):
            done.result(30)
        del admin
    watcher = AdminClient({"bootstrap.servers": kafka.bootstrap, "log_level": 0})
    until(lambda: topic in watcher.list_topics(timeout=30).topics)


def test_a_subject_is_registered(schema_registry: str, unique: Unique) -> None:
    subject, body = unique("subject"), {"schema": '"string"'}
    assert http("POST", f"{schema_registry}/subjects/{subject}/versions", body)[0] == 200
    assert http("GET", f"{schema_registry}/subjects/{subject}/versions") == (200, [1])
    assert http("GET", f"{schema_registry}/config")[1] == {"compatibilityLevel": "BACKWARD"}


def test_a_database_of_its_own_is_empty(postgres: PostgresServer, database: str) -> None:
    name = database.rpartition("/")[2]
    assert postgres.query("create table t (a int); select count(*) from t", name) == "0"
    assert "not exist" not in postgres.query("select version()", name)


def test_flink_reads_and_writes_kafka(flink: FlinkServers, kafka: KafkaServers, unique: Unique) -> None:
    source, sink = unique("in"), unique("out")
    for topic in (source, sink):
        create(kafka.bootstrap, topic)
    produce(kafka.bootstrap, source, '{"k": "a"}')
    session = http("POST", f"{flink.gateway}/v2/sessions", {})[1]["sessionHandle"]
    for topic in (source, sink):
        options = {"connector": "kafka", "topic": topic, "properties.bootstrap.servers": kafka.bootstrap}
        options |= {"scan.startup.mode": "earliest-offset", "format": "json"}
        pairs = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
        _run(flink, session, f"CREATE TABLE `{topic}` (k STRING) WITH ({pairs})")
    job = _run(flink, session, f"INSERT INTO `{sink}` SELECT UPPER(k) FROM `{source}`")
    assert consume(kafka.bootstrap, sink, 1) == ['{"k":"A"}']
    http("PATCH", f"{flink.rest}/jobs/{job}?mode=cancel")
    http("DELETE", f"{flink.gateway}/v2/sessions/{session}")


def _run(flink: FlinkServers, session: str, sql: str) -> object:
    """Run one statement and return the first field of its first row."""
    base = f"{flink.gateway}/v2/sessions/{session}"
    handle = http("POST", f"{base}/statements", {"statement": sql})[1]["operationHandle"]
    until(lambda: http("GET", f"{base}/operations/{handle}/status")[1]["status"] in {"FINISHED", "ERROR"})
    status, page = http("GET", f"{base}/operations/{handle}/result/0?rowFormat=JSON")
    assert status == 200, page
    rows: list[Any] = page["results"]["data"]
    return rows[0]["fields"][0]


def test_a_connector_writes_to_postgres(
    connect: str, kafka: KafkaServers, postgres: PostgresServer, database: str, unique: Unique
) -> None:
    topic = unique("orders").replace("-", "_")
    create(kafka.bootstrap, topic)
    address = database.partition("@")[2]
    config = {
        "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
        "topics": topic,
        "connection.url": f"jdbc:postgresql://{address}",
        "connection.username": kafka.user[0],
        "connection.password": kafka.user[1],
        "insert.mode": "upsert",
        "primary.key.mode": "record_value",
        "primary.key.fields": "id",
        "schema.evolution": "basic",
        "collection.name.format": topic,
    }
    assert http("PUT", f"{connect}/connectors/{topic}/config", config)[0] == 201
    schema = {"type": "struct", "name": "order", "fields": [{"field": "id", "type": "int64"}]}
    produce(kafka.bootstrap, topic, json.dumps({"schema": schema, "payload": {"id": 7}}))
    name = database.rpartition("/")[2]
    until(lambda: postgres.query(f"select to_regclass('{topic}') is not null", name) == "t")
    until(lambda: postgres.query(f"select id from {topic}", name) == "7")
    assert http("DELETE", f"{connect}/connectors/{topic}")[0] == 204
