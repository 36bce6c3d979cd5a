"""Settings of topics that Kafka takes, and that no record survives."""

from collections.abc import Iterable, Iterator

from streamt.compiler.artifacts import Node, NodeKind, OutputKind
from streamt.compiler.model import compile_error
from streamt.diagnostics import Diagnostic, ProjectPath, quote
from streamt.project.language import Document, Model

_IN_SYNC = "min.insync.replicas"


def check_replicas(nodes: Iterable[Node], document: Document) -> Iterator[Diagnostic]:
    """Find topics that ask for more replicas in sync than they have: no producer with `acks=all` could write."""
    models = {model.name: model for model in document.models}
    for node in nodes:
        if node.kind is not NodeKind.MODEL or node.output is None or node.output.kind is not OutputKind.TOPIC:
            continue
        settings = document.topic_settings(models[node.name])
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
