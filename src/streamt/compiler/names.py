"""Names of Kafka topics: which are legal, and which Kafka's metrics merge."""

import re
from collections.abc import Iterable, Iterator, Mapping

from streamt.compiler.artifacts import Node, NodeKind, Output, OutputKind
from streamt.compiler.model import compile_error
from streamt.diagnostics import Code, Diagnostic, ProjectPath, quote
from streamt.project.language import KAFKA_NAME, KAFKA_NAME_LENGTH, Model

_RULE = "a topic's name is 1 to 249 of `a-z A-Z 0-9 . _ -`, and not `.` or `..`"


def is_topic_name(name: str) -> bool:
    """Report whether Kafka takes `name` for a topic: 1 to 249 of `[a-zA-Z0-9._-]`, and not `.` or `..`."""
    return len(name) <= KAFKA_NAME_LENGTH and re.fullmatch(KAFKA_NAME, name) is not None


def colliding(names: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Find names that differ only in `.` and `_`.

    Args:
        names: topic names, in declaration order.

    Yields:
        The index of a name, and the index of the first earlier one that Kafka's metrics merge it with; a name that
        stands twice is no collision.
    """
    first: dict[str, dict[str, int]] = {}
    for index, name in enumerate(names):
        spelled = first.setdefault(name.replace(".", "_"), {})
        if name not in spelled:
            if spelled:
                yield index, next(iter(spelled.values()))
            spelled[name] = index


# https://kafka.apache.org/documentation/: what the brokers write themselves.
_INTERNAL_TOPICS = frozenset({"__cluster_metadata", "__consumer_offsets", "__share_group_state", "__transaction_state"})


def check_topic_names(nodes: Iterable[Node], models: Mapping[str, Model]) -> Iterator[Diagnostic]:
    """Find outputs whose names Kafka does not take, and models that would write a topic of Kafka's own."""
    for node in nodes:
        is_model = node.kind is NodeKind.MODEL
        if is_model and node.output is not None and node.output.name in _INTERNAL_TOPICS:
            message = f"model {quote(node.name)}: {quote(node.output.name)} is a topic of Kafka's own"
            yield compile_error(message, node.location, "choose another name")
        if node.output is None or is_topic_name(node.output.name):
            continue
        where, hint = _name_place(models[node.name], node.output) if is_model else (("topic",), _RULE)
        message = f"{node.kind} {quote(node.name)}: invalid Kafka topic name {quote(node.output.name)}"
        yield compile_error(message, ProjectPath((*node.location.parts, *where)), hint)


def _name_place(model: Model, output: Output) -> tuple[tuple[str, ...], str]:
    """Return where the bad name of a model's output stands, and what to do."""
    if output.name != model.name:
        return (), _RULE
    key = "topic.name" if output.kind is OutputKind.TOPIC else "gateway.virtual_topic.name"
    return ("name",), f"{_RULE}; give the topic a name of its own with `{key}`"


def collisions(nodes: Iterable[Node]) -> Iterator[Diagnostic]:
    """Warn of topics whose names Kafka's metrics merge."""
    topics = [(node, node.output.name) for node in nodes if node.output and node.output.kind is OutputKind.TOPIC]
    for index, earlier in colliding(name for _, name in topics):
        (node, name), (first, first_name) = topics[index], topics[earlier]
        yield Diagnostic(
            code=Code.TOPIC_NAME_COLLISION,
            message=(
                f"topic {quote(name)} of {node.kind} {quote(node.name)} and topic {quote(first_name)} of {first.kind} "
                f"{quote(first.name)} differ only in `.` and `_`"
            ),
            location=node.location,
            hint="Kafka's metrics merge them; use either `.` or `_` in all topic names",
        )
