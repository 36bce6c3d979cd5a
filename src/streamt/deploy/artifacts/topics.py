"""Topics, as the project declares them."""

from streamt.compiler.model import CompiledModel
from streamt.deploy.artifact import Artifact, Content, ResourceKind
from streamt.deploy.artifacts.site import Site
from streamt.diagnostics import Supplied
from streamt.project.kafka_config import TOPIC_CONFIGS


def topic_artifact(model: CompiledModel, site: Site, *, is_upsert: bool) -> Artifact | None:
    """Return the topic that a model makes; None if it makes none.

    Args:
        model: the model.
        site: where artifacts are made.
        is_upsert: whether the topic's records replace each other by key.
    """
    if model.topic is None or model.output is None:
        return None
    settings = model.topic
    is_keyed = is_upsert or model.declaration.key is not None or "compact" in settings.config.get("cleanup.policy", "")
    content: dict[str, Content] = {
        "name": model.output.name,
        "partitions": settings.partitions,
        "replication_factor": settings.replication_factor,
        "config": {key: _setting(key, value, model, site) for key, value in sorted(settings.config.items())},
        "keyed": is_keyed,
    }
    return site.artifact(model, ResourceKind.TOPIC, content)


def _setting(key: str, value: str, model: CompiledModel, site: Site) -> Content:
    """Return a topic's setting: as a secret, if a variable supplied it and Kafka does not have a setting of that name.

    Kafka's own settings hold no secrets, and a plan must show how a retention changes wherever its value comes from.
    """
    if key in TOPIC_CONFIGS or not isinstance(value, Supplied):
        return str(value)
    return site.book.keep(("models", model.node.name, "topic", "config", key), lambda: str(value))
