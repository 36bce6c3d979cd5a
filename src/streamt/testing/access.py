"""How the topic of a source or a model is read: where it is, how to log in, and what its values are."""

from dataclasses import dataclass, field, replace
from importlib.util import find_spec

from streamt.clusters.kafka_settings import MissingFileError, gateway_settings, kafka_settings
from streamt.compiler.artifacts import Node, OutputKind
from streamt.diagnostics import ProjectPath, StreamtError, quote
from streamt.net import Address, AddressError, Basic, CertificateFileError, parse_address
from streamt.project.language import ConduktorGateway, Kafka, Runtime, SchemaRegistry
from streamt.project.loaded import Project
from streamt.testing.problems import cannot_run
from streamt.testing.sampling.job import RegistryAccess, Topic

_REGISTRY = ProjectPath(("runtime", "schema_registry"))


@dataclass(frozen=True, slots=True)
class Access:
    """What is read for a source or a model.

    Attributes:
        topic: where it is.
        target: what to call it in messages, such as "model `orders`".
        broker: the part of the project that says where the broker is, such as `runtime.kafka`.
    """

    topic: Topic = field(repr=False)
    target: str
    broker: str


def access_to(project: Project, node: Node, location: ProjectPath) -> Access:
    """Find out how to read the records of `node`.

    Args:
        project: the project, with its runtime.
        node: a source or model.
        location: the place of the test that wants to read.

    Raises:
        StreamtError: E531; it has no topic, its format is not supported, or its runtime or a package is missing.
            E502; a variable of a login is not set.
    """
    target = f"{node.kind.value} {quote(node.name)}"
    if find_spec("confluent_kafka") is None:
        hint = "install streamt with its extra `kafka`, or confluent-kafka itself"
        raise cannot_run("reading records needs the package confluent-kafka", location, hint)
    if node.output is None:
        raise cannot_run(f"{target} has no topic to read: a sink's records leave Kafka", location, "test its input")
    runtime = project.document.runtime or Runtime()
    virtual = node.output.kind is OutputKind.VIRTUAL_TOPIC
    settings = _settings(project, runtime, location, virtual=virtual)
    form = _declared_format(project, node, location)
    registry = _registry(project, runtime.schema_registry) if runtime.schema_registry else None
    if form == "avro" and registry is None:
        hint = "add runtime.schema_registry with the registry's url"
        raise cannot_run(f"{target} holds Avro, but the project names no schema registry", location, hint)
    topic = Topic(node.output.name, settings, only_avro=form == "avro", registry=registry)
    return Access(topic, target, "runtime.conduktor.gateway" if virtual else "runtime.kafka")


def _settings(project: Project, runtime: Runtime, location: ProjectPath, *, virtual: bool) -> dict[str, str]:
    kafka = _kafka(runtime, location)
    try:
        if virtual:
            return gateway_settings(_gateway(runtime, location), kafka, project.root)
        return kafka_settings(kafka, project.root)
    except MissingFileError as error:
        raise _no_file(error.location) from error


def _kafka(runtime: Runtime, location: ProjectPath) -> Kafka:
    if runtime.kafka is None:
        hint = "add runtime.kafka with bootstrap_servers"
        raise cannot_run("the project does not say where its Kafka cluster is", location, hint)
    return runtime.kafka


def _gateway(runtime: Runtime, location: ProjectPath) -> ConduktorGateway:
    gateway = runtime.conduktor.gateway if runtime.conduktor else None
    if gateway is None or gateway.proxy_bootstrap is None:
        hint = "add runtime.conduktor.gateway.proxy_bootstrap"
        raise cannot_run("the project does not say where Kafka clients reach the Gateway", location, hint)
    return gateway


def _declared_format(project: Project, node: Node, location: ProjectPath) -> str | None:
    """Return the format that a source declares; a model declares none."""
    source = next((each for each in project.document.sources if each.name == node.name), None)
    declared = source.schema_.format if source and source.schema_ else None
    if declared == "protobuf":
        hint = "test a model that writes JSON or Avro"
        raise cannot_run(f"source {quote(node.name)} holds Protobuf, which cannot be decoded", location, hint)
    return declared


def _registry(project: Project, registry: SchemaRegistry) -> RegistryAccess:
    urls = (registry.url,) if isinstance(registry.url, str) else registry.url
    password = registry.password.get_secret_value() if registry.password else ""
    login = None if registry.username is None else Basic(registry.username.get_secret_value(), password)
    ca_file = None if registry.ssl_ca_location is None else project.root / registry.ssl_ca_location
    if ca_file is not None and not ca_file.is_file():
        raise _no_file(_REGISTRY / "ssl_ca_location")
    access = RegistryAccess(
        tuple(address_of(url, _REGISTRY / "url", "runtime.schema_registry.url") for url in urls), login, ca_file
    )
    try:
        access.clients()
    except CertificateFileError as error:
        key = error.variable or str(replace(_REGISTRY / "ssl_ca_location", dotted=True))
        raise cannot_run(f"the file of {key} holds no certificates in PEM", _REGISTRY / "ssl_ca_location") from error
    return access


def address_of(text: str, location: ProjectPath, key: str) -> Address:
    """Read the address of a server.

    Args:
        text: what the project says.
        location: the place for what is wrong with it.
        key: what to call it.

    Raises:
        StreamtError: E531; it is no address.
    """
    try:
        return parse_address(text)
    except AddressError as error:
        raise cannot_run(f"{key} {error.message}", location, error.hint) from error


def _no_file(key: ProjectPath) -> StreamtError:
    return cannot_run(f"the file of {replace(key, dotted=True)} does not exist", key)
