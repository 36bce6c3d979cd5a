"""A project -> what it means: every dependency, materialization and physical name, or everything that is wrong."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from streamt.compiler.artifacts import (
    CompiledColumn,
    CompiledProject,
    Node,
    NodeKind,
    Output,
    OutputKind,
    ProcessKind,
)
from streamt.compiler.graph import Graph
from streamt.compiler.models import (
    FLINK,
    SINK,
    TOPIC,
    VIRTUAL,
    Compiled,
    Read,
    Surroundings,
    compile_model,
    error,
    placed,
)
from streamt.compiler.names import colliding, is_topic_name
from streamt.diagnostics import Code, Diagnostic, ProjectPath, StreamtError, Supplied
from streamt.project import Project
from streamt.project.language import Column, Model, Source
from streamt.project.rules import ModelFacts


def compile_project(project: Project, *, compiled_at: datetime) -> CompiledProject:
    """Compile `project`.

    Args:
        project: a project, as `load_project` gives it.
        compiled_at: the time of this compile, aware and in UTC.

    Raises:
        StreamtError: E510, with everything that is wrong in all models.
    """
    return compile_with_facts(project, compiled_at=compiled_at)[0]


def compile_with_facts(project: Project, *, compiled_at: datetime) -> tuple[CompiledProject, Mapping[str, ModelFacts]]:
    """Compile `project`, and give what governance rules ask about each model, by the model's name.

    Raises:
        StreamtError: E510, with everything that is wrong in all models.
    """
    compiled = _compile_models(project)
    declared = _Declared.of(project, compiled)
    sources = tuple(
        _source_node(source, ProjectPath(("sources", i))) for i, source in enumerate(project.document.sources)
    )
    for each in compiled:
        _check_reads(each, declared)
    models = tuple(_model_node(each) for each in compiled if each.materialization is not None)
    nodes = (*sources, *models)
    problems = [_unrevealing(each, problem) for each in compiled for problem in each.problems]
    problems += [*_circles(compiled), *_bad_names(nodes, compiled), *_collisions(nodes)]
    problems.sort(key=_declaration)
    errors = [problem for problem in problems if problem.is_error]
    if errors:
        raise StreamtError(*errors, positions=project.source_map)
    result = CompiledProject(project.document.project.name, nodes, compiled_at, tuple(problems))
    return result, {each.model.name: _facts(each, node) for each, node in zip(compiled, models, strict=True)}


_QUOTED = re.compile(r'"[^"]*"|\'[^\']*\'')


def _unrevealing(compiled: Compiled, problem: Diagnostic) -> Diagnostic:
    """Leave out what a message quotes, if a macro may have made it of a value that a variable supplied."""
    if compiled.model.macro is None or not _holds_supplied(compiled.model.params):
        return problem
    return replace(problem, message=_QUOTED.sub("...", problem.message), hint=None)


def _holds_supplied(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_supplied, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_holds_supplied, value))
    return isinstance(value, Supplied)


def _declaration(problem: Diagnostic) -> tuple[bool, int]:
    assert isinstance(problem.location, ProjectPath)  # this package knows no other
    section, index = problem.location.parts[:2]
    return section == "models", int(index)


def _compile_models(project: Project) -> tuple[Compiled, ...]:
    conduktor = project.document.runtime.conduktor if project.document.runtime else None
    has_gateway = conduktor is not None and conduktor.gateway is not None
    around = Surroundings(project.macros, has_gateway)
    return tuple(
        compile_model(model, ProjectPath(("models", index)), around)
        for index, model in enumerate(project.document.models)
    )


def _facts(compiled: Compiled, node: Node) -> ModelFacts:
    topic = node.output.name if node.output and node.output.kind is OutputKind.TOPIC else None
    return ModelFacts(
        materialization=(compiled.materialization or TOPIC).value,
        dependencies=len(node.dependencies),
        sql_length=compiled.sql_length or 0,
        topic=topic,
    )


# References


@dataclass(frozen=True, slots=True)
class _Declared:
    """Every declared name: the sources, and the models with what each of them came to."""

    sources: Mapping[str, Source]
    models: Mapping[str, Compiled]

    @classmethod
    def of(cls, project: Project, compiled: Iterable[Compiled]) -> "_Declared":
        return cls(
            {source.name: source for source in project.document.sources}, {each.model.name: each for each in compiled}
        )


def _check_reads(compiled: Compiled, declared: _Declared) -> None:
    """Check every input of a model, and that a virtual topic has the one that it needs."""
    for read in compiled.reads:
        complaint = _complaint(compiled, read, declared)
        if complaint:
            message, hint = complaint
            message = f'model "{compiled.model.name}" {message}'
            compiled.problems.append(placed(message, read.place, hint))
    if compiled.materialization is VIRTUAL:
        _check_virtual_input(compiled, declared)


def _complaint(compiled: Compiled, read: Read, declared: _Declared) -> tuple[str, str | None] | None:
    """Say what is wrong with one input, and what to do."""
    name = read.name
    is_model, is_source = name in declared.models, name in declared.sources
    if name == compiled.model.name and is_model and read.kind != "source":
        return f"reads itself: {name} -> {name}", "a model cannot read its own output"
    if read.kind == "source" and not is_source and is_model:
        return f'reads the source "{name}", but that is a model', f"write {_written(read, 'ref')}"
    if read.kind == "ref" and not is_model and is_source:
        return f'reads the model "{name}", but that is a source', f"write {_written(read, 'source')}"
    if not is_model and not is_source:
        return f'reads "{name}", which is not declared', _closest(read, declared)
    other = declared.models.get(name) if read.kind != "source" else None
    if other is not None and other.materialization is SINK:
        return f'reads "{name}", but that is a sink, which has no topic', "read what the sink takes its records from"
    return None


def _written(read: Read, kind: str) -> str:
    in_sql = read.place.parts[-1] in ("sql", "macro")
    return f'`{{{{ {kind}("{read.name}") }}}}`' if in_sql else f"`{kind}: {read.name}`"


def _closest(read: Read, declared: _Declared) -> str | None:
    from difflib import get_close_matches

    close = get_close_matches(read.name, [*declared.models, *declared.sources], n=1)
    return f'did you mean "{close[0]}"?' if close else "declare it under `sources` or `models`"


def _check_virtual_input(compiled: Compiled, declared: _Declared) -> None:
    """Check that a Gateway rule stands over exactly one physical topic."""
    names = tuple(dict.fromkeys(read.name for read in compiled.reads))
    said = "is a virtual topic" if compiled.explicit else "is taken to be a virtual topic"
    where = next((map(str, read.place.parts[2:]) for read in compiled.reads), ())
    if len(names) != 1:
        # A model without SQL and `from` has got its own error.
        if names or compiled.model.has_sql:
            count = f"reads {len(names)} inputs" if names else "reads no source and no model"
            compiled.complain(
                f'model "{compiled.model.name}" {said}, but {count}', *where, hint=f"it needs exactly one; {_OR_FLINK}"
            )
        return
    other = declared.models.get(names[0])
    if other is not None and other.materialization is VIRTUAL and other is not compiled:
        compiled.complain(
            f'model "{compiled.model.name}" {said}, but its input "{names[0]}" is a virtual topic itself',
            *where,
            hint=f"a Gateway rule stands over a topic of Kafka; {_OR_FLINK}",
        )


_OR_FLINK = "else write `materialized: flink`"


def _circles(compiled: Sequence[Compiled]) -> Iterator[Diagnostic]:
    locations = {each.model.name: each.location for each in compiled}
    inputs = {each.model.name: [r.name for r in each.reads if r.kind != "source"] for each in compiled}
    for path in Graph.from_inputs(inputs).circles():
        if len(path) > 2:
            shown = path if len(path) <= 12 else (*path[:6], f"... {len(path) - 12} more ...", *path[-6:])
            message = f"models read each other in a circle: {' -> '.join(shown)}"
            yield error(message, locations[path[0]], "take one of these inputs away")


# Nodes


def _unless_blank(owner: str | None) -> str | None:
    """Give an owner exactly as declared; a blank one names nobody."""
    return owner if owner and owner.strip() else None


def _source_node(source: Source, location: ProjectPath) -> Node:
    return Node(
        kind=NodeKind.SOURCE,
        name=source.name,
        location=location,
        output=Output(OutputKind.TOPIC, source.topic),
        columns=_columns(source.columns),
        columns_location=location / "columns",
        description=source.description or None,
        owner=_unless_blank(source.owner),
    )


def _model_node(compiled: Compiled) -> Node:
    model = compiled.model
    columns, place = model.selected_columns
    return Node(
        kind=NodeKind.MODEL,
        name=model.name,
        location=compiled.location,
        materialization=compiled.materialization,
        output=_output(compiled),
        process=_process(compiled),
        dependencies=tuple(dict.fromkeys(read.name for read in compiled.reads)),
        columns=_columns(columns),
        columns_location=compiled.at(*place),
        description=model.description or None,
        owner=_unless_blank(model.owner),
    )


def _columns(columns: tuple[Column, ...]) -> tuple[CompiledColumn, ...]:
    return tuple(CompiledColumn(column.name, column.type, column.description) for column in columns)


def _output(compiled: Compiled) -> Output | None:
    model = compiled.model
    if compiled.materialization is SINK:
        return None
    if compiled.materialization is VIRTUAL:
        virtual = model.virtual_topic
        return Output(OutputKind.VIRTUAL_TOPIC, (virtual.name if virtual else None) or model.name)
    return Output(OutputKind.TOPIC, model.topic_name or model.name)


def _process(compiled: Compiled) -> ProcessKind | None:
    by_kind = {VIRTUAL: ProcessKind.GATEWAY_RULE, SINK: ProcessKind.CONNECTOR, FLINK: ProcessKind.FLINK_JOB}
    if compiled.materialization is TOPIC:
        return ProcessKind.FLINK_JOB if compiled.model.has_sql else None
    return by_kind.get(compiled.materialization) if compiled.materialization else None


# Physical names


def _bad_names(nodes: Iterable[Node], compiled: Iterable[Compiled]) -> Iterator[Diagnostic]:
    models = {each.location: each.model for each in compiled}
    for node in nodes:
        if node.output is None or is_topic_name(node.output.name):
            continue
        is_model = node.kind is NodeKind.MODEL
        where, hint = _name_place(models[node.location], node.output) if is_model else (("topic",), _RULE)
        message = f'{node.kind} "{node.name}": "{node.output.name}" is not a name that Kafka takes for a topic'
        yield error(message, ProjectPath((*node.location.parts, *where)), hint)


def _name_place(model: Model, output: Output) -> tuple[tuple[str, ...], str]:
    """Give where the bad name of a model's output stands, and what to do."""
    if output.name != model.name:
        return (), _RULE
    key = "topic.name" if output.kind is OutputKind.TOPIC else "gateway.virtual_topic.name"
    return ("name",), f"{_RULE}; give the topic a name of its own with `{key}`"


_RULE = "a topic's name is 1 to 249 of `a-z A-Z 0-9 . _ -`, and not `.` or `..`"


def _collisions(nodes: Iterable[Node]) -> Iterator[Diagnostic]:
    topics = [(node, node.output.name) for node in nodes if node.output and node.output.kind is OutputKind.TOPIC]
    for index, earlier in colliding(name for _, name in topics):
        (node, name), (first, first_name) = topics[index], topics[earlier]
        yield Diagnostic(
            code=Code.TOPIC_NAME_COLLISION,
            message=(
                f'the topics "{first_name}" of {first.kind} "{first.name}" and "{name}" of {node.kind} "{node.name}" '
                "differ only in `.` and `_`"
            ),
            location=node.location,
            hint="Kafka's metrics merge them; use either `.` or `_` in all topic names",
        )
