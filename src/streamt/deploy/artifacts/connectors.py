"""Connectors: one for each sink, with the topics that it takes records from."""

from collections.abc import Iterator, Mapping

from streamt.compiler.artifacts import OutputKind
from streamt.compiler.model import CompiledModel
from streamt.deploy.artifact import Address, Artifact, Content, ResourceKind
from streamt.deploy.artifacts.kafka_clients import addresses
from streamt.deploy.artifacts.site import Site, wrong
from streamt.diagnostics import Diagnostic, quote

# Short names that people give to the connectors that they use most; every other name is left to the worker.
CLASSES: Mapping[str, str] = {
    "debezium-jdbc": "io.debezium.connector.jdbc.JdbcSinkConnector",
    "elasticsearch": "io.confluent.connect.elasticsearch.ElasticsearchSinkConnector",
    "file": "org.apache.kafka.connect.file.FileStreamSinkConnector",
    "gcs": "io.confluent.connect.gcs.GcsSinkConnector",
    "http": "io.confluent.connect.http.HttpSinkConnector",
    "jdbc": "io.confluent.connect.jdbc.JdbcSinkConnector",
    "mongodb": "com.mongodb.kafka.connect.MongoSinkConnector",
    "opensearch": "io.aiven.kafka.connect.opensearch.OpensearchSinkConnector",
    "s3": "io.confluent.connect.s3.S3SinkConnector",
    "snowflake": "com.snowflake.kafka.connector.SnowflakeSinkConnector",
}
_OWN_KEYS = ("connector.class", "topics", "topics.regex")
_GATEWAY_KEY = "consumer.override.bootstrap.servers"


def connector(model: CompiledModel, site: Site) -> Iterator[Artifact | Diagnostic]:
    """Yield the connector of a sink, or everything that keeps it from being deployed."""
    declared = model.declaration.sink_connector
    if declared is None:
        return
    key = "sink" if model.declaration.sink is not None else "connector"
    path = ("models", model.node.name, key, "config")
    cluster, problems = _cluster(model, site)
    for name in _OWN_KEYS:
        if name in declared.config:
            message = f"model {quote(model.node.name)}: {quote(name)} is set by what the model declares"
            hint = "remove it: the class is under `connector`, the topics are those of `from`"
            problems.append(wrong(message, (model.path / key / "config" / name).key(), hint))
    if problems:
        yield from problems
        return
    named = declared.config.get("name")
    config = {
        name: site.book.setting(name, value, *path, name)
        for name, value in sorted(declared.config.items())
        if name != "name"
    }
    content: dict[str, Content] = {
        "name": str(named.get_secret_value()) if named is not None else model.node.name,
        "cluster": cluster,
        "class": CLASSES.get(declared.class_or_type, declared.class_or_type),
        "topics": [_topic(name, site) for name in model.node.dependencies],
        "config": _through_gateway(model, site) | config,
    }
    yield site.artifact(model, ResourceKind.CONNECTOR, content, *_depends_on(model, site))


def _topic(name: str, site: Site) -> str:
    model = site.models.get(name)
    if model is None:
        return site.sources[name][1].topic
    assert model.output is not None  # nothing reads a sink
    return model.output.name


def _through_gateway(model: CompiledModel, site: Site) -> dict[str, Content]:
    """Return how a connector reaches a topic that only the Gateway shows."""
    gateway = site.runtime.conduktor.gateway if site.runtime.conduktor else None
    outputs = [site.models[name].output for name in model.node.dependencies if name in site.models]
    is_virtual = any(output is not None and output.kind is OutputKind.VIRTUAL_TOPIC for output in outputs)
    if not is_virtual or gateway is None or gateway.proxy_bootstrap is None:
        return {}
    path = ("runtime", "conduktor", "gateway", "proxy_bootstrap")
    return {_GATEWAY_KEY: addresses(site, gateway.proxy_bootstrap, *path)}


def _depends_on(model: CompiledModel, site: Site) -> Iterator[Address]:
    for name in model.node.dependencies:
        yield site.address(ResourceKind.TOPIC, name)
        yield site.address(ResourceKind.GATEWAY_RULE, name)


def _cluster(model: CompiledModel, site: Site) -> tuple[str | None, list[Diagnostic]]:
    """Return the Connect cluster that runs a connector, and what is wrong with the choice."""
    connect, advanced = site.runtime.connect, model.declaration.advanced
    clusters = connect.clusters if connect else {}
    name = (advanced.connect_cluster if advanced else None) or (connect.default if connect else None)
    name = name or (next(iter(clusters)) if len(clusters) == 1 else None)
    if name is None and clusters:
        message = f"model {quote(model.node.name)}: no Connect cluster is chosen out of {len(clusters)}"
        hint = "set `runtime.connect.default`, or `advanced.connect_cluster`"
        return None, [wrong(message, model.path, hint)]
    return name, []
