"""What the Kafka client is told: all of the runtime's security, and nothing that leaves a trace.

Tansu has no SASL and gives out aborted records, so these are tested on the client's settings.
"""

from pathlib import Path

import pytest

from streamt.clusters import kafka_reading
from streamt.diagnostics import ProjectPath, StreamtError
from streamt.testing.access import Access, access_to
from tests.testing.projects import load

REST = """\
sources: [{name: orders, topic: orders.v1}]
models:
  - {name: seen, from: orders, materialized: virtual_topic, gateway: {virtual_topic: seen.v1}}
  - {name: away, from: [{source: orders}], sink: {connector: jdbc}}
"""


def access(folder: Path, runtime: str, name: str = "orders") -> Access:
    project, compiled = load(folder, f"runtime: {{{runtime}}}\n" + REST)
    node = next(node for node in compiled.nodes if node.name == name)
    return access_to(project, node, ProjectPath(("tests", 0)))


GATEWAY = "conduktor: {gateway: {proxy_bootstrap: 'g:6969'}}"


FULL = """bootstrap_servers: 'b:1', security_protocol: SASL_SSL, sasl_mechanism: SCRAM-SHA-512, sasl_username: u,
    sasl_password: p, ssl_ca_location: ca.pem, ssl_certificate_location: c.pem, ssl_key_location: k.pem"""


@pytest.mark.parametrize(
    ("kafka", "settings"),
    [
        ("bootstrap_servers: 'b:9092'", {"bootstrap.servers": "b:9092"}),
        ("bootstrap_servers: ' a:1, b:2 ,'", {"bootstrap.servers": "a:1,b:2"}),
        ("bootstrap_servers: ['a:1', ' b:2']", {"bootstrap.servers": "a:1,b:2"}),
        (
            FULL,
            {
                "bootstrap.servers": "b:1",
                "security.protocol": "SASL_SSL",
                "sasl.mechanism": "SCRAM-SHA-512",
                "sasl.username": "u",
                "sasl.password": "p",
                "ssl.ca.location": "FOLDER/ca.pem",
                "ssl.certificate.location": "FOLDER/c.pem",
                "ssl.key.location": "FOLDER/k.pem",
            },
        ),
        (
            "bootstrap_servers: 'b:1', sasl_username: u, sasl_password: p",
            {
                "bootstrap.servers": "b:1",
                "security.protocol": "SASL_SSL",
                "sasl.mechanism": "PLAIN",
                "sasl.username": "u",
                "sasl.password": "p",
            },
        ),
        (
            "bootstrap_servers: 'b:1', ssl_ca_location: ca.pem",
            {"bootstrap.servers": "b:1", "security.protocol": "SSL", "ssl.ca.location": "FOLDER/ca.pem"},
        ),
    ],
)
def test_all_of_the_security_is_passed_on(tmp_path: Path, kafka: str, settings: dict[str, str]) -> None:
    for name in ("ca.pem", "c.pem", "k.pem"):
        (tmp_path / name).touch()
    expected = {key: value.replace("FOLDER", str(tmp_path.resolve())) for key, value in settings.items()}
    found = access(tmp_path, f"kafka: {{{kafka}}}, {GATEWAY}")
    assert (found.topic.name, found.broker, found.topic.config) == ("orders.v1", "runtime.kafka", expected)


@pytest.mark.parametrize(
    ("kafka", "login", "settings"),
    [
        ("", "", {}),
        (
            ", security_protocol: SASL_SSL, sasl_mechanism: SCRAM-SHA-256, sasl_username: u, sasl_password: p",
            "",
            {
                "security.protocol": "SASL_SSL",
                "sasl.mechanism": "SCRAM-SHA-256",
                "sasl.username": "u",
                "sasl.password": "p",
            },
        ),
        (
            "",
            ", username: gu, password: gp",
            {
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanism": "PLAIN",
                "sasl.username": "gu",
                "sasl.password": "gp",
            },
        ),
        (
            ", security_protocol: SSL",
            ", username: gu, password: gp",
            {
                "security.protocol": "SASL_SSL",
                "sasl.mechanism": "PLAIN",
                "sasl.username": "gu",
                "sasl.password": "gp",
            },
        ),
    ],
)
def test_a_virtual_topic_is_read_through_the_gateway(
    tmp_path: Path, kafka: str, login: str, settings: dict[str, str]
) -> None:
    runtime = (
        f"kafka: {{bootstrap_servers: 'b:1'{kafka}}}, conduktor: {{gateway: {{proxy_bootstrap: 'g:6969'{login}}}}}"
    )
    found = access(tmp_path, runtime, "seen")
    assert (found.topic.name, found.broker) == ("seen.v1", "runtime.conduktor.gateway")
    assert found.topic.config == {"bootstrap.servers": "g:6969", **settings}


@pytest.mark.parametrize(
    ("runtime", "name", "words"),
    [
        (GATEWAY, "orders", "does not say where its Kafka cluster is"),
        (f"kafka: {{bootstrap_servers: 'b:1'}}, {GATEWAY}", "away", "model `away` has no topic to read"),
        (
            "kafka: {bootstrap_servers: 'b:1'}, conduktor: {gateway: {admin_url: 'http://g'}}",
            "seen",
            "does not say where Kafka clients reach the Gateway",
        ),
        (
            f"kafka: {{bootstrap_servers: 'b:1', ssl_ca_location: gone.pem}}, {GATEWAY}",
            "orders",
            "the file of runtime.kafka.ssl_ca_location does not exist",
        ),
    ],
)
def test_what_is_missing_is_an_error(tmp_path: Path, runtime: str, name: str, words: str) -> None:
    with pytest.raises(StreamtError) as caught:
        access(tmp_path, runtime, name)
    assert words in caught.value.diagnostics[0].message


def test_a_password_is_not_in_the_representation(tmp_path: Path) -> None:
    found = access(tmp_path, f"kafka: {{bootstrap_servers: 'b:1', sasl_username: u, sasl_password: S3CRET}}, {GATEWAY}")
    assert "S3CRET" not in repr(found) + repr(found.topic)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("isolation.level", "read_committed"),
        ("enable.auto.commit", False),
        ("enable.auto.offset.store", False),
        ("allow.auto.create.topics", False),
        ("log_level", 0),
    ],
)
def test_reading_leaves_no_trace_and_sees_only_what_was_committed(setting: str, value: object) -> None:
    assert kafka_reading.SETTINGS[setting] == value
