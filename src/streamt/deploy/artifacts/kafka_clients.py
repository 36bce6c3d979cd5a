"""The properties by which Flink's tables reach Kafka.

Flink's clients are Java's: what the project says in the words of librdkafka is said here in those of
https://kafka.apache.org/documentation/#configuration. The classes to log in with are those inside of Flink's SQL
connector, which has Kafka's own under another name.
"""

from collections.abc import Iterator, Mapping

from streamt.deploy.artifact import Content, SecretRef
from streamt.deploy.artifacts.secret_book import text_of
from streamt.deploy.artifacts.site import Site, wrong
from streamt.diagnostics import Diagnostic, ProjectPath
from streamt.project.language import Kafka
from streamt.project.language.runtime import FlinkCluster

_SHADED = "org.apache.flink.kafka.shaded.org.apache.kafka.common.security"
_LOGINS = {
    "PLAIN": f"{_SHADED}.plain.PlainLoginModule",
    "SCRAM-SHA-256": f"{_SHADED}.scram.ScramLoginModule",
    "SCRAM-SHA-512": f"{_SHADED}.scram.ScramLoginModule",
}
_JAAS = "sasl.jaas.config"
_KAFKA = ("runtime", "kafka")


def client_options(site: Site, cluster: str | None, *, through_gateway: bool) -> dict[str, Content]:
    """Return the options of a table that say where its topic is and how to log in there.

    Args:
        site: where artifacts are made.
        cluster: the Flink cluster that runs the job.
        through_gateway: whether the topic is one that only the Gateway shows.
    """
    kafka = site.runtime.kafka
    made: dict[str, Content] = {}
    if kafka is not None:
        made = {"bootstrap.servers": _servers(site, kafka, through_gateway=through_gateway), **_login(site, kafka)}
    declared = _cluster(site, cluster)
    path = ("runtime", "flink", "clusters", cluster or "", "kafka_properties")
    for key, value in (declared.kafka_properties if declared else {}).items():
        made[key] = site.book.setting(key, value, *path, key)
    return {f"properties.{key}": value for key, value in sorted(made.items())}


def _servers(site: Site, kafka: Kafka, *, through_gateway: bool) -> Content:
    path: tuple[str, ...] = (*_KAFKA, "bootstrap_servers")
    servers = kafka.bootstrap_servers
    gateway = site.runtime.conduktor.gateway if site.runtime.conduktor else None
    if through_gateway and gateway is not None and gateway.proxy_bootstrap is not None:
        path, servers = ("runtime", "conduktor", "gateway", "proxy_bootstrap"), gateway.proxy_bootstrap
    elif kafka.bootstrap_servers_internal is not None:
        path, servers = (*_KAFKA, "bootstrap_servers_internal"), kafka.bootstrap_servers_internal
    return addresses(site, servers, *path)


def addresses(site: Site, servers: str | tuple[str, ...], *path: str) -> Content:
    """Return one or more addresses as one text, or a reference if a variable supplied any of them."""
    text = servers if isinstance(servers, str) else ",".join(servers)
    return site.book.keep(path, lambda: str(text)) if site.project.is_supplied(servers) else text


def _login(site: Site, kafka: Kafka) -> dict[str, Content]:
    found: dict[str, Content] = {}
    if kafka.security_protocol is not None:
        found["security.protocol"] = kafka.security_protocol
    if kafka.ssl_ca_location is not None:
        place = site.book.shown(kafka.ssl_ca_location, *_KAFKA, "ssl_ca_location")
        found |= {"ssl.truststore.type": "PEM", "ssl.truststore.location": place}
    if kafka.sasl_mechanism is not None:
        found["sasl.mechanism"] = kafka.sasl_mechanism
    if kafka.sasl_mechanism in _LOGINS:
        found[_JAAS] = _jaas(site, kafka, _LOGINS[kafka.sasl_mechanism])
    return found


def _jaas(site: Site, kafka: Kafka, module: str) -> SecretRef:
    def make() -> str:
        user, password = _in_quotes(text_of(kafka.sasl_username)), _in_quotes(text_of(kafka.sasl_password))
        return f"{module} required username={user} password={password};"

    return site.book.keep((*_KAFKA, "sasl_jaas_config"), make)


def _in_quotes(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _cluster(site: Site, name: str | None) -> FlinkCluster | None:
    flink = site.runtime.flink
    return flink.clusters.get(name) if flink and name else None


def client_problems(site: Site, cluster: str | None) -> Iterator[Diagnostic]:
    """Find what Java's clients cannot be told by the project's words."""
    kafka = site.runtime.kafka
    if kafka is None:
        place = ProjectPath(("runtime",))
        yield wrong("a Flink job needs a Kafka cluster, and none is declared", place, "declare `runtime.kafka`")
        return
    declared = _cluster(site, cluster)
    own: Mapping[str, object] = declared.kafka_properties if declared else {}
    place = ProjectPath(_KAFKA)
    hint = f"write what Flink's clients need into `runtime.flink.clusters.{cluster or 'NAME'}.kafka_properties`"
    if kafka.sasl_mechanism not in (None, *_LOGINS) and _JAAS not in own:
        message = f"Flink's tables cannot be told how to log in with `{kafka.sasl_mechanism}`"
        yield wrong(message, place / "sasl_mechanism", hint)
    files = [key for key in ("ssl_certificate_location", "ssl_key_location") if getattr(kafka, key) is not None]
    if files and not any(key.startswith("ssl.keystore.") for key in own):
        message = "Flink's tables cannot read a client's certificate and key from two files"
        yield wrong(message, place / files[0], hint)
