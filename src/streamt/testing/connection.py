"""How a topic's broker is reached: the settings of librdkafka that `runtime` asks for.

Their names are librdkafka's own: https://github.com/confluentinc/librdkafka/blob/master/CONFIGURATION.md
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from streamt.compiler.artifacts import Node, OutputKind
from streamt.diagnostics import ProjectPath
from streamt.project import Project
from streamt.project.language import ConduktorGateway, Kafka
from streamt.testing.problems import cannot_run

_FILES = {
    "ssl.ca.location": "ssl_ca_location",
    "ssl.certificate.location": "ssl_certificate_location",
    "ssl.key.location": "ssl_key_location",
}


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
    config = _security(kafka, project.root) | {"bootstrap.servers": _servers(kafka.bootstrap_servers)}
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


def _servers(servers: str | tuple[str, ...]) -> str:
    """Join the brokers as librdkafka wants them: without spaces and empty places."""
    parts = servers.split(",") if isinstance(servers, str) else servers
    return ",".join(part.strip() for part in parts if part.strip())


def _security(kafka: Kafka, root: Path) -> dict[str, str]:
    password = kafka.sasl_password.get_secret_value() if kafka.sasl_password else None
    settings = {
        "security.protocol": kafka.security_protocol or _implied_protocol(kafka),
        "sasl.mechanism": kafka.sasl_mechanism or ("PLAIN" if kafka.sasl_username else None),
        "sasl.username": kafka.sasl_username.get_secret_value() if kafka.sasl_username else None,
        "sasl.password": password,
    }
    for setting, name in _FILES.items():
        settings[setting] = _file(getattr(kafka, name), root, ProjectPath(("runtime", "kafka", name)))
    return {key: value for key, value in settings.items() if value is not None}


def _implied_protocol(kafka: Kafka) -> str | None:
    """Never send a password in the clear unless the project says so."""
    if kafka.sasl_mechanism or kafka.sasl_username:
        return "SASL_SSL"
    return "SSL" if kafka.ssl_ca_location or kafka.ssl_certificate_location else None


def _file(path: str | None, root: Path, location: ProjectPath) -> str | None:
    """Give the absolute path of a file that is named relative to the project's folder."""
    if path is None:
        return None
    absolute = root / path
    if not absolute.is_file():
        raise cannot_run(f"the file of {replace(location, dotted=True)} does not exist", location)
    return str(absolute.resolve())


def _gateway_settings(project: Project, kafka: Kafka, location: ProjectPath) -> dict[str, str]:
    """Give what differs on the Gateway: its address, and its login where it has one of its own."""
    gateway = _gateway(project)
    if gateway is None or gateway.proxy_bootstrap is None:
        hint = "add runtime.conduktor.gateway.proxy_bootstrap"
        raise cannot_run("the project does not say where Kafka clients reach the Gateway", location, hint)
    settings = {"bootstrap.servers": _servers(gateway.proxy_bootstrap)}
    if gateway.username is None:
        return settings
    encrypted = kafka.security_protocol in ("SSL", "SASL_SSL")
    password = gateway.password.get_secret_value() if gateway.password else ""
    login = {"sasl.mechanism": "PLAIN", "sasl.username": gateway.username.get_secret_value(), "sasl.password": password}
    return settings | login | {"security.protocol": "SASL_SSL" if encrypted else "SASL_PLAINTEXT"}


def _gateway(project: Project) -> ConduktorGateway | None:
    runtime = project.document.runtime
    return runtime.conduktor.gateway if runtime and runtime.conduktor else None
