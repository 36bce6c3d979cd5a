"""Settings of topics that Kafka takes, and that no record survives."""

from collections.abc import Iterable, Iterator, Mapping

from streamt.compiler.artifacts import Node, NodeKind, OutputKind
from streamt.compiler.model import compile_error
from streamt.diagnostics import Diagnostic, ProjectPath, quote
from streamt.project.language import Document, Model, TopicSettings

_IN_SYNC = "min.insync.replicas"


def topic_settings(nodes: Iterable[Node], document: Document) -> dict[str, TopicSettings]:
    """Return the settings of the topic that each model makes, if it makes one, by the model's name."""
    models = {model.name: model for model in document.models}
    return {
        node.name: document.topic_settings(models[node.name])
        for node in nodes
        if node.kind is NodeKind.MODEL and node.output is not None and node.output.kind is OutputKind.TOPIC
    }


def check_replicas(
    nodes: Iterable[Node], topics: Mapping[str, TopicSettings], document: Document
) -> Iterator[Diagnostic]:
    """Find topics that ask for more replicas in sync than they have: no producer with `acks=all` could write.

    Args:
        nodes: the sources and models.
        topics: from `topic_settings`.
        document: what is declared.
    """
    models = {model.name: model for model in document.models}
    for node in nodes:
        settings = topics.get(node.name)
        if settings is None:
            continue
        wanted = settings.config.get(_IN_SYNC, "")
        if wanted.isdecimal() and int(wanted) > settings.replication_factor:
            counted = f"{settings.replication_factor} replica{'s' if settings.replication_factor > 1 else ''}"
            message = f"model {quote(node.name)}: `{_IN_SYNC}` {wanted} is above the topic's {counted}"
            hint = "lower it, or raise `replication_factor`: as it is, no producer with `acks=all` can write"
            yield compile_error(message, ProjectPath((*node.location.parts, *_place(models[node.name]))), hint)


def _place(model: Model) -> tuple[str, ...]:
    """Return where a model sets the number itself; the model, where a default does."""
    if model.topic is not None and _IN_SYNC in model.topic.config:
        return ("topic", "config", _IN_SYNC)
    advanced = model.advanced.topic if model.advanced else None
    return ("advanced", "topic", "config", _IN_SYNC) if advanced and _IN_SYNC in advanced.config else ()
