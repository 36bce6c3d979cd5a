"""How a topic's broker is reached: the settings of librdkafka that `runtime` asks for.

Their names are librdkafka's own: https://github.com/confluentinc/librdkafka/blob/master/CONFIGURATION.md
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from streamt.clusters.kafka_settings import MissingFileError, join_servers, kafka_settings
from streamt.compiler.artifacts import Node, OutputKind
from streamt.diagnostics import ProjectPath
from streamt.project import Project
from streamt.project.language import ConduktorGateway, Kafka
from streamt.testing.problems import cannot_run


@dataclass(frozen=True, slots=True)
class Access:
    """Where a topic is, and how to log in there.

    Attributes:
        topic: its physical name.
        target: what to call it in messages, such as "model `orders`".
        broker: the part of the project that says where the broker is, such as `runtime.kafka`.
        config: librdkafka's settings; secret.
    """

    topic: str
    target: str
    broker: str
    config: Mapping[str, str] = field(repr=False)


def access_to(project: Project, node: Node, location: ProjectPath) -> Access:
    """Find out how to read the records of `node`.

    Args:
        project: the project, with its runtime.
        node: a source or model.
        location: the place of the test that wants to read.

    Raises:
        StreamtError: E531; it has no topic, its runtime is missing, or a file that the runtime names.
    """
    target = f"{node.kind.value} `{node.name}`"
    if node.output is None:
        raise cannot_run(f"{target} has no topic to read: a sink's records leave Kafka", location, "test its input")
    kafka = _kafka(project, location)
    virtual = node.output.kind is OutputKind.VIRTUAL_TOPIC
    config = _settings(kafka, project.root)
    if virtual:
        config |= _gateway_settings(project, kafka, location)
    broker = "runtime.conduktor.gateway" if virtual else "runtime.kafka"
    return Access(node.output.name, target, broker, config)


def _kafka(project: Project, location: ProjectPath) -> Kafka:
    runtime = project.document.runtime
    if runtime is None or runtime.kafka is None:
        hint = "add runtime.kafka with bootstrap_servers"
        raise cannot_run("the project does not say where its Kafka cluster is", location, hint)
    return runtime.kafka


def _settings(kafka: Kafka, root: Path) -> dict[str, str]:
    try:
        return kafka_settings(kafka, root)
    except MissingFileError as error:
        place = replace(error.location, dotted=True)
        raise cannot_run(f"the file of {place} does not exist", error.location) from None


def _gateway_settings(project: Project, kafka: Kafka, location: ProjectPath) -> dict[str, str]:
    """Give what differs on the Gateway: its address, and its login where it has one of its own."""
    gateway = _gateway(project)
    if gateway is None or gateway.proxy_bootstrap is None:
        hint = "add runtime.conduktor.gateway.proxy_bootstrap"
        raise cannot_run("the project does not say where Kafka clients reach the Gateway", location, hint)
    settings = {"bootstrap.servers": join_servers(gateway.proxy_bootstrap)}
    if gateway.username is None:
        return settings
    encrypted = kafka.security_protocol in ("SSL", "SASL_SSL")
    password = gateway.password.get_secret_value() if gateway.password else ""
    login = {"sasl.mechanism": "PLAIN", "sasl.username": gateway.username.get_secret_value(), "sasl.password": password}
    return settings | login | {"security.protocol": "SASL_SSL" if encrypted else "SASL_PLAINTEXT"}


def _gateway(project: Project) -> ConduktorGateway | None:
    runtime = project.document.runtime
    return runtime.conduktor.gateway if runtime and runtime.conduktor else None
