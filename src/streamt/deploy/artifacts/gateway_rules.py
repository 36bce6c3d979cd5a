"""Rules of the Gateway: what shows a virtual topic, and what hides columns from those who read through it.

https://docs.conduktor.io/gateway/interceptors/ describes the two plug-ins.
"""

import re
from collections.abc import Iterator, Sequence

from streamt.compiler.artifacts import OutputKind
from streamt.compiler.model import CompiledModel
from streamt.deploy.artifact import Address, Artifact, Content, ResourceKind, encoded
from streamt.deploy.artifacts.kafka_clients import addresses
from streamt.deploy.artifacts.site import Site
from streamt.deploy.artifacts.tables import Streams
from streamt.diagnostics import Code, Diagnostic, ProjectPath, quote
from streamt.project.language.models import Mask

_SQL_TOPIC = "io.conduktor.gateway.interceptor.VirtualSqlTopicPlugin"
_MASKING = "io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin"
# The virtual cluster of a Gateway that has none of its own.
_NO_CLUSTER = "passthrough"
_PRIORITY = 100


def gateway_rule(model: CompiledModel, site: Site, streams: Streams) -> Iterator[Artifact]:
    """Yield the rule that shows a model's virtual topic and masks its columns; a topic of Kafka's may have masks."""
    conduktor = site.runtime.conduktor
    output, masks = model.output, _masks(model)
    if output is None or conduktor is None or conduktor.gateway is None:
        return
    is_virtual = output.kind is OutputKind.VIRTUAL_TOPIC
    if not is_virtual and not masks:
        return
    stream = streams[model.node.name]
    physical = streams[model.node.dependencies[0]].topic if is_virtual else output.name
    registry = _registry(site) if stream.is_registered else {}
    vcluster = conduktor.gateway.virtual_cluster or _NO_CLUSTER
    plugins = [*_sql_topic(model, output.name, physical, registry), *_maskings(masks, output.name, registry)]
    content: dict[str, Content] = {
        "name": output.name,
        "alias": output.name if is_virtual and model.query is None else None,
        "physical": physical,
        "vcluster": vcluster,
        "compression": model.declaration.virtual_topic.compression if model.declaration.virtual_topic else None,
        "interceptors": [
            {
                "name": _interceptor(model, site, number),
                "plugin": plugin,
                "priority": _PRIORITY + number,
                "scope": {"vCluster": vcluster, "group": group},
                "config": config,
            }
            for number, (plugin, group, config) in enumerate(plugins)
        ],
    }
    yield site.artifact(model, ResourceKind.GATEWAY_RULE, content, *_depends_on(model, site, is_virtual=is_virtual))


def mask_warnings(model: CompiledModel, site: Site) -> Iterator[Diagnostic]:
    """Warn of masks that nobody applies, or not as they are declared."""
    has_gateway = site.runtime.conduktor is not None and site.runtime.conduktor.gateway is not None
    for place, mask in _masks(model):
        column = quote(mask.column)
        if not has_gateway:
            message = (
                f"model {quote(model.node.name)}: nobody masks the column {column}: the environment has no Gateway"
            )
            yield _warning(message, place, "masks are applied by the Gateway, for those who read through it")
        elif mask.method != "redact":
            who = f"model {quote(model.node.name)}"
            message = f"{who}: the Gateway hides the whole column {column}: it has no `{mask.method}`"
            yield _warning(message, place / "method", "write `method: redact`, which says so")


def _warning(message: str, place: ProjectPath, hint: str) -> Diagnostic:
    return Diagnostic(code=Code.MASK_NOT_AS_DECLARED, message=message, location=place, hint=hint)


def _masks(model: CompiledModel) -> Sequence[tuple[ProjectPath, Mask]]:
    security = model.declaration.security
    place = model.path / "security" / "policies"
    return [(place / index / "mask", each.mask) for index, each in enumerate(security.policies)] if security else []


_Plugin = tuple[str, str | None, dict[str, Content]]


def _sql_topic(model: CompiledModel, name: str, physical: str, registry: dict[str, Content]) -> Iterator[_Plugin]:
    if model.query is None or model.output is None or model.output.kind is not OutputKind.VIRTUAL_TOPIC:
        return
    from streamt.sql.gateway import gateway_statement

    statement = gateway_statement(model.query.text, physical)
    yield _SQL_TOPIC, None, {"virtualTopic": name, "statement": statement, **registry}


def _maskings(masks: Sequence[tuple[ProjectPath, Mask]], topic: str, registry: dict[str, Content]) -> Iterator[_Plugin]:
    """Yield a masking for each column and role; a mask for nobody in particular is for everybody."""
    for _place, mask in masks:
        rule: dict[str, Content] = {"type": "MASK_ALL"}
        policies: list[Content] = [{"name": f"mask-{mask.column}", "rule": rule, "fields": [mask.column]}]
        groups: list[str | None] = [*sorted(mask.for_roles)]
        for group in groups or [None]:
            yield _MASKING, group, {"topic": f"^{re.escape(topic)}$", "policies": policies, **registry}


def _registry(site: Site) -> dict[str, Content]:
    registry = site.runtime.schema_registry
    if registry is None:
        return {}
    return {"schemaRegistryConfig": {"host": addresses(site, registry.url, "runtime", "schema_registry", "url")}}


def _interceptor(model: CompiledModel, site: Site, number: int) -> str:
    project, environment = map(encoded, site.names)
    return f"streamt.{project}.{environment}.{encoded(model.node.name)}.{number}"


def _depends_on(model: CompiledModel, site: Site, *, is_virtual: bool) -> Iterator[Address]:
    for name in model.node.dependencies if is_virtual else (model.node.name,):
        yield site.address(ResourceKind.TOPIC, name)
