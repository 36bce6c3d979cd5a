"""How a Kafka cluster is reached: the settings of librdkafka that `runtime.kafka` asks for.

Their names are librdkafka's own: https://github.com/confluentinc/librdkafka/blob/master/CONFIGURATION.md
"""

from collections.abc import Sequence
from pathlib import Path

from streamt.diagnostics import ProjectPath
from streamt.project.language import ConduktorGateway, Kafka

_FILES = {
    "ssl.ca.location": "ssl_ca_location",
    "ssl.certificate.location": "ssl_certificate_location",
    "ssl.key.location": "ssl_key_location",
}


class MissingFileError(Exception):
    """A file that `runtime.kafka` names does not exist.

    Attributes:
        location: the setting that names it.
    """

    def __init__(self, location: ProjectPath) -> None:
        super().__init__()
        self.location = location


def kafka_settings(kafka: Kafka, root: Path) -> dict[str, str]:
    """Return the brokers and the login; secret.

    Args:
        kafka: what the project says.
        root: the project's folder, from which its files are named.

    Raises:
        MissingFileError: a file does not exist.
        StreamtError: E502, the variable of a secret is not set.
    """
    settings = {
        "bootstrap.servers": join_servers(kafka.bootstrap_servers),
        "security.protocol": kafka.security_protocol or _implied_protocol(kafka),
        "sasl.mechanism": kafka.sasl_mechanism or ("PLAIN" if kafka.sasl_username else None),
        "sasl.username": kafka.sasl_username.get_secret_value() if kafka.sasl_username else None,
        "sasl.password": kafka.sasl_password.get_secret_value() if kafka.sasl_password else None,
    }
    for setting, name in _FILES.items():
        settings[setting] = _file(getattr(kafka, name), root, ProjectPath(("runtime", "kafka", name)))
    return {key: value for key, value in settings.items() if value is not None}


def gateway_settings(gateway: ConduktorGateway, kafka: Kafka, root: Path) -> dict[str, str]:
    """Return the brokers and the login for a client of the Gateway, which must have a `proxy_bootstrap`; secret.

    A `username` of the Gateway is used with SASL/PLAIN, over TLS if `runtime.kafka` is; without one, the login of
    `runtime.kafka` is used.

    Raises:
        MissingFileError: a file does not exist.
        StreamtError: E502, the variable of a secret is not set.
    """
    settings = kafka_settings(kafka, root) | {"bootstrap.servers": join_servers(gateway.proxy_bootstrap or "")}
    if gateway.username is None:
        return settings
    encrypted = kafka.security_protocol in ("SSL", "SASL_SSL")
    login = {
        "security.protocol": "SASL_SSL" if encrypted else "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": gateway.username.get_secret_value(),
        "sasl.password": gateway.password.get_secret_value() if gateway.password else "",
    }
    return settings | login


def join_servers(servers: str | Sequence[str]) -> str:
    """Return the brokers as librdkafka wants them: without spaces and empty places."""
    parts = servers.split(",") if isinstance(servers, str) else servers
    return ",".join(part.strip() for part in parts if part.strip())


def _implied_protocol(kafka: Kafka) -> str | None:
    """Never send a password in the clear unless the project says so."""
    if kafka.sasl_mechanism or kafka.sasl_username:
        return "SASL_SSL"
    return "SSL" if kafka.ssl_ca_location or kafka.ssl_certificate_location else None


def _file(path: str | None, root: Path, location: ProjectPath) -> str | None:
    """Return the absolute path of a file that is named relative to the project's folder."""
    if path is None:
        return None
    absolute = root / path
    if not absolute.is_file():
        raise MissingFileError(location)
    return str(absolute.resolve())
