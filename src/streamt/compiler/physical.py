"""Physical names: no topic is declared twice, and no model feeds itself through one."""

from collections.abc import Iterator, Mapping, Sequence

from streamt.compiler.artifacts import Node, NodeKind, OutputKind
from streamt.compiler.graph import Graph
from streamt.compiler.model import compile_error
from streamt.diagnostics import Diagnostic, ProjectPath, quote
from streamt.project.language import Model


def check_outputs(nodes: Sequence[Node], models: Mapping[str, Model]) -> Iterator[Diagnostic]:
    """Find topics that are declared twice, and loops through them.

    Args:
        nodes: the sources and models, in declaration order.
        models: the declared models, by name.
    """
    first: dict[tuple[OutputKind, str], Node] = {}
    again: list[tuple[Node, Node]] = []
    for node in nodes:
        if node.output is not None:
            known = first.setdefault((node.output.kind, node.output.name), node)
            if known is not node:
                again.append((node, known))
    looping = _feeding_themselves(nodes) if again else frozenset()
    for node, known in again:
        assert node.output is not None
        model = next((each for each in (node, known) if each.name in looping), None)
        what = "topic" if node.output.kind is OutputKind.TOPIC else "virtual topic"
        if model is not None:
            message = f"model {quote(model.name)}: its {what} {quote(node.output.name)} is what it reads"
            hint = "write to another topic: a model that reads its own output never ends"
            yield compile_error(message, _name_place(model, models), hint)
        else:
            message = f"duplicate {what} {quote(node.output.name)} of {node.kind} {quote(node.name)}"
            hint = f"{known.kind} {quote(known.name)} has it already; give one of them another name"
            yield compile_error(message, _name_place(node, models), hint)


def _feeding_themselves(nodes: Sequence[Node]) -> frozenset[str]:
    """Return the models that read what they write, directly or through others, by the names of topics."""
    outputs = {node.name: str(node.output.name) for node in nodes if node.output is not None}
    reads: dict[str, list[str]] = {name: [] for name in outputs.values()}
    for node in nodes:
        if node.output is not None:
            reads[node.output.name] += [outputs[each] for each in node.dependencies if each in outputs]
    graph = Graph.from_inputs(reads)
    return frozenset(
        node.name
        for node in nodes
        if node.kind is NodeKind.MODEL
        and node.output is not None
        and node.output.name in graph.upstream(node.output.name)
    )


def _name_place(node: Node, models: Mapping[str, Model]) -> ProjectPath:
    """Return where the name of a node's topic is declared."""
    if node.kind is NodeKind.SOURCE:
        return node.location / "topic"
    model = models[node.name]
    if node.output is not None and node.output.name != model.name and node.output.kind is OutputKind.TOPIC:
        if model.topic is not None and model.topic.name is not None:
            return node.location / "topic" / "name"
        if model.advanced is not None and model.advanced.topic is not None and model.advanced.topic.name is not None:
            return node.location / "advanced" / "topic" / "name"
    return node.location / "name"
